/** Boxed contexts, lists and relations. Source: DMN 1.5, 7.3.5 to 7.3.7. */
import { quoteText } from '../../config/quote-text.ts';
import { evaluateAll, type Code } from '../feel/compile/evaluation.ts';
import { buildContext, type EntryCode } from '../feel/compile/literals.ts';
import { NameScope } from '../feel/compile/scope.ts';
import type { BoxedScope, Compiled } from './compile-scope.ts';
import { typed } from './compile-typed.ts';
import { commonItem } from './inferred-type.ts';
import { anyItem, contextItem, listItem, type ItemType } from './item-types.ts';
import type { BoxedContext, BoxedExpression, BoxedList, BoxedRelation, Variable } from './model.ts';

/** Units for an entry of a context, or an item of a list, besides what is in it. */
const ENTRY_UNITS = 3;
/** What a context or a list takes of the stack besides what is in it. */
const OWN_HEIGHT = 3;

/** Nothing is written: null. */
export const nothing: Compiled = { code: () => null, type: anyItem, height: 1 };

/** The value of a variable, as one of its type. */
export function compileVariable(
  { name, type, place }: Variable,
  value: BoxedExpression | null,
  scope: BoxedScope,
): Compiled {
  const compiled = value === null ? nothing : scope.compile(value);
  return typed(compiled, scope.typeOf(type), `the value of ${quoteText(name)}`, place);
}

/** An entry sees those before it. With a result, entries that nobody names are not evaluated. */
export function compileContext(node: BoxedContext, scope: BoxedScope): Compiled {
  const parts: { readonly name: string; readonly compiled: Compiled; readonly scope: NameScope }[] = [];
  const types = new Map<string, ItemType>();
  let inner = scope;
  for (const { variable, value } of node.entries) {
    const { name } = variable;
    const compiled = compileVariable(variable, value, inner);
    types.set(name, compiled.type);
    const entryScope = new NameScope(inner.scope, name);
    inner = inner.declaring(entryScope, new Map([[name, compiled.type]]));
    parts.push({ name, compiled, scope: entryScope });
  }
  const result = node.result === null ? null : inner.compile(node.result);
  const entries = parts.map(({ name, compiled, scope: { slot } }): EntryCode => ({
    key: name,
    value: compiled.code,
    slot,
  }));
  const height = OWN_HEIGHT + heightOf([...parts.map(({ compiled }) => compiled), result ?? nothing]);
  if (result !== null) return { code: withResult(entries, result.code), type: result.type, height };
  const units = (entries.length + 1) * ENTRY_UNITS;
  return {
    code: (frame) => {
      frame.run.meter.spend(units);
      return buildContext(entries, frame);
    },
    type: contextItem(types),
    height,
  };
}

function withResult(entries: readonly EntryCode[], result: Code): Code {
  return (frame) => {
    frame.run.meter.spend(entries.length + 1);
    for (const { value, slot } of entries) if (slot !== null) frame.slots[slot] = value(frame);
    return result(frame);
  };
}

function heightOf(parts: readonly Compiled[]): number {
  return parts.reduce((most, { height }) => Math.max(most, height), 0);
}

export function compileList(node: BoxedList, scope: BoxedScope): Compiled {
  const items = node.items.map((item) => (item === null ? nothing : scope.compile(item)));
  return listOf(items, commonItem(items.map(({ type }) => type)));
}

function listOf(items: readonly Compiled[], element: ItemType): Compiled {
  const codes = items.map(({ code }) => code);
  const units = (codes.length + 1) * ENTRY_UNITS;
  return {
    code: (frame) => {
      frame.run.meter.spend(units);
      return evaluateAll(codes, frame);
    },
    type: listItem(element),
    height: OWN_HEIGHT + heightOf(items),
  };
}

/** A list of contexts, a row each. Cells do not see each other. */
export function compileRelation({ columns, rows }: BoxedRelation, scope: BoxedScope): Compiled {
  const names = columns.map(({ name }) => name);
  const rowType = contextItem(new Map(columns.map(({ name, type }) => [name, scope.typeOf(type)])));
  const contexts = rows.map((row): Compiled => {
    const cells = columns.map((column, index) => compileVariable(column, row[index] ?? null, scope));
    const entries = cells.map(({ code }, index): EntryCode => ({
      key: names[index] ?? '',
      value: code,
      slot: null,
    }));
    const units = (entries.length + 1) * ENTRY_UNITS;
    return {
      code: (frame) => {
        frame.run.meter.spend(units);
        return buildContext(entries, frame);
      },
      type: rowType,
      height: OWN_HEIGHT + heightOf(cells),
    };
  });
  return listOf(contexts, rowType);
}
