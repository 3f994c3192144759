/** Compensation: what can be undone, in which order, with which variables. BPMN 2.0.2 §10.7, §13.5.5. */
import assert from 'node:assert/strict';
import {
  boundary,
  call,
  data,
  end,
  endWith,
  exclusive,
  parallel,
  start,
  subProcess,
  terminate,
  throwing,
  undoable,
  userTask,
} from '../support/model-builder.ts';
import { throws, timerMs } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { answered, begin, done, fired, note, scenario } from './scenario.ts';

const next = userTask('next');
const rescue = userTask('rescue');
const undoAll = throwing('undo', throws.compensation());
const taskWith = (id: string): ReturnType<typeof undoable> => undoable(userTask(id), userTask(`${id}Undo`));
const noted = (id: string): ReturnType<typeof undoable> => undoable(userTask(id), note(`${id}Undo`));
const log = { log: [] };

scenario(
  'handlers run one after another, in reverse order of completion, and the thrower waits for them',
  processModel(
    'p',
    [start('s'), ...taskWith('a'), ...taskWith('b'), undoAll, next],
    ['s -> a -> b -> undo -> next'],
  ),
  [
    [begin(), { active: 'a', waits: 'user-task:a' }],
    [done('a b'), { active: 'bUndo', waits: 'user-task:bUndo' }],
    [done('bUndo'), 'aUndo'],
    [done('aUndo'), { active: 'next', waits: 'user-task:next' }],
    [done('next'), 'completed'],
  ],
);

for (const [order, undone] of [
  ['a b c', ['cUndo', 'bUndo', 'aUndo']],
  ['c a b', ['bUndo', 'aUndo', 'cUndo']],
] as const) {
  scenario(
    `it is the completion that counts, not the model: ${order}`,
    processModel(
      'p',
      [
        start('s'),
        parallel('fork'),
        ...noted('a'),
        ...noted('b'),
        ...noted('c'),
        parallel('join'),
        undoAll,
        next,
      ],
      ['s -> fork', 'fork -> a -> join', 'fork -> b -> join', 'fork -> c -> join', 'join -> undo -> next'],
    ),
    [
      [begin(log), 'a b c'],
      [done(order), { active: 'next', variables: { log: undone } }],
    ],
  );
}

scenario(
  'only the activity that is named is compensated, and only once',
  processModel(
    'p',
    [
      start('s'),
      ...noted('a'),
      ...noted('b'),
      throwing('one', throws.compensation('a')),
      userTask('between'),
      undoAll,
      next,
    ],
    ['s -> a -> b -> one -> between -> undo -> next'],
  ),
  [
    [begin(log), 'a'],
    [done('a b'), { active: 'between', variables: { log: ['aUndo'] } }],
    [done('between'), { active: 'next', variables: { log: ['aUndo', 'bUndo'] } }],
  ],
);

scenario(
  'what has not completed is not compensated, and goes on',
  processModel(
    'p',
    [start('s'), parallel('fork'), ...noted('a'), ...noted('b'), undoAll, next],
    ['s -> fork', 'fork -> a -> undo -> next', 'fork -> b'],
  ),
  [
    [begin(log), 'a b'],
    [done('a'), { active: 'b next', variables: { log: ['aUndo'] } }],
  ],
);

scenario(
  'with nothing to compensate the thrower goes on at once',
  processModel('p', [start('s'), userTask('a'), undoAll, next], ['s -> a -> undo -> next']),
  [
    [begin(), 'a'],
    [done('a'), 'next'],
  ],
);

scenario(
  'a thrower that does not wait goes on beside the handlers',
  processModel(
    'p',
    [start('s'), ...taskWith('a'), ...taskWith('b'), throwing('undo', throws.compensationAside()), next],
    ['s -> a -> b -> undo -> next'],
  ),
  [
    [begin(), 'a'],
    [done('a b'), 'bUndo next'],
    [done('next'), 'bUndo'],
    [done('bUndo'), 'aUndo'],
    [done('aUndo'), 'completed'],
  ],
);

