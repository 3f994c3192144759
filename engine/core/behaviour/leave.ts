/** The way out of a node that says nothing else: every outgoing flow whose condition holds. */
import { flowsThatHold } from '../flow-choice.ts';
import type { LiveToken } from '../live-state.ts';
import type { Step } from '../step.ts';
import { takeFlows } from '../token-flow.ts';

export function defaultLeave(step: Step, token: LiveToken): void {
  const node = token.scope.graph.node(token.elementId);
  const defaultFlowId = 'defaultFlowId' in node ? node.defaultFlowId : null;
  takeFlows(step, token, flowsThatHold(step, token, defaultFlowId));
}
