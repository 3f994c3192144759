/** Gateways and activities that fail when no condition holds. */
import { describe, it } from 'node:test';
import { checkMissingDefaults } from '../../../definitions/lint-checks/missing-defaults.ts';
import { complex, end, exclusive, inclusive, start, task } from '../../support/model-builder.ts';
import { processModel, type NodeSpec } from '../../support/process-model.ts';
import { assertProcess } from './lint-outline.ts';

/** From `g` to as many ends as there are conditions; `default` is one without. */
function branching(node: NodeSpec, conditions: readonly string[]) {
  const ends = conditions.map((_, index) => end(`e${index}`));
  const flows = conditions.map((condition, index) =>
    condition === 'default'
      ? `g -> e${index} default`
      : condition === ''
        ? `g -> e${index}`
        : `g -> e${index} if ${condition}`,
  );
  return processModel('p', [start('s'), node, ...ends], ['s -> g', ...flows]);
}

const gateways = { exclusive, inclusive, complex, task } as const;

const incomplete: readonly (readonly string[])[] = [
  ['a = 1'],
  ['a = 1', 'a = 2'],
  ['status = "new"', 'status = "old"'],
  ['a', 'b'],
  ['a = "yes"', 'a = "false"'],
  ['a = "yes"', 'b = "no"'],
  ['a', 'not(b)'],
  ['a > 5', 'b <= 5'],
  ['a > 5', 'a < 5'],
  ['a < 5', 'a > 5', 'a > 7'],
  ['a < 5', 'a between 6 and 10', 'a > 10'],
  ['a < 5 and b > 1', 'a >= 5'],
  ['a.b = true', 'a.c = false'],
  ['false', 'a = 1'],
];

const complete: readonly (readonly string[])[] = [
  ['a = 1', 'default'],
  ['', 'a = 1'],
  ['true', 'a = 1'],
  ['a', 'not(a)'],
  ['not(order.isPaid)', 'order.isPaid'],
  ['a', 'a = false'],
  ['a = true', 'a = false'],
  ['approved = "true"', 'approved = "false"'],
  ['clarified = "Yes"', 'clarified = "no"'],
  ['a != true', 'a = true'],
  ['a = null', 'a != null'],
  ['a > 5', 'a <= 5'],
  ['order.total >= limit', 'order.total < limit'],
  ['a = 1', 'b > 2', 'a != 1'],
  ['a < 5', 'a between 5 and 10', 'a > 10'],
  ['a < 5', 'a = 5', 'a > 5'],
  ['a < -1', 'a >= -1 and a < 3', 'a >= 3'],
  ['a < 2 or a > 4', 'a >= 2 and a <= 4'],
  ['score >= 50', 'score < 50', 'score = 0'],
];

describe('a missing default', () => {
  for (const [kind, node] of Object.entries(gateways)) {
    for (const conditions of incomplete) {
      it(`is found at an ${kind} node: ${conditions.join('; ')}`, () => {
        assertProcess(checkMissingDefaults, branching(node('g'), conditions), ['DEFAULT_MISSING g']);
      });
    }
    for (const conditions of complete) {
      it(`is none at an ${kind} node where one always holds: ${conditions.join('; ')}`, () => {
        assertProcess(checkMissingDefaults, branching(node('g'), conditions), []);
      });
    }
  }

  it('is none at what has no outgoing flow, or one without a condition', () => {
    assertProcess(
      checkMissingDefaults,
      processModel('p', [start('s'), exclusive('g'), end('e')], ['s -> g -> e']),
      [],
    );
  });
});
