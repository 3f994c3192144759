/** Call activities: which process runs, with what, and what comes back. BPMN 2.0.2 §10.3.6, §13.3.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  call,
  callActivity,
  data,
  dispatch,
  end,
  start,
  throwEvent,
  userTask,
  type CallActivityOptions,
} from '../support/model-builder.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import type { ProcessDefinition } from '../../definitions/model.ts';
import { DEPLOYMENT_ID, directory, Instance } from './instance.ts';
import { begin, done, scenario, written } from './scenario.ts';

const next = userTask('next');
const rescue = userTask('rescue');

function calling(
  called: Parameters<typeof callActivity>[1],
  options: CallActivityOptions = {},
  ...events: readonly NodeSpec[]
): ProcessDefinition {
  const flows = events.map(({ node }) => `${node.id} -> rescue`);
  return processModel(
    'p',
    [start('s'), callActivity('c', called, options), ...events, rescue, next],
    ['s -> c -> next', ...flows],
  );
}

/** One user task. */
function simple(id: string, taskId: string): ProcessDefinition {
  return processModel(id, [start('cs'), userTask(taskId), end('ce')], [`cs -> ${taskId} -> ce`]);
}

const one = { callable: [simple('one', 't')] };

// --- variables -------------------------------------------------------------------------------------

scenario(
  'without mappings the called process begins with all visible variables, and all of its own come back',
  calling('one'),
  [
    [
      begin({ a: 1, b: 2 }),
      { active: 't', check: (i) => assert.deepEqual(i.variablesIn('c'), [{ a: 1, b: 2 }]) },
    ],
    [done('t', { b: 3, d: 4 }), { active: 'next', variables: { a: 1, b: 3, d: 4 } }],
  ],
  one,
);

scenario(
  'with mappings it begins with what it is given, and only what is named comes back',
  calling('one', { params: { n: 'a + 1', m: '"x"' }, results: { got: 'n * 10', all: null } }),
  [
    [
      begin({ a: 1 }),
      { active: 't', check: (i) => assert.deepEqual(i.variablesIn('c'), [{ n: 2, m: 'x' }]) },
    ],
    [done('t', { n: 7 }), { active: 'next', variables: { a: 1, got: 70, all: { n: 7, m: 'x' } } }],
  ],
  one,
);

scenario(
  'an empty mapping in gives nothing, an empty one out takes nothing',
  calling('one', { params: {}, results: {} }),
  [
    [begin({ a: 1 }), { active: 't', check: (i) => assert.deepEqual(i.variablesIn('c'), [{}]) }],
    [done('t', { a: 2, b: 3 }), { active: 'next', variables: { a: 1 } }],
  ],
  one,
);

scenario(
  'nothing of the caller is visible in the called process, and nothing that it writes leaks',
  calling('called', { params: {}, results: { seen: 'seen' } }),
  [
    [begin({ secret: 1 }), { active: 't', variables: { secret: 1 } }],
    [written({ secret: 9 }, 't'), { active: 't', variables: { secret: 1 } }],
    [done('t'), { active: 'next', variables: { secret: 1, seen: 9 } }],
  ],
  {
    callable: [
      processModel(
        'called',
        [start('cs'), data('look', ['seen = secret']), userTask('t'), data('again', ['seen = secret'])],
        ['cs -> look -> t -> again'],
      ),
    ],
  },
);

scenario(
  'the declared variables of the called process are null until it is given them',
  calling('called', { params: { a: '1' }, results: { x: 'a', y: 'b' } }),
  [
    [begin(), { active: 't', check: (i) => assert.deepEqual(i.variablesIn('c'), [{ a: 1, b: null }]) }],
    [done('t'), { active: 'next', variables: { x: 1, y: null } }],
  ],
  {
    callable: [processModel('called', [start('cs'), userTask('t')], ['cs -> t'], { variables: ['a', 'b'] })],
  },
);

