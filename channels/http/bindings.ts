/** Which channel a path or a delivery belongs to, computed once for each set of live deployments. */
import type { ChannelEndpoint } from '../../engine/transport.ts';
import { resolveCredentials, type Credentials, type ResolveSecret } from './credentials.ts';

export type PathBinding =
  | {
      readonly kind: 'channel';
      readonly path: string;
      readonly endpoint: ChannelEndpoint;
      readonly credentials: Credentials;
    }
  /** Modules that were deployed at the same time on two replicas can still meet on one path. */
  | { readonly kind: 'ambiguous'; readonly path: string; readonly channels: readonly string[] };

const PATH_BIND = /^POST +(\/\S*)$/;

/** The path of an inbound bind (`POST /channels/orders`), or null for any other bind. */
export function inboundPathOf(bind: string): string | null {
  return PATH_BIND.exec(bind.trim())?.[1] ?? null;
}

/**
 * Inbound endpoints by path. `endpoints` come in order of preference (active before draining, newer before
 * older), so that the first of a module on a path decides its auth, cap and acknowledgement.
 */
export function bindPaths(
  endpoints: readonly ChannelEndpoint[],
  resolveSecret: ResolveSecret,
): ReadonlyMap<string, PathBinding> {
  const byPath = new Map<string, ChannelEndpoint[]>();
  for (const endpoint of endpoints) {
    const path = inboundPathOf(endpoint.bind);
    if (path === null || endpoint.direction === 'outbound') continue;
    const others = byPath.get(path) ?? [];
    const isOlder = others.some(
      (other) => other.tenant === endpoint.tenant && other.module === endpoint.module,
    );
    if (!isOlder) byPath.set(path, [...others, endpoint]);
  }
  const bindings = new Map<string, PathBinding>();
  for (const [path, [endpoint, ...others]] of byPath) {
    if (endpoint === undefined) continue;
    bindings.set(
      path,
      others.length === 0
        ? { kind: 'channel', path, endpoint, credentials: resolveCredentials(endpoint.auth, resolveSecret) }
        : { kind: 'ambiguous', path, channels: [endpoint, ...others].map(qualifiedName) },
    );
  }
  return bindings;
}

function qualifiedName(endpoint: ChannelEndpoint): string {
  return `${endpoint.tenant}/${endpoint.module}/${endpoint.name}`;
}

/** Where an outbound channel's deliveries go. */
export interface Peer {
  readonly url: URL;
  readonly credentials: Credentials;
}

/** By deployment and channel: two versions of a module may dial different peers. */
export function bindPeers(
  endpoints: readonly ChannelEndpoint[],
  resolveSecret: ResolveSecret,
): ReadonlyMap<string, Peer> {
  const peers = new Map<string, Peer>();
  for (const endpoint of endpoints) {
    if (endpoint.direction === 'inbound' || !URL.canParse(endpoint.bind)) continue;
    const url = new URL(endpoint.bind);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') continue;
    peers.set(peerKey(endpoint.deploymentId, endpoint.name), {
      url,
      credentials: resolveCredentials(endpoint.auth, resolveSecret),
    });
  }
  return peers;
}

export function peerKey(deploymentId: string, channel: string): string {
  return `${deploymentId}/${channel}`;
}
