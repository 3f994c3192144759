/**
 * Public models: each is deployed alone, or refused with codes and places, and which of the two is recorded.
 *
 * `corpus-outcomes.tsv` holds three outcomes of every file, `deploys` or the codes of its errors: of a package that allows
 * nothing; of one with `unbound-tasks: external-task` and `listeners: ignore`; and of one that has, besides, a stand-in for
 * each decision that the model names and whose file is not among the public ones. To write it anew after a deliberate
 * change: SUTRA_TEST_CORPUS_WRITE=true. `corpus-refusals.tsv` says of each executable file that does not deploy even so,
 * why; it is written by hand, and checked.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import type { Finding } from '../../../config/engine-error.ts';
import { compilePackage } from '../../../definitions/package.ts';
import type { PackageFile } from '../../../definitions/package-file.ts';
import {
  DEPLOYS,
  percentOf,
  type PublicModel,
  publicShares,
  readPublicModels,
  readRefusals,
  type RefusalClass,
} from '../../../docs/public-models.ts';
import { decisionModel, literal } from '../../support/decisions.ts';
import { recordEvidence } from '../../support/evidence.ts';

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const outcomesFile = new URL('corpus-outcomes.tsv', import.meta.url);

/** Far above what the largest file takes; the machine may be busy. */
const LIMIT_MS = 30_000;
const MODEL = 'bpmn/model.bpmn';
const ALLOWED = 'unbound-tasks: external-task\nlisteners: ignore\n';

/** Of the models that the manifest calls executable, how many deploy at least. More is better: raise them. */
const LEAST = { alone: 194, allowed: 260, withDecisions: 267 };
/** Per cent, of all executable models, and of those that the engine they were made for runs. */
const LEAST_PERCENT = { ofAll: 79, ofThoseThatRunElsewhere: 86 };

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

function errorsOf(path: string, allowed: string, decisions: readonly string[] = []): readonly Finding[] {
  const labels = `labels: { tenant: test, module: corpus, version: "1" }\n${allowed}`;
  const files: readonly PackageFile[] = [
    { path: 'package.yaml', content: new TextEncoder().encode(labels) },
    { path: MODEL, content: readFileSync(`${corpus}/${path}`) },
    ...decisions.map(standIn),
  ];
  const startedAt = performance.now();
  const { model, findings } = compilePackage(files);
  assert.ok(performance.now() - startedAt < LIMIT_MS, `${path} took too long`);
  for (const { code, message, place } of findings) {
    assert.equal(place.file, MODEL, `${path}: ${code}`);
    assert.ok(place.line !== undefined && place.column !== undefined, `${path}: ${code} has no place`);
    assert.ok(message.length > 15, `${path}: ${code} says nothing`);
  }
  const errors = findings.filter(({ severity }) => severity === 'error');
  assert.equal(model === null, errors.length > 0, path);
  return errors;
}

/** The smallest decision of a name. */
function standIn(name: string, index: number): PackageFile {
  const text = decisionModel(literal(name, 'null'), `stand-in-${index}`);
  return { path: `rules/stand-in-${index}.dmn`, content: new TextEncoder().encode(text) };
}

/** The decisions that the package lacks, by the findings that say so. */
function missingDecisions(errors: readonly Finding[]): readonly string[] {
  const names = errors.flatMap(({ code, message }) => {
    const [, name] = code === 'SUTRA.BPMN.DECISION_UNKNOWN' ? (/ names "([^"]+)"/.exec(message) ?? []) : [];
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)];
}

function outcomeOf(errors: readonly Finding[]): string {
  return errors.length === 0 ? DEPLOYS : [...new Set(errors.map(({ code }) => code))].toSorted().join(' ');
}

function outcomesOf({ path, isExecutable }: CorpusModel): string {
  const allowed = errorsOf(path, ALLOWED);
  const decisions = missingDecisions(allowed);
  const withDecisions = decisions.length === 0 ? allowed : errorsOf(path, ALLOWED, decisions);
  const outcomes = [errorsOf(path, ''), allowed, withDecisions].map(outcomeOf);
  return [path, isExecutable ? 'yes' : 'no', ...outcomes].join('\t');
}

/** What a file must show to be left out of the share, or to be called another language's. */
const EVIDENCE: Partial<Record<RefusalClass, (model: PublicModel) => boolean>> = {
  'negative test': ({ path }) => /\/validation\/|NotAllowed|Fails\b|Invalid/.test(path),
  drawing: ({ withDecisions }) => /MISSING|START_INVALID/.test(withDecisions),
  'other language': ({ withDecisions }) =>
    /LANGUAGE_UNSUPPORTED|CODE_NOT_EXECUTED|SYNTAX_INVALID|VALUE_INVALID/.test(withDecisions),
  'other file missing': ({ withDecisions }) => withDecisions.includes('SUTRA.BPMN.DECISION_UNKNOWN'),
};

if (existsSync(`${corpus}/MANIFEST.tsv`)) {
  describe('the public models', () => {
    test('have the recorded outcomes', () => {
      const lines = corpusModels().map(outcomesOf);
      assert.ok(lines.length >= 400, `only ${lines.length} files`);
      const table = `${['file\texecutable\talone\tallowed\twith decisions', ...lines].join('\n')}\n`;
      if (process.env['SUTRA_TEST_CORPUS_WRITE'] === 'true') {
        writeFileSync(outcomesFile, table);
      }
      assert.deepEqual(readFileSync(outcomesFile, 'utf8').split('\n'), table.split('\n'));
      recordEvidence('corpus');
    });
  });
}

describe('of the public models that are executable', () => {
  const models = readPublicModels().filter(({ isExecutable }) => isExecutable);
  const refusals = readRefusals();

  test('each that does not deploy is listed with a reason, and no other', () => {
    const refused = models.filter(({ withDecisions }) => withDecisions !== DEPLOYS);
    assert.deepEqual(
      refusals.map(({ path }) => path),
      refused.map(({ path }) => path),
    );
    assert.ok(refused.length > 10);
    for (const { path, reason } of refusals) {
      assert.match(reason, /^[A-Z"].{20,250}\.$/, path);
    }
  });

  test('none is in a class that its file does not show', () => {
    const byPath = new Map(models.map((model) => [model.path, model]));
    for (const { path, refusalClass } of refusals) {
      const model = byPath.get(path);
      const shows = EVIDENCE[refusalClass];
      assert.ok(model !== undefined && (shows === undefined || shows(model)), `${path}: ${refusalClass}`);
    }
  });

  test('as many deploy as did', () => {
    const { alone, allowed, withDecisions, runElsewhere } = publicShares();
    assert.ok(alone.deployed >= LEAST.alone, JSON.stringify(alone));
    assert.ok(allowed.deployed >= LEAST.allowed, JSON.stringify(allowed));
    assert.ok(withDecisions.deployed >= LEAST.withDecisions, JSON.stringify(withDecisions));
    assert.ok(percentOf(withDecisions) >= LEAST_PERCENT.ofAll, JSON.stringify(withDecisions));
    assert.ok(percentOf(runElsewhere) >= LEAST_PERCENT.ofThoseThatRunElsewhere, JSON.stringify(runElsewhere));
  });
});
