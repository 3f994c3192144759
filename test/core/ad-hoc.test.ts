/** Ad hoc sub-processes: launched, repeated and ended from outside. BPMN 2.0.2 §10.3.5, §13.3.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  adHoc,
  boundary,
  call,
  data,
  errorEnd,
  eventSubProcess,
  looped,
  start,
  startOn,
  subProcess,
  task,
  throwing,
  undoable,
  userTask,
  type AdHocOptions,
} from '../support/model-builder.ts';
import { each, error, message, throws, timerMs } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { Instance } from './instance.ts';
import { answered, begin, delivered, done, fired, note, scenario, written, type Row } from './scenario.ts';

const next = userTask('next');
const rescue = userTask('rescue');
const launch =
  (id: string, variables = {}): Row[0] =>
  (instance) =>
    instance.launch('box', id, variables);
const finish: Row[0] = (instance) => instance.finish('box');

/** The box holds `a`, `b -> c`, and `more`. */
function box(
  options: AdHocOptions = {},
  more: readonly NodeSpec[] = [],
  flows: readonly string[] = [],
): ReturnType<typeof processModel> {
  const inside = [userTask('a'), userTask('b'), userTask('c'), ...more];
  return processModel(
    'p',
    [start('s'), adHoc('box', inside, options), next],
    ['s -> box -> next', 'b -> c', ...flows],
  );
}

scenario('it waits until something is launched, and each activity may run many times', box(), [
  [begin(), { active: '', waits: 'ad-hoc:box' }],
  [launch('a'), { active: 'a', waits: 'ad-hoc:box user-task:a' }],
  [launch('a'), 'a a'],
  [done('a'), 'a'],
  [done('a'), { active: '', waits: 'ad-hoc:box' }],
  [launch('a'), 'a'],
]);

scenario('flows inside lead on', box(), [
  [begin(), ''],
  [launch('b'), 'b'],
  [done('b'), 'c'],
  [done('c'), { active: '', waits: 'ad-hoc:box' }],
]);

scenario('it ends when it is told to, and with it what still runs', box(), [
  [begin(), ''],
  [launch('a'), 'a'],
  [launch('b'), 'a b'],
  [finish, { active: 'next', waits: 'user-task:next' }],
]);

scenario('it may end before anything ran', box(), [
  [begin(), ''],
  [finish, 'next'],
]);

scenario('a launch may bring variables', box(), [
  [begin({ x: 1 }), ''],
  [launch('a', { x: 2, y: 3 }), { active: 'a', variables: { x: 2, y: 3 } }],
]);

scenario(
  'its own variables are there for what runs inside, and for what a launch brings',
  box({ variables: ['x'] }),
  [
    [begin({ x: 1 }), ''],
    [
      launch('a', { x: 2 }),
      { active: 'a', variables: { x: 1 }, check: (i) => assert.deepEqual(i.variablesIn('box'), [{ x: 2 }]) },
    ],
  ],
);

test('only activities that no flow leads to can be launched', () => {
  const instance = new Instance(box()).start();
  for (const id of ['c', 'nothing', 'next', 'box']) {
    assert.equal(instance.refusalOf(instance.launching('box', id)), 'SUTRA.CORE.ACTIVITY_NOT_LAUNCHABLE', id);
  }
  assert.deepEqual(instance.waits, ['ad-hoc:box']);
});

test('what has ended can neither be launched in nor ended', () => {
  const instance = new Instance(box()).start();
  const [launching, tokenId] = [instance.launching('box', 'a'), instance.wait('ad-hoc', 'box').tokenId];
  instance.finish('box');
  assert.equal(instance.refusalOf(launching), 'SUTRA.CORE.WAIT_GONE');
  assert.equal(instance.refusalOf({ kind: 'completeAdHoc', tokenId: tokenId ?? -1 }), 'SUTRA.CORE.WAIT_GONE');
});

test('a sequential one runs one activity at a time, what follows it included', () => {
  const instance = new Instance(box({ isSequential: true })).start().launch('box', 'b');
  assert.equal(instance.refusalOf(instance.launching('box', 'a')), 'SUTRA.CORE.AD_HOC_BUSY');
  instance.complete('b');
  assert.deepEqual(instance.active, ['c']);
  assert.equal(instance.refusalOf(instance.launching('box', 'a')), 'SUTRA.CORE.AD_HOC_BUSY');
  instance.complete('c').launch('box', 'a');
  assert.deepEqual(instance.active, ['a']);
});

scenario(
  'a completion condition is asked when an activity has completed, and ends it',
  box({ until: 'enough' }),
  [
    [begin({ enough: false }), ''],
    [launch('a'), 'a'],
    [done('a'), { active: '', waits: 'ad-hoc:box' }],
    [written({ enough: true }), { active: '', waits: 'ad-hoc:box' }],
    [launch('a'), 'a'],
    [done('a'), { active: 'next', waits: 'user-task:next' }],
  ],
);

scenario('when its completion condition holds, what still runs is ended', box({ until: 'enough' }), [
  [begin({ enough: false }), ''],
  [launch('a'), 'a'],
  [launch('b'), 'a b'],
  [done('a', { enough: true }), { active: 'next', waits: 'user-task:next' }],
]);

