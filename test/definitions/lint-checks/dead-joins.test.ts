/** Parallel gateways that can never fire: what is found, what is not, and that nothing is found that can. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkDeadJoins } from '../../../definitions/lint-checks/dead-joins.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import {
  adHoc,
  boundary,
  catchEvent,
  complex,
  end,
  eventBased,
  exclusive,
  inclusive,
  parallel,
  receive,
  start,
  subProcess,
  task,
  throwing,
} from '../../support/model-builder.ts';
import { link, message, throws, timerMs } from '../../support/model-parts.ts';
import { processModel } from '../../support/process-model.ts';
import { processArbitrary } from './gateway-processes.ts';
import { assertProcess, outline } from './lint-outline.ts';
import { explore } from './token-game.ts';

const rows: Readonly<Record<string, readonly [ProcessDefinition, readonly string[]]>> = {
  'behind an exclusive split': [
    processModel(
      'p',
      [start('s'), exclusive('x'), task('a'), task('b'), parallel('j'), end('e')],
      ['s -> x', 'x -> a if c', 'x -> b default', 'a -> j', 'b -> j', 'j -> e'],
    ),
    ['JOIN_NEVER_FIRES j'],
  ],
  'behind an event-based gateway': [
    processModel(
      'p',
      [
        start('s'),
        eventBased('x'),
        catchEvent('a', message('c')),
        catchEvent('b', timerMs(1)),
        parallel('j'),
        end('e'),
      ],
      ['s -> x', 'x -> a -> j', 'x -> b -> j', 'j -> e'],
    ),
    ['JOIN_NEVER_FIRES j'],
  ],
  'where a loop comes back to it': [
    processModel(
      'p',
      [start('s'), parallel('j'), task('a'), exclusive('x'), end('e')],
      ['s -> j -> a -> x', 'x -> j if again', 'x -> e default'],
    ),
    ['JOIN_NEVER_FIRES j'],
  ],
  'with a flow from what is never reached': [
    processModel(
      'p',
      [start('s'), task('a'), task('lost'), parallel('j'), end('e')],
      ['s -> a -> j -> e', 'lost -> j'],
    ),
    ['JOIN_NEVER_FIRES j'],
  ],
  'for an activity and the event that interrupts it': [
    processModel(
      'p',
      [start('s'), receive('a', 'c'), boundary('late', 'a', timerMs(1)), parallel('j'), end('e')],
      ['s -> a -> j -> e', 'late -> j'],
    ),
    ['JOIN_NEVER_FIRES j'],
  ],
  'for two starts, of which one begins an instance': [
    processModel(
      'p',
      [start('s', { channel: 'c' }), start('t', { channel: 'd' }), parallel('j'), end('e')],
      ['s -> j -> e', 't -> j'],
    ),
    ['JOIN_NEVER_FIRES j'],
  ],
  'inside a sub-process': [
    processModel(
      'p',
      [start('s'), subProcess('sub', [start('t'), exclusive('x'), parallel('j')])],
      ['s -> sub', 't -> x', 'x -> j if c', 'x -> j default'],
    ),
    ['JOIN_NEVER_FIRES j'],
  ],
  'but not the one behind it': [
    processModel(
      'p',
      [start('s'), parallel('f'), exclusive('x'), parallel('j'), parallel('k'), end('e')],
      ['s -> f', 'f -> x', 'x -> j if c', 'x -> j default', 'j -> k', 'f -> k -> e'],
    ),
    ['JOIN_NEVER_FIRES j'],
  ],
  'two that wait for each other': [
    processModel(
      'p',
      [start('s'), parallel('f'), parallel('j'), parallel('k'), end('e')],
      ['s -> f', 'f -> j', 'f -> k', 'j -> k', 'k -> j', 'k -> e'],
    ),
    ['JOIN_NEVER_FIRES j', 'JOIN_NEVER_FIRES k'],
  ],
  'none for parallel branches': [
    processModel(
      'p',
      [start('s'), parallel('f'), task('a'), task('b'), parallel('j'), end('e')],
      ['s -> f', 'f -> a -> j', 'f -> b -> j', 'j -> e'],
    ),
    [],
  ],
  'none for choices inside of branches': [
    processModel(
      'p',
      [start('s'), parallel('f'), exclusive('x'), exclusive('m'), task('a'), parallel('j'), end('e')],
      ['s -> f', 'f -> x', 'x -> m if c', 'x -> a default', 'a -> m -> j', 'f -> j -> e'],
    ),
    [],
  ],
  'none for inclusive and complex splits': [
    processModel(
      'p',
      [start('s'), inclusive('o'), complex('x'), parallel('i'), parallel('j'), end('e')],
      ['s -> o', 'o -> i if a', 'o -> i if b', 'i -> x', 'x -> j if a', 'x -> j if b', 'j -> e'],
    ),
    [],
  ],
  'none for several flows out of a task': [
    processModel(
      'p',
      [start('s'), task('a'), parallel('j'), end('e')],
      ['s -> a', 'a -> j', 'a -> j', 'j -> e'],
    ),
    [],
  ],
  'none for an activity and an event that does not interrupt it': [
    processModel(
      'p',
      [
        start('s'),
        receive('a', 'c'),
        boundary('late', 'a', timerMs(1), 'non-interrupting'),
        parallel('j'),
        end('e'),
      ],
      ['s -> a -> j -> e', 'late -> j'],
    ),
    [],
  ],
  'none where a token stays from an earlier round': [
    processModel(
      'p',
      [start('s'), exclusive('m'), parallel('f'), exclusive('x'), parallel('j'), end('e')],
      ['s -> m -> f', 'f -> m', 'f -> x', 'x -> j if c', 'x -> j default', 'j -> e'],
    ),
    [],
  ],
  'none for scopes that begin at several nodes': [
    processModel('p', [task('a'), task('b'), parallel('j'), end('e')], ['a -> j -> e', 'b -> j']),
    [],
  ],
  'none in an ad hoc sub-process': [
    processModel(
      'p',
      [start('s'), adHoc('h', [task('a'), parallel('j'), task('b')])],
      ['s -> h', 'a -> j', 'a -> j', 'j -> b'],
    ),
    [],
  ],
  'none where links join': [
    processModel(
      'p',
      [
        start('s'),
        parallel('f'),
        throwing('out', throws.link('in')),
        catchEvent('in', link('in')),
        parallel('j'),
        end('e'),
      ],
      ['s -> f', 'f -> out', 'f -> j', 'in -> j -> e'],
    ),
    [],
  ],
  'none behind a parallel gateway that instantiates': [
    processModel(
      'p',
      [
        eventBased('x', 'all'),
        catchEvent('a', message('c')),
        catchEvent('b', message('d')),
        parallel('j'),
        end('e'),
      ],
      ['x -> a -> j', 'x -> b -> j', 'j -> e'],
    ),
    [],
  ],
};

describe('a join that never fires', () => {
  for (const [name, [process, expected]] of Object.entries(rows)) {
    it(name, () => {
      assertProcess(checkDeadJoins, process, expected);
    });
  }

  it('never fires in any run, whatever the process', () => {
    let foundCount = 0;
    fc.assert(
      fc.property(processArbitrary, (process) => {
        const found = outline(checkDeadJoins(process)).map((text) => text.split(' ')[1] ?? '');
        foundCount += found.length;
        const { entered } = explore(process);
        assert.deepEqual(
          found.filter((id) => entered.has(id)),
          [],
        );
      }),
      { numRuns: 1_000 },
    );
    assert.ok(foundCount > 100, `only ${foundCount} are found`);
  });

  it('is found among others in a process of hundreds of nodes within a second', () => {
    const ids = Array.from({ length: 180 }, (_, index) => index);
    const process = processModel(
      'p',
      [
        start('s'),
        parallel('f'),
        parallel('j'),
        exclusive('x'),
        ...ids.map((id) => task(`t${id}`)),
        end('e'),
      ],
      ['s -> f', ...ids.map((id) => `f -> t${id} -> j`), 'j -> x', 'x -> e default'],
    );
    const startedAt = performance.now();
    assert.deepEqual(checkDeadJoins(process), []);
    assert.ok(performance.now() - startedAt < 5_000);
  });
});
