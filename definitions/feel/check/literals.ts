/** Literals, lists, contexts, functions and `instance of`. */
import type { ContextLiteral, Expression, FunctionDefinition, InstanceOf, TypeExpression } from '../ast.ts';
import { constantOf } from '../compile/constants.ts';
import { readType } from '../compile/read-types.ts';
import { kindOf } from '../value-kind.ts';
import type { Checker } from './checker.ts';
import { DeclaredNames } from './names.ts';
import { anyType, simple, staticTypeOf, type StaticType } from './static-type.ts';

type Literal = Extract<Expression, { readonly kind: 'number' | 'string' | 'boolean' | 'null' | 'at' }>;

export function typeOfLiteral(node: Literal, checker: Checker): StaticType {
  if (node.kind !== 'at' && node.kind !== 'number') return simple(node.kind);
  const value = constantOf(node);
  if (value === undefined) {
    const message =
      node.kind === 'at'
        ? 'the text is no date, time or duration that there is; write it as @"2026-03-01" or @"PT1H"'
        : 'the number is too large';
    return checker.error('SUTRA.FEEL.VALUE_INVALID', node, message);
  }
  const kind = kindOf(value);
  return kind === 'list' || kind === 'context' || kind === 'range' || kind === 'function'
    ? anyType
    : simple(kind);
}

/** An entry sees those before it. */
export function typeOfContext(node: ContextLiteral, checker: Checker): StaticType {
  const entries = new Map<string, StaticType>();
  const inner = checker.within(new DeclaredNames(checker.names, entries));
  let isRepeated = false;
  for (const { key, value } of node.entries) {
    const type = inner.typeOf(value);
    if (entries.has(key.name)) {
      isRepeated = true;
      const message = `the context has the key '${key.name}' twice, so it is null; keep one`;
      checker.error('SUTRA.FEEL.VALUE_INVALID', key, message);
    }
    entries.set(key.name, type);
  }
  return isRepeated ? anyType : { kind: 'context', entries, others: 'impossible' };
}

export function typeOfFunction(node: FunctionDefinition, checker: Checker): StaticType {
  const parameters = node.parameters.map(({ type }) => (type === null ? anyType : typeNamed(type, checker)));
  const names = node.parameters.map(({ name }) => name.name);
  const types = new Map(names.map((name, index) => [name, parameters[index] ?? anyType]));
  const result = checker.within(new DeclaredNames(checker.names, types)).typeOf(node.body);
  return { kind: 'function', signature: { names }, parameters, result };
}

export function typeOfInstanceOf(node: InstanceOf, checker: Checker): StaticType {
  checker.typeOf(node.value);
  typeNamed(node.type, checker);
  return simple('boolean');
}

function typeNamed(node: TypeExpression, checker: Checker): StaticType {
  const type = readType(node, checker.types);
  if (type !== null) return staticTypeOf(type);
  const name = node.kind === 'named-type' ? ` '${node.path.join('.')}'` : ' of these names';
  return checker.error('SUTRA.FEEL.TYPE_UNKNOWN', node, `there is no type${name}`);
}