scenario(
  'an end event that compensates waits for the handlers before its path ends',
  processModel(
    'p',
    [start('s'), ...taskWith('a'), endWith('undo', throws.compensation())],
    ['s -> a -> undo'],
  ),
  [
    [begin(), 'a'],
    [done('a'), 'aUndo'],
    [done('aUndo'), 'completed'],
  ],
);

scenario(
  'an activity that completed twice is compensated twice',
  processModel(
    'p',
    [
      start('s'),
      exclusive('merge'),
      ...undoable(userTask('a', { assign: ['n = n + 1'] }), note('aUndo')),
      exclusive('again'),
      undoAll,
      next,
    ],
    ['s -> merge -> a -> again', 'again -> merge if n < 2', 'again -> undo default', 'undo -> next'],
  ),
  [
    [begin({ ...log, n: 0 }), 'a'],
    [done('a a'), { active: 'next', variables: { n: 2, log: ['aUndo', 'aUndo'] } }],
  ],
);

scenario(
  'a handler may be a call, whose answer is waited for',
  processModel(
    'p',
    [
      start('s'),
      ...undoable(call('book', 'bookings'), call('cancel', 'cancellations', { output: 'gone' })),
      undoAll,
      next,
    ],
    ['s -> book -> undo -> next'],
  ),
  [
    [begin(), { active: 'book', sends: 'book' }],
    [answered('book'), { active: 'cancel', sends: 'cancel' }],
    [answered('cancel', true), { active: 'next', variables: { gone: true } }],
  ],
);

scenario(
  'a handler may be a sub-process',
  processModel(
    'p',
    [
      start('s'),
      ...undoable(userTask('a'), subProcess('undoA', [start('in'), userTask('one'), userTask('two')])),
      undoAll,
      next,
    ],
    ['s -> a -> undo -> next', 'in -> one -> two'],
  ),
  [
    [begin(), 'a'],
    [done('a'), 'one'],
    [done('one'), 'two'],
    [done('two'), 'next'],
  ],
);

// --- scopes ----------------------------------------------------------------------------------------

const inner = [start('in'), ...noted('a'), ...noted('b'), end('out')];

scenario(
  'a completed sub-process is compensated by what completed inside it, in reverse order, in its place',
  processModel(
    'p',
    [start('s'), ...noted('first'), subProcess('sub', inner), ...noted('last'), undoAll, next],
    ['s -> first -> sub -> last -> undo -> next', 'in -> a -> b -> out'],
  ),
  [
    [begin(log), 'first'],
    [
      done('first a b last'),
      { active: 'next', variables: { log: ['lastUndo', 'bUndo', 'aUndo', 'firstUndo'] } },
    ],
  ],
);

scenario(
  'naming a sub-process compensates what is inside',
  processModel(
    'p',
    [
      start('s'),
      ...noted('first'),
      subProcess('sub', inner),
      throwing('undo', throws.compensation('sub')),
      next,
    ],
    ['s -> first -> sub -> undo -> next', 'in -> a -> b -> out'],
  ),
  [
    [begin(log), 'first'],
    [done('first a b'), { active: 'next', variables: { log: ['bUndo', 'aUndo'] } }],
  ],
);

scenario(
  'a handler on the sub-process takes the place of those inside',
  processModel(
    'p',
    [start('s'), ...undoable(subProcess('sub', inner), note('subUndo')), undoAll, next],
    ['s -> sub -> undo -> next', 'in -> a -> b -> out'],
  ),
  [
    [begin(log), 'a'],
    [done('a b'), { active: 'next', variables: { log: ['subUndo'] } }],
  ],
);

scenario(
  'what is thrown inside a sub-process reaches what completed there, and nothing outside',
  processModel(
    'p',
    [
      start('s'),
      ...noted('first'),
      subProcess('sub', [start('in'), ...noted('a'), undoAll, userTask('after')]),
      next,
    ],
    ['s -> first -> sub -> next', 'in -> a -> undo -> after'],
  ),
  [
    [begin(log), 'first'],
    [done('first a'), { active: 'after', variables: { log: ['aUndo'] } }],
  ],
);

