/**
 * Connections for an open loop: a request goes out at once on a free one or not at all, and nobody waits in a queue here.
 *
 * Unlike `http-client.ts` it says when no connection is free, which answers carry `Retry-After`, and which connections
 * were reset; free connections are used in turn, so that none is idle for long enough to be closed by the engine.
 */
import { connect, type Socket } from 'node:net';

export interface OpenAnswer {
  /** 0: the connection was closed or reset before the answer. */
  readonly status: number;
  /** The header's value; null: the answer has none. */
  readonly retryAfter: string | null;
  readonly text: string;
}

type Answered = (answer: OpenAnswer) => void;

const HEADERS_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;
const RETRY_AFTER = /\r\nretry-after: ([^\r]+)/i;
/** Connections that are opened at once before the load: fewer than a server keeps in its backlog. */
const OPENED_AT_ONCE = 100;
const NO_ANSWER: OpenAnswer = { status: 0, retryAfter: null, text: '' };

export class OpenConnections {
  readonly #lines: readonly Line[];
  readonly #free: Line[];

  constructor(baseUrl: string, count: number) {
    const { hostname, port } = new URL(baseUrl);
    const release = (line: Line): void => {
      this.#free.push(line);
    };
    this.#lines = Array.from({ length: count }, () => new Line(hostname, Number(port), release));
    this.#free = [...this.#lines];
  }

  /** Requests that have no answer yet. */
  get busyCount(): number {
    return this.#lines.length - this.#free.length;
  }

  /** Opens all of them, so that connecting is not part of what is measured. */
  async open(): Promise<void> {
    for (let from = 0; from < this.#lines.length; from += OPENED_AT_ONCE) {
      await Promise.all(this.#lines.slice(from, from + OPENED_AT_ONCE).map((line) => line.open()));
    }
  }

  /** False: every connection has a request under way, and nothing was sent. */
  post(path: string, key: string, body: string, answered: Answered): boolean {
    const line = this.#free.shift();
    if (line === undefined) return false;
    line.send(
      `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\nidempotency-key: ${key}\r\n` +
        `content-length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
      answered,
    );
    return true;
  }

  close(): void {
    for (const line of this.#lines) line.close();
  }
}

class Line {
  readonly #host: string;
  readonly #port: number;
  readonly #release: (line: Line) => void;
  #socket: Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #answered: Answered | null = null;

  constructor(host: string, port: number, release: (line: Line) => void) {
    this.#host = host;
    this.#port = port;
    this.#release = release;
  }

  /** @throws Error when the connection is refused */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = this.#connect();
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  }

  send(request: string, answered: Answered): void {
    this.#answered = answered;
    (this.#socket ?? this.#connect()).write(request);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#read();
    });
    // The close that follows says the rest.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = null;
      this.#settle(NO_ANSWER);
    });
    return socket;
  }

  #read(): void {
    const end = this.#received.indexOf(HEADERS_END);
    if (end === -1) return;
    const head = this.#received.toString('latin1', 0, end);
    const start = end + HEADERS_END.length;
    const whole = start + Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
    if (this.#received.length < whole) return;
    const status = Number(head.slice(9, 12));
    const text = this.#received.toString('utf8', start, whole);
    // Only a refusal's headers are of interest.
    const retryAfter = status < 400 ? null : (RETRY_AFTER.exec(head)?.[1] ?? null);
    this.#received = this.#received.subarray(whole);
    this.#settle({ status, retryAfter, text });
  }

  #settle(answer: OpenAnswer): void {
    if (answer.status === 0) this.#received = Buffer.alloc(0);
    const answered = this.#answered;
    if (answered === null) return;
    this.#answered = null;
    this.#release(this);
    answered(answer);
  }
}
