/** Undoing what a multi-instance activity did. BPMN 2.0.2 §10.7.1, §13.3.7. */
import assert from 'node:assert/strict';
import {
  data,
  looped,
  parallel,
  start,
  subProcess,
  throwing,
  undoable,
  userTask,
} from '../support/model-builder.ts';
import { each, throws, type MultiOptions } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { begin, done, note, scenario } from './scenario.ts';

const next = userTask('next');
const items = [1, 2, 3];
const inside = (...nodes: readonly NodeSpec[]): NodeSpec => subProcess('sub', [start('in'), ...nodes]);
const sequential = { isSequential: true };

// --- compensation ----------------------------------------------------------------------------------

const undo = throwing('undo', throws.compensation());

function undone(
  node: NodeSpec,
  undoing: NodeSpec,
  options: MultiOptions,
  ...flows: readonly string[]
): ReturnType<typeof processModel> {
  const { id } = node.node;
  return processModel(
    'p',
    [start('s'), ...undoable(looped(node, each('item in items', options)), undoing), undo, next],
    [`s -> ${id} -> undo -> next`, ...flows],
  );
}

scenario(
  'the runs of a parallel one are undone together, each with its own item',
  undone(userTask('t'), userTask('u', { assign: ['log = append(log, item)'] }), {}),
  [
    [begin({ items, log: [] }), 't t t'],
    [done('t#2 t t'), 'u u u'],
    [done('u#1'), 'u u'],
    [done('u u'), { active: 'next' }],
  ],
);

scenario(
  'the runs of a sequential one are undone one after another, in reverse',
  undone(userTask('t'), userTask('u', { assign: ['log = append(log, item)'] }), sequential),
  [
    [begin({ items, log: [] }), 't'],
    [done('t t t'), 'u'],
    [done('u'), 'u'],
    [done('u'), 'u'],
    [done('u'), { active: 'next', variables: { items, log: [3, 2, 1] } }],
  ],
);

scenario(
  'what completed inside the runs of a sub-process is undone with the variables of its run',
  processModel(
    'p',
    [
      start('s'),
      looped(
        inside(...undoable(userTask('a'), data('u', ['log = append(log, item)']))),
        each('item in items', sequential),
      ),
      undo,
      next,
    ],
    ['s -> sub -> undo -> next', 'in -> a'],
  ),
  [
    [begin({ items, log: [] }), 'a'],
    [done('a a a'), { active: 'next', variables: { items, log: [3, 2, 1] } }],
  ],
);

scenario(
  'what completed inside the runs of a parallel sub-process is undone too',
  processModel(
    'p',
    [
      start('s'),
      looped(
        inside(...undoable(userTask('a'), userTask('u')), ...undoable(userTask('b'), note('bUndo'))),
        each('item in items'),
      ),
      undo,
      next,
    ],
    ['s -> sub -> undo -> next', 'in -> a -> b'],
  ),
  [
    [begin({ items: [1, 2], log: [] }), 'a a'],
    [done('a a b b'), { check: (i) => assert.ok(i.active.includes('u')) }],
    [
      (i) => {
        while (i.active.includes('u')) i.complete('u');
      },
      { active: 'next', variables: { items: [1, 2], log: ['bUndo', 'bUndo'] } },
    ],
  ],
);

scenario(
  'a multi-instance activity that has not completed as a whole is not undone',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      ...undoable(looped(userTask('t'), each('item in items')), note('u')),
      userTask('ask'),
      undo,
      next,
    ],
    ['s -> fork', 'fork -> t', 'fork -> ask -> undo -> next'],
  ),
  [
    [begin({ items, log: [] }), 'ask t t t'],
    [done('t t'), 'ask t'],
    [done('ask'), { active: 'next t', variables: { items, log: [] } }],
    [done('t'), 'next'],
  ],
);

scenario(
  'only the runs that completed are undone when a completion condition ended the rest',
  undone(userTask('t'), data('u', ['log = append(log, item)']), {
    isSequential: false,
    until: 'numberOfCompletedInstances = 2',
  }),
  [
    [begin({ items, log: [] }), 't t t'],
    [done('t#1'), 't t'],
    [
      done('t#1'),
      {
        active: 'next',
        check: (i) => assert.deepEqual(new Set(i.variables['log'] as readonly number[]), new Set([2, 3])),
      },
    ],
  ],
);
