/** What a flow waits for, and what starts it: a message, a time, a signal, a condition. */
import { parseDuration } from '../../../config/iso8601.ts';
import { shown } from '../../xml/shown.ts';
import type { Written } from '../../written.ts';
import type { FlowTimer, Trigger } from '../flow.ts';
import { form, mapped, optional, shortOr, type FieldValues } from './forms.ts';
import { channel, checkExpression, expression, name, named, textOf, timeFaults, type Kind } from './kinds.ts';
import { aliases, sourceFields, sourceOf, sourceRules } from './messages.ts';
import type { FlowMapping } from './value.ts';

type TimerKind = FlowTimer['kind'];

/** A repeating interval, a duration or a date: nothing else is written without a key. */
const writtenTimer: Kind<FlowTimer> = {
  what: 'a time, as PT5M, R/PT1H or 2030-01-31T09:00:00Z',
  schema: { type: 'string', pattern: '^(R\\d*/|P|\\d{4}-)' },
  read: (value) => {
    const text = textOf(value, writtenTimer.what, true);
    if (text === null) return null;
    const kind = kindOf(text.text);
    const fault = timeFaults[kind](text.text);
    if (fault === null) return { kind, value: text };
    return value.invalid(
      `${value.what} is ${shown(text.text)}: ${fault}; write ${writtenTimer.what}, or FEEL as { after: =expression }, { at: … } or { every: … }`,
    );
  },
};

function kindOf(text: string): TimerKind {
  if (/^R\d*\//.test(text)) return 'every';
  return /^[+-]?P/.test(text) ? 'after' : 'at';
}

/** Written down, or FEEL: what begins with `=`, and what the reader of models takes for it. */
function timeOf(kind: TimerKind): Kind<Written> {
  return {
    what: 'a time or a FEEL expression',
    schema: { type: 'string', minLength: 1 },
    read: (value) => {
      const text = textOf(value, 'a time or a FEEL expression', true);
      if (text === null || timeFaults[kind](text.text.trim()) === null) return text;
      // The rest is told apart where timers of models are read.
      const isFeel = text.text.trimStart().startsWith('=');
      return !isFeel || checkExpression(value, text) ? text : null;
    },
  };
}

export const timeFields = {
  after: optional(timeOf('after'), 'A duration, as PT5M, or FEEL.'),
  at: optional(timeOf('at'), 'A date and time with a zone, or FEEL.'),
  every: optional(timeOf('every'), 'A repeating interval, as R3/PT10M, or FEEL.'),
} as const;

export const timeRules = { oneOf: ['after', 'at', 'every'] } as const;

export function timerOf(values: FieldValues<typeof timeFields>): FlowTimer | null {
  for (const kind of ['after', 'at', 'every'] as const) {
    const value = values[kind];
    if (value !== null) return { kind, value };
  }
  return null;
}

const timer: Kind<FlowTimer> = named(
  'timer',
  shortOr<FlowTimer>(writtenTimer, mapped(form(timeFields, timeRules), timerOf)),
);

/** A channel; what looks like a time is a mistake that is easily made. */
const waitedChannel: Kind<Written> = {
  ...mapped(channel, (text, value) =>
    parseDuration(text.text).ok
      ? value.invalid(
          `${value.what} names the channel ${shown(text.text)}; a time is { timer: ${text.text} }`,
        )
      : text,
  ),
  what: 'the name of a channel',
};

/** Exactly one of the first four, and what belongs to it. */
export const triggerFields = {
  channel: optional(waitedChannel, 'The channel on which a message comes.'),
  timer: optional(timer, 'A time.'),
  signal: optional(name, 'The name of a signal.'),
  condition: optional(expression, 'FEEL that becomes true.'),
  ...sourceFields,
  alias: optional(aliases, 'The keys under which a message finds the instance.'),
} as const;

export const triggerRules = {
  oneOf: ['channel', 'timer', 'signal', 'condition'],
  exclusive: sourceRules,
} as const;

type TriggerValues = FieldValues<typeof triggerFields>;

/** Keys that mean something with one of the triggers only. */
const MESSAGE_KEYS = ['merge', 'type', 'type-pattern', 'alias', 'dedup-key'];

/** The trigger that was read out of `mapping`; null when a fault was noted. */
export function triggerOf(
  values: TriggerValues,
  mapping: FlowMapping,
  dedupKey: Written | null = null,
): Trigger | null {
  const { channel: from, timer: time, signal, condition } = values;
  if (from !== null) {
    return { kind: 'message', source: sourceOf(from, values, dedupKey), aliases: values.alias ?? [] };
  }
  const foreignKeys = signal === null ? [...MESSAGE_KEYS, 'variable'] : MESSAGE_KEYS;
  const foreign = mapping.entries.filter(({ key }) => foreignKeys.includes(key.text));
  for (const { key } of foreign) {
    const message = `${shown(key.text)} of ${mapping.what} is of messages${key.text === 'variable' ? ' and signals' : ''} alone; remove it`;
    mapping.error('SUTRA.FLOWS.KEY_UNKNOWN', message, key.place());
  }
  if (foreign.length > 0) return null;
  if (signal !== null) return { kind: 'signal', signal, variable: values.variable };
  if (time !== null) return { kind: 'timer', timer: time };
  return condition === null ? null : { kind: 'condition', condition };
}
