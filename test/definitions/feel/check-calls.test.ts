/** Calls and written values that are never right, and those that may be. `«»` marks what is reported (check-run.ts). */
import { describe } from 'node:test';
import { simple } from '../../../definitions/feel/check/static-type.ts';
import { accepts, asExpression, known, reports } from './check-run.ts';

describe('calls', () => {
  reports([
    ['«cuont»(numbers)', 'error', 'FUNCTION_UNKNOWN', /there is no function 'cuont'; did you mean 'count'\?/],
    ['«n»(5)', 'error', 'FUNCTION_UNKNOWN', /there is no function 'n'/],
    ['«a»(5)', 'error', 'FUNCTION_UNKNOWN'],
    ['«random number»()', 'error', 'FUNCTION_UNKNOWN', /random number\(\) is refused/],
    ['«order.amount»(5)', 'error', 'FUNCTION_UNKNOWN', /what is called is a number, not a function/],
    ['{f: 1, g: «f»(2)}', 'error', 'FUNCTION_UNKNOWN', /'f' is a number, not a function/],
    [
      '«contains(s)»',
      'error',
      'ARGUMENTS_INVALID',
      /'contains' cannot be called with 1 argument; it takes \(string, match\)/,
    ],
    ['«today(1)»', 'error', 'ARGUMENTS_INVALID', /it takes \(\)/],
    [
      '«substring()»',
      'error',
      'ARGUMENTS_INVALID',
      /with nothing; it takes \(string, start position, length\?\)/,
    ],
    ['«date(2026, 3)»', 'error', 'ARGUMENTS_INVALID', /\(from\), or \(year, month, day\)/],
    [
      'contains(string: s, «mach»: "a")',
      'error',
      'ARGUMENTS_INVALID',
      /no parameter 'mach'; did you mean 'match'\?/,
    ],
    ['«contains(string: s)»', 'error', 'ARGUMENTS_INVALID', /"match" of contains\(\) is not given/],
    [
      '(function(x, y) x)(«z»: 1, y: 2)',
      'error',
      'ARGUMENTS_INVALID',
      /has no parameter 'z'; did you mean 'x'/,
    ],
    ['«(function(x, y) x)(1)»', 'error', 'ARGUMENTS_INVALID'],
    [
      '{f: function(x) x, g: «f(1, 2)»}',
      'error',
      'ARGUMENTS_INVALID',
      /'f' cannot be called with 2 arguments/,
    ],
    ['(function(x: number) x)(«"a"»)', 'error', 'TYPE_MISMATCH', /'x' must be a number, not a string/],
    ['(function(x: number, y: string) x)(y: «5», x: 1)', 'error', 'TYPE_MISMATCH', /'y' must be a string/],
    [
      'upper case(«n»)',
      'error',
      'TYPE_MISMATCH',
      /"string" of upper case\(\) must be a string, not a number/,
    ],
    ['contains(match: «5», string: s)', 'error', 'TYPE_MISMATCH', /"match" of contains\(\)/],
    ['substring(s, «"1"»)', 'error', 'TYPE_MISMATCH'],
    ['not(«n»)', 'error', 'TYPE_MISMATCH', /"negand" of not\(\) must be a boolean/],
    ['day of week(«clock»)', 'error', 'TYPE_MISMATCH'],
    ['upper case(«numbers»)', 'error', 'TYPE_MISMATCH', /not a list/],
    ['sum(«s»)', 'error', 'TYPE_MISMATCH', /the items of sum\(\) must each be a number, not a string/],
    ['sum(1, «s»)', 'error', 'TYPE_MISMATCH'],
    ['sum(«["a", "b"]»)', 'error', 'TYPE_MISMATCH'],
    ['min(«b»)', 'error', 'TYPE_MISMATCH', /must each be what has an order/],
    ['sort(numbers, «n»)', 'error', 'TYPE_MISMATCH'],
    ['list replace(numbers, «"a"», 5)', 'error', 'TYPE_MISMATCH'],
    ['meets(«1», 2)', 'error', 'TYPE_MISMATCH'],
    ['get value(«s», "a")', 'error', 'TYPE_MISMATCH'],
    ['count(«cuont»(numbers))', 'error', 'FUNCTION_UNKNOWN'],
  ]);
  accepts([
    'count(n)',
    'upper case([s])',
    'upper case(anything)',
    'upper case(null)',
    'sum([1, null])',
    'sum([])',
    'sum(numbers)',
    'sum(1, a)',
    'min(1, 2, 3)',
    'not(b)',
    'not(null)',
    'number(from: s)',
    'substring(string: s, start position: 1)',
    'concatenate(numbers, 5)',
    'append(numbers, "a", b)',
    'list replace(numbers, 1, 5)',
    'list replace(numbers, function(x, y) x > y, 5)',
    'before(1, [2..3])',
    'date(s) = date(moment)',
    'date and time(day, clock)',
    '(function() 5)() + 1',
    '{f: function(x: number) x * 2, g: f(n) + 1}.g + 1',
    '(function(x: number) x)([5])',
    '(function(x: number) x)(null)',
    '(function(x: list<number>) x)(5)',
    '(function(x: date and time) x)(day)',
    '(if b then function(x) x else function(y) y)(1)',
    '[function(x) x][1](5)',
    '{count: 5, x: count}.x',
  ]);

  describe('of functions that variables are', () => {
    const within = asExpression({
      names: new Map(
        Object.entries({
          ...known,
          f: {
            kind: 'function',
            signature: { names: ['x'] },
            parameters: [simple('number')],
            result: simple('number'),
          } as const,
          'upper case': {
            kind: 'function',
            signature: null,
            parameters: [],
            result: simple('number'),
          } as const,
          count: simple('number'),
        }),
      ),
      unknownNames: 'error',
      mayHoldFunctions: true,
    });
    reports(
      [
        ['«g»(1)', 'error', 'FUNCTION_UNKNOWN'],
        ['«n»(1)', 'error', 'FUNCTION_UNKNOWN', /'n' is a number/],
        ['«f(1, 2)»', 'error', 'ARGUMENTS_INVALID'],
        ['f(«s»)', 'error', 'TYPE_MISMATCH'],
        ['«f(1) + s»', 'error', 'TYPE_MISMATCH'],
      ],
      within,
    );
    accepts(
      ['f(1) + 1', 'upper case(1) + 1', 'count(numbers) + count', 'a(1, 2, 3)', 'order.lines[f(price) > 1]'],
      within,
    );
  });
});

