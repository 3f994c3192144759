/** Whether the text of a q attribute is of its kind. */
import { parseDuration } from '../../config/iso8601.ts';
import { shown } from '../xml/shown.ts';
import type { QAttributeKind } from './q-elements.ts';

/** Longest name of a channel, variable, alias, parameter or header: what the tables of the engine index. */
export const MAX_NAME_LENGTH = 255;

const VARIABLE_NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const MEDIA_TYPE = /^[!#$&^_.+0-9A-Za-z-]+\/[!#$&^_.+0-9A-Za-z-]+(?:\s*;\s*[\w.-]+=(?:[\w.-]+|"[^"]*"))*$/;

/** Whether FEEL can name it without quoting: letters, digits and `_`, not starting with a digit. */
export function isVariableName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && VARIABLE_NAME.test(name);
}

/** What is wrong with a channel's name, or null. */
export function channelNameFault(name: string): string | null {
  if (name.length > MAX_NAME_LENGTH) {
    return `has ${name.length} characters, the limit is ${MAX_NAME_LENGTH}`;
  }
  return name !== '' && !/[\s\p{Cc}]/u.test(name) ? null : 'is no channel name: write one without spaces';
}

const CHECKS: Readonly<Record<QAttributeKind, (value: string) => string | null>> = {
  text: textFault,
  variable: (value) =>
    isVariableName(value) ? null : 'is no variable name: letters, digits and _, at most 255, no digit first',
  channel: channelNameFault,
  'header-name': (value) =>
    value.length <= MAX_NAME_LENGTH && HEADER_NAME.test(value) ? null : 'is no header name',
  'media-type': (value) =>
    value.length <= MAX_NAME_LENGTH && MEDIA_TYPE.test(value)
      ? null
      : 'is no media type: write it as application/json',
  boolean: (value) => (value === 'true' || value === 'false' ? null : 'is neither "true" nor "false"'),
  expression: (value) => (value.trim() === '' ? 'is blank: write a FEEL expression' : null),
  duration: (value) => {
    const duration = parseDuration(value);
    if (!duration.ok) {
      return duration.message;
    }
    return duration.ms > 0 ? null : 'must be longer than PT0S';
  },
  'positive-integer': (value) =>
    /^[1-9]\d{0,8}$/.test(value) ? null : 'is no whole number from 1 to 999999999',
  coefficient: (value) => (/^[1-9]\d{0,3}(?:\.\d{1,9})?$/.test(value) ? null : 'is no number from 1 to 9999'),
  'on-no-match': (value) => (value === 'error' || value === 'skip' ? null : 'is neither "error" nor "skip"'),
  binding: (value) => (value === 'caller' || value === 'latest' ? null : 'is neither "caller" nor "latest"'),
  'all-or-none': (value) => (value === 'all' || value === 'none' ? null : 'is neither "all" nor "none"'),
  'on-conflict': (value) =>
    value === 'reject' || value === 'correlate' ? null : 'is neither "reject" nor "correlate"',
  ack: (value) =>
    value === 'on-persist' || value === 'on-complete' ? null : 'is neither "on-persist" nor "on-complete"',
};

/** What is wrong with the value, as the rest of a sentence after the attribute's name, or null. */
export function valueFault(kind: QAttributeKind, value: string): string | null {
  const fault = CHECKS[kind](value);
  return fault === null || fault.startsWith(shown(value)) ? fault : `${shown(value)} ${fault}`;
}

function textFault(value: string): string | null {
  if (value.trim() === '') {
    return 'is blank';
  }
  return value.length > MAX_NAME_LENGTH
    ? `has ${value.length} characters, the limit is ${MAX_NAME_LENGTH}`
    : null;
}