scenario(
  'sub-processes in sub-processes are opened again all the way down, and closed again',
  processModel(
    'p',
    [
      start('s'),
      subProcess('outer', [
        start('in1'),
        subProcess('sub', [start('in'), ...taskWith('a'), ...taskWith('b')]),
        ...taskWith('c'),
      ]),
      undoAll,
      next,
    ],
    ['s -> outer -> undo -> next', 'in1 -> sub -> c', 'in -> a -> b'],
  ),
  [
    [begin(), 'a'],
    [done('a b c'), 'cUndo'],
    [done('cUndo'), 'bUndo'],
    [done('bUndo'), 'aUndo'],
    [done('aUndo'), { active: 'next', check: (i) => assert.equal(i.allScopes.length, 1) }],
  ],
);

scenario(
  'the handlers inside a sub-process see its variables as they were, and all others as they are',
  processModel(
    'p',
    [
      start('s'),
      subProcess(
        'sub',
        [
          start('in'),
          ...undoable(
            userTask('a', { assign: ['mine = "inside"'] }),
            data('aUndo', ['seen = mine + " " + theirs', 'mine = "undone"', 'seenAgain = mine']),
          ),
        ],
        { variables: ['mine'] },
      ),
      userTask('between', { assign: ['theirs = "now"'] }),
      undoAll,
      next,
    ],
    ['s -> sub -> between -> undo -> next', 'in -> a'],
  ),
  [
    [begin({ theirs: 'then' }), 'a'],
    [
      done('a between'),
      { active: 'next', variables: { theirs: 'now', seen: 'inside now', seenAgain: 'undone' } },
    ],
  ],
);

scenario(
  'each run of a sub-process is undone with its own variables',
  processModel(
    'p',
    [
      start('s'),
      exclusive('merge'),
      subProcess(
        'sub',
        [
          start('in'),
          data('keep', ['mine = n', 'n = n + 1']),
          ...undoable(userTask('a'), data('aUndo', ['log = append(log, mine)'])),
        ],
        { variables: ['mine'] },
      ),
      exclusive('again'),
      undoAll,
      next,
    ],
    [
      's -> merge -> sub -> again',
      'again -> merge if n < 3',
      'again -> undo default',
      'undo -> next',
      'in -> keep -> a',
    ],
  ),
  [
    [begin({ ...log, n: 1 }), 'a'],
    [done('a a'), { active: 'next', variables: { n: 3, log: [2, 1] } }],
  ],
);

scenario(
  'a sub-process that was interrupted is not compensated',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('in'), ...noted('a'), userTask('more')]),
      boundary('late', 'sub', timerMs(1000)),
      undoAll,
      next,
      end('e'),
    ],
    ['s -> sub -> e', 'in -> a -> more', 'late -> undo -> next'],
  ),
  [
    [begin(log), 'a'],
    [done('a'), 'more'],
    [fired('late'), { active: 'next', variables: log }],
  ],
);

scenario(
  'a sub-process that terminated itself is not compensated',
  processModel(
    'p',
    [start('s'), subProcess('sub', [start('in'), ...noted('a'), terminate('stop')]), undoAll, next],
    ['s -> sub -> undo -> next', 'in -> a -> stop'],
  ),
  [
    [begin(log), 'a'],
    [done('a'), { active: 'next', variables: log }],
  ],
);

scenario(
  'handlers that run when their scope is interrupted end with it',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('in'), ...taskWith('a'), ...taskWith('b'), undoAll]),
      boundary('late', 'sub', timerMs(1000)),
      rescue,
      next,
    ],
    ['s -> sub -> next', 'in -> a -> b -> undo', 'late -> rescue'],
  ),
  [
    [begin(), 'a'],
    [done('a b'), { active: 'bUndo', waits: 'timer:late user-task:bUndo' }],
    [fired('late'), { active: 'rescue', waits: 'user-task:rescue' }],
    [done('rescue'), 'completed'],
  ],
);

scenario(
  'an instance that could still compensate ends without a trace of it',
  processModel('p', [start('s'), ...noted('a'), end('e')], ['s -> a -> e']),
  [
    [begin(log), 'a'],
    [done('a'), 'completed'],
  ],
);
