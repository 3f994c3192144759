/** Changes of a text as it is written: of its tokens, and of its characters. What comes out need not be FEEL. */
import type { Random } from '../random.ts';
import { numberTexts, temporalTexts } from './random-data.ts';

export interface TextMutation {
  readonly name: string;
  readonly weight: number;
  /** @param other another text of the sources */
  readonly apply: (text: string, random: Random, other: () => string) => string;
}

/** Comments, strings (also those that do not end), numbers, words, signs of two characters, white space, and any sign. */
const TOKEN =
  /\/\/.*|\/\*[^]*?(?:\*\/|$)|"(?:\\[^]|[^"\\])*"?|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[\p{L}_][\p{L}\p{N}_]*|\*\*|\.\.|[<>!=]=|->|\s+|[^]/gu;

/** One at least: an empty text is an empty token. */
export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [''];
}

function joined(tokens: readonly string[]): string {
  return tokens.join('');
}

/** From some token on, a few or many. */
function piece(tokens: readonly string[], random: Random): readonly string[] {
  const from = random.below(tokens.length);
  return tokens.slice(from, from + random.magnitude(1, 12));
}

/** Words, signs and literals of the language, and some that are not of it. */
export const words = [
  ...[
    'for',
    'in',
    'return',
    'if',
    'then',
    'else',
    'some',
    'every',
    'satisfies',
    'or',
    'and',
    'between',
    'not',
  ],
  ...['instance of', 'function', 'external', 'null', 'true', 'false', 'item', 'partial', '?', 'date', 'time'],
  ...['date and time', 'duration', 'list', 'range', 'context', 'number', 'string', 'boolean', 'Any', 'Null'],
  ...[
    'days and time duration',
    'years and months duration',
    'list<',
    'range<',
    'context<',
    'function<',
    '->',
  ],
];
export const signs = [
  ...[
    '+',
    '-',
    '*',
    '/',
    '**',
    '=',
    '!=',
    '<',
    '<=',
    '>',
    '>=',
    '.',
    '..',
    ',',
    ':',
    '@',
    '(',
    ')',
    '[',
    ']',
    '{',
  ],
  ...[
    '}',
    '==',
    '&&',
    '||',
    '!',
    '%',
    '^',
    '$',
    '#',
    "'",
    '`',
    '\\',
    ';',
    '|',
    '~',
    '"',
    '//',
    '/*',
    '*/',
    '<>',
  ],
];

export function randomLiteral(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return random.pick(numberTexts);
    case 1:
      return `@"${random.pick(temporalTexts)}"`;
    case 2:
      return random.pick([
        '""',
        '"a"',
        '"\\u0041"',
        '"\\U01F642"',
        '"\\n"',
        '"^(a|b)+$"',
        '"$1"',
        '"\u{1f642}"',
        '"\\d"',
      ]);
    case 3:
      return random.pick(['null', 'true', 'false', '[]', '{}', '[1, 2, 3]', '{a: 1}', '[1..3]', '(< 5)']);
    case 4:
      return '9'.repeat(random.magnitude(1, 3_000)) + random.pick(['', '.5', 'e6100', 'e-6170', 'e99999']);
    default:
      return String(random.between(-3, 20));
  }
}

function changeToken(random: Random, text: string, change: (token: string) => string): string {
  const tokens = tokensOf(text);
  const index = random.below(tokens.length);
  return joined(tokens.with(index, change(tokens[index] ?? '')));
}

function changeLike(
  pattern: RegExp,
  random: Random,
  text: string,
  change: (token: string) => string,
): string {
  const tokens = tokensOf(text);
  const like = tokens.flatMap((token, index) => (pattern.test(token) ? [index] : []));
  if (like.length === 0) return text;
  const index = random.pick(like);
  return joined(tokens.with(index, change(tokens[index] ?? '')));
}

/** What an expression can stand in. */
const frames: readonly ((inner: string) => string)[] = [
  (inner) => `(${inner})`,
  (inner) => `[${inner}]`,
  (inner) => `{a: ${inner}, b: a}`,
  (inner) => `not(${inner})`,
  (inner) => `-(${inner})`,
  (inner) => `if ${inner} then ${inner} else null`,
  (inner) => `for x in ${inner} return x`,
  (inner) => `for x in [1, 2], y in ${inner} return [x, y, partial]`,
  (inner) => `every x in [${inner}] satisfies x = ${inner}`,
  (inner) => `(${inner})[${inner}]`,
  (inner) => `[1, null, "a"][item = ${inner}]`,
  (inner) => `(${inner}) in (${inner}, null)`,
  (inner) => `(${inner}) between ${inner} and ${inner}`,
  (inner) => `[${inner}..${inner}]`,
  (inner) => `(function(x) ${inner})(${inner})`,
  (inner) => `(${inner}) instance of list<Any>`,
  (inner) => `string(${inner})`,
  (inner) => `distinct values([${inner}, ${inner}])`,
  (inner) => `sort([1, 3, 2], function(x, y) ${inner})`,
  (inner) => `{f: function(f, n) if n > 0 then f(f, n - 1) else ${inner}, r: f(f, 3)}.r`,
  (inner) => `get entries({a: ${inner}})[key = "a"].value`,
  (inner) => `context put({a: 1}, ["b", "c"], ${inner})`,
  (inner) => `${inner} /* a comment */ `,
  (inner) => `= ${inner}`,
];

