/**
 * The cheapest HTTP client that is still honest: plain sockets, kept open, one request at a time on each. What a client
 * costs is paid on the same cores as the engine, so it must not hide the engine behind its own work: `node:http` as a
 * client costs about as much for a request as the engine does.
 *
 * It reads what our server writes: a status line, headers with a `content-length`, a body.
 */
import { connect, type Socket } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

interface Waiting {
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: Error) => void;
}

const HEADERS_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

export class HttpClient {
  readonly #host: string;
  readonly #port: number;
  readonly #maxSockets: number;
  readonly #free: Line[] = [];
  readonly #lines = new Set<Line>();
  readonly #queue: ((line: Line) => void)[] = [];

  constructor(baseUrl: string, maxSockets: number) {
    const url = new URL(baseUrl);
    this.#host = url.hostname;
    this.#port = Number(url.port);
    this.#maxSockets = maxSockets;
  }

  post(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    const length = Buffer.byteLength(body);
    const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return this.#send(
      `POST ${path} HTTP/1.1\r\nhost: ${this.#host}\r\ncontent-type: application/json\r\n` +
        `content-length: ${String(length)}\r\n${own.join('')}\r\n${body}`,
    );
  }

  get(path: string): Promise<HttpAnswer> {
    return this.#send(`GET ${path} HTTP/1.1\r\nhost: ${this.#host}\r\n\r\n`);
  }

  /** Requests under way are rejected. */
  close(): void {
    for (const line of this.#lines) line.close();
  }

  async #send(request: string): Promise<HttpAnswer> {
    const line = await this.#line();
    try {
      return await line.send(request);
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#free.push(line);
      else next(line);
    }
  }

  #line(): Promise<Line> | Line {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#lines.size >= this.#maxSockets) return new Promise((resolve) => this.#queue.push(resolve));
    const line = new Line(this.#host, this.#port);
    this.#lines.add(line);
    return line;
  }
}

/** One connection, made anew when it was closed. */
class Line {
  readonly #host: string;
  readonly #port: number;
  #socket: Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #waiting: Waiting | null = null;

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
  }

  send(request: string): Promise<HttpAnswer> {
    const socket = (this.#socket ??= this.#connect());
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Socket {
    const socket = connect(this.#port, this.#host);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#read();
    });
    socket.on('error', (error) => {
      this.#fail(error);
    });
    socket.on('close', () => {
      this.#socket = null;
      this.#fail(new Error('the connection was closed'));
    });
    return socket;
  }

  #read(): void {
    const end = this.#received.indexOf(HEADERS_END);
    if (end === -1) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = CONTENT_LENGTH.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(new Error(`an answer without content-length: ${head.slice(0, 200)}`));
      return;
    }
    const start = end + HEADERS_END.length;
    const whole = start + Number(length);
    if (this.#received.length < whole) return;
    const answer = { status: Number(head.slice(9, 12)), text: this.#received.toString('utf8', start, whole) };
    this.#received = this.#received.subarray(whole);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#received = Buffer.alloc(0);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(error);
  }
}
