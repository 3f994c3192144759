/** Flows that are compiled and run, as tables: see `scenario.ts` of the core. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileFlowTree, type FlowOptions } from '../../../definitions/flows/compile-flow.ts';
import { flow, type FlowOptions as TreeOptions } from '../../support/flow-builder.ts';
import type { Flow, Steps } from '../../../definitions/flows/flow.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import { Instance, type InstanceOptions } from '../../core/instance.ts';
import { play, type Row } from '../../core/scenario.ts';

/** The process of a flow that has no finding. */
export function compiled(tree: Flow, options: FlowOptions = {}): ProcessDefinition {
  const { processes, findings } = compileFlowTree(tree, [], options);
  assert.deepEqual(
    findings.map(({ code, message }) => `${code} ${message}`),
    [],
  );
  const [process, second] = processes;
  assert.ok(process !== undefined && second === undefined, 'one flow is one process');
  return process;
}

/** A process that is started by its id and has these steps. */
export function stepsRun(
  name: string,
  steps: Steps,
  rows: readonly Row[],
  options: TreeOptions & FlowOptions & InstanceOptions = {},
): void {
  test(name, () => {
    play(new Instance(compiled(flow('p', steps, options), options), options), rows);
  });
}

/** `id: kind` of the process's nodes, in order. */
export function nodesOf(process: ProcessDefinition): readonly string[] {
  return [...process.nodes.values()].map(({ id, kind }) => `${id}: ${kind}`);
}

/** `source -> target` of its sequence flows, in order. */
export function flowsOf(process: ProcessDefinition): readonly string[] {
  return [...process.flows.values()].map(({ sourceId, targetId }) => `${sourceId} -> ${targetId}`);
}
