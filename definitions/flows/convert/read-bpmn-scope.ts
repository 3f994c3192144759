/** A process or sub-process of BPMN to the steps of a flow: first what each node says, then in which order. */
import { FLOW_NODES } from '../../bpmn/elements.ts';
import type { NodeDraft } from '../../bpmn/graph.ts';
import { bpmnChildren, label } from '../../bpmn/read-context.ts';
import type { XmlElement } from '../../xml/document.ts';
import { shown } from '../../xml/shown.ts';
import type { ParallelStep, Start, Step, Steps, TryStep } from '../flow.ts';
import {
  checkPlainStart,
  type HandlerHead,
  isCompensation,
  readEnd,
  readHandler,
  readStart,
  readThrow,
  readWait,
} from './read-bpmn-events.ts';
import { readForEach, readRepeat } from './read-bpmn-loops.ts';
import { PathReader } from './read-bpmn-paths.ts';
import { type BpmnSource, checkSayable, headOf, refuse } from './read-bpmn-source.ts';
import { readBusinessRuleTask, readCallActivity, readServiceTask, refuseKind } from './read-bpmn-tasks.ts';

const LEAVES: Readonly<Record<string, (source: BpmnSource, draft: NodeDraft) => Step | null>> = {
  serviceTask: readServiceTask,
  businessRuleTask: readBusinessRuleTask,
  callActivity: readCallActivity,
  intermediateCatchEvent: readWait,
  intermediateThrowEvent: readThrow,
  endEvent: readEnd,
};

/** What a scope may hold: flow nodes, which say themselves what they cannot be, and what only draws. */
const SCOPE_CHILDREN = [
  ...FLOW_NODES,
  ...['laneSet', 'sequenceFlow', 'association', 'group', 'textAnnotation'],
  ...['dataObject', 'dataObjectReference', 'dataStoreReference'],
];
const LOOPS = ['standardLoopCharacteristics', 'multiInstanceLoopCharacteristics'];

/** The start events and steps of a process; null when they cannot be said, which was reported. */
export function readProcessSteps(
  source: BpmnSource,
  process: XmlElement,
): { readonly starts: readonly Start[]; readonly steps: Steps } | null {
  const { children } = source.graph;
  const isSaid = checkSayable(source, process, { children: SCOPE_CHILDREN, q: { variables: [] } });
  const drafts = nodesOf(source, children).filter(({ kind }) => kind === 'startEvent');
  const starts = drafts.flatMap((draft) => readStart(source, draft) ?? []);
  if (drafts.length === 0) {
    refuse(source, process, `${label(process)} has no start event, and a flow begins with one; add it`);
  }
  const bare = starts.find(({ trigger }) => trigger === null);
  if (bare !== undefined && drafts.length > 1) {
    const message = `startEvent ${shown(bare.id.text)} waits for nothing and stands beside others, but in a flow it is the only one; remove it, or the others`;
    refuse(source, drafts.find(({ id }) => id === bare.id.text)?.element ?? process, message);
  }
  const steps = readSteps(source, drafts, children, 'end');
  return !isSaid || steps === null || starts.length < drafts.length || drafts.length === 0
    ? null
    : { starts, steps };
}

function nodesOf({ graph }: BpmnSource, ids: readonly string[]): readonly NodeDraft[] {
  return ids.flatMap((id) => graph.nodes.get(id) ?? []);
}

/** Every node is read, whether a path leads to it or not: all that cannot be said is reported at once. */
function readSteps(
  source: BpmnSource,
  starts: readonly NodeDraft[],
  children: readonly string[],
  lastEndId: string,
): Steps | null {
  const leaves = new Map<string, Step | null>();
  const handlers = new Map<string, HandlerHead | null>();
  const compensations = new Map<string, NonNullable<TryStep['compensation']> | null>();
  const parts = new Map<string, Step | null>();
  let isSaid = true;
  for (const draft of nodesOf(source, children)) {
    const { id, kind, element } = draft;
    const read = LEAVES[kind];
    if (read !== undefined) {
      leaves.set(id, read(source, draft));
    } else if (kind === 'subProcess') {
      if (!draft.isForCompensation) parts.set(id, readPart(source, draft));
    } else if (kind === 'boundaryEvent') {
      if (isCompensation(source, draft)) compensations.set(id, readCompensation(source, draft));
      else handlers.set(id, readHandler(source, draft));
    } else if (!isSilent(draft)) {
      refuseKind(source, draft);
      isSaid = false;
    } else if (kind !== 'startEvent') {
      isSaid = checkSayable(source, element, {}) && isSaid;
    }
    isSaid = checkBorder(source, draft) && isSaid;
  }
  const read = [...leaves.values(), ...handlers.values(), ...compensations.values(), ...parts.values()];
  const isWhole = isSaid && !read.includes(null);
  const paths = new PathReader(source, { leaves, handlers, compensations, parts }, lastEndId);
  const steps = paths.read(starts, children, isWhole);
  return isWhole ? steps : null;
}

