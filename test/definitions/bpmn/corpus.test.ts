/**
 * Public models: each compiles or is refused with a code and a place, and which of the two is recorded.
 *
 * `corpus-outcomes.tsv` holds the outcome of every file: `compiles`, or the codes of its errors. To write
 * it anew after a deliberate change: SUTRA_TEST_CORPUS_WRITE=true.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { compileBpmn } from '../../../definitions/bpmn/compile.ts';
import { recordEvidence } from '../../support/evidence.ts';

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const outcomesFile = new URL('corpus-outcomes.tsv', import.meta.url);

/** Far above what the largest file takes; the machine may be busy. */
const LIMIT_MS = 30_000;

/** Paths of the BPMN files, by the manifest; those of decision models are in another test. */
function modelPaths(): readonly string[] {
  return readFileSync(`${corpus}/MANIFEST.tsv`, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '')
    .filter((path) => path !== '' && !path.startsWith('dmn-tck/'))
    .toSorted();
}

function outcomeOf(path: string): string {
  const startedAt = performance.now();
  const { processes, findings } = compileBpmn({ path, content: readFileSync(`${corpus}/${path}`) });
  assert.ok(performance.now() - startedAt < LIMIT_MS, `${path} took too long`);
  for (const { code, message, place } of findings) {
    assert.equal(place.file, path);
    assert.ok(place.line !== undefined && place.column !== undefined, `${path}: ${code} has no place`);
    assert.ok(message.length > 15, `${path}: ${code} says nothing`);
  }
  const codes = findings.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  assert.ok(codes.length === 0 || processes.length === 0, path);
  return codes.length === 0 ? 'compiles' : [...new Set(codes)].toSorted().join(' ');
}

if (existsSync(`${corpus}/MANIFEST.tsv`)) {
  describe('the public models', () => {
    test('have the recorded outcomes', () => {
      const lines = modelPaths().map((path) => `${path}\t${outcomeOf(path)}`);
      assert.ok(lines.length >= 400, `only ${lines.length} files`);
      const table = `${['file\toutcome', ...lines].join('\n')}\n`;
      if (process.env['SUTRA_TEST_CORPUS_WRITE'] === 'true') {
        writeFileSync(outcomesFile, table);
      }
      assert.deepEqual(readFileSync(outcomesFile, 'utf8').split('\n'), table.split('\n'));
      recordEvidence('corpus');
    });

    test('that compile are many, and those refused too, so that the table says something', () => {
      const outcomes = readFileSync(outcomesFile, 'utf8').trim().split('\n').slice(1);
      const compiled = outcomes.filter((line) => line.endsWith('\tcompiles'));
      assert.ok(compiled.length > 50 && outcomes.length - compiled.length > 50);
    });
  });
}
