/** Business rule tasks that make a decision of the package: what goes in, where the result goes, what fails. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ProcessDefinition } from '../../definitions/model.ts';
import { Temporal, type Context } from '../../definitions/value.ts';
import { decodeSnapshot, encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import { decisionsOf, inputData, literal, service, table } from '../support/decisions.ts';
import {
  boundary,
  callActivity,
  decide,
  end,
  exclusive,
  looped,
  start,
  subProcess,
  userTask,
  withData,
  type CallOptions,
} from '../support/model-builder.ts';
import { each, error, standardLoop } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { Instance } from './instance.ts';
import { begin, done, scenario, written } from './scenario.ts';

const decisions = decisionsOf(
  inputData('score: number', 'Credit Score: number', 'day: date', 'items', 'name: string', 'a', 'b', 'c'),
  table('Risk', ['< 600 -> "high"', '>= 600 -> "low"'], { inputs: ['score'] }),
  literal('Twice', 'Credit Score * 2', { inputs: ['Credit Score'] }),
  literal('Both', '{total: score + Credit Score, half: score / 2}', { inputs: ['score', 'Credit Score'] }),
  literal('Offer', '{risk: Risk, name: name}', { inputs: ['name'], decisions: ['Risk'] }),
  literal('All', '{a: a, b: b, c: c}', { inputs: ['a', 'b', 'c'] }),
  literal('Third', 'score / 3', { inputs: ['score'] }),
  literal('Next Day', 'day + duration("P1D")', { inputs: ['day'] }),
  literal('Range', '[1..score]', { inputs: ['score'] }),
  literal('Function', 'function(a) a + score', { inputs: ['score'] }),
  literal('Sum', 'sum(for i in 1..score return i)', { inputs: ['score'] }),
  literal('Grown', '{items: concatenate(items, items)}', { inputs: ['items'] }),
  table('Overlapping', ['> 1 -> "a"', '> 2 -> "b"'], { inputs: ['score'] }),
  literal('Needs Overlapping', 'Overlapping', { decisions: ['Overlapping'] }),
  literal('Text', 'score', { inputs: ['score'], type: 'string' }),
  service('Risk Service', 'Risk', ['score']),
);

const next = userTask('next');

/** The node `d`, then a user task. */
function around(node: NodeSpec, ...more: readonly NodeSpec[]): ProcessDefinition {
  return processModel('p', [start('s'), node, next, ...more], ['s -> d -> next']);
}

function deciding(name: string, options: CallOptions = {}): ProcessDefinition {
  return around(decide('d', decisions(name), options));
}

describe('a decision', () => {
  const rows: readonly (readonly [
    what: string,
    decision: string,
    options: CallOptions,
    before: Context,
    after: Context,
  ])[] = [
    [
      'reads a variable, and writes one',
      'Risk',
      { output: 'risk' },
      { score: 5 },
      { score: 5, risk: 'high' },
    ],
    [
      'takes a parameter for its input, whatever the variable of that name is',
      'Risk',
      { params: { score: 'score + 600' }, output: 'risk' },
      { score: 5 },
      { score: 5, risk: 'low' },
    ],
    [
      'takes a parameter that is null for its input',
      'Risk',
      { params: { score: 'null' }, output: 'risk' },
      { score: 5, risk: 'unknown' },
      { score: 5, risk: null },
    ],
    [
      'takes a parameter whose name has spaces',
      'Twice',
      { params: { 'Credit Score': 'score' }, output: 'x' },
      { score: 5 },
      { score: 5, x: 10 },
    ],
    [
      'reads a variable whose name has spaces',
      'Twice',
      { output: 'x' },
      { 'Credit Score': 4 },
      { 'Credit Score': 4, x: 8 },
    ],
    [
      'takes some inputs from parameters and others from variables',
      'Both',
      { params: { 'Credit Score': '1' }, output: 'x' },
      { score: 5 },
      { score: 5, x: { total: 6, half: 2.5 } },
    ],
    [
      'is given what the decisions need that it requires',
      'Offer',
      { params: { score: '700' }, output: 'x' },
      { name: 'Ann' },
      { name: 'Ann', x: { risk: 'low', name: 'Ann' } },
    ],
    ['has null for what is not there', 'Twice', { output: 'x' }, {}, { x: null }],
    [
      'lets a context become variables when it has no output variable',
      'Both',
      {},
      { score: 4, 'Credit Score': 1, half: 'old' },
      { score: 4, 'Credit Score': 1, half: 2, total: 5 },
    ],
    ['gives another value as an answer is given', 'Risk', {}, { score: 5 }, { score: 5, payload: 'high' }],
    ['changes nothing when it is null', 'Twice', {}, { payload: 'old' }, { payload: 'old' }],
    [
      'reads a date out of a text, and gives one',
      'Next Day',
      { output: 'next' },
      { day: '2026-02-28' },
      { day: '2026-02-28', next: new Temporal('date', '2026-03-01') },
    ],
    [
      'is what a decision service gives',
      'Risk Service',
      { output: 'risk' },
      { score: 900 },
      { score: 900, risk: 'low' },
    ],
  ];
  for (const [what, name, options, before, after] of rows) {
    scenario(what, deciding(name, options), [[begin(before), { active: 'next', variables: after }]]);
  }

  test('has, of any inputs, the parameters before the variables, and null for the rest', () => {
    const values = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(fc.integer(), fc.constant(null)));
    fc.assert(
      fc.property(values, values, (variables, given) => {
        const params = Object.fromEntries(
          Object.entries(given).map(([name, value]) => [name, String(value)]),
        );
        const instance = new Instance(deciding('All', { params, output: 'x' })).start({ variables });
        const expected = { a: null, b: null, c: null, ...variables, ...given };
        assert.deepEqual(instance.variables, { ...variables, x: expected });
      }),
      { numRuns: 50 },
    );
  });

  test('keeps all digits of a number over a wait', () => {
    const { snapshot } = new Instance(deciding('Third', { output: 'x' })).start({ variables: { score: 1 } });
    const [scope] = decodeSnapshot(encodeSnapshot(snapshot)).scopes;
    assert.deepEqual(scope?.variables, snapshot.scopes[0]?.variables);
    const doubled = new Instance(
      processModel(
        'p',
        [start('s'), decide('d', decisions('Third'), { output: 'x' }), exclusive('g'), next, end('e')],
        ['s -> d -> g', 'g -> next if x * 3 = 0.9999999999999999999999999999999999', 'g -> e default'],
      ),
    ).start({ variables: { score: 1 } });
    assert.deepEqual(doubled.active, ['next']);
  });
});

