/**
 * The inbound half of the HTTP channel: a request on a bound path becomes a delivery, and its outcome
 * becomes an answer. It knows paths and headers, and nothing of the server that reads and writes them.
 *
 * H1 Order: channel known, authenticated, room for it, body within the cap, delivered. What is refused early reads no
 *    body, so that an overloaded engine spends little on saying so.
 * H2 Credentials are compared in constant time, and never reach the delivery, a log or an answer.
 * H3 A channel whose secret cannot be resolved lets nobody in.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { EngineError } from '../../config/engine-error.ts';
import type { Meter } from '../../engine/observe.ts';
import type {
  ChannelEndpoint,
  InboundOutcome,
  InboundPort,
  InstanceOutcome,
} from '../../engine/transport.ts';
import { bindPaths, type PathBinding } from './bindings.ts';
import { checkCredentials, type ResolveSecret } from './credentials.ts';
import { inboundHeaders, replyContentType, replyHeaders } from './headers.ts';

/** What the server found under a path: hand it back to `handle`. */
export interface HttpIntakeMatch {
  /** The methods that the path takes, for `Allow`. */
  readonly methods: readonly string[];
  readonly binding: PathBinding;
}

export interface HttpIntakeRequest {
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the sender hangs up. */
  readonly disconnected: AbortSignal;
  /** The body, refused with the server's own code when it has more than `maxBytes`. */
  readonly readBody: (maxBytes: number) => Promise<Uint8Array>;
}

export type HttpIntakeAnswer =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly value: Readonly<Record<string, unknown>>;
      readonly headers: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly contentType: string;
      readonly body: Uint8Array;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** `code` may be one that the author's model throws: no table has to hold it. */
  | {
      readonly kind: 'problem';
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly attributes: Readonly<Record<string, unknown>>;
    };

export interface HttpIntake {
  /** Null: no live channel is bound to this path. */
  match(path: string): HttpIntakeMatch | null;
  /** @throws EngineError with the code of the refusal; nothing was kept then. */
  handle(match: HttpIntakeMatch, request: HttpIntakeRequest): Promise<HttpIntakeAnswer>;
}

export interface HttpIntakeOptions {
  readonly inbound: InboundPort;
  /** Asked before a body is read. Default: all are let in. @throws EngineError when a message would not be taken now */
  readonly admit?: () => void;
  /** How long an on-complete request is held: `sutra.http.max-hold`. */
  readonly maxHoldMs: number;
  /** The cap of every channel; one may declare a smaller one. */
  readonly maxPayloadBytes: number;
  readonly meter: Meter;
  readonly resolveSecret: ResolveSecret;
}

export class BoundHttpIntake implements HttpIntake {
  readonly #options: HttpIntakeOptions;
  #bindings: ReadonlyMap<string, PathBinding> = new Map();

  constructor(options: HttpIntakeOptions) {
    this.#options = options;
  }

  /** Replaces all bindings at once: a request sees the old set or the new one. */
  bind(endpoints: readonly ChannelEndpoint[]): void {
    this.#bindings = bindPaths(endpoints, this.#options.resolveSecret);
  }

  match(path: string): HttpIntakeMatch | null {
    const binding = this.#bindings.get(path);
    return binding === undefined ? null : { methods: ['POST'], binding };
  }

  async handle(match: HttpIntakeMatch, request: HttpIntakeRequest): Promise<HttpIntakeAnswer> {
    const { binding } = match;
    if (binding.kind === 'ambiguous') {
      throw new EngineError(
        'SUTRA.HTTP_CHANNEL.PATH_AMBIGUOUS',
        `several modules are bound to ${binding.path}; the message was not taken`,
        { attributes: { path: binding.path, channels: binding.channels } },
      );
    }
    const { endpoint } = binding;
    checkCredentials(binding.credentials, request.headers);
    this.#options.admit?.();
    const capBytes = Math.min(endpoint.payloadCapBytes ?? Infinity, this.#options.maxPayloadBytes);
    const body = await request.readBody(capBytes);
    const outcome = await this.#options.inbound.deliver({
      tenant: endpoint.tenant,
      module: endpoint.module,
      channel: endpoint.name,
      headers: inboundHeaders(request.headers, binding.credentials.headerName),
      contentType: request.headers['content-type'] ?? null,
      body,
    });
    this.#options.meter.add('sutra_http_channel_messages_total', 1, {
      result: outcome.isDuplicate ? 'duplicate' : 'accepted',
    });
    if (outcome.ackMode === 'on-persist') return persisted(outcome);
    const settled = await outcome.settled(this.#options.maxHoldMs, request.disconnected);
    return settledAnswer(outcome, settled);
  }
}

function persisted(outcome: InboundOutcome): HttpIntakeAnswer {
  const { instanceId, isDuplicate } = outcome;
  return { kind: 'json', status: 202, value: { instanceId, duplicate: isDuplicate }, headers: {} };
}

function settledAnswer(outcome: InboundOutcome, settled: InstanceOutcome): HttpIntakeAnswer {
  const { instanceId, isDuplicate } = outcome;
  const marks: Record<string, string> = isDuplicate ? { 'sutra-duplicate': 'true' } : {};
  switch (settled.kind) {
    case 'replied':
      // The body is the author's: the mark of a duplicate can only be a header.
      return {
        kind: 'reply',
        status: 200,
        contentType: replyContentType(settled.contentType),
        body: settled.body,
        headers: { ...replyHeaders(settled.headers), ...marks, 'sutra-instance-id': instanceId },
      };
    case 'ended':
      return {
        kind: 'json',
        status: 200,
        value: { instanceId, status: settled.status, duplicate: isDuplicate },
        headers: marks,
      };
    case 'failed':
      return {
        kind: 'problem',
        status: 422,
        code: settled.code,
        detail: settled.message,
        attributes: { instanceId, duplicate: isDuplicate },
      };
    case 'running': {
      const statusUrl = `/sutra/instances/${instanceId}`;
      return {
        kind: 'json',
        status: 202,
        value: { instanceId, status: 'running', statusUrl, duplicate: isDuplicate },
        headers: { ...marks, location: statusUrl },
      };
    }
  }
}
