import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compileItemTypes } from '../../../definitions/dmn/compile-item-types.ts';
import { conform, TypeFault } from '../../../definitions/dmn/item-conformance.ts';
import { anyItem, type ItemType } from '../../../definitions/dmn/item-types.ts';
import { readInput } from '../../../definitions/dmn/read-input.ts';
import { Meter, TurnBudget } from '../../../definitions/feel/budget.ts';
import { coerced } from '../../../definitions/feel/compile/conformance.ts';
import { Evaluation } from '../../../definitions/feel/compile/evaluation.ts';
import { FeelEvaluationError } from '../../../definitions/feel/errors.ts';
import type { FeelValue } from '../../../definitions/feel/runtime.ts';
import { NOW_MS, run, show } from '../feel/compile-run.ts';
import { modelOf, modelText } from './model-text.ts';

const model = modelOf(
  modelText(`
<itemDefinition name="tColor"><typeRef>string</typeRef><allowedValues><text>"red", "green"</text></allowedValues></itemDefinition>
<itemDefinition name="tDark"><typeRef>tColor</typeRef><allowedValues><text>not("green")</text></allowedValues></itemDefinition>
<itemDefinition name="tOptional"><typeRef>number</typeRef><allowedValues><text>[0..999], null</text></allowedValues></itemDefinition>
<itemDefinition name="tColors" isCollection="true"><typeRef>string</typeRef><allowedValues><text>"red", "green"</text></allowedValues></itemDefinition>
<itemDefinition name="tPair" isCollection="true"><typeRef>number</typeRef><typeConstraint><text>count(?) = 2</text></typeConstraint></itemDefinition>
<itemDefinition name="tNumbers" isCollection="true"><typeRef>number</typeRef></itemDefinition>
<itemDefinition name="tMatrix" isCollection="true"><typeRef>tNumbers</typeRef></itemDefinition>
<itemDefinition name="tPeriod"><itemComponent name="from"><typeRef>date</typeRef></itemComponent><itemComponent name="to"><typeRef>date</typeRef></itemComponent>
  </itemDefinition>
<itemDefinition name="tOrdered"><typeRef>tPeriod</typeRef><typeConstraint><text>?.from &lt;= ?.to</text></typeConstraint></itemDefinition>
<itemDefinition name="tPerson"><itemComponent name="full name"><typeRef>string</typeRef></itemComponent>
  <itemComponent name="likes"><typeRef>tColor</typeRef></itemComponent>
  <itemComponent name="stays" isCollection="true"><typeRef>tPeriod</typeRef></itemComponent></itemDefinition>
<itemDefinition name="tTree"><itemComponent name="at"><typeRef>date and time</typeRef></itemComponent>
  <itemComponent name="in" isCollection="true"><typeRef>tTree</typeRef></itemComponent></itemDefinition>
<itemDefinition name="tNest" isCollection="true"><typeRef>tNest</typeRef></itemDefinition>
<itemDefinition name="tWord"><typeRef>string</typeRef><allowedValues><text>matches(?, "[a-z]+"), ? = "A"</text></allowedValues></itemDefinition>
<itemDefinition name="tNamed" isCollection="true"><itemComponent name="full-time name"><typeRef>string</typeRef></itemComponent>
  <allowedValues><text>?.full-time name != "", null</text></allowedValues></itemDefinition>
<itemDefinition name="tSelf"><functionItem outputTypeRef="tSelf"><parameters name="p" typeRef="tSelf"/></functionItem></itemDefinition>
<itemDefinition name="tHow"><functionItem outputTypeRef="number"><parameters name="x" typeRef="number"/></functionItem></itemDefinition>`),
);
const { byModel, findings } = compileItemTypes([model]);
assert.deepEqual(findings, []);

function typeOf(text: string): ItemType {
  const unknown: string[] = [];
  const type = byModel.get(model)?.resolve({ text, place: {} }, ({ message }) => unknown.push(message));
  assert.deepEqual(unknown, []);
  return type ?? anyItem;
}

