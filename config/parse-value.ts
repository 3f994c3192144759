/** From the text of a setting, wherever it was written, to its value; or the reason why not. */
import { formatDuration, parseDuration } from './iso8601.ts';
import { quoteText } from './quote-text.ts';
import type { SettingRow } from './schema.ts';

/** `shown` is the canonical text, with any password hidden. */
export type ParsedValue =
  | { readonly ok: true; readonly value: string | number | boolean; readonly shown: string }
  | { readonly ok: false; readonly message: string };

/** Parses and checks bounds. A message never quotes what may hold a secret. */
export function parseValue(row: SettingRow, text: string): ParsedValue {
  if (text === '') {
    return refuse('is empty: give it a value or remove it to take the default');
  }
  if (/\p{Cc}/u.test(text)) {
    return refuse('holds a control character');
  }
  switch (row.kind) {
    case 'integer':
      return parseInteger(row, text);
    case 'duration':
      return parseBoundedDuration(row, text);
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { ok: true, value: text === 'true', shown: text }
        : refuse(`must be true or false, not ${quoteText(text)}`);
    case 'host':
      return /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/.test(text)
        ? { ok: true, value: text, shown: text }
        : refuse(`must be a host name or an IP address without a port, not ${quoteText(text)}`);
    case 'path':
      return text.trim() === text && text.length <= 4096
        ? { ok: true, value: text, shown: text }
        : refuse(
            `must be a path of at most 4096 characters without spaces around it, not ${quoteText(text)}`,
          );
    case 'database-url':
      return parseDatabaseUrl(text);
    case 'secret-reference':
      return /^(?:env|secret):/.test(text)
        ? { ok: true, value: text, shown: text }
        : refuse('must be a reference, env:NAME or secret:NAME, never the secret itself');
  }
}

function parseInteger(row: SettingRow & { readonly kind: 'integer' }, text: string): ParsedValue {
  const value = /^-?(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(value)) {
    return refuse(
      `must be a whole number from ${row.min} to ${row.max} in plain digits, not ${quoteText(text)}`,
    );
  }
  return value >= row.min && value <= row.max
    ? { ok: true, value, shown: text }
    : refuse(`must be from ${row.min} to ${row.max}, not ${text}`);
}

function parseBoundedDuration(row: SettingRow & { readonly kind: 'duration' }, text: string): ParsedValue {
  const duration = parseDuration(text);
  if (!duration.ok) {
    return refuse(`must be an ISO-8601 duration: ${duration.message}`);
  }
  if (duration.ms < row.minMs) {
    // The only lower bounds are zero, which every duration meets, and one millisecond.
    return refuse(`must be longer than PT0S, not ${text}`);
  }
  return duration.ms <= row.maxMs
    ? { ok: true, value: duration.ms, shown: formatDuration(duration.ms) }
    : refuse(`must be at most ${formatDuration(row.maxMs)}, not ${text}`);
}

const PASSWORD_PARAMETERS = ['password', 'sslpassword'];

function parseDatabaseUrl(text: string): ParsedValue {
  const wrong = refuse(
    'must be a URL as postgres://user:password@host:5432/name or postgresql://… (not shown: it may hold a password)',
  );
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text)) {
    return wrong;
  }
  const url = new URL(text);
  if (url.password !== '') {
    url.password = '***';
  }
  for (const name of PASSWORD_PARAMETERS) {
    if (url.searchParams.has(name)) {
      url.searchParams.set(name, '***');
    }
  }
  return { ok: true, value: text, shown: url.href };
}

function refuse(message: string): ParsedValue {
  return { ok: false, message };
}
