/** `docs/decisions.md` has all options and all problems. That its examples are true is seen in test/e2e/decide.test.ts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { decideCommand } from '../../cli/decide-command.ts';
import { dmnCodes } from '../../definitions/dmn/codes.ts';

const page = readFileSync(new URL('../../docs/decisions.md', import.meta.url), 'utf8');

/** What begins the cells of a column, between backquotes. */
function documented(pattern: RegExp): readonly string[] {
  return [...page.matchAll(pattern)].map(([, found = '']) => found);
}

describe('docs/decisions.md', () => {
  it('has the options of the command', () => {
    const options = decideCommand().options.map(({ flags }) => flags);
    assert.deepEqual(documented(/^\| `(--[^`]*)`/gm), options);
  });

  it('has the problems that a decision may have, as an evaluation reports them', () => {
    // The other codes are those of faults in a model, which nothing is deployed with.
    const ofEvaluation = Object.entries(dmnCodes).filter(
      ([, { remedy }]) => !remedy.startsWith('Nothing was deployed'),
    );
    assert.deepEqual(documented(/^\| `error` +\| `([^`]*)`/gm), [
      ...ofEvaluation.map(([code]) => code),
      'SUTRA.FEEL.EVALUATION_FAILED',
    ]);
  });
});
