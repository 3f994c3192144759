/**
 * One transaction that carries many turns: lock what they settle, find duplicates, lock instances,
 * apply, write, commit.
 *
 * B1 Every turn given is answered exactly once, and only after the commit (or its failure) is known.
 * B2 A turn whose settlement does not hold, or that is refused, takes no part in the writes; it never
 *    fails its neighbours.
 * B3 A constant number of statements, whatever the number of turns.
 * B4 An unexpected error of the database re-runs the turns one by one; an unreachable database answers
 *    all of them as retryable, for what a lost connection committed is unknown.
 */
import type { CostLimits } from '../../definitions/feel.ts';
import { EngineError } from '../../config/engine-error.ts';
import type { Database, Transaction } from '../store/database.ts';
import { graceRejectedTasks } from '../store/external-tasks-settle.ts';
import type { InboxKey } from '../store/turn-inbox.ts';
import { isWriteConflict } from '../store/turn-writes.ts';
import type { Parking } from '../transport.ts';
import type { Log, Meter } from '../observe.ts';
import type { LiveDeployment } from '../deployments/routing.ts';
import { applyTurns, type Applied, type ReadyTurn } from './batch-apply.ts';
import { BatchState, lockSettlements, type LoadModel } from './batch-read.ts';
import { writeBatch, type Written } from './batch-write.ts';
import type { LargeValues } from './large-values.ts';
import { migrationTargetOf } from './migration-target.ts';
import type { OutboxRowOf } from './outbox-row.ts';
import type { DirectSinks } from './outgoing.ts';
import { partsOf } from './turn-parts.ts';
import { afterTurn, TurnSorting, type PlanCompletion } from './turn-sorting.ts';
import { isResult, type InstanceAfterTurn, type TurnAnswer, type TurnRequest } from './turn.ts';
import { WriteConflict } from './write-conflict.ts';

/** How often a batch runs again because another commit took a key; each time it sees one more. */
const maxConflicts = 5;

/**
 * How often a batch of several turns is applied, each time with more of what they need: a turn that reads one
 * record after the other needs as many passes. A guess.
 */
const maxPasses = 16;

/** These turns still lack something after `maxPasses`: they are carried alone, and do not hold up the rest. */
class CarriedAlone extends Error {
  override readonly name = 'CarriedAlone';
  readonly indexes: ReadonlySet<number>;

  constructor(indexes: ReadonlySet<number>) {
    super('turns of a batch need more and more');
    this.indexes = indexes;
  }
}

export interface BatchOptions {
  readonly database: Database;
  readonly loadModel: LoadModel;
  readonly liveDeployments: () => readonly LiveDeployment[];
  readonly planCompletion: PlanCompletion;
  readonly outboxRowOf: OutboxRowOf;
  readonly sinks: () => DirectSinks;
  readonly dropsEnded: boolean;
  readonly keepsHistory: boolean;
  readonly maxAuditBytes: number;
  readonly largeValues: LargeValues;
  readonly maxDeadLetters: number;
  readonly costLimits: CostLimits;
  readonly graceMs: number;
  readonly committed: (written: Written, instances: readonly InstanceAfterTurn[]) => void;
  readonly meter: Meter;
  readonly log: Log;
}

interface Outcome {
  readonly answers: TurnAnswer[];
  readonly written: Written | null;
  readonly instances: readonly InstanceAfterTurn[];
}

