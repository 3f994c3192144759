/** Checks events: what sequence flows may join them, and which of them exclude each other. BPMN 2.0.2 §10.5. */
import type { CatchDefinition } from '../model.ts';
import { shown } from '../xml/shown.ts';
import { type CheckContext, report } from './check-context.ts';
import type { BpmnCode } from './codes.ts';
import type { NodeDraft } from './graph.ts';
import { eventKindsOf, label } from './read-context.ts';

/** BPMN 2.0.2 §10.5.2-10.5.5: which events sequence flows may lead to and leave. */
export function checkEventNode(check: CheckContext, draft: NodeDraft): void {
  const { element, kind, incoming, outgoing } = draft;
  if (kind === 'startEvent' && incoming.length > 0) {
    const message = `a sequence flow leads into ${label(element)}; lead it to the node after it`;
    report(check, 'SUTRA.BPMN.START_EVENT_INCOMING', element, message);
  }
  if (kind === 'endEvent' && outgoing.length > 0) {
    const message = `a sequence flow leaves ${label(element)}; use an intermediate event`;
    report(check, 'SUTRA.BPMN.END_EVENT_OUTGOING', element, message);
  }
  if (kind === 'boundaryEvent' && incoming.length > 0) {
    const message = `a sequence flow leads into ${label(element)}; lead it to the activity`;
    report(check, 'SUTRA.BPMN.BOUNDARY_EVENT_INCOMING', element, message);
  }
  if (kind === 'endEvent' && has(check, draft, 'cancel')) {
    checkCancelIsCaught(check, draft);
  }
  if (kind === 'boundaryEvent' && outgoing.length > 0 && has(check, draft, 'compensate')) {
    const message = `a sequence flow leaves ${label(element)}, which catches compensation; only an association leads from it`;
    report(check, 'SUTRA.BPMN.COMPENSATION_FLOW_INVALID', element, message);
  }
  if (kind === 'intermediateCatchEvent' && incoming.length > 0 && has(check, draft, 'link')) {
    const message = `a sequence flow leads into ${label(element)}, which is reached by its link; remove it`;
    report(check, 'SUTRA.BPMN.LINK_FLOW_INVALID', element, message);
  }
  if (kind === 'intermediateThrowEvent' && outgoing.length > 0 && has(check, draft, 'link')) {
    const message = `a sequence flow leaves ${label(element)}, which goes on at its link; remove it`;
    report(check, 'SUTRA.BPMN.LINK_FLOW_INVALID', element, message);
  }
}

/** BPMN 2.0.2 §10.3.5, transaction: the flow goes on at the cancel boundary event, and without one nowhere. */
function checkCancelIsCaught(check: CheckContext, { element, parentId }: NodeDraft): void {
  const { nodes } = check.graph;
  const transaction = nodes.get(parentId);
  const isCaught = transaction?.boundaryEventIds.some((id) => {
    const event = nodes.get(id);
    return event !== undefined && has(check, event, 'cancel');
  });
  // Elsewhere than in a transaction it was reported.
  if (transaction?.kind === 'transaction' && isCaught !== true) {
    const message = `${label(element)} cancels ${label(transaction.element)}, which has no cancel boundary event; attach one`;
    report(check, 'SUTRA.BPMN.CANCEL_UNCAUGHT', element, message);
  }
}

function has({ context }: CheckContext, { element }: NodeDraft, kind: string): boolean {
  return eventKindsOf(context, element).includes(kind);
}

/** BPMN 2.0.2 §10.5.5, link: several may throw, one catches. */
export function checkLinks(check: CheckContext): void {
  for (const [first, ...others] of check.graph.links.values()) {
    for (const { element } of others) {
      const message = `${label(element)} catches the same link as ${label(first?.element ?? element)}; keep one`;
      report(check, 'SUTRA.BPMN.LINK_DUPLICATE', element, message);
    }
  }
}

/**
 * Reports events of one host that catch the same: which of them takes it would be a guess.
 * `host` is what they are, as `boundary event of task "a"`. BPMN 2.0.2 §10.5.6 (handling events).
 */
export function duplicateCatches(check: CheckContext, ids: readonly string[], host: string): void {
  const seen = new Set<string>();
  for (const id of ids) {
    const model = check.models.get(id);
    const draft = check.graph.nodes.get(id);
    if (draft === undefined || (model?.kind !== 'boundaryEvent' && model?.kind !== 'startEvent')) {
      continue;
    }
    const own = model.triggers.flatMap((trigger) => caughtBy(trigger) ?? []);
    for (const { code, key, caught } of own) {
      if (seen.has(key)) {
        const message = `${label(draft.element)} catches ${caught}, as another ${host} does`;
        report(check, code, draft.element, message);
      }
    }
    own.forEach(({ key }) => seen.add(key));
  }
}

interface Caught {
  readonly code: BpmnCode;
  /** The same for events that catch the same. */
  readonly key: string;
  readonly caught: string;
}

function caughtBy(trigger: CatchDefinition): Caught | null {
  const code = 'SUTRA.BPMN.CATCH_DUPLICATE';
  switch (trigger.kind) {
    case 'error': {
      const { kind, errorCode } = trigger;
      const caught = errorCode === null ? 'every error' : `the error ${shown(errorCode)}`;
      return { code: 'SUTRA.BPMN.ERROR_CATCH_DUPLICATE', key: JSON.stringify([kind, errorCode]), caught };
    }
    case 'escalation': {
      const { kind, escalationCode } = trigger;
      const caught = escalationCode === null ? 'every escalation' : `the escalation ${shown(escalationCode)}`;
      return { code, key: JSON.stringify([kind, escalationCode]), caught };
    }
    case 'cancel':
      return { code, key: trigger.kind, caught: 'the cancellation' };
    case 'compensation':
      return { code, key: trigger.kind, caught: 'compensation' };
    default:
      return null;
  }
}
