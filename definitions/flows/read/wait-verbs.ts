/** `wait`, for one thing or for the first of several, and `start`, which is read with the same fields. */
import type { Start, WaitFirstStep } from '../flow.ts';
import { list, optional, readForm } from './forms.ts';
import { expression, stepsOrNone, type Kind, type Schema, type StepsReader } from './kinds.ts';
import { triggerFields, triggerOf, triggerRules } from './triggers.ts';
import type { FlowMapping, FlowValue } from './value.ts';
import {
  BASE_KEYS,
  baseOf,
  formVerb,
  formVerbSchema,
  joinedForm,
  stepSchema,
  withBase,
  type VerbRow,
} from './verb.ts';

type Alternative = WaitFirstStep['alternatives'][number];

const alternativeForm = {
  fields: { ...triggerFields, steps: optional(stepsOrNone, 'What follows when it comes first.') },
  rules: triggerRules,
} as const;

const alternative: Kind<Alternative> = {
  what: 'a mapping of channel, timer, signal or condition',
  schema: withBase(alternativeForm),
  read: (value, reader) => {
    const mapping = value.mapping(value.what);
    if (mapping === null) return value.mustBe(alternative.what);
    const base = baseOf(mapping, reader);
    const values = readForm(mapping, alternativeForm, reader, BASE_KEYS);
    const trigger = values === null ? null : triggerOf(values, mapping);
    return values === null || trigger === null ? null : { ...base, trigger, steps: values.steps ?? [] };
  },
};

const alternatives = list(alternative, 'item', 2);

const waitOne = formVerb({
  verb: 'wait',
  about: 'Waits for a message on a channel, a timer, a signal or a condition; a list: for the first of them.',
  main: 'channel',
  fields: triggerFields,
  rules: triggerRules,
  build: (base, values, step) => {
    const trigger = triggerOf(values, step);
    return trigger === null ? null : { ...base, verb: 'wait', trigger };
  },
});

const waitFirst = stepSchema('wait', waitOne.about, alternatives.schema, {}, {});

export const wait: VerbRow = {
  ...waitOne,
  schema: { anyOf: [waitOne.schema, waitFirst] },
  read: (step, value, reader) => {
    if (!value.isList) return waitOne.read(step, value, reader);
    const base = baseOf(step, reader);
    step.refuseUnknownKeys(['wait', 'id', 'name'], () => 'it belongs to one of the things in the list');
    const read = alternatives.read(value, reader);
    return read === null ? null : { ...base, verb: 'wait-first', alternatives: read };
  },
};

/** Of a start: the fields of a trigger, and how its messages are told apart. */
const startForm = {
  fields: {
    ...triggerFields,
    'dedup-key': optional(expression, 'What makes two messages the same: the second starts nothing.'),
  },
  rules: triggerRules,
} as const;

/** Of a start by the process's id. */
const bareStartForm = { fields: { alias: triggerFields.alias }, rules: {} } as const;

function readStart(mapping: FlowMapping, reader: StepsReader): Start | null {
  const base = startBase(mapping, reader);
  const values = readForm(mapping, startForm, reader, BASE_KEYS);
  const trigger = values === null ? null : triggerOf(values, mapping, values['dedup-key']);
  return trigger === null ? null : { ...base, trigger, aliases: [] };
}

function readBareStart(mapping: FlowMapping, reader: StepsReader): Start | null {
  const base = startBase(mapping, reader);
  const values = readForm(mapping, bareStartForm, reader, BASE_KEYS);
  return values === null ? null : { ...base, trigger: null, aliases: values.alias ?? [] };
}

function startBase(mapping: FlowMapping, reader: StepsReader): Omit<Start, 'trigger' | 'aliases'> {
  const { isIdGiven: _, ...base } = baseOf(mapping, reader);
  return base;
}

const startItem: Kind<Start> = {
  what: 'a mapping of channel, timer, signal or condition',
  schema: withBase(startForm),
  read: (value, reader) => {
    const mapping = value.mapping(value.what);
    return mapping === null ? value.mustBe(startItem.what) : readStart(mapping, reader);
  },
};

const startItems = list(startItem, 'item');

const START_ABOUT =
  'What starts an instance: a message on a channel, a timer, a signal or a condition; a list: any of them. Without it a process is started by its id.';

export const startSchema: Schema = {
  anyOf: [
    formVerbSchema('start', START_ABOUT, 'channel', triggerFields.channel.kind.schema, startForm, true),
    stepSchema('start', START_ABOUT, startItems.schema, {}, {}),
  ],
};

/** The starts of a `start` step; null when a fault was noted. */
export function readStarts(
  step: FlowMapping,
  value: FlowValue,
  reader: StepsReader,
): readonly Start[] | null {
  if (!value.isList) {
    const all = joinedForm(step.without('start'), value, 'channel', triggerRules);
    const read = value.isNothing ? readBareStart : readStart;
    const start = all === null ? null : read(all, reader);
    return start === null ? null : [start];
  }
  step.refuseUnknownKeys(['start'], () => 'it belongs to one of the things in the list');
  return startItems.read(value, reader);
}
