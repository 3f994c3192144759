/** What can never be right in an expression, and what is no mistake: tables of expressions over `known` (check-run.ts). */
import { describe } from 'node:test';
import { simple } from '../../../definitions/feel/check/static-type.ts';
import { accepts, asCondition, asExpression, asTestsOf, known, listOf, reports, scope } from './check-run.ts';

describe('names', () => {
  reports([
    ['«amuont» > 5', 'error', 'NAME_UNKNOWN', /there is no variable 'amuont'/],
    ['«ordr».amount > 5', 'error', 'NAME_UNKNOWN', /did you mean 'order'\?/],
    ['n + «x» + «y»', 'error', 'NAME_UNKNOWN'],
    ['for x in numbers return x + «y»', 'error', 'NAME_UNKNOWN'],
    ['for x in «x» return x', 'error', 'NAME_UNKNOWN'],
    ['for x in numbers, y in [x, «z»] return y', 'error', 'NAME_UNKNOWN'],
    ['{total: n, twice: «totl» * 2}', 'error', 'NAME_UNKNOWN', /did you mean 'total'\?/],
    ['{first: «second», second: 1}', 'error', 'NAME_UNKNOWN'],
    ['(function(x) x + «y»)(1)', 'error', 'NAME_UNKNOWN'],
    ['order.lines[«cost» > 5]', 'warning', 'NAME_UNKNOWN'],
    ['order.lines[«prise» > 5]', 'warning', 'NAME_UNKNOWN', /did you mean 'price'\?/],
    ['numbers[«price» > 5]', 'error', 'NAME_UNKNOWN'],
    ['[loose][«other» > 5]', 'warning', 'NAME_UNKNOWN'],
    ['«?» > 5', 'error', 'NAME_UNKNOWN', /stands for nothing/],
    ['«item» > 5', 'error', 'NAME_UNKNOWN'],
    ['«partial»', 'error', 'NAME_UNKNOWN'],
  ]);
  accepts([
    'for x in numbers return x + count(partial)',
    'some x in numbers, y in numbers satisfies x > y',
    '{total: n, twice: total * 2}.twice',
    '(function(x: number) x + n)(1)',
    'order.lines[price > n]',
    'order.lines[item = "a"]',
    'numbers[item > 5]',
    'anything[whatever > 5]',
    'open.lines[price > 5]',
    '[open][whatever > 5]',
    'sort(numbers, function(x, y) x < y)',
    'n in (> 5, ? < 3)',
    'not(b) and count(numbers) > 3',
  ]);
  describe('where others may be there', () => {
    const warned = asExpression({ ...scope, unknownNames: 'warning' });
    reports([['«amuont» > 5', 'warning', 'NAME_UNKNOWN']], warned);
    accepts(['amuont > 5', 'amuont.x[y = 1].z'], asExpression({ ...scope, unknownNames: 'nothing' }));
  });
  describe('of a scope without names', () => {
    reports([['«a»', 'error', 'NAME_UNKNOWN']], asExpression({ names: new Map(), unknownNames: 'error' }));
  });
});

describe('paths', () => {
  reports([
    ['order.«amuont» > 5', 'error', 'PATH_UNKNOWN', /no property 'amuont'; did you mean 'amount'\?/],
    ['order.«zip»', 'error', 'PATH_UNKNOWN', /it has amount, country, customer, lines/],
    ['order.customer.«nam».length', 'error', 'PATH_UNKNOWN', /did you mean 'name'\?/],
    ['order.amount.«value» > 5', 'error', 'PATH_UNKNOWN', /a number has no properties/],
    ['s.«length»', 'error', 'PATH_UNKNOWN', /a string has no properties/],
    ['b.«x»', 'error', 'PATH_UNKNOWN'],
    [
      'day.«hour»',
      'error',
      'PATH_UNKNOWN',
      /a date has no property 'hour'; it has year, month, day, weekday/,
    ],
    ['moment.«yeer»', 'error', 'PATH_UNKNOWN', /did you mean 'year'\?/],
    ['hours.«months»', 'error', 'PATH_UNKNOWN'],
    ['[1..5].«begin»', 'error', 'PATH_UNKNOWN'],
    ['{a: 1}.«b»', 'error', 'PATH_UNKNOWN'],
    ['loose.«total»', 'warning', 'PATH_UNKNOWN'],
    ['numbers.«x»', 'warning', 'PATH_UNKNOWN', /a number has no properties/],
    ['order.lines.«cost»', 'warning', 'PATH_UNKNOWN'],
    ['(if b then order else {amount: 5}).«zip»', 'error', 'PATH_UNKNOWN'],
    ['«(if b then order else {x: 5}).country = 5»', 'error', 'TYPE_MISMATCH'],
    ['order.lines[1].«cost»', 'error', 'PATH_UNKNOWN'],
    ['(for line in order.lines return line.«cost»)', 'error', 'PATH_UNKNOWN'],
    ['get entries(order)[1].«val»', 'error', 'PATH_UNKNOWN', /it has key, value/],
  ]);
  accepts([
    'order.customer.name',
    'open.total.of.all',
    'a.b.c',
    'order.lines.price',
    'order.lines[1].price + 1',
    'sum(order.lines.price)',
    'day.year + moment.hour + clock.minute + hours.days + months.years',
    '[1..5].start included',
    'moment.time offset + hours',
    'null.x',
    '(if b then order else loose).amount',
    '(if b then order else loose).country',
    '(if b then order else open).country = 5',
    '(if b then order else loose).country = 5',
    '(if b then order else {country: 5}).country = 5',
    '(if b then order else null).country',
    'mixed + 1',
  ]);
});

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

