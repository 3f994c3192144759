/** JUEL texts and the FEEL that is made of them, by hand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { translateJuel } from '../../../definitions/dialects/juel-translate.ts';
import { Temporal, type Context, type Value } from '../../../definitions/value.ts';
import { evaluateFeel, evaluateJuel, feelOf, NOW_MS } from './juel-run.ts';

describe('JUEL texts are written in FEEL', () => {
  const rows: readonly (readonly [juel: string, feel: string])[] = [
    // Texts.
    ['kermit', '"kermit"'],
    ['', '""'],
    [' \n ', '""'],
    ['say "hi" \\ there\n${1}', String.raw`"say \"hi\" \\ there\n1"`],
    ['${a}', 'a'],
    ['\n  #{ a }\n', 'a'],
    ['Order ${id} of ${customer}', 'string join(["Order ", string(id), " of ", string(customer)])'],
    ['${a}${b}', 'string join([string(a), string(b)])'],
    ["${'start'}${'Signal'}", '"startSignal"'],
    ['v${1}${true}${null}${07}', 'string join(["v1true", string(7)])'],
    ['${a > 3}!', 'string join([string((a > 3) = true), "!"])'],
    ["${f ? 'Mr.' : 'Mrs.'} X", 'string join([if f then "Mr." else "Mrs.", " X"])'],
    [
      '\\${a} $5 #1 \\\\ \\#{b} { } ${c}',
      String.raw`string join(["${'${a}'} $5 #1 \\\\ #{b} { } ", string(c)])`,
    ],
    // Literals.
    [String.raw`${'${'}'it\'s "x" \\ y'}`, String.raw`"it's \"x\" \\ y"`],
    [String.raw`${'${'}"a \"b\" 'c' }"}`, String.raw`"a \"b\" 'c' }"`],
    ['${"\v\f\r\t"}', String.raw`"\u000b\u000c\r` + '\t"'],
    ['${12}', '12'],
    ['${007 + 5. + .5 + 1.50 + 1e3 + 1E+3 + 1.e-3}', '7 + 5 + 0.5 + 1.50 + 1e3 + 1e3 + 1e-3'],
    ['${9223372036854775807}', '9223372036854775807'],
    ['${true == false}', 'true = false'],
    ['${a == null}', 'a = null'],
    // Paths.
    ['${a.b.c}', 'a.b.c'],
    ["${a['b'].c['d e']}", 'get value(a.b.c, "d e")'],
    ['${a.for.null}', 'get value(get value(a, "for"), "null")'],
    ['${a.$x}', 'get value(a, "$x")'],
    ['${a[0].b[12]}', 'a[1].b[13]'],
    ['${a[loopCounter]}', 'sublist(a, loopCounter + 1, 1)[1]'],
    ['${a[b - 1]}', 'sublist(a, b - 1 + 1, 1)[1]'],
    ['${a[i]}', 'if i instance of string then get value(a, i) else sublist(a, i + 1, 1)[1]'],
    ["${a[b ? 'x' : 'y']}", 'get value(a, if b then "x" else "y")'],
    ['${größe.straße}', 'größe.straße'],
    // Operators.
    ['${a + b - c * d / e}', 'a + b - c * d / e'],
    ['${a - (b + c)}', 'a - (b + c)'],
    ['${(a - b) + c}', 'a - b + c'],
    ['${a * (b / c)}', 'a * (b / c)'],
    ['${(a + b) * -c}', '(a + b) * -c'],
    ['${-(a + b)}', '-(a + b)'],
    ['${- - a}', '-(-a)'],
    [
      '${a div 2 mod 3}',
      '(function(value, other) if value < 0 then -modulo(-value, other) else modulo(value, other))(a / 2, 3)',
    ],
    ['${a % 2}', 'if a < 0 then -modulo(-a, 2) else modulo(a, 2)'],
    ['${a.b % c}', 'if a.b < 0 then -modulo(-a.b, abs(c)) else modulo(a.b, abs(c))'],
    ['${7 mod a}', 'modulo(7, abs(a))'],
    ['${7 % 4}', 'modulo(7, 4)'],
    ['${a eq b}', 'a = b'],
    ['${a ne b}', 'a != b'],
    ['${a lt 1 or a gt 2 and a le 3 || a ge 4}', 'a < 1 or a > 2 and a <= 3 or a >= 4'],
    ['${(a or b) and c}', '(a or b) and c'],
    ['${a && (b && c)}', 'a and (b and c)'],
    ['${a == b == c}', '((a = b) = true) = c'],
    ['${1 == 2 == true}', '(1 = 2) = true'],
    ['${a < b == c > d}', '((a < b) = true) = ((c > d) = true)'],
    ['${!a}', 'a != true'],
    ['${not a.b}', 'a.b != true'],
    ['${!(a > 3)}', '(a > 3) != true'],
    ['${!(a == null)}', 'not(a = null)'],
    ['${!!a}', '(a != true) != true'],
    ['${!a && b}', 'a != true and b'],
    ['${empty a}', 'a in (null, "", [], {})'],
    ['${!empty a.b}', 'not(a.b in (null, "", [], {}))'],
    ['${not empty a and b}', 'not(a in (null, "", [], {})) and b'],
    ['${empty (a > b)}', '((a > b) = true) in (null, "", [], {})'],
    ['${a ? b : c}', 'if a then b else c'],
    ['${a ? b : c ? d : e}', 'if a then b else (if c then d else e)'],
    ['${(a ? b : c) + 1}', '(if a then b else c) + 1'],
    ['${a ? b > 1 : c}', 'if a then (b > 1) = true else c'],
    ['${a ? b : c.d}', 'if a then b else c.d'],
    // What a literal may stand for.
    ["${a == 'x'}", 'a = "x"'],
    ["${a == 'true'}", 'a in ("true", true)'],
    ["${a.b != 'false'}", 'not(a.b in ("false", false))'],
    ["${'5' == a}", 'a in ("5", 5)'],
    ["${a == '-1.5'}", 'a in ("-1.5", -1.5)'],
    ["${a == '05'}", 'a = "05"'],
    ["${'true' == 'false'}", '"true" = "false"'],
    ["${a > '2026-03-01'}", 'a > "2026-03-01"'],
    // Calls.
    ['${list.size()}', 'count(if list instance of context then get entries(list) else list)'],
    ['${a.isEmpty()}', 'a in (null, "", [], {})'],
    ['${a.length()}', 'string length(a)'],
    ['${a.toString().toLowerCase().toUpperCase()}', 'upper case(lower case(string(a)))'],
    ["${a.equals('true')}", 'a = "true"'],
    ["${a.equalsIgnoreCase('X')}", 'lower case(a) = lower case("X")'],
    ["${a.startsWith('x') and a.endsWith('y')}", 'starts with(a, "x") and ends with(a, "y")'],
    ["${'abc'.contains(a)}", 'contains("abc", a)'],
    ["${a.contains('x')}", 'if a instance of string then contains(a, "x") else list contains(a, "x")'],
    ["${a.containsKey('x')}", 'list contains(get entries(a).key, "x")'],
    ["${a.get(0).get('b')}", 'a[1].b'],
    ["${'Activiti'.substring(0,3)}", 'substring("Activiti", 1, 3)'],
    ['${a.substring(2)}', 'substring(a, 3)'],
    ['${a.prop("b").prop("c d").stringValue()}', 'get value(a.b, "c d")'],
    ['${a["size"]()}', 'count(if a instance of context then get entries(a) else a)'],
    ['${now()}', 'now()'],
    ['${var:lowerThan(x, 10) && vars:gte("y", z)}', 'x < 10 and y >= z'],
    ["${variables:equals(x, 'true')}", 'x = "true"'],
    ['${variables:ne(x, 1) ? a : not (b)}', 'if x != 1 then a else (b != true) = true'],
    ["${var:get('x') + var:getOrDefault(x, 1)}", 'x + (if x = null then 1 else x)'],
    ['${var:isNotEmpty(x) || var:isEmpty(y)}', 'not(x in (null, "", [], {})) or y in (null, "", [], {})'],
    // What the engines of the source know.
    ["${execution.getVariable('x') > 5}", 'x > 5'],
    ['${task.getVariable("x")}', 'x'],
    ['${execution.processBusinessKey}', 'execution.processBusinessKey'],
    ['${execution.getProcessBusinessKey()}', 'execution.processBusinessKey'],
    ['${task.name}', 'task.name'],
    ['${nrOfCompletedInstances/nrOfInstances >= 0.5 }', 'nrOfCompletedInstances / nrOfInstances >= 0.5'],
    // Words that begin a name of FEEL, side by side.
    ['${date and time}', 'date and time'],
    ['${date && time[0]}', 'date and time[1]'],
    ['${years and months}', 'years and months'],
  ];
  for (const [juel, feel] of rows) {
    it(JSON.stringify(juel), () => {
      assert.equal(feelOf(juel), feel);
    });
  }
});

describe('JUEL in FEEL gives', () => {
  const order = {
    id: 7,
    total: 120.5,
    'a-b': 'dash',
    for: 'whom',
    items: [
      { i: 1, sku: 'x' },
      { i: 0, sku: 'y' },
    ],
  };
  const scope: Context = {
    order,
    a: 5,
    i: 1,
    key: 'total',
    none: null,
    no: false,
    text: 'true',
    list: [1, 2],
    bare: {},
  };
  const rows: readonly (readonly [juel: string, value: Value])[] = [
    ['Order ${order.id}: ${none}${order.total}', 'Order 7: 120.5'],
    ["${order['a-b']} ${order.for}", 'dash whom'],
    ['${order.items[0].sku}', 'x'],
    // The elements have an i too.
    ['${order.items[i].sku}', 'y'],
    ['${order.items[i + 5]}', null],
    ['${order[key]}', 120.5],
    ["${order[no ? 'id' : key]}", 120.5],
    ['${-7 % 3}', -1],
    ['${7 % -3}', 1],
    ['${(a - 12) % a}', -2],
    ['${-5.5 % 2}', -1.5],
    ['${!none}', true],
    ['${!no}', true],
    ['${!(none > 3)}', true],
    ['${(none > 3) == no}', true],
    ["${text == 'true'}", true],
    ["${no == 'false'}", true],
    ["${no != 'false'}", false],
    ["${a == '5'}", true],
    ["${none == 'true'}", false],
    ['${empty none && empty "" && empty bare && !empty list && !empty a && !empty no}', true],
    ['${list.size() + order.items.size() + bare.size()}', 4],
    ["${list.contains(2) && text.contains('ru') && !list.contains('ru')}", true],
    ['${none ? 1 : 2}', 2],
    ['${no == (none == 1)}', true],
    ['${date and time}', null],
    ['${now()}', new Temporal('date-time', new Date(NOW_MS).toISOString().replace('.000', ''))],
  ];
  for (const [juel, value] of rows) {
    it(`${JSON.stringify(value)} for ${juel}`, () => {
      assert.deepEqual(evaluateJuel(juel, scope), value);
    });
  }
});

describe('a translation', () => {
  it('has FEEL of the caller for what the source calls otherwise', () => {
    const replacements = new Map([
      ['nrOfInstances', 'numberOfInstances'],
      ['loopCounter', 'loopCounter - 1'],
      ['execution.processBusinessKey', 'businessKey'],
    ]);
    const feel = (juel: string): string => feelOf(juel, { replacements });
    assert.equal(feel('${list[loopCounter]}'), 'sublist(list, (loopCounter - 1) + 1, 1)[1]');
    assert.equal(feel('${nrOfInstances * loopCounter}'), 'numberOfInstances * (loopCounter - 1)');
    assert.equal(feel('${execution.getProcessBusinessKey()}'), 'businessKey');
    assert.equal(
      feel('${execution.processBusinessKey.x + a.nrOfInstances}'),
      'businessKey.x + a.nrOfInstances',
    );
    assert.equal(feel("${execution.getVariable('nrOfInstances')}"), 'numberOfInstances');
    assert.equal(
      feel("${execution['processBusinessKey'] == 'nrOfInstances'}"),
      'businessKey = "nrOfInstances"',
    );
    assert.equal(evaluateFeel(feel('${list[loopCounter]}'), { list: ['a', 'b'], loopCounter: 2 }), 'b');
  });

  it('knows where in the source each sign comes from', () => {
    const juel = '  Order ${ids[0]} of ${ empty customer ? "none" : customer.name }';
    const translation = translateJuel(juel);
    assert.equal(translation.kind, 'feel');
    const { text, offsets } = translation;
    assert.equal(offsets.length, text.length + 1);
    const rows: readonly (readonly [feel: string, juel: string])[] = [
      ['"Order ', 'Order'],
      ['ids', 'ids'],
      ['[1]', '[0]'],
      ['1]', '0]'],
      ['if ', '? "none'],
      ['customer in', 'customer ?'],
      [' in (null', 'empty'],
      ['"none"', '"none"'],
      ['customer.name', 'customer.name'],
      ['.name', 'name }'],
    ];
    for (const [feel, source] of rows) {
      assert.equal(offsets[text.indexOf(feel)], juel.indexOf(source), feel);
    }
  });
});
