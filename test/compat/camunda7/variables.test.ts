import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compatCodes } from '../../../channels/pull/compat/codes.ts';
import {
  fileOf,
  readVariables,
  writeVariable,
  writeVariables,
} from '../../../channels/pull/compat/camunda7/variables.ts';
import { EngineError } from '../../../config/engine-error.ts';
import { parseExactJsonText } from '../../../definitions/exact-json.ts';
import { compileExpression, TurnBudget } from '../../../definitions/feel.ts';
import { toPlainJson } from '../../../definitions/plain-json.ts';
import { Temporal, type Context } from '../../../definitions/value.ts';

function parsed(text: string): unknown {
  const result = parseExactJsonText(text);
  assert.ok(result.ok, text);
  return result.value;
}

/** What one client sets, the process keeps as JSON, and another client reads: all three as text. */
function roundTrip(variables: string): { readonly kept: string; readonly read: string } {
  const kept = toPlainJson(readVariables(parsed(variables), 'variables'));
  return { kept, read: toPlainJson(writeVariables(parsed(kept) as Context)) };
}

/** As sent; as the process has it; as it comes back, null: as it was sent. */
const rows: readonly (readonly [sent: string, kept: string, read: string | null])[] = [
  ['{"type":"String","value":"a"}', '{"v":"a"}', null],
  ['{"type":"String","value":""}', '{"v":""}', null],
  ['{"type":"String","value":null}', '{"v":null,"v@camundaType":"String null"}', null],
  ['{"type":"Integer","value":-2147483648}', '{"v":-2147483648}', null],
  ['{"type":"Long","value":5}', '{"v":5,"v@camundaType":"Long 5"}', null],
  ['{"type":"Long","value":9007199254740993}', '{"v":9007199254740993}', null],
  [
    '{"type":"Long","value":"9223372036854775807"}',
    '{"v":9223372036854775807}',
    '{"type":"Long","value":9223372036854775807}',
  ],
  ['{"type":"Short","value":7}', '{"v":7,"v@camundaType":"Short 7"}', null],
  ['{"type":"Double","value":0.1}', '{"v":0.1}', null],
  ['{"type":"Double","value":1.0}', '{"v":1,"v@camundaType":"Double 1"}', '{"type":"Double","value":1}'],
  ['{"type":"Double","value":1e22}', '{"v":1e+22}', '{"type":"Double","value":1e+22}'],
  ['{"type":"Double","value":"NaN"}', '{"v":{"@camundaType":"Double","value":"NaN"}}', null],
  ['{"type":"Boolean","value":false}', '{"v":false}', null],
  ['{"type":"boolean","value":"true"}', '{"v":true}', '{"type":"Boolean","value":true}'],
  ['{"type":"Null","value":null}', '{"v":null}', null],
  [
    '{"type":"date","value":"2026-03-01T11:00:00.000+0100"}',
    '{"v":"2026-03-01T10:00:00.000-00:00"}',
    '{"type":"Date","value":"2026-03-01T10:00:00.000+0000"}',
  ],
  ['{"type":"Date","value":"1970-01-01T00:00:00.000+0000"}', '{"v":"1970-01-01T00:00:00.000-00:00"}', null],
  // A text that only looks like a date of ours stays one.
  [
    '{"type":"String","value":"2026-03-01T10:00:00.000-00:00"}',
    '{"v":"2026-03-01T10:00:00.000-00:00","v@camundaType":"String \\"2026-03-01T10:00:00.000-00:00\\""}',
    null,
  ],
  ['{"type":"String","value":"2026-03-01T10:00:00.000Z"}', '{"v":"2026-03-01T10:00:00.000Z"}', null],
  [
    '{"type":"Json","value":"{\\"a\\":[1,12345678901234567890]}"}',
    '{"v":{"a":[1,12345678901234567890]}}',
    null,
  ],
  ['{"type":"json","value":"[]"}', '{"v":[]}', '{"type":"Json","value":"[]"}'],
  ['{"type":"Json","value":"\\"x\\""}', '{"v":"x","v@camundaType":"Json \\"x\\""}', null],
  ['{"type":"Json","value":"null"}', '{"v":null,"v@camundaType":"Json null"}', null],
  [
    '{"type":"Json","value":"{\\"@camundaType\\":\\"File\\",\\"value\\":\\"\\"}"}',
    '{"v":{"@camundaType":"Json","value":"{\\"@camundaType\\":\\"File\\",\\"value\\":\\"\\"}"}}',
    null,
  ],
  ['{"type":"Bytes","value":"AAEC"}', '{"v":{"@camundaType":"Bytes","value":"AAEC"}}', null],
  [
    '{"type":"xml","value":"<a/>"}',
    '{"v":{"@camundaType":"Xml","value":"<a/>"}}',
    '{"type":"Xml","value":"<a/>"}',
  ],
  ['{"type":"my.Type","value":{"a":1}}', '{"v":{"@camundaType":"my.Type","value":{"a":1}}}', null],
  // Without a type, as the client in Python sends them.
  ['{"value":1}', '{"v":1}', '{"type":"Integer","value":1}'],
  ['{"value":2147483648}', '{"v":2147483648}', '{"type":"Long","value":2147483648}'],
  ['{"value":0.5}', '{"v":0.5}', '{"type":"Double","value":0.5}'],
  ['{"value":"x"}', '{"v":"x"}', '{"type":"String","value":"x"}'],
  ['{"value":true}', '{"v":true}', '{"type":"Boolean","value":true}'],
  ['{"value":null}', '{"v":null}', '{"type":"Null","value":null}'],
  ['{}', '{"v":null}', '{"type":"Null","value":null}'],
  ['{"value":{"a":[true]}}', '{"v":{"a":[true]}}', '{"type":"Json","value":"{\\"a\\":[true]}"}'],
  ['{"value":1,"type":null,"valueInfo":null}', '{"v":1}', '{"type":"Integer","value":1}'],
  [
    '{"type":"String","value":"t","valueInfo":{"transient":true}}',
    '{"v":"t"}',
    '{"type":"String","value":"t"}',
  ],
];

