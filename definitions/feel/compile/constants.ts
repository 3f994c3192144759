/** Literals, and lists of them: values that are known before anything runs. */
import type { Expression } from '../ast.ts';
import { fromText } from '../number-text.ts';
import type { FeelValue } from '../runtime.ts';
import { temporalFromText } from '../temporal/functions.ts';

/** The value of a literal. Undefined: the node is none, or stands for no value. */
export function constantOf(node: Expression): FeelValue | undefined {
  switch (node.kind) {
    case 'number':
      return fromText(node.text) ?? undefined;
    case 'string':
    case 'boolean':
      return node.value;
    case 'null':
      return null;
    case 'at':
      return temporalFromText(node.text) ?? undefined;
    case 'list':
      return constantList(node.items);
    default:
      return undefined;
  }
}

function constantList(items: readonly Expression[]): readonly FeelValue[] | undefined {
  const values: FeelValue[] = [];
  for (const item of items) {
    const value = constantOf(item);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}
