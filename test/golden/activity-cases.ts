/** Golden cases of loops, called processes, compensation, data, decisions and failures. See `cases.ts`. */
import { Temporal } from '../../definitions/value.ts';
import { DEPLOYMENT_ID, directory } from '../core/instance.ts';
import { note } from '../core/scenario.ts';
import { decisionsOf, inputData, literal, table } from '../support/decisions.ts';
import {
  adHoc,
  boundary,
  call,
  callActivity,
  catchEvent,
  decide,
  end,
  endWith,
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
  withData,
} from '../support/model-builder.ts';
import {
  cancelled,
  compensation,
  each,
  message,
  reading,
  record,
  signal,
  standardLoop,
  throws,
  timer,
  times,
  writing,
} from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import type { GoldenCase } from './golden-case.ts';

const next = userTask('next');
const aside = 'non-interrupting';

const parallelRuns: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      looped(
        subProcess('sub', [
          start('in'),
          call('ask', 'jobs', { params: { n: 'item' }, output: 'x', timeoutMs: 60_000 }),
          userTask('check'),
        ]),
        each('item in items', { output: 'x -> results' }),
      ),
      boundary('late', 'sub', timer('duration("PT1H")')),
      looped(
        userTask('vote'),
        times('3', { until: 'numberOfCompletedInstances = 2', output: 'yes -> votes' }),
      ),
      next,
    ],
    ['s -> sub -> vote -> next', 'in -> ask -> check', 'late -> next'],
  ),
  start: { variables: { items: [1, new Temporal('date', '2026-03-01'), { three: 3 }] } },
  steps: [
    ['answer', 'ask', 'second', 1],
    ['complete', 'check', { x: new Temporal('date', '2026-04-01') }],
    ['answer', 'ask', 'third', 1],
    ['answer', 'ask', 'first'],
    ['complete', 'check'],
    ['complete', 'check'],
    ['complete', 'vote', { yes: true }, 2],
    ['complete', 'vote', { yes: false }],
    ['complete', 'next'],
  ],
};

const sequentialRuns: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      looped(userTask('t'), each('item in items', { isSequential: true, output: 'x -> results' })),
      looped(
        subProcess('sub', [
          start('in'),
          catchEvent('wait', signal('go')),
          looped(userTask('u'), each('n in [1, 2]')),
        ]),
        each('k in ["a", "b"]'),
      ),
      looped(userTask('again'), standardLoop({ condition: 'more', maximum: 5 })),
    ],
    ['s -> t -> sub -> again', 'in -> wait -> u'],
  ),
  start: { variables: { items: [10, 20, 30] } },
  steps: [
    ['complete', 't', { x: 1 }],
    ['complete', 't', { x: 2 }],
    ['complete', 't', { x: 3 }],
    ['signal', 'go'],
    ['complete', 'u', {}, 3],
    ['complete', 'u'],
    ['complete', 'u'],
    ['complete', 'u'],
    ['complete', 'again', { more: true }],
    ['complete', 'again', { more: false }],
  ],
};

const called = processModel(
  'called',
  [
    start('cs'),
    call('ask', 'jobs', { output: 'x' }),
    userTask('t'),
    end('ce'),
    eventSubProcess('es', startOn('on', message('notes'), aside), [userTask('help')]),
  ],
  ['cs -> ask -> t -> ce', 'on -> help'],
  { variables: ['given', 'x'] },
);

const callActivities: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      callActivity('c', 'middle', {
        binding: 'latest',
        params: { given: 'n + 1' },
        results: { all: null, got: 'x' },
      }),
      boundary('late', 'c', timer('duration("PT1H")')),
      next,
    ],
    ['s -> c -> next', 'late -> next'],
  ),
  options: {
    calls: directory({
      [DEPLOYMENT_ID]: [],
      other: [
        called,
        processModel(
          'middle',
          [start('ms'), looped(callActivity('mc', 'called'), times('2')), end('me')],
          ['ms -> mc -> me'],
        ),
      ],
    }),
  },
  start: { variables: { n: 1 } },
  steps: [
    ['answer', 'ask', 5, 1],
    ['deliver', 'on'],
    ['answer', 'ask', 6],
    ['complete', 't'],
    ['complete', 'help'],
    ['complete', 't'],
    ['complete', 'next'],
  ],
};

const undo = throwing('undo', throws.compensation());

const compensations: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      ...undoable(userTask('first'), note('firstUndo')),
      subProcess(
        'sub',
        [
          start('in'),
          ...undoable(userTask('a'), userTask('aUndo')),
          ...undoable(looped(userTask('b'), each('item in [1, 2]')), userTask('bUndo')),
        ],
        { variables: ['mine'] },
      ),
      subProcess('own', [
        start('in2'),
        ...undoable(userTask('c'), userTask('cUndo')),
        eventSubProcess('es', startOn('on', compensation()), [
          userTask('ask'),
          throwing('rest', throws.compensation()),
        ]),
      ]),
      ...undoable(call('last', 'jobs'), call('lastUndo', 'jobs')),
      undo,
      next,
    ],
    ['s -> first -> sub -> own -> last -> undo -> next', 'in -> a -> b', 'in2 -> c', 'on -> ask -> rest'],
  ),
  start: { variables: { log: [] } },
  steps: [
    ['complete', 'first'],
    ['complete', 'a', { mine: 'kept' }],
    ['complete', 'b', {}, 1],
    ['complete', 'b'],
    ['complete', 'c'],
    ['answer', 'last'],
    ['answer', 'lastUndo'],
    ['complete', 'ask'],
    ['complete', 'cUndo'],
    ['complete', 'bUndo', {}, 1],
    ['complete', 'bUndo'],
    ['complete', 'aUndo'],
    ['complete', 'next'],
  ],
};

