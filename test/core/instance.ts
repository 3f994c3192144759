/**
 * One instance under test: remembers what is stored, applies stimuli by element id, collects effects.
 *
 * Where the instance has parts, each stimulus is applied twice: over all of them, and over those that the
 * engine would give. Both must do the same.
 */
import assert from 'node:assert/strict';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Context, Value } from '../../definitions/value.ts';
import type { Effect, HistoryEffect, SendEffect } from '../../engine/core/effect.ts';
import type { AliasValue, Scope, Snapshot, Token, Wait } from '../../engine/core/snapshot.ts';
import type {
  AdvanceContext,
  CallDirectory,
  ChannelDirectory,
  InboundMessage,
  Stimulus,
} from '../../engine/core/stimulus.ts';
import { checkInvariants, contentsOf } from './invariants.ts';
import {
  RecordStore,
  StoredInstance,
  takeTurn,
  type Loads,
  type Outcome,
  type TurnResult,
} from './stored-instance.ts';

export const INSTANCE_ID = 'inst-1';
export const DEPLOYMENT_ID = 'dep-1';
export const START_MS = 1_767_225_600_000;

export function inbound(payload: Value, options: Partial<InboundMessage> = {}): InboundMessage {
  return { payload, headers: {}, event: {}, messageType: null, ...options };
}

export interface StartOptions {
  /** A node, or null for `ProcessDefinition.start`. Default: the first start event, if there is one. */
  readonly at?: string | null;
  readonly trigger?: number;
  readonly variables?: Context;
  readonly message?: InboundMessage;
  readonly signal?: Value;
}

/**
 * Processes that call activities find, by deployment. `latest` is the last deployment that has the process;
 * so is what the caller's own deployment does not have.
 */
export function directory(
  deployments: Readonly<Record<string, readonly ProcessDefinition[]>>,
): CallDirectory {
  const get = (deploymentId: string, processId: string): ProcessDefinition | null =>
    deployments[deploymentId]?.find(({ id }) => id === processId) ?? null;
  return {
    get,
    resolve: (processId, binding, callerDeploymentId) => {
      const ids = Object.keys(deployments).reverse();
      if (binding === 'caller') ids.unshift(callerDeploymentId);
      const deploymentId = ids.find((id) => get(id, processId) !== null) ?? '';
      const process = get(deploymentId, processId);
      return process === null ? null : { deploymentId, process };
    },
    channelsOf: () => undefined,
  };
}

export interface InstanceOptions {
  readonly calls?: CallDirectory;
  /** Processes of the instance's own deployment that it may call. */
  readonly callable?: readonly ProcessDefinition[];
  readonly takenAliases?: ReadonlySet<string>;
  readonly channels?: ChannelDirectory;
}

export class Instance {
  readonly process: ProcessDefinition;
  readonly records = new RecordStore();
  nowMs = START_MS;
  /** What was applied and not refused so far, oldest first. */
  readonly stimuli: Stimulus[] = [];
  /** Every effect so far, oldest first. */
  readonly effects: Effect[] = [];
  /** Those of the last stimulus. */
  lastEffects: readonly Effect[] = [];
  readonly #options: InstanceOptions;
  #stored: StoredInstance | null = null;
  #snapshot: Snapshot | null = null;

  constructor(process: ProcessDefinition, options: InstanceOptions = {}) {
    this.process = process;
    this.#options = options;
  }

  /** An instance that goes on from a snapshot, such as a repaired one. */
  static at(process: ProcessDefinition, snapshot: Snapshot, options: InstanceOptions = {}): Instance {
    const instance = new Instance(process, options);
    instance.#snapshot = snapshot;
    instance.#stored = StoredInstance.of(snapshot);
    return instance;
  }

  // --- what it is like -----------------------------------------------------------------------------

