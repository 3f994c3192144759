/**
 * Boundary events that cannot occur at the activity to which they are attached.
 *
 * H1 An activity that is done in the turn that reaches it never waits, so no timer, message, signal or condition
 *    comes while it is active. One that is a loop is left alone.
 * H2 Errors come out of an activity by `q:throw`, from who works on it, and from inside it; escalations from inside
 *    alone. What fails otherwise fails the instance.
 */
import type { Finding } from '../../config/engine-error.ts';
import {
  isActivity,
  type Activity,
  type BoundaryEvent,
  type CatchDefinition,
  type FlowNode,
  type ProcessDefinition,
} from '../model.ts';
import { labelOf, warning, type ProcessCheck } from './lint-check.ts';
import { mayWait } from './waiting-nodes.ts';

export const checkBoundaryHosts: ProcessCheck = (process) =>
  [...process.nodes.values()].flatMap((node) =>
    node.kind === 'boundaryEvent' ? (findingAt(process, node) ?? []) : [],
  );

function findingAt(process: ProcessDefinition, event: BoundaryEvent): Finding | null {
  const host = process.nodes.get(event.attachedToId);
  if (host === undefined || !isActivity(host) || event.triggers.length === 0) return null;
  const reasons = event.triggers.map((trigger) => reasonAgainst(process, host, trigger));
  const isDead = event.isParallelMultiple
    ? reasons.some((reason) => reason !== null)
    : reasons.every((reason) => reason !== null);
  const [reason] = reasons.filter((each) => each !== null);
  if (!isDead || reason === undefined) return null;
  const message = `${labelOf(event)} can never occur: ${labelOf(host)} ${reason}; attach it to another activity or remove it`;
  return warning('SUTRA.LINT.BOUNDARY_NEVER_OCCURS', event.place, message);
}

/** Why the trigger cannot occur there, or null when it may. */
function reasonAgainst(process: ProcessDefinition, host: Activity, { kind }: CatchDefinition): string | null {
  switch (kind) {
    case 'timer':
    case 'message':
    case 'signal':
    case 'conditional':
      return mayWait(host) || host.loop !== null ? null : 'is done as soon as it is reached and never waits';
    case 'error':
      return mayThrowError(process, host) ? null : 'throws no BPMN error';
    case 'escalation':
      return mayEscalate(process, host) ? null : 'has nothing inside that throws an escalation';
    case 'compensation':
    case 'cancel':
    case 'link':
      return null;
  }
}

function mayThrowError(process: ProcessDefinition, node: FlowNode): boolean {
  switch (node.kind) {
    case 'serviceTask':
    case 'businessRuleTask':
      return mayWait(node) || node.throws.length > 0;
    case 'callActivity':
      return true;
    case 'subProcess':
      return childrenOf(process, node.children).some((child) => mayThrowError(process, child));
    case 'endEvent':
      return node.results.some(({ kind }) => kind === 'error');
    default:
      return false;
  }
}

function mayEscalate(process: ProcessDefinition, node: FlowNode): boolean {
  switch (node.kind) {
    case 'callActivity':
      return true;
    case 'subProcess':
      return childrenOf(process, node.children).some((child) => mayEscalate(process, child));
    case 'endEvent':
    case 'intermediateThrowEvent':
      return node.results.some(({ kind }) => kind === 'escalation');
    default:
      return false;
  }
}

function childrenOf({ nodes }: ProcessDefinition, ids: readonly string[]): readonly FlowNode[] {
  return ids.flatMap((id) => nodes.get(id) ?? []);
}