describe('a decision sees and writes what its place allows:', () => {
  scenario(
    'variables of the sub-process around it, before those outside',
    processModel(
      'p',
      [
        start('s'),
        subProcess(
          'sub',
          [start('in'), userTask('ask'), decide('d', decisions('Risk'), { output: 'risk' }), userTask('t')],
          { variables: ['risk', 'score'] },
        ),
        next,
      ],
      ['s -> sub -> next', 'in -> ask -> d -> t'],
    ),
    [
      [begin({ score: 700 }), 'ask'],
      [
        done('ask', { score: 5 }),
        { active: 't', check: (i) => assert.deepEqual(i.variablesIn('sub'), [{ risk: 'high', score: 5 }]) },
      ],
      [done('t'), { active: 'next', variables: { score: 700 } }],
    ],
  );

  const called = processModel(
    'called',
    [start('cs'), decide('d', decisions('Twice'), { output: 'x' }), end('ce')],
    ['cs -> d -> ce'],
  );
  scenario(
    'nothing of whoever calls its process',
    processModel(
      'p',
      [start('s'), callActivity('c', 'called', { params: {}, results: { got: 'x' } }), next],
      ['s -> c -> next'],
    ),
    [[begin({ 'Credit Score': 4 }), { active: 'next', variables: { 'Credit Score': 4, got: null } }]],
    { callable: [called] },
  );

  scenario(
    'data of the task itself, which its data associations fill and read',
    around(
      withData(decide('d', decisions('Risk'), { output: 'found' }), {
        locals: ['score', 'found'],
        inputs: ['score = applicant.score'],
        outputs: ['risk = found'],
      }),
    ),
    [
      [
        begin({ applicant: { score: 650 } }),
        { active: 'next', variables: { applicant: { score: 650 }, risk: 'low' } },
      ],
    ],
  );

  for (const isSequential of [false, true]) {
    scenario(
      `the item of its instance, ${isSequential ? 'one after another' : 'all at once'}`,
      around(
        looped(
          decide('d', decisions('Risk'), { params: { score: 'item.score' }, output: 'risk' }),
          each('item in applicants', { isSequential, output: 'risk -> risks' }),
        ),
      ),
      [
        [
          begin({ applicants: [{ score: 500 }, { score: 600 }, { score: 1 }] }),
          {
            active: 'next',
            variables: {
              applicants: [{ score: 500 }, { score: 600 }, { score: 1 }],
              risks: ['high', 'low', 'high'],
            },
          },
        ],
      ],
    );
  }

  scenario(
    'what it has decided before, in a loop',
    around(
      looped(
        decide('d', decisions('Twice'), { output: 'x', params: { 'Credit Score': 'x' } }),
        standardLoop({ condition: 'x < 100' }),
      ),
    ),
    [[begin({ x: 3 }), { active: 'next', variables: { x: 192 } }]],
  );
});

