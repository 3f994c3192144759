/**
 * The working state of one `advance`: built from the snapshot, changed in place, turned into the next one.
 *
 * W1 A token is in `tokens` unless it is `gone`; its waits are in `waits` and in the token itself.
 * W2 A `ready` token is in the queue exactly once; when the step ends, none is left.
 * W3 Effects that cancel each other out are never emitted: a timer set and cleared in one step leaves no
 *    trace, and a call made and given up in one step was never sent.
 * W4 What an absent part holds is never guessed at: whatever would need it throws `NeedsParts`.
 */
import { TurnBudget } from '../../definitions/feel.ts';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Context, Value } from '../../definitions/value.ts';
import { CompensationBook } from './compensation-book.ts';
import type { Effect, HistoryEffect } from './effect.ts';
import { ElementFailure } from './element-failure.ts';
import { graphOf, type Graph } from './graph.ts';
import { NeedsParts } from './incomplete.ts';
import { InvariantError } from './invariant-error.ts';
import {
  addChild,
  holderOf,
  liveScope,
  liveToken,
  loadState,
  storedScope,
  storedToken,
  type Ground,
  type LivePart,
  type LiveScope,
  type LiveToken,
  type Phase,
} from './live-state.ts';
import type { AliasValue, Failure, InstanceStatus, Part, Scope, Snapshot, Token, Wait } from './snapshot.ts';
import type { AdvanceContext } from './stimulus.ts';

/**
 * Units of the turn's budget for a token that is made or moved, a scope and a wait, with what it takes to store them:
 * 50,000 parallel user tasks took 0.9 s, most of it for memory.
 */
const TOKEN_UNITS = 60;
const SCOPE_UNITS = 250;
const WAIT_UNITS = 130;
/** And for a parallel instance that comes to a wait, with executing its node. */
const INSTANCE_UNITS = SCOPE_UNITS + TOKEN_UNITS + WAIT_UNITS + 80;

/** Tokens of the queue that have run and are still held, at most, or half of the queue. */
const FORGOTTEN_AT = 1_000;

/** What is special about a new scope; without any of it, it is the inside of the owner's sub-process. */
export interface ScopeOptions {
  readonly kind?: Scope['kind'];
  readonly elementId?: string;
  /** Whose variables are visible inside. Default: the owner's scope. */
  readonly parent?: LiveScope;
  readonly index?: number;
  readonly called?: { readonly deploymentId: string; readonly graph: Graph };
  /** A new part stores it and all inside it. */
  readonly isPart?: boolean;
}

export class Step {
  readonly context: AdvanceContext;
  /** The turn's time, and what its expressions and its tokens may still cost. */
  readonly budget: TurnBudget;
  readonly tokens: Map<number, LiveToken>;
  readonly scopes: Map<number, LiveScope>;
  readonly waits: Map<number, Wait>;
  readonly parts: Map<number, LivePart>;
  readonly root: LiveScope;
  readonly effects: Effect[] = [];
  readonly aliases: AliasValue[];
  readonly compensations: CompensationBook;
  /** Scopes in which an inclusive join may have become ready. */
  readonly changedScopes = new Set<LiveScope>();
  /** Oldest first: what the step began with, then its own. */
  readonly failures: Failure[];
  endedAs: 'completed' | 'terminated' | null = null;
  /** Instances of parallel multi-instance activities that this step has begun. */
  begunInstanceCount = 0;

  readonly #before: Snapshot;
  #nextSequence: number;
  #queue: LiveToken[] = [];
  #queueHead = 0;
  readonly #clearedTimerIds: number[] = [];
  readonly #unsentKeys = new Set<string>();
  /** What the step has written to records of data stores, by `recordName`, the last value last. */
  readonly #records = new Map<string, Value[]>();
  /** Where in `effects` the phase began that a token is in, and the records that it has written since. */
  #phaseStart = 0;
  readonly #phaseRecords: string[] = [];

