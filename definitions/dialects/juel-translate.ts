/**
 * JUEL, the expressions of Camunda 7, Activiti, Flowable and Operaton, to FEEL.
 *
 * J1 What is translated compiles, and nothing is thrown for a text, whatever it is.
 * J2 Where FEEL would silently give another result for values of the types that the text shows, it is written so that it
 *    gives the same, or the text is refused. What else differs is listed in juel-differences.ts.
 * J3 Each place in the FEEL text is that of something in the JUEL text.
 *
 * Source: JSR 245, Expression Language 2.2, and JUEL 2.2 where that says nothing: methods, escapes, null properties.
 */
import { compileExpression, FeelSyntaxError } from '../feel.ts';
import { asValue, called, type FeelText, quoted, written } from './juel-feel-text.ts';
import { JuelFault, type JuelRefusalReason } from './juel-fault.ts';
import { functionCall } from './juel-functions.ts';
import { methodCall } from './juel-methods.ts';
import { binaryOperators, conditional, unaryOperators } from './juel-operators.ts';
import { parseJuel } from './juel-parse.ts';
import { element, property, type Replacements, variable } from './juel-paths.ts';
import type { JuelNode, JuelPart } from './juel-tree.ts';

export type JuelTranslation =
  | {
      readonly kind: 'feel';
      readonly text: string;
      /** For each offset in `text`, and for its end, that of what it says in the JUEL text. */
      readonly offsets: readonly number[];
    }
  | {
      readonly kind: 'refused';
      /** What is wrong, and what to do instead. */
      readonly message: string;
      /** In the JUEL text. */
      readonly offset: number;
      readonly reason: JuelRefusalReason;
    };

export interface JuelOptions {
  /**
   * FEEL for what the source calls otherwise, by the name or the path there, as `['nrOfInstances', 'numberOfInstances']` and
   * `['execution.processBusinessKey', 'businessKey']`. Default: none; names stay as they are.
   */
  readonly replacements?: Replacements;
}

/** A longer text is refused. */
const MAX_LENGTH = 10_000;

/**
 * Translates the text of an attribute or an element: `${…}` and `#{…}` to an expression, several and those with text around
 * them to one that joins texts, and what has none of them to a literal text. White space around it all is left out, as those
 * engines do.
 */
export function translateJuel(text: string, { replacements = new Map() }: JuelOptions = {}): JuelTranslation {
  try {
    return compiled(translation(text, replacements));
  } catch (error) {
    if (!(error instanceof JuelFault)) throw error;
    const { reason, message, offset } = error;
    return { kind: 'refused', reason, message, offset: Math.min(offset, text.length) };
  }
}

function translation(text: string, replacements: Replacements): FeelText {
  if (text.length > MAX_LENGTH) {
    throw new JuelFault('size', `the text is longer than ${MAX_LENGTH} characters; shorten it`, 0);
  }
  const end = text.trimEnd().length;
  const start = Math.min(end, text.length - text.trimStart().length);
  const parts = parseJuel(text, start, end);
  const translate = (node: JuelNode): FeelText => translated(node, replacements);
  const [first, second] = parts;
  return first?.kind === 'expression' && second === undefined
    ? translate(first.node)
    : joined(parts, start, translate);
}

/** @throws JuelFault when it does not compile: it is too long then, or too deep. */
function compiled({ pieces }: FeelText): JuelTranslation {
  const text = pieces.map((piece) => piece.text).join('');
  const offsets = pieces.flatMap(({ text: { length }, offset }) => new Array<number>(length).fill(offset));
  offsets.push(offsets.at(-1) ?? 0);
  try {
    compileExpression(text);
  } catch (error) {
    if (!(error instanceof FeelSyntaxError)) throw error;
    // It has one line.
    const offset = offsets[error.column - 1] ?? 0;
    throw new JuelFault('size', `in FEEL ${error.message}; make several expressions of it`, offset);
  }
  return { kind: 'feel', text, offsets };
}

