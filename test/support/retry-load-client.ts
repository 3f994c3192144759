/** An HTTP client of an engine that is killed: no answer is an answer too, and whoever needs a real one insists. */
import { setMaxListeners } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { pause } from './fault-load.ts';

export interface Answer {
  /** 0: there was none. What the server did is unknown. */
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

type Method = 'GET' | 'POST';
type Headers = Readonly<Record<string, string>>;

/** How long the server may be silent. */
const SILENCE_MS = 20_000;
const LONGEST_PAUSE_MS = 400;
/** Longer than several starts of an engine on a busy machine: after that something is wrong. */
const LONGEST_PATIENCE_MS = 150_000;
const NO_ANSWER: Answer = { status: 0, body: {} };

export class RetryLoadClient {
  readonly #url: string;
  readonly #abandoned = new AbortController();
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = url;
    // Each request under way listens to it.
    setMaxListeners(0, this.#abandoned.signal);
  }

  /** Ends everything that is under way: who waits for an answer is left alone, so that no other failure is seen. */
  close(): void {
    this.#abandoned.abort();
    this.#agent.destroy();
  }

  async get(path: string): Promise<Answer['body']> {
    const { answer } = await this.insist('GET', path);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  }

  post(path: string, body: unknown, headers: Headers = {}): Promise<Answer> {
    return this.#try('POST', path, body, headers);
  }

  /** Repeats until there is an answer that says more than "not now". `lost`: how many calls had none at all. */
  async insist(
    method: Method,
    path: string,
    body: unknown = null,
    headers: Headers = {},
  ): Promise<{ readonly answer: Answer; readonly lost: number }> {
    let pauseMs = 25;
    let lost = 0;
    for (const until = performance.now() + LONGEST_PATIENCE_MS; ;) {
      const answer = await this.#try(method, path, body, headers);
      if (this.#abandoned.signal.aborted) await never();
      const isNotNow = [0, 429, 503].includes(answer.status) || isWelcomeLater(answer);
      if (!isNotNow) return { answer, lost };
      if (performance.now() > until)
        throw new Error(`${method} ${path} gets no more than ${JSON.stringify(answer)}`);
      if (answer.status === 0) lost += 1;
      await pause(pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  async #try(method: Method, path: string, body: unknown, headers: Headers): Promise<Answer> {
    try {
      return await this.#send(method, path, body, headers);
    } catch {
      return NO_ANSWER;
    }
  }

  async #send(method: Method, path: string, body: unknown, headers: Headers): Promise<Answer> {
    const payload = method === 'GET' ? null : JSON.stringify(body);
    const sent = request(`${this.#url}${path}`, {
      agent: this.#agent,
      method,
      headers:
        payload === null
          ? headers
          : {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(payload),
              ...headers,
            },
      signal: this.#abandoned.signal,
      timeout: SILENCE_MS,
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer in time')));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject);
      sent.end(payload);
    });
    const parsed: unknown = JSON.parse(await text(response));
    if (typeof parsed !== 'object' || parsed === null) throw new Error('not an object');
    return { status: response.statusCode ?? 0, body: { ...parsed } };
  }
}

/** A refused completion may say that the same result is welcome later; but nobody repairs instances here. */
function isWelcomeLater({ body: { code, attributes } }: Answer): boolean {
  if (typeof attributes !== 'object' || attributes === null) return false;
  const cause = 'causeCode' in attributes ? attributes.causeCode : code;
  const isRetryable = 'retryable' in attributes && attributes.retryable === true;
  return isRetryable && cause !== 'SUTRA.INBOUND.INSTANCE_FAILED';
}

function never(): Promise<never> {
  return new Promise(() => {});
}
