import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { EngineError } from '../../config/engine-error.ts';
import { readPackageArchive } from '../../definitions/archive.ts';

function zip(contents: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  return zipSync(
    Object.fromEntries(
      Object.entries(contents).map(([path, content]) => [
        path,
        typeof content === 'string' ? strToU8(content) : content,
      ]),
    ),
  );
}

function replaced(bytes: Uint8Array, from: string, to: string): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll(from, to), 'latin1');
}

function codeOf(bytes: Uint8Array): string {
  try {
    readPackageArchive(bytes);
    return 'none';
  } catch (error) {
    assert.ok(error instanceof EngineError, String(error));
    return error.code;
  }
}

describe('an archive', () => {
  it('gives its files sorted, without folders and hidden files', () => {
    const { files, folderName } = readPackageArchive(
      zip({
        'channels.yaml': 'channels: []',
        'bpmn/': '',
        'bpmn/a.bpmn': 'x',
        '.DS_Store': 'x',
        '__MACOSX/a': 'x',
      }),
    );
    assert.equal(folderName, null);
    assert.deepStrictEqual(
      files.map(({ path, content }) => [path, Buffer.from(content).toString()]),
      [
        ['bpmn/a.bpmn', 'x'],
        ['channels.yaml', 'channels: []'],
      ],
    );
  });

  it('names itself by the one folder that wraps it', () => {
    const { files, folderName } = readPackageArchive(
      zip({
        'acme--scoring--1/channels.yaml': 'channels: []',
        'acme--scoring--1/bpmn/a.bpmn': 'x',
        '__MACOSX/acme/x': '',
      }),
    );
    assert.equal(folderName, 'acme--scoring--1');
    assert.deepStrictEqual(
      files.map(({ path }) => path),
      ['bpmn/a.bpmn', 'channels.yaml'],
    );
  });

  it('does not take a folder of a package for its wrapping', () => {
    const { files, folderName } = readPackageArchive(zip({ 'bpmn/a.bpmn': 'x', 'bpmn/b.bpmn': 'x' }));
    assert.equal(folderName, null);
    assert.equal(files[0]?.path, 'bpmn/a.bpmn');
  });

  it('keeps any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (content) => {
        const [file] = readPackageArchive(zip({ 'a.bin': content })).files;
        assert.deepStrictEqual(Buffer.from(file?.content ?? []), Buffer.from(content));
      }),
    );
  });
});

describe('a hostile archive', () => {
  const bomb = zip({ 'a.bin': new Uint8Array(67_108_865) });
  const many = zip(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`f${index}`, ''])));
  const ok = zip({ 'aaaa.txt': 'hello', 'bbbb.txt': 'hello' });
  const packed = zip({ 'aaaa.txt': 'h'.repeat(1_000) });
  const liedSize = Buffer.from(packed);
  // The uncompressed size in the archive's directory, 24 bytes into the entry.
  const directoryAt = liedSize.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  liedSize.writeUInt32LE(10, directoryAt + 24);
  const grown = Buffer.from(liedSize);
  grown.writeUInt32LE(2_000, directoryAt + 24);
  const stored = zipSync({ 'a.txt': [strToU8('hello world'), { level: 0 }] });
  const flipped = replaced(stored, 'hello', 'jello');

  const rows: readonly (readonly [name: string, bytes: Uint8Array, code: string])[] = [
    ['no zip', strToU8('hello'), 'ARCHIVE_INVALID'],
    ['empty', new Uint8Array(), 'ARCHIVE_INVALID'],
    ['without files', zip({}), 'ARCHIVE_INVALID'],
    ['with nothing but hidden files', zip({ '.a': 'x' }), 'ARCHIVE_INVALID'],
    ['cut off', ok.subarray(0, ok.length - 30), 'ARCHIVE_INVALID'],
    ['that promises fewer bytes', liedSize, 'ARCHIVE_INVALID'],
    ['with a flipped bit', flipped, 'ARCHIVE_INVALID'],
    ['that promises more bytes', grown, 'ARCHIVE_INVALID'],
    ['with a bomb', bomb, 'TOO_LARGE'],
    ['with too many entries', many, 'TOO_LARGE'],
    ['with a path upwards', zip({ '../a': 'x' }), 'PATH_UNSAFE'],
    ['with an absolute path', zip({ '/a': 'x' }), 'PATH_UNSAFE'],
    ['with a backslash', zip({ 'a\\b': 'x' }), 'PATH_UNSAFE'],
    ['with a path twice', replaced(ok, 'bbbb', 'aaaa'), 'PATH_DUPLICATE'],
  ];
  for (const [name, bytes, code] of rows) {
    it(`is refused: ${name}`, () => {
      assert.equal(codeOf(bytes), `SUTRA.PACKAGE.${code}`);
    });
  }

  it('keeps __proto__ as a path like any other', () => {
    const archive = replaced(zip({ aaaaaaaaa: 'x', b: 'y' }), 'aaaaaaaaa', '__proto__');
    assert.equal(codeOf(archive), 'SUTRA.PACKAGE.ARCHIVE_INVALID');
    assert.equal(({} as { length?: number }).length, undefined);
  });

  it('never ends in anything but a coded refusal, however its bytes are damaged', () => {
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.nat(255), (at, byte) => {
        const damaged = Uint8Array.from(packed);
        damaged[at] = byte;
        codeOf(damaged);
      }),
      { numRuns: 500 },
    );
  });
});
