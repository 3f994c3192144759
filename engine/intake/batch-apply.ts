/**
 * Applies the turns of a batch to the instances that it holds locked. Pure: everything it needs was
 * read before, everything it decides is written after.
 *
 * A1 Turns of one instance are applied one after the other over the same snapshot, in queue order.
 * A2 A turn that is refused leaves its instances as the turn before left them.
 * A3 What turns out to be missing (an instance to lock, a unique value to look up, parts, records) is named in
 *    `needs`; the caller gets it and applies the whole batch again from the start.
 * A4 A dry turn sees what the turns before it left, and leaves nothing itself.
 */
import { EngineError } from '../../config/engine-error.ts';
import { messageTriggersOf } from '../../definitions/model.ts';
import { aliasKeyText } from '../core/aliases.ts';
import { deadJoins } from '../core/dead-joins.ts';
import type { AdvanceResult, AliasEffect } from '../core/effect.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { Stimulus } from '../core/stimulus.ts';
import type { RecordState, RecordWrite } from '../store/data-records.ts';
import type { AliasKey } from '../store/turn-aliases.ts';
import type { InboxKey } from '../store/turn-inbox.ts';
import type { LockedInstance } from '../store/turn-instances.ts';
import { BatchNeeds } from './batch-needs.ts';
import { calledIn } from './call-targets.ts';
import type { PartChoice, PartsRead } from './instance-parts.ts';
import { InstanceWork, type InstanceOrigin, type JournalEntry } from './instance-work.ts';
import { RecordView } from './record-view.ts';
import { partOfStimulus } from './turn-parts.ts';
import type { DryTurn } from './turn-preview.ts';
import { WorkAdvance, type AdvanceState } from './work-advance.ts';
import type { AliasTarget, InstanceTarget, StartTarget, Target } from './turn.ts';

/** A turn whose settlement holds, with the targets that it turned out to have. */
export interface ReadyTurn {
  readonly index: number;
  readonly targets: readonly Target[];
  readonly isBroadcast: boolean;
  /** Nobody listens: what the turn settles is all that it does. */
  readonly settlesOnly: boolean;
  readonly dedup: InboxKey | null;
  /** The delivery that the message answers goes by the turn's own settlement. */
  readonly settlesDelivery: boolean;
  /** The part of the snapshot that the turn concerns, where its stimulus does not tell; null: none. */
  readonly partId: number | null;
  /** What brought the turn, for the journal. */
  readonly cause: JournalEntry | null;
  readonly isDry?: true;
}

export interface LockedState extends AdvanceState {
  readonly instances: ReadonlyMap<string, LockedInstance>;
  /** Of the locked instances. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** What was read of their parts; absent: nothing. */
  readonly parts: ReadonlyMap<string, PartsRead>;
  /** Ids that exist but are locked by another commit. */
  readonly lockedElsewhere: ReadonlySet<string>;
  /** By `aliasText`. */
  readonly aliasHolders: ReadonlyMap<string, readonly string[]>;
  /** By `aliasText`: who holds a unique value; null when looked up and free. */
  readonly uniqueHolders: ReadonlyMap<string, string | null>;
  /** By `inboxText`: keys that were committed before. */
  readonly recordedKeys: ReadonlyMap<string, string>;
  /** By `recordText`: what was read of data stores. */
  readonly records: ReadonlyMap<string, RecordState>;
}

export type AppliedTurn =
  | { readonly kind: 'applied'; readonly instanceIds: readonly string[] }
  | { readonly kind: 'duplicate'; readonly instanceId: string }
  | { readonly kind: 'previewed'; readonly turn: DryTurn }
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly error: EngineError };

export interface Applied {
  readonly answers: ReadonlyMap<number, AppliedTurn>;
  readonly works: ReadonlyMap<string, InstanceWork>;
  readonly recordWrites: readonly RecordWrite[];
  readonly needs: BatchNeeds;
  /** Indexes of the turns that had needs; of several with the same need, the first. */
  readonly lacking: ReadonlySet<number>;
}

export function aliasText(key: AliasKey): string {
  return JSON.stringify([key.tenant, key.module, key.name, key.value]);
}

export function inboxText(key: InboxKey): string {
  return JSON.stringify([key.tenant, key.module, key.channel, key.dedupKey]);
}

