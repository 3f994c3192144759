/** Exclusive gateways at which parallel branches meet. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkUnjoinedBranches } from '../../../definitions/lint-checks/unjoined-branches.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import {
  boundary,
  call,
  end,
  errorEnd,
  eventSubProcess,
  exclusive,
  inclusive,
  messageEnd,
  parallel,
  receive,
  start,
  startOn,
  subProcess,
  task,
  terminate,
} from '../../support/model-builder.ts';
import { conditional, timerMs } from '../../support/model-parts.ts';
import { processModel, type NodeSpec } from '../../support/process-model.ts';
import { branchedArbitrary } from './gateway-processes.ts';
import { assertProcess } from './lint-outline.ts';
import { explore } from './token-game.ts';

const heads = ['s -> f', 'f -> a', 'f -> b'];
const begin: readonly NodeSpec[] = [start('s'), parallel('f'), task('a'), task('b'), exclusive('m')];
const met = ['BRANCHES_NOT_JOINED m'];

const rows: Readonly<Record<string, readonly [ProcessDefinition, readonly string[]]>> = {
  'before a task': [
    processModel('p', [...begin, call('c', 'w'), end('e')], [...heads, 'a -> m', 'b -> m', 'm -> c -> e']),
    met,
  ],
  'before an end that sends': [
    processModel(
      'p',
      [...begin, messageEnd('e', { channel: 'c' })],
      [...heads, 'a -> m', 'b -> m', 'm -> e'],
    ),
    met,
  ],
  'straight from the split': [
    processModel(
      'p',
      [start('s'), parallel('f'), exclusive('m'), task('c')],
      ['s -> f', 'f -> m', 'f -> m', 'm -> c'],
    ),
    met,
  ],
  'behind a task with several flows': [
    processModel(
      'p',
      [start('s'), task('f'), task('a'), task('b'), exclusive('m'), task('c')],
      [...heads, 'a -> m', 'b -> m', 'm -> c'],
    ),
    met,
  ],
  'with a choice inside a branch': [
    processModel(
      'p',
      [...begin, exclusive('x'), exclusive('y'), task('d'), task('c')],
      [...heads, 'a -> x', 'x -> d if q', 'x -> y default', 'd -> y -> m', 'b -> m', 'm -> c'],
    ),
    met,
  ],
  'with branches joined inside a branch': [
    processModel(
      'p',
      [...begin, parallel('g'), parallel('j'), task('c')],
      [...heads, 'a -> g', 'g -> j', 'g -> j', 'j -> m', 'b -> m', 'm -> c'],
    ),
    met,
  ],
  'of two of three branches': [
    processModel(
      'p',
      [...begin, task('d'), task('c'), parallel('j'), end('e')],
      [...heads, 'f -> d -> j', 'a -> m', 'b -> m', 'm -> c -> j', 'j -> e'],
    ),
    met,
  ],
  'where a timeout leads there as well': [
    processModel(
      'p',
      [
        start('s'),
        parallel('f'),
        receive('a', 'c'),
        boundary('late', 'a', timerMs(1)),
        task('b'),
        exclusive('m'),
        task('c'),
      ],
      [...heads, 'a -> m', 'late -> m', 'b -> m', 'm -> c'],
    ),
    met,
  ],
  'only where they meet first': [
    processModel(
      'p',
      [...begin, exclusive('n'), task('c'), exclusive('g'), end('e')],
      [...heads, 'a -> m', 'b -> m', 'm -> n -> c -> g', 'g -> n if again', 'g -> e default'],
    ),
    met,
  ],
  'inside a sub-process': [
    processModel(
      'p',
      [start('z'), subProcess('sub', [...begin, task('c')])],
      ['z -> sub', ...heads, 'a -> m', 'b -> m', 'm -> c'],
    ),
    met,
  ],
  'none where a parallel gateway joins': [
    processModel(
      'p',
      [start('s'), parallel('f'), task('a'), task('b'), parallel('m'), task('c')],
      [...heads, 'a -> m', 'b -> m', 'm -> c'],
    ),
    [],
  ],
  'none behind an exclusive or an inclusive split': [
    processModel(
      'p',
      [start('s'), exclusive('x'), exclusive('m'), task('c'), inclusive('o'), exclusive('n'), task('d')],
      ['s -> x', 'x -> m if q', 'x -> m default', 'm -> c -> o', 'o -> n if q', 'o -> n default', 'n -> d'],
    ),
    [],
  ],
  'none before an end that does nothing': [
    processModel('p', [...begin, end('e')], [...heads, 'a -> m', 'b -> m', 'm -> e']),
    [],
  ],
  'none before a choice, which may let one of them pass': [
    processModel(
      'p',
      [...begin, exclusive('x'), task('c'), end('e')],
      [...heads, 'a -> m', 'b -> m', 'm -> x', 'x -> c if bothDone', 'x -> e default', 'c -> e'],
    ),
    [],
  ],
  'none where a branch may end before': [
    processModel(
      'p',
      [...begin, exclusive('x'), task('c'), end('e')],
      [...heads, 'a -> x', 'x -> m if first', 'x -> e default', 'b -> m', 'm -> c'],
    ),
    [],
  ],
  'none where a timeout leads elsewhere': [
    processModel(
      'p',
      [
        start('s'),
        parallel('f'),
        receive('a', 'c'),
        boundary('late', 'a', timerMs(1)),
        task('b'),
        exclusive('m'),
        task('c'),
        end('e'),
      ],
      [...heads, 'a -> m', 'late -> e', 'b -> m', 'm -> c'],
    ),
    [],
  ],
  'none in a race that ends the rest': [
    processModel('p', [...begin, task('c'), terminate('e')], [...heads, 'a -> m', 'b -> m', 'm -> c -> e']),
    [],
  ],
  'none in a race that an error ends': [
    processModel(
      'p',
      [...begin, task('c'), errorEnd('e', 'E')],
      [...heads, 'a -> m', 'b -> m', 'm -> c -> e'],
    ),
    [],
  ],
  'none in a race that a condition ends': [
    processModel(
      'p',
      [...begin, task('c'), eventSubProcess('h', startOn('on', conditional('isDone')), [end('z')])],
      [...heads, 'a -> m', 'b -> m', 'm -> c', 'on -> z'],
    ),
    [],
  ],
  'none where a branch waits for another': [
    processModel(
      'p',
      [...begin, parallel('j'), task('d'), task('c')],
      [...heads, 'f -> d -> j', 'a -> j', 'j -> m', 'b -> m', 'm -> c'],
    ),
    [],
  ],
};

describe('branches that are not joined', () => {
  for (const [name, [process, expected]] of Object.entries(rows)) {
    it(name, () => {
      assertProcess(checkUnjoinedBranches, process, expected);
    });
  }

  it('meet there twice in every run that splits and ends, whatever the process', () => {
    let foundCount = 0;
    fc.assert(
      fc.property(branchedArbitrary, (process) => {
        for (const { message } of checkUnjoinedBranches(process)) {
          const [merge = '', split = ''] = [...message.matchAll(/"([^"]*)"/g)].map(([, id]) => id ?? '');
          for (const visits of explore(process, true).visits) {
            foundCount += 1;
            if ((visits.get(split) ?? 0) > 0) assert.ok((visits.get(merge) ?? 0) > 1, message);
          }
        }
      }),
      { numRuns: 1_000 },
    );
    assert.ok(foundCount > 20, `only ${foundCount} runs`);
  });
});
