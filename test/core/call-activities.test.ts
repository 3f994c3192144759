/** Call activities: which process runs, with what, and what comes back. BPMN 2.0.2 §10.3.6, §13.3.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundary,
  call,
  callActivity,
  catchEvent,
  data,
  dispatch,
  end,
  endWith,
  errorEnd,
  eventSubProcess,
  parallel,
  start,
  startOn,
  terminate,
  throwEvent,
  throwing,
  userTask,
  type CallActivityOptions,
} from '../support/model-builder.ts';
import { conditional, error, escalation, message, signal, throws, timerMs } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import type { ProcessDefinition } from '../../definitions/model.ts';
import { DEPLOYMENT_ID, directory, Instance } from './instance.ts';
import { answered, begin, delivered, done, fired, scenario, signalled, written } from './scenario.ts';

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

// --- what goes in and out --------------------------------------------------------------------------

const caught = boundary('caught', 'c', error('E', 'code', 'text'));
const failing = processModel(
  'failing',
  [start('cs'), parallel('fork'), userTask('t'), call('open', 'jobs'), errorEnd('boom', 'E')],
  ['cs -> fork', 'fork -> t -> boom', 'fork -> open'],
);

scenario(
  'an error that the called process does not catch is caught at the call activity, which ends it',
  calling('failing', { params: {} }, caught),
  [
    [begin(), { active: 'open t' }],
    [
      done('t'),
      {
        active: 'rescue',
        variables: { code: 'E', text: 'thrown by the end event boom' },
        check: (i) => assert.equal(i.ofKind('callWithdrawn').length, 1),
      },
    ],
  ],
  { callable: [failing] },
);

scenario(
  'an error goes out through as many calls as it takes',
  calling('middle', { params: {} }, caught),
  [
    [begin(), { active: 'open t', check: (i) => assert.equal(i.allScopes.length, 3) }],
    [done('t'), { active: 'rescue', check: (i) => assert.equal(i.allScopes.length, 1) }],
  ],
  {
    callable: [
      processModel('middle', [start('ms'), callActivity('mc', 'failing', { params: {} })], ['ms -> mc']),
      failing,
    ],
  },
);

scenario(
  'an error that nobody catches fails the instance in the called process',
  calling('failing', { params: {} }),
  [
    [begin(), 'open t'],
    [done('t'), { active: 'boom open', failure: 'SUTRA.BPMN_ERROR.UNCAUGHT' }],
  ],
  { callable: [failing] },
);

scenario(
  'a worker of the called process reports an error that the caller catches',
  calling('failing', { params: {} }, caught),
  [
    [begin(), 'open t'],
    [(i) => i.fail('open', 'E'), { active: 'rescue', variables: { code: 'E', text: 'E was reported' } }],
  ],
  { callable: [failing] },
);

scenario(
  'a terminate end event of the called process ends that, and the caller goes on',
  calling('called'),
  [
    [begin(), 'a b'],
    [done('a'), 'next'],
  ],
  {
    callable: [
      processModel(
        'called',
        [start('cs'), parallel('fork'), userTask('a'), userTask('b'), terminate('stop')],
        ['cs -> fork', 'fork -> a -> stop', 'fork -> b'],
      ),
    ],
  },
);

scenario(
  'an interrupting timer on the call activity ends the called process',
  calling('failing', { params: {} }, boundary('late', 'c', timerMs(1000))),
  [
    [begin(), 'open t'],
    [fired('late'), { active: 'rescue', waits: 'user-task:rescue' }],
  ],
  { callable: [failing] },
);

scenario(
  'cancelling the instance ends the called process too',
  calling('failing', { params: {} }),
  [
    [begin(), 'open t'],
    [(i) => i.cancel(), 'terminated'],
  ],
  { callable: [failing] },
);

scenario(
  'a signal reaches caller and called process, whoever throws it',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      callActivity('c', 'called', { params: {} }),
      catchEvent('mine', signal('go')),
      userTask('t'),
      throwing('shout', throws.signal('go')),
      next,
    ],
    ['s -> fork', 'fork -> c', 'fork -> mine -> next', 'fork -> t -> shout'],
  ),
  [
    [begin(), 'mine t theirs'],
    [done('t'), { active: 'help next', signals: [['go', null]] }],
  ],
  {
    callable: [
      processModel(
        'called',
        [start('cs'), catchEvent('theirs', signal('go')), userTask('help')],
        ['cs -> theirs -> help'],
      ),
    ],
  },
);

scenario(
  'messages, timers, conditions and event sub-processes work in a called process as anywhere',
  calling('called', { params: { x: '0' }, results: { x: 'x' } }),
  [
    [begin(), { active: 'm', waits: 'message:m message:on' }],
    [delivered('on', 1), { active: 'help m' }],
    [delivered('m', 5), { active: 'help w', waits: 'message:on timer:w user-task:help' }],
    [fired('w'), 'cond help'],
    [written({ x: 3 }, 'cond'), 'help'],
    [done('help'), { active: 'next', variables: { x: 3 } }],
  ],
  {
    callable: [
      processModel(
        'called',
        [
          start('cs'),
          catchEvent('m', message('news')),
          catchEvent('w', timerMs(1000)),
          catchEvent('cond', conditional('x = 3')),
          end('ce'),
          eventSubProcess('es', startOn('on', message('notes'), 'non-interrupting'), [userTask('help')]),
        ],
        ['cs -> m -> w -> cond -> ce', 'on -> help'],
      ),
    ],
  },
);

scenario(
  'a condition of the caller does not see what the called process writes for itself',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      callActivity('c', 'one', { params: {}, results: { x: 'x' } }),
      catchEvent('cond', conditional('x = 1')),
      next,
      end('e'),
    ],
    ['s -> fork', 'fork -> c -> e', 'fork -> cond -> next'],
  ),
  [
    [begin(), 'cond t'],
    [written({ x: 1 }, 't'), 'cond t'],
    [done('t'), 'next'],
  ],
  one,
);

scenario(
  'an escalation end event of the called process is heard, and the call goes on',
  calling('called', {}, boundary('b', 'c', escalation('E'), 'non-interrupting')),
  [
    [begin(), 't'],
    [done('t'), 'next rescue'],
  ],
  {
    callable: [
      processModel(
        'called',
        [start('cs'), userTask('t'), endWith('ce', throws.escalation('E'))],
        ['cs -> t -> ce'],
      ),
    ],
  },
);

test('a called process that does nothing is over at once', () => {
  const instance = new Instance(calling('empty'), {
    callable: [processModel('empty', [start('cs'), end('ce')], ['cs -> ce'])],
  }).start();
  assert.deepEqual([instance.active, instance.status], [['next'], 'running']);
  assert.equal(instance.allScopes.length, 1);
});

scenario(
  'a failed element of a called process is retried there',
  calling('called', { results: { ok: 'ok' } }),
  [
    [begin({ order: 'none' }), { active: 'set', failure: 'SUTRA.CORE.ASSIGNMENT_TARGET_INVALID' }],
    [(i) => i.set({ order: null }, 'set').retry(), { active: 't' }],
    [done('t', { ok: true }), { active: 'next', variables: { order: 'none', ok: true } }],
  ],
  {
    callable: [
      processModel(
        'called',
        [start('cs'), data('set', ['order.total = 1']), userTask('t')],
        ['cs -> set -> t'],
      ),
    ],
  },
);

scenario(
  'the answer of a call in a called process comes by its own key',
  calling('called', { params: {}, results: { got: 'x' } }),
  [
    [begin(), { active: 'ask', sends: 'ask' }],
    [answered('ask', 5), { active: 'next', variables: { got: 5 } }],
    [
      (i) => assert.equal(i.send('jobs', 6, { key: i.sends[0]?.idempotencyKey ?? '' }).kind, 'refused'),
      'next',
    ],
  ],
  { callable: [processModel('called', [start('cs'), call('ask', 'jobs', { output: 'x' })], ['cs -> ask'])] },
);

scenario(
  'a signal from outside reaches a called process alone',
  calling('called', { params: {}, results: { got: 'x' } }),
  [
    [begin(), { active: 'w', waits: 'signal:w' }],
    [signalled('go', 4), { active: 'next', variables: { got: 4 } }],
  ],
  { callable: [processModel('called', [start('cs'), catchEvent('w', signal('go', 'x'))], ['cs -> w'])] },
);
