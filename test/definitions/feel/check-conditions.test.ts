/** Conditions, filters and iterations that are never right, and those that may be. `«»` marks what is reported (check-run.ts). */
import { describe } from 'node:test';
import { accepts, asExpected, reports } from './check-run.ts';

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
    ['if «not(true)» then 1 else 2', 'warning', 'CONDITION_CONSTANT'],
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
    'if true then 1 else 2',
    'numbers[true]',
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
    const asCondition = asExpected({ what: 'the condition', kinds: ['boolean'], wanted: 'true or false' });
    reports(
      [
        ['«n»', 'error', 'TYPE_MISMATCH', /the condition is a number, which is never true/],
        ['«order.country»', 'error', 'TYPE_MISMATCH'],
        ['«1 > 2 and (3 > 4)»', 'warning', 'CONDITION_CONSTANT'],
        ['«if b then 1 else "a"»', 'error', 'TYPE_MISMATCH', /a number or a string/],
      ],
      asCondition,
    );
    accepts(['true', 'b', 'a', 'n > 5', 'today() > @"2026-01-01"', 'if b then true else null'], asCondition);
  });
});

describe('expressions that must give a kind of value', () => {
  const asKey = asExpected({ what: 'the key', kinds: ['string', 'number'], wanted: 'a string or a number' });
  reports(
    [
      ['«b»', 'error', 'TYPE_MISMATCH', /the key must be a string or a number, and is a boolean/],
      ['«order»', 'error', 'TYPE_MISMATCH'],
      ['«[n]»', 'error', 'TYPE_MISMATCH'],
      ['«"a" - 1»', 'error', 'TYPE_MISMATCH', /'-' does not take/],
    ],
    asKey,
  );
  accepts(['n', 's', 'a', 'null', 'mixed', 'if b then n else order'], asKey);
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
