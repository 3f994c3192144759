/** Reads lists of steps: which verb each has, and the row of the vocabulary that reads it. */
import { quoteText } from '../../../config/quote-text.ts';
import { nearestName } from '../../nearest-name.ts';
import type { Start, Step, Steps } from '../flow.ts';
import type { StepsReader, TopSteps } from './kinds.ts';
import type { FlowMapping, FlowValue } from './value.ts';
import { PendingId } from '../step-ids.ts';
import { verbRows } from './vocabulary.ts';
import { readStarts } from './wait-verbs.ts';

const VERBS = ['start', ...verbRows.keys()];

export const stepsReader: StepsReader = {
  topSteps: readTopSteps,
  steps: readSteps,
  isVerb: (key) => VERBS.includes(key),
};

/** The steps of the file: a `start` may be the first of them. */
function readTopSteps(list: FlowValue): TopSteps | null {
  const items = itemsOf(list);
  if (items === null) return null;
  const [first, ...others] = items;
  if (first === undefined) return { starts: [], steps: [] };
  if (isText(first, 'start')) return { starts: [bareStart(first)], steps: readItems(others) };
  if (!first.hasKey('start')) return { starts: [], steps: readItems(items) };
  const step = first.mapping('start');
  const value = step?.get('start') ?? null;
  const starts =
    step === null || value === null ? null : readStarts(step, value.renamed('start'), stepsReader);
  return { starts: starts ?? [], steps: readItems(others) };
}

function bareStart(value: FlowValue): Start {
  return { id: new PendingId(value.place), name: null, place: value.place, trigger: null, aliases: [] };
}

function readSteps(value: FlowValue): Steps | null {
  const items = itemsOf(value);
  return items === null ? null : readItems(items);
}

function itemsOf(value: FlowValue): readonly FlowValue[] | null {
  const items = value.items(() => 'the step');
  return items ?? value.mustBe('a list of steps: begin each with "- "');
}

/** What has a fault is left out: the flow is refused then. */
function readItems(items: readonly FlowValue[]): Steps {
  return items.flatMap((item) => readStep(item) ?? []);
}

function readStep(value: FlowValue): Step | null {
  if (isText(value, 'end')) return bareEnd(value);
  const step = value.mapping('the step');
  if (step === null) return refuseStep(value);
  const verb = verbOf(step);
  if (verb === null) return null;
  const row = verbRows.get(verb);
  const read = step.renamed(verb);
  const argument = read.get(verb);
  if (row !== undefined && argument !== null) return row.read(read, argument.renamed(verb), stepsReader);
  const message = 'start stands once, as the first step of the flow; what comes later is a wait';
  return step.error('SUTRA.FLOWS.VALUE_INVALID', message);
}

function isText(value: FlowValue, text: string): boolean {
  return value.scalarKind === 'text' && value.written?.text === text;
}

function bareEnd(value: FlowValue): Step {
  return {
    id: new PendingId(value.place),
    isIdGiven: false,
    name: null,
    place: value.place,
    verb: 'end',
    isTerminating: false,
    message: null,
    reply: null,
  };
}

/** Something that is neither a mapping nor `end`. */
function refuseStep(value: FlowValue): null {
  const text = value.written?.text ?? '';
  const isVerb = VERBS.includes(text);
  const help = isVerb ? `write - ${text}: and what it means` : `write - and a verb, as - call: a-channel`;
  return value.error('SUTRA.FLOWS.VERB_MISSING', `a step is a mapping with a verb; ${help}`);
}

/** The one verb of a step: an option of another verb is none, as `compensate` beside `try`. */
function verbOf(step: FlowMapping): string | null {
  const keys = step.entries.map(({ key }) => key.text);
  const found = keys.filter((key) => VERBS.includes(key));
  const verbs = found.filter(
    (key) => !found.some((other) => other !== key && verbRows.get(other)?.optionKeys.includes(key)),
  );
  const [verb, second] = verbs;
  if (verb !== undefined && second === undefined) return verb;
  if (verb !== undefined) {
    const message = `the step has several verbs: ${verbs.join(', ')}; begin a step for each with "- "`;
    const at = step.entries.find(({ key }) => key.text === second)?.key.place();
    return step.error('SUTRA.FLOWS.VERB_MISSING', message, at);
  }
  const misspelt = keys.flatMap((key) => {
    const near = nearestName(key, VERBS);
    return near === null ? [] : [`${quoteText(key)} is none, the nearest is ${quoteText(near)}`];
  });
  const help = misspelt[0] ?? `its verbs are ${VERBS.join(', ')}`;
  return step.error('SUTRA.FLOWS.VERB_MISSING', `the step has no verb; ${help}`);
}
