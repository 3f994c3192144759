/** `docs/bpmn.md`. That it is up to date is checked with the other generated pages: test/arch/codes.test.ts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bpmnElements, FLOW_NODES } from '../../../definitions/bpmn/elements.ts';
import { elementNotes, restrictedAttributes } from '../../../docs/bpmn-notes.ts';
import { bpmnPage } from '../../../docs/bpmn-page.ts';
import { probeEvents, probeProcess } from '../../../docs/bpmn-probes.ts';

describe('the reference page of BPMN', () => {
  const lines = bpmnPage().split('\n');

  test('has one line for every element of the table, with its status', () => {
    const words = { executed: 'executed', descriptive: 'documentation', refused: 'refused' };
    for (const [name, { status }] of bpmnElements) {
      const found = lines.filter((line) => line.startsWith(`| \`${name}\` |  |`));
      assert.equal(found.length, 1, name);
      assert.match(found[0] ?? '', new RegExp(`^\\| \`${name}\` \\|  \\| ${words[status]} \\|`));
    }
  });

  test('notes nothing about an element that does not exist or is refused', () => {
    const stray = Object.keys(elementNotes).filter((name) => {
      const status = bpmnElements.get(name)?.status;
      return status === undefined || status === 'refused';
    });
    assert.deepEqual(stray, []);
  });

  test('says of every flow node what it does', () => {
    const silent = FLOW_NODES.filter((name) => elementNotes[name] === undefined);
    assert.deepEqual(silent, ['exclusiveGateway', 'parallelGateway']);
  });

  test('restricts only values that the compiler refuses', () => {
    for (const { attribute, on, sample } of restrictedAttributes) {
      assert.equal(probeProcess(sample).isExecuted, false, `${attribute} on ${on}`);
    }
  });

  test('shows every event that BPMN has as executed, but for those that it gives a reason for', () => {
    const refused = probeEvents().filter(({ isInBpmn, outcome }) => isInBpmn && !outcome.isExecuted);
    assert.deepEqual(
      refused.map(({ kind, position }) => [kind, position]),
      [['parallel multiple', 'start of a process']],
    );
  });
});
