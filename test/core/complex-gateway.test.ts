/** Complex gateways: when they fire, what they take, when they can fire again. BPMN 2.0.2 §10.6.5, §13.4.5. */
import {
  complex,
  data,
  end,
  endWith,
  exclusive,
  parallel,
  start,
  subProcess,
  userTask,
} from '../support/model-builder.ts';
import { throws } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { begin, done, scenario } from './scenario.ts';

const next = userTask('next');

/** Three tasks side by side, and a complex gateway behind them. */
function three(activation: string, ...out: readonly string[]): ReturnType<typeof processModel> {
  const flows = out.length === 0 ? ['join -> next'] : out;
  return processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      userTask('a'),
      userTask('b'),
      userTask('c'),
      complex('join', activation),
      next,
      userTask('other'),
      end('e'),
    ],
    ['s -> fork', 'fork -> a -> join', 'fork -> b -> join', 'fork -> c -> join', ...flows],
  );
}

scenario(
  'a complex gateway fires with the token that makes its condition true',
  three('activationCount >= 2'),
  [
    [begin(), 'a b c'],
    [done('a'), 'b c join'],
    [done('c'), 'b next'],
  ],
);

scenario('what comes after a firing belongs to it and leads nowhere', three('activationCount >= 2'), [
  [begin(), 'a b c'],
  [done('a b'), 'c next'],
  [done('c'), 'next'],
  [done('next'), 'completed'],
]);

scenario('an instance whose late token is all that is left ends with it', three('activationCount >= 2'), [
  [begin(), 'a b c'],
  [done('a b next'), 'c'],
  [done('c'), 'completed'],
]);

scenario('a condition over all flows makes it a parallel join', three('activationCount = 3'), [
  [begin(), 'a b c'],
  [done('a b'), 'c join join'],
  [done('c'), 'next'],
  [done('next'), 'completed'],
]);

scenario(
  'after the first token went through, late ones stay until the last of them has come',
  three('activationCount >= 1'),
  [
    [begin(), 'a b c'],
    [done('b'), 'a c next'],
    [done('a'), 'c join next'],
    [done('c'), 'next'],
  ],
);

/** The flow `a-join` is called `fromA`, because FEEL would read the hyphen as a minus. */
const named = processModel(
  'p',
  [
    start('s'),
    parallel('fork'),
    userTask('a'),
    userTask('b'),
    userTask('c'),
    complex('join', 'fromA > 0 and activationCount > 1'),
    next,
  ],
  ['s -> fork', 'fork -> a', 'a -> join as fromA', 'fork -> b -> join', 'fork -> c -> join', 'join -> next'],
);

scenario('the condition sees by its id how many tokens a flow has', named, [
  [begin(), 'a b c'],
  [done('b c'), 'a join join'],
  [done('a'), 'next'],
]);

scenario('the condition sees the variables of the instance', three('activationCount >= needed'), [
  [begin({ needed: 3 }), 'a b c'],
  [done('a b'), 'c join join'],
  [done('c'), 'next'],
]);

scenario(
  'each firing takes every outgoing flow whose condition holds',
  three('activationCount >= 2', 'join -> next if x > 1', 'join -> other if x > 2', 'join -> e default'),
  [
    [begin({ x: 3 }), 'a b c'],
    [done('a b'), 'c next other'],
  ],
);

scenario(
  'the default flow is taken when no condition holds',
  three('activationCount >= 2', 'join -> next if x > 1', 'join -> other default'),
  [
    [begin({ x: 0 }), 'a b c'],
    [done('a b'), 'c other'],
  ],
);

scenario(
  'without a condition that holds and without a default flow the instance fails',
  three('activationCount >= 2', 'join -> next if x > 1'),
  [
    [begin({ x: 0 }), 'a b c'],
    [done('a b'), { active: 'c join', failure: 'SUTRA.CORE.NO_FLOW_TAKEN' }],
  ],
);

scenario('an activation condition that is no condition fails the instance', three('"yes"'), [
  [begin(), 'a b c'],
  [done('a'), { active: 'b c join', failure: 'SUTRA.CORE.CONDITION_NOT_BOOLEAN' }],
]);

scenario(
  'a split without joining takes the flows whose conditions hold',
  processModel(
    'p',
    [start('s'), complex('split'), userTask('a'), userTask('b'), userTask('c')],
    ['s -> split', 'split -> a if x > 1', 'split -> b if x > 2', 'split -> c default'],
  ),
  [[begin({ x: 3 }), 'a b']],
);

scenario(
  'a gateway that has fired waits for late tokens before it takes those of the next round',
  processModel(
    'p',
    [
      start('s'),
      exclusive('merge'),
      parallel('fork'),
      userTask('a'),
      userTask('b'),
      complex('join', 'activationCount >= 1'),
      data('count', ['n = n + 1']),
      exclusive('again'),
      end('e'),
    ],
    [
      's -> merge -> fork',
      'fork -> a -> join',
      'fork -> b -> join',
      'join -> count -> again',
      'again -> merge if n < 2',
      'again -> e default',
    ],
  ),
  [
    [begin({ n: 0 }), 'a b'],
    // The first round fires with `a`, and its `b` is late; the second round begins.
    [done('a'), 'a b b'],
    [done('b'), 'a b'],
    [done('b'), { active: 'a', variables: { n: 2 } }],
    [done('a'), 'completed'],
  ],
);

scenario(
  'a late token that can no longer come resets the gateway',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [
        start('in'),
        parallel('fork'),
        userTask('a'),
        userTask('b'),
        exclusive('x'),
        complex('join', 'activationCount >= 1'),
        userTask('after'),
        endWith('elsewhere', throws.signal('gone')),
      ]),
      next,
    ],
    [
      's -> sub -> next',
      'in -> fork',
      'fork -> a -> join',
      'fork -> b -> x',
      'x -> join if go',
      'x -> elsewhere default',
      'join -> after',
    ],
  ),
  [
    [begin({ go: false }), 'a b'],
    [done('a'), 'after b'],
    [done('b'), { active: 'after', signals: [['gone', null]] }],
    [done('after'), 'next'],
  ],
);

scenario(
  'two complex gateways of one process do not know of each other',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      userTask('a'),
      userTask('b'),
      userTask('c'),
      userTask('d'),
      complex('one', 'activationCount >= 1'),
      complex('two', 'activationCount >= 2'),
      next,
      userTask('other'),
    ],
    [
      's -> fork',
      'fork -> a -> one',
      'fork -> b -> one',
      'fork -> c -> two',
      'fork -> d -> two',
      'one -> next',
      'two -> other',
    ],
  ),
  [
    [begin(), 'a b c d'],
    [done('a c'), 'b d next two'],
    [done('d'), 'b next other'],
    [done('b'), 'next other'],
  ],
);
