/** Faults of flows that the checks of BPMN find: each with its place in the YAML file. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Finding } from '../../../config/engine-error.ts';
import { compileFlow } from '../../../definitions/flows/compile-flow.ts';
import { compilePackage } from '../../../definitions/package.ts';
import { readMarks } from '../bpmn/marked-file.ts';
import { testDecisions } from '../bpmn/test-decisions.ts';

function compile(text: string): ReturnType<typeof compileFlow> {
  const content = new TextEncoder().encode(text);
  return compileFlow({ path: 'flows/p.yaml', content }, { decisions: testDecisions });
}

const shown = ({ code, place }: Finding): readonly unknown[] => [
  code.replace('SUTRA.', ''),
  place.file,
  place.line,
  place.column,
  place.elementId,
];

/** What is wrong with the steps, where `▮` marks it, in the element. */
const faults: readonly (readonly [name: string, steps: string, code: string, elementId: string])[] = [
  ['a header twice', '- call: a\n  headers: { a: =1, ▮A: =1 }', 'Q.NAME_DUPLICATE', 'call-a'],
  [
    'a header of a function',
    '- call: registered:a\n  headers: { ▮b: =1 }',
    'Q.ELEMENT_MISPLACED',
    'call-registered-a',
  ],
  [
    'an alias',
    '- wait: a\n  alias: { ▮k: { expression: =1, unique: true, multi: true } }',
    'Q.ATTRIBUTES_EXCLUSIVE',
    'wait-a',
  ],
  ['a timer', '- wait: { timer: { after: ▮PT5X } }\n  id: a', 'BPMN.TIMER_INVALID', 'a'],
  ['a decision that is not there', '- decide: ▮Nothing', 'BPMN.DECISION_UNKNOWN', 'decide-nothing'],
  [
    'an input of a decision',
    '- decide: Risk\n  input: { ▮nothing: =1 }',
    'BPMN.DECISION_INPUT_UNKNOWN',
    'decide-risk',
  ],
  ['a process that is none', '- flow: ▮"a b"\n  id: a', 'BPMN.CALLED_ELEMENT_INVALID', 'a'],
  ['a code that is an expression', '- fail: ▮=code\n  id: a', 'BPMN.NAME_NOT_LITERAL', 'a'],
  [
    'a handler for what another one catches',
    `- try: [ { call: a } ]
  on-error:
    - { code: X, id: b, steps: [ { end: b1 } ] }
    - ▮{ code: X, id: c, steps: [ { end: c1 } ] }`,
    'BPMN.ERROR_CATCH_DUPLICATE',
    'c',
  ],
  [
    'a part that is undone where it cannot be',
    `- try: [ { try: [ { call: a } ], id: b, compensate: [ { call: c } ] } ]
- compensate: ▮b`,
    'BPMN.COMPENSATION_ACTIVITY_INVALID',
    'compensate-b',
  ],
  ['a step behind an end', '- end: a\n- ▮call: b', 'FLOWS.UNREACHABLE', 'call-b'],
  [
    'the id of a join',
    '- choose: [ { when: =x, steps: [ { call: a } ] } ]\n  id: c\n- call: b\n  id: ▮c-join',
    'FLOWS.ID_TAKEN',
    'c-join',
  ],
  [
    'the id of the end of a part',
    '- try: [ { call: a } ]\n  id: c\n- call: b\n  id: ▮c-end',
    'FLOWS.ID_TAKEN',
    'c-end',
  ],
  [
    'the id of the end of a branch',
    '- parallel: { any: [ [ { call: a } ], [ { call: d } ] ] }\n  id: c\n- call: b\n  id: ▮c-won-2',
    'FLOWS.ID_TAKEN',
    'c-won-2',
  ],
];

