import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readScenario, readScenarios } from '../../../definitions/scenarios/read-scenario.ts';
import type { Scenario } from '../../../definitions/scenarios/scenario.ts';
import { call, flows, packageFiles } from '../../support/packages.ts';
import { filesOf, modelOf, namedTexts } from './scenario-package.ts';

const model = modelOf(namedTexts);
const path = 'scenarios/one.yaml';

function read(text: string): ReturnType<typeof readScenario> {
  const [file] = filesOf({ [path]: text });
  assert.ok(file !== undefined);
  return readScenario(file, model);
}

function readGood(text: string): Scenario {
  const { scenarios, findings } = read(text);
  assert.deepEqual(findings, []);
  const [scenario] = scenarios;
  assert.ok(scenario !== undefined);
  return scenario;
}

/** With a step and an expectation, so that only `more` can be wrong. It begins at line 4. */
function withGood(more: string): string {
  return `name: one\nsend: { channel: orders, body: 1 }\nexpect: { status: completed }\n${more}`;
}

describe('a scenario that is right', () => {
  it('has its steps in order: what begins it, then what comes later', () => {
    const { steps, startsAtMs } = readGood(`
name: all steps
at: 2031-02-03T04:05:06Z
start: { process: plain, variables: { a: 1.50 }, business-key: B-1 }
signal: { name: stop, payload: [1, null] }
send:
  - { channel: orders, body: { id: A-1 }, headers: { Idempotency-Key: one }, type: order.placed }
  - { channel: orders, text: hello, refused: SUTRA.X }
later:
  - after: PT1M30S
  - send: { channel: orders, base64: AAH/, content-type: image/png, duplicate: true }
  - complete: { element: approve, variables: { ok: true } }
  - start: { process: plain }
expect: { instances: 2 }
`);
    assert.equal(startsAtMs, Date.UTC(2031, 1, 3, 4, 5, 6));
    const shown = steps.map(({ place: _, ...step }) =>
      step.kind === 'send' ? { ...step, body: Buffer.from(step.body).toString('latin1') } : step,
    );
    const sent = { kind: 'send', channel: 'orders' };
    assert.deepEqual(shown, [
      { kind: 'start', process: 'plain', variables: { a: 1.5, businessKey: 'B-1' } },
      { kind: 'signal', name: 'stop', payload: [1, null] },
      {
        ...sent,
        contentType: 'application/json',
        body: '{"id":"A-1"}',
        headers: { 'idempotency-key': 'one', 'ce-type': 'order.placed' },
        becomes: 'accepted',
      },
      {
        ...sent,
        contentType: 'text/plain; charset=utf-8',
        body: 'hello',
        headers: {},
        becomes: { refused: 'SUTRA.X' },
      },
      { kind: 'after', durationMs: 90_000 },
      { ...sent, contentType: 'image/png', body: '\u0000\u0001\u00ff', headers: {}, becomes: 'duplicate' },
      { kind: 'complete', element: 'approve', variables: { ok: true } },
      { kind: 'start', process: 'plain', variables: {} },
    ]);
  });

  it('sends the digits of a number as they were written', () => {
    const [step] = readGood(`
name: exact
send: { channel: orders, body: { sum: 12345678901234567890.10, "no": -0.5e3, list: [~, "07", yes] } }
expect: { status: completed }
`).steps;
    assert.ok(step?.kind === 'send');
    const json = new TextDecoder().decode(step.body);
    assert.equal(json, '{"sum":12345678901234567890.10,"no":-0.5e3,"list":[null,"07","yes"]}');
  });

  it('sends any JSON as it is', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (json) => {
        const [step] = readGood(
          `name: any\nsend: { channel: orders, body: ${json} }\nexpect: { instances: 1 }`,
        ).steps;
        assert.ok(step?.kind === 'send');
        assert.deepEqual(JSON.parse(new TextDecoder().decode(step.body)), JSON.parse(json));
      }),
    );
  });

  it('begins on a Monday morning, whatever day it is', () => {
    assert.equal(new Date(readGood(withGood('')).startsAtMs).toISOString(), '2030-01-07T09:00:00.000Z');
  });

  it('answers always with a single answer, and once with one of a list', () => {
    const { answers } = readGood(
      withGood(`workers:
  work: { result: { n: 1 } }
  bank:
    - { failure: down, when: "=body.sum > 1" }
    - { status: 204, times: 3 }
    - { left-open: true, times: always }
  registered:print: { result-expression: "={ n: body.n + attempt }", times: 2 }
`),
    );
    const shown = [...answers].map(([channel, listed]) => [
      channel,
      listed.answers.map(({ times, outcome, when }) => [times, outcome.kind, when?.text ?? null]),
    ]);
    assert.deepEqual(shown, [
      ['work', [[null, 'result', null]]],
      [
        'bank',
        [
          [1, 'failure', 'body.sum > 1'],
          [3, 'result', null],
          [null, 'left-open', null],
        ],
      ],
      ['registered:print', [[2, 'result', null]]],
    ]);
  });

  it('ends a task in a BPMN error, with what comes with it', () => {
    const { answers } = readGood(
      `name: one\nsend: { channel: orders }\nexpect: { failure: SUTRA.BPMN_ERROR.UNCAUGHT }
workers:
  work:
    - { bpmn-error: { code: DECLINED, message: no cover, variables: { sum: 1.50 } }, when: "=body.sum > 1" }
    - { bpmn-error: { code: "${'x'.repeat(255)}", message: "" }, times: always }
`,
    );
    assert.deepEqual(
      answers.get('work')?.answers.map(({ outcome, times }) => ({ ...outcome, times })),
      [
        {
          kind: 'bpmn-error',
          code: 'DECLINED',
          codePlace: { file: path, line: 6, column: 29 },
          message: 'no cover',
          variables: { sum: 1.5 },
          times: 1,
        },
        {
          kind: 'bpmn-error',
          code: 'x'.repeat(255),
          codePlace: { file: path, line: 7, column: 29 },
          message: '',
          variables: null,
          times: null,
        },
      ],
    );
  });

  it('names a BPMN error that the package catches, or any where an event catches every error', () => {
    const catching = (errors: string): ReturnType<typeof modelOf> =>
      modelOf(
        packageFiles({
          channels: '  - { name: work, transport: pull }',
          definitions: '<error id="e" errorCode="DECLINED"/>',
          processes: {
            p: `<startEvent id="begin"/>${call('work-it', 'work')}<boundaryEvent id="caught" attachedToRef="work-it">${errors}</boundaryEvent>
<endEvent id="end"/><endEvent id="other"/>${flows('begin -> work-it', 'work-it -> end', 'caught -> other')}`,
          },
        }),
      );
    const codesOf = (errors: string, code: string, status = 'completed'): readonly string[] => {
      const text = `name: x\nstart: { process: p }\nworkers: { work: { bpmn-error: { code: ${code} } } }\nexpect: { ${status} }`;
      const [file] = filesOf({ [path]: text });
      assert.ok(file !== undefined);
      return readScenario(file, catching(errors)).findings.map(({ message }) => message);
    };
    const one = '<errorEventDefinition errorRef="e"/>';
    assert.deepEqual(codesOf(one, 'DECLINED', 'status: completed'), []);
    const [finding, ...others] = codesOf(one, 'DECLINE', 'status: completed');
    assert.match(finding ?? '', /no event that catches the BPMN error "DECLINE"; the nearest is "DECLINED"/);
    assert.deepEqual(others, []);
    assert.deepEqual(codesOf(one, 'DECLINE', 'failure: SUTRA.BPMN_ERROR.UNCAUGHT'), []);
    const inOthers = 'others: [{ process: p, failure: SUTRA.BPMN_ERROR.UNCAUGHT }]';
    assert.deepEqual(codesOf(one, 'DECLINE', inOthers), []);
    assert.deepEqual(codesOf('<errorEventDefinition/>', 'DECLINE', 'status: completed'), []);
  });

  it('knows where each expectation stands', () => {
    const { expect } = readGood(
      `name: one\nsend: { channel: orders }\nexpect:\n  path: [start, work-it]\n  variables: { a: null }\n`,
    );
    const place = (line: number, column: number): object => ({ file: path, line, column });
    assert.deepEqual(expect.path, [
      { value: 'start', place: place(4, 10) },
      { value: 'work-it', place: place(4, 17) },
    ]);
    assert.deepEqual([...expect.variables], [['a', { value: null, place: place(5, 19) }]]);
  });
});