  constructor(process: ProcessDefinition, context: AdvanceContext, snapshot: Snapshot) {
    this.context = context;
    this.budget = new TurnBudget(context.nowMs, context.costLimits);
    this.#before = snapshot;
    this.#nextSequence = snapshot.nextSequence;
    this.aliases = [...snapshot.aliases];
    this.compensations = new CompensationBook(snapshot.compensations ?? []);
    this.failures = snapshot.failure === null ? [] : [snapshot.failure];
    const ground: Ground = { graph: graphOf(process), deploymentId: context.deploymentId };
    const { tokens, scopes, waits, parts } = loadState(snapshot, ground, (called) =>
      calledGround(context, called),
    );
    this.tokens = tokens;
    this.scopes = scopes;
    this.waits = waits;
    this.parts = parts;
    const root = scopes.get(0);
    if (root === undefined) throw new InvariantError('the snapshot has no root scope');
    this.root = root;
  }

  /**
   * A parallel multi-instance activity begins so many instances now.
   * @throws ElementFailure when the turn cannot: then none is begun
   */
  beginInstances(count: number): void {
    if (count * INSTANCE_UNITS > this.budget.unitsLeft) {
      throw new ElementFailure(
        'SUTRA.CORE.COST_LIMIT',
        `${count} parallel instances are more than one turn can begin`,
      );
    }
    this.begunInstanceCount += count;
  }

  /** Pays for the copies of contexts since the last time. */
  payForCopies(): void {
    this.budget.spend(this.root.writes.copyUnits);
    this.root.writes.copyUnits = 0;
  }

  /** The next number of the instance (S5). */
  allocate(): number {
    return this.#nextSequence++;
  }

  /** The number that will be drawn next. */
  get nextSequence(): number {
    return this.#nextSequence;
  }

  /** What the step began with. */
  get before(): Snapshot {
    return this.#before;
  }

  // --- tokens and scopes -------------------------------------------------------------------------

  /** A token that is born in this step, in the queue to do `phase` at `elementId`. */
  newToken(scope: LiveScope, elementId: string, phase: Phase, arrivedByFlowId: string | null): LiveToken {
    const token = liveToken({
      id: this.allocate(),
      scope,
      elementId,
      state: 'running',
      phase,
      arrivedByFlowId,
    });
    this.tokens.set(token.id, token);
    scope.tokens.add(token);
    this.enqueue(token, phase);
    return token;
  }

  /** A token that is born waiting for what is going to happen inside its node. */
  newWaitingToken(scope: LiveScope, elementId: string): LiveToken {
    const token = liveToken({
      id: this.allocate(),
      scope,
      elementId,
      state: 'waiting',
      phase: 'completing',
      arrivedByFlowId: null,
    });
    this.tokens.set(token.id, token);
    scope.tokens.add(token);
    this.changedScopes.add(scope);
    return token;
  }

  /**
   * Moves the token to the next node, under a new number: a number stands for one visit to one node, so
   * that what was meant for an earlier round of a loop cannot be taken for this one.
   */
  moveToken(
    token: LiveToken,
    elementId: string,
    arrivedByFlowId: string | null,
    phase: Phase = 'entering',
  ): void {
    this.tokens.delete(token.id);
    token.id = this.allocate();
    this.tokens.set(token.id, token);
    token.elementId = elementId;
    token.arrivedByFlowId = arrivedByFlowId;
    token.message = null;
    this.enqueue(token, phase);
  }

  newScope(owner: LiveToken, variables: Context, options: ScopeOptions = {}): LiveScope {
    const { kind, index, called } = options;
    const parent = options.parent ?? owner.scope;
    const { graph, deploymentId } = called ?? parent;
    this.budget.spend(SCOPE_UNITS);
    const id = this.allocate();
    const scope = liveScope({
      id,
      parent,
      elementId: options.elementId ?? owner.elementId,
      kind,
      index,
      called: called && { deploymentId, processId: graph.process.id },
      graph,
      deploymentId,
      partId: options.isPart === true ? id : parent.partId,
      owner,
      variables,
      writes: this.root.writes,
    });
    this.scopes.set(id, scope);
    addChild(owner, scope);
    if (options.isPart === true) this.parts.set(id, { id, owner, index: index ?? 0, output: undefined });
    return scope;
  }