describe('values that are written', () => {
  reports([
    ['«@"tomorrow"»', 'error', 'VALUE_INVALID', /no date, time or duration/],
    ['«1e7000»', 'error', 'VALUE_INVALID', /too large/],
    ['day > «date("2026-02-30")»', 'error', 'VALUE_INVALID', /"from" of date\(\)/],
    ['«duration("5 days")»', 'error', 'VALUE_INVALID'],
    ['«date(2026, 13, 1)»', 'error', 'VALUE_INVALID'],
    ['«number("1,5", null, ".")»', 'error', 'VALUE_INVALID'],
    ['«matches(s, "[")»', 'error', 'VALUE_INVALID', /pattern/],
    ['«matches(pattern: "[", input: s)»', 'error', 'VALUE_INVALID', /pattern/],
    ['«replace(s, "(", "")»', 'error', 'VALUE_INVALID'],
    ['«replace(s, "a", "$x")»', 'error', 'VALUE_INVALID', /replacement/],
    ['{a: 1, «a»: 2}', 'error', 'VALUE_INVALID', /the key 'a' twice/],
    ['n instance of «nmber»', 'error', 'TYPE_UNKNOWN', /there is no type 'nmber'/],
    ['function(x: «text») x', 'error', 'TYPE_UNKNOWN'],
    ['«duration("P1D") < duration("P1M")»', 'error', 'TYPE_MISMATCH'],
  ]);
  accepts([
    'date("2026-02-28") < day',
    '@"2026-02-28" < day',
    'duration("P1D") < hours',
    'duration(s) < hours',
    'duration(s) < months',
    'matches(s, "[a-z]+")',
    'matches(s, s)',
    'date(null)',
    'n instance of number',
    'a instance of context<x: list<number>>',
    'function(x: list<string>) x',
  ]);
});
