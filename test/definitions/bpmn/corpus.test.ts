/**
 * Public models: each is deployed alone, or refused with codes and places, and which of the two is recorded.
 *
 * `corpus-outcomes.tsv` holds two outcomes of every file, `deploys` or the codes of its errors: of a package that allows
 * nothing, and of one with `unbound-tasks: external-task` and `listeners: ignore`. To write it anew after a deliberate
 * change: SUTRA_TEST_CORPUS_WRITE=true.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { compilePackage } from '../../../definitions/package.ts';
import { recordEvidence } from '../../support/evidence.ts';

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const outcomesFile = new URL('corpus-outcomes.tsv', import.meta.url);

/** Far above what the largest file takes; the machine may be busy. */
const LIMIT_MS = 30_000;
const MODEL = 'bpmn/model.bpmn';
const ALLOWED = 'unbound-tasks: external-task\nlisteners: ignore\n';

/** Of the models that the manifest calls executable, how many deploy at least. More is better: raise them. */
const LEAST = { alone: 185, allowed: 245 };

interface CorpusModel {
  readonly path: string;
  readonly isExecutable: boolean;
}

/** The BPMN files, by the manifest; those of decision models are in another test. */
function corpusModels(): readonly CorpusModel[] {
  return readFileSync(`${corpus}/MANIFEST.tsv`, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .map((fields) => ({ path: fields[0] ?? '', isExecutable: fields[5] === 'yes' }))
    .filter(({ path }) => path !== '' && !path.startsWith('dmn-tck/'))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function outcomeOf(path: string, allowed: string): string {
  const labels = `labels: { tenant: test, module: corpus, version: "1" }\n${allowed}`;
  const files = [
    { path: 'package.yaml', content: new TextEncoder().encode(labels) },
    { path: MODEL, content: readFileSync(`${corpus}/${path}`) },
  ];
  const startedAt = performance.now();
  const { model, findings } = compilePackage(files);
  assert.ok(performance.now() - startedAt < LIMIT_MS, `${path} took too long`);
  for (const { code, message, place } of findings) {
    assert.equal(place.file, MODEL, `${path}: ${code}`);
    assert.ok(place.line !== undefined && place.column !== undefined, `${path}: ${code} has no place`);
    assert.ok(message.length > 15, `${path}: ${code} says nothing`);
  }
  const codes = findings.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  assert.equal(model === null, codes.length > 0, path);
  return codes.length === 0 ? 'deploys' : [...new Set(codes)].toSorted().join(' ');
}

if (existsSync(`${corpus}/MANIFEST.tsv`)) {
  describe('the public models', () => {
    test('have the recorded outcomes', () => {
      const lines = corpusModels().map(({ path, isExecutable }) =>
        [path, isExecutable ? 'yes' : 'no', outcomeOf(path, ''), outcomeOf(path, ALLOWED)].join('\t'),
      );
      assert.ok(lines.length >= 400, `only ${lines.length} files`);
      const table = `${['file\texecutable\talone\tallowed', ...lines].join('\n')}\n`;
      if (process.env['SUTRA_TEST_CORPUS_WRITE'] === 'true') {
        writeFileSync(outcomesFile, table);
      }
      assert.deepEqual(readFileSync(outcomesFile, 'utf8').split('\n'), table.split('\n'));
      recordEvidence('corpus');
    });

    test('deploy for the most part where they are executable, and some are refused', () => {
      const rows = readFileSync(outcomesFile, 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t'))
        .filter(([, isExecutable]) => isExecutable === 'yes');
      const alone = rows.filter((row) => row[2] === 'deploys').length;
      const allowed = rows.filter((row) => row[3] === 'deploys').length;
      assert.ok(alone >= LEAST.alone, `${alone} of ${rows.length} deploy alone`);
      assert.ok(allowed >= LEAST.allowed, `${allowed} of ${rows.length} deploy with what may be allowed`);
      assert.ok(rows.length - allowed > 10);
    });
  });
}
