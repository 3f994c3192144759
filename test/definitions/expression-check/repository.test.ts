/** No false alarm: the packages and decision models of the repository have no findings. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileDecisions } from '../../../definitions/dmn/decisions.ts';
import { lintPackage } from '../../../definitions/lint.ts';

const pathOf = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

describe('of the repository', () => {
  for (const folder of ['examples/order-scoring', 'examples/order-scoring-flow', 'test/fixtures/loan']) {
    it(`the package ${folder} has no findings`, async () => {
      assert.deepEqual(await lintPackage(pathOf(folder)), []);
    });
  }

  it('the decision model of the examples has none', () => {
    const path = 'examples/decisions/order-terms.dmn';
    const { models, findings } = compileDecisions([{ path, content: readFileSync(pathOf(path)) }]);
    assert.deepEqual(findings, []);
    assert.equal(models.length, 1);
  });
});
