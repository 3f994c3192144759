/** Call activities. BPMN 2.0.2 §10.3.6. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallActivity } from '../../../definitions/model.ts';
import { extensions } from './marked-file.ts';
import { nodeIn } from './model-of.ts';

function callOf(attributes: string, q = ''): CallActivity {
  return nodeIn(
    'callActivity',
    `<callActivity id="n" ${attributes}>${q === '' ? '' : extensions(q)}</callActivity>`,
  );
}

describe('a call activity', () => {
  for (const [written, processId] of [
    ['score', 'score'],
    ['t:score', 'score'],
    [' my-process.v2 ', 'my-process.v2'],
  ] as const) {
    test(`calls the process that ${JSON.stringify(written)} names`, () => {
      assert.deepEqual(callOf(`calledElement="${written}"`).called, { kind: 'process', processId });
    });
  }

  test('calls the process that an expression yields', () => {
    const { called } = callOf('calledElement="=&quot;score-&quot; + kind"');
    assert.ok(called.kind === 'expression');
    assert.equal(called.expression.text, '"score-" + kind');
  });

  test('passes everything and takes everything, in the version of the caller, unless it says otherwise', () => {
    const { params, results, binding, reply, loop, data } = callOf('calledElement="x"');
    assert.deepEqual([params, results, binding, reply, loop], [null, null, 'caller', null, null]);
    assert.deepEqual(data, { locals: [], inputs: [], outputs: [], isClosed: false });
  });

  test('passes parameters and takes results', () => {
    const call = callOf(
      'calledElement="x"',
      `<q:call binding="latest"/><q:param name="order" expression="=order"/><q:param name="limit" expression="5"/>
       <q:output variable="score" expression="=result.score"/><q:output variable="all"/><q:reply body="score"/>`,
    );
    assert.equal(call.binding, 'latest');
    assert.deepEqual(
      call.params?.map(({ name, expression }) => [name, expression.text]),
      [
        ['order', 'order'],
        ['limit', '5'],
      ],
    );
    assert.deepEqual(
      call.results?.map(({ variable, expression }) => [variable, expression?.text ?? null]),
      [
        ['score', 'result.score'],
        ['all', null],
      ],
    );
    assert.equal(call.reply?.body?.text, 'score');
  });

  test('binds to the caller when it says so', () => {
    assert.equal(callOf('calledElement="x"', '<q:call binding="caller"/>').binding, 'caller');
    assert.equal(callOf('calledElement="x"', '<q:call/>').binding, 'caller');
  });
});

describe('q:dispatch', () => {
  const CASES = `<q:case when="=kind = &quot;a&quot;" calledElement="t:first"/><q:case when="kind" calledElement="second"/>`;

  test('names the process by conditions, in order', () => {
    const { called } = callOf('', `<q:dispatch default="other">${CASES}</q:dispatch>`);
    assert.ok(called.kind === 'dispatch');
    assert.deepEqual(
      called.cases.map(({ when, processId }) => [when.text, processId]),
      [
        ['kind = "a"', 'first'],
        ['kind', 'second'],
      ],
    );
    assert.deepEqual(
      [called.defaultProcessId, called.onNoMatch, called.place.elementId],
      ['other', 'error', 'n'],
    );
  });

  for (const [attribute, onNoMatch] of [
    ['', 'error'],
    ['onNoMatch="error"', 'error'],
    ['onNoMatch="skip"', 'skip'],
  ] as const) {
    test(`without a default does "${onNoMatch}" with ${attribute === '' ? 'nothing said' : attribute}`, () => {
      const { called } = callOf('', `<q:dispatch ${attribute}>${CASES}</q:dispatch>`);
      assert.ok(called.kind === 'dispatch');
      assert.deepEqual([called.defaultProcessId, called.onNoMatch], [null, onNoMatch]);
    });
  }
});
