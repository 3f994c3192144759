/**
 * Owns the worker thread of an embedded database, on the engine's side.
 *
 * States: starting, running, dead (it ended by itself), closed.
 *
 * H1 One socket is attached at a time; a later one takes over, and answers to the earlier are dropped.
 * H2 When the thread dies, the attached socket is destroyed with an error, at once: nobody waits for an
 *    answer that cannot come.
 * H3 After `close` the thread is gone, and nothing of it keeps the process alive.
 */
import { Worker } from 'node:worker_threads';
import { sessionSettings } from './database-values.ts';
import type { EmbeddedWorkerData, FromWorker, ToWorker } from './embedded-protocol.ts';

/**
 * The worker's file is beside this one: `.js` in the build, `.ts` in the source. Node 20 gives a source run's
 * TypeScript loader to the main thread only, so there the thread first registers it for itself.
 */
function startWorker(data: EmbeddedWorkerData): Worker {
  const options = { workerData: data, name: 'sutra-embedded-database' };
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./embedded-worker.js', import.meta.url), options);
  const file = JSON.stringify(new URL('./embedded-worker.ts', import.meta.url).href);
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const bootstrap = `import(${loader}).then(({ register }) => { register(); return import(${file}); })`;
  return new Worker(bootstrap, { ...options, eval: true });
}

interface Waiter {
  readonly kind: FromWorker['kind'];
  readonly resolve: (message: FromWorker) => void;
  readonly reject: (error: Error) => void;
}

/** The one session's other end, as the host uses it. */
interface SessionSocket {
  push(bytes: Uint8Array): boolean;
  destroy(error?: Error): unknown;
}

export class EmbeddedHost {
  readonly #worker: Worker;
  readonly #waiters: Waiter[] = [];
  readonly #exited: Promise<void>;
  #socket: SessionSocket | null = null;
  #death: Error | null = null;

  private constructor(data: EmbeddedWorkerData) {
    this.#worker = startWorker(data);
    this.#worker.on('message', (message: FromWorker) => this.#receive(message));
    this.#worker.on('error', (error) => this.#died(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#died(new Error(`the embedded database's thread ended with code ${String(code)}`));
        resolve();
      });
    });
  }

  /** Starts the thread and waits until its database is open. Rejects with the database's own error. */
  static async start(data: EmbeddedWorkerData): Promise<EmbeddedHost> {
    const host = new EmbeddedHost(data);
    await host.#expect('ready');
    return host;
  }

  get isDead(): boolean {
    return this.#death !== null;
  }

  async attach(socket: SessionSocket): Promise<void> {
    this.#socket = null;
    const connected = this.#expect('connected');
    this.#post({ kind: 'connect', settings: sessionSql() });
    await connected;
    this.#socket = socket;
  }

  detach(socket: SessionSocket): void {
    if (this.#socket === socket) this.#socket = null;
  }

  send(socket: SessionSocket, bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket === socket) this.#post({ kind: 'bytes', bytes }, [bytes.buffer]);
  }

  /** The data directory as a tar file. */
  async dump(): Promise<Uint8Array> {
    const dumped = this.#expect('dumped');
    this.#post({ kind: 'dump' });
    const message = await dumped;
    if (message.kind !== 'dumped') throw new TypeError(`unexpected ${message.kind}`);
    return message.bytes;
  }

  /** Stops the database's clock at an instant; `now()` is that from the next statement on. */
  async setClock(nowMs: number): Promise<void> {
    const set = this.#expect('clockSet');
    this.#post({ kind: 'clock', nowMs });
    await set;
  }

  /** Lets the process end while the thread is idle, or (`ref`) keeps it up. */
  unref(): void {
    this.#worker.unref();
  }

  ref(): void {
    this.#worker.ref();
  }

  /** Ends the thread wherever it is. */
  async kill(): Promise<void> {
    await this.#worker.terminate();
    await this.#exited;
  }

  async close(): Promise<void> {
    if (this.#death === null) {
      const closed = this.#expect('closed');
      this.#post({ kind: 'close' });
      await closed.catch(() => {});
    }
    await this.kill();
  }

  #post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #expect(kind: FromWorker['kind']): Promise<FromWorker> {
    if (this.#death !== null) return Promise.reject(this.#death);
    return new Promise((resolve, reject) => this.#waiters.push({ kind, resolve, reject }));
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'bytes') {
      this.#socket?.push(
        Buffer.from(message.bytes.buffer, message.bytes.byteOffset, message.bytes.byteLength),
      );
      return;
    }
    if (message.kind === 'failed') {
      this.#died(new Error(message.message));
      return;
    }
    const index = this.#waiters.findIndex((waiter) => waiter.kind === message.kind);
    this.#waiters.splice(index, 1).forEach((waiter) => waiter.resolve(message));
  }

  #died(error: Error): void {
    if (this.#death !== null) return;
    this.#death = error;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
    // Under the text by which the driver tells a lost connection, whatever the thread died of.
    this.#socket?.destroy(
      new Error("Connection terminated: the embedded database's thread died", { cause: error }),
    );
    this.#socket = null;
  }
}

function sessionSql(): string {
  return Object.entries(sessionSettings)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ');
}