interface Told {
  readonly result: string;
  readonly warningCount: number;
  readonly units: number;
}

type Conversion = typeof conform;

function told(convert: Conversion, value: FeelValue, type: ItemType): Told {
  let warningCount = 0;
  const meter = new Meter(new TurnBudget(NOW_MS));
  const evaluation = new Evaluation(meter, () => (warningCount += 1));
  const result = convert(value, type, evaluation);
  const text = result instanceof TypeFault ? `${result.condition}: ${result.message}` : show(result);
  return { result: text, warningCount, units: meter.spentUnits };
}

/** A type, an expression for a value, and what becomes of that. */
type Row = readonly [type: string, value: string, result: string];

function check(convert: Conversion, rows: readonly Row[]): void {
  for (const [type, value, result] of rows) {
    test(`${value} as ${type}`, () => {
      const { result: found, warningCount } = told(convert, run(value).value, typeOf(type));
      assert.deepEqual([found, warningCount], [result, 0]);
    });
  }
}

describe('a value is made one of a type', () => {
  check(conform, [
    ['number', '1', '1'],
    ['number', '"1"', 'type: a string is no number'],
    ['number', 'null', 'null'],
    ['number', '[1]', '1'],
    ['number', '[1, 2]', 'type: a list is no number'],
    ['number', '["1"]', 'type: a list is no number'],
    ['tNumbers', '1', '[1]'],
    ['tNumbers', 'null', 'null'],
    ['tNumbers', '[1, null, 2]', '[1, null, 2]'],
    ['tNumbers', '[1, "2", true]', 'type: a string at [2] is no number'],
    ['tNumbers', '[[1, 2]]', '[1, 2]'],
    ['tMatrix', '[[1, 2], [3]]', '[[1, 2], [3]]'],
    ['tMatrix', '[[1, 2], 3]', 'type: a number at [2] is no tNumbers'],
    ['tMatrix', '[[1, 2], ["3"]]', 'type: a string at [2][1] is no number'],
    ['date and time', 'date("2026-03-01")', '2026-03-01T00:00:00Z'],
    ['date', 'date("2026-03-01")', '2026-03-01'],
    ['date', '"2026-03-01"', 'type: a string is no date'],
    ['Any', '[1, {a: "b"}]', '[1, {a: "b"}]'],
    ['tPeriod', '{from: date("2026-03-01"), to: null, more: 1}', '{from: 2026-03-01, to: null, more: 1}'],
    ['tPeriod', '{from: date("2026-03-01")}', 'type: a context has no entry "to", as tPeriod has'],
    ['tPeriod', '[{from: null, to: null}]', '{from: null, to: null}'],
    ['tPeriod', '1', 'type: a number is no tPeriod'],
    [
      'tPerson',
      '{full name: "A", likes: "red", stays: [{from: null, to: null}, {from: null, to: 1}]}',
      'type: a number at stays[2].to is no date',
    ],
    ['tPerson', '{full name: 1, likes: 2, stays: 3}', 'type: a number at full name is no string'],
    ['tNest', '[[], [[]]]', '[[], [[]]]'],
    ['tNest', '[[], [[1]]]', 'type: a number at [2][1][1] is no tNest'],
    ['tHow', 'function(x: number) x + 1', 'function'],
    ['tHow', 'function(x: string) 1', 'type: a function is no tHow'],
    ['tHow', 'function(x: number, y: number) 1', 'type: a function is no tHow'],
  ]);
});

