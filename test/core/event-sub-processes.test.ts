/** Event sub-processes: what starts them, what they end, what they catch. BPMN 2.0.2 §10.3.5, §13.5.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatchDefinition } from '../../definitions/model.ts';
import {
  call,
  catchEvent,
  eventSubProcess,
  parallel,
  script,
  start,
  startOn,
  subProcess,
  userTask,
} from '../support/model-builder.ts';
import { conditional, message, signal, timerCycle, timerMs, type Triggers } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { Instance } from './instance.ts';
import { begin, delivered, done, fired, scenario, signalled, written, type Row } from './scenario.ts';

const next = userTask('next');
const aside = 'non-interrupting';

/** `sub` holds the task `t` and the event sub-process `es`, which begins at `on` and holds the task `help`. */
function guarded(
  triggers: Triggers,
  kind: 'interrupting' | 'non-interrupting',
  more: readonly NodeSpec[] = [],
): ReturnType<typeof processModel> {
  const es = eventSubProcess('es', startOn('on', triggers, kind), [userTask('help')]);
  const flows = ['s -> sub -> next', 'in -> t', 'on -> help'];
  return processModel(
    'p',
    [start('s'), subProcess('sub', [start('in'), userTask('t'), es, ...more]), next],
    flows,
  );
}

const occurrences: Record<string, readonly [CatchDefinition, wait: string, Row[0]]> = {
  message: [message('news'), 'message:on', delivered('on')],
  signal: [signal('go'), 'signal:on', signalled('go')],
  timer: [timerMs(1000), 'timer:on', fired('on')],
  condition: [conditional('x = 1'), 'condition:on', written({ x: 1 })],
};

for (const [kind, [trigger, wait, occur]] of Object.entries(occurrences)) {
  scenario(
    `a ${kind} starts an interrupting event sub-process, which ends all else in its scope`,
    guarded(trigger, 'interrupting'),
    [
      [begin(), { active: 't', waits: `${wait} user-task:t` }],
      [occur, { active: 'help', waits: 'user-task:help' }],
      [done('help'), { active: 'next', waits: 'user-task:next' }],
    ],
  );

  scenario(
    `a ${kind} starts a non-interrupting event sub-process beside what runs`,
    guarded(trigger, aside),
    [
      [begin(), 't'],
      [occur, 'help t'],
      [done('t'), 'help'],
      [done('help'), { active: 'next', waits: 'user-task:next' }],
    ],
  );

  scenario(`a ${kind} is no longer waited for when the scope has ended`, guarded(trigger, aside), [
    [begin(), 't'],
    [done('t'), { active: 'next', waits: 'user-task:next' }],
  ]);
}

for (const kind of ['message', 'signal'] as const) {
  const [trigger, wait, occur] = occurrences[kind] ?? assert.fail();
  scenario(
    `a ${kind} can start a non-interrupting event sub-process again and again`,
    guarded(trigger, aside),
    [
      [begin(), 't'],
      [occur, 'help t'],
      [occur, { active: 'help help t', waits: `${wait} user-task:help user-task:help user-task:t` }],
      [done('t'), 'help help'],
      [done('help'), 'help'],
      [done('help'), 'next'],
    ],
  );
}

scenario(
  'when nothing is left in a scope but its event sub-processes, no more of them begin',
  guarded(message('news'), aside),
  [
    [begin(), 't'],
    [delivered('on'), { active: 'help t', waits: 'message:on user-task:help user-task:t' }],
    [done('t'), { active: 'help', waits: 'user-task:help' }],
    [done('help'), 'next'],
  ],
);

scenario('a timer of a non-interrupting event sub-process fires once', guarded(timerMs(1000), aside), [
  [begin(), 't'],
  [fired('on'), { active: 'help t', waits: 'user-task:help user-task:t' }],
]);

scenario(
  'a cycle starts a non-interrupting event sub-process as often as it says',
  guarded(timerCycle(2, 1000), aside),
  [
    [begin(), 't'],
    [fired('on'), { active: 'help t', waits: 'timer:on user-task:help user-task:t' }],
    [fired('on'), { active: 'help help t', waits: 'user-task:help user-task:help user-task:t' }],
  ],
);

