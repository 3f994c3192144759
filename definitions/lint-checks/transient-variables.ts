/**
 * Expressions that read a transient variable when it can no longer be there.
 *
 * Reported only when no turn that reads it can have written it before (turn-graph.ts, T3). A name that is local
 * anywhere is left alone: it may be another variable.
 */
import type { Finding } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import { isActivity, type FlowNode, type ProcessDefinition } from '../model.ts';
import { labelOf, warning, type ProcessCheck } from './lint-check.ts';
import { flowsOf } from './scope-graph.ts';
import { done, entering, TurnGraph, type Moment, type TurnStart } from './turn-graph.ts';
import { decisionInputsOf, expressionsIn } from './variable-reads.ts';
import { localsOf, writesOf } from './variable-writes.ts';

export const checkTransientVariables: ProcessCheck = (process) => {
  const names = [...process.variables.values()].flatMap(({ name, isTransient }) =>
    isTransient && !isLocalAnywhere(process, name) ? [name] : [],
  );
  if (names.length === 0) return [];
  const graph = new TurnGraph(process);
  const turns = graph.starts.map((start) => ({ start, moments: graph.momentsFrom(start) }));
  return names.flatMap((name) => {
    const fresh = turns.filter((turn) => mayWrite(process, name, turn));
    return [...process.nodes.values()].flatMap((node) =>
      readsOf(process, node).some(
        ({ moment, names: read }) =>
          read.includes(name) &&
          turns.some(({ moments }) => moments.has(moment)) &&
          !fresh.some(({ moments }) => moments.has(moment)),
      )
        ? [findingAt(node, name)]
        : [],
    );
  });
};

function findingAt(node: FlowNode, name: string): Finding {
  const message = `${labelOf(node)} reads ${quoteText(name)}, which is transient and always gone by then: the instance has waited since it was written; read it before the wait, or do not make it transient`;
  return warning('SUTRA.LINT.TRANSIENT_LOST', node.place, message);
}

interface Turn {
  readonly start: TurnStart;
  readonly moments: ReadonlySet<Moment>;
}

function mayWrite(process: ProcessDefinition, name: string, { start, moments }: Turn): boolean {
  if (start.isGiven) return true;
  return [...process.nodes.values()].some((node) => {
    const { before, after, isOpen } = writesOf(node);
    return (
      (moments.has(done(node.id)) && (isOpen || after.includes(name))) ||
      (moments.has(entering(node.id)) && before.includes(name))
    );
  });
}

function isLocalAnywhere({ nodes }: ProcessDefinition, name: string): boolean {
  return [...nodes.values()].some(
    (node) =>
      (isActivity(node) && localsOf(node).includes(name)) ||
      (node.kind === 'subProcess' && node.variables.has(name)),
  );
}

interface Read {
  readonly moment: Moment;
  readonly names: readonly string[];
}

/** Not of aliases, which are written for the message, nor of conditional events, which are looked at in any turn. */
function readsOf(process: ProcessDefinition, node: FlowNode): readonly Read[] {
  const namesIn = (part: unknown): readonly string[] => expressionsIn(part).flatMap(({ names }) => names);
  const conditions = flowsOf(process, node.outgoing).map(({ condition }) => condition);
  const atEnd: unknown[] = [conditions, 'reply' in node ? node.reply : null];
  if ('outputs' in node) atEnd.push(node.outputs);
  if (isActivity(node)) atEnd.push(node.data.outputs);
  const atBegin: unknown[] = [];
  if (isActivity(node)) atBegin.push(node.data.inputs);
  if (isActivity(node) && node.loop?.kind === 'multiInstance') {
    atBegin.push(node.loop.collection, node.loop.cardinality);
    atEnd.push(node.loop.completionCondition);
  }
  if ('triggers' in node)
    atBegin.push(node.triggers.map((each) => (each.kind === 'timer' ? each.timer : null)));
  switch (node.kind) {
    case 'serviceTask':
    case 'businessRuleTask':
      atBegin.push(node.params, node.headers);
      atEnd.push(node.throws);
      break;
    case 'sendTask':
      atBegin.push(node.send);
      break;
    case 'scriptTask':
      atBegin.push(node.script);
      break;
    case 'callActivity':
      atBegin.push(node.params, node.called);
      break;
    case 'endEvent':
    case 'intermediateThrowEvent':
      atBegin.push(node.results);
      break;
    default:
  }
  return [
    { moment: entering(node.id), names: [...namesIn(atBegin), ...decisionInputsOf(node)] },
    { moment: done(node.id), names: namesIn(atEnd) },
  ];
}
