/**
 * The events that a token or a scope waits for beside what its own node is: boundary events, what is behind an
 * event-based gateway, event sub-processes, the message of a user task.
 *
 * N1 A trigger is the same in both models when its event is and it is of the same kind: on the same channel, of the
 *    same signal. Its wait is kept as it is: a timer keeps its time, a condition what it last was.
 * N2 What only the old model has is no longer waited for; what only the new one has is waited for from now on, by those
 *    that wait for such events at all. A trigger that both have is not armed again: it may have occurred.
 * N3 A parallel multiple event begins anew unless all of its triggers are the same.
 */
import { isActivity, type CatchDefinition, type FlowNode } from '../../definitions/model.ts';
import { scopeFactsAt } from './event-waits.ts';
import type { Graph } from './graph.ts';
import { isRun, type LiveScope, type LiveToken } from './live-state.ts';
import type { ProcessPair, ProcessPairs } from './migrate-processes.ts';
import type { MigrationReasons } from './migrate-reasons.ts';
import type { Wait } from './snapshot.ts';
import type { Step } from './step.ts';
import { isAdHoc } from './token-flow.ts';

/** An event as far as it is waited for. */
interface AwaitedEvent {
  readonly id: string;
  readonly triggers: readonly CatchDefinition[];
  readonly isParallelMultiple: boolean;
}

/** One trigger of an event of the new model. */
export interface AddedTrigger {
  readonly holder: { readonly tokenId: number } | { readonly scopeId: number };
  /** Of the old model: where the holder is. */
  readonly at: string;
  readonly eventId: string;
  readonly trigger: CatchDefinition;
  readonly index: number;
}

export interface EventPlan {
  /** By the id of a wait that is kept: where the new model has it. */
  readonly kept: Map<number, { readonly eventId: string; readonly index: number }>;
  readonly withdrawnIds: Set<number>;
  readonly added: AddedTrigger[];
}

/** To be asked when every token and every scope has its place in the new model. */
export function planEvents(step: Step, pairs: ProcessPairs, reasons: MigrationReasons): EventPlan {
  const plan: EventPlan = { kept: new Map(), withdrawnIds: new Set(), added: [] };
  for (const token of step.tokens.values()) {
    const pair = pairs.of(token.scope);
    if (pair !== null && token.state === 'waiting') planToken(pair, token, plan, reasons);
  }
  for (const scope of step.scopes.values()) {
    const pair = pairs.of(scope);
    if (pair !== null && hasEventSubProcesses(scope)) planScope(pair, scope, plan, reasons);
  }
  return plan;
}

function planToken(pair: ProcessPair, token: LiveToken, plan: EventPlan, reasons: MigrationReasons): void {
  const { id, elementId, waits } = token;
  const targetId = pair.nodeId(elementId);
  const events = eventsAt(pair.to, targetId, token);
  const matching = new Matching(pair, eventsAt(pair.from, elementId, token), events);
  for (const { one, other, eventId } of matching.ambiguous) {
    const message = `${one} and ${other} are both ${eventId} in the new model, and ${elementId} waits for them`;
    reasons.add(elementId, id, message);
  }
  keepOrWithdraw(matching, waits, plan);
  addNew(matching, plan, { tokenId: id }, elementId);
  const isGateway = pair.from.node(elementId).kind === 'eventBasedGateway';
  if (isGateway && events.every(({ triggers }) => !triggers.some(isAwaited))) {
    reasons.add(elementId, id, `in the new model there is nothing to wait for behind ${targetId}`);
  }
}

function eventsAt(graph: Graph, nodeId: string, token: LiveToken): readonly AwaitedEvent[] {
  const { node, boundaries, outgoing } = graph.facts(nodeId);
  if (node.kind === 'eventBasedGateway') {
    return outgoing.flatMap(({ targetId }) => awaited(graph.node(targetId)));
  }
  if (!isActivity(node)) return [];
  // Of an activity that runs in frames, its run is the one that a person works on.
  const isWorkedOn = token.waits.some(({ kind }) => kind === 'user-task');
  return [...(isRun(token) ? [] : boundaries), ...(isWorkedOn ? awaited(node) : [])];
}

function awaited(node: FlowNode): readonly AwaitedEvent[] {
  if ('triggers' in node) return [node];
  if ((node.kind !== 'userTask' && node.kind !== 'receiveTask') || node.source === null) return [];
  const { id, source, aliases } = node;
  return [{ id, triggers: [{ kind: 'message', source, aliases }], isParallelMultiple: false }];
}

/** The insides of processes and sub-processes; what is opened again to be undone waits for nothing. */
function hasEventSubProcesses({ kind }: LiveScope): boolean {
  return kind === undefined || kind === 'called';
}

function planScope(pair: ProcessPair, scope: LiveScope, plan: EventPlan, reasons: MigrationReasons): void {
  const { id, elementId, waits } = scope;
  const startsOf = (at: LiveScope): readonly AwaitedEvent[] =>
    scopeFactsAt(at).handlers.map(({ start }) => start);
  const target = { ...scope, graph: pair.to, elementId: pair.nodeId(elementId) };
  const matching = new Matching(pair, startsOf(scope), startsOf(target));
  for (const { one, other, eventId } of matching.ambiguous) {
    const message = `${one} and ${other} are both ${eventId} in the new model`;
    reasons.add(one, null, message);
  }
  keepOrWithdraw(matching, waits, plan);
  if (mayBegin(scope)) addNew(matching, plan, { scopeId: id }, elementId);
}

