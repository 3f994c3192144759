/**
 * The outbound half of the HTTP channel: one POST a delivery.
 *
 * K1 `deliver` never throws for what a peer does, and is bounded by the relay's signal in time and by
 *    `maxPayloadBytes` in memory.
 * K2 No redirect is followed: a peer cannot send the engine, with its credentials, elsewhere.
 * K3 No text that leaves here (errors, log lines) holds a URL, a header value or a body.
 */
import type { Meter } from '../../engine/observe.ts';
import type { ChannelEndpoint, Delivery, DeliveryResult, NetworkSink } from '../../engine/transport.ts';
import { bindPeers, peerKey, type Peer } from './bindings.ts';
import type { ResolveSecret } from './credentials.ts';
import { answerHeaders, HeaderUnsendableError, outboundHeaders } from './headers.ts';

export interface HttpSinkOptions {
  readonly maxPayloadBytes: number;
  readonly meter: Meter;
  readonly resolveSecret: ResolveSecret;
  /** Default: the runtime's own. Scenarios answer for the peers. */
  readonly fetch?: typeof fetch;
}

/** Statuses below 500 that say "not now" rather than "never". */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

export class HttpSink implements NetworkSink {
  readonly kind = 'network';
  readonly #options: HttpSinkOptions;
  #peers: ReadonlyMap<string, Peer> = new Map();

  constructor(options: HttpSinkOptions) {
    this.#options = options;
  }

  bind(endpoints: readonly ChannelEndpoint[]): void {
    this.#peers = bindPeers(endpoints, this.#options.resolveSecret);
  }

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult> {
    const result = await this.#attempt(delivery, signal);
    this.#options.meter.add('sutra_http_channel_deliveries_total', 1, { result: result.kind });
    return result;
  }

  async #attempt(delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult> {
    const peer = this.#peers.get(peerKey(delivery.deploymentId, delivery.channel));
    if (peer === undefined) {
      return retry(`channel ${delivery.channel} has no URL bound by a live deployment here`);
    }
    if (peer.credentials.kind === 'unresolved') {
      return retry(`the secret behind the auth of channel ${delivery.channel} is not set`);
    }
    if (peer.url.username !== '' || peer.url.password !== '') {
      return refused('the URL of the channel carries credentials; declare them as auth');
    }
    try {
      const response = await dial(peer, delivery, signal, this.#options.fetch ?? fetch);
      return await this.#read(response, delivery);
    } catch (error) {
      if (error instanceof HeaderUnsendableError) return refused(error.message);
      return retry(signal.aborted ? 'the peer did not answer in time' : networkReason(error));
    }
  }

  async #read(response: Response, delivery: Delivery): Promise<DeliveryResult> {
    const { status } = response;
    if (status >= 200 && status < 300) {
      if (status !== 200 || !delivery.expectsAnswer) {
        await discard(response);
        return { kind: 'delivered' };
      }
      const { maxPayloadBytes } = this.#options;
      const body = await readBounded(response, maxPayloadBytes);
      if (body === null) return refused(`the answer of the peer exceeds ${String(maxPayloadBytes)} bytes`);
      if (body.byteLength === 0) return { kind: 'delivered' };
      return {
        kind: 'answered',
        contentType: response.headers.get('content-type'),
        headers: answerHeaders(response.headers),
        body,
      };
    }
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now());
    await discard(response);
    const error = `the peer answered ${String(status)}`;
    if (status >= 500 || RETRYABLE_STATUSES.has(status)) return { kind: 'retry', error, retryAfterMs };
    return refused(error);
  }
}

function retry(error: string): DeliveryResult {
  return { kind: 'retry', error, retryAfterMs: null };
}

function refused(error: string): DeliveryResult {
  return { kind: 'refused', error };
}

function dial(peer: Peer, delivery: Delivery, signal: AbortSignal, request: typeof fetch): Promise<Response> {
  const { credentials } = peer;
  const headers = new Headers();
  for (const [name, value] of outboundHeaders(delivery.headers, credentials.headerName))
    headers.set(name, value);
  headers.set('user-agent', 'sutra-engine');
  headers.set('content-type', delivery.contentType);
  headers.set('idempotency-key', delivery.idempotencyKey);
  if (credentials.kind !== 'none' && credentials.kind !== 'unresolved') {
    headers.set(credentials.headerName, credentials.headerValue);
  }
  return request(peer.url, {
    method: 'POST',
    headers,
    // The bytes of a delivery are never shared memory; a view on a pooled buffer is fine.
    body: new Uint8Array(delivery.body),
    redirect: 'manual',
    signal,
  });
}

/** Null when the body is longer than `maxBytes`; what was read of it is dropped. */
async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  if (response.body === null) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** An unread body would hold its connection. A failure to cancel changes nothing about the delivery. */
async function discard(response: Response): Promise<void> {
  try {
    await response.body?.cancel();
  } catch {
    return;
  }
}

/** The system's code of a failed dial (`ECONNREFUSED`), which names no address. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  for (const candidate of [cause, error]) {
    if (typeof candidate === 'object' && candidate !== null && 'code' in candidate) {
      if (typeof candidate.code === 'string') return `the peer could not be reached: ${candidate.code}`;
    }
  }
  return 'the peer could not be reached';
}

/** Seconds or an HTTP date (RFC 9110 §10.2.3), as milliseconds from `nowMs`; null for anything else. */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