describe('what is wrong in a scenario is found with its place', () => {
  const rows: readonly (readonly [string, string, string, number, number, RegExp])[] = [
    ['not YAML', 'a: [', 'YAML_INVALID', 1, 5, /cannot be read/],
    ['an alias', withGood('at: &a x'), 'YAML_INVALID', 4, 8, /anchors/],
    ['a list', '- a', 'VALUE_INVALID', 1, 1, /must be a mapping/],
    [
      'no name',
      'send: { channel: orders }\nexpect: { instances: 1 }',
      'KEY_MISSING',
      1,
      1,
      /needs the key name/,
    ],
    ['nothing expected', 'name: x\nsend: { channel: orders }', 'KEY_MISSING', 1, 1, /needs the key expect/],
    [
      'an empty expectation',
      'name: x\nsend: { channel: orders }\nexpect: {}',
      'KEY_MISSING',
      3,
      9,
      /says nothing/,
    ],
    [
      'nothing that happens',
      'name: x\nexpect: { instances: 1 }',
      'KEY_MISSING',
      1,
      1,
      /something that happens/,
    ],
    ['a wrong key', withGood('worker: {}'), 'KEY_UNKNOWN', 4, 1, /nearest is workers/],
    [
      'a wrong key of a message',
      'name: x\nsend: { chanel: orders }\nexpect: { instances: 1 }',
      'KEY_UNKNOWN',
      2,
      9,
      /nearest is channel/,
    ],
    [
      'a message without a channel',
      withGood('later: [{ send: { body: 1 } }]'),
      'KEY_MISSING',
      4,
      17,
      /needs the key channel/,
    ],
    [
      'two bodies',
      withGood('later: [{ send: { channel: orders, body: 1, text: a } }]'),
      'KEY_CONFLICT',
      4,
      51,
      /only one of body/,
    ],
    [
      'no base64',
      withGood('later: [{ send: { channel: orders, base64: "a=" } }]'),
      'VALUE_INVALID',
      4,
      44,
      /no base64/,
    ],
    [
      'a number that JSON does not have',
      withGood('later: [{ send: { channel: orders, body: [.inf] } }]'),
      'VALUE_INVALID',
      4,
      43,
      /no number that JSON can say/,
    ],
    [
      'a step of two kinds',
      withGood('later: [{ after: PT1S, send: { channel: orders } }]'),
      'KEY_CONFLICT',
      4,
      9,
      /one step for each/,
    ],
    ['a step of no kind', withGood('later: [{}]'), 'KEY_MISSING', 4, 9, /needs one of after, send/],
    [
      'a duration of another kind',
      withGood('later: [{ after: 5m }]'),
      'VALUE_INVALID',
      4,
      18,
      /ISO-8601 duration/,
    ],
    [
      'an instant without an offset',
      withGood('at: 2030-01-07T09:00:00'),
      'VALUE_INVALID',
      4,
      5,
      /must be an instant/,
    ],
    [
      'an answer that is none',
      withGood('workers: { work: { when: "=true" } }'),
      'KEY_MISSING',
      4,
      18,
      /needs one of result/,
    ],
    [
      'two answers in one',
      withGood('workers: { work: { result: 1, failure: a } }'),
      'KEY_CONFLICT',
      4,
      40,
      /only one of result/,
    ],
    [
      'retries of a result',
      withGood('workers: { work: { result: 1, retries: 2 } }'),
      'KEY_CONFLICT',
      4,
      40,
      /nothing without a failure/,
    ],
    [
      'a condition over what it cannot see',
      withGood('workers: { work: { when: "=x > 1", result: 1 } }'),
      'VALUE_INVALID',
      4,
      26,
      /can only see body/,
    ],
    [
      'a condition that is no FEEL',
      withGood('workers: { work: { when: "=1 +", result: 1 } }'),
      '',
      4,
      31,
      /./,
    ],
    [
      'another status',
      'name: x\nsend: { channel: orders }\nexpect: { status: done }',
      'VALUE_INVALID',
      3,
      19,
      /running, completed/,
    ],
    [
      'a failure of what has completed',
      'name: x\nsend: { channel: orders }\nexpect: { status: completed, failure: A }',
      'KEY_CONFLICT',
      3,
      39,
      /cannot be completed/,
    ],
    [
      'a channel that is not there',
      withGood('later: [{ send: { channel: order } }]'),
      'NAME_UNKNOWN',
      4,
      17,
      /no channel "order"; the nearest is "orders"/,
    ],
    [
      'an inbound channel that is answered',
      withGood('workers: { orders: { result: 1 } }'),
      'NAME_UNKNOWN',
      4,
      12,
      /no pull channel or outbound HTTP channel "orders"/,
    ],
    [
      'a function that nobody calls',
      withGood('workers: { "registered:prin": { result: 1 } }'),
      'NAME_UNKNOWN',
      4,
      12,
      /the nearest is "registered:print"/,
    ],
    [
      'a status of a worker',
      withGood('workers: { work: { result: 1, status: 201 } }'),
      'KEY_CONFLICT',
      4,
      18,
      /a worker answers, and it is for an HTTP peer/,
    ],
    [
      'retries of a peer',
      withGood('workers: { bank: { failure: away, retries: 1 } }'),
      'KEY_CONFLICT',
      4,
      18,
      /an HTTP peer answers/,
    ],
    [
      'the code of a worker',
      withGood('workers: { work: { failure: away, code: A } }'),
      'KEY_CONFLICT',
      4,
      18,
      /it is for a function/,
    ],
    [
      'a BPMN error of a peer',
      withGood('workers: { bank: { bpmn-error: { code: A } } }'),
      'KEY_CONFLICT',
      4,
      18,
      /an HTTP peer answers, and it is for a worker or a function/,
    ],
    [
      'a BPMN error that nothing catches',
      withGood('workers: { work: { bpmn-error: { code: A } } }'),
      'NAME_UNKNOWN',
      4,
      40,
      /no event that catches the BPMN error "A"; expect failure: SUTRA.BPMN_ERROR.UNCAUGHT/,
    ],
    [
      'a BPMN error without a code',
      withGood('workers: { work: { bpmn-error: { message: no } } }'),
      'KEY_MISSING',
      4,
      32,
      /bpmn-error of the answer on "work" needs the key code/,
    ],
    [
      'a BPMN error that is only a code',
      withGood('workers: { work: { bpmn-error: A } }'),
      'VALUE_INVALID',
      4,
      32,
      /must be a mapping of keys/,
    ],
    [
      'an empty code',
      withGood('workers: { work: { bpmn-error: { code: "" } } }'),
      'VALUE_INVALID',
      4,
      40,
      /code of bpmn-error .* has 0 characters; it must have 1 to 255/,
    ],
    [
      'a code that is too long',
      withGood(`workers: { work: { bpmn-error: { code: ${'x'.repeat(256)} } } }`),
      'VALUE_INVALID',
      4,
      40,
      /has 256 characters/,
    ],
    [
      'a code that is a number',
      withGood('workers: { work: { bpmn-error: { code: 42 } } }'),
      'VALUE_INVALID',
      4,
      40,
      /text \(in quotes/,
    ],
    [
      'a message of a BPMN error that is too long',
      withGood(`workers: { work: { bpmn-error: { code: A, message: ${'x'.repeat(4_001)} } } }`),
      'VALUE_INVALID',
      4,
      52,
      /has 4001 characters; it must have 0 to 4000/,
    ],
    [
      'variables of a BPMN error that are none',
      withGood('workers: { work: { bpmn-error: { code: A, variables: [1] } } }'),
      'VALUE_INVALID',
      4,
      54,
      /mapping of names to values/,
    ],
    [
      'a wrong key of a BPMN error',
      withGood('workers: { work: { bpmn-error: { code: A, mesage: no } } }'),
      'KEY_UNKNOWN',
      4,
      43,
      /nearest is message/,
    ],
    [
      'a BPMN error and a result',
      withGood('workers: { work: { result: 1, bpmn-error: { code: A } } }'),
      'KEY_CONFLICT',
      4,
      43,
      /only one of result/,
    ],
    [
      'retries of a BPMN error',
      withGood('workers: { work: { bpmn-error: { code: A }, retries: 2 } }'),
      'KEY_CONFLICT',
      4,
      54,
      /nothing without a failure/,
    ],
    [
      'a process that is not there',
      withGood('later: [{ start: { process: plane } }]'),
      'NAME_UNKNOWN',
      4,
      18,
      /no process "plane"; the nearest is "plain"/,
    ],
    [
      'an element that is not there',
      'name: x\nsend: { channel: orders }\nexpect: { path: [start, workit] }',
      'NAME_UNKNOWN',
      3,
      25,
      /the nearest is "work-it"/,
    ],
    [
      'a task that is not there',
      withGood('later: [{ complete: { element: aprove } }]'),
      'NAME_UNKNOWN',
      4,
      21,
      /the nearest is "approve"/,
    ],
  ];
  for (const [name, text, code, line, column, message] of rows) {
    it(name, () => {
      const { scenarios, findings } = read(text);
      assert.deepEqual(scenarios, []);
      const [first] = findings;
      assert.ok(first !== undefined, 'a finding');
      if (code !== '') assert.equal(first.code, `SUTRA.SCENARIO.${code}`);
      assert.deepEqual(first.place, { file: path, line, column });
      assert.match(first.message, message);
    });
  }

  it('whatever the text is: it never throws, and says something of what it does not take', () => {
    const good = withGood(`later: [{ after: PT1S }, { send: { channel: orders, body: [1, { a: b }] } }]
workers: { work: [{ when: "=body.x > 1", result: { n: 1 }, times: 2 }], bank: { status: 200, text: a } }`);
    const cut = fc.tuple(fc.nat(good.length), fc.nat(20), fc.string({ maxLength: 8 }));
    fc.assert(
      fc.property(cut, ([from, length, put]) => {
        const { scenarios, findings } = read(good.slice(0, from) + put + good.slice(from + length));
        assert.equal(scenarios.length === 0, findings.length > 0);
        for (const { code, place } of findings)
          assert.ok(code.startsWith('SUTRA.') && (place.line ?? 0) >= 1);
      }),
      { numRuns: 500 },
    );
  });

  it('all faults of all files, and the scenarios of the good ones', () => {
    const files = filesOf({
      'scenarios/a.yaml': withGood('x: 1\ny: 2'),
      'scenarios/sub/b.yml': withGood(''),
      'scenarios/notes.md': '- not one',
      'flows/c.yaml': 'steps: []',
    });
    const { scenarios, findings } = readScenarios(files, model);
    assert.deepEqual(
      scenarios.map(({ file }) => file),
      ['scenarios/sub/b.yml'],
    );
    assert.deepEqual(
      findings.map(({ place }) => [place.file, place.line]),
      [
        ['scenarios/a.yaml', 4],
        ['scenarios/a.yaml', 5],
      ],
    );
  });
});