/** One text of several parts; null is no text, as in JUEL. */
function joined(
  parts: readonly JuelPart[],
  start: number,
  translate: (node: JuelNode) => FeelText,
): FeelText {
  const texts: FeelText[] = [];
  for (const part of parts) {
    const next =
      part.kind === 'text' ? stringLiteral(part.text, part.offset) : textOf(part.node, translate(part.node));
    const last = texts.at(-1);
    if (last === undefined || last.literal === null || next.literal === null) texts.push(next);
    else texts[texts.length - 1] = stringLiteral(last.literal + next.literal, last.offset);
  }
  const [first, second] = texts;
  if (first === undefined) return stringLiteral('', start);
  if (second === undefined && first.literal !== null) return first;
  const listed = texts.flatMap((text, index) => (index === 0 ? [text] : [', ', text]));
  return written(start, ['string join([', ...listed, '])'], { kind: 'string' });
}

/** A literal, where the text is the same at all times. */
function textOf(node: JuelNode, value: FeelText): FeelText {
  const { offset } = node;
  if (value.kind === 'string') return value;
  if (node.kind === 'null') return stringLiteral('', offset);
  if (node.kind === 'boolean') return stringLiteral(String(node.value), offset);
  if (node.kind === 'number' && /^(?:0|[1-9]\d*)$/.test(node.text)) return stringLiteral(node.text, offset);
  return called(offset, 'string', [asValue(value)]);
}

function stringLiteral(text: string, offset: number): FeelText {
  if (!text.isWellFormed()) {
    throw new JuelFault(
      'syntax',
      'this text has half of a surrogate pair; write the whole character',
      offset,
    );
  }
  return written(offset, [quoted(text)], { kind: 'string', literal: text, isPlain: true });
}

function translated(node: JuelNode, replacements: Replacements): FeelText {
  const of = (inner: JuelNode): FeelText => translated(inner, replacements);
  const { offset } = node;
  switch (node.kind) {
    case 'string':
      return stringLiteral(node.value, offset);
    case 'number':
      return numberLiteral(node.text, offset);
    case 'boolean':
      return written(offset, [String(node.value)], { kind: 'boolean', isTotal: true, isPlain: true });
    case 'null':
      return written(offset, ['null'], { kind: 'null', isPlain: true });
    case 'name':
      return variable(node.name, offset, replacements);
    case 'property':
      return property(of(node.base), node.name, offset, replacements);
    case 'index':
      return element(of(node.base), of(node.index), offset, replacements);
    case 'method':
      return methodCall({
        base: of(node.base),
        method: node.method,
        args: node.args.map(of),
        offset,
        replacements,
      });
    case 'function':
      return functionCall({ name: node.name, args: node.args.map(of), offset, replacements });
    case 'unary':
      return unaryOperators[node.operator](of(node.operand), offset);
    case 'binary':
      return binaryOperators[node.operator](of(node.left), of(node.right), offset);
    case 'conditional':
      return conditional(of(node.condition), [of(node.consequent), of(node.alternative)], offset);
  }
}

/** Whole numbers are those of 64 bits, others those of IEEE 754; FEEL has no zeros before them. */
function numberLiteral(text: string, offset: number): FeelText {
  const [, whole = '', fraction = '', exponent = ''] = /^(\d*)\.?(\d*)(?:[eE]\+?(-?\d+))?$/.exec(text) ?? [];
  const isWhole = /^\d+$/.test(text);
  if (isWhole ? BigInt(text) > 2n ** 63n - 1n : !Number.isFinite(Number(text))) {
    throw new JuelFault('syntax', 'this number is larger than those that JUEL reads', offset);
  }
  const feel =
    (whole.replace(/^0+(?=\d)/, '') || '0') +
    (fraction === '' ? '' : `.${fraction}`) +
    (exponent === '' ? '' : `e${exponent}`);
  return written(offset, [feel], { kind: 'number', literal: feel, isPlain: true });
}
