/**
 * `auth:` of a channel: how it proves who calls. Secrets are references; nothing under `auth` is ever
 * repeated in a message.
 */
import type { ChannelAuth } from '../package-model.ts';
import type { YamlEntry } from '../yaml-reader.ts';

const authKeys = ['kind', 'reference', 'name'] as const;
const authKinds = ['bearer', 'basic', 'api-key'] as const satisfies readonly ChannelAuth['kind'][];
const REFERENCE = /^(?:env|secret):[A-Za-z_][A-Za-z0-9_.-]{0,199}$/;
/** A header field name (RFC 9110). */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/** Null when there is none, or when it is wrong, which is noted. */
export function readAuth(channel: YamlEntry): ChannelAuth | null {
  const entry = channel.entry('auth', 'auth');
  if (entry === undefined) return null;
  entry.refuseUnknownKeys(authKeys);
  for (const key of ['kind', 'reference']) if (!entry.has(key)) entry.missing(key);
  const kind = entry.choice('kind', authKinds, false);
  const reference = entry.text('reference');
  if (reference !== undefined && !REFERENCE.test(reference)) {
    const message =
      'reference of auth must be env:NAME or secret:NAME; a secret itself is never written here';
    entry.error('SUTRA.CHANNELS.SECRET_LITERAL', message, 'reference');
    return null;
  }
  const name = readName(entry, kind);
  return kind === undefined || reference === undefined ? null : { kind, reference, name };
}

function readName(entry: YamlEntry, kind: ChannelAuth['kind'] | undefined): string | null {
  const name = entry.text('name');
  if (kind === undefined) return null;
  if (kind === 'bearer') {
    if (entry.has('name')) {
      entry.error('SUTRA.CHANNELS.KEY_NOT_APPLICABLE', 'name of auth is for basic and api-key', 'name');
    }
    return null;
  }
  if (!entry.has('name')) entry.missing('name');
  if (name === undefined) return null;
  const isRight = kind === 'api-key' ? HEADER_NAME.test(name) : /^[^\p{Cc}:]{1,200}$/u.test(name);
  if (isRight) return name;
  const message =
    kind === 'api-key'
      ? 'name of auth must be a header name'
      : 'name of auth must be a user name without ":"';
  entry.error('SUTRA.CHANNELS.VALUE_INVALID', message, 'name');
  return null;
}
