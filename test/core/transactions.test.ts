/** Transactions: cancelled as a whole, or completed like any sub-process. BPMN 2.0.2 §10.7.2, §13.3.4. */
import assert from 'node:assert/strict';
import {
  boundary,
  call,
  endWith,
  errorEnd,
  eventSubProcess,
  exclusive,
  looped,
  parallel,
  start,
  startOn,
  subProcess,
  throwing,
  transaction,
  undoable,
  userTask,
} from '../support/model-builder.ts';
import { cancelled, each, error, message, throws, times } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { begin, done, note, scenario } from './scenario.ts';

const next = userTask('next');
const sorry = userTask('sorry');
const cancel = endWith('cancel', throws.cancel);
const noted = (id: string): ReturnType<typeof undoable> => undoable(userTask(id), note(`${id}Undo`));
const log = { log: [] };

/** Two bookings side by side, then the customer is asked, who may cancel. */
function booking(
  hotel: readonly NodeSpec[],
  flight: readonly NodeSpec[],
  ...more: readonly NodeSpec[]
): NodeSpec {
  return transaction('tx', [
    start('in'),
    parallel('fork'),
    ...hotel,
    ...flight,
    parallel('join'),
    userTask('ask'),
    exclusive('sure'),
    userTask('charge'),
    cancel,
    ...more,
  ]);
}

const bookingFlows = [
  's -> tx -> next',
  'in -> fork',
  'fork -> hotel -> join',
  'fork -> flight -> join',
  'join -> ask -> sure',
  'sure -> cancel if not(ok)',
  'sure -> charge default',
  'off -> sorry',
];

const model = processModel(
  'p',
  [start('s'), booking(noted('hotel'), noted('flight')), boundary('off', 'tx', cancelled), sorry, next],
  bookingFlows,
);

scenario(
  'a cancel end event runs the handlers in reverse order, then the cancel boundary event leads on',
  model,
  [
    [begin(log), 'flight hotel'],
    [done('hotel flight'), 'ask'],
    [
      done('ask', { ok: false }),
      { active: 'sorry', variables: { ok: false, log: ['flightUndo', 'hotelUndo'] } },
    ],
    [done('sorry'), 'completed'],
  ],
);

scenario('a transaction that completes goes on like any sub-process', model, [
  [begin(log), 'flight hotel'],
  [done('hotel flight'), 'ask'],
  [done('ask', { ok: true }), 'charge'],
  [done('charge'), { active: 'next', waits: 'user-task:next', variables: { ok: true, log: [] } }],
]);

scenario(
  'the way out of a cancelled transaction is free only when all handlers are done',
  processModel(
    'p',
    [
      start('s'),
      booking(
        undoable(userTask('hotel'), userTask('undoHotel')),
        undoable(userTask('flight'), userTask('undoFlight')),
      ),
      boundary('off', 'tx', cancelled),
      sorry,
      next,
    ],
    bookingFlows,
  ),
  [
    [begin(), 'flight hotel'],
    [done('flight hotel'), 'ask'],
    [done('ask', { ok: false }), 'undoHotel'],
    [done('undoHotel'), 'undoFlight'],
    [done('undoFlight'), 'sorry'],
  ],
);

scenario(
  'what still runs when a transaction is cancelled is ended before the handlers run, and waits for nothing',
  processModel(
    'p',
    [
      start('s'),
      transaction('tx', [
        start('in'),
        parallel('fork'),
        ...noted('a'),
        call('open', 'jobs', { timeoutMs: 1000 }),
        ...undoable(userTask('b'), note('bUndo')),
        userTask('stop'),
        cancel,
        eventSubProcess('es', startOn('on', message('news')), [userTask('help')]),
      ]),
      boundary('off', 'tx', cancelled),
      sorry,
      next,
    ],
    [
      's -> tx -> next',
      'in -> fork',
      'fork -> a',
      'fork -> open',
      'fork -> b',
      'fork -> stop -> cancel',
      'off -> sorry',
      'on -> help',
    ],
  ),
  [
    [
      begin(log),
      {
        active: 'a b open stop',
        waits: 'call:open message:on timer:open user-task:a user-task:b user-task:stop',
      },
    ],
    [done('a'), 'b open stop'],
    [
      done('stop'),
      {
        active: 'sorry',
        waits: 'user-task:sorry',
        variables: { log: ['aUndo'] },
        check: (i) => assert.equal(i.ofKind('callWithdrawn').length, 1),
      },
    ],
  ],
);

scenario(
  'a transaction with nothing to undo can be cancelled too',
  processModel(
    'p',
    [
      start('s'),
      transaction('tx', [start('in'), userTask('a'), cancel]),
      boundary('off', 'tx', cancelled),
      sorry,
      next,
    ],
    ['s -> tx -> next', 'in -> a -> cancel', 'off -> sorry'],
  ),
  [
    [begin(), 'a'],
    [done('a'), 'sorry'],
  ],
);

scenario(
  'a cancelled transaction without a cancel boundary event fails the instance',
  processModel(
    'p',
    [start('s'), transaction('tx', [start('in'), ...noted('a'), cancel]), next],
    ['s -> tx -> next', 'in -> a -> cancel'],
  ),
  [
    [begin(log), 'a'],
    [done('a'), { active: 'cancel', failure: 'SUTRA.CORE.CANCEL_UNCAUGHT', variables: { log: ['aUndo'] } }],
    [(i) => i.retry(), { failure: 'SUTRA.CORE.CANCEL_UNCAUGHT', variables: { log: ['aUndo'] } }],
  ],
);

