/**
 * What JUEL gives, by its own rules, for the trees and data of the property tests: what translations are compared with.
 *
 * It throws `Fails` where JUEL does, and `Differs` where the result is one of those that are known to differ
 * (juel-differences.ts).
 */
import type { JuelBinaryOperator, JuelNode, JuelPart } from '../../../definitions/dialects/juel-tree.ts';

/** Data of the tests: whole numbers and simple fractions only. */
export type Data = null | boolean | number | string | readonly Data[] | Record_;
export interface Record_ {
  readonly [key: string]: Data;
}

export class Fails extends Error {}
export class Differs extends Error {}

type Of<Kind extends JuelNode['kind']> = Extract<JuelNode, { readonly kind: Kind }>;

export function juelText(parts: readonly JuelPart[], scope: Record_): string {
  return parts
    .map((part) => (part.kind === 'text' ? part.text : textOf(juelValue(part.node, scope))))
    .join('');
}

function textOf(value: Data): string {
  if (value === null) return '';
  if (typeof value === 'object') throw new Differs('a list in a text');
  if (typeof value === 'number') throw new Differs('a number may have a fraction of 0');
  return String(value);
}

export function juelValue(node: JuelNode, scope: Record_): Data {
  const of = (inner: JuelNode): Data => juelValue(inner, scope);
  switch (node.kind) {
    case 'string':
    case 'boolean':
      return node.value;
    case 'number':
      return Number(node.text);
    case 'null':
      return null;
    case 'name':
      return own(scope, node.name) ?? missing(scope, node.name);
    case 'property':
      return propertyOf(of(node.base), node.name);
    case 'index':
      return elementOf(of(node.base), of(node.index));
    case 'method':
      return methodOf(of(node.base), node.method, node.args.map(of));
    case 'function':
      throw new Fails('no function');
    case 'unary':
      return unary(node, of(node.operand));
    case 'binary':
      return binary(node, of);
    case 'conditional':
      return truth(of(node.condition)) ? of(node.consequent) : of(node.alternative);
  }
}

function own(record: Record_, name: string): Data | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function missing(scope: Record_, name: string): null {
  if (Object.hasOwn(scope, name)) return null;
  throw new Fails('no variable');
}

function isList(value: Data): value is readonly Data[] {
  return Array.isArray(value);
}

function isRecord(value: Data): value is Record_ {
  return typeof value === 'object' && value !== null && !isList(value);
}

function propertyOf(base: Data, name: string): Data {
  if (base === null) return null;
  if (!isRecord(base)) throw new Fails('no properties');
  return own(base, name) ?? null;
}

function elementOf(base: Data, index: Data): Data {
  if (base === null || index === null) return null;
  if (isRecord(base)) {
    if (typeof index === 'string') return propertyOf(base, index);
    throw new Differs('a key that is no text');
  }
  if (!isList(base)) throw new Fails('no elements');
  if (typeof index !== 'number') throw new Differs('an index that is converted');
  if (index < 0 || !Number.isInteger(index)) throw new Differs('an index below 0, or between two');
  return base[index] ?? null;
}

function methodOf(base: Data, method: string, args: readonly Data[]): Data {
  const [arg = null] = args;
  if (base === null) throw new Fails('a method of null');
  if (method === 'equals') return isEqual(base, arg);
  if (method === 'toString') return textOf(base);
  if (typeof base === 'string') return methodOfText(base, method, arg);
  if (method === 'size' || method === 'isEmpty') {
    if (typeof base !== 'object') throw new Fails('no such method');
    const size = Object.keys(base).length;
    return method === 'size' ? size : size === 0;
  }
  if (method === 'contains' && isList(base)) return base.some((element) => isEqual(element, arg));
  if (method === 'containsKey' && isRecord(base)) return typeof arg === 'string' && Object.hasOwn(base, arg);
  throw new Fails('no such method');
}

function methodOfText(base: string, method: string, arg: Data): Data {
  if (method === 'isEmpty') return base === '';
  if (method === 'length') return base.length;
  if (method === 'toUpperCase') return base.toUpperCase();
  if (method === 'toLowerCase') return base.toLowerCase();
  if (typeof arg !== 'string') throw new Fails('no such method');
  if (method === 'contains') return base.includes(arg);
  if (method === 'startsWith') return base.startsWith(arg);
  if (method === 'endsWith') return base.endsWith(arg);
  if (method === 'equalsIgnoreCase') return base.toLowerCase() === arg.toLowerCase();
  throw new Fails('no such method');
}

