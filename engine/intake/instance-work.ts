/**
 * One instance inside a batch: its snapshot as turns are applied, and what they add up to.
 *
 * W1 Effects that cancel out inside the batch (a timer set and cleared, a call sent and withdrawn)
 *    leave no trace in the writes.
 * W2 `snapshot` holds no parts: those that the batch has read or made are in `parts`, and each turn is given
 *    the ones that it needs (S6 of `engine/core/snapshot.ts`).
 */
import type { Value } from '../../definitions/value.ts';
import type { AliasEffect, Effect, HistoryEffect, SendEffect } from '../core/effect.ts';
import type { Snapshot, Wait } from '../core/snapshot.ts';
import type { Stimulus } from '../core/stimulus.ts';
import type { StoredReply } from '../store/turn-inbox.ts';
import { encodeBody } from './codec.ts';
import { partOfKey } from './implicit-key.ts';
import { InstanceParts, type PartChoice, type PartsRead } from './instance-parts.ts';

export interface JournalEntry {
  readonly event: string;
  readonly elementId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Of an audited element. */
  readonly payload?: Value;
}

export interface InstanceOrigin {
  readonly id: string;
  readonly tenant: string;
  readonly module: string;
  readonly deploymentId: string;
  readonly processId: string;
}

type MigratedCallEffect = Extract<Effect, { readonly kind: 'callMigrated' }>;

export class InstanceWork {
  /** Its deployment is that of the snapshot, which a migration changes. */
  origin: InstanceOrigin;
  /** Null for an instance that this batch starts. */
  readonly readSnapshot: Snapshot | null;
  readonly readTurn: number;
  snapshot: Snapshot | null;
  turn: number;
  readonly sends: SendEffect[] = [];
  readonly withdrawnKeys: string[] = [];
  /** By idempotency key: calls sent by earlier commits, whose rows go with the instance to another deployment. */
  readonly migratedCalls = new Map<string, MigratedCallEffect>();
  readonly timersSet = new Map<number, { elementId: string; dueAtMs: number; partId: number | null }>();
  readonly timersCleared = new Set<number>();
  readonly aliases: AliasEffect[] = [];
  /** Other deployments whose processes it has called. */
  readonly calls = new Set<string>();
  readonly parts: InstanceParts;
  /** What it has thrown, for everyone else. */
  readonly signals: Extract<Effect, { readonly kind: 'signalThrown' }>[] = [];
  readonly journal: { turn: number; entries: JournalEntry[] }[] = [];
  /** By a person: nothing that it has not got rid of leaves any more, not even what it only sent. */
  isCancelled = false;
  /** The first reply of this batch; an earlier turn's reply stays (the writes see to it). */
  reply: StoredReply | null = null;

  constructor(
    origin: InstanceOrigin,
    readSnapshot: Snapshot | null,
    readTurn: number,
    partsRead: PartsRead | null,
  ) {
    this.origin = origin;
    this.readSnapshot = readSnapshot;
    this.readTurn = readTurn;
    this.snapshot = readSnapshot;
    this.turn = readTurn;
    this.parts = new InstanceParts(readSnapshot, partsRead);
  }

  get isNew(): boolean {
    return this.readSnapshot === null;
  }

  get hasChanged(): boolean {
    return this.turn > this.readTurn;
  }

  get hasEnded(): boolean {
    return this.snapshot?.status === 'completed' || this.snapshot?.status === 'terminated';
  }

  /** The snapshot for a turn, with the parts that it is given. */
  snapshotWith(choice: PartChoice): Snapshot | null {
    const parts = this.parts.chosen(choice);
    return this.snapshot === null || parts.length === 0 ? this.snapshot : { ...this.snapshot, parts };
  }