  /** Takes a token out, its waits with it. Whether its scope has ended is the caller's question. */
  removeToken(token: LiveToken): void {
    this.withdrawWaits(token);
    token.state = 'gone';
    this.tokens.delete(token.id);
    token.scope.tokens.delete(token);
    this.changedScopes.add(token.scope);
    this.compensations.takePending(token.id);
  }

  /** Takes out a scope that holds no token, with what waits for events in it and what completed in it. */
  removeScope(scope: LiveScope): void {
    if (scope.tokens.size > 0) throw new InvariantError(`scope ${scope.id} still has tokens`);
    this.withdrawWaits(scope);
    this.scopes.delete(scope.id);
    this.changedScopes.delete(scope);
    scope.owner?.childScopes?.delete(scope);
    this.compensations.dropScope(scope.id);
  }

  /** Puts the token at the end of the queue, to carry on with `phase`. */
  enqueue(token: LiveToken, phase: Phase): void {
    if (token.state === 'ready' || token.state === 'gone') {
      throw new InvariantError(
        `token ${token.id} at ${token.elementId} is ${token.state} and cannot be queued`,
      );
    }
    token.state = 'ready';
    token.phase = phase;
    this.changedScopes.add(token.scope);
    this.budget.spend(TOKEN_UNITS);
    this.#queue.push(token);
  }

  /** The node's work is done: what else the token waited for is no longer wanted. */
  complete(token: LiveToken): void {
    this.withdrawWaits(token);
    this.enqueue(token, 'completing');
  }

  /** The next token to run, or undefined when the step has come to rest. */
  dequeue(): LiveToken | undefined {
    while (this.#queueHead < this.#queue.length) {
      const token = this.#queue[this.#queueHead++];
      // What has run is not held any longer: a loop makes new tokens all the time.
      if (this.#queueHead >= FORGOTTEN_AT && this.#queueHead * 2 >= this.#queue.length) {
        this.#queue = this.#queue.slice(this.#queueHead);
        this.#queueHead = 0;
      }
      if (token?.state !== 'ready') continue;
      token.state = 'running';
      return token;
    }
    this.#queue = [];
    this.#queueHead = 0;
    return undefined;
  }

  // --- parts -------------------------------------------------------------------------------------

  /** The parts of a looping activity, all of them, in the order of its runs. @throws NeedsParts */
  partsOf(owner: LiveToken, collectsOutput: boolean): readonly LivePart[] {
    const parts = [...this.parts.values()].filter((part) => part.owner === owner);
    const { loop } = owner;
    const count = loop === null ? 0 : collectsOutput ? loop.started : loop.active;
    if (parts.length < count) throw new NeedsParts();
    return parts.sort((left, right) => left.index - right.index);
  }

  /** Whether the turn was not given some of the parts. */
  hasAbsentParts(): boolean {
    let activeCount = 0;
    for (const { loop } of this.tokens.values()) if (loop?.isParted === true) activeCount += loop.active;
    if (activeCount === 0) return false;
    const loadedIds = new Set<number>();
    for (const { partId } of this.scopes.values()) if (partId !== null) loadedIds.add(partId);
    return loadedIds.size < activeCount;
  }

  /** @throws NeedsParts when what is looked for may be in a part that the turn was not given */
  requireParts(): void {
    if (this.hasAbsentParts()) throw new NeedsParts();
  }

  // --- waits -------------------------------------------------------------------------------------

  addWait(holder: LiveToken | LiveScope, wait: Wait): void {
    this.budget.spend(WAIT_UNITS);
    this.waits.set(wait.id, wait);
    holder.waits.push(wait);
  }

  holderOf(wait: Wait): LiveToken | LiveScope {
    return holderOf(this, wait);
  }