describe('conditions', () => {
  reports([
    [
      'if «n» then 1 else 2',
      'error',
      'TYPE_MISMATCH',
      /the condition of if is a number, which is never true/,
    ],
    ['if «"yes"» then 1 else 2', 'error', 'TYPE_MISMATCH'],
    ['if «1 = 2» then 1 else 2', 'warning', 'CONDITION_CONSTANT', /names no variable/],
    ['if «true» then 1 else 2', 'warning', 'CONDITION_CONSTANT'],
    ['if «null» then 1 else 2', 'warning', 'CONDITION_CONSTANT'],
    ['if «contains("abc", "b")» then 1 else 2', 'warning', 'CONDITION_CONSTANT'],
    ['some x in numbers satisfies «x + 1»', 'error', 'TYPE_MISMATCH', /the condition of some is a number/],
    ['every x in numbers satisfies «s»', 'error', 'TYPE_MISMATCH'],
    ['numbers[«s»]', 'error', 'TYPE_MISMATCH', /a filter takes a condition or a position, not a string/],
    ['numbers[«order»]', 'error', 'TYPE_MISMATCH'],
    ['numbers[«1 = 1»]', 'warning', 'CONDITION_CONSTANT'],
    ['numbers[«0»]', 'warning', 'VALUE_INVALID', /counted from 1/],
    ['numbers[«1.5»]', 'warning', 'VALUE_INVALID'],
    ['b and «n»', 'warning', 'TYPE_MISMATCH', /'and' takes true and false, not a number/],
    ['«"x"» or b or «5»', 'warning', 'TYPE_MISMATCH'],
  ]);
  accepts([
    'if b then 1 else "a"',
    'if a then 1 else 2',
    'if today() > day then 1 else 2',
    'if now() > @"2026-01-01T00:00:00Z" then 1 else 2',
    'if order.amount > 5 and not(b) then 1 else 2',
    'if get value(order, s) then 1 else 2',
    'numbers[1]',
    'numbers[-1]',
    'numbers[item > 2]',
    'numbers[n]',
    'numbers[b]',
    'numbers[a]',
    'some x in numbers satisfies x > 2',
    'every x in [1, 2] satisfies b',
    'a and a or a',
    'null and b',
  ]);

  describe('of gateways', () => {
    reports(
      [
        ['«n»', 'error', 'TYPE_MISMATCH', /the condition is a number, which is never true/],
        ['«order.country»', 'error', 'TYPE_MISMATCH'],
        ['«true»', 'warning', 'CONDITION_CONSTANT'],
        ['«1 > 2 and (3 > 4)»', 'warning', 'CONDITION_CONSTANT'],
        ['«if b then 1 else "a"»', 'error', 'TYPE_MISMATCH', /a number or a string/],
      ],
      asCondition,
    );
    accepts(['b', 'a', 'n > 5', 'today() > @"2026-01-01"', 'if b then true else null'], asCondition);
  });
});

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
    accepts(['f(1) + 1', 'a(1, 2, 3)', 'order.lines[f(price) > 1]'], within);
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

describe('iterations', () => {
  reports([
    ['for i in «"a".."z"» return i', 'error', 'TYPE_MISMATCH', /only whole numbers and dates/],
    ['for i in «1..day» return i', 'error', 'TYPE_MISMATCH'],
    ['for i in «[moment..moment]» return i', 'error', 'TYPE_MISMATCH'],
    ['for i in 1..n return «i + "a"»', 'error', 'TYPE_MISMATCH'],
    ['«(for i in 1..n return string(i)) + 1»', 'error', 'TYPE_MISMATCH'],
    ['(for d in day..day return d).«hour»', 'warning', 'PATH_UNKNOWN'],
  ]);
  accepts([
    'for i in n return i + 1',
    'for i in order return i.amount',
    'for i in 1..n return i + 1',
    'for d in [day..day] return d + hours',
    'for i in null return i',
    'for i in a return i.x',
    'for x in numbers, partial in numbers return partial + x',
    'for x in numbers return if count(partial) = 0 then x else partial[-1] + x',
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
