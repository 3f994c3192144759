import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { lintTargets } from '../../cli/lint-targets.ts';
import { simpleOrder } from '../support/packages.ts';

const DMN = 'https://www.omg.org/spec/DMN/20230324/MODEL/';

const files: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(simpleOrder()).map(([path, text]) => [`good/${path}`, text])),
  ...Object.fromEntries(Object.entries(simpleOrder()).map(([path, text]) => [`bad/${path}`, text])),
  'bad/channels.yaml': 'channels:\n  - { name: work }\n',
  'bad/notes.txt': '',
  'empty/package.yaml': 'labels: { tenant: t, module: m, version: v }',
  ...Object.fromEntries(Object.entries(simpleOrder()).map(([path, text]) => [`tested/${path}`, text])),
  'tested/scenarios/a.yaml': `name: a
send: [{ channel: orders, body: {} }]
expect: { status: running }
expct: { status: completed }
`,
  'rates/a.dmn': `<definitions xmlns="${DMN}" name="a" namespace="urn:a">
  <import name="b" namespace="urn:b" importType="${DMN}"/>
  <decision id="d" name="d"><variable name="d"/>
    <knowledgeRequirement><requiredKnowledge href="urn:b#nothing"/></knowledgeRequirement>
    <literalExpression><text>1</text></literalExpression></decision>
</definitions>`,
  'rates/b.dmn': `<definitions xmlns="${DMN}" name="b" namespace="urn:b"><decision/></definitions>`,
};

describe('what lint is given', () => {
  let root = '';
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'sutra-lint-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  });
  after(() => rm(root, { recursive: true, force: true }));

  /** Of each finding its code and its file from the root. */
  const found = async (...targets: readonly string[]): Promise<readonly string[]> => {
    const findings = await lintTargets(targets.map((target) => `${root}/${target}`));
    return findings.map(({ code, place: { file = '' } }) => {
      assert.ok(file.startsWith(root), file);
      return `${file.slice(root.length + 1)} ${code}`;
    });
  };

  const ofBadChannels = ['bad/channels.yaml SUTRA.CHANNELS.KEY_MISSING'];

  it('is a package, whose files are named from outside (G2)', async () => {
    assert.deepEqual(await found('good'), []);
    for (const written of ['bad', 'bad/', './bad', 'good/../bad']) {
      assert.deepEqual(await found(written), [...ofBadChannels, 'bad/notes.txt SUTRA.PACKAGE.FILE_UNUSED']);
    }
  });

  it('is a package with its scenarios', async () => {
    assert.deepEqual(await found('tested'), ['tested/scenarios/a.yaml SUTRA.SCENARIO.KEY_UNKNOWN']);
  });

  it('is named itself by what is about the package as a whole (G2)', async () => {
    assert.deepEqual(await found('empty'), ['empty SUTRA.PACKAGE.MODEL_MISSING']);
  });

  it('is a file of a package, by itself', async () => {
    assert.deepEqual(await found('bad/channels.yaml'), ofBadChannels);
    assert.deepEqual(await found('bad/bpmn/order.bpmn'), []);
  });

  it('is a decision model, with those beside it that it imports and without what is wrong in them', async () => {
    assert.deepEqual(await found('rates/a.dmn'), ['rates/a.dmn SUTRA.DMN.REFERENCE_DANGLING']);
  });

  it('is several of these, in their order, each once', async () => {
    assert.deepEqual(await found('bad/channels.yaml', 'empty', 'good', 'empty/'), [
      ...ofBadChannels,
      'empty SUTRA.PACKAGE.MODEL_MISSING',
    ]);
  });

  it('is reported when it cannot be checked, and the others are checked all the same (G1)', async () => {
    assert.deepEqual(await found('missing', 'missing.bpmn', 'missing.dmn', 'bad/notes.txt', 'empty'), [
      'missing SUTRA.CLI.FILE_UNREADABLE',
      'missing.bpmn SUTRA.CLI.FILE_UNREADABLE',
      'missing.dmn SUTRA.CLI.FILE_UNREADABLE',
      'bad/notes.txt SUTRA.CLI.FILE_KIND_UNKNOWN',
      'empty SUTRA.PACKAGE.MODEL_MISSING',
    ]);
  });
});
