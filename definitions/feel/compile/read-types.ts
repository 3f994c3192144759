/** Types as they are written, and the types of what expressions give, as far as the text tells. */
import type { Arithmetic, Expression, FunctionDefinition, TypeExpression } from '../ast.ts';
import { Temporal } from '../../value.ts';
import { constantOf } from './constants.ts';
import type { TypeLookup } from './scope.ts';
import { anyType, namedTypes, type FeelType, type FunctionType } from './conformance.ts';

/** Null: it names a type that there is not. */
export function readType(node: TypeExpression, lookup: TypeLookup): FeelType | null {
  switch (node.kind) {
    case 'named-type': {
      const [name = ''] = node.path;
      const standard = node.path.length === 1 ? namedTypes.get(name) : undefined;
      return lookup(node.path) ?? standard ?? null;
    }
    case 'list-type':
    case 'range-type': {
      const element = readType(node.element, lookup);
      return element === null ? null : { kind: node.kind === 'list-type' ? 'list' : 'range', element };
    }
    case 'context-type': {
      const entries = new Map<string, FeelType>();
      for (const { name, type } of node.entries) {
        const entry = readType(type, lookup);
        if (entry === null) return null;
        entries.set(name.name, entry);
      }
      return { kind: 'context', entries };
    }
    case 'function-type': {
      const result = readType(node.result, lookup);
      const parameters = node.parameters.map((parameter) => readType(parameter, lookup));
      const known = parameters.filter((parameter) => parameter !== null);
      return result === null || known.length < parameters.length
        ? null
        : { kind: 'function', parameters: known, result };
    }
  }
}

/** Types of the names that are declared around an expression. */
type Known = ReadonlyMap<string, FeelType>;

/** The type of a function, from the types of its parameters and what its body is made of. */
export function typeOfDefinition(
  node: FunctionDefinition,
  lookup: TypeLookup,
  around: Known = new Map(),
): FunctionType {
  const parameters = node.parameters.map(({ type }) =>
    type === null ? anyType : (readType(type, lookup) ?? anyType),
  );
  const known = new Map(around);
  for (const [index, { name }] of node.parameters.entries())
    known.set(name.name, parameters[index] ?? anyType);
  return { kind: 'function', parameters, result: typeOf(node.body, lookup, known) };
}

/** `Any` where the text does not tell. */
function typeOf(node: Expression, lookup: TypeLookup, known: Known): FeelType {
  switch (node.kind) {
    case 'comparison':
    case 'between':
    case 'in':
    case 'conjunction':
    case 'disjunction':
    case 'quantified':
    case 'equality-test':
    case 'instance-of':
      return { kind: 'boolean' };
    case 'name':
      return known.get(node.name) ?? anyType;
    case 'arithmetic':
      return typeOfArithmetic(node, lookup, known);
    case 'negation':
      return typeOf(node.operand, lookup, known);
    case 'list':
      return { kind: 'list', element: common(node.items.map((item) => typeOf(item, lookup, known))) };
    case 'range': {
      const ends = [node.start, node.end].filter((end) => end !== null);
      return { kind: 'range', element: common(ends.map((end) => typeOf(end, lookup, known))) };
    }
    case 'if':
      return common([node.consequent, node.alternative].map((part) => typeOf(part, lookup, known)));
    case 'for': {
      const declared = [...node.iterations.map(({ variable }) => variable.name), 'partial'];
      return { kind: 'list', element: typeOf(node.body, lookup, without(known, declared)) };
    }
    case 'context': {
      const entries = new Map(known);
      for (const { key, value } of node.entries) entries.set(key.name, typeOf(value, lookup, entries));
      return {
        kind: 'context',
        entries: new Map(node.entries.map(({ key }) => [key.name, entries.get(key.name) ?? anyType])),
      };
    }
    case 'function':
      return typeOfDefinition(node, lookup, known);
    default:
      return typeOfConstant(node);
  }
}

function typeOfConstant(node: Expression): FeelType {
  const value = constantOf(node);
  if (value instanceof Temporal) return { kind: value.kind };
  switch (node.kind) {
    case 'number':
    case 'string':
    case 'boolean':
    case 'null':
      return { kind: node.kind };
    default:
      return anyType;
  }
}

function typeOfArithmetic(node: Arithmetic, lookup: TypeLookup, known: Known): FeelType {
  const left = typeOf(node.left, lookup, known);
  const right = typeOf(node.right, lookup, known);
  const isSame = left.kind === right.kind;
  if (isSame && left.kind === 'number') return left;
  return isSame && left.kind === 'string' && node.operator === '+' ? left : anyType;
}

/** One that all of them are of. */
function common(types: readonly FeelType[]): FeelType {
  const [first = anyType, ...others] = types.filter(({ kind }) => kind !== 'null');
  const isSimple = ['boolean', 'number', 'string'].includes(first.kind);
  return others.length === 0 || (isSimple && others.every(({ kind }) => kind === first.kind))
    ? first
    : anyType;
}

function without(known: Known, names: readonly string[]): Known {
  return new Map([...known].filter(([name]) => !names.includes(name)));
}
