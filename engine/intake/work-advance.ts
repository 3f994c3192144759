/**
 * Runs `advance` over an instance of a batch, with the parts and records that the turn needs.
 *
 * D1 A turn begins with no more than the part that it concerns, and gets all of them when it asks.
 * D2 What it asks for and is not here goes into the needs of the batch; the answer is `busy` then, and never given
 *    to anybody, because the batch is applied again.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { CostLimits } from '../../definitions/feel.ts';
import { advance } from '../core/advance.ts';
import type { AdvanceResult } from '../core/effect.ts';
import type { Stimulus } from '../core/stimulus.ts';
import type { RecordRequest } from '../store/data-records.ts';
import type { BatchNeeds } from './batch-needs.ts';
import { calledIn, type CallTargets } from './call-targets.ts';
import type { PartChoice } from './instance-parts.ts';
import type { InstanceWork } from './instance-work.ts';
import { refusedChannels, refusedTarget, type MigrationState } from './migration-target.ts';
import type { RecordView } from './record-view.ts';

export interface AdvanceState extends MigrationState {
  readonly nowMs: number;
  readonly costLimits: CostLimits;
  readonly calls: CallTargets;
}

export type Advanced =
  | {
      readonly kind: 'advanced';
      readonly result: Extract<AdvanceResult, { kind: 'advanced' }>;
      /** The parts that the turn was given. */
      readonly choice: PartChoice;
    }
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly error: EngineError };

export class WorkAdvance {
  readonly #state: AdvanceState;
  readonly #records: RecordView;
  readonly #needs: BatchNeeds;

  constructor(state: AdvanceState, records: RecordView, needs: BatchNeeds) {
    this.#state = state;
    this.#records = records;
    this.#needs = needs;
  }

  /** `partId`: the part that the stimulus concerns, or null. */
  run(
    work: InstanceWork,
    stimulus: Stimulus,
    partId: number | null,
    takenAliases: ReadonlySet<string>,
  ): Advanced {
    let choice: PartChoice = partId;
    for (;;) {
      const result = this.#advance(work, stimulus, choice, takenAliases);
      if (result instanceof EngineError) return { kind: 'refused', error: result };
      if (result.kind === 'refused') return { kind: 'refused', error: refusalOf(work, result) };
      if (result.kind === 'advanced') return { kind: 'advanced', result, choice };
      if (result.needsParts && choice !== 'all' && work.parts.areAllKnown) {
        choice = 'all';
        continue;
      }
      return this.#missing(work, result, choice);
    }
  }

  /** Says what must be read or locked before the turn can go on. */
  lack(requests: readonly RecordRequest[]): { readonly kind: 'busy' } {
    for (const request of requests) {
      // What another commit has locked is asked for again when the turn comes again.
      if (this.#records.availability(request) === 'missing') this.#needs.addRecord(request);
    }
    return { kind: 'busy' };
  }

  #missing(
    work: InstanceWork,
    { needsParts, records }: Extract<AdvanceResult, { kind: 'incomplete' }>,
    choice: PartChoice,
  ): Advanced {
    const { id, tenant } = work.origin;
    if (needsParts && !work.parts.areAllKnown) this.#needs.partsOf.add(id);
    const requests = records
      .map((key) => ({ tenant, ...key }))
      .filter((request) => this.#records.availability(request) !== 'here');
    if (requests.length === 0 && (!needsParts || choice === 'all')) {
      const cause = new Error(`the core asks instance ${id} for what it was given`);
      return { kind: 'refused', error: turnFailed(work, cause) };
    }
    return this.lack(requests);
  }

  #advance(
    work: InstanceWork,
    stimulus: Stimulus,
    choice: PartChoice,
    takenAliases: ReadonlySet<string>,
  ): AdvanceResult | EngineError {
    const { deploymentId, processId, id, tenant } = work.origin;
    const { calls, models, nowMs, costLimits } = this.#state;
    const refused = refusedTarget(work.origin, stimulus, this.#state);
    if (refused !== null) return refused;
    const process = calls.get(deploymentId, processId);
    if (process === null) return deploymentMissing(deploymentId, processId);
    const snapshot = work.snapshotWith(choice);
    for (const called of snapshot === null ? [] : calledIn(snapshot)) {
      if (!models.has(called)) return deploymentMissing(called, null);
    }
    const channels = calls.channelsOf(deploymentId);
    try {
      const result = advance(process, snapshot, stimulus, {
        instanceId: id,
        deploymentId,
        nowMs,
        costLimits,
        ...(channels === undefined ? {} : { channels }),
        calls,
        records: this.#records.reader(tenant),
        takenAliases,
      });
      if (stimulus.kind !== 'migrate' || snapshot === null || result.kind !== 'advanced') return result;
      return refusedChannels(snapshot, result, models) ?? result;
    } catch (cause) {
      return turnFailed(work, cause);
    }
  }
}

function refusalOf(
  work: InstanceWork,
  { code, message, isRetryable, reasons }: Extract<AdvanceResult, { kind: 'refused' }>,
): EngineError {
  return new EngineError(code, message, {
    attributes: {
      instanceId: work.isNew ? undefined : work.origin.id,
      retryable: isRetryable,
      ...(reasons === undefined ? {} : { reasons }),
    },
  });
}

function deploymentMissing(deploymentId: string, processId: string | null): EngineError {
  const message =
    processId === null
      ? `There is no deployment ${deploymentId}, whose process the instance has called.`
      : `Deployment ${deploymentId} has no process ${processId}.`;
  return new EngineError('SUTRA.DEPLOYMENT.NOT_FOUND', message, {
    attributes: { deploymentId, processId, retryable: true },
  });
}

function turnFailed(work: InstanceWork, cause: unknown): EngineError {
  const { id, processId } = work.origin;
  return new EngineError(
    'SUTRA.INTAKE.TURN_FAILED',
    `The engine failed on process ${processId}: ${cause instanceof Error ? cause.message : 'unknown'}. Nothing was changed.`,
    { attributes: { instanceId: id, processId, retryable: false }, cause },
  );
}
