/** Small files as the modelers of other engines write them. */
import assert from 'node:assert/strict';
import { compileBpmn, type BpmnOptions, type BpmnResult } from '../../../definitions/bpmn/compile.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import { fileOf } from '../bpmn/marked-file.ts';
import { nodeOf } from '../bpmn/model-of.ts';
import { testDecisions } from '../bpmn/test-decisions.ts';

/** All namespaces that are known, and none of ours. */
export function vendorFile(inside: string, roots = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:flowable="http://flowable.org/bpmn" targetNamespace="urn:test">
${roots}
<bpmn:process id="p" isExecutable="true">
  <bpmn:startEvent id="s"/>
  <bpmn:sequenceFlow id="f" sourceRef="s" targetRef="n"/>
${inside}
</bpmn:process>
</bpmn:definitions>`;
}

/** As `vendorFile`, without a namespace of Camunda 7. */
export function zeebeFile(inside: string, roots = ''): string {
  return vendorFile(inside, roots).replace(/\s*xmlns:(?:camunda|flowable)="[^"]*"/g, '');
}

/** A task or event `n` with attributes and extensions. */
export function node(kind: string, attributes: string, extensions = '', inside = ''): string {
  const extended = extensions === '' ? '' : `<bpmn:extensionElements>${extensions}</bpmn:extensionElements>`;
  return `<bpmn:${kind} id="n" ${attributes}>${extended}${inside}</bpmn:${kind}>`;
}

export function compileVendor(text: string, options: BpmnOptions = {}): BpmnResult {
  return compileBpmn(fileOf(text), { decisions: testDecisions, ...options });
}

/** The one process, without findings but for warnings of the given codes. */
export function vendorProcess(
  text: string,
  options: BpmnOptions = {},
  warnings: readonly string[] = [],
): ProcessDefinition {
  const { processes, findings } = compileVendor(text, options);
  assert.deepEqual(
    findings.map(({ code }) => code),
    warnings,
    JSON.stringify(findings, null, 1),
  );
  const [process] = processes;
  assert.ok(process !== undefined && processes.length === 1);
  return process;
}

/** The node `n` is a call of the channel, for which the file wishes and of which it finds nothing to say. */
export function assertCalls(text: string, channel: string): void {
  const { wishes, findings, processes } = compileVendor(text);
  assert.deepEqual(findings, []);
  assert.deepEqual(
    wishes.map(({ name, use }) => [name, use]),
    [[channel, 'work']],
  );
  const [process] = processes;
  assert.ok(process !== undefined);
  assert.deepEqual(nodeOf(process, 'n', 'serviceTask').implementation, { kind: 'channel', channel });
}