  /** With all parts. */
  get snapshot(): Snapshot {
    assert.ok(this.#snapshot, 'the instance was not started');
    return this.#snapshot;
  }

  get status(): Snapshot['status'] {
    return this.snapshot.status;
  }

  /** The variables of the root scope. */
  get variables(): Context {
    return this.snapshot.scopes[0]?.variables ?? {};
  }

  get failureCode(): string | null {
    return this.snapshot.failure?.code ?? null;
  }

  get allScopes(): readonly Scope[] {
    return contentsOf(this.snapshot).scopes;
  }

  get allTokens(): readonly Token[] {
    return contentsOf(this.snapshot).tokens;
  }

  /** Oldest first. */
  get allWaits(): readonly Wait[] {
    return [...contentsOf(this.snapshot).waits].sort((one, other) => one.id - other.id);
  }

  /** The elements at which tokens are, sorted; those that own a scope included. */
  get tokens(): readonly string[] {
    return this.allTokens.map(({ elementId }) => elementId).sort();
  }

  /** The elements that wait for something or are failed or joining, sorted, without owners of scopes. */
  get active(): readonly string[] {
    const owners = new Set(this.allScopes.map(({ ownerTokenId }) => ownerTokenId));
    return this.allTokens
      .filter(({ id }) => !owners.has(id))
      .map(({ elementId }) => elementId)
      .sort();
  }

  /** `kind:element` of every wait, sorted. */
  get waits(): readonly string[] {
    return this.allWaits.map(({ kind, elementId }) => `${kind}:${elementId}`).sort();
  }

  get sends(): readonly SendEffect[] {
    return this.effects.filter((effect) => effect.kind === 'send');
  }

  /** The variables of the innermost scopes of the element, in order of age. */
  variablesIn(elementId: string): readonly Context[] {
    return this.allScopes.filter((scope) => scope.elementId === elementId).map(({ variables }) => variables);
  }

  ofKind<Kind extends Effect['kind']>(kind: Kind): readonly Extract<Effect, { kind: Kind }>[] {
    return this.lastEffects.filter(
      (effect): effect is Extract<Effect, { kind: Kind }> => effect.kind === kind,
    );
  }

  /** The elements of all history so far of which this is told, in order. */
  history(event: HistoryEffect['event']): readonly (string | null)[] {
    return this.effects.flatMap((effect) =>
      effect.kind === 'history' && effect.event === event ? [effect.elementId] : [],
    );
  }

  // --- stimuli -------------------------------------------------------------------------------------

  /** Applies a stimulus to what is stored. */
  apply(stimulus: Stimulus): Outcome {
    const before = this.#stored;
    const { outcome, stored } = this.#turn('all', stimulus);
    if (before !== null && before.partIds.length > 0) this.#compareNeeded(stimulus, { outcome, stored });
    if (outcome.kind === 'advanced' && stored !== null) {
      this.#stored = stored;
      this.#snapshot = outcome.snapshot;
      this.records.write(outcome.effects);
      this.stimuli.push(stimulus);
      this.lastEffects = outcome.effects;
      for (const effect of outcome.effects) this.effects.push(effect);
      checkInvariants(outcome.snapshot);
    }
    return outcome;
  }

  #turn(loads: Loads, stimulus: Stimulus): TurnResult {
    const { callable = [], takenAliases, channels } = this.#options;
    const { calls = directory({ [DEPLOYMENT_ID]: callable }) } = this.#options;
    // Another one once it has been migrated.
    const deploymentId = this.#snapshot?.deploymentId ?? DEPLOYMENT_ID;
    const process = deploymentId === DEPLOYMENT_ID ? this.process : calls.get(deploymentId, this.process.id);
    assert.ok(process, `the deployment ${deploymentId} has the process`);
    const context: AdvanceContext = {
      instanceId: INSTANCE_ID,
      deploymentId,
      nowMs: this.nowMs,
      calls,
      ...(takenAliases === undefined ? {} : { takenAliases }),
      ...(channels === undefined ? {} : { channels }),
    };
    return takeTurn(process, this.#stored, loads, stimulus, context, this.records);
  }

  #compareNeeded(stimulus: Stimulus, whole: TurnResult): void {
    const needed = this.#turn('needed', stimulus);
    const seen = ({ outcome, stored }: TurnResult): unknown =>
      outcome.kind === 'refused' ? outcome : [outcome.effects, stored?.text];
    assert.deepEqual(seen(needed), seen(whole), 'with the needed parts it does what it does with all');
  }

  mustAdvance(stimulus: Stimulus): this {
    const outcome = this.apply(stimulus);
    const text = outcome.kind === 'refused' ? `${outcome.code}: ${outcome.message}` : '';
    assert.equal(outcome.kind, 'advanced', text);
    return this;
  }

  /** The code with which the stimulus is refused. */
  refusalOf(stimulus: Stimulus): string {
    const outcome = this.apply(stimulus);
    assert.ok(outcome.kind === 'refused', `the ${stimulus.kind} was not refused`);
    return outcome.code;
  }

  start(options: StartOptions = {}): this {
    return this.mustAdvance(this.startStimulus(options));
  }