export function applyTurns(turns: readonly ReadyTurn[], state: LockedState): Applied {
  const pass = new ApplyPass(state);
  const answers = new Map<number, AppliedTurn>();
  const lacking = new Set<number>();
  for (const turn of turns) {
    const needCount = pass.needs.count;
    answers.set(turn.index, pass.apply(turn));
    if (pass.needs.count > needCount) lacking.add(turn.index);
  }
  return { answers, works: pass.works, recordWrites: pass.records.writes(), needs: pass.needs, lacking };
}

type Attempt =
  | {
      readonly kind: 'accepted';
      readonly work: InstanceWork;
      readonly stimulus: Stimulus;
      readonly result: Extract<AdvanceResult, { kind: 'advanced' }>;
      readonly choice: PartChoice;
    }
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly error: EngineError };

class ApplyPass {
  readonly works = new Map<string, InstanceWork>();
  readonly needs = new BatchNeeds();
  readonly records: RecordView;
  readonly #state: LockedState;
  readonly #advance: WorkAdvance;
  readonly #keysTaken = new Map<string, string>();
  readonly #uniqueTaken = new Map<string, string>();

  constructor(state: LockedState) {
    this.#state = state;
    this.records = new RecordView(state.records);
    this.#advance = new WorkAdvance(state, this.records, this.needs);
  }

  apply(turn: ReadyTurn): AppliedTurn {
    this.records.drop();
    const dedupText = turn.dedup === null ? null : inboxText(turn.dedup);
    if (dedupText !== null) {
      const earlier = this.#state.recordedKeys.get(dedupText) ?? this.#keysTaken.get(dedupText);
      if (earlier !== undefined) return { kind: 'duplicate', instanceId: earlier };
    }
    if (turn.isDry === true) return this.#preview(turn);
    if (turn.settlesOnly) return { kind: 'applied', instanceIds: [] };
    const answer = turn.isBroadcast ? this.#broadcast(turn) : this.#first(turn);
    const first = answer.kind === 'applied' ? answer.instanceIds[0] : undefined;
    if (dedupText !== null && first !== undefined) this.#keysTaken.set(dedupText, first);
    return answer;
  }