/** What has no step of its own. */
function isSilent({ kind, outgoing }: NodeDraft): boolean {
  if (kind === 'inclusiveGateway') return outgoing.length < 2;
  return ['startEvent', 'exclusiveGateway', 'parallelGateway', 'eventBasedGateway'].includes(kind);
}

/** Boundary events are of sub-processes that run once. */
function checkBorder(
  source: BpmnSource,
  { element, kind, boundaryEventIds, isForCompensation }: NodeDraft,
): boolean {
  const isLooped = LOOPS.some((loop) => bpmnChildren(element, loop).length > 0);
  if (kind === 'subProcess' && !isLooped) return true;
  if (isForCompensation) {
    refuse(
      source,
      element,
      `${label(element)} undoes by itself; put it into a sub-process with isForCompensation`,
    );
  }
  for (const event of nodesOf(source, boundaryEventIds)) {
    const message = `${label(event.element)} is attached to ${label(element)}; put that into a sub-process, and attach the event to it`;
    refuse(source, event.element, message);
  }
  return boundaryEventIds.length === 0 && !isForCompensation;
}

/** A sub-process as the step that it is; its handlers are added where its paths are known. */
function readPart(source: BpmnSource, draft: NodeDraft): Step | null {
  const { element, id } = draft;
  if (draft.isEventSubProcess) {
    const message = `${label(element)} is begun by an event; make it a boundary event of a sub-process around what it watches`;
    return refuse(source, element, message);
  }
  const steps = readInside(source, draft, LOOPS);
  const head = headOf(source, draft);
  const [loop] = LOOPS.flatMap((name) => bpmnChildren(element, name));
  if (loop !== undefined) {
    const rest =
      loop.localName === 'standardLoopCharacteristics'
        ? readRepeat(source, loop)
        : readForEach(source, element, loop);
    return steps === null || rest === null ? null : { ...head, ...rest, steps };
  }
  if (steps === null) return null;
  const branches = draft.boundaryEventIds.length === 0 ? branchesOfAny(id, steps) : null;
  return branches === null
    ? { ...head, verb: 'try', steps, handlers: [], compensation: null }
    : { ...head, verb: 'parallel', until: 'any', branches };
}

function readInside(source: BpmnSource, draft: NodeDraft, loops: readonly string[]): Steps | null {
  const { element, children, id } = draft;
  const isSaid = checkSayable(source, element, { children: [...SCOPE_CHILDREN, ...loops] });
  const starts = nodesOf(source, children).filter(({ kind }) => kind === 'startEvent');
  const [start, second] = starts;
  const isStartSaid = start === undefined ? false : checkPlainStart(source, start);
  if (start === undefined || second !== undefined) {
    refuse(source, element, `${label(element)} has not exactly one start event; give it one`);
  }
  const steps = readSteps(source, starts, children, `${id}-end`);
  return isSaid && isStartSaid && second === undefined ? steps : null;
}

/** A sub-process that is no more than branches of which the first ends the others, by the ids that such a step makes. */
function branchesOfAny(id: string, steps: Steps): ParallelStep['branches'] | null {
  const [step, second] = steps;
  if (second !== undefined || step?.verb !== 'parallel' || step.id.text !== `${id}-split`) return null;
  const branches = step.branches.map((branch, index) => {
    const last = branch.steps.at(-1);
    const isWon =
      last?.verb === 'end' && last.id.text === `${id}-won-${index + 1}` && isBareTermination(last);
    return isWon ? { ...branch, steps: branch.steps.slice(0, -1) } : branch;
  });
  return branches.some((branch, index) => branch !== step.branches[index]) ? branches : null;
}

function isBareTermination(step: Step): boolean {
  return (
    step.verb === 'end' &&
    step.isTerminating &&
    step.name === null &&
    step.message === null &&
    step.reply === null
  );
}

/** The sub-process that an association joins with a compensation boundary event. */
function readCompensation(source: BpmnSource, draft: NodeDraft): TryStep['compensation'] {
  const { element, id } = draft;
  const { document } = source.context;
  const isSaid = checkSayable(source, element, {
    children: ['compensateEventDefinition', 'eventDefinitionRef'],
  });
  const [handler] = nodesOf(source, [...(source.graph.associated.get(id) ?? [])]);
  if (handler?.kind !== 'subProcess') {
    return refuse(
      source,
      element,
      `${label(element)} is undone by something that is no sub-process; put that into one`,
    );
  }
  const steps = readInside(source, handler, []);
  return steps === null || !isSaid ? null : { place: () => document.placeOf(element), steps };
}
