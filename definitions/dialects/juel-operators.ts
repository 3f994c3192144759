/**
 * JUEL's operators in FEEL.
 *
 * O1 What JUEL does with null is kept where it says false: conditions, `!`, `==`, `!=`, `empty`. In arithmetic null is 0 to
 *    JUEL, and FEEL's result is null.
 * O2 A boolean that is used as a value is never null, as in JUEL. One that decides something may be: that is as false.
 * O3 JUEL converts texts to numbers and booleans. That is kept where a literal tells what may be meant, as in `x == 'true'`
 *    and `x == '5'`; where a literal tells that it is needed or fails, as in `'5' + 1`, the text is refused.
 *
 * Source: JSR 245, Expression Language 2.2, 1.7 to 1.12 and 1.18.
 */
import { asValue, atLeast, called, levels, withOperands, written, type FeelText } from './juel-feel-text.ts';
import { JuelFault } from './juel-fault.ts';
import type { JuelBinaryOperator } from './juel-tree.ts';

type Binary = (left: FeelText, right: FeelText, offset: number) => FeelText;

export const binaryOperators = {
  '||': (left, right, offset) => logical('or', levels.or, [left, right], offset),
  '&&': (left, right, offset) => logical('and', levels.and, [left, right], offset),
  '==': (left, right, offset) => equality('=', left, right, offset),
  '!=': (left, right, offset) => equality('!=', left, right, offset),
  '<': (left, right, offset) => ordering('<', left, right, offset),
  '<=': (left, right, offset) => ordering('<=', left, right, offset),
  '>': (left, right, offset) => ordering('>', left, right, offset),
  '>=': (left, right, offset) => ordering('>=', left, right, offset),
  '+': (left, right, offset) => arithmetic('+', levels.sum, [left, right], offset),
  '-': (left, right, offset) => arithmetic('-', levels.sum, [left, right], offset),
  '*': (left, right, offset) => arithmetic('*', levels.product, [left, right], offset),
  '/': (left, right, offset) => arithmetic('/', levels.product, [left, right], offset),
  '%': remainder,
} satisfies Record<JuelBinaryOperator, Binary>;

export const unaryOperators = {
  '!': negated,
  '-': (operand, offset) => {
    requireNumber(operand);
    return written(offset, ['-', atLeast(levels.primary, operand)], {
      level: levels.negation,
      kind: 'number',
    });
  },
  empty: emptiness,
} satisfies Record<'!' | '-' | 'empty', (operand: FeelText, offset: number) => FeelText>;

/** `condition ? consequent : alternative`. Null is not true, to both. */
export function conditional(
  condition: FeelText,
  [consequent, alternative]: readonly [FeelText, FeelText],
  offset: number,
): FeelText {
  requireBoolean(condition);
  const isOneKind = consequent.kind === alternative.kind;
  const branch = (text: FeelText): FeelText => atLeast(levels.or, isOneKind ? text : asValue(text));
  return written(
    offset,
    ['if ', atLeast(levels.or, condition), ' then ', branch(consequent), ' else ', branch(alternative)],
    {
      level: levels.conditional,
      kind: isOneKind ? consequent.kind : 'unknown',
      isTotal: consequent.isTotal && alternative.isTotal,
    },
  );
}

/** Null, `""`, `[]` and `{}` are empty. `in` compares with each, and no kind of value makes it null. */
export function emptiness(operand: FeelText, offset: number): FeelText {
  return written(offset, [atLeast(levels.sum, asValue(operand)), ' in (null, "", [], {})'], {
    level: levels.comparison,
    kind: 'boolean',
    isTotal: true,
  });
}

/** `not` of null is null, and JUEL's is true: what may be null is compared with true. */
function negated(operand: FeelText, offset: number): FeelText {
  requireBoolean(operand);
  if (operand.kind === 'boolean' && operand.isTotal)
    return called(offset, 'not', [operand], { kind: 'boolean', isTotal: true });
  return written(offset, [atLeast(levels.sum, operand), ' != true'], {
    level: levels.comparison,
    kind: 'boolean',
    isTotal: operand.kind === 'boolean',
  });
}

function logical(
  sign: 'and' | 'or',
  level: number,
  [left, right]: readonly [FeelText, FeelText],
  offset: number,
): FeelText {
  requireBoolean(left);
  requireBoolean(right);
  return written(offset, [atLeast(level, left), ` ${sign} `, atLeast(level + 1, right)], {
    level,
    kind: 'boolean',
    isTotal: [left, right].every(({ kind, isTotal }) => kind === 'boolean' && isTotal),
  });
}

function arithmetic(
  sign: '+' | '-' | '*' | '/',
  level: number,
  [left, right]: readonly [FeelText, FeelText],
  offset: number,
): FeelText {
  requireNumber(left);
  requireNumber(right);
  const parts = [atLeast(level, left), ` ${sign} `, atLeast(level + 1, right)];
  return written(offset, parts, { level, kind: 'number' });
}

