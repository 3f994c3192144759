/** What has completed and can be undone, or is being undone, when an instance is migrated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProcessDefinition } from '../../definitions/model.ts';
import {
  boundary,
  eventSubProcess,
  handler,
  looped,
  start,
  startOn,
  subProcess,
  task,
  throwing,
  transaction,
  undoable,
  userTask,
} from '../support/model-builder.ts';
import { compensation, each, throws } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { between, line, migrated, reasonsAgainst, textsAgainst } from './migration.ts';

const undo = throwing('undo', throws.compensation());

function booked(...nodes: readonly NodeSpec[]): ProcessDefinition {
  return processModel('p', [start('s'), ...nodes, userTask('t'), undo], ['s -> a -> t -> undo']);
}

const undone: readonly (readonly [what: string, now: ProcessDefinition, reason: string])[] = [
  [
    'an activity that is gone',
    processModel('p', [start('s'), userTask('t'), undo], ['s -> t -> undo']),
    'a is not in the new model: map it to another element',
  ],
  [
    'an activity without a handler',
    booked(userTask('a')),
    'a has completed and can be undone by x, and in the new model a cannot be undone',
  ],
  [
    'an activity with another handler',
    booked(...undoable(userTask('a'), userTask('y'))),
    'a has completed and can be undone by x, and in the new model a is undone by y',
  ],
];

for (const [what, now, reason] of undone) {
  test(`what has completed must be undone in the new model as in the old one: ${what}`, () => {
    const old = booked(...undoable(userTask('a'), userTask('x')));
    const instance = between(old, now).start().complete('a');
    assert.deepEqual(reasonsAgainst(instance), [{ elementId: 'a', tokenId: null, message: reason }]);
  });
}

test('what has completed inside a sub-process, and in the runs of a loop, must be undone too', () => {
  const nested = (handlerId: string): ProcessDefinition =>
    processModel(
      'p',
      [
        start('s'),
        subProcess('a', [
          start('in'),
          ...undoable(looped(userTask('u'), each('x in [1, 2]')), userTask(handlerId)),
        ]),
        userTask('t'),
        undo,
      ],
      ['s -> a -> t -> undo', 'in -> u'],
    );
  const instance = between(nested('x'), nested('y')).start().complete('u').complete('u');
  const reason = 'u has completed and can be undone by x, and in the new model u is undone by y';
  assert.deepEqual(textsAgainst(instance), [reason, reason], 'one for each run');
});

test('a sub-process that its own event sub-process undoes must have that in the new model', () => {
  const scope = (...events: readonly NodeSpec[]): ProcessDefinition =>
    processModel(
      'p',
      [
        start('s'),
        subProcess('a', [start('in'), ...undoable(userTask('u'), userTask('x')), ...events]),
        userTask('t'),
        undo,
      ],
      ['s -> a -> t -> undo', 'in -> u'],
    );
  const withUndo = scope(eventSubProcess('es', startOn('ess', compensation()), [userTask('back')]));
  const [has, hasNot] = [
    'a is undone by an event sub-process of its own, and in the new model a is not',
    'a is not undone by an event sub-process of its own, and in the new model a is',
  ];
  assert.deepEqual(textsAgainst(between(withUndo, scope()).start().complete('u')), [has]);
  assert.deepEqual(textsAgainst(between(scope(), withUndo).start().complete('u')), [hasNot]);
});

test('and so must each run of one that loops, and one that is still to be undone in that way', () => {
  const undoing = eventSubProcess('es', startOn('ess', compensation()), [task('back')]);
  const twice = (...events: readonly NodeSpec[]): ProcessDefinition =>
    processModel(
      'p',
      [
        start('s'),
        looped(subProcess('a', [start('in'), userTask('u'), ...events]), each('x in [1, 2]')),
        userTask('t'),
        undo,
      ],
      ['s -> a -> t -> undo', 'in -> u'],
    );
  const has = 'a is undone by an event sub-process of its own, and in the new model a is not';
  const looping = between(twice(undoing), twice()).start().complete('u').complete('u');
  assert.deepEqual(textsAgainst(looping), [has, has]);
  const chain = (...events: readonly NodeSpec[]): ProcessDefinition =>
    processModel(
      'p',
      [
        start('s'),
        subProcess('a', [start('in'), userTask('u'), ...events]),
        ...undoable(userTask('b'), userTask('x')),
        undo,
      ],
      ['s -> a -> b -> undo', 'in -> u'],
    );
  const instance = between(chain(undoing), chain()).start().complete('u').complete('b');
  assert.deepEqual(instance.active, ['x']);
  assert.deepEqual(textsAgainst(instance), [
    'an event sub-process is to undo a, and in the new model a has none for that',
  ]);
});

test('what is still to be undone must have its handler, and so must what is being undone', () => {
  const two = (...handlers: readonly NodeSpec[]): ProcessDefinition =>
    processModel(
      'p',
      [
        start('s'),
        userTask('a'),
        userTask('b'),
        ...handlers.flatMap((node) => [
          boundary(`${node.node.id}!`, node.node.id.slice(1), compensation(node.node.id)),
          handler(node),
        ]),
        undo,
      ],
      ['s -> a -> b -> undo'],
    );
  const instance = between(two(userTask('xa'), userTask('xb')), two(userTask('xa')))
    .start()
    .complete('a')
    .complete('b');
  assert.deepEqual(instance.active, ['xb']);
  assert.deepEqual(textsAgainst(instance), ['xb is not in the new model: map it to another element']);
  const other = between(two(userTask('xa'), userTask('xb')), two(userTask('xb')))
    .start()
    .complete('a')
    .complete('b');
  assert.deepEqual(textsAgainst(other), [
    'a has completed and can be undone by xa, and in the new model a cannot be undone',
  ]);
});

test('a sub-process that is opened again to be undone must be there as it was', () => {
  const of = (scope: typeof subProcess): ProcessDefinition =>
    processModel(
      'p',
      [start('s'), scope('a', [start('in'), ...undoable(userTask('u'), userTask('x'))]), undo],
      ['s -> a -> undo', 'in -> u'],
    );
  const instance = between(of(subProcess), of(transaction)).start().complete('u');
  assert.deepEqual(instance.active, ['x']);
  assert.deepEqual(textsAgainst(instance), [
    'a is of the variant embedded, and in the new model a is a transaction',
  ]);
});

// --- what goes on ------------------------------------------------------------------------------------

const next = userTask('next');

const pair = (id: string, handlerId: string): readonly NodeSpec[] =>
  undoable(userTask(id), userTask(handlerId));

test('what completed in the old model is undone in the new one', () => {
  const old = line(subProcess('sub', [...pair('a', 'xa'), ...pair('b', 'xb')]), userTask('t'), undo);
  const now = line(subProcess('sub', [...pair('c', 'xc'), ...pair('b', 'xb')]), userTask('t'), undo);
  const instance = between(old, now).start().complete('a').complete('b');
  migrated(instance, { a: 'c', xa: 'xc' });
  assert.deepEqual(instance.complete('t').active, ['xb']);
  assert.deepEqual(instance.complete('xb').active, ['xc']);
  assert.equal(instance.complete('xc').status, 'completed');
});

test('compensation that is under way goes on', () => {
  const chain = (first: string, handlerId: string): ProcessDefinition =>
    processModel(
      'p',
      [start('s'), ...pair(first, handlerId), ...pair('b', 'xb'), undo, next],
      [`s -> ${first} -> b -> undo -> next`],
    );
  const instance = between(chain('a', 'xa'), chain('c', 'xc')).start().complete('a').complete('b');
  assert.deepEqual(instance.active, ['xb']);
  migrated(instance, { a: 'c', xa: 'xc' });
  assert.deepEqual(instance.complete('xb').active, ['xc']);
  assert.deepEqual(instance.complete('xc').active, ['next']);
});