scenario(
  'an event sub-process of the process runs to the end although nothing else is left',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      eventSubProcess('es', startOn('on', message('news'), aside), [userTask('help')]),
    ],
    ['s -> t', 'on -> help'],
  ),
  [
    [begin(), { active: 't', waits: 'message:on user-task:t' }],
    [delivered('on'), 'help t'],
    [done('t'), { active: 'help' }],
    [done('help'), 'completed'],
  ],
);

scenario(
  'an instance whose tokens have all ended is over although its event sub-process was still waited for',
  processModel(
    'p',
    [start('s'), userTask('t'), eventSubProcess('es', startOn('on', timerMs(1000)), [userTask('help')])],
    ['s -> t', 'on -> help'],
  ),
  [
    [begin(), 't'],
    [done('t'), 'completed'],
  ],
);

scenario(
  'an interrupting event sub-process disarms all start events of its scope, and no others',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [
        start('in'),
        userTask('t'),
        eventSubProcess('one', startOn('on1', message('a')), [userTask('help1')]),
        eventSubProcess('two', startOn('on2', message('b')), [userTask('help2')]),
        eventSubProcess('three', startOn('on3', timerMs(1000), aside), [userTask('help3')]),
      ]),
      eventSubProcess('outer', startOn('on4', message('c'), aside), [userTask('help4')]),
      next,
    ],
    ['s -> sub -> next', 'in -> t', 'on1 -> help1', 'on2 -> help2', 'on3 -> help3', 'on4 -> help4'],
  ),
  [
    [begin(), { active: 't', waits: 'message:on1 message:on2 message:on4 timer:on3 user-task:t' }],
    [fired('on3'), 'help3 t'],
    [delivered('on2'), { active: 'help2', waits: 'message:on4 user-task:help2' }],
    [delivered('on4'), 'help2 help4'],
    [done('help2'), 'help4 next'],
  ],
);

test('an interrupting event sub-process withdraws the calls and the timers of its scope', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      call('c', 'jobs', { timeoutMs: 1000 }),
      catchEvent('w', timerMs(1000)),
      eventSubProcess('es', startOn('on', message('news')), [userTask('help')]),
    ],
    ['s -> fork', 'fork -> c', 'fork -> w', 'on -> help'],
  );
  const instance = new Instance(process).start().deliver('on', { a: 1 });
  assert.deepEqual(instance.active, ['help']);
  assert.equal(instance.ofKind('callWithdrawn').length, 1);
  assert.equal(instance.ofKind('timerCleared').length, 2);
  assert.deepEqual(instance.variables, { payload: { a: 1 } });
});

test('a scope that ends in the step that begins it arms no event sub-process', () => {
  const process = processModel(
    'p',
    [start('s'), eventSubProcess('es', startOn('on', timerMs(1000)), [userTask('help')])],
    ['on -> help'],
  );
  const instance = new Instance(process).start();
  assert.equal(instance.status, 'completed');
  assert.deepEqual(instance.ofKind('timerSet'), []);
});

test('the variables of an event sub-process are local to each run of it', () => {
  const es = eventSubProcess(
    'es',
    startOn('on', message('news', { variable: 'x' }), aside),
    [script('keep', 'x', 'mine'), userTask('help')],
    { variables: ['x', 'mine'] },
  );
  const process = processModel('p', [start('s'), userTask('t'), es], ['s -> t', 'on -> keep -> help']);
  const instance = new Instance(process).start().deliver('on', 1).deliver('on', 2);
  assert.deepEqual(instance.variablesIn('es'), [
    { x: 1, mine: 1 },
    { x: 2, mine: 2 },
  ]);
  assert.deepEqual(instance.variables, {});
});

test('an event sub-process sees the variables of its scope and works on them', () => {
  const es = eventSubProcess('es', startOn('on', message('news'), aside), [
    script('add', '{n: n + payload}'),
  ]);
  const process = processModel(
    'p',
    [start('s'), subProcess('sub', [start('in'), userTask('t'), es], { variables: ['n'] })],
    ['s -> sub', 'in -> t', 'on -> add'],
  );
  const instance = new Instance(process).start().set({ n: 1 }, 't').deliver('on', 5);
  assert.deepEqual(instance.variablesIn('sub'), [{ n: 6 }]);
});
