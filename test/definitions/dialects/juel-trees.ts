/** Trees and data for the property tests of JUEL, and the texts of such trees. */
import fc from 'fast-check';
import type { JuelBinaryOperator, JuelNode, JuelPart } from '../../../definitions/dialects/juel-tree.ts';
import type { Record_ } from './juel-evaluator.ts';

const offset = 0;

const texts = ['', 'a', 'ab', 'B', 'true', 'false', '5', '0.5', '05', 'x"y\\', "it's", 'a\nb', '}'];
const keys = ['n', 's', 'b', 'for', 'a-b', '$', 'none'];

const record = fc.record({
  n: fc.integer({ min: -3, max: 5 }),
  s: fc.constantFrom(...texts),
  b: fc.boolean(),
  for: fc.constant('key'),
  'a-b': fc.constant(5),
  i: fc.integer({ min: 0, max: 2 }),
  none: fc.constant(null),
});

/** Variables by what they mostly hold. `date` and the like begin a name of FEEL's own. */
const numbers = ['n', 'm', 'h', 'i', 'loopCounter'];
const strings = ['s', 't'];
const booleans = ['b', 'c', 'date', 'time', 'years', 'months', 'value'];
const lists = ['xs', 'ss', 'os', 'other'];
export const variableNames = [...numbers, ...strings, ...booleans, ...lists, 'o', 'z'];

export const scopes: fc.Arbitrary<Record_> = fc.record({
  n: fc.integer({ min: -9, max: 9 }),
  m: fc.constantFrom(1, 2, 4, -2),
  h: fc.constantFrom(0.5, -1.5, 0),
  i: fc.integer({ min: 0, max: 3 }),
  loopCounter: fc.integer({ min: 0, max: 2 }),
  s: fc.constantFrom(...texts),
  t: fc.constantFrom<(string | null)[]>(...texts, null),
  b: fc.boolean(),
  c: fc.option(fc.boolean()),
  date: fc.boolean(),
  time: fc.boolean(),
  years: fc.boolean(),
  months: fc.boolean(),
  value: fc.boolean(),
  xs: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
  ss: fc.array(fc.constantFrom(...texts), { maxLength: 2 }),
  os: fc.array(record, { maxLength: 3 }),
  other: fc.array(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 2 }), { maxLength: 2 }),
  o: fc.oneof({ weight: 5, arbitrary: record }, { weight: 1, arbitrary: fc.constant<Record_>({}) }),
  z: fc.constant(null),
});

type Tied = 'number' | 'string' | 'boolean' | 'list' | 'record' | 'any';
type Node = fc.Arbitrary<JuelNode>;

function name(names: readonly string[]): Node {
  return fc.constantFrom(...names).map((found): JuelNode => ({ kind: 'name', name: found, offset }));
}

function binary(operators: readonly JuelBinaryOperator[], left: Node, right: Node): Node {
  return fc
    .record({ operator: fc.constantFrom(...operators), left, right })
    .map((parts): JuelNode => ({ kind: 'binary', ...parts, offset }));
}

function unary(operator: '!' | '-' | 'empty', operand: Node): Node {
  return operand.map((inner): JuelNode => ({ kind: 'unary', operator, operand: inner, offset }));
}

function conditional(condition: Node, branch: Node): Node {
  return fc
    .record({ condition, consequent: branch, alternative: branch })
    .map((parts): JuelNode => ({ kind: 'conditional', ...parts, offset }));
}

function property(base: Node, names: readonly string[]): Node {
  const plain = names.filter((found) => /^[\w$]+$/.test(found));
  const dotted = fc
    .record({ base, name: fc.constantFrom(...plain) })
    .map((parts): JuelNode => ({ kind: 'property', ...parts, offset }));
  return fc.oneof(dotted, index(base, string(names)));
}

function index(base: Node, at: Node): Node {
  return fc.record({ base, index: at }).map((parts): JuelNode => ({ kind: 'index', ...parts, offset }));
}

