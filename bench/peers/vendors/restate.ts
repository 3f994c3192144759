/**
 * Restate. A unit: a call of a handler with one durable step (`ctx.run`), over the HTTP ingress of its server, which keeps
 * the invocation, the step and the result in its log (RocksDB, its write-ahead log synced: `rocksdb-disable-wal-fsync` is
 * false by default), and the finished invocation for a day (`default-journal-retention`). The server gathers records
 * of invocations that run side by side into one sync.
 */
import { randomUUID } from 'node:crypto';
import type { Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http2';
import * as restate from '@restatedev/restate-sdk';
import * as clients from '@restatedev/restate-sdk-clients';
import { HttpClient } from '../../http-client.ts';
import type { Adapter, AdapterEvents, AdapterOptions } from '../adapter.ts';
import { order, orderText, outcome, type Order } from '../unit.ts';

const NAME = 'unit';

/** The one thing of Node 22 that this SDK uses. */
function withResolvers<Value>(): unknown {
  let settle: readonly unknown[] = [];
  const promise = new Promise<Value>((...functions) => (settle = functions));
  return { promise, resolve: settle[0], reject: settle[1] };
}
if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers });

const onlyErrors: restate.LoggerTransport = ({ level }, message: unknown) => {
  if (level.toString() === 'error') process.stderr.write(`restate: ${String(message)}\n`);
};

export function makeAdapter(options: AdapterOptions, events: AdapterEvents): Adapter {
  return new RestateAdapter(options, events);
}

class RestateAdapter implements Adapter {
  readonly #options: AdapterOptions;
  readonly #events: AdapterEvents;
  readonly #isWorkflow: boolean;
  readonly #ingress: clients.Ingress | null;
  readonly #http: HttpClient;
  #endpoint: Http2Server | null = null;
  #oneWay = 0;

  constructor(options: AdapterOptions, events: AdapterEvents) {
    this.#options = options;
    this.#events = events;
    this.#isWorkflow = options.settings['kind'] === 'workflow';
    this.#ingress = options.settings['client'] === 'sdk' ? clients.connect({ url: options.url }) : null;
    this.#http = new HttpClient(options.url, Math.max(1, options.senders));
  }

  async start(): Promise<void> {
    if (this.#options.role === 'send') return;
    const handle = async (ctx: restate.Context): Promise<typeof outcome> => {
      const result = await ctx.run('score', () => {
        this.#events.begun();
        return outcome;
      });
      if (this.#oneWay > 0) {
        this.#oneWay -= 1;
        this.#events.recorded(1);
      }
      return result;
    };
    const run = async (ctx: restate.Context, _order: Order): Promise<typeof outcome> => handle(ctx);
    const definition = this.#isWorkflow
      ? restate.workflow({ name: NAME, handlers: { run } })
      : restate.service({ name: NAME, handlers: { run } });
    const server = createServer(
      restate.createEndpointHandler({ services: [definition], logger: onlyErrors }),
    );
    this.#endpoint = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await this.#register((server.address() as AddressInfo).port);
  }

  async send(): Promise<void> {
    if (this.#ingress === null) await this.#post(`/${NAME}${this.#key()}/run`);
    else {
      const key = this.#isWorkflow ? { key: randomUUID() } : {};
      const input = { input: restate.serde.json as restate.Serde<Order>, output: restate.serde.json };
      await this.#ingress.call({
        service: NAME,
        handler: 'run',
        parameter: order,
        ...key,
        opts: clients.Opts.from(input as never),
      });
    }
    this.#events.recorded(1);
  }

  async sendOneWay(): Promise<void> {
    this.#oneWay += 1;
    await this.#post(`/${NAME}${this.#key()}/run/send`);
  }

  async stop(): Promise<void> {
    this.#http.close();
    const server = this.#endpoint;
    if (server === null) return;
    // The Restate server keeps its connection for as long as it lives; this process ends now.
    server.close();
  }

  #key(): string {
    return this.#isWorkflow ? `/${randomUUID()}` : '';
  }

  async #post(path: string): Promise<void> {
    const answer = await this.#http.post(path, orderText);
    if (answer.status >= 300) throw new Error(`Restate answered ${String(answer.status)}: ${answer.text}`);
  }

  async #register(port: number): Promise<void> {
    const answer = await fetch(`${this.#options.adminUrl}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: `http://127.0.0.1:${String(port)}`, force: true }),
    });
    if (!answer.ok)
      throw new Error(`the deployment was answered ${String(answer.status)}: ${await answer.text()}`);
  }
}