describe('variables of Camunda 7', () => {
  test('W1, W2: each type comes back, and the process has the plainest form', () => {
    for (const [sent, kept, read] of rows) {
      const result = roundTrip(`{"v":${sent}}`);
      assert.equal(result.kept, kept, sent);
      const { v } = parsed(result.read) as Record<string, object>;
      const { valueInfo, ...rest } = v as Record<string, unknown>;
      assert.deepEqual(valueInfo, {}, sent);
      assert.equal(toPlainJson(rest), read ?? sent, sent);
    }
  });

  test('what says more than a value keeps it: files, objects', () => {
    const file = { filename: 'a.txt', mimetype: 'text/plain', encoding: 'UTF-8' };
    const object = { objectTypeName: 'java.util.ArrayList', serializationDataFormat: 'application/json' };
    const kept = readVariables(
      {
        f: { type: 'file', value: 'aGVsbG8=', valueInfo: { ...file, transient: false } },
        o: { type: 'Object', value: '[1]', valueInfo: object },
      },
      'variables',
    );
    assert.deepEqual(writeVariables(kept), {
      f: { type: 'File', value: null, valueInfo: file },
      o: { type: 'Object', value: '[1]', valueInfo: object },
    });
    const content = fileOf(kept['f']);
    assert.equal(Buffer.from(content?.bytes ?? []).toString(), 'hello');
    assert.deepEqual({ ...content, bytes: null }, { bytes: null, ...file });
    assert.equal(fileOf('x'), null);
  });

  test('W1: whatever numbers, texts and JSON are set with their types, they come back with them', () => {
    const whole = (type: string, bits: bigint): fc.Arbitrary<string> =>
      fc
        .bigInt({ min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n })
        .map((n) => `{"type":"${type}","value":${n}}`);
    const typed = fc.oneof(
      whole('Short', 16n),
      whole('Integer', 32n),
      whole('Long', 64n),
      fc
        .string({ unit: 'binary' })
        .filter((text) => !text.includes('\u0000'))
        .map((value) => JSON.stringify({ type: 'String', value })),
      fc.boolean().map((value) => JSON.stringify({ type: 'Boolean', value })),
      fc
        .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
        .map((date) => JSON.stringify({ type: 'Date', value: date.toISOString().replace('Z', '+0000') })),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .map((n) => `{"type":"Double","value":${toPlainJson(parsed(JSON.stringify(n)))}}`),
      fc
        .uint8Array()
        .map((bytes) => JSON.stringify({ type: 'Bytes', value: Buffer.from(bytes).toString('base64') })),
    );
    fc.assert(
      fc.property(typed, (variable) => {
        const { read } = roundTrip(`{"v":${variable}}`);
        assert.equal(read, `{"v":${variable.slice(0, -1)},"valueInfo":{}}}`);
      }),
    );
  });

  test('W3: a value that the process sets has its natural type, whatever was noted of the one before', () => {
    const kept = readVariables({ n: { type: 'Long', value: 5 } }, 'variables');
    assert.equal(writeVariables({ ...kept, n: 6 })['n']?.type, 'Integer');
    assert.equal(writeVariables({ ...kept, n: 'x' })['n']?.type, 'String');
    assert.equal(writeVariables({ n: 5, 'n@camundaType': 'Nonsense 5' })['n']?.type, 'Integer');
    assert.deepEqual(Object.keys(writeVariables(kept)), ['n'], 'V1: nobody sees the note');
  });

  test('a Date is what FEEL reads', () => {
    const { at = null } = readVariables(
      { at: { type: 'Date', value: '2026-03-01T10:00:00.000+0000' } },
      'variables',
    );
    const { evaluate } = compileExpression('date and time(at) = @"2026-03-01T10:00:00Z"');
    assert.equal(
      evaluate((name) => (name === 'at' ? at : undefined), new TurnBudget(0)),
      true,
    );
  });

  test('values of the process that no client sets: dates and durations are texts', () => {
    assert.deepEqual(writeVariable(new Temporal('days-time-duration', 'PT5M')), {
      type: 'String',
      value: 'PT5M',
      valueInfo: {},
    });
    assert.deepEqual(writeVariable([1]), { type: 'Json', value: '[1]', valueInfo: {} });
  });

  test('what is not of its type is refused, with its name and without its value', () => {
    const faults: readonly (readonly [variable: unknown, word: string])[] = [
      [{ type: 'Integer', value: 2147483648 }, 'Integer'],
      [{ type: 'Integer', value: 0.5 }, 'Integer'],
      [{ type: 'Short', value: 40_000 }, 'Short'],
      [{ type: 'Long', value: 'secret' }, 'Long'],
      [{ type: 'Long', value: '9223372036854775808' }, 'Long'],
      [{ type: 'Double', value: 'secret' }, 'Double'],
      [{ type: 'Boolean', value: 'secret' }, 'Boolean'],
      [{ type: 'String', value: ['secret'] }, 'String'],
      [{ type: 'Null', value: 'secret' }, 'Null'],
      [{ type: 'Date', value: '2026-02-30T10:00:00.000+0000' }, 'Date'],
      [{ type: 'Date', value: '2026-03-01T24:00:00.000+0000' }, 'Date'],
      [{ type: 'Date', value: '2026-03-01T10:00:00' }, 'Date'],
      [{ type: 'Date', value: 1 }, 'Date'],
      [{ type: 'Json', value: { a: 'secret' } }, 'Json'],
      [{ type: 'Json', value: '{"a":"secret","a":2}' }, 'Json'],
      [{ type: 'Json', value: '{' }, 'Json'],
      [{ type: 'Bytes', value: 'not base64 secret' }, 'Bytes'],
      [{ type: 'File', value: 'AAEC' }, 'filename'],
      [{ type: 'File', value: 'AAEC', valueInfo: { filename: 'f', mimetype: 5 } }, 'mimetype'],
      [{ type: 'Xml', value: 1 }, 'Xml'],
      [{ type: 1, value: 'secret' }, 'type'],
      [{ type: 'String', value: 'a', valueInfo: { objectTypeName: 'x' } }, 'valueInfo'],
      [{ type: 'String', value: 'a', valueInfo: { transient: 'yes' } }, 'transient'],
      [{ type: 'String', value: 'a', other: 1 }, 'other'],
      ['secret', 'type, value'],
    ];
    for (const [variable, word] of faults) {
      assert.throws(
        () => readVariables({ amount: variable }, 'variables'),
        (error) => {
          assert.ok(
            error instanceof EngineError && Object.hasOwn(compatCodes, error.code),
            JSON.stringify(variable),
          );
          assert.ok(error.message.includes('amount') && error.message.includes(word), error.message);
          assert.ok(!error.message.includes('secret'), error.message);
          return true;
        },
      );
    }
    assert.throws(
      () => readVariables({ 'a@camundaType': { value: 'Long 5' } }, 'variables'),
      /no name of a variable/,
    );
    assert.throws(() => readVariables([], 'variables'), /JSON object/);
  });

  test('names are data, whatever they are', () => {
    const sent = parsed(
      '{"__proto__":{"value":1},"constructor":{"value":"c"},"a b":{"type":"Long","value":1}}',
    );
    const written = writeVariables(parsed(toPlainJson(readVariables(sent, 'variables'))) as Context);
    assert.deepEqual(Object.keys(written), ['__proto__', 'constructor', 'a b']);
  });
});