describe('a value must be an allowed one', () => {
  check(conform, [
    ['tColor', '"red"', '"red"'],
    ['tColor', '["red"]', '"red"'],
    ['tColor', '"blue"', 'value: a string is none of the allowed values'],
    ['tColor', '["blue"]', 'value: a string is none of the allowed values'],
    ['tColor', '1', 'type: a number is no tColor'],
    ['tColor', 'null', 'value: null is none of the allowed values'],
    ['tDark', '"red"', '"red"'],
    ['tDark', '"green"', 'value: a string is none of the allowed values'],
    ['tDark', '"blue"', 'value: a string is none of the allowed values'],
    ['tOptional', 'null', 'null'],
    ['tOptional', '999', '999'],
    ['tOptional', '1000', 'value: a number is none of the allowed values'],
    ['tColors', '["red", "green"]', '["red", "green"]'],
    ['tColors', '["red", "blue"]', 'value: a string at [2] is none of the allowed values'],
    ['tColors', '"red"', '["red"]'],
    ['tColors', '"blue"', 'value: a string at [1] is none of the allowed values'],
    ['tColors', '[]', '[]'],
    ['tPair', '[1, 2]', '[1, 2]'],
    ['tPair', '[1]', 'value: a list is none of the allowed values'],
    ['tPair', '1', 'value: a list is none of the allowed values'],
    ['tOrdered', '{from: date("2026-03-01"), to: date("2026-03-02")}', '{from: 2026-03-01, to: 2026-03-02}'],
    [
      'tOrdered',
      '{from: date("2026-03-02"), to: date("2026-03-01")}',
      'value: a context is none of the allowed values',
    ],
    ['tOrdered', '{from: null, to: null}', 'value: a context is none of the allowed values'],
    ['tNamed', '[{full-time name: "A"}, null]', '[{full-time name: "A"}, null]'],
    [
      'tNamed',
      '[{full-time name: "A"}, {full-time name: ""}]',
      'value: a context at [2] is none of the allowed values',
    ],
    ['tWord', '"abc"', '"abc"'],
    ['tWord', '"A"', '"A"'],
    ['tWord', '"B"', 'value: a string is none of the allowed values'],
    [
      'tPerson',
      '{full name: "A", likes: "blue", stays: []}',
      'value: a string at likes is none of the allowed values',
    ],
    // What is of a wrong type is said before what is not allowed.
    ['tPerson', '{full name: "A", likes: "blue", stays: [1]}', 'type: a number at stays[1] is no tPeriod'],
  ]);
});

describe('a value from outside is read as one of a type', () => {
  check(readInput, [
    ['date', '"2026-03-01"', '2026-03-01'],
    ['date', '["2026-03-01"]', '2026-03-01'],
    ['date', 'date("2026-03-01")', '2026-03-01'],
    ['date', '"tomorrow"', 'type: a string is no date'],
    ['date', '"2026-02-30"', 'type: a string is no date'],
    ['time', '"10:00:00Z"', '10:00:00Z'],
    ['date and time', '"2026-03-01T10:00:00"', '2026-03-01T10:00:00'],
    ['date and time', '"2026-03-01"', '2026-03-01T00:00:00'],
    ['days and time duration', '"PT5M"', 'PT5M'],
    ['years and months duration', '"P1Y"', 'P1Y'],
    ['years and months duration', '"PT5M"', 'type: a days and time duration is no years and months duration'],
    ['string', '"2026-03-01"', '"2026-03-01"'],
    ['Any', '"2026-03-01"', '"2026-03-01"'],
    ['number', '1', '1'],
    [
      'tPeriod',
      '{from: "2026-03-01", more: "2026-03-01"}',
      '{from: 2026-03-01, more: "2026-03-01", to: null}',
    ],
    ['tPeriod', '{from: "2026-03-01", to: "x"}', 'type: a string at to is no date'],
    ['tPeriod', '[{from: "2026-03-01", to: null}]', '{from: 2026-03-01, to: null}'],
    [
      'tPerson',
      '{full name: "A", likes: "red", stays: {from: "2026-03-01"}}',
      'type: a context at stays is no list of tPeriod',
    ],
    [
      'tPerson',
      '{full name: "A", likes: "red", stays: [{from: "2026-03-01"}]}',
      '{full name: "A", likes: "red", stays: [{from: 2026-03-01, to: null}]}',
    ],
    ['tPerson', '{full name: "A"}', 'value: null at likes is none of the allowed values'],
    [
      'tTree',
      '{at: "2026-03-01T10:00:00Z", in: [{at: "2026-03-01T11:00:00Z", in: []}]}',
      '{at: 2026-03-01T10:00:00Z, in: [{at: 2026-03-01T11:00:00Z, in: []}]}',
    ],
    ['tNest', '1', 'type: a number is no tNest'],
  ]);

  test('which is the same object when nothing is read in it', () => {
    const value = run('{full name: "A", likes: "red", stays: [{from: null, to: null}]}').value;
    const evaluation = new Evaluation(new Meter(new TurnBudget(NOW_MS)));
    assert.equal(readInput(value, typeOf('tPerson'), evaluation), value);
  });

  test('no entry of which reaches a prototype', () => {
    const value = JSON.parse('{"__proto__": {"to": 1}, "from": "2026-03-01"}') as FeelValue;
    const evaluation = new Evaluation(new Meter(new TurnBudget(NOW_MS)));
    const result = readInput(value, typeOf('tPeriod'), evaluation);
    assert.deepEqual(Object.keys(Object(result) as object), ['__proto__', 'from', 'to']);
  });
});