const transactions: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      transaction('tx', [
        start('in'),
        parallel('fork'),
        ...undoable(userTask('hotel'), userTask('undoHotel')),
        ...undoable(userTask('flight'), userTask('undoFlight')),
        userTask('open'),
        parallel('join'),
        endWith('cancel', throws.cancel),
      ]),
      boundary('off', 'tx', cancelled),
      throwing('aside', throws.compensationAside()),
      ...undoable(userTask('extra'), userTask('undoExtra')),
      next,
    ],
    [
      's -> extra -> tx',
      'in -> fork',
      'fork -> hotel -> join',
      'fork -> flight -> join',
      'fork -> open',
      'join -> cancel',
      'off -> aside -> next',
    ],
  ),
  steps: [
    ['complete', 'extra'],
    ['complete', 'flight'],
    ['complete', 'hotel'],
    ['complete', 'undoHotel'],
    ['complete', 'undoFlight'],
    ['complete', 'next'],
    ['complete', 'undoExtra'],
  ],
};

const adHocs: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      adHoc('box', [userTask('a'), userTask('b'), userTask('c')], {
        until: 'enough',
        keepsRemaining: true,
        variables: ['count'],
      }),
      adHoc('open', [userTask('d')]),
    ],
    ['s -> box -> open', 'b -> c'],
  ),
  start: { variables: { enough: false } },
  steps: [
    ['launch', 'box', 'a'],
    ['launch', 'box', 'b'],
    ['complete', 'a', { count: 1 }],
    ['complete', 'b', { enough: true }],
    ['launch', 'open', 'd'],
    ['finish', 'open'],
  ],
};

const dataCase: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      withData(userTask('t'), {
        locals: ['stock', 'made'],
        inputs: [reading('stock', record('stock', 'sku', { field: 'count', isForUpdate: true }))],
        outputs: [
          writing(record('stock', 'sku', { field: 'count', expect: 'stock' }), 'stock - made'),
          'left = stock - made',
        ],
      }),
      next,
    ],
    ['s -> t -> next'],
  ),
  start: { variables: { sku: 'A1' } },
  records: [['stock', 'A1', { count: 5, since: new Temporal('date', '2026-01-01') }]],
  steps: [
    ['complete', 't', { made: 2 }],
    ['complete', 'next'],
  ],
};

const decision = decisionsOf(
  inputData('score: number', 'day: date'),
  table('Risk', ['< 5 -> "high"', '>= 5 -> "low"', '> 99 -> "none"'], { inputs: ['score'] }),
  literal('Terms', '{third: score / 3, until: day + duration("P1D")}', { inputs: ['score', 'day'] }),
);

const decisions: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      decide('terms', decision('Terms'), { params: { day: 'begun' } }),
      userTask('u'),
      looped(
        decide('rate', decision('Risk'), { params: { score: 'item + more' }, output: 'risk' }),
        each('item in scores', { isSequential: true, output: 'risk -> risks' }),
      ),
      next,
    ],
    ['s -> t -> terms -> u -> rate -> next'],
  ),
  start: { variables: { begun: '2026-02-28', scores: [1, 100, 10], more: 0 } },
  steps: [
    ['complete', 't', { score: 1 }],
    ['complete', 'u'],
    ['set', { more: -1 }],
    ['retry'],
    ['complete', 'next'],
  ],
};

const failures: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      call('c', 'jobs', { assign: ['order.total = 1'] }),
      exclusive('x'),
      userTask('t'),
      boundary('late', 't', timer('wait'), aside),
      looped(userTask('each'), each('item in items')),
      end('e'),
    ],
    ['s -> fork', 'fork -> c -> e', 'fork -> x', 'x -> e if go', 'fork -> t', 'late -> e', 'fork -> each'],
  ),
  start: {
    variables: { order: 'none', go: true, wait: new Temporal('days-time-duration', 'PT1M'), items: 'none' },
  },
  steps: [
    ['set', { items: [1, 2] }],
    ['retry'],
    ['answer', 'c', {}],
    ['set', { order: {} }],
    ['retry'],
    ['complete', 'each'],
    ['complete', 't'],
    ['complete', 'each'],
  ],
};

export const activityCases: Readonly<Record<string, GoldenCase>> = {
  'parallel-runs': parallelRuns,
  'sequential-runs': sequentialRuns,
  'call-activities': callActivities,
  compensations,
  transactions,
  'ad-hocs': adHocs,
  data: dataCase,
  decisions,
  failures,
};