  startStimulus(options: StartOptions = {}): Stimulus {
    const { at, trigger, variables = {}, message = null, signal } = options;
    const ids = this.process.children.filter((id) => this.process.nodes.get(id)?.kind === 'startEvent');
    return {
      kind: 'start',
      startEventId: at === undefined ? (ids[0] ?? null) : at,
      ...(trigger === undefined ? {} : { trigger }),
      message,
      ...(signal === undefined ? {} : { signal }),
      variables,
      replyTo: null,
    };
  }

  /** Sends a message by alias, by key, or both. */
  send(
    channel: string,
    payload: Value,
    by: { readonly key?: string; readonly aliases?: readonly AliasValue[]; readonly type?: string } = {},
  ): Outcome {
    const { key = null, aliases = [], type = null } = by;
    const message = inbound(payload, { messageType: type });
    return this.apply({ kind: 'message', channel, key, aliases, message });
  }

  /** Answers an open call of the element: the oldest, or the one that is `nth` from it. */
  answer(elementId: string, payload: Value = {}, nth = 0): this {
    const { channel, idempotencyKey: key } = this.wait('call', elementId, nth);
    return this.mustAdvance({ kind: 'message', channel, key, aliases: [], message: inbound(payload) });
  }

  /** Whoever works on the oldest open call of the element reports a BPMN error. */
  fail(elementId: string, code: string, variables: Context = {}, nth = 0): this {
    const { idempotencyKey: key } = this.wait('call', elementId, nth);
    return this.mustAdvance({ kind: 'callError', key, code, message: `${code} was reported`, variables });
  }

  /** Delivers a message to the oldest message wait of the element, under a key that this instance sent. */
  deliver(elementId: string, payload: Value = {}, type: string | null = null): this {
    const { channel } = this.wait('message', elementId);
    const message = inbound(payload, { messageType: type });
    const key = `${INSTANCE_ID}:1`;
    return this.mustAdvance({ kind: 'message', channel, key, aliases: [], message });
  }

  /** Completes an open user task of the element: the oldest, or the one that is `nth` from it. */
  complete(elementId: string, variables: Context = {}, nth = 0): this {
    const { tokenId } = this.wait('user-task', elementId, nth);
    return this.mustAdvance({ kind: 'completeUserTask', tokenId: idOf(tokenId), variables });
  }

  /** Fires the oldest timer of the element, whose time it then is. */
  fire(elementId: string, nth = 0): this {
    const wait = this.wait('timer', elementId, nth);
    this.nowMs = Math.max(this.nowMs, wait.dueAtMs);
    return this.mustAdvance({ kind: 'timer', waitId: wait.id });
  }

  /** A signal that somebody else throws. */
  signal(name: string, payload: Value = null): this {
    return this.mustAdvance({ kind: 'signal', name, payload });
  }

  /** Writes variables as seen from the oldest token at the element, or from the root. */
  set(variables: Context, elementId?: string): this {
    const token = this.allTokens.find((item) => item.elementId === elementId);
    assert.ok(elementId === undefined || token, `no token at ${elementId ?? ''}`);
    return this.mustAdvance({ kind: 'setVariables', tokenId: token?.id ?? null, variables });
  }

  launching(adHocId: string, activityId: string, variables: Context = {}): Stimulus {
    const tokenId = idOf(this.wait('ad-hoc', adHocId).tokenId);
    return { kind: 'launchActivity', tokenId, activityId, variables };
  }

  launch(adHocId: string, activityId: string, variables: Context = {}): this {
    return this.mustAdvance(this.launching(adHocId, activityId, variables));
  }

  finish(adHocId: string): this {
    return this.mustAdvance({ kind: 'completeAdHoc', tokenId: idOf(this.wait('ad-hoc', adHocId).tokenId) });
  }

  retry(): this {
    return this.mustAdvance({ kind: 'retry' });
  }

  cancel(reason = 'test'): this {
    return this.mustAdvance({ kind: 'cancel', reason });
  }

  wait<Kind extends Wait['kind']>(kind: Kind, elementId: string, nth = 0): Extract<Wait, { kind: Kind }> {
    const isMeant = (item: Wait): item is Extract<Wait, { kind: Kind }> =>
      item.kind === kind && item.elementId === elementId;
    const wait = this.allWaits.filter(isMeant)[nth];
    assert.ok(wait, `no ${kind} wait at ${elementId}; there are ${this.waits.join(', ') || 'none'}`);
    return wait;
  }
}

/** Only the waits of scopes have no token. */
export function idOf(tokenId: number | null): number {
  assert.ok(tokenId !== null, 'it belongs to a token');
  return tokenId;
}
