/**
 * Loads the test files that are its arguments, one after the other. Before the tests of each stands one that bears
 * its name, by which the runner knows whose they are.
 */
import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { FILE_MARK } from './line-reporter.ts';
import { moduleOf } from './program.ts';

for (const file of process.argv.slice(2)) {
  void test(`${FILE_MARK}${file}`, () => {});
  await import(moduleOf(pathToFileURL(resolve(file))).href).catch((error: unknown) => {
    void test('loads', () => {
      throw error;
    });
  });
}