/** The result has the sign of the dividend; that of FEEL's `modulo` has the sign of the divisor. */
function remainder(left: FeelText, right: FeelText, offset: number): FeelText {
  requireNumber(left);
  requireNumber(right);
  return withOperands(offset, [left, right], ([dividend = left, divisor = right]) => {
    // A literal has no sign.
    const size = divisor.literal === null ? called(offset, 'abs', [divisor]) : divisor;
    const said = { kind: 'number' } as const;
    const positive = called(offset, 'modulo', [dividend, size], said);
    if (dividend.literal !== null) return positive;
    const negative = called(offset, 'modulo', [written(offset, ['-', dividend]), size]);
    const parts = ['if ', dividend, ' < 0 then -', negative, ' else ', positive];
    return written(offset, parts, { ...said, level: levels.conditional });
  });
}

function ordering(sign: string, left: FeelText, right: FeelText, offset: number): FeelText {
  for (const { kind, literal, offset: at } of [left, right]) {
    if (kind === 'null' || kind === 'boolean') {
      const message = `${kind === 'null' ? 'null' : 'a truth value'} has no order; compare it with == or !=`;
      throw new JuelFault('coercion', message, at);
    }
    if (kind === 'string' && literal !== null && spelledNumber(literal) !== null) {
      const message =
        'JUEL compares this text with a number as a number, and with a text as a text; write a number without quotes';
      throw new JuelFault('coercion', message, at);
    }
  }
  requireOneKind(left, right);
  const parts = [atLeast(levels.sum, left), ` ${sign} `, atLeast(levels.sum, right)];
  return written(offset, parts, { level: levels.comparison, kind: 'boolean' });
}

function equality(sign: '=' | '!=', left: FeelText, right: FeelText, offset: number): FeelText {
  requireOneKind(left, right);
  const said = { level: levels.comparison, kind: 'boolean' } as const;
  const among = amongSpelled(left, right, offset) ?? amongSpelled(right, left, offset);
  if (among !== null)
    return sign === '='
      ? among
      : called(offset, 'not', [among], { ...said, level: levels.primary, isTotal: true });
  return equal(sign, left, right, offset);
}

/** Without JUEL's conversions. */
export function equal(sign: '=' | '!=', left: FeelText, right: FeelText, offset: number): FeelText {
  const [one, other] = [asValue(left), asValue(right)];
  // Null is equal to null and to nothing else; two of different kinds give null.
  const isTotal =
    one.kind === 'null' || other.kind === 'null' || (one.kind === other.kind && one.kind !== 'unknown');
  return written(offset, [atLeast(levels.sum, one), ` ${sign} `, atLeast(levels.sum, other)], {
    level: levels.comparison,
    kind: 'boolean',
    isTotal,
  });
}

/** A variable beside a text that spells a truth value or a number may be either. Null: it is nothing of the sort. */
function amongSpelled(value: FeelText, text: FeelText, offset: number): FeelText | null {
  if (value.kind !== 'unknown' || text.kind !== 'string' || text.literal === null) return null;
  const spelled =
    text.literal === 'true' || text.literal === 'false' ? text.literal : spelledNumber(text.literal);
  if (spelled === null) return null;
  const parts = [atLeast(levels.sum, value), ' in (', text, `, ${spelled})`];
  return written(offset, parts, { level: levels.comparison, kind: 'boolean', isTotal: true });
}

/** The number in FEEL that a text spells, or null. */
function spelledNumber(text: string): string | null {
  return /^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,15})?$/.test(text) ? text : null;
}

const kindNames = {
  unknown: 'a value',
  null: 'null',
  number: 'a number',
  string: 'a text',
  boolean: 'a truth value',
};

function requireOneKind(left: FeelText, right: FeelText): void {
  const isKnown = [left, right].every(({ kind }) => kind !== 'unknown' && kind !== 'null');
  if (!isKnown || left.kind === right.kind) return;
  const message = `this compares ${kindNames[left.kind]} with ${kindNames[right.kind]}: JUEL converts one of them, FEEL does not; write both as one type`;
  throw new JuelFault('coercion', message, right.offset);
}

function requireBoolean({ kind, offset }: FeelText): void {
  if (kind === 'boolean' || kind === 'unknown' || kind === 'null') return;
  const message = `${kindNames[kind]} is neither true nor false; write true, false or a comparison`;
  throw new JuelFault('coercion', message, offset);
}

function requireNumber({ kind, offset }: FeelText): void {
  if (kind === 'number' || kind === 'unknown') return;
  const remedies = {
    string: 'JUEL calculates with numbers only; write a number without quotes, and join texts as Order ${id}',
    boolean: 'JUEL cannot calculate with a truth value; write a number',
    null: 'null is 0 to JUEL, and nothing to FEEL; write 0',
  };
  throw new JuelFault('coercion', remedies[kind], offset);
}
