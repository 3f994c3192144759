/** One instance under test: remembers the snapshot, applies stimuli by element id, collects effects. */
import assert from 'node:assert/strict';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Context, Value } from '../../definitions/value.ts';
import { advance } from '../../engine/core/advance.ts';
import type { AdvanceResult, Effect, SendEffect } from '../../engine/core/effect.ts';
import { decodeSnapshot, encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { AliasValue, Snapshot, Wait } from '../../engine/core/snapshot.ts';
import type { InboundMessage, Stimulus } from '../../engine/core/stimulus.ts';
import { deepFreeze } from '../support/model-builder.ts';

export const INSTANCE_ID = 'inst-1';
export const START_MS = 1_767_225_600_000;

export function inbound(payload: Value, options: Partial<InboundMessage> = {}): InboundMessage {
  return { payload, headers: {}, event: {}, messageType: null, ...options };
}

export interface StartOptions {
  readonly at?: string;
  readonly variables?: Context;
  readonly message?: InboundMessage;
}

export class Instance {
  readonly process: ProcessDefinition;
  nowMs = START_MS;
  /** Every effect so far, oldest first. */
  readonly effects: Effect[] = [];
  /** Those of the last stimulus. */
  lastEffects: readonly Effect[] = [];
  #snapshot: Snapshot | null = null;

  constructor(process: ProcessDefinition) {
    this.process = process;
  }

  /** An instance that goes on from a snapshot, such as a repaired one. */
  static at(process: ProcessDefinition, snapshot: Snapshot): Instance {
    const instance = new Instance(process);
    instance.#snapshot = snapshot;
    return instance;
  }

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

  /** The elements at which tokens are, sorted; those that own a sub-process scope included. */
  get tokens(): readonly string[] {
    return this.snapshot.tokens.map(({ elementId }) => elementId).sort();
  }

  /** The elements that wait for something or are failed or joining, sorted, without sub-processes. */
  get active(): readonly string[] {
    const owners = new Set(this.snapshot.scopes.map(({ ownerTokenId }) => ownerTokenId));
    return this.snapshot.tokens
      .filter(({ id }) => !owners.has(id))
      .map(({ elementId }) => elementId)
      .sort();
  }

  /** `kind:element` of every wait, sorted. */
  get waits(): readonly string[] {
    return this.snapshot.waits.map(({ kind, elementId }) => `${kind}:${elementId}`).sort();
  }

  get sends(): readonly SendEffect[] {
    return this.effects.filter((effect) => effect.kind === 'send');
  }

  ofKind<Kind extends Effect['kind']>(kind: Kind): readonly Extract<Effect, { kind: Kind }>[] {
    return this.lastEffects.filter(
      (effect): effect is Extract<Effect, { kind: Kind }> => effect.kind === kind,
    );
  }

  /** Applies a stimulus to the snapshot as the store would give it back. */
  apply(stimulus: Stimulus): AdvanceResult {
    const before = this.#snapshot === null ? null : decodeSnapshot(encodeSnapshot(this.#snapshot));
    const context = { instanceId: INSTANCE_ID, deploymentId: 'dep-1', nowMs: this.nowMs };
    const result = advance(this.process, deepFreeze(before), deepFreeze(stimulus), deepFreeze(context));
    if (result.kind === 'advanced') {
      this.#snapshot = result.snapshot;
      this.lastEffects = result.effects;
      this.effects.push(...result.effects);
      checkInvariants(result.snapshot);
    }
    return result;
  }

  #mustAdvance(stimulus: Stimulus): this {
    const result = this.apply(stimulus);
    assert.equal(
      result.kind,
      'advanced',
      result.kind === 'refused' ? `${result.code}: ${result.message}` : '',
    );
    return this;
  }

  /** Starts at the only start event of the process, or at `at`. */
  start(options: StartOptions = {}): this {
    return this.#mustAdvance(this.startStimulus(options));
  }

  startStimulus({ at, variables = {}, message }: StartOptions = {}): Stimulus {
    const ids = this.process.children.filter((id) => this.process.nodes.get(id)?.kind === 'startEvent');
    const startEventId = at ?? ids[0] ?? '';
    return { kind: 'start', startEventId, message: message ?? null, variables, replyTo: null };
  }

  /** Sends a message by alias, by key, or both. */
  send(
    channel: string,
    payload: Value,
    by: { readonly key?: string; readonly aliases?: readonly AliasValue[]; readonly type?: string } = {},
  ): AdvanceResult {
    const { key = null, aliases = [], type = null } = by;
    const message = inbound(payload, { messageType: type });
    return this.apply({ kind: 'message', channel, key, aliases, message });
  }

  /** Answers the oldest open call of the element. */
  answer(elementId: string, payload: Value = {}): this {
    const wait = this.wait('call', elementId);
    assert.equal(wait.kind, 'call');
    const { channel, idempotencyKey: key } = wait;
    return this.#mustAdvance({ kind: 'message', channel, key, aliases: [], message: inbound(payload) });
  }

  /** Delivers a message to the oldest message wait of the element, under a key that this instance sent. */
  deliver(elementId: string, payload: Value = {}, type: string | null = null): this {
    const wait = this.wait('message', elementId) as Extract<Wait, { kind: 'message' }>;
    const message = inbound(payload, { messageType: type });
    const key = `${INSTANCE_ID}:1`;
    return this.#mustAdvance({ kind: 'message', channel: wait.channel, key, aliases: [], message });
  }

  /** Completes the oldest open user task of the element. */
  complete(elementId: string, variables: Context = {}): this {
    const { tokenId } = this.wait('user-task', elementId);
    return this.#mustAdvance({ kind: 'completeUserTask', tokenId, variables });
  }

  /** Fires the oldest timer of the element, whose time it then is. */
  fire(elementId: string): this {
    const wait = this.wait('timer', elementId) as Extract<Wait, { kind: 'timer' }>;
    this.nowMs = Math.max(this.nowMs, wait.dueAtMs);
    return this.#mustAdvance({ kind: 'timer', waitId: wait.id });
  }

  retry(): this {
    return this.#mustAdvance({ kind: 'retry' });
  }

  cancel(reason = 'test'): this {
    return this.#mustAdvance({ kind: 'cancel', reason });
  }

  wait(kind: Wait['kind'], elementId: string): Wait {
    const wait = this.snapshot.waits.find((item) => item.kind === kind && item.elementId === elementId);
    assert.ok(wait, `no ${kind} wait at ${elementId}; there are ${this.waits.join(', ') || 'none'}`);
    return wait;
  }
}

