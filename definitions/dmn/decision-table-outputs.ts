/**
 * Outputs of decision tables: what a rule gives, and what the table gives when none matches.
 *
 * O1 An output that is not of its type, or none of the values listed for it, is null, and that is an error.
 */
import type { Place } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { Code, Frame } from '../feel/compile/evaluation.ts';
import { buildContext, type EntryCode } from '../feel/compile/literals.ts';
import type { Test } from '../feel/compile/tests.ts';
import type { FeelValue } from '../feel/runtime.ts';
import { isFeelContext, propertyOf } from '../feel/value-kind.ts';
import { nothing } from './compile-context.ts';
import type { BoxedScope, Compiled } from './compile-scope.ts';
import { compileEachTest, compileTestText, compileText, type CompiledTests } from './compile-text.ts';
import { typed } from './compile-typed.ts';
import { fail } from './decision-run.ts';
import type { Hit } from './hit-policies.ts';
import { contextItem, type ItemType } from './item-types.ts';
import type { DecisionTable, SourceText, TableOutput } from './model.ts';

/** Units for an output's context and each of its entries. */
const ENTRY_UNITS = 3;

export interface Outputs {
  /** Of what one rule gives. */
  readonly type: ItemType;
  readonly height: number;
  /** What a rule gives, by its number from 0. */
  readonly of: (rule: number, frame: Frame) => Hit;
  /** What the table gives when no rule matches. Null: nothing is said. */
  readonly otherwise: Code | null;
}

interface Column {
  readonly output: TableOutput;
  readonly type: ItemType;
  readonly subject: string;
  /** Null: any value is allowed. */
  readonly allowed: CompiledTests | null;
  /** For the values in falling priority; none: all have the same. */
  readonly ranks: readonly Test[];
}

export function compileOutputs(node: DecisionTable, usesPriorities: boolean, scope: BoxedScope): Outputs {
  const columns = node.outputs.map((output) => compileColumn(output, usesPriorities, scope));
  if (usesPriorities && columns.every(({ ranks }) => ranks.length === 0)) {
    const message = `the hit policy ${node.hitPolicy} takes the order of output values, and no output lists any`;
    scope.error('SUTRA.DMN.PRIORITIES_MISSING', node.place, message);
  }
  const rules = node.rules.map(({ outputs }) =>
    columns.map((column, index) => compileOutput(outputs[index] ?? null, column, scope)),
  );
  const values = rules.map((outputs) => together(columns, outputs));
  const defaults = columns.map((column) => compileOutput(column.output.defaultValue, column, scope));
  const hasDefault = node.outputs.some(({ defaultValue }) => defaultValue !== null);
  const [only] = columns;
  return {
    type:
      only !== undefined && columns.length === 1
        ? only.type
        : contextItem(new Map(columns.map(({ output, type }) => [output.name ?? '', type]))),
    height: heightOf([...rules.flat(), ...defaults]),
    of: (rule, frame) => {
      const value = values[rule]?.(frame) ?? null;
      return { ruleNumber: rule + 1, value, priorities: prioritiesOf(value, columns, frame) };
    },
    otherwise: hasDefault ? together(columns, defaults) : null,
  };
}

function heightOf(outputs: readonly Compiled[]): number {
  return outputs.reduce((most, { height }) => Math.max(most, height), 0) + 2;
}

function compileColumn(output: TableOutput, usesPriorities: boolean, scope: BoxedScope): Column {
  const { allowedValues, name } = output;
  const type = scope.typeOf(output.type);
  const subject = name === null ? 'the output' : `the output ${quoteText(name)}`;
  const allowed = allowedValues === null ? null : compileTestText(allowedValues, type, scope);
  const isRanked = usesPriorities && allowed !== null && allowedValues !== null;
  return {
    output,
    type,
    subject,
    allowed,
    ranks: isRanked ? compileEachTest(allowed, allowedValues, scope) : [],
  };
}

function compileOutput(
  source: SourceText | null,
  { type, subject, allowed }: Column,
  scope: BoxedScope,
): Compiled {
  if (source === null) return nothing;
  const place = source.placeAt(0);
  const compiled = typed(compileText(source, scope), type, subject, place);
  return allowed === null ? compiled : checked(compiled, allowed, subject, place);
}

/** Null is no value, and always allowed. */
function checked(compiled: Compiled, allowed: CompiledTests, subject: string, place: Place): Compiled {
  const { code, type } = compiled;
  const { test, units } = allowed;
  return {
    code: (frame) => {
      const value = code(frame);
      frame.run.meter.spend(units);
      if (value === null || test(frame, value) === true) return value;
      const message = `${subject} is none of the output values of the table`;
      return fail(frame, 'SUTRA.DMN.VALUE_NOT_ALLOWED', place, message);
    },
    type,
    height: 1 + Math.max(compiled.height, allowed.height),
  };
}

/** One output is the value itself, several are a context by their names. */
function together(columns: readonly Column[], outputs: readonly Compiled[]): Code {
  const [only, ...others] = outputs;
  if (only !== undefined && others.length === 0) return only.code;
  const entries = outputs.map(({ code }, index): EntryCode => ({
    key: columns[index]?.output.name ?? '',
    value: code,
    slot: null,
  }));
  const units = (entries.length + 1) * ENTRY_UNITS;
  return (frame) => {
    frame.run.meter.spend(units);
    return buildContext(entries, frame);
  };
}

function prioritiesOf(value: FeelValue, columns: readonly Column[], frame: Frame): readonly number[] {
  if (columns.every(({ ranks }) => ranks.length === 0)) return [];
  return columns.map(({ ranks, output }) => {
    const own = columns.length === 1 || !isFeelContext(value) ? value : propertyOf(value, output.name ?? '');
    return rankOf(own ?? null, ranks, frame);
  });
}

function rankOf(value: FeelValue, ranks: readonly Test[], frame: Frame): number {
  frame.run.meter.spend(ranks.length);
  const rank = ranks.findIndex((test) => test(frame, value) === true);
  return rank < 0 ? ranks.length : rank;
}