  /** Writes down how a wait has changed; its number stays. */
  replaceWait(wait: Wait): void {
    const holder = this.holderOf(wait);
    this.waits.set(wait.id, wait);
    holder.waits = holder.waits.map((other) => (other.id === wait.id ? wait : other));
  }

  /** Ends a wait because what it waited for has come: the turn settles the cause, so there is no effect. */
  satisfyWait(wait: Wait): void {
    const holder = this.holderOf(wait);
    if (!this.waits.delete(wait.id)) throw new InvariantError(`there is no wait ${wait.id}`);
    holder.waits = holder.waits.filter((other) => other.id !== wait.id);
    this.changedScopes.add('tokens' in holder ? holder : holder.scope);
  }

  /** Ends a wait because it is no longer wanted: its timer goes, its call is withdrawn. */
  withdrawWait(wait: Wait): void {
    this.satisfyWait(wait);
    const isNew = wait.id >= this.#before.nextSequence;
    if (wait.kind === 'timer' && !isNew) this.#clearedTimerIds.push(wait.id);
    if (wait.kind !== 'call') return;
    const { idempotencyKey, elementId } = wait;
    if (isNew) this.#unsentKeys.add(idempotencyKey);
    else this.effects.push({ kind: 'callWithdrawn', idempotencyKey, elementId });
  }

  withdrawWaits(holder: LiveToken | LiveScope): void {
    for (const wait of holder.waits) this.withdrawWait(wait);
  }

  // --- effects -----------------------------------------------------------------------------------

  history(
    event: HistoryEffect['event'],
    elementId: string | null,
    detail: HistoryEffect['detail'] = {},
    payload?: Value,
  ): void {
    const entry = { kind: 'history', event, elementId, detail } as const;
    this.effects.push(payload === undefined ? entry : { ...entry, payload });
  }

  // --- records of data stores --------------------------------------------------------------------

  /** The value that this step has written to a record; undefined when it has not. */
  writtenRecord(store: string, key: string): Value | undefined {
    return this.#records.get(recordName(store, key))?.at(-1);
  }

  writeRecord(store: string, key: string, value: Value): void {
    const name = recordName(store, key);
    const values = this.#records.get(name);
    if (values === undefined) this.#records.set(name, [value]);
    else values.push(value);
    this.#phaseRecords.push(name);
    this.effects.push({ kind: 'recordWritten', store, key, value });
  }

  /** A token begins a phase: if it fails, what it has written to data stores since is not written. */
  beginPhase(): void {
    this.#phaseStart = this.effects.length;
    this.#phaseRecords.length = 0;
  }

