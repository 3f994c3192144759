/** Messages in a flow: where they come from, under which keys, what is sent and what is answered. */
import { joined, type Written } from '../../written.ts';
import type { FlowAlias, FlowMessage, FlowReply, FlowRetry, FlowSource } from '../flow.ts';
import {
  entriesOf,
  form,
  list,
  mapped,
  optional,
  pairs,
  required,
  shortOr,
  type FieldValues,
} from './forms.ts';
import {
  channel,
  choice,
  code,
  coefficient,
  duration,
  expression,
  flag,
  headerName,
  mediaType,
  name,
  named,
  positiveInteger,
  variable,
  type Kind,
} from './kinds.ts';

const headers = named('headers', pairs('a mapping of headers to FEEL expressions', headerName));

interface AliasSettings {
  readonly expression: Written;
  readonly message: Written | null;
  readonly unique: boolean | null;
  readonly 'on-conflict': Written | null;
  readonly multi: boolean | null;
}

const alias: Kind<AliasSettings> = shortOr<AliasSettings>(
  mapped(expression, (written) => ({
    expression: written,
    message: null,
    unique: null,
    'on-conflict': null,
    multi: null,
  })),
  form({
    expression: required(expression, 'The value, over the variables.'),
    message: optional(expression, 'The value, over a message that comes, when that is another.'),
    unique: optional(flag, 'Whether only one instance may hold a value.'),
    'on-conflict': optional(
      choice('reject', 'correlate'),
      'What becomes of a start whose unique value another instance holds.',
    ),
    multi: optional(flag, 'Whether one message reaches every instance that waits with the value.'),
  }),
);

export const aliases: Kind<readonly FlowAlias[]> = named(
  'aliases',
  mapped(entriesOf('a mapping of aliases', name, alias), (entries) =>
    entries.map(([alias, settings]): FlowAlias => ({
      name: alias,
      expression: settings.expression,
      message: settings.message,
      isUnique: settings.unique === true,
      onConflict: settings['on-conflict'],
      isMulti: settings.multi === true,
    })),
  ),
);

/** Where a message goes to and which ones are meant. */
export const sourceFields = {
  variable: optional(variable, 'The variable that takes the payload (payload).'),
  merge: optional(flag, 'Whether the properties of the payload become variables instead.'),
  type: optional(name, 'The message type.'),
  'type-pattern': optional(name, 'A pattern of message types; * stands for any text.'),
} as const;

export const sourceRules = [
  ['variable', 'merge'],
  ['type', 'type-pattern'],
] as const;

type SourceValues = FieldValues<typeof sourceFields>;

export function sourceOf(from: Written, values: SourceValues, dedupKey: Written | null = null): FlowSource {
  return {
    channel: from,
    variable: values.variable,
    isMerged: values.merge === true,
    type: values.type,
    typePattern: values['type-pattern'],
    dedupKey,
  };
}

const NO_SOURCE_VALUES: SourceValues = { variable: null, merge: null, type: null, 'type-pattern': null };

/** A channel, or a mapping of it and of what becomes of the message. */
export const source: Kind<FlowSource> = named(
  'source',
  shortOr<FlowSource>(
    mapped(channel, (written) => sourceOf(written, NO_SOURCE_VALUES)),
    mapped(
      form({ channel: required(channel, 'The channel.'), ...sourceFields }, { exclusive: sourceRules }),
      (values) => sourceOf(values.channel, values),
    ),
  ),
);

/** What is sent and where. */
export const messageFields = {
  channel: optional(channel, 'The channel.'),
  destination: optional(expression, "FEEL that gives a channel's name."),
  body: optional(expression, 'The payload; without it all visible variables.'),
  headers: optional(headers, 'Headers of the message.'),
  'content-type': optional(mediaType, 'The media type of the body (application/json).'),
} as const;

export const messageRules = { oneOf: ['channel', 'destination'] } as const;

export function messageOf(values: FieldValues<typeof messageFields>): FlowMessage {
  const { channel: to, destination, body } = values;
  return {
    channel: to,
    destination,
    contentType: values['content-type'],
    body,
    headers: values.headers ?? [],
  };
}

/** A channel, or a mapping of what is sent. */
export const message: Kind<FlowMessage> = named(
  'message',
  shortOr<FlowMessage>(
    mapped(channel, (to) => ({ channel: to, destination: null, contentType: null, body: null, headers: [] })),
    mapped(form(messageFields, messageRules), messageOf),
  ),
);

/** What is answered. */
export const replyFields = {
  body: optional(expression, 'The payload (null).'),
  headers: optional(headers, 'Headers of the answer.'),
  'content-type': optional(mediaType, 'The media type of the body (application/json).'),
  continue: optional(flag, 'Kept and without effect.'),
} as const;

export function replyOf(values: FieldValues<typeof replyFields>): FlowReply {
  return {
    contentType: values['content-type'],
    body: values.body,
    headers: values.headers ?? [],
    isContinued: values.continue === true,
  };
}

/** The body, or a mapping of what is answered. */
export const reply: Kind<FlowReply> = named(
  'reply',
  shortOr<FlowReply>(
    mapped(expression, (body) => ({ contentType: null, body, headers: [], isContinued: false })),
    mapped(form(replyFields), replyOf),
  ),
);

export const callFields = {
  input: optional(
    pairs('a mapping of parameters to FEEL expressions', name),
    'What is sent, by name; without it all visible variables.',
  ),
  output: optional(
    variable,
    'The variable that takes the answer; without it its properties become variables.',
  ),
} as const;

export const requestFields = { headers: optional(headers, 'Headers of the request.') } as const;

const codes: Kind<readonly Written[]> = list(
  mapped(code, (written, value) =>
    /\s/.test(written.text) ? value.invalid(`${value.what} must be a code without spaces`) : written,
  ),
  'code',
);

export const retry: Kind<FlowRetry> = named(
  'retry',
  mapped(
    form({
      'max-attempts': required(positiveInteger, 'How often it is tried in all.'),
      'initial-delay': optional(duration, 'The time before it is tried again.'),
      'backoff-coefficient': optional(coefficient, 'By how much each delay is longer than the one before.'),
      'max-delay': optional(duration, 'The longest delay.'),
      'non-retryable-codes': optional(codes, 'Codes of failures that are final.'),
    }),
    (values, value) => ({
      place: value.place,
      maxAttempts: values['max-attempts'],
      initialDelay: values['initial-delay'],
      backoffCoefficient: values['backoff-coefficient'],
      maxDelay: values['max-delay'],
      nonRetryableCodes: spaced(values['non-retryable-codes'] ?? []),
    }),
  ),
);

/** As `q:retry` has them. */
function spaced(texts: readonly Written[]): Written | null {
  const [first] = texts;
  return first === undefined
    ? null
    : joined(
        first,
        texts.flatMap((text, index) => (index === 0 ? [text] : [' ', text])),
      );
}
