/** Requests as no well-behaved client sends them: any bytes, any header that can be written at all. */
import { Agent, request } from 'node:http';

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** Without a length: in chunks. */
  readonly isChunked?: boolean;
}

export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export class RawClient {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  close(): void {
    this.#agent.destroy();
  }

  send({ method = 'POST', path, headers = {}, body, isChunked = false }: RawRequest): Promise<RawAnswer> {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes === undefined || isChunked ? {} : { 'content-length': String(bytes.length) };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}${path}`, {
        method,
        agent: this.#agent,
        headers: { ...length, ...headers },
      });
      sent.once('error', reject);
      sent.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const contentType = response.headers['content-type'] ?? '';
          const isJson = contentType.includes('json');
          resolve({
            status: response.statusCode ?? 0,
            contentType,
            body: (isJson ? JSON.parse(text) : { text }) as RawAnswer['body'],
          });
        });
      });
      if (bytes !== undefined) sent.write(bytes);
      sent.end();
    });
  }
}
