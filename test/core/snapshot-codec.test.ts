/** Snapshots as text. Properties of the codec over real runs are in `properties.test.ts`. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Decimal128 } from '../../definitions/feel/number.ts';
import type { Context, Value } from '../../definitions/value.ts';
import { Temporal } from '../../definitions/value.ts';
import {
  decodeSnapshot,
  encodeSnapshot,
  LARGE_VALUE_LENGTH,
  type ValueKeeper,
} from '../../engine/core/snapshot-codec.ts';
import type { Snapshot } from '../../engine/core/snapshot.ts';
import { start, userTask } from '../support/model-builder.ts';
import { processModel } from '../support/process-model.ts';
import { Instance } from './instance.ts';

test('the text of a snapshot is JSON whose properties are in the order of the type', () => {
  const { snapshot } = new Instance(processModel('p', [start('s'), userTask('a')], ['s -> a'])).start({
    variables: { x: 1 },
  });
  assert.equal(
    encodeSnapshot(snapshot),
    '{"formatVersion":1,"instanceId":"inst-1","deploymentId":"dep-1","processId":"p","status":"running","nextSequence":4,' +
      '"scopes":[{"id":0,"parentId":null,"elementId":"p","ownerTokenId":null,"variables":{"x":1}}],' +
      '"tokens":[{"id":2,"scopeId":0,"elementId":"a","state":"waiting","arrivedByFlowId":"s-a"}],' +
      '"waits":[{"kind":"user-task","id":3,"tokenId":2,"elementId":"a"}],' +
      '"aliases":[],"replyTo":null,"failure":null}',
  );
});

for (const text of ['null', '1', '{}', '{"formatVersion":2,"scopes":[]}', '[]']) {
  test(`the text ${text} is refused: it is no snapshot of this format`, () => {
    assert.throws(() => decodeSnapshot(text), { name: 'InvariantError' });
  });
}

test('a snapshot keeps lone surrogates, NUL characters and numbers exactly', () => {
  const number = new Decimal128('12345678901234567890.12');
  const variables = { text: 'a\0\ud800', short: 0.1, number, big: Number.MAX_SAFE_INTEGER };
  const { snapshot } = new Instance(processModel('p', [start('s'), userTask('a')], ['s -> a'])).start({
    variables,
  });
  assert.deepEqual(decodeSnapshot(encodeSnapshot(snapshot)).scopes[0]?.variables, variables);
});

/** Knows objects again, and strings never, as an engine does. */
class TextKeeper implements ValueKeeper {
  readonly texts = new Map<string, string>();
  readonly #ids = new WeakMap<object, string>();

  idOf(value: Value): string | null {
    return typeof value === 'object' && value !== null ? (this.#ids.get(value) ?? null) : null;
  }

  keep(value: Value, text: string): string {
    const id = `id-${text.length}-${text.slice(0, 40)}`;
    this.texts.set(id, text);
    if (typeof value === 'object' && value !== null) this.#ids.set(value, id);
    return id;
  }
}

describe('C4: large variables beside the text', () => {
  const snapshotWith = (...variables: readonly Context[]): Snapshot => ({
    formatVersion: 1,
    instanceId: 'i',
    deploymentId: 'd',
    processId: 'p',
    status: 'running',
    nextSequence: 9,
    scopes: variables.map((context, id) => ({
      id,
      parentId: id === 0 ? null : 0,
      elementId: 'p',
      ownerTokenId: null,
      variables: context,
    })),
    tokens: [],
    waits: [],
    aliases: [],
    replyTo: null,
    failure: null,
  });

  const filler = 'y'.repeat(LARGE_VALUE_LENGTH);
  const value = fc.oneof(
    fc.constantFrom<Value>(null, 1, 'small', new Temporal('date', '2026-03-01'), { a: [1] }),
    fc.constantFrom<Value>(filler, [filler, new Temporal('time', '10:00:00Z')], { $temporal: filler }, [
      filler,
    ]),
    fc.integer({ min: 0, max: LARGE_VALUE_LENGTH }).map((length) => 'z'.repeat(length)),
  );
  const name = fc.constantFrom('a', 'b', '1', '__proto__', '$temporal', 'largeValues');
  const variables = fc
    .uniqueArray(fc.tuple(name, value), { selector: ([key]) => key })
    .map(Object.fromEntries<Value>);

  test('are put back as they were, in their places, and written the same again', () => {
    fc.assert(
      fc.property(fc.array(variables, { minLength: 1, maxLength: 3 }), (contexts) => {
        const keeper = new TextKeeper();
        const snapshot = snapshotWith(...contexts);
        const text = encodeSnapshot(snapshot, keeper);
        const decoded = decodeSnapshot(text, keeper.texts);
        assert.deepEqual(decoded, snapshot);
        for (const [index, context] of contexts.entries()) {
          assert.deepEqual(Object.keys(decoded.scopes[index]?.variables ?? {}), Object.keys(context));
        }
        assert.equal(encodeSnapshot(decoded, new TextKeeper()), text);
        assert.equal(encodeSnapshot(snapshot, keeper), text);
        const longest = LARGE_VALUE_LENGTH * 6 * contexts.length + 2_000;
        assert.ok(text.length < longest, `${text.length} characters`);
        assert.ok(!text.includes(filler));
      }),
    );
  });

  test('one that is not there is said, not made up', () => {
    const keeper = new TextKeeper();
    const text = encodeSnapshot(snapshotWith({ a: filler }), keeper);
    assert.equal(decodeSnapshot(text, keeper.texts).scopes[0]?.variables['a'], filler);
    assert.throws(() => decodeSnapshot(text), { name: 'InvariantError' });
  });
});