  /** Takes one applied turn in. `cause` says what brought it, for the journal; `choice` what it was given. */
  apply(
    { parts, ...snapshot }: Snapshot,
    effects: readonly Effect[],
    cause: JournalEntry | null,
    choice: PartChoice,
  ): void {
    this.snapshot = snapshot;
    const { deploymentId } = snapshot;
    if (deploymentId !== this.origin.deploymentId) this.origin = { ...this.origin, deploymentId };
    this.parts.replace(choice, parts ?? []);
    this.turn += 1;
    const entries: JournalEntry[] = cause === null ? [] : [cause];
    for (const effect of effects) this.#take(effect, entries);
    this.journal.push({ turn: this.turn, entries });
  }

  /**
   * A call's answer came through another door than its own delivery: what is left of the delivery, an
   * outbox row or a parked task, is no longer wanted. To be called before `apply`.
   */
  withdrawAnswered(stimulus: Stimulus): void {
    if (stimulus.kind !== 'message' || stimulus.key === null) return;
    const { key } = stimulus;
    const isCall = (wait: Wait): boolean => wait.kind === 'call' && wait.idempotencyKey === key;
    const [part] = this.parts.chosen(partOfKey(key));
    if (this.snapshot?.waits.some(isCall) === true || part?.waits.some(isCall) === true) this.#withdraw(key);
  }

  /** To be called after `apply`: nothing is sent after a cancellation. */
  cancel(): void {
    this.isCancelled = true;
    this.sends.length = 0;
  }

  #take(effect: Effect, entries: JournalEntry[]): void {
    switch (effect.kind) {
      case 'send':
        this.sends.push(effect);
        return;
      case 'callWithdrawn':
        this.#withdraw(effect.idempotencyKey);
        return;
      case 'timerSet':
        this.timersSet.set(effect.waitId, {
          elementId: effect.elementId,
          dueAtMs: effect.dueAtMs,
          partId: effect.partId,
        });
        return;
      case 'timerCleared':
        if (!this.timersSet.delete(effect.waitId)) this.timersCleared.add(effect.waitId);
        return;
      case 'aliasSet':
        this.aliases.push(effect);
        return;
      case 'deploymentCalled':
        if (effect.deploymentId !== this.origin.deploymentId) this.calls.add(effect.deploymentId);
        return;
      case 'callMigrated':
        this.#migrateCall(effect);
        return;
      case 'signalThrown':
        this.signals.push(effect);
        return;
      case 'recordWritten':
        // Records belong to the tenant, not to the instance: the batch's `RecordView` has taken it.
        return;
      case 'reply':
        this.#reply(effect);
        return;
      case 'history':
        entries.push(entryOf(effect));
        return;
      case 'statusChanged':
        // The snapshot carries the status; the effect is for readers of effects alone.
        return;
    }
  }

  #withdraw(idempotencyKey: string): void {
    const sentHere = this.sends.findIndex((send) => send.idempotencyKey === idempotencyKey);
    if (sentHere >= 0) this.sends.splice(sentHere, 1);
    else this.withdrawnKeys.push(idempotencyKey);
    this.migratedCalls.delete(idempotencyKey);
  }

  #migrateCall(effect: MigratedCallEffect): void {
    const { idempotencyKey, deploymentId, processId, elementId, terminalWait } = effect;
    const index = this.sends.findIndex((send) => send.idempotencyKey === idempotencyKey);
    const send = this.sends[index];
    if (send === undefined) this.migratedCalls.set(idempotencyKey, effect);
    else this.sends[index] = { ...send, deploymentId, processId, elementId, terminalWait };
  }

  #reply(effect: Extract<Effect, { kind: 'reply' }>): void {
    if (this.reply !== null) return;
    const encoded = encodeBody(effect.contentType, effect.body);
    this.reply = {
      contentType: encoded.contentType,
      headers: effect.headers,
      bodyBase64: Buffer.from(encoded.body).toString('base64'),
    };
  }
}

function entryOf({ event, elementId, detail, payload }: HistoryEffect): JournalEntry {
  return payload === undefined ? { event, elementId, detail } : { event, elementId, detail, payload };
}
