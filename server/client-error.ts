/** Answers for what never became a request: bytes that are not HTTP, and requests that came too slowly. */
import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import type { ServerCode } from './codes.ts';
import { encodeProblem, makeProblem, PROBLEM_CONTENT_TYPE } from './problem.ts';

interface RawAnswer {
  readonly status: number;
  readonly code: ServerCode;
  readonly detail: string;
}

const BY_ERROR_CODE: Readonly<Record<string, RawAnswer>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'SUTRA.HTTP.HEADERS_TOO_LARGE',
    detail: 'the request line and headers are longer than 16 KiB',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'SUTRA.HTTP.REQUEST_TIMEOUT',
    detail: 'the request did not arrive whole in time',
  },
};

const MALFORMED: RawAnswer = {
  status: 400,
  code: 'SUTRA.HTTP.REQUEST_MALFORMED',
  detail: 'the bytes on this connection are not a valid HTTP request',
};

/** Answers and closes; only closes when nobody can read it or another answer comes first. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, isAnswerOwed: boolean): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswerOwed) {
    socket.destroy();
    return;
  }
  const { status, code, detail } = BY_ERROR_CODE[error.code ?? ''] ?? MALFORMED;
  answerRaw(socket, status, code, detail);
}

/** Writes a whole answer on a bare socket and closes it. */
export function answerRaw(
  socket: Socket,
  status: number,
  code: ServerCode,
  detail: string,
  extra: Readonly<Record<string, string>> = {},
): void {
  const body = encodeProblem(makeProblem(status, code, detail).problem);
  const headers: Readonly<Record<string, string>> = {
    'content-type': PROBLEM_CONTENT_TYPE,
    'content-length': String(body.byteLength),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
    ...extra,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // The rest of what the client sends is of no use; its errors are expected.
  socket.on('error', () => socket.destroy());
  socket.write(`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`);
  socket.end(body, () => socket.destroySoon());
}
