/**
 * The vocabulary of flows as a table: the reader reads by it, and docs/flow.schema.json is made of it.
 *
 * Q1 What is not in it does not exist, and a flow that uses it is refused.
 */
import type { Written } from '../../written.ts';
import type { FlowVariable, Verb } from '../flow.ts';
import { entriesOf, form, mapped, optional, required, shortOr } from './forms.ts';
import { flag, id, name, topSteps, variable, writtenFlag, type Kind } from './kinds.ts';
import { choose, forEach, parallel, repeat } from './part-verbs.ts';
import { tryVerb } from './try-verb.ts';
import type { VerbRow } from './verb.ts';
import { wait } from './wait-verbs.ts';
import {
  call,
  compensate,
  decide,
  end,
  escalate,
  fail,
  flow,
  replyVerb,
  send,
  set,
  signal,
} from './work-verbs.ts';

/** As authors write them; `wait` for several things is one of its own in the tree. */
export type FlowVerb = Exclude<Verb, 'wait-first'>;

const rows: Readonly<Record<FlowVerb, VerbRow>> = {
  call,
  send,
  wait,
  choose,
  parallel,
  'for-each': forEach,
  repeat,
  decide,
  set,
  try: tryVerb,
  compensate,
  flow,
  reply: replyVerb,
  signal,
  escalate,
  end,
  fail,
};

export const verbRows: ReadonlyMap<string, VerbRow> = new Map(Object.entries(rows));

interface VariableSettings {
  readonly type: Written | null;
  readonly isSensitive: boolean;
  readonly isTransient: boolean;
}

const variableSettings: Kind<VariableSettings> = shortOr<VariableSettings>(
  mapped(name, (type) => ({ type, isSensitive: false, isTransient: false })),
  mapped(
    form({
      type: optional(name, 'What it is, for people.'),
      sensitive: optional(flag, 'Whether it is never shown.'),
      transient: optional(flag, 'Whether it is not kept over a wait.'),
    }),
    ({ type, sensitive, transient }) => ({
      type,
      isSensitive: sensitive === true,
      isTransient: transient === true,
    }),
  ),
);

const variables: Kind<readonly FlowVariable[]> = mapped(
  entriesOf('a mapping of variables to types or settings', variable, variableSettings),
  (entries) => entries.map(([variableName, settings]) => ({ name: variableName, ...settings })),
);

/** The keys of the file. */
export const flowForm = {
  fields: {
    id: optional(id, "The id of the process; without it the file's name."),
    name: optional(name, 'For people.'),
    audit: optional(
      writtenFlag,
      'Whether the history has the payloads of all steps that do not say otherwise.',
    ),
    variables: optional(variables, 'Variables that are declared: null until something is written to them.'),
    steps: required(topSteps, 'What is done, from top to bottom.'),
  },
  rules: {},
} as const;
