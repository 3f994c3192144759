/** Gateways to the model. */
import type { ComplexGateway, EventBasedGateway } from '../model.ts';
import { attributeOf } from '../xml/document.ts';
import type { NodeDraft } from './graph.ts';
import type { NodeBase } from './node-base.ts';
import { booleanOf, choiceOf, label, onlyChild, type ReadContext } from './read-context.ts';

/** BPMN 2.0.2 §10.6.6. A parallel one waits for all its events, which only makes sense when it instantiates. */
export function readEventBasedGateway(
  context: ReadContext,
  { element }: NodeDraft,
  base: NodeBase,
): EventBasedGateway {
  const instantiates = booleanOf(context, element, 'instantiate', false);
  const isParallel = choiceOf(context, element, 'eventGatewayType', ['Exclusive', 'Parallel']) === 'Parallel';
  if (isParallel && !instantiates) {
    const message = `${label(element)} is parallel, which only an instantiating one can be; set instantiate="true" or use a parallel gateway`;
    context.report.error('SUTRA.BPMN.INSTANTIATE_INVALID', element, message);
  }
  return { ...base, kind: 'eventBasedGateway', instantiates, isParallel };
}

/** BPMN 2.0.2 §10.6.5, §13.4.5. */
export function readComplexGateway(
  context: ReadContext,
  draft: NodeDraft,
  base: NodeBase,
): ComplexGateway | null {
  const { element } = draft;
  const condition = onlyChild(context, element, 'activationCondition');
  if (condition === null && draft.incoming.length > 1) {
    const message = `${label(element)} joins ${draft.incoming.length} flows and has no activationCondition; say when it fires, as =activationCount >= 2`;
    context.report.error('SUTRA.BPMN.ACTIVATION_CONDITION_MISSING', element, message);
  }
  const activationCondition = condition === null ? null : context.expressions.formal(condition);
  const defaultFlowId = attributeOf(element, 'default');
  return { ...base, kind: 'complexGateway', activationCondition, defaultFlowId };
}