scenario('when its completion condition holds, what was to follow does not', box({ until: 'true' }), [
  [begin(), ''],
  [launch('b'), 'b'],
  [done('b'), 'next'],
]);

scenario('or what still runs may come to its end', box({ until: 'enough', keepsRemaining: true }), [
  [begin({ enough: false }), ''],
  [launch('a'), 'a'],
  [launch('b'), 'a b'],
  [done('a', { enough: true }), { active: 'b' }],
  [done('b'), 'next'],
]);

test('one that keeps what runs is not told to end while something does', () => {
  const instance = new Instance(box({ keepsRemaining: true })).start().launch('box', 'a');
  const { tokenId } = instance.wait('ad-hoc', 'box');
  assert.equal(
    instance.refusalOf({ kind: 'completeAdHoc', tokenId: tokenId ?? -1 }),
    'SUTRA.CORE.AD_HOC_BUSY',
  );
  instance.complete('a').finish('box');
  assert.deepEqual(instance.active, ['next']);
});

test('a completion condition that gives no boolean fails the activity that completed, and a retry asks again', () => {
  const instance = new Instance(box({ until: 'enough' }))
    .start({ variables: { enough: 'what' } })
    .launch('box', 'a')
    .complete('a');
  assert.equal(instance.failureCode, 'SUTRA.CORE.CONDITION_NOT_BOOLEAN');
  instance.set({ enough: true }).retry();
  assert.deepEqual(instance.active, ['next']);
});

scenario(
  'activities of every kind can be launched',
  box(
    {},
    [
      call('job', 'jobs'),
      task('quick'),
      looped(userTask('many'), each('item in [1, 2]')),
      subProcess('sub', [start('in'), userTask('deep')]),
    ],
    ['in -> deep'],
  ),
  [
    [begin(), ''],
    [launch('quick'), ''],
    [launch('job'), { active: 'job', sends: 'job' }],
    [launch('many'), 'job many many'],
    [launch('sub'), 'deep job many many'],
    [answered('job'), 'deep many many'],
    [done('many many deep'), { active: '', waits: 'ad-hoc:box' }],
    [finish, 'next'],
  ],
);

scenario(
  'boundary events and event sub-processes work as at any sub-process',
  processModel(
    'p',
    [
      start('s'),
      adHoc('box', [
        userTask('a'),
        eventSubProcess('es', startOn('on', message('news'), 'non-interrupting'), [userTask('help')]),
      ]),
      boundary('late', 'box', timerMs(1000)),
      rescue,
      next,
    ],
    ['s -> box -> next', 'on -> help', 'late -> rescue'],
  ),
  [
    [begin(), { active: '', waits: 'ad-hoc:box message:on timer:late' }],
    [launch('a'), 'a'],
    [delivered('on'), 'a help'],
    [done('help'), 'a'],
    [fired('late'), { active: 'rescue', waits: 'user-task:rescue' }],
  ],
);

scenario(
  'an error inside ends it',
  processModel(
    'p',
    [
      start('s'),
      adHoc('box', [userTask('a'), subProcess('sub', [start('in'), userTask('t'), errorEnd('boom', 'E')])]),
      boundary('caught', 'box', error('E')),
      rescue,
    ],
    ['s -> box', 'in -> t -> boom', 'caught -> rescue'],
  ),
  [
    [begin(), ''],
    [launch('a'), 'a'],
    [launch('sub'), 'a t'],
    [done('t'), { active: 'rescue', waits: 'user-task:rescue' }],
  ],
);

scenario(
  'what ran inside is undone in reverse order',
  processModel(
    'p',
    [
      start('s'),
      adHoc('box', [...undoable(userTask('a'), note('aUndo')), ...undoable(userTask('b'), note('bUndo'))]),
      throwing('undo', throws.compensation()),
      next,
    ],
    ['s -> box -> undo -> next'],
  ),
  [
    [begin({ log: [] }), ''],
    [launch('b'), 'b'],
    [launch('a'), 'a b'],
    [done('b a'), ''],
    [finish, { active: 'next', variables: { log: ['aUndo', 'bUndo'] } }],
  ],
);

scenario(
  'each run of a multi-instance ad hoc sub-process is launched in and ended by itself',
  processModel(
    'p',
    [start('s'), looped(adHoc('box', [userTask('a')]), each('item in [1, 2]')), next],
    ['s -> box -> next'],
  ),
  [
    [begin(), { active: '', waits: 'ad-hoc:box ad-hoc:box' }],
    [launch('a'), 'a'],
    [done('a'), { waits: 'ad-hoc:box ad-hoc:box' }],
    [finish, { waits: 'ad-hoc:box' }],
    [finish, 'next'],
  ],
);

scenario(
  'an ad hoc sub-process that only works things out by launches goes on waiting after each',
  processModel(
    'p',
    [start('s'), adHoc('box', [data('count', ['n = n + 1'])], { until: 'n = 2' }), next],
    ['s -> box -> next'],
  ),
  [
    [begin({ n: 0 }), { active: '', waits: 'ad-hoc:box' }],
    [launch('count'), { active: '', waits: 'ad-hoc:box', variables: { n: 1 } }],
    [launch('count'), { active: 'next', variables: { n: 2 } }],
  ],
);
