/** The models of the DMN TCK, where it is there: SUTRA_TEST_CORPUS, or `shared/corpus` beside the repository. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { compileItemTypes } from '../../../definitions/dmn/compile-item-types.ts';
import { dmnElements } from '../../../definitions/dmn/elements.ts';
import { readDmn, type DmnResult } from '../../../definitions/dmn/read-dmn.ts';
import { recordEvidence } from '../../support/evidence.ts';
import { readRefusals } from './read-refusal-rows.ts';

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const tck = `${corpus}/dmn-tck`;

function readAll(): readonly { readonly path: string; readonly content: Buffer }[] {
  return readdirSync(tck, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.dmn'))
    .map((path) => ({ path, content: readFileSync(`${tck}/${path}`) }));
}

if (existsSync(tck)) {
  describe('the models of the DMN TCK', () => {
    it('are read without an error, and so are their types', () => {
      const results = readAll().map(({ path, content }) => readDmn(path, content));
      const models = results.flatMap(({ model }) => model ?? []);
      const findings = [
        ...results.flatMap((result) => result.findings),
        ...compileItemTypes(models).findings,
      ];
      assert.deepEqual(
        findings.filter(({ severity }) => severity === 'error'),
        [],
      );
      assert.deepEqual(
        findings.map(({ code }) => code),
        ['SUTRA.DMN.LOGIC_MISSING'],
      );
      assert.ok(models.length >= 61 && models.length === results.length);
      assert.ok(models.flatMap(({ decisions }) => decisions).length >= 1_000);
      recordEvidence('corpus');
    });

    it('never throw when they were changed', () => {
      const texts = readAll()
        .filter(({ content }) => content.byteLength < 10_000)
        .map(({ content }) => content.toString('utf8'));
      assert.ok(texts.length >= 30);
      checkMutations(texts, 200);
    });
  });
}

describe('a file that was changed', () => {
  it('never throws, and every finding has its place', () => {
    const texts = readRefusals.map(({ text }) => text.replaceAll('▮', ''));
    checkMutations(texts, 400);
  });

  it('of any bytes never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        checkResult(readDmn('any.dmn', bytes));
      }),
      { numRuns: 100 },
    );
  });
});

type Mutation = (text: string) => string;

const at = fc.double({ min: 0, max: 1, noNaN: true });
const length = fc.integer({ min: 1, max: 120 });
const signs = [
  '<',
  '>',
  '/>',
  '"',
  '&',
  '&#',
  ']]>',
  '<![CDATA[',
  '<!--',
  '-->',
  '<?',
  ':',
  '#',
  '\u0000',
  '😀',
];

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(at, length).map(([from, count]): Mutation => (text) => {
    const start = Math.floor(from * text.length);
    return text.slice(0, start) + text.slice(start + count);
  }),
  fc.tuple(at, fc.constantFrom(...signs)).map(([from, sign]): Mutation => (text) => {
    const start = Math.floor(from * text.length);
    return text.slice(0, start) + sign + text.slice(start);
  }),
  // An element for another: the text stays well-formed and is read.
  fc.tuple(fc.nat(), fc.constantFrom(...dmnElements.keys())).map(([index, name]): Mutation => (text) => {
    const names = [...new Set([...text.matchAll(/<(\w+)[\s/>]/g)].map((match) => match[1] ?? ''))];
    const replaced = names[index % Math.max(names.length, 1)] ?? 'none';
    return text.replaceAll(new RegExp(`(</?)${replaced}(?=[\\s/>])`, 'g'), `$1${name}`);
  }),
  // An element taken out, with all that is inside.
  fc.nat().map((index): Mutation => (text) => {
    const leaves = [...text.matchAll(/<(\w+)[^<>]*(?:\/>|>[^<]*<\/\1>)/g)];
    const leaf = leaves[index % Math.max(leaves.length, 1)];
    return leaf === undefined ? text : text.slice(0, leaf.index) + text.slice(leaf.index + leaf[0].length);
  }),
  // An attribute's value for another of the file.
  fc.tuple(fc.nat(), fc.nat()).map(([index, other]): Mutation => (text) => {
    const values = [...text.matchAll(/"[^"<]*"/g)];
    const replaced = values[index % Math.max(values.length, 1)];
    const value = values[other % Math.max(values.length, 1)]?.[0] ?? '""';
    return replaced === undefined
      ? text
      : text.slice(0, replaced.index) + value + text.slice(replaced.index + replaced[0].length);
  }),
);

function checkMutations(texts: readonly string[], numRuns: number): void {
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      (text, mutations) => {
        const mutated = mutations.reduce((current, mutate) => mutate(current), text);
        checkResult(readDmn('changed.dmn', new TextEncoder().encode(mutated)));
      },
    ),
    { numRuns },
  );
}

function checkResult({ model, findings }: DmnResult): void {
  const typeFindings = model === null ? [] : compileItemTypes([model]).findings;
  for (const { code, message, place } of [...findings, ...typeFindings]) {
    assert.match(code, /^SUTRA\.(?:XML|DMN|FEEL)\./);
    assert.ok(message.length > 0 && message.length < 2_000);
    assert.ok(place.line !== undefined && place.line >= 1 && place.column !== undefined && place.column >= 1);
  }
  assert.ok(model !== null || findings.some(({ severity }) => severity === 'error'));
}
