/** Names and paths that an expression may not have, and what is no mistake. `«»` marks what is reported (check-run.ts). */
import { describe } from 'node:test';
import { accepts, asExpression, reports, scope } from './check-run.ts';

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
    ['«count + 1»', 'error', 'TYPE_MISMATCH', /a function and a number/],
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
    accepts(
      ['amuont > 5', 'amuont.x[y = 1].z', 'count + 1'],
      asExpression({ ...scope, unknownNames: 'nothing' }),
    );
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