/** Runs the batch to its end. Answers in the order of `turns`; never rejects. */
export async function runBatch(
  turns: readonly TurnRequest[],
  options: BatchOptions,
): Promise<readonly TurnAnswer[]> {
  for (let conflicts = 0; ; conflicts += 1) {
    const startedAt = performance.now();
    const parkings: Parking[] = [];
    try {
      const outcome = await options.database.transaction((transaction) =>
        attempt(transaction, turns, options, parkings),
      );
      for (const parking of parkings) parking.settled(true);
      options.meter.record('sutra_batch_turns', turns.length);
      options.meter.record('sutra_batch_seconds', (performance.now() - startedAt) / 1000);
      if (outcome.written !== null) options.committed(outcome.written, outcome.instances);
      return outcome.answers;
    } catch (error) {
      for (const parking of parkings) parking.settled(false);
      if (isConflict(error) && conflicts < maxConflicts) continue;
      if (error instanceof CarriedAlone) return carryApart(turns, error.indexes, options);
      return failed(error, turns, options);
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof WriteConflict || isWriteConflict(error);
}

async function carryApart(
  turns: readonly TurnRequest[],
  alone: ReadonlySet<number>,
  options: BatchOptions,
): Promise<readonly TurnAnswer[]> {
  const together = [...turns.keys()].filter((index) => !alone.has(index));
  const groups = [together, ...[...alone].map((index) => [index])].filter((group) => group.length > 0);
  const answers = new Map<number, TurnAnswer>();
  for (const group of groups) {
    const carried = await runBatch(
      group.flatMap((index) => turns[index] ?? []),
      options,
    );
    carried.forEach((answer, position) => answers.set(group[position] ?? -1, answer));
  }
  return [...turns.keys()].flatMap((index) => answers.get(index) ?? []);
}

async function failed(
  error: unknown,
  turns: readonly TurnRequest[],
  options: BatchOptions,
): Promise<readonly TurnAnswer[]> {
  const isUnreachable = error instanceof EngineError && error.code === 'SUTRA.PERSISTENCE_UNAVAILABLE';
  if (!isUnreachable && turns.length > 1) {
    options.log.warn('batch-rerun', { turnCount: turns.length, error: errorText(error) });
    const answers: TurnAnswer[] = [];
    for (const turn of turns) answers.push(...(await runBatch([turn], options)));
    return answers;
  }
  if (isUnreachable) return turns.map(() => ({ kind: 'refused', error }));
  options.log.error('turn-failed', {
    error: errorText(error),
    stack: error instanceof Error ? error.stack : undefined,
  });
  return turns.map(() => ({
    kind: 'refused',
    error: new EngineError(
      'SUTRA.INTAKE.TURN_FAILED',
      'The turn failed unexpectedly and changed nothing; the log has the cause.',
      { attributes: { retryable: true }, cause: error },
    ),
  }));
}

async function attempt(
  transaction: Transaction,
  turns: readonly TurnRequest[],
  options: BatchOptions,
  parkings: Parking[],
): Promise<Outcome> {
  const state = new BatchState(transaction, options);
  // One round trip: the instances that the turns are known to reach are locked behind what the turns settle.
  const [locked] = await Promise.all([
    lockSettlements(
      transaction,
      turns.flatMap((turn) => (turn.settles === null ? [] : [turn.settles])),
    ),
    state.readInbox(keysOf(turns), resultsOf(turns)),
    state.lockOfTasks(tasksOf(turns)),
    state.lock(instancesOf(turns)),
  ]);
  const tasks = [...locked.tasks.values()];
  await state.lock(tasks.map((task) => task.instanceId));
  await state.loadModels(tasks.map((task) => task.deploymentId));
  const sorting = new TurnSorting(turns, locked, options.planCompletion);
  const ready = sorting.ready(state.nowMs);
  const applied = await applyUnderLocks(ready, state);
  const { answers, settled, rejectedTaskIds } = sorting.settle(applied);
  if (rejectedTaskIds.length > 0) await graceRejectedTasks(transaction, rejectedTaskIds, options.graceMs);
  const written = await writeBatch(transaction, applied, settled, {
    models: state.models,
    outboxRowOf: options.outboxRowOf,
    sinks: options.sinks(),
    parkings,
    dropsEnded: options.dropsEnded,
    keepsHistory: options.keepsHistory,
    maxAuditBytes: options.maxAuditBytes,
    largeValues: options.largeValues,
    valueIds: state.valueIds,
    maxDeadLetters: options.maxDeadLetters,
  });
  const instances = [...applied.works.values()].filter((work) => work.hasChanged).map(afterTurn);
  return { answers, written, instances };
}

/** The keys under which messages are, or will be, recorded; the results of tasks have their tasks' own. */
function keysOf(turns: readonly TurnRequest[]): InboxKey[] {
  return turns.flatMap((turn) => (turn.settles?.kind === 'task' ? [] : (turn.dedup ?? [])));
}

function tasksOf(turns: readonly TurnRequest[]): string[] {
  return turns.flatMap(({ settles }) => (settles?.kind === 'task' ? [settles.taskId] : []));
}

/** What is no result is not recorded as one. */
function resultsOf(turns: readonly TurnRequest[]): string[] {
  return turns.flatMap(({ settles }) =>
    settles?.kind === 'task' && isResult(settles) ? [settles.taskId] : [],
  );
}

function instancesOf(turns: readonly TurnRequest[]): string[] {
  return turns.flatMap((turn) =>
    turn.targets.flatMap((target) => (target.kind === 'instance' ? [target.instanceId] : [])),
  );
}

/** Applies, looks up what turned out to be missing, and applies again until nothing is. */
async function applyUnderLocks(ready: readonly ReadyTurn[], state: BatchState): Promise<Applied> {
  const ids: string[] = [];
  const aliasKeys = ready.flatMap((turn) =>
    turn.targets.flatMap((target) => (target.kind === 'alias' ? target.keys : [])),
  );
  ids.push(...(await state.readAliases(aliasKeys)));
  const deploymentIds: string[] = [];
  for (const target of ready.flatMap((turn) => turn.targets)) {
    if (target.kind === 'instance') ids.push(target.instanceId);
    if (target.kind === 'start') deploymentIds.push(target.deploymentId);
  }
  await state.lock(ids);
  await state.loadModels(deploymentIds);
  await state.readMigrationTargets(
    ready.flatMap((turn) => turn.targets.flatMap((target) => migrationTargetOf(target) ?? [])),
  );
  await state.readParts(ready.flatMap(partsOf));
  for (let pass = 1; ; pass += 1) {
    const applied = applyTurns(ready, state);
    if (!(await state.supply(applied.needs))) return applied;
    if (pass === maxPasses && ready.length > 1) throw new CarriedAlone(applied.lacking);
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
