/** Which outgoing sequence flows a token takes. */
import type { SequenceFlow } from '../../definitions/model.ts';
import { ElementFailure } from './element-failure.ts';
import { flowHolds } from './evaluate.ts';
import type { LiveToken } from './live-state.ts';
import type { Step } from './step.ts';

/**
 * Every flow whose condition holds, else the default one. The inclusive split, and what leaving any
 * activity means. BPMN 2.0.2 §13.3.1 and §13.4.3.
 * @throws ElementFailure when there are flows and none can be taken
 */
export function flowsThatHold(
  step: Step,
  token: LiveToken,
  defaultFlowId: string | null,
): readonly SequenceFlow[] {
  const { outgoing } = token.scope.graph.facts(token.elementId);
  if (outgoing.length === 0) return outgoing;
  const taken = outgoing.filter((flow) => flow.id !== defaultFlowId && flowHolds(step, token, flow));
  return taken.length > 0 ? taken : [defaultFlow(outgoing, token, defaultFlowId)];
}

/** The first flow in document order whose condition holds, else the default one. BPMN 2.0.2 §13.4.2. */
export function firstFlowThatHolds(
  step: Step,
  token: LiveToken,
  defaultFlowId: string | null,
): readonly SequenceFlow[] {
  const { outgoing } = token.scope.graph.facts(token.elementId);
  if (outgoing.length === 0) return outgoing;
  const first = outgoing.find((flow) => flow.id !== defaultFlowId && flowHolds(step, token, flow));
  return [first ?? defaultFlow(outgoing, token, defaultFlowId)];
}

function defaultFlow(outgoing: readonly SequenceFlow[], token: LiveToken, id: string | null): SequenceFlow {
  const flow = outgoing.find((candidate) => candidate.id === id);
  if (flow !== undefined) return flow;
  throw new ElementFailure(
    'SUTRA.CORE.NO_FLOW_TAKEN',
    `no condition of an outgoing flow of ${token.elementId} holds, and it has no default flow`,
  );
}
