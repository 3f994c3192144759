/**
 * The cheapest HTTP client that is still honest: node:http with kept connections. What a client costs is
 * paid on the same two cores as the engine, so it must not hide the engine behind its own work.
 */
import { Agent, request } from 'node:http';

export class HttpClient {
  readonly #agent: Agent;
  readonly #host: string;
  readonly #port: number;

  constructor(baseUrl: string, maxSockets: number) {
    const url = new URL(baseUrl);
    this.#host = url.hostname;
    this.#port = Number(url.port);
    this.#agent = new Agent({ keepAlive: true, maxSockets });
  }

  post(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; text: string }> {
    return this.#send('POST', path, body, headers);
  }

  get(path: string): Promise<{ status: number; text: string }> {
    return this.#send('GET', path, null, {});
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(
    method: string,
    path: string,
    body: string | null,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: this.#host,
          port: this.#port,
          agent: this.#agent,
          method,
          path,
          headers:
            body === null
              ? headers
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
          });
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  }
}
