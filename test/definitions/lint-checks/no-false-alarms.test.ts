/**
 * No false alarm: what is shown as right has no findings, and what lint says of public models is recorded.
 *
 * `corpus-findings.tsv` is every finding in the public models that compile; each was looked at. To write it anew after
 * a deliberate change: SUTRA_TEST_CORPUS_WRITE=true.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { lintModel } from '../../../definitions/lint-checks/index.ts';
import { lintFiles, lintPackage } from '../../../definitions/lint.ts';
import { compilePackage } from '../../../definitions/package.ts';
import type { PackageModel } from '../../../definitions/package-model.ts';
import { packageFiles, simpleOrder } from '../../support/packages.ts';

const root = new URL('../../../', import.meta.url);
const corpus = process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../shared/corpus', root));
const recorded = new URL('corpus-findings.tsv', import.meta.url);

/** What an engine that nobody configured has. */
const operator = {
  defaultLockDurationMs: 30_000,
  maxLockDurationMs: 3_600_000,
  retries: 3,
  maxRetries: 1_000,
  retryTimeoutMs: 10_000,
  maxRetryTimeoutMs: 86_400_000,
  maxPayloadBytes: 10_485_760,
};

function filesOf(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) }));
}

describe('lint says nothing', () => {
  for (const folder of ['examples/order-scoring', 'test/fixtures/loan']) {
    it(`of the package ${folder}`, async () => {
      assert.deepEqual(await lintPackage(fileURLToPath(new URL(folder, root)), { operator }), []);
    });
  }

  it('of the package in docs/packages.md', () => {
    const page = readFileSync(new URL('docs/packages.md', root), 'utf8');
    const blocks = page.matchAll(/<!-- file: (\S+) -->\n\n```\w+\n([\s\S]*?)```/g);
    const texts = Object.fromEntries([...blocks].map(([, path = '', text = '']) => [path, text]));
    assert.equal(Object.keys(texts).length, 3);
    assert.deepEqual(lintFiles(filesOf(texts), { operator }), []);
  });

  it('of a process whose variables are the properties of a message', () => {
    const channels = "  - { name: orders, transport: http, bind: 'POST /channels/orders' }";
    const texts = packageFiles({ channels, processes: { p: merging } });
    assert.deepEqual(lintFiles(filesOf(texts), { operator }), []);
  });

  it('of a package of the tests', () => {
    assert.deepEqual(lintFiles(filesOf(simpleOrder()), { operator }), []);
  });
});

const merging = `<startEvent id="s">
  <extensionElements><q:source channel="orders" merge="true"/></extensionElements><messageEventDefinition id="m"/>
</startEvent>
<exclusiveGateway id="g" default="low"/><endEvent id="e"/>
<sequenceFlow id="f" sourceRef="s" targetRef="g"/><sequenceFlow id="low" sourceRef="g" targetRef="e"/>
<sequenceFlow id="high" sourceRef="g" targetRef="e"><conditionExpression>=total &gt; 5</conditionExpression></sequenceFlow>`;

/** Alone, or else with what may be allowed; null: it is refused. */
function modelOf(path: string): PackageModel | null {
  for (const allowed of ['', 'unbound-tasks: external-task\nlisteners: ignore\n']) {
    const labels = `labels: { tenant: test, module: corpus, version: "1" }\n${allowed}`;
    const files = [
      ...filesOf({ 'package.yaml': labels }),
      { path: 'bpmn/model.bpmn', content: readFileSync(`${corpus}/${path}`) },
    ];
    const { model } = compilePackage(files);
    if (model !== null) return model;
  }
  return null;
}

if (existsSync(`${corpus}/MANIFEST.tsv`)) {
  it('lint says of the public models what is recorded', () => {
    const paths = readFileSync(`${corpus}/MANIFEST.tsv`, 'utf8')
      .split('\n')
      .slice(1)
      .flatMap((line) => line.split('\t')[0] ?? [])
      .filter((path) => path !== '' && !path.startsWith('dmn-tck/'));
    const compiled = new Set<string>();
    const lines = paths.toSorted().flatMap((path) => {
      const model = modelOf(path);
      if (model === null) return [];
      compiled.add(path);
      return lintModel(model, { operator }).map(({ code, place, message }) => {
        assert.equal(place.file, 'bpmn/model.bpmn');
        assert.ok(place.line !== undefined && place.column !== undefined && place.elementId !== undefined);
        assert.match(message, /;.*\.$/, 'a remedy');
        return [path, code, place.elementId].join('\t');
      });
    });
    assert.ok(compiled.size > 250, `only ${compiled.size} models`);
    if (process.env['SUTRA_TEST_CORPUS_WRITE'] === 'true') {
      writeFileSync(recorded, `${['file\tcode\telement', ...lines.toSorted()].join('\n')}\n`);
    }
    const rows = readFileSync(recorded, 'utf8').trim().split('\n').slice(1);
    assert.deepEqual(
      lines.toSorted(),
      // Whether a model compiles is the business of another test.
      rows.filter((row) => compiled.has(row.split('\t')[0] ?? '')),
    );
  });
}
