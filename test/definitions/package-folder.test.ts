import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import { lintPackage, sortFindings } from '../../definitions/lint.ts';
import { formatFindings } from '../../definitions/lint-format.ts';
import { folderNameOf, readPackageFolder } from '../../definitions/package-folder.ts';

let root = '';

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'sutra-package-'));
});

after(async () => {
  await rm(root, { recursive: true });
});

async function write(path: string, content = ''): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), content);
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof EngineError && error.code === code;
}

describe('a package folder', () => {
  it('gives its files with forward slashes, sorted, without hidden ones', async () => {
    await write('plain/channels.yaml', 'channels: []');
    await write('plain/bpmn/sub/a.bpmn', 'x');
    await write('plain/.git/config');
    await write('plain/bpmn/.a.bpmn.swp');
    const files = await readPackageFolder(join(root, 'plain'));
    assert.deepStrictEqual(
      files.map(({ path, content }) => [path, Buffer.from(content).toString()]),
      [
        ['bpmn/sub/a.bpmn', 'x'],
        ['channels.yaml', 'channels: []'],
      ],
    );
  });

  it('may use links that stay inside, as mounted volumes do', async () => {
    await write('mounted/..2026/channels.yaml', 'channels: []');
    await symlink('..2026', join(root, 'mounted/..data'));
    await symlink('..data/channels.yaml', join(root, 'mounted/channels.yaml'));
    const files = await readPackageFolder(join(root, 'mounted'));
    assert.deepStrictEqual(
      files.map(({ path }) => path),
      ['channels.yaml'],
    );
  });

  it('may itself be reached through a link', async () => {
    await symlink(join(root, 'plain'), join(root, 'linked'));
    assert.equal((await readPackageFolder(join(root, 'linked'))).length, 2);
  });

  it('refuses links that lead out, to a file or a folder', async () => {
    await write('escaping/a.txt');
    await write('outside/secret.txt', 'secret');
    await symlink(join(root, 'outside/secret.txt'), join(root, 'escaping/b.txt'));
    await assert.rejects(readPackageFolder(join(root, 'escaping')), hasCode('SUTRA.PACKAGE.PATH_UNSAFE'));
    await mkdir(join(root, 'escaping-folder'));
    await symlink('../outside', join(root, 'escaping-folder/bpmn'));
    await assert.rejects(
      readPackageFolder(join(root, 'escaping-folder')),
      hasCode('SUTRA.PACKAGE.PATH_UNSAFE'),
    );
  });

  it('refuses folders that lead into themselves', async () => {
    await write('circle/bpmn/a.bpmn');
    await symlink('.', join(root, 'circle/bpmn/again'));
    await assert.rejects(readPackageFolder(join(root, 'circle')), hasCode('SUTRA.PACKAGE.TOO_LARGE'));
  });

  it('refuses more bytes than are allowed, without reading them', async () => {
    await write('huge/a.bin');
    await truncate(join(root, 'huge/a.bin'), 67_108_865);
    await assert.rejects(readPackageFolder(join(root, 'huge')), hasCode('SUTRA.PACKAGE.TOO_LARGE'));
  });

  it('refuses what is no folder', async () => {
    for (const path of ['missing', 'plain/channels.yaml']) {
      await assert.rejects(readPackageFolder(join(root, path)), hasCode('SUTRA.PACKAGE.FOLDER_UNREADABLE'));
    }
  });

  it('is named by its last segment', () => {
    assert.equal(folderNameOf('/packages/acme--scoring--1.0.0/'), 'acme--scoring--1.0.0');
  });
});

describe('lint', () => {
  it('sorts by file, line and column, and prints one line a finding', async () => {
    await write('acme--bad--1/channels.yaml', 'channels:\n  - name: b\n    transport: x\n    codec: y\n');
    await write('acme--bad--1/bpmn/a.bpmn', '<a>');
    await write('acme--bad--1/notes.txt');
    const findings = await lintPackage(join(root, 'acme--bad--1'));
    const lines = formatFindings(findings).split('\n');
    assert.match(lines[0] ?? '', /^bpmn\/a\.bpmn:\d+:\d+ error SUTRA\.[A-Z_.]+ /);
    assert.match(lines[1] ?? '', /^channels\.yaml:3:16 error SUTRA\.CHANNELS\.TRANSPORT_UNKNOWN there is no/);
    assert.match(lines[2] ?? '', /^channels\.yaml:4:12 error SUTRA\.CHANNELS\.CODEC_UNKNOWN /);
    assert.match(lines[3] ?? '', /^notes\.txt warning SUTRA\.PACKAGE\.FILE_UNUSED /);
    assert.equal(lines[4], '3 errors, 1 warning');
  });

  it('reports a folder that cannot be read as a finding', async () => {
    const findings = await lintPackage(join(root, 'missing'));
    assert.deepStrictEqual(
      findings.map(({ code, severity }) => [code, severity]),
      [['SUTRA.PACKAGE.FOLDER_UNREADABLE', 'error']],
    );
    assert.match(formatFindings(findings), /^\(package\) error /);
  });

  it('puts what has no file before what has one', () => {
    const finding = { code: 'SUTRA.X', severity: 'error', message: 'Wrong.', place: { file: 'a' } } as const;
    const unplaced = { ...finding, place: {} };
    assert.deepStrictEqual(sortFindings([finding, unplaced]), [unplaced, finding]);
  });
});
