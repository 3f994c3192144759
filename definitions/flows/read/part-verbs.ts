/** Verbs with steps inside: choose, parallel, for-each and repeat. */
import type { Written } from '../../written.ts';
import type { PlaceSource } from '../../xml/translated-document.ts';
import type { Branch, ChooseStep, ParallelStep, RepeatStep, Steps } from '../flow.ts';
import { entriesOf, form, formSchema, list, mapped, onePair, optional, readForm, required } from './forms.ts';
import { expression, flag, name, positiveInteger, steps, stepsOrNone, variable, type Kind } from './kinds.ts';
import { verb } from './verb.ts';

type Case = ChooseStep['cases'][number];

const whenForm = {
  fields: {
    when: required(expression, 'FEEL that is true or false.'),
    name: optional(name, 'For people.'),
    steps: optional(stepsOrNone, 'What is done when it is the first that is true.'),
  },
  rules: { hints: { else: 'else is a case of its own, the last', if: 'its key is when' } },
} as const;

const elseForm = {
  fields: { else: required(stepsOrNone, 'What is done when no case is true.') },
  rules: {},
} as const;

type CaseOrElse =
  | { readonly kind: 'case'; readonly case: Case }
  | { readonly kind: 'else'; readonly steps: Steps; readonly place: PlaceSource };

const caseOrElse: Kind<CaseOrElse> = {
  what: 'a mapping of when and steps, or of else',
  schema: { anyOf: [formSchema(whenForm), formSchema(elseForm)] },
  read: (value, reader) => {
    const mapping = value.mapping(value.what);
    if (mapping === null) return value.mustBe(caseOrElse.what);
    if (mapping.has('else') && !mapping.has('when')) {
      const values = readForm(mapping, elseForm, reader);
      return values === null ? null : { kind: 'else', steps: values.else, place: mapping.place };
    }
    const values = readForm(mapping, whenForm, reader);
    if (values === null) return null;
    const { when, name: label, steps: inside } = values;
    return { kind: 'case', case: { when, name: label, steps: inside ?? [], place: mapping.place } };
  },
};

type Cases = Pick<ChooseStep, 'cases' | 'otherwise'>;

/** `else` is the last, if at all. */
const cases: Kind<Cases> = mapped(list(caseOrElse, 'case'), (read, value): Cases | null => {
  const last = read.at(-1);
  const whens = read.flatMap((one) => (one.kind === 'case' ? [one.case] : []));
  const early = read.slice(0, -1).find((one) => one.kind === 'else');
  if (whens.length === 0) return value.error('SUTRA.FLOWS.EMPTY', `${value.what} has no case with when`);
  if (early?.kind === 'else') {
    const message = `this else of ${value.what} is not its last case; write it once, at the end`;
    return value.invalid(message, early.place());
  }
  return { cases: whens, otherwise: last?.kind === 'else' ? last.steps : null };
});

export const choose = verb({
  verb: 'choose',
  about: 'Takes the first case that is true; without one it takes else, or goes on.',
  value: cases,
  options: {},
  build: (base, chosen) => ({ ...base, verb: 'choose', ...chosen }),
});

const branchForm = form({
  name: optional(name, 'For people.'),
  steps: required(steps, 'The steps of the branch.'),
});

const branch: Kind<Branch> = {
  what: 'a list of steps, or a mapping of name and steps',
  schema: { anyOf: [steps.schema, branchForm.schema] },
  read: (value, reader) => {
    if (value.isList) {
      const inside = steps.read(value, reader);
      return inside === null ? null : { name: null, place: value.place, steps: inside };
    }
    if (!value.isMapping) return value.mustBe(branch.what);
    const values = branchForm.read(value, reader);
    return values === null ? null : { name: values.name, place: value.place, steps: values.steps };
  },
};

const branches = list(branch, 'branch', 2);

const branchesForm = form(
  {
    all: optional(branches, 'All branches are done.'),
    any: optional(branches, 'The first branch that is done ends the others.'),
  },
  { oneOf: ['all', 'any'] },
);

type Branches = Pick<ParallelStep, 'until' | 'branches'>;

const branchesOrForm: Kind<Branches> = {
  what: 'a list of branches, or a mapping of all or any',
  schema: { anyOf: [branches.schema, branchesForm.schema] },
  read: (value, reader) => {
    if (value.isList) {
      const all = branches.read(value, reader);
      return all === null ? null : { until: 'all', branches: all };
    }
    if (!value.isMapping) return value.mustBe(branchesOrForm.what);
    const values = branchesForm.read(value, reader);
    if (values === null) return null;
    if (values.all !== null) return { until: 'all', branches: values.all };
    return values.any === null ? null : { until: 'any', branches: values.any };
  },
};

export const parallel = verb({
  verb: 'parallel',
  about: 'Does several lists of steps at the same time.',
  value: branchesOrForm,
  options: {},
  build: (base, { until, branches: read }) => ({ ...base, verb: 'parallel', until, branches: read }),
});

const collect: Kind<readonly [Written, Written]> = onePair(
  entriesOf('a mapping of a list to a variable', variable, variable),
);

export const forEach = verb({
  verb: 'for-each',
  about: 'Does its steps for each item of a list; its value is the variable of the item.',
  value: variable,
  options: {
    in: required(expression, 'FEEL that gives the list.'),
    'one-by-one': optional(flag, 'Whether the next is begun when the one before is done.'),
    until: optional(expression, 'FEEL, asked after each; true ends the rest.'),
    collect: optional(collect, '{ list: variable }: what the variable is in each in the end, as a list.'),
    steps: required(steps, 'What is done for each.'),
  },
  build: (base, item, options) => ({
    ...base,
    verb: 'for-each',
    item,
    collection: options.in,
    isParallel: options['one-by-one'] !== true,
    until: options.until,
    collect: options.collect === null ? null : { list: options.collect[0], value: options.collect[1] },
    steps: options.steps,
  }),
});

const limits = form(
  {
    while: optional(expression, 'FEEL, asked before each run; false ends it.'),
    until: optional(expression, 'FEEL, asked after each run; true ends it.'),
    'at-most': optional(positiveInteger, 'The most runs.'),
  },
  { anyOf: ['while', 'until', 'at-most'], exclusive: [['while', 'until']] },
);

export const repeat = verb({
  verb: 'repeat',
  about: 'Does its steps again and again.',
  value: limits,
  options: { steps: required(steps, 'What is repeated.') },
  build: (base, values, options): RepeatStep | null => {
    const kind = values.while === null ? 'until' : 'while';
    const asked = values.while ?? values.until;
    const atMost = values['at-most'];
    // Of the two that can be there one was wrong.
    if (asked === null && atMost === null) return null;
    const condition = asked === null ? null : ({ kind, expression: asked } as const);
    return { ...base, verb: 'repeat', condition, atMost, steps: options.steps };
  },
});
