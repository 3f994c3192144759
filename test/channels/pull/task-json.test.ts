import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LockedTask } from '../../../channels/pull/claim-plan.ts';
import { keepDiagnostic } from '../../../channels/pull/diagnostics.ts';
import { encodeFetchAnswer } from '../../../channels/pull/task-json.ts';

function taskOf(contentType: string, body: Uint8Array): LockedTask {
  return {
    group: 0,
    position: 1,
    id: '00000000-0000-4000-8000-000000000000',
    channel: 'score',
    tenant: 't',
    module: 'm',
    version: '1',
    deploymentId: 'd',
    processId: 'p',
    elementId: 'e',
    instanceId: 'i',
    idempotencyKey: 'k',
    headers: JSON.parse('{"__proto__":"x","quote":"\\""}') as Record<string, string>,
    contentType,
    body,
    generation: 1,
    retries: 3,
    priority: 0,
    lockExpiresAt: new Date(0),
    lockMs: 1,
    createdAt: new Date(0),
    deadline: null,
    lockToken: 'secret',
    tokenHash: new Uint8Array(32),
  };
}

test('a deadline is shown where there is one, and absent where there is none', () => {
  const task = taskOf('application/json', Buffer.from('1'));
  const shown = (deadline: Date | null): unknown =>
    (JSON.parse(encodeFetchAnswer([{ ...task, deadline }]).toString()) as { tasks: object[] }).tasks[0];
  assert.ok(!Object.hasOwn(shown(null) as object, 'deadline'));
  assert.equal((shown(new Date(1_500)) as { deadline: string }).deadline, '1970-01-01T00:00:01.500Z');
});

const table: readonly (readonly [string, string, string | Buffer, string])[] = [
  [
    'JSON is spliced in, numbers beyond 2^53 exact',
    'application/json',
    '{"n":9007199254740993}',
    '"body":{"n":9007199254740993}',
  ],
  ['white space around JSON is harmless', 'application/json; charset=utf-8', ' [1]\n', '"body": [1]\n}'],
  ['a +json type is JSON', 'application/vnd.x+json', 'null', '"body":null'],
  ['what only says that it is JSON is bytes', 'application/json', '{"a":', '"bodyBase64":"eyJhIjo="'],
  ['a second value after the first is bytes', 'application/json', '1,"x":2', '"bodyBase64":"MSwieCI6Mg=="'],
  ['an empty JSON body is bytes', 'application/json', '', '"bodyBase64":""'],
  ['text is a string', 'text/plain', 'a"ü', '"body":"a\\"ü"'],
  ['XML is a string', 'application/xml', '<a/>', '"body":"<a/>"'],
  ['text that is not UTF-8 is bytes', 'text/plain', Buffer.from([0xff]), '"bodyBase64":"/w=="'],
  ['text in another charset is bytes', 'text/plain; charset=iso-8859-1', 'a', '"bodyBase64":"YQ=="'],
  ['anything else is bytes', 'application/octet-stream', 'a', '"bodyBase64":"YQ=="'],
  ['a content type that is none is bytes', 'nonsense', 'a', '"bodyBase64":"YQ=="'],
];
for (const [title, contentType, body, expected] of table) {
  test(title, () => {
    const text = encodeFetchAnswer([taskOf(contentType, Buffer.from(body))]).toString('utf8');
    assert.ok(text.includes(expected), text);
    const parsed = JSON.parse(text) as { tasks: Record<string, unknown>[] };
    assert.deepEqual(Object.keys(parsed.tasks[0]?.['headers'] ?? {}), ['__proto__', 'quote']);
  });
}

test('no tasks is an empty list', () => {
  assert.equal(encodeFetchAnswer([]).toString('utf8'), '{"tasks":[]}');
});

test('the answer is valid JSON with the same bodies, whatever the bytes', () => {
  const contentTypes = fc.constantFrom('application/json', 'text/plain', 'application/octet-stream', 'x');
  const bodies = fc.oneof(
    fc.uint8Array(),
    fc.json().map((text) => new TextEncoder().encode(text)),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(contentTypes, bodies), { maxLength: 5 }), (inputs) => {
      const encoded = encodeFetchAnswer(inputs.map(([contentType, body]) => taskOf(contentType, body)));
      const { tasks } = JSON.parse(encoded.toString('utf8')) as { tasks: Record<string, unknown>[] };
      assert.equal(tasks.length, inputs.length);
      for (const [index, [contentType, body]] of inputs.entries()) {
        const task = tasks[index] ?? {};
        const given = Buffer.from(body);
        if (typeof task['bodyBase64'] === 'string') {
          assert.deepEqual(Buffer.from(task['bodyBase64'], 'base64'), given);
        } else if (contentType === 'text/plain') {
          assert.equal(task['body'], given.toString('utf8'));
        } else {
          assert.deepEqual(task['body'], JSON.parse(given.toString('utf8')));
        }
      }
    }),
  );
});

test('a diagnostic is never longer than its bound, well-formed, and says when it was cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.boolean(), (text, hasNul) => {
      const given = hasNul ? `\u0000${text}\ud83d` : text;
      const kept = keepDiagnostic(given, 200);
      assert.ok(kept.text.length <= 200);
      assert.ok(kept.text.isWellFormed() && !kept.text.includes('\u0000'));
      assert.equal(kept.isTruncated, given.length > 200);
      const cut = /\[(\d+) more characters were cut\]$/.exec(kept.text)?.[1];
      if (kept.isTruncated) assert.equal(kept.text.lastIndexOf(' [') + Number(cut), given.length);
    }),
  );
});

test('a cut never splits a pair', () => {
  const kept = keepDiagnostic('😀'.repeat(100), 141);
  assert.doesNotMatch(kept.text, /\ufffd/);
});
