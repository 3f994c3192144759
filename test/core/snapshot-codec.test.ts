/** Snapshots as text. Properties of the codec over real runs are in `properties.test.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeSnapshot, encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
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
  const variables = { text: 'a\0\ud800', number: 0.1 + 0.2, big: Number.MAX_SAFE_INTEGER };
  const { snapshot } = new Instance(processModel('p', [start('s'), userTask('a')], ['s -> a'])).start({
    variables,
  });
  assert.deepEqual(decodeSnapshot(encodeSnapshot(snapshot)).scopes[0]?.variables, variables);
});
