/** Kinds of values that never go together in an operator or a test, and those that may. `«»` marks what is reported (check-run.ts). */
import { describe } from 'node:test';
import { simple } from '../../../definitions/feel/check/static-type.ts';
import { accepts, asTestsOf, listOf, reports } from './check-run.ts';

describe('comparisons', () => {
  reports([
    [
      '«n > "100"»',
      'error',
      'TYPE_MISMATCH',
      /a number and a string have no order; read the string with number\(/,
    ],
    ['«order.country = 5»', 'error', 'TYPE_MISMATCH', /a string is never equal to a number/],
    ['«s != 5»', 'warning', 'TYPE_MISMATCH', /do not compare: the result is null/],
    ['«s = n»', 'warning', 'TYPE_MISMATCH'],
    ['«s < today()»', 'error', 'TYPE_MISMATCH', /read the string with date\(text\)/],
    ['«now() > day»', 'error', 'TYPE_MISMATCH', /make both the same with date\(\)/],
    ['«day = moment»', 'warning', 'TYPE_MISMATCH'],
    ['«b < true»', 'error', 'TYPE_MISMATCH', /have no order/],
    ['«numbers > 5»', 'error', 'TYPE_MISMATCH'],
    ['«numbers = 5»', 'error', 'TYPE_MISMATCH'],
    ['«n = [1]»', 'error', 'TYPE_MISMATCH'],
    ['«n = order»', 'warning', 'TYPE_MISMATCH'],
    ['n in «order»', 'warning', 'TYPE_MISMATCH'],
    ['«hours < months»', 'error', 'TYPE_MISMATCH'],
    ['«order < 5»', 'error', 'TYPE_MISMATCH'],
    ['«b < a»', 'error', 'TYPE_MISMATCH'],
    ['«1 < n < 5»', 'error', 'TYPE_MISMATCH', /a boolean and a number/],
    ['a and «count(numbers) = "3"» or b', 'error', 'TYPE_MISMATCH'],
    ['«n between "a" and 5»', 'error', 'TYPE_MISMATCH'],
    ['n in «["a".."z"]»', 'error', 'TYPE_MISMATCH'],
    ['n in («"a"», 5)', 'error', 'TYPE_MISMATCH', /a number never passes this test, which is a string/],
    ['n in «["a", "b"]»', 'error', 'TYPE_MISMATCH'],
    ['s in «> 5»', 'error', 'TYPE_MISMATCH'],
    ['s in «= 5»', 'error', 'TYPE_MISMATCH'],
    ['s in «(? > 5)»', 'error', 'TYPE_MISMATCH'],
    ['n in «true»', 'error', 'TYPE_MISMATCH'],
    ['a in «[1.."b"]»', 'error', 'TYPE_MISMATCH', /a range does not go to a number and a string/],
    ['a in «[true..false]»', 'error', 'TYPE_MISMATCH'],
    ['n in «[10..1]»', 'warning', 'VALUE_INVALID', /ends before it starts/],
    ['some line in order.lines satisfies «line.price = "5"»', 'error', 'TYPE_MISMATCH'],
    ['order.lines[«price > "5"»]', 'error', 'TYPE_MISMATCH'],
  ]);
  accepts([
    'n = null',
    'null != s',
    'n > null',
    'a > "100"',
    'mixed > "100"',
    'mixed = 5',
    'n = a',
    'order.customer = {name: "a"}',
    'numbers = []',
    'n between 1 and a',
    'n in (1, [2..3], > 5, numbers, [[1..2], [5..6]])',
    's in ("a", ["b".."c"], ? = "d", starts with(?, "e"), matches)',
    'n in (b, n > 5)',
    'n in function(x) x > 5',
    'n in [a, "b"]',
    'a in (1, "b", true)',
    'null in 5',
    'n in null',
    'numbers in [[1, 2], [3]]',
    'date(s) < today()',
    'date(now()) = day',
    'n in [1..10]',
    'min("a", "b") < "c"',
    'open.other > 5 and open.other < "a"',
  ]);
});

describe('arithmetic', () => {
  reports([
    ['«"a" * 2»', 'error', 'TYPE_MISMATCH', /'\*' does not take a string and a number/],
    ['«day + 1»', 'error', 'TYPE_MISMATCH', /'\+' does not take a date and a number/],
    ['«day + day»', 'error', 'TYPE_MISMATCH'],
    ['«hours - day»', 'error', 'TYPE_MISMATCH'],
    ['«hours + months»', 'error', 'TYPE_MISMATCH'],
    ['«clock + months»', 'error', 'TYPE_MISMATCH'],
    ['«"total: " + n»', 'error', 'TYPE_MISMATCH', /make a string of the other with string\(\)/],
    ['«s + 1» + "a"', 'error', 'TYPE_MISMATCH'],
    ['«b + a»', 'error', 'TYPE_MISMATCH'],
    ['«s - a»', 'error', 'TYPE_MISMATCH'],
    ['«numbers + 1»', 'error', 'TYPE_MISMATCH', /choose one of the list/],
    ['«order.lines[item = "a"].price * 2»', 'error', 'TYPE_MISMATCH'],
    ['«hours * hours»', 'error', 'TYPE_MISMATCH'],
    ['«hours / months»', 'error', 'TYPE_MISMATCH'],
    ['«2 ** "a"»', 'error', 'TYPE_MISMATCH'],
    ['«-"a"»', 'error', 'TYPE_MISMATCH', /'-' does not take a string/],
    ['«-day»', 'error', 'TYPE_MISMATCH'],
    ['«(if b then "a" else "b") * 2»', 'error', 'TYPE_MISMATCH'],
    ['«(n * 2) - "a"» > 3', 'error', 'TYPE_MISMATCH'],
  ]);
  accepts([
    's + "a" + string(n)',
    'day + hours - months',
    'hours + day',
    'moment - moment > hours',
    'moment - day',
    'clock - clock + hours',
    'hours * 2 / 3',
    'hours / hours + 1',
    '2 * months',
    '-hours',
    '-n ** 2',
    'a + 1',
    'a + a * a',
    'n + null',
    '(if b then n else s) + "a"',
    'sum(numbers) / count(numbers)',
    'number(s, null, ".") + 1',
    'order.lines[1].price + 1',
    'numbers[1] + numbers[-1]',
    'numbers[n] + 1',
    'anything[a] + 1',
    'abs(hours) + day',
    'min(numbers) + max(1, 2)',
    'max(day, day) + hours',
  ]);
});

describe('unary tests', () => {
  const ofNumber = asTestsOf(simple('number'));
  reports(
    [
      ['«"a"»', 'error', 'TYPE_MISMATCH'],
      ['1, «"a"», > 5', 'error', 'TYPE_MISMATCH'],
      ['not(«"a"», 5)', 'error', 'TYPE_MISMATCH'],
      ['«["a".."b"]»', 'error', 'TYPE_MISMATCH'],
      ['«< "a"»', 'error', 'TYPE_MISMATCH'],
      ['«? < "a"»', 'error', 'TYPE_MISMATCH'],
      ['«true»', 'error', 'TYPE_MISMATCH'],
      ['«upper case("a")»', 'warning', 'TYPE_MISMATCH'],
      ['«missing»', 'error', 'NAME_UNKNOWN'],
    ],
    ofNumber,
  );
  accepts(
    [
      '-',
      '5',
      '5, 6',
      'not(5)',
      '> 5',
      '[1..5]',
      'n',
      'numbers',
      '? > 5 and ? < 10',
      'null',
      'n > 5',
      'a',
      'b',
    ],
    ofNumber,
  );
  accepts(['"a"', '5', 'true', '[1..5]', '{a: 1}'], asTestsOf({ kind: 'any' }));
  accepts(['[1, 2]', 'count(?) > 3', '? = [1]'], asTestsOf(listOf(simple('number'))));
});
