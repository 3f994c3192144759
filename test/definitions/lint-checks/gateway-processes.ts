/** Small processes of gateways and tasks that are joined as chance has it, sensible or not. */
import fc from 'fast-check';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import { end, exclusive, inclusive, parallel, start, task } from '../../support/model-builder.ts';
import { processModel, type NodeSpec } from '../../support/process-model.ts';

const kinds = { exclusive, parallel, inclusive, task } as const;
const kind = fc.constantFrom<keyof typeof kinds>(
  'exclusive',
  'exclusive',
  'parallel',
  'parallel',
  'parallel',
  'task',
  'inclusive',
);

/** Nodes `n0`, `n1`, … after the start; a flow leads mostly forwards, from any node to one or two others. */
export const processArbitrary: fc.Arbitrary<ProcessDefinition> = fc
  .array(fc.tuple(kind, fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 0, maxLength: 2 })), {
    minLength: 3,
    maxLength: 8,
  })
  .map((rows) => {
    const nodes: readonly NodeSpec[] = rows.map(([name], index) => kinds[name](`n${index}`));
    const flows = rows.flatMap(([name, steps], index) =>
      steps.map((step, at) => {
        const target = index + (step === 0 ? 1 : step);
        const to = target >= rows.length || target < 0 ? 'e' : `n${target}`;
        const isChoice = name === 'exclusive' || name === 'inclusive';
        return isChoice && at > 0 ? `n${index} -> ${to} if c${at}` : `n${index} -> ${to}`;
      }),
    );
    return processModel('p', [start('s'), ...nodes, end('e')], ['s -> n0', ...flows]);
  });

/** As above, behind a parallel split `f`; most ways lead to the exclusive gateway `m` and on to the task `c`. */
export const branchedArbitrary: fc.Arbitrary<ProcessDefinition> = fc
  .array(fc.tuple(kind, fc.array(fc.constantFrom(1, 2, 8, 8, 8, 8, 9), { minLength: 1, maxLength: 2 })), {
    minLength: 3,
    maxLength: 6,
  })
  .map((rows) => {
    const nodes = rows.map(([name], index) => kinds[name](`n${index}`));
    const flows = rows.flatMap(([name, steps], index) =>
      steps.map((step, at) => {
        const to = step === 9 ? 'e' : index + step < rows.length ? `n${index + step}` : 'm';
        const isChoice = name === 'exclusive' || name === 'inclusive';
        return isChoice && at > 0 ? `n${index} -> ${to} if c${at}` : `n${index} -> ${to}`;
      }),
    );
    const others = [start('s'), parallel('f'), exclusive('m'), task('c'), end('e')];
    const middle = Math.floor(rows.length / 2);
    return processModel(
      'p',
      [...others, ...nodes],
      ['s -> f', 'f -> n0', `f -> n${middle}`, ...flows, 'm -> c -> e'],
    );
  });
