/** Where the texts of a flow say that they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Flow } from '../../../definitions/flows/flow.ts';
import type { Written } from '../../../definitions/written.ts';
import { rightFlows, read } from './flow-texts.ts';

function isWritten(value: object): value is Written {
  return 'text' in value && 'inside' in value;
}

/** All texts of a tree, with the keys that lead to each. */
function writtenIn(value: unknown, path = ''): readonly (readonly [path: string, written: Written])[] {
  if (typeof value !== 'object' || value === null) return [];
  if (isWritten(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, part]) => writtenIn(part, `${path}/${key}`));
}

function flowOf(text: string): Flow {
  const { flow, findings } = read(text);
  assert.deepEqual(findings, []);
  assert.ok(flow !== null);
  return flow;
}

const text = `id: order
name: "Order scoring"
variables:
  card: { type: text }
steps:
  - start: orders
    alias:
      order-id: =order.id
  - call: score
    name: 'Score it'
    input:
      amount: |
        =order.amount
          + 1
      "two words": >-
        =order.a
        + order.b
    timeout: PT5M
  - choose:
      - when: =score > 700
        steps: [ send: out ]
  - try:
      - call: b
    on-error: { code: X }
`;

const expected: readonly (readonly [path: string, text: string, line: number, column: number])[] = [
  ['/id', 'order', 1, 5],
  ['/name', 'Order scoring', 2, 7],
  ['/variables/0/name', 'card', 4, 3],
  ['/variables/0/type', 'text', 4, 17],
  ['/starts/0/id', 'start', 6, 5],
  ['/starts/0/trigger/source/channel', 'orders', 6, 12],
  ['/starts/0/trigger/aliases/0/name', 'order-id', 8, 7],
  ['/starts/0/trigger/aliases/0/expression', '=order.id', 8, 17],
  ['/steps/0/id', 'score-it', 9, 5],
  ['/steps/0/name', 'Score it', 10, 11],
  ['/steps/0/target', 'score', 9, 11],
  ['/steps/0/input/0/name', 'amount', 12, 7],
  ['/steps/0/input/0/value', '=order.amount\n  + 1', 12, 15],
  ['/steps/0/input/1/name', 'two words', 15, 7],
  ['/steps/0/input/1/value', '=order.a + order.b', 15, 20],
  ['/steps/0/timeout', 'PT5M', 18, 14],
  ['/steps/1/id', 'choose-score-700', 19, 5],
  ['/steps/1/cases/0/when', '=score > 700', 20, 15],
  ['/steps/1/cases/0/steps/0/id', 'send-out', 21, 18],
  ['/steps/1/cases/0/steps/0/message/channel', 'out', 21, 24],
  ['/steps/2/id', 'try', 22, 5],
  ['/steps/2/steps/0/id', 'call-b', 23, 9],
  ['/steps/2/steps/0/target', 'b', 23, 15],
  ['/steps/2/handlers/0/id', 'try-on-error-x', 24, 15],
  ['/steps/2/handlers/0/code', 'X', 24, 23],
];

test('every text has the place of its value or key', () => {
  assert.deepEqual(
    writtenIn(flowOf(text)).map(([path, written]) => {
      const { line, column } = written.place();
      return [path, written.text, line, column];
    }),
    expected,
  );
});

test('every step has the place where it begins', () => {
  assert.deepEqual(
    flowOf(text).steps.map(({ place }) => place()),
    [9, 19, 22].map((line) => ({ file: 'flows/test.yaml', line, column: 5 })),
  );
});

test('every character of an expression has its place', () => {
  const lines = text.split('\n');
  const values = writtenIn(flowOf(text)).filter(([path]) => /value|when|expression/.test(path));
  assert.equal(values.length, 4);
  for (const [, written] of values) {
    for (const [index, character] of Array.from(written.text).entries()) {
      if (character.trim() === '') continue;
      const { line = 0, column = 0 } = written.inside(index);
      assert.equal(lines[line - 1]?.[column - 1], character, `${written.text} at ${index}`);
    }
  }
});

test('no text of a right flow is at a place that the file does not have', () => {
  for (const right of rightFlows) {
    const lines = right.split('\n');
    for (const [path, written] of writtenIn(flowOf(right))) {
      const { line = 0, column = 0 } = written.place();
      assert.ok(column <= (lines[line - 1] ?? '').length, `${path} of ${right}`);
    }
  }
});