scenario(
  'data outputs of the call activity run after its results',
  calling('one', { params: {}, results: { got: 'n' }, assign: ['twice = got * 2'] }),
  [
    [begin(), 't'],
    [done('t', { n: 4 }), { active: 'next', variables: { got: 4, twice: 8 } }],
  ],
  one,
);

test('a result that cannot be worked out fails the call activity, and a retry works it out without calling again', () => {
  const process = calling('one', { params: {}, results: { x: 'for i in 1..n return i' } });
  const instance = new Instance(process, one).start().complete('t', { n: 1e9 });
  assert.equal(instance.failureCode, 'SUTRA.CORE.EXPRESSION_FAILED');
  assert.equal(instance.snapshot.failure?.elementId, 'c');
  const called = instance.allScopes[1];
  const scopes = instance.snapshot.scopes.map((scope) =>
    scope.id === called?.id ? { ...scope, variables: { n: 2 } } : scope,
  );
  const repaired = Instance.at(process, { ...instance.snapshot, scopes }, one).retry();
  assert.deepEqual([repaired.active, repaired.variables], [['next'], { x: [1, 2] }]);
});

// --- which process ---------------------------------------------------------------------------------

scenario(
  'the process id may be worked out',
  calling('=prefix + "two"', { results: {} }),
  [[begin({ prefix: '' }), 'second']],
  { callable: [simple('one', 'first'), simple('two', 'second')] },
);

const cases = dispatch({ 'x > 10': 'one', 'x > 5': 'two', default: 'three' });
const all = { callable: [simple('one', 'first'), simple('two', 'second'), simple('three', 'third')] };
for (const [x, expected] of [
  [11, 'first'],
  [6, 'second'],
  [1, 'third'],
  [null, 'third'],
] as const) {
  scenario(
    `a dispatch takes the first case that holds: ${x ?? 'null'} leads to the ${expected}`,
    calling(cases),
    [
      [begin({ x }), expected],
      [done(expected), 'next'],
    ],
    all,
  );
}

scenario(
  'a dispatch without a match skips the call, when it says so',
  calling(dispatch({ 'x > 10': 'one' }, 'skip'), { results: { got: 'n' }, assign: ['after = true'] }),
  [[begin({ x: 1 }), { active: 'next', variables: { x: 1, after: true } }]],
  all,
);

const notCalled: Record<string, readonly [ProcessDefinition, code: string]> = {
  'a process that is not there': [calling('nobody'), 'SUTRA.CORE.CALLED_PROCESS_UNKNOWN'],
  'a dispatch without a match': [calling(dispatch({ 'x > 10': 'one' })), 'SUTRA.CORE.DISPATCH_NO_MATCH'],
  'an expression that yields no text': [calling('=x'), 'SUTRA.CORE.CALLED_PROCESS_UNKNOWN'],
  'an expression that yields an empty text': [calling('=""'), 'SUTRA.CORE.CALLED_PROCESS_UNKNOWN'],
  'an expression that yields null': [calling('=nothing'), 'SUTRA.CORE.CALLED_PROCESS_UNKNOWN'],
  'a dispatch whose case is no condition': [
    calling(dispatch({ x: 'one' })),
    'SUTRA.CORE.CONDITION_NOT_BOOLEAN',
  ],
  'a process that does not begin by itself': [
    calling('byMessage'),
    'SUTRA.CORE.CALLED_PROCESS_NOT_STARTABLE',
  ],
};
const byMessage = processModel('byMessage', [start('cs', { channel: 'news' }), userTask('t')], ['cs -> t']);
for (const [what, [process, code]] of Object.entries(notCalled)) {
  scenario(
    `calling ${what} fails the call activity, and opens nothing`,
    process,
    [[begin({ x: 1 }), { active: 'c', failure: code, check: (i) => assert.equal(i.allScopes.length, 1) }]],
    { callable: [...all.callable, byMessage] },
  );
}

test('without a directory no other process can be called', () => {
  const instance = new Instance(calling('one')).start();
  assert.equal(instance.failureCode, 'SUTRA.CORE.CALLED_PROCESS_UNKNOWN');
});