/** Java's: of two of one type. Two lists with elements of several types are null to FEEL. */
function isEqual(one: Data, other: Data): boolean {
  if (JSON.stringify(one) === JSON.stringify(other)) return true;
  if (typeof one === 'object' && typeof other === 'object' && one !== null && other !== null)
    throw new Differs('lists are compared');
  return false;
}

function truth(value: Data): boolean {
  if (value === null) return false;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') throw new Differs('a text that is converted');
  throw new Fails('no truth value');
}

function numberOf(value: Data): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' || value === null) throw new Differs('what is converted to a number');
  throw new Fails('no number');
}

function unary({ operator }: Of<'unary'>, operand: Data): Data {
  if (operator === '!') return !truth(operand);
  if (operator === '-') return -numberOf(operand);
  if (operand === null || operand === '') return true;
  return typeof operand === 'object' && Object.keys(operand).length === 0;
}

function binary({ operator, left, right }: Of<'binary'>, of: (node: JuelNode) => Data): Data {
  if (operator === '&&') return truth(of(left)) && truth(of(right));
  if (operator === '||') return truth(of(left)) || truth(of(right));
  const [one, other] = [of(left), of(right)];
  if (operator === '==' || operator === '!=') {
    const isSame = areEqual(one, other, [left, right]);
    return operator === '==' ? isSame : differs(isSame, one, other);
  }
  if (operator === '<' || operator === '<=' || operator === '>' || operator === '>=')
    return inOrder(operator, one, other);
  return calculated(operator, numberOf(one), numberOf(other));
}

/** What is unequal by its type is null to FEEL, and its opposite too. */
function differs(isSame: boolean, one: Data, other: Data): boolean {
  if (!isSame && one !== null && other !== null && isList(one) !== isList(other))
    throw new Differs('two types');
  return !isSame;
}

function areEqual(one: Data, other: Data, nodes: readonly JuelNode[]): boolean {
  if (one === null || other === null) return one === other;
  if (typeof one === typeof other) {
    if (isList(one) !== isList(other)) throw new Differs('two types');
    return isEqual(one, other);
  }
  const values = [one, other];
  const texts = values.filter((value) => typeof value === 'string');
  const [text] = texts;
  if (text === undefined) {
    if (
      values.some((value) => typeof value === 'object' && value !== null) &&
      values.some((value) => typeof value === 'boolean')
    )
      throw new Fails('no truth value');
    throw new Fails('nothing to compare');
  }
  const isLiteral = nodes.some((node) => node.kind === 'string' && node.value === text);
  if (!isLiteral) throw new Differs('a text that is converted');
  if (values.some((value) => typeof value === 'number')) return values.includes(spelledNumber(text));
  if (values.includes(true) || values.includes(false)) {
    if (text !== 'true' && text !== 'false') throw new Differs('a text that is no truth value');
    return values.includes(text === 'true');
  }
  throw new Differs('a list and a text');
}

function spelledNumber(text: string): number {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new Fails('no number');
  if (/^-?0\d/.test(text)) throw new Differs('a number with zeros before it');
  return Number(text);
}

function inOrder(operator: '<' | '<=' | '>' | '>=', one: Data, other: Data): boolean {
  if (one === null || other === null) {
    if (one === other && operator.endsWith('=')) throw new Differs('null beside null');
    return false;
  }
  if (typeof one !== typeof other) throw new Differs('what is converted');
  if (typeof one === 'object' || typeof one === 'boolean') throw new Fails('no order');
  return operator.startsWith('<')
    ? one < other || (operator === '<=' && one === other)
    : one > other || (operator === '>=' && one === other);
}

function calculated(operator: JuelBinaryOperator, one: number, other: number): number {
  if (other === 0 && (operator === '/' || operator === '%')) throw new Differs('divided by zero');
  const results: Partial<Record<JuelBinaryOperator, number>> = {
    '+': one + other,
    '-': one - other,
    '*': one * other,
    '/': one / other,
    '%': one % other,
  };
  const result = results[operator] ?? 0;
  // Exact as a binary and as a decimal fraction.
  if (Math.abs(result) > 2 ** 30 || !Number.isInteger(result * 2 ** 20)) throw new Differs('too many digits');
  return result;
}