/** S2 to S4 of a snapshot, and that its text keeps it. */
export function checkInvariants(snapshot: Snapshot): void {
  const tokens = new Map(snapshot.tokens.map((token) => [token.id, token]));
  const scopes = new Map(snapshot.scopes.map((scope) => [scope.id, scope]));
  for (const token of snapshot.tokens) assert.ok(scopes.has(token.scopeId), 'S2: a token sits in a scope');
  for (const wait of snapshot.waits) assert.ok(tokens.has(wait.tokenId), 'S3: a wait belongs to a token');
  for (const scope of snapshot.scopes) {
    if (scope.ownerTokenId === null) continue;
    assert.equal(tokens.get(scope.ownerTokenId)?.elementId, scope.elementId, 'a scope belongs to its node');
    assert.ok(
      snapshot.tokens.some(({ scopeId }) => scopeId === scope.id),
      'a scope without tokens has ended',
    );
  }
  const isEnded = snapshot.status === 'completed' || snapshot.status === 'terminated';
  const isEmpty = snapshot.tokens.length === 0 && snapshot.waits.length === 0 && snapshot.scopes.length === 1;
  assert.equal(isEnded, isEmpty, 'S4: ended if and only if nothing is left');
  assert.equal(snapshot.status === 'failed', snapshot.failure !== null);
  const numbers = [...tokens.keys(), ...scopes.keys(), ...snapshot.waits.map(({ id }) => id)];
  assert.equal(new Set(numbers).size, numbers.length, 'S5: no number is used twice');
  assert.ok(numbers.every((number) => number < snapshot.nextSequence));
  assert.deepEqual(decodeSnapshot(encodeSnapshot(snapshot)), snapshot, 'S1: the text keeps it');
}
