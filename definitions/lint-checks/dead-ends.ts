/**
 * Paths that stop where nobody meant them to, and circles that nothing leaves.
 *
 * N1 A scope without end events may end anywhere: BPMN's implicit end. Only beside an end event is a stop a mistake.
 *    BPMN 2.0.2 §10.3 (sequence flow connections), §10.5.3.
 * N2 A boundary event without a flow is one everywhere; BPMN does not allow it. §10.5.4.
 */
import type { Finding } from '../../config/engine-error.ts';
import type { FlowNode } from '../model.ts';
import { labelOf, warning, type ProcessCheck } from './lint-check.ts';
import {
  reachableFrom,
  reachedIn,
  scopesOf,
  successorsOf,
  thatReach,
  type ScopeGraph,
} from './scope-graph.ts';
import { mayWait } from './waiting-nodes.ts';

export const checkDeadEnds: ProcessCheck = (process) =>
  scopesOf(process).flatMap((scope) => [...stopsIn(scope), ...endlessLoopsIn(scope)]);

function stopsIn(scope: ScopeGraph): readonly Finding[] {
  const nodes = [...scope.nodes.values()];
  const hasEnds = nodes.some(({ kind }) => kind === 'endEvent');
  // What is never reached is reported for that.
  const reached = reachedIn(scope);
  return nodes
    .filter((node) => reached.has(node.id) && isStop(node, hasEnds))
    .map((node) => {
      const message =
        node.kind === 'boundaryEvent'
          ? `${labelOf(node)} leads nowhere; draw a sequence flow from it to what is to happen then`
          : `${labelOf(node)} has no outgoing sequence flow, though other paths lead to an end event; connect it to what comes next, or to an end event`;
      return warning('SUTRA.LINT.DEAD_END', node.place, message);
    });
}

function isStop(node: FlowNode, hasEnds: boolean): boolean {
  if (node.outgoing.length > 0 || node.kind === 'endEvent') return false;
  if (node.kind === 'boundaryEvent') return true;
  const isLink = node.kind === 'intermediateThrowEvent' && node.results.some(({ kind }) => kind === 'link');
  return hasEnds && !isLink;
}

/** One finding for each circle is enough: the first of its nodes. */
function endlessLoopsIn(scope: ScopeGraph): readonly Finding[] {
  const nodes = [...scope.nodes.values()];
  const reached = reachedIn(scope);
  const ways = nodes.filter((node) => successorsOf(scope, node).length === 0 || mayWait(node));
  const free = thatReach(
    scope,
    ways.map(({ id }) => id),
  );
  const trapped = nodes.find(
    (node) =>
      reached.has(node.id) &&
      !free.has(node.id) &&
      reachableFrom(scope, successorsOf(scope, node)).has(node.id),
  );
  if (trapped === undefined) return [];
  const message = `From ${labelOf(trapped)} on the process goes in a circle in which nothing waits and out of which nothing leads; lead a flow out of it`;
  return [warning('SUTRA.LINT.LOOP_ENDLESS', trapped.place, message)];
}
