/**
 * What of a process can happen within one turn: from one wait to the next.
 *
 * T1 A node has two moments: when it is entered, and when it is done. Between those of a node that waits lies a turn's end.
 * T2 What can follow within a turn is never missed. What only may follow is said to: whether activities are passed at
 *    once, which error is caught where, what is compensated is not worked out.
 * T3 Everything that one turn does is in `momentsFrom` of the moment at which it begins, in whatever order.
 */
import {
  isActivity,
  startPointsOf,
  type CatchDefinition,
  type FlowNode,
  type ProcessDefinition,
  type SubProcess,
} from '../model.ts';
import { flowsOf, linkTargetsOf } from './scope-graph.ts';
import { mayWait } from './waiting-nodes.ts';

export type Moment = `enter ${string}` | `done ${string}`;

export function entering(nodeId: string): Moment {
  return `enter ${nodeId}`;
}

export function done(nodeId: string): Moment {
  return `done ${nodeId}`;
}

/** Where a turn begins. */
export interface TurnStart {
  readonly moments: readonly Moment[];
  /** Whoever starts the instance gives variables as they like. */
  readonly isGiven: boolean;
}

export class TurnGraph {
  readonly #process: ProcessDefinition;
  readonly #next = new Map<Moment, Moment[]>();
  /** Conditional events may occur in any turn that changes a variable. */
  readonly #anywhere: readonly Moment[];

  constructor(process: ProcessDefinition) {
    this.#process = process;
    const nodes = [...process.nodes.values()];
    for (const node of nodes) this.#addNode(node);
    this.#addHandlers(process.eventSubProcessIds, null);
    this.#anywhere = nodes.flatMap((node) => (waitsFor(node, 'conditional') ? [done(node.id)] : []));
  }

