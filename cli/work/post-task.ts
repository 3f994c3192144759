/**
 * A task as one POST to an endpoint of the user's, and its answer.
 *
 * P1 One connection a task, closed after it: one that was kept might be closed by the other side just as it is used, and
 *    the task would have failed for nothing.
 * P2 No redirect is followed: the task would go to an address that nobody named.
 * P3 No more of an answer is read than the limit.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { CappedBytes } from './output.ts';
import type { TaskInput } from './task-input.ts';

export interface PostOptions {
  readonly url: URL;
  readonly maxOutputBytes: number;
  /** Aborted: the answer is not waited for any longer. */
  readonly signal: AbortSignal;
}

export interface EndpointAnswer {
  readonly status: number;
  /** Lower case names; of a header that came twice the first. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null: it was longer than the limit. */
  readonly body: Uint8Array | null;
}

/** What a server takes of headers in all is 8 to 16 KiB, in those that are widely used. */
export const MAX_HEADERS_BYTES = 8_192;

const agents = { 'http:': new HttpAgent(), 'https:': new HttpsAgent() };

/**
 * Null: the task's headers are too large, nothing was sent.
 * @throws Error of the connection, or when the signal ended it.
 */
export async function postTask(task: TaskInput, options: PostOptions): Promise<EndpointAnswer | null> {
  const headers = taskHeaders(task);
  if (headers === null) return null;
  const { url, signal } = options;
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(url, {
      method: 'POST',
      headers,
      agent: url.protocol === 'https:' ? agents['https:'] : agents['http:'],
      signal,
    });
    request.once('response', resolve).on('error', reject);
    request.end(task.body);
  });
  return {
    status: response.statusCode ?? 0,
    headers: firstHeaders(response),
    body: await bodyOf(response, options.maxOutputBytes),
  };
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Uint8Array | null> {
  const body = new CappedBytes(maxBytes);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    // Leaving the loop closes the connection.
    if (!body.add(chunk)) return null;
  }
  return body.bytes;
}

function firstHeaders({ headersDistinct }: IncomingMessage): Readonly<Record<string, string>> {
  const first: Record<string, string> = {};
  for (const [name, values] of Object.entries(headersDistinct)) {
    const [value] = values ?? [];
    if (value !== undefined) first[name] = value;
  }
  return first;
}

/** As in the environment of a command: `sutra-headers` has all of the task's, in ASCII. */
function taskHeaders(task: TaskInput): Record<string, string> | null {
  const all = JSON.stringify(task.headers).replaceAll(/[^\x20-\x7e]/g, escaped);
  if (all.length > MAX_HEADERS_BYTES) return null;
  return {
    ...ownHeaders(task.headers),
    'content-type': task.contentType,
    'content-length': String(task.body.length),
    'idempotency-key': task.idempotencyKey,
    'sutra-headers': all,
    'sutra-task-id': task.id,
    'sutra-channel': task.channel,
    'sutra-instance-id': task.instanceId,
    'sutra-idempotency-key': task.idempotencyKey,
    'sutra-attempts': String(task.attempts),
    'sutra-retries': String(task.retries),
    ...(task.deadline === null ? {} : { 'sutra-deadline': task.deadline }),
  };
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Those that HTTP carries as they are, each as `sutra-header-<name>`. */
function ownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^(?! )[\x20-\x7e]*(?<! )$/.test(value)
        ? [[`sutra-header-${name.toLowerCase()}`, value]]
        : [],
    ),
  );
}