  /** The phase has failed, and a retry will do it again from its beginning. */
  rollBackRecords(): void {
    if (this.#phaseRecords.length === 0) return;
    for (const name of this.#phaseRecords.splice(0)) this.#records.get(name)?.pop();
    const since = this.effects.splice(this.#phaseStart);
    this.effects.push(...since.filter(({ kind }) => kind !== 'recordWritten'));
  }

  /** The snapshot and the effects, once the step has come to rest. */
  finish(): { readonly snapshot: Snapshot; readonly effects: readonly Effect[] } {
    const failure = this.endedAs === null ? this.#openFailure() : null;
    const status = this.endedAs ?? (failure === null ? 'running' : 'failed');
    const { main, parts } = this.#stored();
    const snapshot: Snapshot = {
      formatVersion: 1,
      instanceId: this.context.instanceId,
      deploymentId: this.context.deploymentId,
      processId: this.root.graph.process.id,
      status,
      nextSequence: this.#nextSequence,
      ...main,
      ...(parts.length === 0 ? {} : { parts }),
      ...(this.compensations.isEmpty || this.endedAs !== null
        ? {}
        : { compensations: this.compensations.stored() }),
      aliases: this.endedAs === null ? this.aliases : [],
      replyTo: this.#before.replyTo,
      failure,
    };
    return { snapshot, effects: this.#netEffects(status, failure) };
  }

  /** What is stored in the snapshot itself, and in its parts. */
  #stored(): { readonly main: Contents; readonly parts: readonly Part[] } {
    const main: Contents = { scopes: [], tokens: [], waits: [] };
    const byPart = new Map<number, Contents>();
    for (const id of this.parts.keys()) byPart.set(id, { scopes: [], tokens: [], waits: [] });
    const contentsOf = (partId: number | null): Contents => {
      const contents = partId === null ? main : byPart.get(partId);
      if (contents === undefined) throw new InvariantError(`there is no part ${partId ?? 0}`);
      return contents;
    };
    for (const scope of this.scopes.values()) contentsOf(scope.partId).scopes.push(storedScope(scope));
    for (const token of this.tokens.values()) contentsOf(token.scope.partId).tokens.push(storedToken(token));
    for (const wait of this.waits.values()) {
      const holder = this.holderOf(wait);
      contentsOf('tokens' in holder ? holder.partId : holder.scope.partId).waits.push(wait);
    }
    const parts = [...this.parts.values()].map(({ id, owner, index, output }) => ({
      id,
      ownerTokenId: owner.id,
      index,
      ...contentsOf(id),
      ...(output === undefined ? {} : { output }),
    }));
    return { main, parts: parts.sort((left, right) => left.id - right.id) };
  }

  /** The first failure whose token is still there: one that was interrupted meanwhile needs no repair. */
  #openFailure(): Failure | null {
    let isSomethingAbsent: boolean | null = null;
    const isOpen = ({ tokenId }: Failure): boolean => {
      if (tokenId === null) return true;
      const token = this.tokens.get(tokenId);
      // Its token may be in a part that the turn was not given; then nothing has happened to it.
      if (token === undefined) return (isSomethingAbsent ??= this.hasAbsentParts());
      return token.state === 'failed';
    };
    return this.failures.find(isOpen) ?? null;
  }

  #netEffects(status: InstanceStatus, failure: Failure | null): readonly Effect[] {
    const unsent = this.#unsentKeys;
    const effects =
      unsent.size === 0 ? this.effects : this.effects.filter((effect) => !isOfSend(effect, unsent));
    for (const waitId of this.#clearedTimerIds) effects.push({ kind: 'timerCleared', waitId });
    for (const wait of this.waits.values()) {
      if (wait.kind !== 'timer' || wait.id < this.#before.nextSequence) continue;
      const { id: waitId, elementId, dueAtMs } = wait;
      const holder = this.holderOf(wait);
      const { partId } = 'tokens' in holder ? holder : holder.scope;
      effects.push({ kind: 'timerSet', waitId, elementId, dueAtMs, partId });
    }
    if (this.endedAs !== null) {
      effects.push({ kind: 'history', event: 'ended', elementId: null, detail: { status } });
    }
    if (status !== this.#before.status || failure !== this.#before.failure) {
      effects.push({ kind: 'statusChanged', status, failure });
    }
    return effects;
  }
}

function recordName(store: string, key: string): string {
  return JSON.stringify([store, key]);
}

interface Contents {
  readonly scopes: Scope[];
  readonly tokens: Token[];
  readonly waits: Wait[];
}

function calledGround(context: AdvanceContext, called: NonNullable<Scope['called']>): Ground {
  const { deploymentId, processId } = called;
  const process = context.calls?.get(deploymentId, processId) ?? null;
  if (process !== null) return { graph: graphOf(process), deploymentId };
  throw new InvariantError(`the called process ${processId} of the deployment ${deploymentId} was not given`);
}

/** Whether the effect is a send under one of these keys, or its line in the journal. */
function isOfSend(effect: Effect, keys: ReadonlySet<unknown>): boolean {
  if (effect.kind === 'send') return keys.has(effect.idempotencyKey);
  return effect.kind === 'history' && effect.event === 'sent' && keys.has(effect.detail['idempotencyKey']);
}
