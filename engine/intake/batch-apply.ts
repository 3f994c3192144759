/**
 * Applies the turns of a batch to the instances that it holds locked. Pure: everything it needs was
 * read before, everything it decides is written after.
 *
 * A1 Turns of one instance are applied one after the other over the same snapshot, in queue order.
 * A2 A turn that is refused leaves its instances as the turn before left them.
 * A3 What turns out to be missing (an instance to lock, a unique value to look up) is named in `needs`;
 *    the caller gets it and applies the whole batch again from the start.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { ChannelDefinition, PackageModel } from '../../definitions/package-model.ts';
import { advance } from '../core/advance.ts';
import { aliasKeyText } from '../core/aliases.ts';
import type { AdvanceResult, AliasEffect } from '../core/effect.ts';
import { decodeSnapshot } from '../core/snapshot-codec.ts';
import type { Stimulus } from '../core/stimulus.ts';
import type { AliasKey } from '../store/turn-aliases.ts';
import type { InboxKey } from '../store/turn-inbox.ts';
import type { LockedInstance } from '../store/turn-instances.ts';
import { InstanceWork, type InstanceOrigin, type JournalEntry } from './instance-work.ts';
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
  /** What brought the turn, for the journal. */
  readonly cause: JournalEntry | null;
}

export interface LockedState {
  readonly nowMs: number;
  readonly instances: ReadonlyMap<string, LockedInstance>;
  /** Ids that exist but are locked by another commit. */
  readonly lockedElsewhere: ReadonlySet<string>;
  /** By `aliasText`. */
  readonly aliasHolders: ReadonlyMap<string, readonly string[]>;
  /** By `aliasText`: who holds a unique value; null when looked up and free. */
  readonly uniqueHolders: ReadonlyMap<string, string | null>;
  /** By `inboxText`: keys that were committed before. */
  readonly recordedKeys: ReadonlyMap<string, string>;
  readonly models: ReadonlyMap<string, PackageModel>;
}

export type AppliedTurn =
  | { readonly kind: 'applied'; readonly instanceIds: readonly string[] }
  | { readonly kind: 'duplicate'; readonly instanceId: string }
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly error: EngineError };

export interface Applied {
  readonly answers: ReadonlyMap<number, AppliedTurn>;
  readonly works: ReadonlyMap<string, InstanceWork>;
  readonly needs: {
    readonly instanceIds: ReadonlySet<string>;
    readonly uniqueKeys: ReadonlyMap<string, AliasKey>;
  };
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
  for (const turn of turns) answers.set(turn.index, pass.apply(turn));
  return {
    answers,
    works: pass.works,
    needs: { instanceIds: pass.neededInstances, uniqueKeys: pass.neededUniqueKeys },
  };
}

type Attempt =
  | {
      readonly kind: 'accepted';
      readonly work: InstanceWork;
      readonly stimulus: Stimulus;
      readonly result: Extract<AdvanceResult, { kind: 'advanced' }>;
    }
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly error: EngineError };

class ApplyPass {
  readonly works = new Map<string, InstanceWork>();
  readonly neededInstances = new Set<string>();
  readonly neededUniqueKeys = new Map<string, AliasKey>();
  readonly #state: LockedState;
  readonly #keysTaken = new Map<string, string>();
  readonly #uniqueTaken = new Map<string, string>();

  constructor(state: LockedState) {
    this.#state = state;
  }

