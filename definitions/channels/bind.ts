/**
 * Where a channel is bound: derived from the package's labels, or checked against them.
 *
 * | transport | bind                                  | derived                            |
 * |-----------|---------------------------------------|------------------------------------|
 * | http in   | `POST /path`                          | `POST /channels/<tenant>/<module>/<name>` |
 * | http out  | an `http(s)` URL                      | never                              |
 * | pull      | `pull://tenant/module/version/name`   | the same                           |
 * | local     | `local://tenant/module/version/name`  | the same                           |
 */
import { quoteText } from '../../config/quote-text.ts';
import type { ChannelDirection, PackageIdentity } from '../package-model.ts';

export const transports = ['http', 'pull', 'local'] as const;
export type TransportName = (typeof transports)[number];

export type BindResult =
  | { readonly ok: true; readonly bind: string; readonly direction: ChannelDirection }
  | { readonly ok: false; readonly fault: 'bind' | 'direction' | 'missing'; readonly message: string };

/** What the author wrote of a channel's address. */
export interface WrittenBind {
  readonly transport: TransportName;
  readonly name: string;
  readonly bind: string | undefined;
  readonly direction: ChannelDirection | undefined;
}

/** Unreserved characters and percent escapes (RFC 3986), so that paths compare as written. */
const PATH = /^(?:\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})+)+$/;
const MAX_BIND_LENGTH = 2_048;
/** The engine's own routes. */
const RESERVED_PREFIXES = ['/sutra', '/admin', '/metrics', '/openapi.json'];

/** The bind and direction that hold for a channel. */
export function resolveBind(written: WrittenBind, identity: PackageIdentity): BindResult {
  if (written.bind !== undefined && written.bind.length > MAX_BIND_LENGTH) {
    return refuse('bind', `the bind is longer than ${MAX_BIND_LENGTH} characters`);
  }
  return written.transport === 'http' ? resolveHttp(written, identity) : resolveInternal(written, identity);
}

function refuse(fault: 'bind' | 'direction' | 'missing', message: string): BindResult {
  return { ok: false, fault, message };
}

function resolveInternal(written: WrittenBind, identity: PackageIdentity): BindResult {
  const { transport, name, bind, direction = 'both' } = written;
  const labels = [identity.tenant, identity.module, identity.version];
  const derived = `${transport}://${[...labels, encodeURIComponent(name)].join('/')}`;
  const plain = `${transport}://${[...labels, name].join('/')}`;
  if (bind !== undefined && bind !== derived && bind !== plain) {
    return refuse(
      'bind',
      `the bind ${quoteText(bind)} does not match the package; it must be ${quoteText(derived)}`,
    );
  }
  if (transport === 'pull' && direction === 'inbound') {
    return refuse(
      'direction',
      'a pull channel cannot be inbound only: a worker answers what was sent; write both',
    );
  }
  return { ok: true, bind: derived, direction };
}

function resolveHttp(written: WrittenBind, identity: PackageIdentity): BindResult {
  const { name, bind, direction } = written;
  if (direction === 'both') {
    return refuse('direction', 'an http channel is inbound or outbound; declare two channels for both');
  }
  if (bind === undefined) {
    if (direction === 'outbound')
      return refuse('missing', 'an outbound http channel needs a URL as its bind');
    const path = ['channels', identity.tenant, identity.module, encodeURIComponent(name)].join('/');
    return { ok: true, bind: `POST /${path}`, direction: 'inbound' };
  }
  const isAddress = /^https?:/i.test(bind);
  const fault = isAddress ? urlFault(bind) : pathFault(bind);
  if (fault !== null) return refuse('bind', fault);
  const natural = isAddress ? 'outbound' : 'inbound';
  if (direction !== undefined && direction !== natural) {
    return refuse(
      'direction',
      `a channel bound to ${isAddress ? 'a URL' : 'a path'} is ${natural}, not ${direction}`,
    );
  }
  return { ok: true, bind, direction: natural };
}

/** Never shows the URL: it may carry a secret. */
function urlFault(bind: string): string | null {
  let url: URL;
  try {
    url = new URL(bind);
  } catch {
    return 'the bind is not a valid URL';
  }
  if (url.username !== '' || url.password !== '')
    return 'the bind holds credentials; use auth: with a reference';
  if (bind.includes('#')) return 'the bind holds a fragment (#…), which is never sent';
  return /\s/.test(bind) ? 'the bind holds white space' : null;
}

function pathFault(bind: string): string | null {
  const match = /^([A-Za-z]+) (\S+)$/.exec(bind);
  const [, method, path = ''] = match ?? [];
  if (match === null) return `the bind ${quoteText(bind)} must be POST and a path, or an http(s) URL`;
  if (method !== 'POST') return `the bind ${quoteText(bind)} must use POST; no other method is served`;
  if (!PATH.test(path) || path.split('/').some((segment) => segment === '.' || segment === '..')) {
    return `the path of the bind ${quoteText(bind)} must be plain segments such as /channels/orders`;
  }
  const reserved = RESERVED_PREFIXES.find((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  return reserved === undefined
    ? null
    : `the path of the bind ${quoteText(bind)} belongs to the engine (${reserved})`;
}
