/** A relay between an engine and its PostgreSQL server that a test can cut, refuse or freeze. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #mode: 'forward' | 'refuse' | 'freeze' = 'forward';
  /** Called with what an engine sends, before it is forwarded; false swallows it. */
  intercept: (bytes: Buffer) => boolean = () => true;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(targetUrl: string): Promise<{ proxy: TcpProxy; url: string }> {
    const target = new URL(targetUrl);
    const server = createServer((inner) => proxy.#accept(inner, target));
    const proxy = new TcpProxy(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(targetUrl);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return { proxy, url: url.href };
  }

  /** Resets every connection, as a server that dies does; later ones are forwarded. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Cuts, and lets nobody in until `restore`. */
  takeDown(): void {
    this.#mode = 'refuse';
    this.cut();
  }

  /** Keeps connections open and forwards nothing, as a network that drops packets does. */
  freeze(): void {
    this.#mode = 'freeze';
  }

  restore(): void {
    this.#mode = 'forward';
  }

  get connectionCount(): number {
    return this.#sockets.size / 2;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(inner: Socket, target: URL): void {
    if (this.#mode === 'refuse') {
      inner.resetAndDestroy();
      return;
    }
    const outer = connect(Number(target.port), target.hostname);
    this.#join(inner, outer, (bytes) => this.intercept(bytes));
    this.#join(outer, inner, () => true);
  }

  #join(from: Socket, to: Socket, pass: (bytes: Buffer) => boolean): void {
    this.#sockets.add(from);
    from.on('data', (bytes) => {
      if (this.#mode !== 'freeze' && pass(bytes)) to.write(bytes);
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
