/**
 * Flow nodes that fail when no condition of their outgoing flows holds.
 *
 * One whose conditions leave nothing out needs no default (exhaustive-conditions.ts). BPMN 2.0.2 §10.6.2, §13.3.1.
 */
import { quoteText } from '../../config/quote-text.ts';
import type { Finding } from '../../config/engine-error.ts';
import type { FlowNode, ProcessDefinition } from '../model.ts';
import { isExhaustive } from './exhaustive-conditions.ts';
import { labelOf, warning, type ProcessCheck } from './lint-check.ts';
import { flowsOf } from './scope-graph.ts';

export const checkMissingDefaults: ProcessCheck = (process) =>
  [...process.nodes.values()].flatMap((node) => findingAt(process, node) ?? []);

function findingAt(process: ProcessDefinition, node: FlowNode): Finding | null {
  if ('defaultFlowId' in node && node.defaultFlowId !== null) return null;
  const flows = flowsOf(process, node.outgoing);
  const conditions = flows.flatMap(({ condition }) => condition ?? []);
  const [flow] = flows;
  if (flow === undefined || conditions.length < flows.length) return null;
  if (isExhaustive(conditions.map(({ tree }) => tree))) return null;
  const remedy =
    'defaultFlowId' in node
      ? `make one of its flows the default, ${quoteText(flow.id)} for example`
      : 'put an exclusive gateway with a default flow after it';
  const message =
    flows.length === 1
      ? `The only flow out of ${labelOf(node)} has a condition, and when it does not hold the instance fails there; take the condition away or add a default flow`
      : `${labelOf(node)} has no default flow, and when none of its ${flows.length} conditions holds the instance fails there; ${remedy}`;
  return warning('SUTRA.LINT.DEFAULT_MISSING', node.place, message);
}