function method(base: Node, methods: readonly string[], ...args: readonly Node[]): Node {
  return fc
    .record({ base, method: fc.constantFrom(...methods), args: fc.tuple(...args) })
    .map((parts): JuelNode => ({ kind: 'method', ...parts, offset }));
}

function string(values: readonly string[]): Node {
  return fc.constantFrom(...values).map((value): JuelNode => ({ kind: 'string', value, offset }));
}

const number = fc
  .constantFrom('0', '1', '2', '3', '5', '007', '.5', '1.50', '2.', '1e1')
  .map((text): JuelNode => ({ kind: 'number', text, offset }));
const divisor = fc.constantFrom('1', '2', '4').map((text): JuelNode => ({ kind: 'number', text, offset }));
const nothing = fc.constant<JuelNode>({ kind: 'null', offset });
const truth = fc.boolean().map((value): JuelNode => ({ kind: 'boolean', value, offset }));

/** Of each kind mostly; a few of any kind among them, and null. */
const trees = fc.letrec<Record<Tied, JuelNode>>((tie) => {
  const of = (kind: Tied): Node =>
    fc.oneof({ weight: 15, arbitrary: tie(kind) }, { weight: 1, arbitrary: tie('any') });
  const options = { maxDepth: 4, depthSize: 'small' } as const;
  return {
    number: fc.oneof(
      options,
      fc.oneof(number, name(numbers)),
      binary(['+', '-', '*'], of('number'), of('number')),
      fc.oneof(binary(['/', '%'], of('number'), divisor), binary(['%'], of('number'), of('number'))),
      unary('-', of('number')),
      conditional(of('boolean'), of('number')),
      fc.oneof(property(of('record'), ['n', 'i', 'a-b', 'none']), index(name(['xs']), of('number'))),
      fc.oneof(
        method(of('list'), ['size']),
        method(of('string'), ['length']),
        method(of('record'), ['size']),
      ),
    ),
    string: fc.oneof(
      options,
      fc.oneof(string(texts), name(strings)),
      fc.oneof(property(of('record'), ['s', 'for', 'none']), index(name(['ss']), of('number'))),
      method(of('string'), ['toUpperCase', 'toLowerCase', 'toString']),
      conditional(of('boolean'), of('string')),
    ),
    boolean: fc.oneof(
      options,
      fc.oneof(truth, name(booleans)),
      binary(['&&', '||'], of('boolean'), of('boolean')),
      fc.oneof(unary('!', of('boolean')), unary('empty', tie('any'))),
      comparison(of),
      fc.oneof(
        method(of('list'), ['contains'], of('number')),
        method(name(['xs']), ['contains'], name(numbers)),
        method(of('string'), ['contains', 'startsWith', 'endsWith', 'equalsIgnoreCase'], of('string')),
        method(tie('any'), ['equals'], of('any')),
        method(of('record'), ['containsKey'], string(keys)),
        method(tie('any'), ['isEmpty']),
      ),
      fc.oneof(conditional(of('boolean'), of('boolean')), property(of('record'), ['b', 'none'])),
    ),
    list: fc.oneof(
      options,
      name(lists),
      index(name(['other']), of('number')),
      conditional(of('boolean'), of('list')),
    ),
    record: fc.oneof(
      options,
      name(['o']),
      index(name(['os']), of('number')),
      index(name(['os']), name(['i'])),
    ),
    any: fc.oneof(
      options,
      nothing,
      name(['z', ...variableNames]),
      tie('number'),
      tie('string'),
      tie('boolean'),
      tie('list'),
    ),
  };
});

function comparison(of: (kind: Tied) => Node): Node {
  const both = (operators: readonly JuelBinaryOperator[], kind: Tied): Node =>
    binary(operators, of(kind), of(kind));
  return fc.oneof(
    both(['<', '<=', '>', '>=', '==', '!='], 'number'),
    both(['<', '<=', '>', '>=', '==', '!='], 'string'),
    both(['==', '!='], 'boolean'),
    // What a literal may stand for.
    binary(['==', '!='], name(variableNames), string(texts)),
    binary(['==', '!='], of('any'), nothing),
  );
}

