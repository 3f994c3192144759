/**
 * One instance inside a batch: its snapshot as turns are applied, and what they add up to.
 *
 * W1 Effects that cancel out inside the batch (a timer set and cleared, a call sent and withdrawn)
 *    leave no trace in the writes.
 */
import type { Effect, SendEffect } from '../core/effect.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { Stimulus } from '../core/stimulus.ts';
import type { StoredReply } from '../store/turn-inbox.ts';
import { encodeBody } from './codec.ts';

export interface JournalEntry {
  readonly event: string;
  readonly elementId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface InstanceOrigin {
  readonly id: string;
  readonly tenant: string;
  readonly module: string;
  readonly deploymentId: string;
  readonly processId: string;
}

export class InstanceWork {
  readonly origin: InstanceOrigin;
  /** Null for an instance that this batch starts. */
  readonly readSnapshot: Snapshot | null;
  readonly readTurn: number;
  snapshot: Snapshot | null;
  turn: number;
  readonly sends: SendEffect[] = [];
  readonly withdrawnKeys: string[] = [];
  readonly timersSet = new Map<number, { elementId: string; dueAtMs: number }>();
  readonly timersCleared = new Set<number>();
  readonly aliases: { name: string; value: string; isUnique: boolean }[] = [];
  readonly journal: { turn: number; entries: JournalEntry[] }[] = [];
  /** The first reply of this batch; an earlier turn's reply stays (the writes see to it). */
  reply: StoredReply | null = null;

  constructor(origin: InstanceOrigin, readSnapshot: Snapshot | null, readTurn: number) {
    this.origin = origin;
    this.readSnapshot = readSnapshot;
    this.readTurn = readTurn;
    this.snapshot = readSnapshot;
    this.turn = readTurn;
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

  /** Takes one applied turn in. `cause` says what brought it, for the journal. */
  apply(snapshot: Snapshot, effects: readonly Effect[], cause: JournalEntry | null): void {
    this.snapshot = snapshot;
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
    const isCall = this.snapshot?.waits.some((wait) => wait.kind === 'call' && wait.idempotencyKey === key);
    if (isCall === true) this.#withdraw(key);
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
        this.timersSet.set(effect.waitId, { elementId: effect.elementId, dueAtMs: effect.dueAtMs });
        return;
      case 'timerCleared':
        if (!this.timersSet.delete(effect.waitId)) this.timersCleared.add(effect.waitId);
        return;
      case 'aliasSet':
        this.aliases.push({ name: effect.name, value: effect.value, isUnique: effect.isUnique });
        return;
      case 'reply':
        this.#reply(effect);
        return;
      case 'history':
        entries.push({ event: effect.event, elementId: effect.elementId, detail: effect.detail });
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
