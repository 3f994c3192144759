/** The inputs: reproducible, of all kinds, and made in little time. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileBpmn } from '../../definitions/bpmn/compile.ts';
import { byteMutations } from './byte-mutations.ts';
import { makeInput } from './make-input.ts';
import { minimise } from './minimise.ts';
import { modelMutations } from './model-mutations.ts';
import { Random } from './random.ts';
import { readRegressions, regressionRow } from './regressions.ts';
import { sizeMutations } from './size-mutations.ts';
import { loadSources } from './sources.ts';
import { xmlMutations } from './xml-mutations.ts';

/** Without the corpus: the same on every machine. */
const sources = { ...loadSources(), corpus: [] };

describe('an input', () => {
  test('is the same for equal seed and index, and another for others', () => {
    const indices = Array.from({ length: 200 }, (_, index) => index);
    const make = (index: number): string =>
      Buffer.from(makeInput(sources, 7, index).bytes).toString('latin1');
    const texts = indices.map(make);
    // In another order: no input leaves anything behind for the next.
    assert.deepEqual(indices.toReversed().map(make), texts.toReversed());
    assert.ok(new Set(texts).size > 190);
  });

  test('of a seed file is mutated by every mutation in turn', () => {
    const done = new Set<string>();
    for (let index = 0; index < 3_000; index += 1) {
      makeInput(sources, 3, index).mutations.forEach((name) => done.add(name));
    }
    const all = [...byteMutations, ...xmlMutations, ...modelMutations, ...sizeMutations].map(
      ({ name }) => name,
    );
    assert.deepEqual(
      all.filter((name) => !done.has(name)),
      [],
    );
  });

  test('changes with its mutation: each one leaves other bytes most of the time', () => {
    for (const { name, apply } of [...xmlMutations, ...modelMutations, ...sizeMutations]) {
      let changedCount = 0;
      for (let round = 0; round < 40; round += 1) {
        const random = new Random(name, round);
        const { text } = random.pick(sources.seeds);
        if (apply(text, random, () => random.pick(sources.seeds).text) !== text) changedCount += 1;
      }
      assert.ok(changedCount >= 10, `${name} changed ${changedCount} of 40 texts`);
    }
  });
});

describe('random numbers', () => {
  test('stay within what was asked for and reach all of it', () => {
    const random = new Random(1);
    const drawn = Array.from({ length: 2_000 }, () => random.between(3, 6));
    assert.deepEqual([...new Set(drawn)].sort(), [3, 4, 5, 6]);
    const sizes = Array.from({ length: 2_000 }, () => random.magnitude(10, 1_000));
    assert.ok(sizes.every((size) => size >= 10 && size <= 1_000));
  });
});

describe('minimising', () => {
  test('leaves what makes the file fail', async () => {
    const text = Buffer.from(sources.seeds.find(({ name }) => name === 'seeds/waits.bpmn')?.bytes ?? '');
    const broken = Buffer.from(text.toString().replace('attachedToRef="call"', 'attachedToRef="none"'));
    const fails = async (bytes: Uint8Array): Promise<boolean> =>
      compileBpmn({ path: 'a.bpmn', content: bytes }).findings.some(
        ({ code }) => code === 'SUTRA.BPMN.REFERENCE_DANGLING',
      );
    assert.ok(await fails(broken));
    const small = await minimise(broken, fails, performance.now() + 20_000);
    assert.ok(await fails(small));
    assert.ok(small.length < 200, Buffer.from(small).toString());
  });
});

describe('regressions', () => {
  test('can be written and read, text and bytes', () => {
    for (const bytes of [Buffer.from('a\t"\n\u0000é'), Buffer.from([0xff, 0x00, 0x80])]) {
      const row = regressionRow({ name: 'n', seed: 1, index: 2, bytes });
      const [read] = readRegressions(`name\tseed\tindex\tinput\n${row}\n`);
      assert.deepEqual(
        { ...read, bytes: Buffer.from(read?.bytes ?? '') },
        { name: 'n', seed: 1, index: 2, bytes },
      );
    }
  });
});
