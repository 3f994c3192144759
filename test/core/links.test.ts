/** Link events: a flow that is not drawn. BPMN 2.0.2 §10.5.1, link. */
import {
  boundary,
  catchEvent,
  data,
  end,
  endWith,
  exclusive,
  inclusive,
  parallel,
  start,
  subProcess,
  throwing,
  userTask,
} from '../support/model-builder.ts';
import { link, throws, timerMs } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { begin, done, fired, scenario } from './scenario.ts';

const next = userTask('next');
const to = (id: string, targetId: string): ReturnType<typeof throwing> => throwing(id, throws.link(targetId));

scenario(
  'a token goes from a throwing link event to the catching one',
  processModel(
    'p',
    [start('s'), to('out', 'in'), catchEvent('in', link('L')), next],
    ['s -> out', 'in -> next'],
  ),
  [
    [begin(), { active: 'next', waits: 'user-task:next' }],
    [done('next'), 'completed'],
  ],
);

scenario(
  'several events may throw to one',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      to('one', 'in'),
      userTask('t'),
      to('two', 'in'),
      catchEvent('in', link('L')),
      next,
    ],
    ['s -> fork', 'fork -> one', 'fork -> t -> two', 'in -> next'],
  ),
  [
    [begin(), 'next t'],
    [done('t'), 'next next'],
    [done('next next'), 'completed'],
  ],
);

scenario(
  'a link may lead back',
  processModel(
    'p',
    [
      start('s'),
      exclusive('merge'),
      userTask('t'),
      data('count', ['n = n + 1']),
      exclusive('again'),
      to('back', 'in'),
      catchEvent('in', link('L')),
      end('e'),
    ],
    ['s -> merge -> t -> count -> again', 'again -> back if n < 2', 'again -> e default', 'in -> merge'],
  ),
  [
    [begin({ n: 0 }), 't'],
    [done('t'), 't'],
    [done('t'), 'completed'],
  ],
);

scenario(
  'an inclusive join waits for what can still come over a link',
  processModel(
    'p',
    [
      start('s'),
      inclusive('fork'),
      userTask('a'),
      userTask('b'),
      to('out', 'in'),
      catchEvent('in', link('L')),
      inclusive('join'),
      next,
    ],
    ['s -> fork', 'fork -> a -> join', 'fork -> b -> out', 'in -> join', 'join -> next'],
  ),
  [
    [begin(), 'a b'],
    [done('a'), 'b join'],
    [done('b'), 'next'],
  ],
);

scenario(
  'links inside a sub-process stay there, and what is attached to it still ends it',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('begin'), to('out', 'in'), catchEvent('in', link('L')), userTask('t')]),
      boundary('late', 'sub', timerMs(1000)),
      next,
    ],
    ['s -> sub', 'begin -> out', 'in -> t', 'late -> next'],
  ),
  [
    [begin(), { active: 't', waits: 'timer:late user-task:t' }],
    [fired('late'), 'next'],
  ],
);

scenario(
  'a throwing event may signal before it goes over its link',
  processModel(
    'p',
    [
      start('s'),
      throwing('out', throws.signal('go'), throws.link('in')),
      catchEvent('in', link('L')),
      endWith('e', throws.signal('over')),
    ],
    ['s -> out', 'in -> e'],
  ),
  [
    [
      begin(),
      {
        signals: [
          ['go', null],
          ['over', null],
        ],
        active: '',
      },
    ],
  ],
);
