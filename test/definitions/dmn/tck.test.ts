/**
 * The test cases of the DMN TCK, where it is there: SUTRA_TEST_CORPUS, or `shared/corpus` beside the repository.
 *
 * Those that do not come out as expected are exactly those of `tck-exceptions.tsv`, so that neither a fault nor a
 * correction goes by.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileDecisions, type Decision, type DecisionModel } from '../../../definitions/dmn/decisions.ts';
import { TurnBudget } from '../../../definitions/feel/budget.ts';
import type { FeelValue } from '../../../definitions/feel/runtime.ts';
import { isFeelContext, propertyOf } from '../../../definitions/feel/value-kind.ts';
import { recordEvidence } from '../../support/evidence.ts';
import { show } from '../feel/compile-run.ts';
import { readTckFolders, type TckCase, type TckFolder, type TckResult } from './tck-cases.ts';
import { isExpected } from './tck-compare.ts';

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const tck = `${corpus}/dmn-tck`;
/** 2026-03-01T10:00:00Z */
const NOW_MS = 1_772_359_200_000;
/** Of all test cases, those that must come out as expected. */
const LEAST_PASSED = 0.97;

/**
 * Models that are refused, and why. What has no result is expected there, which is what their decisions give all the
 * same; but neither a deployment nor `sutra decide` would run them.
 */
const refused: Readonly<Record<string, readonly string[]>> = {
  // It calls a function that there is not.
  'compliance-level-3/1131-feel-function-invocation': ['SUTRA.FEEL.NAME_UNKNOWN'],
};

/** A result that is not the expected one. */
interface Failure {
  /** Folder, file, test case and decision, with tabs between them: the first columns of the table. */
  readonly key: string;
  readonly message: string;
}

interface Counts {
  cases: number;
  failedCases: number;
}

const exceptions = readFileSync(new URL('./tck-exceptions.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'));

function runFolder(folder: TckFolder, counts: Counts): readonly Failure[] {
  const { models, findings } = compileDecisions(folder.models);
  const errors = findings.filter(({ severity }) => severity === 'error');
  assert.deepEqual(
    errors.map(({ code }) => code),
    refused[folder.name] ?? [],
  );
  return folder.suites.flatMap(({ file, modelFile, cases }) => {
    const model = models.find((each) => each.file === modelFile);
    assert.ok(model !== undefined, `${modelFile} is not compiled`);
    return cases.flatMap((testCase) => {
      const failures = failuresOf(model, testCase, `${folder.name}\t${file}`);
      counts.cases += 1;
      if (failures.length > 0) counts.failedCases += 1;
      return failures;
    });
  });
}

function failuresOf(model: DecisionModel, testCase: TckCase, prefix: string): readonly Failure[] {
  return testCase.results.flatMap((result) => {
    const value = valueOf(model, testCase, result);
    if (value !== undefined && isExpected(value, result.expected)) return [];
    const key = [prefix, testCase.id, result.name].join('\t');
    const shown = value === undefined ? 'there is no such decision' : show(value);
    return [{ key, message: `${key}: ${shown}, expected ${show(result.expected)}` }];
  });
}

/** Undefined: the model has no such decision. */
function valueOf(
  model: DecisionModel,
  { service, inputs }: TckCase,
  { name }: TckResult,
): FeelValue | undefined {
  const decision = findDecision(model, service ?? name);
  if (decision === undefined) return undefined;
  const { value } = decision.evaluate((input) => propertyOf(inputs, input), new TurnBudget(NOW_MS));
  // A service of several decisions gives a context of what they give.
  const isPart = service !== null && isFeelContext(value) && Object.hasOwn(value, name);
  return isPart ? propertyOf(value, name) : value;
}

function findDecision({ decisions }: DecisionModel, name: string): Decision | undefined {
  return decisions.find((decision) => decision.name === name);
}

if (existsSync(tck)) {
  const counts = { cases: 0, failedCases: 0 };
  const folders = readTckFolders(tck);

  describe('the test cases of the DMN TCK', () => {
    for (const folder of folders) {
      it(`has the results of ${folder.name}`, () => {
        const expected = exceptions.filter(([name]) => name === folder.name);
        const failures = runFolder(folder, counts);
        assert.deepEqual(
          failures.map(({ key }) => key),
          expected.map((row) => row.slice(0, 4).join('\t')),
          failures.map(({ message }) => message).join('\n'),
        );
      });
    }

    it('has nearly all of them', () => {
      const names = folders.map(({ name }) => name);
      assert.deepEqual(
        [...exceptions.map(([name = '']) => name), ...Object.keys(refused)].filter(
          (name) => !names.includes(name),
        ),
        [],
      );
      assert.ok(folders.length >= 60 && counts.cases >= 1_100, JSON.stringify(counts));
      assert.ok(counts.failedCases <= counts.cases * (1 - LEAST_PASSED), JSON.stringify(counts));
      recordEvidence('corpus');
    });
  });
}

describe('tck-exceptions.tsv', () => {
  it('has a reason for each', () => {
    for (const row of exceptions) {
      assert.equal(row.length, 5, row.join(' '));
      assert.match(row[4] ?? '', /^\S.{20,}$/, row.join(' '));
    }
  });
});
