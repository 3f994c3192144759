/** Golden cases of events that interrupt, or do not. See `cases.ts`. */
import {
  boundary,
  catchEvent,
  errorEnd,
  eventSubProcess,
  start,
  startOn,
  subProcess,
  task,
  throwing,
  userTask,
} from '../support/model-builder.ts';
import {
  allOf,
  conditional,
  error,
  escalation,
  message,
  signal,
  throws,
  timer,
  timerCycle,
} from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import type { GoldenCase } from './golden-case.ts';

const next = userTask('next');
const aside = 'non-interrupting';

const boundaries: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      subProcess(
        'outer',
        [
          start('in1'),
          subProcess('inner', [
            start('in2'),
            userTask('t'),
            throwing('shout', throws.escalation('S')),
            userTask('u'),
            errorEnd('boom', 'E'),
          ]),
        ],
        { variables: ['mine'] },
      ),
      boundary('note', 'outer', message('notes', { variable: 'noted' }), aside),
      boundary('raised', 'outer', escalation('S', 'level'), aside),
      boundary('caught', 'outer', error(null, 'code', 'reason')),
      userTask('aside'),
      next,
    ],
    [
      's -> outer',
      'in1 -> inner',
      'in2 -> t -> shout -> u -> boom',
      'note -> aside',
      'raised -> aside',
      'caught -> next',
    ],
  ),
  steps: [
    ['deliver', 'note', 1],
    ['complete', 't', { mine: 5 }],
    ['complete', 'aside'],
    ['complete', 'u'],
    ['complete', 'aside'],
    ['complete', 'next'],
  ],
};

const eventSubProcesses: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      eventSubProcess(
        'ring',
        startOn('ringOn', message('notes', { variable: 'note' }), aside),
        [userTask('listen')],
        { variables: ['note'] },
      ),
      eventSubProcess('clock', startOn('clockOn', timerCycle(null, 1000), aside), [task('tick')]),
      eventSubProcess('watch', startOn('watchOn', conditional('level > 3'), aside), [userTask('look')]),
      eventSubProcess('stop', startOn('stopOn', [signal('stop'), error('E')]), [userTask('clean')]),
    ],
    ['s -> t', 'ringOn -> listen', 'clockOn -> tick', 'watchOn -> look', 'stopOn -> clean'],
  ),
  start: { variables: { level: 0 } },
  steps: [
    ['deliver', 'ringOn', 'one'],
    ['fire', 'clockOn'],
    ['set', { level: 4 }],
    ['deliver', 'ringOn', 'two'],
    ['set', { level: 1 }],
    ['set', { level: 5 }],
    ['complete', 'look'],
    ['signal', 'stop'],
    ['complete', 'clean'],
  ],
};

const multipleEvents: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      catchEvent(
        'all',
        allOf(
          signal('a', 'x'),
          message('news', { variable: 'm' }),
          conditional('ready'),
          timer('duration("PT1M")'),
        ),
      ),
      catchEvent('any', [signal('b'), message('other'), conditional('never')]),
      next,
    ],
    ['s -> all -> any -> next'],
  ),
  steps: [
    ['signal', 'a', 1],
    ['fire', 'all'],
    ['set', { ready: true }],
    ['deliver', 'all', 2],
    ['signal', 'b'],
    ['complete', 'next'],
  ],
};

export const eventCases: Readonly<Record<string, GoldenCase>> = {
  boundaries,
  'event-sub-processes': eventSubProcesses,
  'multiple-events': multipleEvents,
};
