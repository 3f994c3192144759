/** The nodes of random blocks that are no blocks themselves, and what may happen at them. */
import {
  call,
  catchEvent,
  data,
  looped,
  receive,
  registered,
  script,
  task,
  throwing,
  userTask,
  withData,
} from '../support/model-builder.ts';
import {
  allOf,
  conditional,
  each,
  message,
  reading,
  record,
  signal,
  standardLoop,
  throws,
  timerCycle,
  timerMs,
  times,
  writing,
  type Triggers,
} from '../support/model-parts.ts';
import { type NodeSpec } from '../support/process-model.ts';
import type { Block, Leaf, Occasion } from './random-blocks.ts';

/** Nodes whose waits can be satisfied again and again have ids that begin so. */
export const REPEATABLE = 'note';

/** The variable that the condition of the event is about. */
export const conditionVariable = (eventId: string): string => `${eventId}Holds`;

/** Of the leaves of one node. */
export type SingleLeaf = Exclude<Leaf, 'timed-call' | 'fallible-call' | 'call-each' | 'link'>;

export function occasion(on: Occasion, id: string): Triggers {
  switch (on) {
    case 'timer':
      return timerMs(700);
    case 'cycle':
      return timerCycle(2, 300);
    case 'message':
      return message(REPEATABLE);
    case 'signal':
      return signal(id);
    case 'condition':
      return conditional(conditionVariable(id));
    case 'all-of':
      return allOf(signal(id), conditional(conditionVariable(id)));
  }
}

export function loopedBy(node: NodeSpec, block: Block): NodeSpec {
  if (block.kind === 'standard') {
    const { isTestedBefore } = block;
    const condition = isTestedBefore ? 'loopCounter <= 2' : 'loopCounter < 2';
    return looped(node, standardLoop({ condition, isTestedBefore }));
  }
  if (block.kind !== 'multi') return node;
  const { isSequential, width, endsEarly } = block;
  const until = endsEarly ? { until: 'numberOfCompletedInstances >= 2' } : {};
  return width % 2 === 0
    ? looped(node, times(String(width), { isSequential, ...until }))
    : looped(
        node,
        each(`item in [${Array.from({ length: width }, (_, index) => index).join(', ')}]`, {
          isSequential,
          output: 'mine -> results',
          ...until,
        }),
      );
}

export function leafNode(leaf: SingleLeaf, id: string): NodeSpec {
  switch (leaf) {
    case 'task':
      return task(id);
    case 'data':
      return data(id, ['n = if n = null then 1 else n + 1']);
    case 'script':
      return script(id, '{last: n}');
    case 'call':
      return call(id, 'jobs');
    case 'registered':
      return registered(id, 'fn');
    case 'receive':
      return receive(id, 'news');
    case 'catch':
      return catchEvent(id, message('news'));
    case 'timer':
      return catchEvent(id, timerMs(1000));
    case 'user':
      return userTask(id);
    case 'signal':
      return catchEvent(id, signal('go', 'heard'));
    case 'condition':
      return catchEvent(id, conditional(conditionVariable(id)));
    case 'any-of':
      return catchEvent(id, [signal('go'), timerMs(400), message('news')]);
    case 'all-of':
      return catchEvent(id, allOf(signal('go'), timerMs(400)));
    case 'shout':
      return throwing(id, throws.signal('go', '{n: n}'));
    case 'mapped':
      return withData(userTask(id), { locals: ['x'], inputs: ['x = n'], outputs: ['last = x'] });
    case 'store':
      return withData(task(id), {
        locals: ['x'],
        inputs: [reading('x', record('counts', 'modulo(n, 2)', { isForUpdate: true }))],
        outputs: [writing(record('counts', 'modulo(n, 2)'), 'if x = null then 1 else x + 1')],
      });
    case 'user-each':
      return looped(userTask(id), each('item in [1, 2]', { isSequential: true }));
    case 'user-again':
      return looped(userTask(id), standardLoop({ maximum: 2 }));
  }
}
