/**
 * Executes a model that compiled, a little: starts an instance and lets some things happen to it.
 *
 * Nothing here says what the model should do. It checks what holds for every model and every stimulus
 * (engine/core/advance.ts, A1 to A3): no throw, nothing given is changed, the same again gives the same
 * bytes, and an instance has ended if and only if nothing of it is left. And of migrations (engine/core/migrate.ts, M1,
 * M4): to an equal model nothing changes but the deployment; one that is refused says why.
 */
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Value } from '../../definitions/value.ts';
import { advance } from '../../engine/core/advance.ts';
import type { AdvanceResult, RecordKey } from '../../engine/core/effect.ts';
import { decodePart, decodeSnapshot, encodePart, encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Snapshot } from '../../engine/core/snapshot.ts';
import type { AdvanceContext, Stimulus } from '../../engine/core/stimulus.ts';
import { deepFreeze } from '../../definitions/deep-freeze.ts';
import type { CallWatch } from './call-watch.ts';
import { FuzzFailure } from './fuzz-failure.ts';
import type { Random } from './random.ts';
import { randomMigration, randomMove, type Versions } from './repairs.ts';
import { randomValue } from './random-values.ts';
import { startsOf } from './starts.ts';
import { stimulusFor, strayStimulus, waitsOf } from './stimuli.ts';

const INSTANCE_ID = 'inst-1';
const DEPLOYMENT_ID = 'dep-1';
/** The same processes once more. */
const EQUAL_ID = 'dep-2';
/** Those of a mutated file. */
const OTHER_ID = 'dep-3';
const START_MS = 1_767_225_600_000;
const MAX_PROCESSES = 3;
const MAX_TURNS = 8;
/** Effects after which an instance is left alone: a model that loops without end makes ten thousand a turn. */
const MAX_EFFECTS = 5_000;
/** A turn may ask for records of data stores, one after another; a model has few. */
const MAX_QUESTIONS = 100;

export interface Play {
  /** Stimuli that were applied. */
  turnCount: number;
  readonly refusedCodes: string[];
  /** Of each instance, as it was at the end. */
  readonly statuses: string[];
  readonly failureCodes: string[];
  /** Kinds of waits that no stimulus of ours satisfies. */
  readonly undrivenWaits: string[];
  /** Kinds of stimuli that `advance` does not know. */
  readonly unknownStimuli: string[];
}

/** @throws FuzzFailure, or whatever `advance` threw */
export function playModels(
  processes: readonly ProcessDefinition[],
  others: readonly ProcessDefinition[],
  watch: CallWatch,
  random: Random,
  repairs: Random,
): Play {
  const play: Play = {
    turnCount: 0,
    refusedCodes: [],
    statuses: [],
    failureCodes: [],
    undrivenWaits: [],
    unknownStimuli: [],
  };
  const versions = new Map([
    [DEPLOYMENT_ID, processes],
    [EQUAL_ID, processes],
    [OTHER_ID, others],
  ]);
  for (const process of processes.slice(0, MAX_PROCESSES)) {
    new Instance(process, versions, watch, { random, repairs }, play).run();
  }
  return play;
}

class Instance {
  readonly #start: ProcessDefinition;
  readonly #versions: Versions;
  readonly #watch: CallWatch;
  readonly #random: Random;
  /** A stream of its own: what happens between two repairs is what would happen without. */
  readonly #repairs: Random;
  readonly #play: Play;
  readonly #records = new Map<string, Value>();
  readonly #calls: NonNullable<AdvanceContext['calls']>;
  #nowMs = START_MS;
  #snapshot: Snapshot | null = null;
  #effectCount = 0;