  /** The alternatives in order; a refusal for want of a wait gives the next one its chance. */
  #first(turn: ReadyTurn): AppliedTurn {
    let refusal: EngineError | null = null;
    for (const target of turn.targets) {
      const answer = target.kind === 'alias' ? this.#toAlias(target, turn) : this.#toOne(target, turn);
      if (answer.kind !== 'refused') return answer;
      refusal ??= answer.error;
      if (answer.error.code !== 'SUTRA.INBOUND.NOT_CORRELATED') return answer;
    }
    return { kind: 'refused', error: refusal ?? notCorrelated() };
  }

  #broadcast(turn: ReadyTurn): AppliedTurn {
    const attempts: Extract<Attempt, { kind: 'accepted' }>[] = [];
    for (const target of turn.targets) {
      if (target.kind === 'alias') continue;
      const attempt = this.#attempt(target, turn);
      if (attempt.kind !== 'accepted') return attempt;
      attempts.push(attempt);
    }
    return this.#commit(attempts, turn);
  }

  #preview(turn: ReadyTurn): AppliedTurn {
    const [target] = turn.targets;
    if (target?.kind !== 'instance') throw new Error('a dry turn is one of an instance');
    const attempt = this.#attempt(target, turn);
    if (attempt.kind !== 'accepted') return attempt;
    const { work, result, choice } = attempt;
    const { snapshot: after, effects } = result;
    const process = this.#state.calls.get(after.deploymentId, after.processId);
    const before = work.snapshotWith(choice);
    if (before === null || process === null) throw new Error(`instance ${work.origin.id} was not read`);
    return { kind: 'previewed', turn: { before, after, effects, deadJoins: deadJoins(process, after) } };
  }

  #toOne(target: StartTarget | InstanceTarget, turn: ReadyTurn): AppliedTurn {
    const attempt = this.#attempt(target, turn);
    if (attempt.kind === 'busy') return attempt;
    if (attempt.kind === 'accepted') return this.#commit([attempt], turn);
    return attempt;
  }

  #toAlias(target: AliasTarget, turn: ReadyTurn): AppliedTurn {
    const ids = new Map<string, boolean>();
    for (const key of target.keys) {
      for (const id of this.#state.aliasHolders.get(aliasText(key)) ?? []) {
        ids.set(id, (ids.get(id) ?? true) && target.multiNames.has(key.name));
      }
    }
    const accepted: Extract<Attempt, { kind: 'accepted' }>[] = [];
    let isMulti = true;
    let refusal: EngineError | null = null;
    for (const [instanceId, isMultiAlias] of ids) {
      const toHolder = { kind: 'instance', instanceId, scope: null, stimulus: target.stimulus } as const;
      const attempt = this.#attempt(toHolder, turn);
      if (attempt.kind === 'busy') return attempt;
      if (attempt.kind === 'refused') {
        // A failed instance that waits is a better reason than "nobody waits".
        if (refusal === null || attempt.error.attributes['retryable'] === true) refusal = attempt.error;
        continue;
      }
      accepted.push(attempt);
      isMulti &&= isMultiAlias;
    }
    if (accepted.length === 0) return { kind: 'refused', error: refusal ?? notCorrelated() };
    if (accepted.length > 1 && !isMulti) {
      return {
        kind: 'refused',
        error: new EngineError(
          'SUTRA.INBOUND.AMBIGUOUS',
          `${String(accepted.length)} waiting instances match the message on channel ${target.stimulus.channel}; the alias is not multi.`,
          {
            attributes: {
              instanceIds: accepted.slice(0, 10).map((attempt) => attempt.work.origin.id),
              retryable: false,
            },
          },
        ),
      };
    }
    return this.#commit(accepted, turn);
  }

  #attempt(target: StartTarget | InstanceTarget, turn: ReadyTurn): Attempt {
    const work = target.kind === 'start' ? this.#startWork(target) : this.#workOf(target.instanceId);
    if (work === 'busy') return { kind: 'busy' };
    const partId = turn.partId ?? partOfStimulus(target.stimulus);
    const scope = target.kind === 'instance' ? target.scope : null;
    if (work === null || (scope !== null && this.#isForeign(work, scope, partId))) {
      return { kind: 'refused', error: notCorrelated() };
    }
    const taken = new Set<string>();
    for (;;) {
      const advanced = this.#advance.run(work, target.stimulus, partId, taken);
      if (advanced.kind !== 'advanced') return advanced;
      const { result, choice } = advanced;
      const conflict = this.#uniqueConflict(work, result);
      if (conflict === null) {
        const obstacles = this.records.accept(work.origin.tenant, result.effects);
        if (obstacles.length > 0) return this.#advance.lack(obstacles);
        return { kind: 'accepted', work, stimulus: target.stimulus, result, choice };
      }
      if (isRefusable(target.stimulus)) return this.#onConflict(target, conflict, turn);
      taken.add(aliasKeyText(conflict.effect));
    }
  }

  /** The sender's module must be the instance's, or that of a process that it has called. */
  #isForeign(
    work: InstanceWork,
    scope: { readonly tenant: string; readonly module: string },
    partId: number | null,
  ): boolean {
    const { tenant, module } = work.origin;
    if (tenant !== scope.tenant) return true;
    if (module === scope.module) return false;
    const snapshot = work.snapshotWith(partId);
    const called = snapshot === null ? [] : calledIn(snapshot);
    return !called.some((id) => this.#state.models.get(id)?.identity.module === scope.module);
  }

  /** A unique value that the turn registers and another instance has; null: none. */
  #uniqueConflict(
    work: InstanceWork,
    result: Extract<AdvanceResult, { kind: 'advanced' }>,
  ): UniqueConflict | null {
    for (const effect of result.effects) {
      if (effect.kind !== 'aliasSet' || !effect.isUnique) continue;
      const key = this.#uniqueKey(work, effect);
      const text = aliasText(key);
      const known = this.#state.uniqueHolders.get(text);
      if (known === undefined) this.needs.uniqueKeys.set(text, key);
      const holder = this.#uniqueTaken.get(text) ?? known ?? null;
      if (holder !== null && holder !== work.origin.id) return { effect, holder };
    }
    return null;
  }

  /** Refuses the message, or sends a start's message to the holder instead. */
  #onConflict(
    target: StartTarget | InstanceTarget,
    { effect, holder }: UniqueConflict,
    turn: ReadyTurn,
  ): Attempt {
    if (effect.onConflict === 'correlate' && target.kind === 'start') {
      const instead = this.#correlateInstead(target, effect, holder, turn);
      if (instead !== null) return instead;
    }
    return {
      kind: 'refused',
      error: new EngineError(
        'SUTRA.INBOUND.ALIAS_TAKEN',
        `Alias ${effect.name} is unique and its value already belongs to instance ${holder}.`,
        {
          attributes: { instanceId: holder, alias: effect.name, retryable: false },
          place: { elementId: effect.elementId },
        },
      ),
    };
  }

  /** Null: the start has no message to give to the holder. */
  #correlateInstead(
    { stimulus, tenant, module, deploymentId, processId }: StartTarget,
    { name, value }: AliasEffect,
    holder: string,
    turn: ReadyTurn,
  ): Attempt | null {
    const { message, startEventId, trigger = 0 } = stimulus;
    const process = this.#state.models.get(deploymentId)?.processes.get(processId);
    const node = startEventId === null ? undefined : process?.nodes.get(startEventId);
    const source = node && messageTriggersOf(node).find((started) => started.trigger === trigger)?.source;
    if (message === null || source === undefined) return null;
    const aliases = [{ name, value }];
    const resumed = { kind: 'message', channel: source.channel, key: null, aliases, message } as const;
    const scope = { tenant, module };
    return this.#attempt({ kind: 'instance', instanceId: holder, scope, stimulus: resumed }, turn);
  }

  #commit(attempts: readonly Extract<Attempt, { kind: 'accepted' }>[], turn: ReadyTurn): AppliedTurn {
    this.records.keep();
    for (const { work, stimulus, result, choice } of attempts) {
      for (const effect of result.effects) {
        if (effect.kind !== 'aliasSet' || !effect.isUnique) continue;
        this.#uniqueTaken.set(aliasText(this.#uniqueKey(work, effect)), work.origin.id);
      }
      if (!turn.settlesDelivery) work.withdrawAnswered(stimulus);
      work.apply(result.snapshot, result.effects, turn.cause, choice);
      if (stimulus.kind === 'cancel') work.cancel();
      this.works.set(work.origin.id, work);
    }
    return { kind: 'applied', instanceIds: attempts.map((attempt) => attempt.work.origin.id) };
  }

  #startWork(target: StartTarget): InstanceWork {
    return new InstanceWork({ ...target, id: target.instanceId }, null, 0, null);
  }

  /** Aliases belong to the module of the process that registers them, which may be a called one. */
  #uniqueKey({ origin }: InstanceWork, { deploymentId, name, value }: AliasEffect): AliasKey {
    const module = this.#state.models.get(deploymentId)?.identity.module;
    if (module === undefined)
      throw new Error(`deployment ${deploymentId} registers an alias and is not loaded`);
    return { tenant: origin.tenant, module, name, value };
  }

  /** Null: there is no such instance. */
  #workOf(instanceId: string): InstanceWork | 'busy' | null {
    const open = this.works.get(instanceId);
    if (open !== undefined) return open;
    const locked = this.#state.instances.get(instanceId);
    const snapshot = this.#state.snapshots.get(instanceId);
    if (locked === undefined || snapshot === undefined) {
      if (this.#state.lockedElsewhere.has(instanceId)) return 'busy';
      this.needs.instanceIds.add(instanceId);
      return null;
    }
    const origin: InstanceOrigin = {
      id: locked.id,
      tenant: locked.tenant,
      module: locked.module,
      deploymentId: locked.deploymentId,
      processId: snapshot.processId,
    };
    const work = new InstanceWork(origin, snapshot, locked.turn, this.#state.parts.get(instanceId) ?? null);
    this.works.set(instanceId, work);
    return work;
  }
}

interface UniqueConflict {
  readonly effect: AliasEffect;
  readonly holder: string;
}

/** A message can be refused and leave nothing; for anything else the element fails that cannot go on. */
function isRefusable(stimulus: Stimulus): boolean {
  return stimulus.kind === 'start' || stimulus.kind === 'message';
}

function notCorrelated(): EngineError {
  return new EngineError(
    'SUTRA.INBOUND.NOT_CORRELATED',
    'No waiting instance matches the message: it does not exist, has ended, or does not wait on this channel now.',
    { attributes: { retryable: false } },
  );
}
