/** How a sender proves to an inbound channel who it is, and how an outbound channel does to its peer. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { EngineError } from '../../config/engine-error.ts';
import type { ChannelEndpoint } from '../../engine/transport.ts';

/** The secret behind `env:NAME` or `secret:NAME`. Null, or a throw: there is none. */
export type ResolveSecret = (reference: string) => string | null;

/** The header of an `api-key` channel that names none. */
const DEFAULT_KEY_HEADER = 'x-api-key';

export type Credentials =
  | { readonly kind: 'none'; readonly headerName: null }
  /** Its secret is not set: nobody is let in, nothing is dialled. */
  | { readonly kind: 'unresolved'; readonly headerName: string }
  | {
      readonly kind: 'bearer' | 'basic' | 'api-key';
      /** In lower case. */
      readonly headerName: string;
      /** The whole value of the header as it is on the wire: UTF-8, one character a byte. */
      readonly headerValue: string;
    };

export function resolveCredentials(auth: ChannelEndpoint['auth'], resolveSecret: ResolveSecret): Credentials {
  if (auth === null) return { kind: 'none', headerName: null };
  const headerName =
    auth.kind === 'api-key' ? (auth.name ?? DEFAULT_KEY_HEADER).toLowerCase() : 'authorization';
  const secret = secretOf(auth.reference, resolveSecret);
  if (secret === null) return { kind: 'unresolved', headerName };
  switch (auth.kind) {
    case 'bearer':
      return { kind: 'bearer', headerName, headerValue: wireText(`Bearer ${secret}`) };
    case 'basic': {
      const encoded = Buffer.from(`${auth.name ?? ''}:${secret}`, 'utf8').toString('base64');
      return { kind: 'basic', headerName, headerValue: `Basic ${encoded}` };
    }
    case 'api-key':
      return { kind: 'api-key', headerName, headerValue: wireText(secret) };
  }
}

function secretOf(reference: string, resolveSecret: ResolveSecret): string | null {
  try {
    const secret = resolveSecret(reference);
    // Empty, or nothing that a header can carry: as good as not set.
    return secret === null || secret === '' || /\p{Cc}/u.test(secret) ? null : secret;
  } catch {
    return null;
  }
}

/** Node and fetch read and write header values as Latin-1. */
function wireText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** @throws EngineError SUTRA.HTTP_CHANNEL.CREDENTIALS_REQUIRED, CREDENTIALS_INVALID, AUTH_UNRESOLVED. */
export function checkCredentials(credentials: Credentials, headers: IncomingHttpHeaders): void {
  if (credentials.kind === 'none') return;
  if (credentials.kind === 'unresolved') {
    throw new EngineError(
      'SUTRA.HTTP_CHANNEL.AUTH_UNRESOLVED',
      'the channel declares auth, but the secret that it refers to is not set',
    );
  }
  const attributes = { scheme: credentials.kind };
  const given = headers[credentials.headerName];
  if (typeof given !== 'string' || given === '') {
    throw new EngineError(
      'SUTRA.HTTP_CHANNEL.CREDENTIALS_REQUIRED',
      `the channel needs ${credentials.kind} credentials in the header ${credentials.headerName}`,
      { attributes },
    );
  }
  if (!equalsInConstantTime(normalised(given, credentials.kind), credentials.headerValue)) {
    throw new EngineError(
      'SUTRA.HTTP_CHANNEL.CREDENTIALS_INVALID',
      `the ${credentials.kind} credentials in the header ${credentials.headerName} are not those of the channel`,
      { attributes },
    );
  }
}

/** The scheme's name is case-insensitive, the credentials are not. RFC 9110 §11.1. */
function normalised(given: string, kind: 'bearer' | 'basic' | 'api-key'): string {
  if (kind === 'api-key') return given;
  const scheme = kind === 'bearer' ? 'Bearer' : 'Basic';
  const match = /^(\S+) +(\S.*)$/.exec(given);
  if (match?.[1]?.toLowerCase() !== scheme.toLowerCase()) return given;
  return `${scheme} ${match[2] ?? ''}`;
}

/** Digests first: the comparison then takes as long whatever the lengths are. */
function equalsInConstantTime(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
