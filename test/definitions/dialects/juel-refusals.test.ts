/** JUEL that is refused: where, why, and that it is said what to do. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JuelRefusalReason } from '../../../definitions/dialects/juel-fault.ts';
import { translateJuel } from '../../../definitions/dialects/juel-translate.ts';

/** `at` is what stands at the offset, up to the end. */
type Row = readonly [reason: JuelRefusalReason, juel: string, at: string, message: RegExp];

const rows: readonly Row[] = [
  ['syntax', '${}', '}', /not complete/],
  ['syntax', 'a ${b', '${b', /close it with \}/],
  ['syntax', "${'b}", "'b}", /close it with '/],
  ['syntax', String.raw`${'${'}'a\n'}`, String.raw`\n'}`, /escape/],
  ['syntax', '${a b}', 'b}', /unexpected "b"/],
  ['syntax', '${(a}', '}', /\) is missing/],
  ['syntax', '${a[1}', '}', /\] is missing/],
  ['syntax', '${a ? b}', '}', /: is missing/],
  ['syntax', '${a.}', '}', /a name follows the dot/],
  ['syntax', '${a.and}', 'and}', /a name follows the dot/],
  ['syntax', '${a.5}', '.5}', /unexpected "\.5"/],
  ['syntax', '${a ~ b}', '~ b}', /unexpected "~"/],
  ['syntax', '${a += b}', '+= b}', /\$\{a\}\$\{b\}/],
  ['syntax', '${[1, 2]}', '[1, 2]}', /unexpected "\["/],
  ['syntax', '${a instanceof b}', 'instanceof b}', /instance of/],
  ['syntax', '${a} #{b}', '#{b}', /all of them with \$/],
  ['syntax', '${9223372036854775808}', '9223372036854775808}', /larger/],
  ['syntax', '${1e400}', '1e400}', /larger/],
  ['syntax', '${"\ud800"}', '"\ud800"}', /surrogate/],
  ['syntax', 'x\udc00', 'x\udc00', /surrogate/],
  ['assignment', '${a = 5}', '= 5}', /write == to compare/],
  ['assignment', "${execution.setVariable('a', 5)}", "setVariable('a', 5)}", /output mapping/],
  ['assignment', "${task.removeVariable('a')}", "removeVariable('a')}", /output mapping/],
  ['lambda', '${a.stream().filter(x -> x > 1)}', '-> x > 1)}', /some x in list/],
  ['bean', '${bean.method(a)}', 'method(a)}', /no beans here/],
  ['bean', '${order.getTotal()}', 'getTotal()}', /write "order\.total"/],
  ['call', '${a.b.method()}', 'method()}', /no method "method"/],
  ['call', '${a.b.isPaid()}', 'isPaid()}', /write "a\.b\.paid"/],
  ['call', '${a[0].b()}', 'b()}', /no method "b"/],
  ['call', '${a[b]()}', '[b]()}', /name in quotes/],
  ['call', '${execution.hasVariable("a")}', 'hasVariable("a")}', /compare the variable with null/],
  ['call', '${execution.getVariable(a)}', 'a)}', /in quotes/],
  ['call', '${execution.getVariableLocal("a")}', 'getVariableLocal("a")}', /write the variable's name/],
  ['call', '${execution.processEngineServices.getRuntimeService()}', 'getRuntimeService()}', /let a worker/],
  ['call', '${dateTime().plusDays(2).toDate()}', 'dateTime().plusDays(2).toDate()}', /now\(\) \+ duration/],
  ['call', '${now(1)}', 'now(1)}', /no function "now"/],
  ['call', '${S(a).prop("b")}', 'S(a).prop("b")}', /customer\.name/],
  ['call', '${variables:base64(a)}', 'variables:base64(a)}', /write an operator/],
  ['call', '${var:get(a + 1)}', '+ 1)}', /name of a variable first/],
  ['call', '${var:constructor(a)}', 'var:constructor(a)}', /write an operator/],
  ['name', '${var:get("a-b")}', '"a-b")}', /otherwise/],
  ['call', '${a ? b : fn:max(c)}', 'fn:max(c)}', /no function "fn:max"/],
  ['call', '${constructor()}', 'constructor()}', /no function "constructor"/],
  ['call', '${a.b.constructor()}', 'constructor()}', /no method/],
  ['call', '${a.substring(b)}', 'substring(b)}', /substring\(text, start, length\)/],
  ['call', '${a.substring(3, 3)}', 'substring(3, 3)}', /substring\(text, start, length\)/],
  ['name', '${for > 1}', 'for > 1}', /FEEL reads the name "for" otherwise/],
  ['name', '${a + $b}', '$b}', /letters, digits and _/],
  ['name', '${__proto__}', '__proto__}', /otherwise/],
  ['name', "${execution.getVariable('a-b')}", "'a-b')}", /otherwise/],
  ['coercion', "${'5' + 1}", "'5' + 1}", /without quotes/],
  ['coercion', "${'Hello ' + name}", "'Hello ' + name}", /join texts as Order/],
  ['coercion', '${1 - true}', 'true}', /calculate/],
  ['coercion', '${a * null}', 'null}', /write 0/],
  ['coercion', "${-'5'}", "'5'}", /without quotes/],
  ['coercion', "${a % ''}", "''}", /without quotes/],
  ['coercion', "${5 == '5'}", "'5'}", /write both as one type/],
  ['coercion', "${'true' != true}", 'true}', /write both as one type/],
  ['coercion', '${(a > 1) == 1}', '1}', /write both as one type/],
  ['coercion', "${a > '5'}", "'5'}", /a number without quotes/],
  ['coercion', "${1 < 'x'}", "'x'}", /write both as one type/],
  ['coercion', '${a <= null}', 'null}', /compare it with == or !=/],
  ['coercion', '${true < a}', 'true < a}', /has no order/],
  ['coercion', "${'true' && a}", "'true' && a}", /neither true nor false/],
  ['coercion', '${a || 1}', '1}', /neither true nor false/],
  ['coercion', '${!1}', '1}', /neither true nor false/],
  ['coercion', "${'x' ? 1 : 2}", "'x' ? 1 : 2}", /neither true nor false/],
  ['coercion', "${a['0']}", "'0']}", /without quotes/],
  ['coercion', '${a[-1]}', '-1]}', /whole number from 0/],
  ['coercion', '${a[1.5]}', '1.5]}', /whole number/],
  ['coercion', '${a[true]}', 'true]}', /name of a property/],
  ['coercion', '${a[null]}', 'null]}', /name of a property/],
];

