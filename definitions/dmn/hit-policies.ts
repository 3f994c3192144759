/**
 * Hit policies: what a decision table gives, when several of its rules match.
 *
 * H1 A policy that is violated gives null, and says so.
 * H2 Priorities are those of the output values: what is listed first comes first, and the first output counts most.
 *    Rules of the same priority stay in order. What is not listed comes last.
 * H3 A table that gives a list gives an empty one when no rule matches; the count of nothing is 0, and there is no sum, least
 *    or greatest of nothing.
 *
 * Source: DMN 1.5, 8.2.10; for H3, where the standard is silent of lists, what other engines do.
 */
import type { Place } from '../../config/engine-error.ts';
import { builtins } from '../feel/builtins/index.ts';
import type { Frame } from '../feel/compile/evaluation.ts';
import { equalValues } from '../feel/equality.ts';
import type { FeelValue } from '../feel/runtime.ts';
import { fail } from './decision-run.ts';
import type { Aggregation, HitPolicy } from './model.ts';

/** Units for putting a hit into its place among others: a thousand take ten comparisons each. */
const COMPARISONS_UNITS = 10;

/** A rule that matches. */
export interface Hit {
  /** From 1. */
  readonly ruleNumber: number;
  readonly value: FeelValue;
  /** Of each output; 0 is the highest. */
  readonly priorities: readonly number[];
}

export interface Policy {
  /** Matching rules beyond so many make no difference. */
  readonly limit: number;
  /** The value is a list of what rules give. */
  readonly givesList: boolean;
  /** The priorities of hits are asked for. */
  readonly usesPriorities: boolean;
  /** @param place of the table */
  readonly choose: (hits: readonly Hit[], place: Place, frame: Frame) => FeelValue;
}

const single = { limit: Infinity, givesList: false, usesPriorities: false } as const;
const several = { limit: Infinity, givesList: true, usesPriorities: false } as const;

const policies: Readonly<Record<HitPolicy, Policy>> = {
  UNIQUE: { ...single, limit: 2, choose: chooseUnique },
  FIRST: { ...single, limit: 1, choose: firstValue },
  ANY: { ...single, choose: chooseAny },
  PRIORITY: {
    ...single,
    usesPriorities: true,
    choose: (hits, _, frame) => firstValue(byPriority(hits, frame)),
  },
  COLLECT: { ...several, choose: valuesOf },
  'RULE ORDER': { ...several, choose: valuesOf },
  'OUTPUT ORDER': {
    ...several,
    usesPriorities: true,
    choose: (hits, _, frame) => valuesOf(byPriority(hits, frame)),
  },
};

const aggregations: Readonly<Record<Aggregation, Policy['choose']>> = {
  COUNT: ({ length }) => length,
  SUM: aggregate('sum'),
  MIN: aggregate('min'),
  MAX: aggregate('max'),
};

export function policyOf(policy: HitPolicy, aggregation: Aggregation | null): Policy {
  if (policy !== 'COLLECT' || aggregation === null) return policies[policy];
  return { ...single, choose: aggregations[aggregation] };
}

function valuesOf(hits: readonly Hit[]): readonly FeelValue[] {
  return hits.map(({ value }) => value);
}

function firstValue([hit]: readonly Hit[]): FeelValue {
  return hit?.value ?? null;
}

function chooseUnique(hits: readonly Hit[], place: Place, frame: Frame): FeelValue {
  const [hit, other] = hits;
  if (hit === undefined || other === undefined) return firstValue(hits);
  const rules = `the rules ${hit.ruleNumber} and ${other.ruleNumber}`;
  return fail(
    frame,
    'SUTRA.DMN.HIT_POLICY_VIOLATED',
    place,
    `${rules} both match, in a table of the hit policy UNIQUE`,
  );
}

function chooseAny(hits: readonly Hit[], place: Place, frame: Frame): FeelValue {
  const [hit, ...others] = hits;
  const other = others.find(({ value }) => equalValues(hit?.value ?? null, value, frame.run) !== true);
  if (hit === undefined || other === undefined) return firstValue(hits);
  const rules = `the rules ${hit.ruleNumber} and ${other.ruleNumber}`;
  const message = `${rules} match and give different outputs, in a table of the hit policy ANY`;
  return fail(frame, 'SUTRA.DMN.HIT_POLICY_VIOLATED', place, message);
}

function byPriority(hits: readonly Hit[], { run }: Frame): readonly Hit[] {
  run.meter.spend(hits.length * COMPARISONS_UNITS);
  return hits.toSorted((one, other) => comparePriorities(one.priorities, other.priorities));
}

function comparePriorities(one: readonly number[], other: readonly number[]): number {
  for (const [index, priority] of one.entries()) {
    const difference = priority - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** By the built-in function of that name. */
function aggregate(name: string): Policy['choose'] {
  const builtin = builtins.get(name);
  return (hits, _, { run }) => {
    if (hits.length === 0 || builtin === undefined) return null;
    return builtin.invoke([[valuesOf(hits)]], run);
  };
}
