/** The business key of Camunda 7: an instance has it as an alias from the start on, whatever it waits for. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AliasDefinition, StartEvent } from '../../../definitions/model.ts';
import { nodeOf } from '../bpmn/model-of.ts';
import { node, vendorFile, vendorProcess, zeebeFile } from './vendor-file.ts';

const task = node('task', '');
const start = (text: string, id = 's'): StartEvent => nodeOf(vendorProcess(text), id, 'startEvent');
const shown = (aliases: readonly AliasDefinition[]): readonly (readonly [string, string, boolean])[] =>
  aliases.map(({ name, expression, isUnique }) => [name, expression.text, isUnique]);

describe('the business key of Camunda 7', () => {
  test('is an alias of the start event without a trigger', () => {
    assert.deepEqual(shown(start(vendorFile(task)).aliases), [['businessKey', 'businessKey', false]]);
  });

  test('is an alias of what a message starts, and comes with the message', () => {
    const begin =
      '<bpmn:startEvent id="m"><bpmn:messageEventDefinition id="d" messageRef="placed"/></bpmn:startEvent>';
    const text = vendorFile(`${task}${begin}`, '<bpmn:message id="placed" name="placed"/>');
    const [trigger] = start(text, 'm').triggers;
    assert.ok(trigger?.kind === 'message');
    assert.deepEqual(shown(trigger.aliases), [
      [
        'businessKey',
        'if get value(header, "business-key") != null then get value(header, "business-key") else payload.businessKey',
        false,
      ],
    ]);
  });

  test('is none of a start event that has an alias of its own, or of one inside', () => {
    const inside = node(
      'subProcess',
      '',
      '',
      '<bpmn:startEvent id="inner"/><bpmn:task id="t"/><bpmn:sequenceFlow id="i" sourceRef="inner" targetRef="t"/>',
    );
    assert.deepEqual(start(vendorFile(inside), 'inner').aliases, []);
    const timer =
      '<bpmn:startEvent id="t"><bpmn:timerEventDefinition><bpmn:timeDuration>PT1H</bpmn:timeDuration></bpmn:timerEventDefinition></bpmn:startEvent>';
    assert.deepEqual(start(vendorFile(`${task}${timer}`), 't').aliases, []);
  });

  test('is not that of a file of Zeebe', () => {
    assert.deepEqual(start(zeebeFile(task)).aliases, []);
  });
});
