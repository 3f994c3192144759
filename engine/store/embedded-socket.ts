/**
 * The driver's "socket" to the embedded database: what it writes goes to the worker thread, what the worker
 * answers is what it reads.
 *
 * The start-up exchange is answered here, because the thread has one session that is already there:
 * `connect` resets it, and the greeting that the driver then expects is two fixed messages.
 */
import { Duplex } from 'node:stream';
import type { EmbeddedHost } from './embedded-host.ts';

type Done = (error?: Error | null) => void;

/** AuthenticationOk, then ReadyForQuery (idle). */
const GREETING = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

/** The start-up message alone begins with its length, whose first byte is 0; all others with a letter. */
const STARTUP_BYTE = 0;
/** The driver's good-bye (`Terminate`), which the shared session must not hear. */
const TERMINATE_BYTE = 0x58;

export class EmbeddedSocket extends Duplex {
  readonly #openHost: () => Promise<EmbeddedHost>;
  #host: EmbeddedHost | null = null;

  /** `openHost` gives the running thread, or starts it. */
  constructor(openHost: () => Promise<EmbeddedHost>) {
    super({ allowHalfOpen: false });
    this.#openHost = openHost;
  }

  connect(): this {
    this.#attach().then(
      () => this.emit('connect'),
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    );
    return this;
  }

  async #attach(): Promise<void> {
    const host = await this.#openHost();
    await host.attach(this);
    this.#host = host;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // Pushed as it comes: the driver asks for no more than it can take.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#forward([chunk]);
    done();
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    this.#forward(chunks.map(({ chunk }) => chunk));
    done();
  }

  override _final(done: Done): void {
    this.#host?.detach(this);
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#host?.detach(this);
    done(error);
  }

  /** Each chunk is one whole message, or several: the driver writes no halves. */
  #forward(chunks: readonly Buffer[]): void {
    const messages = chunks.filter((chunk) => chunk[0] !== STARTUP_BYTE && chunk[0] !== TERMINATE_BYTE);
    if (chunks.some((chunk) => chunk[0] === STARTUP_BYTE)) this.push(GREETING);
    if (messages.length === 0) return;
    const bytes = new Uint8Array(messages.reduce((sum, chunk) => sum + chunk.byteLength, 0));
    let offset = 0;
    for (const chunk of messages) {
      bytes.set(chunk, offset);
      offset += chunk.byteLength;
    }
    this.#host?.send(this, bytes);
  }
}