export const values: Node = fc.oneof(
  { weight: 3, arbitrary: trees.number },
  { weight: 1, arbitrary: trees.string },
  { weight: 5, arbitrary: trees.boolean },
  { weight: 1, arbitrary: trees.any },
);

const around = fc
  .oneof(
    fc.constantFrom('Order ', ' of ', '$', '#{x', '${x}', '\\', '\\${', '{', '}', '"', '\n', '#', 'a\\b'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }),
  )
  // A backslash before an expression would make it text.
  .filter((text) => !text.endsWith('\\'))
  .map((text): JuelPart => ({ kind: 'text', text, offset }));
const expression = fc
  .oneof(trees.string, trees.boolean, trees.number, nothing)
  .map((node): JuelPart => ({ kind: 'expression', node }));

/** Text and expressions in turn, as they are read: at least two parts, no white space at the ends. */
export const composites: fc.Arbitrary<readonly JuelPart[]> = fc
  .array(fc.oneof(around, expression), { minLength: 2, maxLength: 4 })
  .filter((parts) => {
    const [first, last] = [parts[0], parts.at(-1)];
    const isTrimmed = [first, last].every((part) => part?.kind !== 'text' || part.text.trim() === part.text);
    const isInTurn = parts.every((part, at) => part.kind !== 'text' || parts[at + 1]?.kind !== 'text');
    return isTrimmed && isInTurn;
  });

/** As loose as it may be without parentheses. */
const strengths: Readonly<Record<JuelBinaryOperator, number>> = {
  ...{ '||': 1, '&&': 2, '==': 3, '!=': 3, '<': 4, '<=': 4, '>': 4, '>=': 4 },
  ...{ '+': 5, '-': 5, '*': 6, '/': 6, '%': 6 },
};

/** The tree in JUEL, with no parentheses but those that it needs. */
export function printJuel(node: JuelNode, least = 0): string {
  const [strength, text] = printed(node);
  return strength < least ? `(${text})` : text;
}

function printed(node: JuelNode): readonly [strength: number, text: string] {
  switch (node.kind) {
    case 'string':
      return [9, `'${node.value.replace(/['\\]/g, '\\$&')}'`];
    case 'number':
      // A dot after the digits would be a part of them.
      return [8, node.text];
    case 'boolean':
      return [9, String(node.value)];
    case 'null':
      return [9, 'null'];
    case 'name':
      return [9, node.name];
    case 'property':
      return [9, `${printJuel(node.base, 9)}.${node.name}`];
    case 'index':
      return [9, `${printJuel(node.base, 9)}[${printJuel(node.index)}]`];
    case 'method':
      return [
        9,
        `${printJuel(node.base, 9)} .${node.method}(${node.args.map((arg) => printJuel(arg)).join(', ')})`,
      ];
    case 'function':
      return [9, `${node.name}(${node.args.map((arg) => printJuel(arg)).join(', ')})`];
    case 'unary':
      return [7, `${node.operator} ${printJuel(node.operand, 7)}`];
    case 'binary': {
      const strength = strengths[node.operator];
      const [left, right] = [printJuel(node.left, strength), printJuel(node.right, strength + 1)];
      return [strength, `${left} ${node.operator} ${right}`];
    }
    case 'conditional':
      return [
        0,
        `${printJuel(node.condition, 1)} ? ${printJuel(node.consequent)} : ${printJuel(node.alternative)}`,
      ];
  }
}

export function printParts(parts: readonly JuelPart[]): string {
  return parts
    .map((part) =>
      part.kind === 'text' ? part.text.replace(/[$#]\{/g, '\\$&') : `\${${printJuel(part.node)}}`,
    )
    .join('');
}
