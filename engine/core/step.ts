/**
 * The working state of one `advance`: built from the snapshot, changed in place, turned into the next one.
 *
 * W1 A token is in `tokens` unless it is `gone`; its waits are in `waits` and in the token itself.
 * W2 A `ready` token is in the queue exactly once; when the step ends, none is left.
 * W3 Effects that cancel each other out are never emitted: a timer set and cleared in one step leaves no
 *    trace, and a call made and given up in one step was never sent.
 */
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Context } from '../../definitions/value.ts';
import type { Effect, HistoryEffect } from './effect.ts';
import { graphOf, type Graph } from './graph.ts';
import { InvariantError } from './invariant-error.ts';
import {
  liveScope,
  liveToken,
  loadState,
  storedScope,
  storedToken,
  type LiveScope,
  type LiveToken,
  type Phase,
} from './live-state.ts';
import type { AliasValue, Failure, InstanceStatus, Snapshot, Wait } from './snapshot.ts';
import type { AdvanceContext } from './stimulus.ts';

export class Step {
  readonly graph: Graph;
  readonly context: AdvanceContext;
  readonly tokens: Map<number, LiveToken>;
  readonly scopes: Map<number, LiveScope>;
  readonly waits: Map<number, Wait>;
  readonly root: LiveScope;
  readonly effects: Effect[] = [];
  readonly aliases: AliasValue[];
  /** Scopes in which an inclusive join may have become ready. */
  readonly changedScopes = new Set<LiveScope>();
  /** Oldest first: what the step began with, then its own. */
  readonly failures: Failure[];
  endedAs: 'completed' | 'terminated' | null = null;

  readonly #before: Snapshot;
  #nextSequence: number;
  #queue: LiveToken[] = [];
  #queueHead = 0;
  readonly #clearedTimerIds: number[] = [];
  readonly #unsentKeys = new Set<string>();

  constructor(process: ProcessDefinition, context: AdvanceContext, snapshot: Snapshot) {
    this.graph = graphOf(process);
    this.context = context;
    this.#before = snapshot;
    this.#nextSequence = snapshot.nextSequence;
    this.aliases = [...snapshot.aliases];
    this.failures = snapshot.failure === null ? [] : [snapshot.failure];
    const { tokens, scopes, waits } = loadState(snapshot);
    this.tokens = tokens;
    this.scopes = scopes;
    this.waits = waits;
    const root = scopes.get(0);
    if (root === undefined) throw new InvariantError('the snapshot has no root scope');
    this.root = root;
  }