/**
 * Whether event sub-processes of the scope can still begin: not when one has interrupted it, when nothing but them is
 * left, or when its transaction is being cancelled; nor inside one whose start event, which arms them, has failed.
 */
function mayBegin(scope: LiveScope): boolean {
  const { graph, tokens } = scope;
  let isOccupied = isAdHoc(scope);
  for (const { elementId, state, phase } of tokens) {
    const node = graph.node(elementId);
    const isBeginning = state === 'failed' && phase === 'entering' && beginsEventSubProcess(graph, node);
    const isCancelling = node.kind === 'endEvent' && node.results.some(({ kind }) => kind === 'cancel');
    if (isBeginning || isCancelling) return false;
    if (node.kind !== 'subProcess' || node.variant.kind !== 'event') isOccupied = true;
    else if (interrupts(graph, node.variant.startEventId)) return false;
  }
  return isOccupied;
}

function beginsEventSubProcess(graph: Graph, { kind, parentId }: FlowNode): boolean {
  const parent = graph.process.nodes.get(parentId);
  return kind === 'startEvent' && parent?.kind === 'subProcess' && parent.variant.kind === 'event';
}

function interrupts(graph: Graph, startEventId: string): boolean {
  const start = graph.node(startEventId);
  return start.kind === 'startEvent' && start.isInterrupting;
}

// --- which trigger is which --------------------------------------------------------------------------

/** What is waited for, and not looked for by whoever throws. */
function isAwaited({ kind }: CatchDefinition): boolean {
  return kind === 'message' || kind === 'timer' || kind === 'signal' || kind === 'conditional';
}

function isSame(one: CatchDefinition, other: CatchDefinition): boolean {
  if (one.kind === 'message') return other.kind === 'message' && one.source.channel === other.source.channel;
  if (one.kind === 'signal') return other.kind === 'signal' && one.name === other.name;
  return one.kind === other.kind;
}

/** By the index of a trigger in the old model: that in the new one, or null. */
function sameTriggers(from: AwaitedEvent, to: AwaitedEvent): readonly (number | null)[] {
  const free = new Set(to.triggers.keys());
  const found = from.triggers.map((trigger) => {
    for (const index of free) {
      const other = to.triggers[index];
      if (other === undefined || !isSame(trigger, other)) continue;
      free.delete(index);
      return index;
    }
    return null;
  });
  const isWhole =
    from.isParallelMultiple === to.isParallelMultiple && free.size === 0 && !found.includes(null);
  return isWhole || (!from.isParallelMultiple && !to.isParallelMultiple) ? found : found.map(() => null);
}

/** The events that one holder waits for in both models. */
class Matching {
  readonly events: readonly AwaitedEvent[];
  /** Events of the old model that are the same one in the new. */
  readonly ambiguous: { readonly one: string; readonly other: string; readonly eventId: string }[] = [];
  /** By the id of an event of the old model. */
  readonly #found = new Map<
    string,
    { readonly to: AwaitedEvent; readonly indexes: readonly (number | null)[] }
  >();
  readonly #fromIds = new Set<string>();

  constructor(pair: ProcessPair, from: readonly AwaitedEvent[], to: readonly AwaitedEvent[]) {
    this.events = to;
    for (const event of from) {
      this.#fromIds.add(event.id);
      const same = to.find(({ id }) => id === pair.nodeId(event.id));
      if (same === undefined) continue;
      for (const [one, found] of this.#found) {
        if (found.to === same) this.ambiguous.push({ one, other: event.id, eventId: same.id });
      }
      this.#found.set(event.id, { to: same, indexes: sameTriggers(event, same) });
    }
  }

  /** Whether the wait is for one of these events, and not for what its token's own node is. */
  isFor(wait: Wait): boolean {
    return this.#fromIds.has(wait.elementId) && wait.kind !== 'user-task';
  }

  /** Null: the new model does not have the trigger. */
  find({ elementId, trigger = 0 }: Wait): { readonly eventId: string; readonly index: number } | null {
    const found = this.#found.get(elementId);
    const index = found?.indexes[trigger] ?? null;
    return found === undefined || index === null ? null : { eventId: found.to.id, index };
  }

  isNew(event: AwaitedEvent, index: number): boolean {
    for (const { to, indexes } of this.#found.values()) if (to === event) return !indexes.includes(index);
    return true;
  }
}

function keepOrWithdraw(matching: Matching, waits: readonly Wait[], plan: EventPlan): void {
  for (const wait of waits) {
    if (!matching.isFor(wait)) continue;
    const found = matching.find(wait);
    if (found === null) plan.withdrawnIds.add(wait.id);
    else plan.kept.set(wait.id, found);
  }
}

function addNew(matching: Matching, plan: EventPlan, holder: AddedTrigger['holder'], at: string): void {
  for (const event of matching.events) {
    event.triggers.forEach((trigger, index) => {
      if (!isAwaited(trigger) || !matching.isNew(event, index)) return;
      plan.added.push({ holder, at, eventId: event.id, trigger, index });
    });
  }
}