  constructor(
    process: ProcessDefinition,
    versions: Versions,
    watch: CallWatch,
    { random, repairs }: { readonly random: Random; readonly repairs: Random },
    play: Play,
  ) {
    this.#start = process;
    this.#versions = versions;
    this.#watch = watch;
    this.#random = random;
    this.#repairs = repairs;
    this.#play = play;
    this.#calls = {
      resolve: (processId, _, deploymentId) => {
        const called = this.#processOf(deploymentId, processId);
        return called === null ? null : { deploymentId, process: called };
      },
      get: (deploymentId, processId) => this.#processOf(deploymentId, processId),
      channelsOf: () => undefined,
    };
  }

  #processOf(deploymentId: string, processId: string): ProcessDefinition | null {
    return this.#versions.get(deploymentId)?.find(({ id }) => id === processId) ?? null;
  }

  /** That of the deployment to which the instance belongs now. */
  get #process(): ProcessDefinition {
    const deploymentId = this.#snapshot?.deploymentId ?? DEPLOYMENT_ID;
    return this.#processOf(deploymentId, this.#start.id) ?? this.#start;
  }

  run(): void {
    const starts = startsOf(this.#process, this.#random);
    if (starts.length === 0) return;
    this.#apply(this.#random.pick(starts));
    for (let left = this.#random.between(0, MAX_TURNS); left > 0; left -= 1) {
      const stimulus = this.#snapshot === null ? null : this.#nextStimulus(this.#snapshot);
      if (stimulus === null || this.#effectCount > MAX_EFFECTS) break;
      this.#repair();
      this.#apply(stimulus);
      // What has ended can only refuse.
      if (this.#hasEnded() && this.#random.chance(0.7)) break;
    }
    if (this.#snapshot === null) return;
    this.#play.statuses.push(this.#snapshot.status);
    if (this.#snapshot.failure !== null) this.#play.failureCodes.push(this.#snapshot.failure.code);
    if (this.#random.chance(0.3)) this.#apply({ kind: 'cancel', reason: 'fuzz' });
  }

  #hasEnded(): boolean {
    return this.#snapshot?.status === 'completed' || this.#snapshot?.status === 'terminated';
  }

  /** Now and then, more often when it has failed. */
  #repair(): void {
    const repairs = this.#repairs;
    if (this.#snapshot === null || !repairs.chance(this.#snapshot.status === 'failed' ? 0.4 : 0.15)) return;
    if (repairs.chance(0.5)) this.#apply(randomMove(this.#snapshot, this.#process, repairs));
    else this.#migrate(this.#snapshot, randomMigration(this.#snapshot, this.#versions, repairs));
  }

  #migrate(before: Snapshot, stimulus: Stimulus): void {
    const isEqual =
      stimulus.kind === 'migrate' &&
      [before.deploymentId, stimulus.deploymentId].sort().join() === `${DEPLOYMENT_ID},${EQUAL_ID}` &&
      Object.keys(stimulus.elements).length === 0;
    this.#apply(stimulus);
    const after = this.#snapshot;
    if (!isEqual || this.#hasEnded() || after === null) return;
    const text = (snapshot: Snapshot): string => textOf(snapshot).replaceAll(EQUAL_ID, DEPLOYMENT_ID);
    if (after.deploymentId !== stimulus.deploymentId) {
      throw new FuzzFailure(
        'migrate M4',
        `refused to an equal model: ${this.#play.refusedCodes.at(-1) ?? ''}`,
      );
    }
    if (text(after) !== text(before))
      throw new FuzzFailure('migrate M4', 'to an equal model something changed');
  }

  #nextStimulus(snapshot: Snapshot): Stimulus | null {
    const random = this.#random;
    const waits = waitsOf(snapshot);
    if (snapshot.status === 'failed' && random.chance(0.6)) return { kind: 'retry' };
    if (waits.length === 0 || random.chance(0.15)) {
      return strayStimulus(snapshot, [...this.#process.nodes.keys()].slice(0, 20), random);
    }
    const wait = random.pick(waits);
    if (wait.kind === 'timer') {
      if (!Number.isSafeInteger(wait.dueAtMs)) {
        throw new FuzzFailure('timer', `a timer is due at ${wait.dueAtMs} ms`);
      }
      // Rarely before its time, which the core leaves to whoever fires it.
      if (random.chance(0.9)) this.#nowMs = Math.max(this.#nowMs, wait.dueAtMs);
    }
    this.#nowMs += random.below(1_000);
    const kind: string = wait.kind;
    const stimulus = stimulusFor(wait, INSTANCE_ID, (id) => this.#launchableIn(id), random);
    if (stimulus === null) this.#play.undrivenWaits.push(kind);
    return stimulus;
  }

  #launchableIn(elementId: string): readonly string[] {
    const node = this.#process.nodes.get(elementId);
    return node?.kind === 'subProcess' && node.variant.kind === 'adHoc' ? node.variant.launchableIds : [];
  }

  #apply(stimulus: Stimulus): void {
    const before = this.#snapshot;
    const result = this.#advance(before, stimulus);
    if (result === null) return;
    this.#play.turnCount += 1;
    if (result.kind === 'refused') {
      this.#play.refusedCodes.push(result.code);
      return;
    }
    if (result.kind === 'incomplete') return;
    checkSnapshot(result.snapshot);
    const text = textOf(result.snapshot);
    const effects = JSON.stringify(result.effects);
    this.#effectCount += result.effects.length;
    if (this.#random.chance(0.25) && this.#effectCount <= MAX_EFFECTS) {
      const parked = before === null ? null : reloaded(before);
      const again = this.#advance(parked, stimulus);
      if (
        again?.kind !== 'advanced' ||
        textOf(again.snapshot) !== text ||
        JSON.stringify(again.effects) !== effects
      ) {
        throw new FuzzFailure('not the same again', `${stimulus.kind} gave another result after parking`);
      }
    }
    for (const effect of result.effects) {
      if (effect.kind === 'recordWritten') this.#records.set(recordName(effect), effect.value);
    }
    this.#snapshot = result.snapshot;
  }

  /** Gives the records that the turn asks for. Null: `advance` knows no stimulus of that kind. */
  #advance(snapshot: Snapshot | null, stimulus: Stimulus): AdvanceResult | null {
    const context: AdvanceContext = {
      instanceId: INSTANCE_ID,
      deploymentId: this.#snapshot?.deploymentId ?? DEPLOYMENT_ID,
      nowMs: this.#nowMs,
      calls: this.#calls,
      records: { get: (key) => this.#records.get(recordName(key)) },
    };
    for (let questionCount = 0; questionCount < MAX_QUESTIONS; questionCount += 1) {
      const result = this.#tryAdvance(snapshot, stimulus, context);
      if (result?.kind !== 'incomplete') return result;
      for (const key of result.records) this.#records.set(recordName(key), randomValue(this.#random));
    }
    throw new FuzzFailure('never complete', `${stimulus.kind} asked for more ${MAX_QUESTIONS} times`);
  }

  #tryAdvance(snapshot: Snapshot | null, stimulus: Stimulus, context: AdvanceContext): AdvanceResult | null {
    try {
      deepFreeze(snapshot);
      deepFreeze(stimulus);
      return this.#watch.time(stimulus.kind, () => advance(this.#process, snapshot, stimulus, context));
    } catch (error) {
      // What `assertNever` says of a stimulus: its kind is part of the types, and of this build not yet.
      if (error instanceof Error && error.message === `unexpected ${JSON.stringify(stimulus)}`) {
        this.#play.unknownStimuli.push(stimulus.kind);
        return null;
      }
      throw error;
    }
  }
}

function recordName({ store, key }: Pick<RecordKey, 'store' | 'key'>): string {
  return JSON.stringify([store, key]);
}

/** The snapshot and its parts as the store keeps them. */
function textOf(snapshot: Snapshot): string {
  return [encodeSnapshot(snapshot), ...(snapshot.parts ?? []).map(encodePart)].join('\n');
}

/** The snapshot with all its parts, as the store gives it back. */
function reloaded(snapshot: Snapshot): Snapshot {
  const main = decodeSnapshot(encodeSnapshot(snapshot));
  if (snapshot.parts === undefined) return main;
  return { ...main, parts: snapshot.parts.map((part) => decodePart(encodePart(part))) };
}

/** S1 and S4 of engine/core/snapshot.ts. */
function checkSnapshot(snapshot: Snapshot): void {
  const { status, tokens, parts = [] } = snapshot;
  const isEnded = status === 'completed' || status === 'terminated';
  const isEmpty = tokens.length === 0 && waitsOf(snapshot).length === 0 && parts.length === 0;
  if (isEnded !== isEmpty) {
    throw new FuzzFailure(
      'snapshot S4',
      `${status} with ${tokens.length} tokens and ${waitsOf(snapshot).length} waits`,
    );
  }
  if ((status === 'failed') !== (snapshot.failure !== null)) {
    throw new FuzzFailure('snapshot failure', `${status} and ${snapshot.failure?.code ?? 'no failure'}`);
  }
  if (textOf(reloaded(snapshot)) !== textOf(snapshot)) {
    throw new FuzzFailure('snapshot S1', 'decoding and encoding gives another text');
  }
}