  apply(turn: ReadyTurn): AppliedTurn {
    const dedupText = turn.dedup === null ? null : inboxText(turn.dedup);
    if (dedupText !== null) {
      const earlier = this.#state.recordedKeys.get(dedupText) ?? this.#keysTaken.get(dedupText);
      if (earlier !== undefined) return { kind: 'duplicate', instanceId: earlier };
    }
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
      const attempt = this.#attempt(target);
      if (attempt.kind !== 'accepted') return attempt;
      attempts.push(attempt);
    }
    return this.#commit(attempts, turn);
  }

  #toOne(target: StartTarget | InstanceTarget, turn: ReadyTurn): AppliedTurn {
    const attempt = this.#attempt(target);
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
      const attempt = this.#attempt({ kind: 'instance', instanceId, scope: null, stimulus: target.stimulus });
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

  #attempt(target: StartTarget | InstanceTarget): Attempt {
    const work = target.kind === 'start' ? this.#startWork(target) : this.#workOf(target.instanceId);
    if (work === 'busy') return { kind: 'busy' };
    const scope = target.kind === 'instance' ? target.scope : null;
    const isForeign =
      work !== null &&
      scope !== null &&
      (work.origin.tenant !== scope.tenant || work.origin.module !== scope.module);
    if (work === null || isForeign) return { kind: 'refused', error: notCorrelated() };
    const taken = new Set<string>();
    for (;;) {
      const result = this.#advance(work, target.stimulus, taken);
      if (result instanceof EngineError) return { kind: 'refused', error: result };
      if (result.kind === 'refused') {
        return {
          kind: 'refused',
          error: new EngineError(result.code, result.message, {
            attributes: {
              instanceId: work.isNew ? undefined : work.origin.id,
              retryable: result.isRetryable,
            },
          }),
        };
      }
      const conflict = this.#uniqueConflict(work, result);
      if (conflict === null) return { kind: 'accepted', work, stimulus: target.stimulus, result };
      if (isRefusable(target.stimulus)) return this.#onConflict(work, target, conflict);
      taken.add(aliasKeyText(conflict.effect));
    }
  }

  #advance(
    work: InstanceWork,
    stimulus: Stimulus,
    takenAliases: ReadonlySet<string>,
  ): AdvanceResult | EngineError {
    const { deploymentId, processId, id } = work.origin;
    const model = this.#state.models.get(deploymentId);
    const process = model?.processes.get(processId);
    if (model === undefined || process === undefined) {
      return new EngineError(
        'SUTRA.DEPLOYMENT.NOT_FOUND',
        `Deployment ${deploymentId} has no process ${processId}.`,
        {
          attributes: { deploymentId, processId, retryable: true },
        },
      );
    }
    try {
      return advance(process, work.snapshot, stimulus, {
        instanceId: id,
        deploymentId,
        nowMs: this.#state.nowMs,
        channels: { has: (name) => isSendable(model.channels.get(name)) },
        takenAliases,
      });
    } catch (cause) {
      return new EngineError(
        'SUTRA.INTAKE.TURN_FAILED',
        `The engine failed on process ${processId}: ${cause instanceof Error ? cause.message : 'unknown'}. Nothing was changed.`,
        { attributes: { instanceId: id, processId, retryable: false }, cause },
      );
    }
  }

  /** A unique value that the turn registers and another instance has; null: none. */
  #uniqueConflict(
    work: InstanceWork,
    result: Extract<AdvanceResult, { kind: 'advanced' }>,
  ): UniqueConflict | null {
    for (const effect of result.effects) {
      if (effect.kind !== 'aliasSet' || !effect.isUnique) continue;
      const key = uniqueKey(work, effect);
      const text = aliasText(key);
      const known = this.#state.uniqueHolders.get(text);
      if (known === undefined) this.neededUniqueKeys.set(text, key);
      const holder = this.#uniqueTaken.get(text) ?? known ?? null;
      if (holder !== null && holder !== work.origin.id) return { effect, holder };
    }
    return null;
  }

  /** Refuses the message, or sends a start's message to the holder instead. */
  #onConflict(
    work: InstanceWork,
    target: StartTarget | InstanceTarget,
    { effect, holder }: UniqueConflict,
  ): Attempt {
    if (effect.onConflict === 'correlate' && target.kind === 'start' && target.stimulus.message !== null) {
      return this.#correlateInstead(target, effect, holder, work);
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

  #correlateInstead(target: StartTarget, effect: AliasEffect, holder: string, work: InstanceWork): Attempt {
    const message = target.stimulus.message;
    const process = this.#state.models.get(target.deploymentId)?.processes.get(target.processId);
    const start = process?.nodes.get(target.stimulus.startEventId);
    if (message === null || start?.kind !== 'startEvent' || start.source === null) {
      return { kind: 'refused', error: notCorrelated() };
    }
    return this.#attempt({
      kind: 'instance',
      instanceId: holder,
      scope: { tenant: work.origin.tenant, module: work.origin.module },
      stimulus: {
        kind: 'message',
        channel: start.source.channel,
        key: null,
        aliases: [{ name: effect.name, value: effect.value }],
        message,
      },
    });
  }

  #commit(attempts: readonly Extract<Attempt, { kind: 'accepted' }>[], turn: ReadyTurn): AppliedTurn {
    for (const { work, stimulus, result } of attempts) {
      for (const effect of result.effects) {
        if (effect.kind !== 'aliasSet' || !effect.isUnique) continue;
        this.#uniqueTaken.set(aliasText(uniqueKey(work, effect)), work.origin.id);
      }
      if (!turn.settlesDelivery) work.withdrawAnswered(stimulus);
      work.apply(result.snapshot, result.effects, turn.cause);
      this.works.set(work.origin.id, work);
    }
    return { kind: 'applied', instanceIds: attempts.map((attempt) => attempt.work.origin.id) };
  }

  #startWork(target: StartTarget): InstanceWork {
    return new InstanceWork({ ...target, id: target.instanceId }, null, 0);
  }

  /** Null: there is no such instance. */
  #workOf(instanceId: string): InstanceWork | 'busy' | null {
    const open = this.works.get(instanceId);
    if (open !== undefined) return open;
    const locked = this.#state.instances.get(instanceId);
    if (locked === undefined) {
      if (this.#state.lockedElsewhere.has(instanceId)) return 'busy';
      this.neededInstances.add(instanceId);
      return null;
    }
    const snapshot = decodeSnapshot(locked.snapshot);
    const origin: InstanceOrigin = {
      id: locked.id,
      tenant: locked.tenant,
      module: locked.module,
      deploymentId: locked.deploymentId,
      processId: snapshot.processId,
    };
    const work = new InstanceWork(origin, snapshot, locked.turn);
    this.works.set(instanceId, work);
    return work;
  }
}

interface UniqueConflict {
  readonly effect: AliasEffect;
  readonly holder: string;
}

function uniqueKey(work: InstanceWork, { name, value }: AliasEffect): AliasKey {
  return { tenant: work.origin.tenant, module: work.origin.module, name, value };
}

/** A message can be refused and leave nothing; for anything else the element fails that cannot go on. */
function isRefusable(stimulus: Stimulus): boolean {
  return stimulus.kind === 'start' || stimulus.kind === 'message';
}

/** What a model may send to by name, as the check of a deployment has it for names that are written out. */
function isSendable(channel: ChannelDefinition | undefined): boolean {
  return channel !== undefined && channel.direction !== 'inbound';
}

function notCorrelated(): EngineError {
  return new EngineError(
    'SUTRA.INBOUND.NOT_CORRELATED',
    'No waiting instance matches the message: it does not exist, has ended, or does not wait on this channel now.',
    { attributes: { retryable: false } },
  );
}