/** Of a package: where, and what is found. */
const uses: readonly (readonly [name: string, steps: string, code: string])[] = [
  ['a channel of a call', '- ▮call: nowhere', 'PACKAGE.CHANNEL_UNKNOWN'],
  ['a channel of a message', '- send: ▮nowhere', 'PACKAGE.CHANNEL_UNKNOWN'],
  ['a channel that is waited for', '- wait: ▮nowhere', 'PACKAGE.CHANNEL_UNKNOWN'],
  ['a channel that only brings messages', '- send: ▮orders', 'PACKAGE.CHANNEL_DIRECTION'],
  ['a flow of another package', '- ▮flow: elsewhere', 'PACKAGE.CALLED_PROCESS_ELSEWHERE'],
  ['a name in an input', '- call: work\n  output: o\n  input: { a: =1 + ▮nobody }', 'FEEL.NAME_UNKNOWN'],
  ['a name in quotes', '- call: work\n  output: o\n  input: { a: "=1 + ▮nobody" }', 'FEEL.NAME_UNKNOWN'],
  [
    'a name in a case',
    '- choose: [ { when: =▮nobody > 1, steps: [ { call: work, output: o } ] } ]',
    'FEEL.NAME_UNKNOWN',
  ],
  [
    'a name after which a part is done',
    '- repeat: { until: =▮nobody > 1 }\n  steps: [ { call: work, output: o } ]',
    'FEEL.NAME_UNKNOWN',
  ],
  [
    'the second of two',
    '- repeat: { until: "order.ok or ▮nobody" }\n  steps: [ { call: work, output: o } ]',
    'FEEL.NAME_UNKNOWN',
  ],
  ['a name in what is set', '- set: { a: =order.b, c: =▮nobody }', 'FEEL.NAME_UNKNOWN'],
  [
    'a name in a collection',
    '- for-each: a\n  in: =▮nobody\n  steps: [ { call: work, output: o } ]',
    'FEEL.NAME_UNKNOWN',
  ],
  ['a name in what is sent', '- end: a\n  send: { channel: work, body: =▮nobody }', 'FEEL.NAME_UNKNOWN'],
  ['kinds that never go together', '- set: { a: =▮1 = "1" }', 'FEEL.TYPE_MISMATCH'],
];

describe('a fault is reported where the author wrote it', () => {
  for (const [name, steps, code, elementId] of faults) {
    it(name, () => {
      const { text, places } = readMarks(`steps:\n${steps}\n`);
      const { findings, processes } = compile(text);
      assert.deepEqual(
        findings.map(shown),
        places.map(({ line, column }) => [code, 'flows/p.yaml', line, column, elementId]),
        text,
      );
      assert.deepEqual(processes, []);
    });
  }
});

function compileIn(text: string): ReturnType<typeof compilePackage> {
  const contents = {
    'package.yaml': "labels: { tenant: acme, module: m, version: '1' }\n",
    'channels.yaml': `channels:
  - { name: orders, transport: http, bind: 'POST /channels/orders' }
  - { name: work, transport: pull }
`,
    'flows/p.yaml': text,
  };
  return compilePackage(
    Object.entries(contents).map(([path, content]) => ({ path, content: new TextEncoder().encode(content) })),
  );
}

describe('so is what the package does not fit', () => {
  for (const [name, steps, code] of uses) {
    it(name, () => {
      const { text, places } = readMarks(`steps:\n- { start: orders, variable: order }\n${steps}\n`);
      const { findings } = compileIn(text);
      assert.deepEqual(
        findings.map((finding) => shown(finding).slice(0, 4)),
        places.map(({ line, column }) => [code, 'flows/p.yaml', line, column]),
        text,
      );
      assert.ok(findings.every(({ place }) => place.elementId !== undefined));
    });
  }

  it('and what fits has no findings', () => {
    const { findings, model } = compileIn('steps: [ { start: orders, variable: order }, { call: work } ]\n');
    assert.deepEqual(findings, []);
    assert.deepEqual([...(model?.processes.keys() ?? [])], ['p']);
  });
});
