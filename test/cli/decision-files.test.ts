import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readDecisionFiles, readInputFile } from '../../cli/decision-files.ts';

const DMN = 'https://www.omg.org/spec/DMN/20230324/MODEL/';

function model(namespace: string, ...imported: readonly string[]): string {
  const imports = imported.map(
    (other, index) => `<import name="i${String(index)}" namespace="${other}" importType="${DMN}"/>`,
  );
  return `<definitions xmlns="${DMN}" name="m" namespace="${namespace}">${imports.join('')}</definitions>`;
}

const files: Readonly<Record<string, string>> = {
  'alone.dmn': model('urn:alone'),
  'one.dmn': model('urn:one', 'urn:two', 'urn:nowhere'),
  'two.dmn': model('urn:two', 'urn:three'),
  // Imports that go in a circle.
  'three.dmn': model('urn:three', 'urn:one', 'urn:two'),
  'same-as-one.dmn': model('urn:one'),
  'broken.dmn': '<definitions',
  'two.xml': model('urn:two'),
};

describe('a decision model and what it imports', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sutra-decision-files-'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await mkdir(join(folder, 'folder.dmn'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const rows: readonly (readonly [file: string, read: readonly string[]])[] = [
    ['alone.dmn', ['alone.dmn']],
    ['two.dmn', ['two.dmn', 'three.dmn', 'one.dmn', 'same-as-one.dmn']],
    ['broken.dmn', ['broken.dmn']],
  ];
  for (const [file, read] of rows) {
    it(`are ${read.join(', ')} for ${file}`, async () => {
      const found = await readDecisionFiles(join(folder, file));
      assert.deepEqual(
        found.map(({ path }) => basename(path)),
        read,
      );
      assert.equal(found[0]?.path, join(folder, file));
    });
  }

  it('are one file for each namespace, where nothing else has it', async () => {
    const found = await readDecisionFiles(join(folder, 'one.dmn'));
    assert.deepEqual(
      found.map(({ path }) => basename(path)),
      ['one.dmn', 'two.dmn', 'three.dmn'],
    );
  });

  it('are refused when they cannot be read', async () => {
    await assert.rejects(readDecisionFiles(join(folder, 'nowhere.dmn')), {
      code: 'SUTRA.CLI.FILE_UNREADABLE',
    });
    await assert.rejects(readInputFile(folder), { code: 'SUTRA.CLI.FILE_UNREADABLE', message: /EISDIR/ });
  });
});
