/**
 * What reads variables, by name.
 *
 * R1 Nothing is left out: every expression of a node is found by walking through all of it, and what takes all
 *    variables, or shows them to somebody, is whole.
 */
import type { CompiledExpression } from '../feel.ts';
import { isActivity, type FlowNode, type ProcessDefinition } from '../model.ts';
import { sendsOf } from './channel-uses.ts';

/** All expressions in a part of a model. */
export function expressionsIn(part: unknown): readonly CompiledExpression[] {
  if (typeof part !== 'object' || part === null) return [];
  if (isExpression(part)) return [part];
  // Of a decision only its inputs are asked for (`decisionInputsOf`).
  if ('evaluate' in part) return [];
  const inner: unknown[] = part instanceof Map ? [...part.values()] : Object.values(part);
  return inner.flatMap(expressionsIn);
}

function isExpression(part: object): part is CompiledExpression {
  return 'tree' in part && 'names' in part && 'evaluate' in part;
}

/** Variables that the decision of a task takes by their names. */
export function decisionInputsOf(node: FlowNode): readonly string[] {
  if (node.kind !== 'businessRuleTask' && node.kind !== 'serviceTask') return [];
  if (node.implementation.kind !== 'decision') return [];
  const given = new Set(node.params.map(({ name }) => name));
  return node.implementation.decision.inputs.flatMap(({ name }) => (given.has(name) ? [] : [name]));
}

/** Whether the node passes all visible variables on, or lets a person see them. */
export function readsAll(node: FlowNode): boolean {
  switch (node.kind) {
    case 'serviceTask':
    case 'businessRuleTask': {
      const isCall = node.implementation.kind === 'channel' || node.implementation.kind === 'registered';
      return isCall && node.params.length === 0;
    }
    case 'callActivity':
      return node.params === null;
    case 'userTask':
      return true;
    case 'subProcess':
      return node.variant.kind === 'adHoc';
    default:
      return sendsOf(node).some(({ body }) => body === null);
  }
}

/** The names that the process reads; what it writes to inside of (`order.total`) counts as read. */
export function namesReadIn(process: ProcessDefinition): ReadonlySet<string> {
  const names = new Set<string>();
  const parts = [...process.nodes.values(), ...process.flows.values()];
  for (const { names: own } of parts.flatMap(expressionsIn)) own.forEach((name) => names.add(name));
  for (const node of process.nodes.values()) {
    decisionInputsOf(node).forEach((name) => names.add(name));
    if (!isActivity(node)) continue;
    for (const { to } of [...node.data.inputs, ...node.data.outputs]) {
      const [name, ...inside] = to.kind === 'variable' ? to.path : [];
      if (name !== undefined && inside.length > 0) names.add(name);
    }
    const item = node.loop?.kind === 'multiInstance' ? node.loop.outputItemVariable : null;
    if (item !== null) names.add(item);
  }
  return names;
}