describe('JUEL is refused', () => {
  for (const [reason, juel, at, message] of rows) {
    it(`${juel}: ${reason}`, () => {
      const translation = translateJuel(juel);
      assert.equal(translation.kind, 'refused', JSON.stringify(translation));
      assert.match(translation.message, message);
      assert.equal(translation.reason, reason);
      assert.equal(juel.slice(translation.offset), at);
    });
  }

  it('at an offset of the text as it is, with the space before it', () => {
    const translation = translateJuel('\n   ${ for }');
    assert.equal(translation.kind, 'refused');
    assert.equal(translation.offset, 7);
  });
});

describe('JUEL of any size is read or refused', () => {
  const sizes: readonly (readonly [
    what: string,
    juel: string,
    offset: number | null,
    message: RegExp | null,
  ])[] = [
    ['many brackets', `\${${'('.repeat(99)}a${')'.repeat(99)}}`, null, null],
    ['too many brackets', `\${${'('.repeat(900)}}`, 102, /nested deeper than 100/],
    ['too many signs before a value', `\${${'!'.repeat(900)}a}`, 102, /nested deeper than 100/],
    ['a long sum', `\${a${' + a'.repeat(140)}}`, null, null],
    ['too long a sum', `\${a${' + a'.repeat(200)}}`, 206, /in FEEL .* nested .*; make several/],
    ['too many words', `\${a${'+a'.repeat(600)}}`, 1_002, /more than 1000/],
    ['a long condition', `\${a${' && a'.repeat(400)}}`, null, null],
    ['a long text', 'x'.repeat(9_900), null, null],
    ['too long a text', 'x'.repeat(10_001), 0, /longer than 10000/],
    ['a text that is too long in FEEL', '"'.repeat(9_900), 0, /in FEEL .* longer than 10000/],
    ['many expressions', '${a}'.repeat(200), null, null],
    ['too many expressions', '${a}'.repeat(2_000), 0, /in FEEL .*; make several/],
  ];
  for (const [what, juel, offset, message] of sizes) {
    it(what, () => {
      const translation = translateJuel(juel);
      if (message === null) assert.equal(translation.kind, 'feel', JSON.stringify(translation));
      else {
        assert.equal(translation.kind, 'refused');
        assert.match(translation.message, message);
        assert.deepEqual([translation.reason, translation.offset], ['size', offset]);
      }
    });
  }
});
