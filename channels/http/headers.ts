/** Which headers cross the boundary between HTTP and a message, in each direction. */
import type { IncomingHttpHeaders } from 'node:http';

/** Of the connection, not of the message. RFC 9110 §7.6.1. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Of this one request: how it was framed and where it was sent. */
const FRAMING: ReadonlySet<string> = new Set(['host', 'content-length', 'expect', 'content-encoding']);

/** Proof of who the sender is; it must not become data that a process stores and sends on. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'set-cookie']);

/** Stamped by the engine alone; from outside they have no effect. */
const RESERVED_PREFIX = 'sutra-park-';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
/** What a header value may hold: visible ASCII, Latin-1, space and tab. Never CR, LF or NUL. */
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** A header that cannot go on the wire as it is. */
export class HeaderUnsendableError extends Error {
  override readonly name = 'HeaderUnsendableError';
}

function isDropped(name: string): boolean {
  return (
    HOP_BY_HOP.has(name) || FRAMING.has(name) || CREDENTIALS.has(name) || name.startsWith(RESERVED_PREFIX)
  );
}

/** The headers of a message that came in: names in lower case, one string each. */
export function inboundHeaders(
  headers: IncomingHttpHeaders,
  credentialHeader: string | null,
): Readonly<Record<string, string>> {
  const named = namedByConnection(headers.connection);
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || isDropped(name) || named.has(name) || name === credentialHeader)
      continue;
    kept.push([name, value]);
  }
  // fromEntries defines own properties, so a header called __proto__ is a header like any other.
  return Object.fromEntries(kept);
}

function namedByConnection(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined) return new Set();
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/** Headers of an answer that came back from a peer, for the message that re-enters. */
export function answerHeaders(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => !isDropped(name)));
}

/** Author's headers that may not go out: the channel sets them itself. */
const SET_BY_CHANNEL: ReadonlySet<string> = new Set(['content-type', 'idempotency-key', 'user-agent']);

/**
 * The author's headers of a delivery, without those that the channel sets.
 * @throws HeaderUnsendableError naming the header whose name or value HTTP cannot carry.
 */
export function outboundHeaders(
  headers: Readonly<Record<string, string>>,
  credentialHeader: string | null,
): readonly (readonly [string, string])[] {
  const kept: (readonly [string, string])[] = [];
  for (const [given, value] of Object.entries(headers)) {
    if (!TOKEN.test(given)) {
      throw new HeaderUnsendableError(`${JSON.stringify(given.slice(0, 60))} is not a header name`);
    }
    const name = given.toLowerCase();
    if (HOP_BY_HOP.has(name) || FRAMING.has(name) || name.startsWith(RESERVED_PREFIX)) continue;
    if (SET_BY_CHANNEL.has(name) || name === credentialHeader) continue;
    if (!VALUE.test(value)) {
      throw new HeaderUnsendableError(`the value of header ${name} has characters that HTTP cannot carry`);
    }
    kept.push([name, value]);
  }
  return kept;
}

/** Headers of our answers that a reply of the model must not take over. */
const SET_BY_SERVER: ReadonlySet<string> = new Set([
  'content-type',
  'date',
  'x-content-type-options',
  'sutra-duplicate',
  'sutra-instance-id',
]);

/** The type of a reply, or plain bytes when it has characters that a header cannot carry. */
export function replyContentType(contentType: string): string {
  return contentType !== '' && VALUE.test(contentType) ? contentType : 'application/octet-stream';
}

/** The model's headers for the answer to a held request; what cannot be sent is left out. */
export function replyHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: [string, string][] = [];
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (!TOKEN.test(name) || !VALUE.test(value)) continue;
    if (HOP_BY_HOP.has(name) || FRAMING.has(name) || SET_BY_SERVER.has(name)) continue;
    if (name.startsWith(RESERVED_PREFIX)) continue;
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}
