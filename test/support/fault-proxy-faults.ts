/**
 * What may happen to a call on its way: each fault by its name. Those that answer in the server's place let the server
 * see every second call that they strike, so that it has acted on half of the calls that look as if it had not.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ServerAnswer {
  readonly status: number;
  /** Without those that frame the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A call of which the headers have come, and nothing else has been read. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Of the calls of its kind that were struck, from 1; 0 when it is not struck. */
  readonly number: number;
  /** Aborted at the end of the fault. */
  readonly end: AbortSignal;
  /** Lets the server have it. Rejects when the server, or the caller, has gone. */
  readonly forward: () => Promise<ServerAnswer>;
}

type Fault = (call: Call) => Promise<void>;

export const DELAY_MS = 700;
/** Between two bytes of an answer that drips. */
const DRIP_MS = 1_000;
/** So that what was written arrives before the reset, which discards what has not been read. */
const RESET_AFTER_MS = 30;
const HTML =
  '<!DOCTYPE html><html><head><title>Sorry</title></head><body><h1>Try again later</h1></body></html>\n';
/** The beginning of a TLS alert, and then nothing that any protocol has. */
const GARBAGE = Buffer.from([
  0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46, 0x00, 0xff, 0xfe, 0x0d, 0x0a, 0x0d, 0x0a,
]);

/** Without a fault. */
export async function passOn(call: Call): Promise<void> {
  answerWith(call, await call.forward());
}

export const faults = {
  /** The server never hears of it. */
  'drop-before': async ({ socket }) => {
    socket.destroy();
  },
  /** The lost answer: the server has acted. */
  'drop-after': async (call) => {
    await call.forward();
    call.socket.destroy();
  },
  'delay-before': async (call) => {
    await delay(call.socket);
    await passOn(call);
  },
  'delay-after': async (call) => {
    const answer = await call.forward();
    await delay(call.socket);
    answerWith(call, answer);
  },
  /** Accepted, read, and never answered. */
  'half-open-before': async (call) => {
    call.request.resume();
    resetAtEnd(call);
  },
  'half-open-after': async (call) => {
    await call.forward();
    resetAtEnd(call);
  },
  /** Accepted, and nothing more is read: a large request cannot even be sent. */
  deaf: async (call) => {
    call.socket.pause();
    resetAtEnd(call);
  },
  'reset-after-headers': async (call) => {
    const answer = await call.forward();
    call.socket.write(headOf(answer, { 'content-length': String(answer.body.length) }));
    setTimeout(() => resetSocket(call.socket), RESET_AFTER_MS).unref();
  },
  'truncated-length': async (call) => {
    const answer = await call.forward();
    const head = headOf(answer, { 'content-length': String(answer.body.length) });
    call.socket.end(Buffer.concat([head, halfOf(answer.body)]));
  },
  'truncated-chunks': async (call) => {
    const answer = await call.forward();
    const half = halfOf(answer.body);
    const head = headOf(answer, { 'transfer-encoding': 'chunked' });
    call.socket.end(
      Buffer.concat([head, Buffer.from(`${half.length.toString(16)}\r\n`), half, Buffer.from('\r\n')]),
    );
  },
  /** Slow loris: not even the status arrives in any useful time. */
  'slow-headers': async (call) => {
    const answer = await call.forward();
    const head = headOf(answer, { 'content-length': String(answer.body.length) });
    drip(call, Buffer.concat([head, answer.body]));
  },
  /** The headers at once, then a byte a second. */
  'slow-body': async (call) => {
    const answer = await call.forward();
    call.socket.write(headOf(answer, { 'content-length': String(answer.body.length) }));
    drip(call, answer.body);
  },
  'html-500': async (call) => answerInstead(call, 500, { 'content-type': 'text/html' }, HTML),
  /** Of a proxy that has lost its server. */
  'empty-502': async (call) => answerInstead(call, 502, {}, ''),
  'unauthorized-401': async (call) => {
    await readAway(call);
    const headers = { 'content-type': 'application/json', 'www-authenticate': 'Bearer realm="workers"' };
    answerWith(call, { status: 401, headers, body: Buffer.from('{"message":"token expired"}') });
  },
  'busy-429': async (call) => {
    await readAway(call);
    answerWith(call, {
      status: 429,
      headers: { 'content-type': 'text/plain' },
      body: Buffer.from('slow down'),
    });
  },
  'busy-429-retry-after': async (call) => {
    await readAway(call);
    answerWith(call, { status: 429, headers: { 'retry-after': '1' }, body: Buffer.from('slow down') });
  },
  garbage: async (call) => {
    await (isForServer(call) ? call.forward() : readAway(call));
    call.socket.end(GARBAGE);
  },
  'null-200': async (call) => answerInstead(call, 200, { 'content-type': 'application/json' }, 'null'),
  'array-200': async (call) => answerInstead(call, 200, { 'content-type': 'application/json' }, '[]'),
  /** As a captive portal or a login page answers everything. */
  'html-200': async (call) => answerInstead(call, 200, { 'content-type': 'text/html' }, HTML),
  /** The listener is closed by the proxy itself; a call that had come just before is dropped. */
  refused: async ({ socket }) => {
    resetSocket(socket);
  },
} satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as readonly FaultName[];

const isForServer = ({ number }: Call): boolean => number % 2 === 0;

async function answerInstead(
  call: Call,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): Promise<void> {
  await (isForServer(call) ? call.forward() : readAway(call));
  answerWith(call, { status, headers, body: Buffer.from(text) });
}

function answerWith({ response }: Call, { status, headers, body }: ServerAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}

/** The request to its end, so that the connection can be used again. */
async function readAway({ request }: Call): Promise<void> {
  await buffer(request);
}

function headOf({ status, headers }: ServerAnswer, more: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries({ ...headers, ...more }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${String(status)} OK\r\n${lines.join('')}\r\n`, 'latin1');
}

function halfOf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}

/** An answer that is out in time leaves a connection like any other. */
function drip(call: Call, bytes: Buffer): void {
  let next = 0;
  const timer = setInterval(() => {
    call.socket.write(bytes.subarray(next, next + 1));
    next += 1;
    if (next === bytes.length) clearInterval(timer);
  }, DRIP_MS).unref();
  call.socket.once('close', () => clearInterval(timer));
  atEnd(call, () => {
    if (next < bytes.length) resetSocket(call.socket);
  });
}

function resetAtEnd(call: Call): void {
  atEnd(call, () => resetSocket(call.socket));
}

/** The end may have come while the server was asked. */
function atEnd({ end }: Call, work: () => void): void {
  if (end.aborted) work();
  else end.addEventListener('abort', work, { once: true });
}

/** Rejects when the caller does not wait for it. */
function delay(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = (): void => {
      clearTimeout(timer);
      reject(new Error('the caller has gone'));
    };
    const timer = setTimeout(() => {
      socket.off('close', onClose);
      resolve();
    }, DELAY_MS);
    socket.once('close', onClose);
  });
}

/**
 * One whose end is under way is closed instead: asked to reset it, Node leaves its handle open for good and never says
 * `close`.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