const openings = [
  '(',
  '[',
  '{a: ',
  'f(',
  'a[',
  '-',
  'if a then ',
  'for x in y return ',
  'function(x) ',
  'not(',
  'a in (',
  '((',
];
const closings: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{a: ': '}',
  'f(': ')',
  'a[': ']',
  'not(': ')',
  'a in (': ')',
  '((': '))',
};

const unicode = [
  ...[
    '\u00a0',
    '\u2028',
    '\u200b',
    '\ufeff',
    '\u0301',
    '\u202e',
    '\u{1f642}',
    '\ud83d',
    '\udc00',
    '\u2019',
    '\u0000',
  ],
  ...['\u3000', '\u180e', '\u0085', '\r', '\t', '\v', 'İ', 'ß', '漢', '\u{10ffff}', '\uffff', '−', '“'],
];

export const tokenMutations: readonly TextMutation[] = [
  {
    name: 'delete tokens',
    weight: 6,
    apply: (text, random) => {
      const tokens = tokensOf(text);
      tokens.splice(random.below(tokens.length), random.magnitude(1, 5));
      return joined(tokens);
    },
  },
  {
    name: 'duplicate tokens',
    weight: 4,
    apply: (text, random) => {
      const tokens = tokensOf(text);
      return joined(tokens.toSpliced(random.below(tokens.length + 1), 0, ...piece(tokens, random)));
    },
  },
  {
    name: 'splice tokens',
    weight: 6,
    apply: (text, random, other) => {
      const tokens = tokensOf(text);
      const from = random.below(tokens.length + 1);
      return joined(tokens.toSpliced(from, random.below(3), ...piece(tokensOf(other()), random)));
    },
  },
  {
    name: 'swap tokens',
    weight: 3,
    apply: (text, random) => {
      const tokens = tokensOf(text);
      const [one, two] = [random.below(tokens.length), random.below(tokens.length)];
      return joined(tokens.with(one, tokens[two] ?? '').with(two, tokens[one] ?? ''));
    },
  },
  {
    name: 'a word',
    weight: 4,
    apply: (text, random) => changeToken(random, text, () => ` ${random.pick(words)} `),
  },
  { name: 'a sign', weight: 4, apply: (text, random) => changeToken(random, text, () => random.pick(signs)) },
  {
    name: 'a literal',
    weight: 8,
    apply: (text, random) =>
      changeLike(/^(?:"|\d|@|true$|false$|null$)/, random, text, () => randomLiteral(random)),
  },
  {
    name: 'a sign for another',
    weight: 6,
    apply: (text, random) =>
      changeLike(/^(?:\*\*|[<>!=]=|[-+*/<>=])$/, random, text, () =>
        random.pick(['+', '-', '*', '/', '**', '=', '!=', '<', '<=', '>', '>=']),
      ),
  },
  {
    name: 'a name for another',
    weight: 6,
    apply: (text, random, other) =>
      changeLike(/^[\p{L}_]/u, random, text, () => {
        const names = tokensOf(other()).filter((token) => /^[\p{L}_]/u.test(token));
        return names.length > 0 ? random.pick(names) : 'x';
      }),
  },
  { name: 'in a frame', weight: 8, apply: (text, random) => random.pick(frames)(text) },
  {
    name: 'a part in a frame',
    weight: 5,
    apply: (text, random) => changeLike(/^[\p{L}\d"_]/u, random, text, (token) => random.pick(frames)(token)),
  },
  {
    name: 'another text behind',
    weight: 4,
    apply: (text, random, other) =>
      text + random.pick([' + ', ', ', ' and ', ' = ', ' in ', '.', ' ']) + other(),
  },
  {
    name: 'deep nesting',
    weight: 2,
    apply: (text, random) => {
      const count = random.magnitude(2, 400);
      const open = random.pick(openings);
      const close = random.chance(0.85) ? (closings[open] ?? '') : '';
      return open.repeat(count) + text + close.repeat(count);
    },
  },
  {
    name: 'a long row',
    weight: 2,
    apply: (text, random) =>
      text +
      (
        random.pick([' + ', ' and ', ' or ', ', ', ' = ', ' in ', '.', ' ** ', '-', ' in [']) +
        random.pick(['a', '1', text.slice(0, 20)])
      ).repeat(random.magnitude(2, 500)),
  },
  {
    name: 'a long name',
    weight: 1,
    apply: (text, random) =>
      changeLike(/^[\p{L}_]/u, random, text, (token) =>
        random.chance(0.5)
          ? token.repeat(random.magnitude(2, 2_000))
          : `${token} `.repeat(random.magnitude(2, 80)),
      ),
  },
  {
    name: 'cut short',
    weight: 3,
    apply: (text, random) => text.slice(0, random.below(text.length)),
  },
  {
    name: 'a character',
    weight: 3,
    apply: (text, random) => {
      const at = random.below(text.length + 1);
      const inserted = random.chance(0.5)
        ? random.pick(unicode)
        : String.fromCharCode(random.between(32, 126));
      return text.slice(0, at) + inserted + text.slice(at + random.below(2));
    },
  },
  {
    name: 'white space',
    weight: 1,
    apply: (text, random) =>
      changeLike(/^\s+$/, random, text, () =>
        random.pick(['', '\n', '\n  ', '\t', '/**/', '//\n', '\u00a0', '\u2028', '  ', '\r\n']),
      ),
  },
];
