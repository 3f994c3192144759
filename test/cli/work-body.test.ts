/** A program gets a body as it was written, whatever is in it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseWithBodyBytes } from '../../cli/work/body-bytes.ts';

/** The bodies of the tasks of an answer. */
function bodiesOf(answer: string): readonly string[] {
  const { tasks } = parseWithBodyBytes(answer) as { tasks: readonly { bodyBase64?: string }[] };
  return tasks.map(({ bodyBase64 }) => Buffer.from(bodyBase64 ?? '', 'base64').toString());
}

const bodies: readonly string[] = [
  '{"n":12345678901234567890.10, "m": 1E+2 }',
  '{"a":1,"a":2}',
  '"a \\" quote \\\\"',
  '"\\u0000"',
  ' null ',
  '0',
  '-1.50e3',
  'true',
  '[]',
  '{}',
  '[[], {"]": "}"}, "[{"]',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
];

describe('the body of a task', () => {
  for (const body of bodies) {
    it(`is kept as it was written: ${body.slice(0, 40)}`, () => {
      const task = `{"id":"1","body":${body},"contentType":"application/json"}`;
      assert.deepEqual(bodiesOf(`{"tasks":[${task},{"contentType":"application/json","body":${body}}]}`), [
        body.trim(),
        body.trim(),
      ]);
    });
  }

  it('is found in any layout, among any fields', () => {
    const layouts = fc.constantFrom(undefined, 1, '\t');
    const tasks = fc.array(
      fc.record({ headers: fc.dictionary(fc.string(), fc.string()), body: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(tasks, layouts, (list, layout) => {
        const named = list.map((task) => ({ ...task, contentType: 'application/x+json' }));
        const found = bodiesOf(JSON.stringify({ more: [], tasks: named }, null, layout));
        assert.deepEqual(
          found.map((body) => JSON.parse(body) as unknown),
          JSON.parse(JSON.stringify(list.map(({ body }) => body))),
        );
      }),
    );
  });

  it('is its characters when it is text, and left alone when it is bytes', () => {
    assert.deepEqual(bodiesOf('{"tasks":[{"body":"a\\n\\u00e9","contentType":"text/plain"}]}'), ['a\né']);
    const bytes = '{"tasks":[{"bodyBase64":"/w==","contentType":"application/json"}]}';
    assert.deepEqual(parseWithBodyBytes(bytes), JSON.parse(bytes));
  });

  it('is looked for in a list of tasks alone', () => {
    for (const answer of [
      '[]',
      'null',
      '{}',
      '{"body":1}',
      '{"tasks":1}',
      '{"tasks":[]}',
      '{"tasks":[1,null]}',
    ]) {
      assert.deepEqual(parseWithBodyBytes(answer), JSON.parse(answer));
    }
    for (const answer of ['', '<html>', '{"tasks":[1,null']) {
      assert.throws(() => parseWithBodyBytes(answer), SyntaxError);
    }
  });
});
