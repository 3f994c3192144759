import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { juelDifferences } from '../../../definitions/dialects/juel-differences.ts';
import { evaluateJuel } from './juel-run.ts';

describe('JUEL differs here', () => {
  for (const { rule, juel, variables, there, here } of juelDifferences) {
    it(`where ${rule}: ${juel}`, () => {
      assert.deepEqual(evaluateJuel(juel, variables), here);
      assert.notEqual(there, typeof here === 'string' ? here : JSON.stringify(here));
    });
  }
});