describe('deep values', () => {
  function nested(depth: number, wrap: (inner: FeelValue) => FeelValue): FeelValue {
    let value: FeelValue = [];
    for (let level = 0; level < depth; level += 1) value = wrap(value);
    return value;
  }

  test('are looked at to their end', () => {
    const good = nested(50_000, (inner) => [inner]);
    assert.equal(conform(good, typeOf('tNest'), new Evaluation(new Meter(new TurnBudget(NOW_MS)))), good);
    const bad = nested(50_000, (inner) => (Array.isArray(inner) && inner.length === 0 ? [1] : [inner]));
    assert.equal(
      told(conform, bad, typeOf('tNest')).result,
      `type: a number at …${'[1]'.repeat(8)} is no tNest`,
    );
  });

  test('are read from outside as deep as calls may go', () => {
    const value = nested(50_000, (inner) => ({ at: null, in: [inner] }));
    const evaluation = new Evaluation(new Meter(new TurnBudget(NOW_MS)));
    assert.throws(() => readInput(value, typeOf('tTree'), evaluation), FeelEvaluationError);
  });

  test('cost by what is in them', () => {
    const short = told(conform, Array<number>(100).fill(1), typeOf('tNumbers')).units;
    const long = told(conform, Array<number>(10_000).fill(1), typeOf('tNumbers')).units;
    assert.ok(long - short >= 9_900, String(long - short));
  });
});

test('functions are compared by types that are in themselves', () => {
  const types = byModel.get(model)?.lookup;
  assert.ok(types !== undefined);
  const rows: readonly (readonly [text: string, result: string])[] = [
    ['function(p: tSelf) p', 'function'],
    ['function(p: tSelf) 1', 'type: a function is no tSelf'],
    ['function(p: tHow) p', 'type: a function is no tSelf'],
  ];
  for (const [text, result] of rows) {
    assert.equal(told(conform, run(text, { types }).value, typeOf('tSelf')).result, result, text);
  }
});

test('a value without allowed values is made one of a type as FEEL does it', () => {
  const leaf = fc.constantFrom<FeelValue>(null, true, 1, 'a', run('date("2026-03-01")').value);
  const { value: values } = fc.letrec<{ value: FeelValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.record({ from: tie('value'), to: tie('value') }, { requiredKeys: ['from'] }),
    ),
  }));
  const types = ['Any', 'number', 'date', 'date and time', 'tNumbers', 'tMatrix', 'tPeriod', 'tNest'].map(
    typeOf,
  );
  fc.assert(
    fc.property(values, fc.constantFrom(...types), (value, type) => {
      const evaluation = new Evaluation(new Meter(new TurnBudget(NOW_MS)));
      const found = conform(value, type, evaluation);
      const expected = coerced(value, type.feelType, evaluation);
      assert.equal(
        found instanceof TypeFault ? 'none' : show(found),
        expected === undefined ? 'none' : show(expected),
      );
    }),
    { numRuns: 500 },
  );
});