scenario(
  'an error that leaves a transaction ends it without undoing anything',
  processModel(
    'p',
    [
      start('s'),
      transaction('tx', [start('in'), ...noted('a'), userTask('b'), errorEnd('boom', 'E')]),
      boundary('off', 'tx', cancelled),
      boundary('hazard', 'tx', error('E')),
      sorry,
      userTask('hazardous'),
    ],
    ['s -> tx', 'in -> a -> b -> boom', 'off -> sorry', 'hazard -> hazardous'],
  ),
  [
    [begin(log), 'a'],
    [done('a b'), { active: 'hazardous', variables: log }],
  ],
);

scenario(
  'a completed transaction is compensated by what completed inside it',
  processModel(
    'p',
    [
      start('s'),
      transaction('tx', [start('in'), ...noted('a'), ...noted('b')]),
      boundary('off', 'tx', cancelled),
      throwing('undo', throws.compensation()),
      sorry,
      next,
    ],
    ['s -> tx -> undo -> next', 'in -> a -> b', 'off -> sorry'],
  ),
  [
    [begin(log), 'a'],
    [done('a b'), { active: 'next', variables: { log: ['bUndo', 'aUndo'] } }],
  ],
);

scenario(
  'cancelling an outer transaction undoes the inner one that has completed',
  processModel(
    'p',
    [
      start('s'),
      transaction('outer', [
        start('in1'),
        ...noted('a'),
        transaction('inner', [start('in2'), ...noted('b'), ...noted('c')]),
        userTask('ask'),
        cancel,
      ]),
      boundary('off', 'outer', cancelled),
      sorry,
    ],
    ['s -> outer', 'in1 -> a -> inner -> ask -> cancel', 'in2 -> b -> c', 'off -> sorry'],
  ),
  [
    [begin(log), 'a'],
    [done('a b c ask'), { active: 'sorry', variables: { log: ['cUndo', 'bUndo', 'aUndo'] } }],
  ],
);

scenario(
  'cancelling an outer transaction drops the inner one that still runs, without undoing what it did',
  processModel(
    'p',
    [
      start('s'),
      transaction('outer', [
        start('in1'),
        parallel('fork'),
        ...noted('a'),
        cancel,
        transaction('inner', [start('in2'), ...noted('b'), userTask('more')]),
      ]),
      boundary('off', 'outer', cancelled),
      sorry,
    ],
    ['s -> outer', 'in1 -> fork', 'fork -> a -> cancel', 'fork -> inner', 'in2 -> b -> more', 'off -> sorry'],
  ),
  [
    [begin(log), 'a b'],
    [done('b'), 'a more'],
    [done('a'), { active: 'sorry', waits: 'user-task:sorry', variables: { log: ['aUndo'] } }],
  ],
);

scenario(
  'an inner transaction that is cancelled leaves the outer one as it is',
  processModel(
    'p',
    [
      start('s'),
      transaction('outer', [
        start('in1'),
        ...noted('a'),
        transaction('inner', [start('in2'), ...noted('b'), cancel]),
        boundary('off', 'inner', cancelled),
        userTask('instead'),
      ]),
      next,
    ],
    ['s -> outer -> next', 'in1 -> a -> inner', 'in2 -> b -> cancel', 'off -> instead'],
  ),
  [
    [begin(log), 'a'],
    [done('a b'), { active: 'instead', variables: { log: ['bUndo'] } }],
    [done('instead'), 'next'],
  ],
);

scenario(
  'cancelling one run of a multi-instance transaction undoes that run and ends the activity',
  processModel(
    'p',
    [
      start('s'),
      looped(
        transaction('tx', [start('in'), ...undoable(userTask('a'), note('undo')), userTask('ask'), cancel]),
        times('3'),
      ),
      boundary('off', 'tx', cancelled),
      sorry,
      next,
    ],
    ['s -> tx -> next', 'in -> a -> ask -> cancel', 'off -> sorry'],
  ),
  [
    [begin(log), 'a a a'],
    [done('a a'), 'a ask ask'],
    [done('ask'), { active: 'sorry', waits: 'user-task:sorry', variables: { log: ['undo'] } }],
  ],
);

scenario(
  'the runs of a multi-instance activity in a transaction are undone together',
  processModel(
    'p',
    [
      start('s'),
      transaction('tx', [
        start('in'),
        ...undoable(looped(userTask('a'), each('item in items')), userTask('undoA')),
        ...noted('b'),
        subProcess('wait', [userTask('ask')]),
        cancel,
      ]),
      boundary('off', 'tx', cancelled),
      sorry,
    ],
    ['s -> tx', 'in -> a -> b -> wait -> cancel', 'off -> sorry'],
  ),
  [
    [begin({ ...log, items: [1, 2, 3] }), 'a a a'],
    [done('a a a b ask'), { active: 'undoA undoA undoA', variables: { items: [1, 2, 3], log: ['bUndo'] } }],
    [done('undoA undoA'), 'undoA'],
    [done('undoA'), 'sorry'],
  ],
);
