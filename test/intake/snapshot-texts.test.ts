import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Snapshot } from '../../engine/core/snapshot.ts';
import { SnapshotTexts } from '../../engine/intake/snapshot-texts.ts';

function snapshotOf(instanceId: string, note: string): Snapshot {
  return {
    formatVersion: 1,
    instanceId,
    deploymentId: 'dep-1',
    processId: 'p',
    status: 'running',
    nextSequence: 1,
    scopes: [{ id: 0, parentId: null, elementId: 'p', ownerTokenId: null, variables: { note } }],
    tokens: [],
    waits: [],
    aliases: [],
    replyTo: null,
    failure: null,
  };
}

const LARGE = 'x'.repeat(100_000);

test('a large snapshot is the same object again for the same text', () => {
  const texts = new SnapshotTexts();
  const text = texts.encode(snapshotOf('a', LARGE));
  const first = texts.decode('a', text);
  assert.deepEqual(first, snapshotOf('a', LARGE));
  assert.equal(texts.decode('a', encodeSnapshot(snapshotOf('a', LARGE))), first);
});

test('T1: another text of the same instance is decoded, whatever is remembered', () => {
  const texts = new SnapshotTexts();
  texts.encode(snapshotOf('a', LARGE));
  const other = encodeSnapshot(snapshotOf('a', `${LARGE}y`));
  assert.deepEqual(texts.decode('a', other), snapshotOf('a', `${LARGE}y`));
  assert.deepEqual(texts.decode('b', other), snapshotOf('a', `${LARGE}y`));
});

test('T2: what was used longest ago is forgotten, and is decoded anew', () => {
  const texts = new SnapshotTexts();
  const firstText = texts.encode(snapshotOf('first', LARGE));
  const first = texts.decode('first', firstText);
  for (let index = 0; index < 200; index += 1) texts.encode(snapshotOf(`n${String(index)}`, LARGE));
  const again = texts.decode('first', firstText);
  assert.notEqual(again, first);
  assert.deepEqual(again, first);
});

test('a large context is written the same a second time, and anew once it has changed', () => {
  const snapshot = snapshotOf('a', LARGE);
  const text = encodeSnapshot(snapshot);
  assert.equal(
    encodeSnapshot({ ...snapshot, nextSequence: 2 }),
    text.replace('"nextSequence":1', '"nextSequence":2'),
  );
  const [scope] = snapshot.scopes;
  assert.ok(scope !== undefined);
  const changed = { ...snapshot, scopes: [{ ...scope, variables: { note: `${LARGE}y` } }] };
  assert.equal(encodeSnapshot(changed), text.replace(LARGE, `${LARGE}y`));
});
