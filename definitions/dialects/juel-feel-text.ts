/**
 * FEEL that is being written: its text in pieces, each with the place in the JUEL text that it says, and what is known of
 * the value.
 */
/** How tight what a text ends in binds. Source: OMG DMN 1.5, 10.3.1.2. */
export const levels = {
  conditional: 0,
  or: 1,
  and: 2,
  comparison: 3,
  sum: 4,
  product: 5,
  negation: 7,
  primary: 9,
} as const;

/** What the value is, where the text alone tells; it may be null all the same, unless that is told otherwise. */
export type FeelKind = 'unknown' | 'number' | 'string' | 'boolean' | 'null';

export interface FeelPiece {
  readonly text: string;
  /** In the JUEL text. */
  readonly offset: number;
}

export interface FeelText {
  readonly pieces: readonly FeelPiece[];
  /** In the JUEL text: where to point when this cannot be. */
  readonly offset: number;
  readonly level: number;
  readonly kind: FeelKind;
  /** Whether a boolean is never null. JUEL's never are; in FEEL a comparison with null is. */
  readonly isTotal: boolean;
  /** What a literal string says, and the text of a literal number. Null: no literal. */
  readonly literal: string | null;
  /** Short and without effort, so that it may stand in a text more than once. */
  readonly isPlain: boolean;
  /** The names that dots divide, as JUEL has them, where it is nothing else. */
  readonly path: string | null;
}

type Said = Partial<Omit<FeelText, 'pieces' | 'offset'>>;

const nothingSaid = {
  level: levels.primary,
  kind: 'unknown',
  isTotal: false,
  literal: null,
  isPlain: false,
  path: null,
} satisfies Said;

/** One text of several; what is a string here says what stands at `offset`. */
export function written(offset: number, parts: readonly (string | FeelText)[], said: Said = {}): FeelText {
  const pieces = parts.flatMap((part) => (typeof part === 'string' ? [{ text: part, offset }] : part.pieces));
  return { ...nothingSaid, ...said, pieces, offset };
}

/** In parentheses, unless it binds at least as tight. */
export function atLeast(level: number, text: FeelText): FeelText {
  if (text.level >= level) return text;
  const { pieces, offset } = text;
  const open = { text: '(', offset: pieces[0]?.offset ?? offset };
  return { ...text, pieces: [open, ...pieces, { text: ')', offset }], level: levels.primary };
}

/** What JUEL has where a boolean is used as a value: never null. */
export function asValue(text: FeelText): FeelText {
  if (text.kind !== 'boolean' || text.isTotal) return text;
  const said: Said = { level: levels.comparison, kind: 'boolean', isTotal: true };
  return written(text.offset, [atLeast(levels.sum, text), ' = true'], said);
}

/** A call of a built-in function. */
export function called(
  offset: number,
  name: string,
  args: readonly (string | FeelText)[],
  said: Said = {},
): FeelText {
  const listed = args.flatMap((arg, index) => (index === 0 ? [arg] : [', ', arg]));
  return written(offset, [`${name}(`, ...listed, ')'], said);
}

/**
 * A text that has its operands more than once. Operands that are not plain become arguments of a function, all of them:
 * its parameters then hide no variable that the body names.
 */
export function withOperands(
  offset: number,
  operands: readonly FeelText[],
  body: (operands: readonly FeelText[]) => FeelText,
): FeelText {
  if (operands.every(({ isPlain }) => isPlain)) return body(operands);
  const names = ['value', 'other'].slice(0, operands.length);
  const parameters = operands.map((operand, index) => ({
    ...operand,
    pieces: [{ text: names[index] ?? '', offset: operand.offset }],
    level: levels.primary,
  }));
  const inner = body(parameters);
  const callee = written(offset, [`(function(${names.join(', ')}) `, inner, ')']);
  const call = called(offset, '', operands);
  return { ...inner, pieces: [...callee.pieces, ...call.pieces], level: levels.primary };
}

/** Characters that a FEEL string does not hold as they are. */
const unsafe = /["\\\n-\r]/g;
const escapes: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

/** A string literal. */
export function quoted(text: string): string {
  const inner = text.replace(
    unsafe,
    (sign) => escapes[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${inner}"`;
}

/** Words of FEEL that are no names. Parsing each name to find out would take most of the time of a translation. */
const keywords: ReadonlySet<string> = new Set(
  [
    'for in return if then else some every satisfies or and between',
    'instance function external null true false',
  ].flatMap((line) => line.split(' ')),
);

/** Whether FEEL reads it as one name, of a variable or of a property, and as nothing else. */
export function isFeelName(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !keywords.has(name) && !name.includes('__proto__');
}