  /** The next number of the instance (S5). */
  allocate(): number {
    return this.#nextSequence++;
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

  /**
   * Moves the token to the next node, under a new number: a number stands for one visit to one node, so
   * that what was meant for an earlier round of a loop cannot be taken for this one.
   */
  moveToken(token: LiveToken, elementId: string, arrivedByFlowId: string): void {
    this.tokens.delete(token.id);
    token.id = this.allocate();
    this.tokens.set(token.id, token);
    token.elementId = elementId;
    token.arrivedByFlowId = arrivedByFlowId;
    token.message = null;
    this.enqueue(token, 'entering');
  }

  newScope(owner: LiveToken, variables: Context): LiveScope {
    const scope = liveScope({
      id: this.allocate(),
      parent: owner.scope,
      elementId: owner.elementId,
      owner,
      variables,
    });
    this.scopes.set(scope.id, scope);
    owner.childScopes.push(scope);
    return scope;
  }

  /** Takes a token out, its waits with it. Whether its scope has ended is the caller's question. */
  removeToken(token: LiveToken): void {
    this.withdrawWaits(token);
    token.state = 'gone';
    this.tokens.delete(token.id);
    token.scope.tokens.delete(token);
    this.changedScopes.add(token.scope);
  }

  /** Takes out a scope that holds no token. */
  removeScope(scope: LiveScope): void {
    if (scope.tokens.size > 0) throw new InvariantError(`scope ${scope.id} still has tokens`);
    this.scopes.delete(scope.id);
    this.changedScopes.delete(scope);
    if (scope.owner !== null) {
      scope.owner.childScopes = scope.owner.childScopes.filter((child) => child !== scope);
    }
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
    this.#queue.push(token);
  }

  /** The next token to run, or undefined when the step has come to rest. */
  dequeue(): LiveToken | undefined {
    while (this.#queueHead < this.#queue.length) {
      const token = this.#queue[this.#queueHead++];
      if (token?.state !== 'ready') continue;
      token.state = 'running';
      return token;
    }
    this.#queue = [];
    this.#queueHead = 0;
    return undefined;
  }

  // --- waits -------------------------------------------------------------------------------------

  addWait(token: LiveToken, wait: Wait): void {
    this.waits.set(wait.id, wait);
    token.waits.push(wait);
  }

  /** Ends a wait because what it waited for has come: the turn settles the cause, so there is no effect. */
  satisfyWait(wait: Wait): void {
    const token = this.tokens.get(wait.tokenId);
    if (token === undefined || !this.waits.delete(wait.id)) {
      throw new InvariantError(`there is no wait ${wait.id}`);
    }
    token.waits = token.waits.filter((other) => other !== wait);
    this.changedScopes.add(token.scope);
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

  withdrawWaits(token: LiveToken): void {
    for (const wait of token.waits) this.withdrawWait(wait);
  }

  // --- effects -----------------------------------------------------------------------------------

  history(
    event: HistoryEffect['event'],
    elementId: string | null,
    detail: HistoryEffect['detail'] = {},
  ): void {
    this.effects.push({ kind: 'history', event, elementId, detail });
  }

  /** The snapshot and the effects, once the step has come to rest. */
  finish(): { readonly snapshot: Snapshot; readonly effects: readonly Effect[] } {
    const failure = this.endedAs === null ? this.#openFailure() : null;
    const status = this.endedAs ?? (failure === null ? 'running' : 'failed');
    const { transientVariables } = this.graph;
    const snapshot: Snapshot = {
      formatVersion: 1,
      instanceId: this.context.instanceId,
      deploymentId: this.context.deploymentId,
      processId: this.graph.process.id,
      status,
      nextSequence: this.#nextSequence,
      scopes: [...this.scopes.values()].map((s) => storedScope(s, s === this.root ? transientVariables : [])),
      tokens: [...this.tokens.values()].map(storedToken),
      waits: [...this.waits.values()],
      aliases: this.endedAs === null ? this.aliases : [],
      replyTo: this.#before.replyTo,
      failure,
    };
    return { snapshot, effects: this.#netEffects(status, failure) };
  }

  /** The first failure whose token is still there: one that was interrupted meanwhile needs no repair. */
  #openFailure(): Failure | null {
    const isOpen = ({ tokenId }: Failure): boolean =>
      tokenId === null || this.tokens.get(tokenId)?.state === 'failed';
    return this.failures.find(isOpen) ?? null;
  }

  #netEffects(status: InstanceStatus, failure: Failure | null): readonly Effect[] {
    const unsent = this.#unsentKeys;
    const effects =
      unsent.size === 0 ? this.effects : this.effects.filter((effect) => !isOfSend(effect, unsent));
    for (const waitId of this.#clearedTimerIds) effects.push({ kind: 'timerCleared', waitId });
    for (const wait of this.waits.values()) {
      if (wait.kind !== 'timer' || wait.id < this.#before.nextSequence) continue;
      effects.push({ kind: 'timerSet', waitId: wait.id, elementId: wait.elementId, dueAtMs: wait.dueAtMs });
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

/** Whether the effect is a send under one of these keys, or its line in the journal. */
function isOfSend(effect: Effect, keys: ReadonlySet<unknown>): boolean {
  if (effect.kind === 'send') return keys.has(effect.idempotencyKey);
  return effect.kind === 'history' && effect.event === 'sent' && keys.has(effect.detail['idempotencyKey']);
}
