/**
 * The scenarios of the corpus's EXPECTED.md against `advance()`: what models of other engines do there, step by
 * step, they do here, but for the rows of `exceptions.ts`.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { recordEvidence } from '../../support/evidence.ts';
import { exceptions, MAX_EXCEPTIONS } from './exceptions.ts';
import { expectedRows } from './expected-rows.ts';
import { differenceOf } from './run-scenario.ts';
import type { Scenario, Step } from './scenario.ts';
import { compensationScenarios } from './scenarios-compensation.ts';
import { conditionScenarios } from './scenarios-conditions.ts';
import { errorScenarios } from './scenarios-errors.ts';
import { escalationScenarios } from './scenarios-escalations.ts';
import { gatewayScenarios } from './scenarios-gateways.ts';
import { loopScenarios } from './scenarios-loops.ts';
import { messageScenarios } from './scenarios-messages.ts';
import { signalScenarios } from './scenarios-signals.ts';
import { subProcessAndCallScenarios } from './scenarios-sub-processes.ts';
import { timerScenarios } from './scenarios-timers.ts';

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));

const scenarios: readonly Scenario[] = [
  ...compensationScenarios,
  ...conditionScenarios,
  ...errorScenarios,
  ...escalationScenarios,
  ...gatewayScenarios,
  ...loopScenarios,
  ...messageScenarios,
  ...signalScenarios,
  ...subProcessAndCallScenarios,
  ...timerScenarios,
].toSorted((a, b) => a.number - b.number);

function stepNumbers(steps: readonly Step[]): readonly number[] {
  return [...new Set(steps.map(({ number }) => number))];
}

if (existsSync(`${corpus}/EXPECTED.md`)) {
  describe('the expected behaviour of the public models', () => {
    const rows = expectedRows(readFileSync(`${corpus}/EXPECTED.md`, 'utf8'));
    let behavingCount = 0;

    test('is in the tables row by row, with the files and the steps of each', () => {
      assert.equal(rows.length, 131);
      const written = scenarios.map(({ number, files, steps }) => ({
        number,
        files,
        steps: stepNumbers(steps),
      }));
      const wanted = rows.map(({ number, files, stepCount }) => ({
        number,
        files,
        steps: Array.from({ length: stepCount }, (_, index) => index + 1),
      }));
      assert.deepEqual(written, wanted);
    });

    for (const scenario of scenarios) {
      const { number, steps, files } = scenario;
      const exception = exceptions.find((item) => item.number === number);
      if (exception === undefined) {
        test(`row ${number} behaves as written`, () => {
          assert.deepEqual(differenceOf(scenario, corpus), null, files.join(', '));
          behavingCount += 1;
        });
        continue;
      }
      test(`row ${number} does not apply to us, and what is so instead is`, () => {
        const difference = differenceOf(scenario, corpus);
        assert.equal(
          difference?.step,
          exception.step,
          difference?.message ?? 'it behaves: it is no exception',
        );
        assert.deepEqual(differenceOf({ ...scenario, steps: exception.instead }, corpus), null);
        assert.deepEqual(stepNumbers(exception.instead), stepNumbers(steps));
        assert.ok(exception.reason.length > 80, 'the reason says why');
      });
    }

    test(`has at most ${MAX_EXCEPTIONS} exceptions`, () => {
      const numbers = exceptions.map(({ number }) => number);
      assert.equal(new Set(numbers).size, numbers.length);
      assert.ok(numbers.every((number) => rows.some((row) => row.number === number)));
      assert.ok(numbers.length <= MAX_EXCEPTIONS);
      assert.equal(behavingCount, rows.length - numbers.length);
      console.log(
        `${behavingCount} of ${rows.length} rows behave as written; exceptions: ${numbers.join(', ')}`,
      );
      recordEvidence('corpus');
    });
  });
}