test('a process that calls itself without end is stopped at a depth, and nothing is lost', () => {
  const process = processModel('p', [start('s'), callActivity('c', 'p')], ['s -> c']);
  const instance = new Instance(process, { callable: [process] }).start();
  assert.equal(instance.failureCode, 'SUTRA.CORE.CALL_TOO_DEEP');
  assert.deepEqual(instance.active, ['c']);
});

const factorial = processModel(
  'p',
  [
    start('s'),
    callActivity('c', dispatch({ 'n > 1': 'p' }, 'skip'), {
      params: { n: 'n - 1' },
      results: { below: 'product' },
    }),
    data('multiply', ['product = if n > 1 then n * below else 1']),
    userTask('t'),
  ],
  ['s -> c -> multiply -> t'],
);

scenario(
  'a process may call itself as deep as its data says',
  factorial,
  [
    [begin({ n: 3 }), 't'],
    [done('t'), 't'],
    [done('t'), { active: 't', variables: { n: 3, below: 2, product: 6 } }],
    [done('t'), 'completed'],
  ],
  { callable: [factorial] },
);

// --- other deployments -----------------------------------------------------------------------------

const sender = (word: string): ProcessDefinition =>
  processModel(
    'shared',
    [start('cs'), throwEvent('tell', { channel: 'out', body: `"${word}"` }), call('ask', 'jobs'), end('ce')],
    ['cs -> tell -> ask -> ce'],
  );
const deployments = directory({
  [DEPLOYMENT_ID]: [sender('own')],
  other: [sender('other'), simple('foreign', 't')],
});

for (const [binding, word, deploymentId] of [
  ['caller', 'own', DEPLOYMENT_ID],
  ['latest', 'other', 'other'],
] as const) {
  test(`the binding ${binding} runs the process of the deployment ${deploymentId}`, () => {
    const instance = new Instance(calling('shared', { binding, params: {} }), { calls: deployments }).start();
    assert.deepEqual(
      instance.sends.map((send) => [send.body, send.deploymentId, send.processId]),
      [
        [word, deploymentId, 'shared'],
        [{}, deploymentId, 'shared'],
      ],
    );
    const called = instance.ofKind('deploymentCalled');
    assert.deepEqual(called, deploymentId === 'other' ? [{ kind: 'deploymentCalled', deploymentId }] : []);
    assert.deepEqual(instance.allScopes[1]?.called, { deploymentId, processId: 'shared' });
    instance.answer('ask');
    assert.deepEqual(instance.active, ['next']);
  });
}

test('the binding caller reaches another package for a process that its own deployment has not', () => {
  const instance = new Instance(calling('foreign'), { calls: deployments }).start();
  assert.deepEqual(instance.ofKind('deploymentCalled'), [
    { kind: 'deploymentCalled', deploymentId: 'other' },
  ]);
  assert.deepEqual(instance.active, ['t']);
});

test('what a called process calls is looked for from its own deployment', () => {
  const middle = processModel(
    'middle',
    [start('ms'), callActivity('mc', 'shared', { params: {} }), end('me')],
    ['ms -> mc -> me'],
  );
  const calls = directory({ far: [middle, sender('far')], [DEPLOYMENT_ID]: [sender('own')] });
  const instance = new Instance(calling('middle', { params: {} }), { calls }).start();
  assert.deepEqual(
    instance.sends.map(({ body, deploymentId }) => [body, deploymentId]),
    [
      ['far', 'far'],
      [{}, 'far'],
    ],
  );
});

test('node ids of caller and called process may be the same', () => {
  const twin = processModel('twin', [start('s'), userTask('next'), end('c')], ['s -> next -> c']);
  const instance = new Instance(calling('twin'), { callable: [twin] }).start();
  assert.deepEqual(instance.tokens, ['c', 'next']);
  instance.complete('next');
  assert.deepEqual(instance.tokens, ['next']);
  assert.equal(instance.complete('next').status, 'completed');
});
