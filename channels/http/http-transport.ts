/** The HTTP transport: requests on bound paths come in, deliveries to bound URLs go out. */
import type { Log, Meter } from '../../engine/observe.ts';
import type { ChannelEndpoint, InboundPort, Transport } from '../../engine/transport.ts';
import type { ResolveSecret } from './credentials.ts';
import { resolveCredentials } from './credentials.ts';
import { BoundHttpIntake, type HttpIntake } from './intake.ts';
import { HttpSink } from './sink.ts';

export interface HttpTransportOptions {
  readonly inbound: InboundPort;
  /** As `HttpIntakeOptions.admit`. */
  readonly admit?: () => void;
  readonly maxHoldMs: number;
  readonly maxPayloadBytes: number;
  readonly log: Log;
  readonly meter: Meter;
  readonly resolveSecret: ResolveSecret;
  /** How peers are dialled. Default: the runtime's own. */
  readonly fetch?: typeof fetch;
}

export interface HttpTransport {
  /** For the engine: binds channels and takes deliveries. */
  readonly transport: Transport;
  /** For the server: answers requests on bound paths. */
  readonly intake: HttpIntake;
}

export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const intake = new BoundHttpIntake(options);
  const sink = new HttpSink(options);
  const bind = (endpoints: readonly ChannelEndpoint[]): void => {
    for (const endpoint of endpoints) reportUnresolved(endpoint, options);
    intake.bind(endpoints);
    sink.bind(endpoints);
  };
  return { transport: { name: 'http', sink, bind }, intake };
}

function reportUnresolved(endpoint: ChannelEndpoint, options: HttpTransportOptions): void {
  if (resolveCredentials(endpoint.auth, options.resolveSecret).kind !== 'unresolved') return;
  options.log.error('http-channel.secret-unresolved', {
    deploymentId: endpoint.deploymentId,
    channel: endpoint.name,
    reference: endpoint.auth?.reference,
  });
}