describe('a decision without a result', () => {
  const secret = 'do-not-show';
  const rows: readonly (readonly [decision: string, variables: Context, message: RegExp])[] = [
    [
      'Overlapping',
      { score: 3 },
      /^the decision Overlapping has no result: .*rules\/test\.dmn:\d+:\d+ \(overlapping\)$/,
    ],
    [
      'Needs Overlapping',
      { score: 3 },
      /^the decision Needs Overlapping has no result: .*rules\/test\.dmn:\d+:\d+ \(overlapping\)$/,
    ],
    ['Risk', { score: secret }, /^the decision Risk has no result: .*rules\/test\.dmn:\d+:\d+/],
    ['Text', { score: 5 }, /^the decision Text has no result: .*rules\/test\.dmn:\d+:\d+/],
    [
      'Range',
      { score: 5 },
      /^the result is a range, not a value \(decision Range in rules\/test\.dmn:\d+:\d+/,
    ],
    [
      'Function',
      { score: 5 },
      /^the result is a function, not a value \(decision Function in rules\/test\.dmn:\d+:\d+/,
    ],
    ['Sum', { score: 1_000_000 }, /elements \(decision Sum in rules\/test\.dmn:\d+:\d+/],
  ];
  for (const [name, variables, message] of rows) {
    test(`fails the task and writes nothing: ${name} of ${JSON.stringify(variables)}`, () => {
      const instance = new Instance(deciding(name, { output: 'x' })).start({ variables });
      const { failure } = instance.snapshot;
      assert.equal(failure?.code, 'SUTRA.CORE.DECISION_FAILED');
      assert.match(failure.message, message);
      assert.ok(!failure.message.includes(secret));
      assert.equal(failure.elementId, 'd');
      assert.deepEqual(instance.variables, variables);
      assert.deepEqual(instance.active, ['d']);
    });
  }

  scenario(
    'is kept, fails again, and is retried over corrected variables',
    deciding('Overlapping', { output: 'x' }),
    [
      [begin({ score: 3 }), { active: 'd', failure: 'SUTRA.CORE.DECISION_FAILED' }],
      [(i) => i.retry(), { active: 'd', failure: 'SUTRA.CORE.DECISION_FAILED' }],
      [written({ score: 2 }), { active: 'd', failure: 'SUTRA.CORE.DECISION_FAILED' }],
      [(i) => i.retry(), { active: 'next', variables: { score: 2, x: 'a' } }],
    ],
  );

  scenario(
    'is no BPMN error: no boundary event catches it',
    processModel(
      'p',
      [start('s'), decide('d', decisions('Overlapping')), boundary('caught', 'd', error(null)), next],
      ['s -> d -> next', 'caught -> next'],
    ),
    [[begin({ score: 3 }), { active: 'd', failure: 'SUTRA.CORE.DECISION_FAILED' }]],
  );

  scenario(
    'fails its own instance of a loop; the others are done',
    around(
      looped(
        decide('d', decisions('Overlapping'), { params: { score: 'item + more' }, output: 'x' }),
        each('item in items', { output: 'x -> found' }),
      ),
    ),
    [
      [begin({ items: [2, 3, 2], more: 0 }), { active: 'd', failure: 'SUTRA.CORE.DECISION_FAILED' }],
      [written({ more: -1 }), { active: 'd', failure: 'SUTRA.CORE.DECISION_FAILED' }],
      [
        (i) => i.retry(),
        { active: 'next', variables: { items: [2, 3, 2], more: -1, found: ['a', 'a', 'a'] } },
      ],
    ],
  );

  scenario(
    'is not decided at all when a parameter fails',
    deciding('Risk', { params: { score: '[1..2]' }, output: 'x' }),
    [[begin(), { active: 'd', failure: 'SUTRA.CORE.EXPRESSION_FAILED', variables: {} }]],
  );
});

describe('decisions pay for what they do:', () => {
  const rows: readonly (readonly [what: string, decision: string, variables: Context])[] = [
    ['a loop around one that costs much', 'Sum', { score: 50_000 }],
    ['a loop around a value that grows', 'Grown', { items: [1] }],
  ];
  for (const [what, name, variables] of rows) {
    test(`${what} ends`, () => {
      const process = processModel(
        'p',
        [start('s'), exclusive('merge'), decide('d', decisions(name), name === 'Sum' ? { output: 'x' } : {})],
        ['s -> merge -> d -> merge'],
      );
      const instance = new Instance(process).start({ variables });
      assert.match(
        instance.failureCode ?? '',
        /^SUTRA\.CORE\.(?:COST_LIMIT|DECISION_FAILED|VALUE_TOO_LARGE)$/,
      );
      assert.equal(instance.cancel().status, 'terminated');
    });
  }

  test('two instances that decide the same cost and give the same', () => {
    const run = (): unknown => {
      const instance = new Instance(deciding('Offer')).start({ variables: { score: 5, name: 'x' } });
      return [encodeSnapshot(instance.snapshot), instance.effects];
    };
    assert.deepEqual(run(), run());
  });
});
