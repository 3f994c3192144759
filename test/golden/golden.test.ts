/**
 * Snapshots that released versions wrote are read and carried on by this one.
 *
 * `SUTRA_GOLDEN=write npm test -- test/golden` writes those of the present version, before its release; look
 * at the difference. Files of released versions are never written again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases } from './cases.ts';
import { currentVersion, instanceAfter, readGoldenFiles, writeGoldenFiles } from './golden-file.ts';
import { takeStep } from './steps.ts';

if (process.env['SUTRA_GOLDEN'] === 'write') await writeGoldenFiles();

const files = readGoldenFiles();

test('each case has a file of the present version, and each file belongs to a case', () => {
  const written = files.filter(({ version }) => version === currentVersion()).map((file) => file.case);
  assert.deepEqual(written.sort(), Object.keys(cases).sort());
  for (const file of files) assert.ok(cases[file.case], `${file.case} of ${file.version}`);
});

for (const { case: name, version, points, end } of files) {
  test(`what ${version} wrote of ${name} goes on from each of its ${points.length} points to its end`, () => {
    const golden = cases[name];
    assert.ok(golden);
    for (const [index, point] of points.entries()) {
      const instance = instanceAfter(golden, point);
      assert.deepEqual(instance.active, point.active, `after step ${index + 1}`);
      for (const later of points.slice(index + 1)) {
        takeStep(instance, later.step);
        assert.deepEqual(
          instance.active,
          later.active,
          `${JSON.stringify(later.step)}, from step ${index + 1} on`,
        );
      }
      assert.deepEqual({ status: instance.status, variables: instance.variables }, end);
    }
  });
}
