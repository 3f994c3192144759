/** Compensation among other events: errors, event sub-processes, called processes. BPMN 2.0.2 §10.7, §13.5.5. */
import assert from 'node:assert/strict';
import {
  boundary,
  callActivity,
  errorEnd,
  eventSubProcess,
  receive,
  start,
  startOn,
  subProcess,
  throwing,
  undoable,
  userTask,
} from '../support/model-builder.ts';
import { compensation, error, message, signal, throws, timerMs } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { begin, delivered, done, fired, note, scenario } from './scenario.ts';

const next = userTask('next');
const rescue = userTask('rescue');
const undoAll = throwing('undo', throws.compensation());
const taskWith = (id: string): ReturnType<typeof undoable> => undoable(userTask(id), userTask(`${id}Undo`));
const noted = (id: string): ReturnType<typeof undoable> => undoable(userTask(id), note(`${id}Undo`));
const log = { log: [] };

// --- errors and events in between ------------------------------------------------------------------

scenario(
  'an error in a handler goes out from the event that threw the compensation',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [
        start('in'),
        ...undoable(
          userTask('a'),
          subProcess('undoA', [start('in2'), userTask('try'), errorEnd('boom', 'E')]),
        ),
        undoAll,
      ]),
      boundary('caught', 'sub', error('E')),
      rescue,
      next,
    ],
    ['s -> sub -> next', 'in -> a -> undo', 'in2 -> try -> boom', 'caught -> rescue'],
  ),
  [
    [begin(), 'a'],
    [done('a'), 'try'],
    [done('try'), 'rescue'],
  ],
);

scenario(
  'a handler may have boundary events of its own',
  processModel(
    'p',
    [start('s'), ...taskWith('a'), boundary('late', 'aUndo', timerMs(1000)), rescue, undoAll, next],
    ['s -> a -> undo -> next', 'late -> rescue'],
  ),
  [
    [begin(), 'a'],
    [done('a'), { active: 'aUndo', waits: 'timer:late user-task:aUndo' }],
    [fired('late'), { active: 'rescue', waits: 'user-task:rescue' }],
    [done('rescue'), 'next'],
  ],
);

scenario(
  'what an interrupting event sub-process compensates is the scope that it stands in',
  processModel(
    'p',
    [
      start('s'),
      ...noted('a'),
      ...noted('b'),
      userTask('c'),
      eventSubProcess('es', startOn('on', message('stop')), [undoAll, rescue]),
    ],
    ['s -> a -> b -> c', 'on -> undo -> rescue'],
  ),
  [
    [begin(log), 'a'],
    [done('a b'), 'c'],
    [delivered('on'), { active: 'rescue', variables: { log: ['bUndo', 'aUndo'], payload: {} } }],
    [done('rescue'), 'completed'],
  ],
);

scenario(
  'a non-interrupting event sub-process compensates beside what runs',
  processModel(
    'p',
    [
      start('s'),
      ...taskWith('a'),
      userTask('b'),
      eventSubProcess('es', startOn('on', signal('stop'), 'non-interrupting'), [undoAll, rescue]),
    ],
    ['s -> a -> b', 'on -> undo -> rescue'],
  ),
  [
    [begin(), 'a'],
    [done('a'), 'b'],
    [(i) => i.signal('stop'), 'aUndo b'],
    [done('aUndo'), 'b rescue'],
  ],
);

// --- compensation event sub-processes --------------------------------------------------------------

const byHand = (...inside: Parameters<typeof eventSubProcess>[2]): ReturnType<typeof eventSubProcess> =>
  eventSubProcess('es', startOn('on', compensation()), inside);

scenario(
  'a compensation event sub-process takes the place of the handlers inside its scope',
  processModel(
    'p',
    [start('s'), subProcess('sub', [start('in'), ...noted('a'), byHand(userTask('help'))]), undoAll, next],
    ['s -> sub -> undo -> next', 'in -> a', 'on -> help'],
  ),
  [
    [begin(log), { active: 'a', waits: 'user-task:a' }],
    [done('a'), { active: 'help', variables: log }],
    [done('help'), 'next'],
  ],
);

scenario(
  'a compensation event sub-process that throws compensation runs the handlers inside its scope',
  processModel(
    'p',
    [
      start('s'),
      subProcess(
        'sub',
        [
          start('in'),
          ...noted('a'),
          ...noted('b'),
          byHand(userTask('help'), throwing('again', throws.compensation()), userTask('after')),
        ],
        {
          variables: ['mine'],
        },
      ),
      undoAll,
      next,
    ],
    ['s -> sub -> undo -> next', 'in -> a -> b', 'on -> help -> again -> after'],
  ),
  [
    [begin(log), 'a'],
    [done('a b'), { active: 'help', variables: log }],
    [done('help'), { active: 'after', variables: { log: ['bUndo', 'aUndo'] } }],
    [done('after'), { active: 'next', check: (i) => assert.equal(i.allScopes.length, 1) }],
  ],
);

scenario(
  'a compensation event sub-process of a scope with nothing to undo runs all the same',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('in'), userTask('a'), byHand(userTask('help'))], { variables: ['mine'] }),
      undoAll,
      next,
    ],
    ['s -> sub -> undo -> next', 'in -> a', 'on -> help'],
  ),
  [
    [begin(), 'a'],
    [done('a'), 'help'],
    [done('help'), 'next'],
  ],
);

// --- called processes ------------------------------------------------------------------------------

const called = processModel('called', [start('cs'), ...noted('a'), userTask('b')], ['cs -> a -> b']);

scenario(
  'what completed in a called process is not compensated by its caller',
  processModel(
    'p',
    [start('s'), callActivity('c', 'called', { results: {} }), undoAll, next],
    ['s -> c -> undo -> next'],
  ),
  [
    [begin(log), 'a'],
    [done('a b'), { active: 'next', variables: log }],
  ],
  { callable: [called] },
);

scenario(
  'a call activity is compensated by its handler',
  processModel(
    'p',
    [start('s'), ...undoable(callActivity('c', 'called', { results: {} }), note('cUndo')), undoAll, next],
    ['s -> c -> undo -> next'],
  ),
  [
    [begin(log), 'a'],
    [done('a b'), { active: 'next', variables: { log: ['cUndo'] } }],
  ],
  { callable: [called] },
);

scenario(
  'a called process compensates its own',
  processModel(
    'p',
    [start('s'), callActivity('c', 'called', { results: { log: 'log' } }), next],
    ['s -> c -> next'],
  ),
  [
    [begin(log), 'a'],
    [done('a'), 'last'],
    [done('last'), { active: 'next', variables: { log: ['aUndo'] } }],
  ],
  {
    callable: [
      processModel(
        'called',
        [start('cs'), ...noted('a'), undoAll, userTask('last')],
        ['cs -> a -> undo -> last'],
      ),
    ],
  },
);

scenario(
  'compensation handlers of receive tasks and of tasks that are done at once count as any other',
  processModel(
    'p',
    [
      start('s'),
      ...undoable(note('quick'), note('quickUndo')),
      ...undoable(receive('r', 'news'), note('rUndo')),
      undoAll,
      next,
    ],
    ['s -> quick -> r -> undo -> next'],
  ),
  [
    [begin(log), 'r'],
    [delivered('r'), { active: 'next', variables: { payload: {}, log: ['quick', 'rUndo', 'quickUndo'] } }],
  ],
);
