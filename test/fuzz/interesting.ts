/** Texts that have a meaning to one of the parsers, or that parsers are known to trip over. */
import type { Random } from './random.ts';

const plain = [
  ...['', ' ', '\t', '0', '-1', '1', '2147483648', '1e309', '9'.repeat(40), '1.5', 'NaN', 'Infinity', 'null'],
  ...['true', 'false', 'TRUE', 'yes', 'None', 'All', 'Sequential', 'Parallel'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '#text', ':@'],
  ...[
    '😀',
    '\u202e',
    'Straße',
    'é',
    'e\u0301',
    '\ufeff',
    '\u00a0',
    '\u2028',
    '漢字',
    '\ufffd',
    'a\u0300'.repeat(50),
  ],
  ...['&#0;', '&#x1F600;', '&#xD800;', '&lt;', '&amp;amp;', '&undefined;', '&#10;', '&#99999999;'],
  ...[
    '${x}',
    '#{x > 1}',
    '${',
    '<',
    '>',
    '"',
    "'",
    ']]>',
    '<!--',
    '../../x',
    'C:\\x',
    '\\',
    '%s%n',
    '\u0000',
  ],
  ...['a:b', ':', 'x:', ':x', 'a b', 'urn:sutra:q:1.0', 'http://www.omg.org/spec/BPMN/20100524/MODEL'],
];

export const durations = [
  ...['PT0S', 'PT1S', 'PT1H', 'P1D', 'P1W', 'P1M', 'P1Y', '-PT1S', 'PT', 'P', 'PT0.000001S', 'P99999999999D'],
  ...['5m', '10', 'duration("PT1S")', '=duration("PT1S")', '=n', '=missing', '="PT1S"', '=duration("P1M")'],
];
export const dates = [
  ...[
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00+14:00',
    '2026-01-01',
    '2026-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
  ],
  ...[
    '9999-12-31T23:59:59Z',
    '+275760-09-13T00:00:00Z',
    '=now()',
    '=date and time("2026-01-01T00:00:00Z")',
    '=x',
  ],
];
export const cycles = [
  ...['R3/PT10S', 'R/PT1S', 'R0/PT1S', 'R-1/PT1S', 'R99999999999/PT1S', 'R2/PT0S', 'R3/P1M', '0 0 * * * ?'],
  ...['R2/2026-01-01T00:00:00Z/PT1H', 'R', 'R/', '="R3/PT1S"', '=n'],
];
const references = [
  ...[
    'channel:work',
    'channel:',
    'registered:price',
    'registered:',
    '##unspecified',
    '##WebService',
    'order.*',
    '*.*',
  ],
  ...[
    'application/json',
    'text/plain; charset=utf-8',
    'text/',
    'X-Kind',
    'sutra-park-x',
    'correlate',
    'reject',
    'on-persist',
  ],
];

/** Right, wrong, null, of a wrong type. */
const expressions = [
  ...[
    '1',
    'n',
    'n + 1',
    'n > 3',
    '=n > 3',
    'true',
    'false',
    'null',
    '"a"',
    'x',
    'x.y.z',
    'not(x)',
    'n = null',
    'n < 3',
  ],
  ...['s + "x"', '{a: x, b: x}', 'append(x, x)', 'n * 2', 'n / 0', '-n', 'n ** 99'],
  ...[
    '{v: n}',
    '{n: n + 1}',
    '[1, 2, 3]',
    '[1..3]',
    '[1..1000]',
    '1..3',
    'x[1]',
    'x[n]',
    'x[item > 1]',
    'count(x)',
  ],
  ...['for i in 1..10 return i'],
  ...['some i in 1..100000 satisfies i > 99999', 'every i in x satisfies i > 0', 'for i in x return partial'],
  ...[
    'if n > 1 then "a" else "b"',
    'x in [1..5]',
    'n between 1 and 5',
    'x instance of number',
    'function(a) a',
    'function() x',
  ],
  ...['matches(s, "(")', 'replace(s, "a", "$0$0")'],
  ...['string(x)', 'number(s)', 'date(s)', 'now()', 'today()', 'duration(s)', 'string length(s)'],
  ...[
    'date("2026-13-45")',
    'time("25:00:00")',
    'now() + duration("P1Y")',
    'sort(x, function(a, b) a < b)',
    'flatten(x)',
  ],
  ...[
    'unknown(1)',
    'n +',
    '(',
    ')',
    '[',
    '{',
    '"',
    '/* ',
    '// x',
    '${n > 3}',
    'n == 3',
    'a b c',
    '__proto__',
    'constructor',
  ],
  ...[
    'get value(x, "__proto__")',
    'x.__proto__',
    'x.constructor',
    'context put({}, "__proto__", 1)',
    '1e400',
    '9'.repeat(400),
  ],
  ...[
    'loopCounter',
    'activationCount >= 1',
    'item',
    'error.code',
    'payload.id',
    'header.id',
    'event.type',
    'iteration__(x)',
  ],
  ...['product(for i in 1..200 return 10)', 'range("[1..9]")'],
];

/** What takes long, or much memory, where nothing bounds it. */
const costly = [
  ...['s + s', '[x, x]', 'concatenate(x, x)', 'string join(for i in 1..50000 return "xxxxxxxxxx")'],
  ...[
    'for i in 1..100000 return i',
    'for i in 1..1000, j in 1..1000 return i * j',
    'sort(x, function(a, b) b < a)',
  ],
  'matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "^(a+)+$")',
  'split("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "(x+x+)+y")',
];
/** One such input is ended and run again: that takes as long as a thousand others. */
const COSTLY_PROBABILITY = 0.02;

export function randomExpression(random: Random): string {
  return random.pick(random.chance(COSTLY_PROBABILITY) ? costly : expressions);
}

const texts = [...plain, ...durations, ...dates, ...cycles, ...references, ...expressions];

/** A text as an attacker or an unlucky author would write it, not escaped. */
export function interestingText(random: Random): string {
  if (random.chance(0.02))
    return random.pick(['x', 'é', '&', '(', 'a.']).repeat(random.magnitude(10, 100_000));
  const text = random.pick(texts);
  return random.chance(0.1) ? text + random.pick(texts) : text;
}