  /** The beginnings of all turns that an instance can have. */
  get starts(): readonly TurnStart[] {
    const process = this.#process;
    const given = {
      moments: [...process.start.map(entering), ...this.#handlerStarts(process.eventSubProcessIds)],
      isGiven: true,
    };
    const triggered = startPointsOf(process).map(({ nodeId }) => ({
      moments: [done(nodeId), ...this.#handlerStarts(process.eventSubProcessIds)],
      isGiven: false,
    }));
    const resumed = [...process.nodes.values()].flatMap((node) => this.#resumptionsOf(node));
    return [...(process.start.length > 0 ? [given] : []), ...triggered, ...resumed];
  }

  momentsFrom({ moments }: TurnStart): ReadonlySet<Moment> {
    const reached = new Set<Moment>();
    const pending = [...moments, ...this.#anywhere];
    for (let moment = pending.pop(); moment !== undefined; moment = pending.pop()) {
      if (reached.has(moment)) continue;
      reached.add(moment);
      pending.push(...(this.#next.get(moment) ?? []));
    }
    return reached;
  }

  #resumptionsOf(node: FlowNode): readonly TurnStart[] {
    const begin = (moment: Moment): TurnStart => ({ moments: [moment], isGiven: false });
    if (node.kind === 'subProcess' && node.variant.kind === 'adHoc') {
      // Who launches an activity gives variables along.
      return node.variant.launchableIds.map((id) => ({ moments: [entering(id)], isGiven: true }));
    }
    if (node.kind === 'boundaryEvent' || node.kind === 'startEvent') {
      return node.triggers.length === 0 ? [] : [begin(done(node.id))];
    }
    return mayWait(node) ? [begin(done(node.id))] : [];
  }

  #addNode(node: FlowNode): void {
    const { id } = node;
    if (passesAtOnce(node)) this.#add(entering(id), done(id));
    const targets = flowsOf(this.#process, node.outgoing).map(({ targetId }) => entering(targetId));
    // The events behind the gateway wait as soon as it is reached.
    const from = node.kind === 'eventBasedGateway' ? entering(id) : done(id);
    targets.forEach((target) => {
      this.#add(from, target);
    });
    linkTargetsOf(node).forEach((target) => {
      this.#add(done(id), entering(target));
    });
    if (isActivity(node)) this.#addActivity(node);
    if (throwsCompensation(node)) this.#addCompensation(node);
  }

  #addActivity(node: Extract<FlowNode, { boundaryEventIds: readonly string[] }>): void {
    const { id } = node;
    if (node.loop !== null) this.#add(done(id), entering(id));
    for (const boundaryId of node.boundaryEventIds) {
      const boundary = this.#process.nodes.get(boundaryId);
      this.#add(entering(id), entering(boundaryId));
      if (boundary === undefined || !isThrownTo(boundary)) continue;
      for (const inner of [node, ...this.#inside(node)]) {
        this.#add(entering(inner.id), done(boundaryId));
        this.#add(done(inner.id), done(boundaryId));
      }
    }
    if (node.kind === 'subProcess') this.#addSubProcess(node);
  }

  #addSubProcess(node: SubProcess): void {
    for (const startId of node.start) this.#add(entering(node.id), entering(startId));
    for (const moment of this.#handlerStarts(node.eventSubProcessIds)) this.#add(entering(node.id), moment);
    // The end of an event sub-process may be that of the scope around it.
    if (node.variant.kind === 'event') this.#add(done(node.id), done(node.parentId));
    for (const childId of node.children) {
      const child = this.#process.nodes.get(childId);
      if (child === undefined) continue;
      if (child.outgoing.length === 0 || node.variant.kind === 'adHoc')
        this.#add(done(childId), done(node.id));
    }
    this.#addHandlers(node.eventSubProcessIds, node);
  }

  /** Event sub-processes that something thrown in the scope may begin. */
  #addHandlers(handlerIds: readonly string[], scope: SubProcess | null): void {
    for (const handlerId of handlerIds) {
      const handler = this.#process.nodes.get(handlerId);
      if (handler?.kind !== 'subProcess' || handler.variant.kind !== 'event') continue;
      const start = this.#process.nodes.get(handler.variant.startEventId);
      if (start === undefined || !isThrownTo(start)) continue;
      const inside = scope === null ? [...this.#process.nodes.values()] : this.#inside(scope);
      for (const { id } of inside) {
        this.#add(entering(id), done(start.id));
        this.#add(done(id), done(start.id));
      }
    }
  }

  #addCompensation(thrower: FlowNode): void {
    for (const node of this.#process.nodes.values()) {
      const isHandler =
        (isActivity(node) && node.isForCompensation) ||
        (node.kind === 'startEvent' && waitsFor(node, 'compensation'));
      if (!isHandler) continue;
      this.#add(entering(thrower.id), entering(node.id));
      this.#add(done(node.id), done(thrower.id));
    }
  }

  /** The start events of event sub-processes wait as soon as their scope begins. */
  #handlerStarts(handlerIds: readonly string[]): readonly Moment[] {
    return handlerIds.flatMap((id) => {
      const handler = this.#process.nodes.get(id);
      return handler?.kind === 'subProcess' && handler.variant.kind === 'event'
        ? [entering(handler.variant.startEventId)]
        : [];
    });
  }

  /** Everything inside a sub-process, at any depth. */
  #inside(node: FlowNode): readonly FlowNode[] {
    if (node.kind !== 'subProcess') return [];
    return node.children.flatMap((id) => {
      const child = this.#process.nodes.get(id);
      return child === undefined ? [] : [child, ...this.#inside(child)];
    });
  }

  #add(from: Moment, to: Moment): void {
    const known = this.#next.get(from);
    if (known === undefined) this.#next.set(from, [to]);
    else known.push(to);
  }
}

/** Whether a token may leave the node in the turn in which it comes. */
function passesAtOnce(node: FlowNode): boolean {
  if (node.kind === 'startEvent' || node.kind === 'boundaryEvent') return node.triggers.length === 0;
  // A loop over nothing, and one that is tested before, do not run at all.
  if (isActivity(node) && node.loop !== null) return true;
  if (node.kind === 'callActivity' || node.kind.endsWith('Gateway')) return node.kind !== 'eventBasedGateway';
  return !mayWait(node) || throwsCompensation(node);
}

function throwsCompensation(node: FlowNode): boolean {
  return (
    (node.kind === 'endEvent' || node.kind === 'intermediateThrowEvent') &&
    node.results.some(({ kind }) => kind === 'compensation' || kind === 'cancel')
  );
}

function waitsFor(node: FlowNode, kind: CatchDefinition['kind']): boolean {
  return 'triggers' in node && node.triggers.some((trigger) => trigger.kind === kind);
}

/** Whether something that happens in the same turn may trigger the event. */
function isThrownTo(node: FlowNode): boolean {
  return (['error', 'escalation', 'cancel', 'compensation'] as const).some((kind) => waitsFor(node, kind));
}
