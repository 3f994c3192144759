/**
 * What the HTTP server needs of the rest: one interface, implemented by the composition root. Every
 * method rejects with an `EngineError` whose code is in a `codes.ts` table; nothing here answers HTTP.
 */
import type { Settings } from '../config/settings.ts';
import type { PackageFile, PackageModel } from '../definitions/package-model.ts';
import type { Context, Value } from '../definitions/value.ts';
import type { HttpIntake } from '../channels/http/intake.ts';
import type { Deployed } from '../engine/deployments/deployer.ts';
import type { ProcessWish } from '../engine/deployments/start-points.ts';
import type { Move } from '../engine/core/stimulus.ts';
import type { LetterCorrection, ReplayedLetter } from '../engine/intake/dead-letters.ts';
import type { StartedByConditions, StartedProcess } from '../engine/intake/process-starts.ts';
import type { TurnPreview } from '../engine/intake/turn-preview.ts';
import type { Log } from '../engine/observe.ts';
import type { ThrownFromOutside } from '../engine/signals/throw-signal.ts';
import type { Database } from '../engine/store/database.ts';
import type { AddressedInboundPort } from '../engine/transport.ts';
import type { Metrics } from './metrics.ts';

/** The pull surface. Bodies are parsed JSON, checked there and nowhere else. */
export interface PullOperations {
  /**
   * Waits, bounded, for tasks. `disconnected` ends the wait without locking anything; `undelivered` gives
   * the locks back when the answer could not be written.
   */
  fetchAndLock(body: unknown, disconnected: AbortSignal): Promise<FetchedTasks>;
  complete(taskId: string, body: unknown): Promise<unknown>;
  /** The work has ended in a BPMN error of the process. */
  bpmnError(taskId: string, body: unknown): Promise<unknown>;
  fail(taskId: string, body: unknown): Promise<unknown>;
  extendLock(taskId: string, body: unknown): Promise<unknown>;
  /** Gives the task back; nothing is spent. */
  unlock(taskId: string, body: unknown): Promise<unknown>;
  progress(taskId: string, body: unknown): Promise<unknown>;
  /** What there is to do, by channel. */
  topics(): Promise<unknown>;
  /** Many tasks at once, each with a verdict of its own, in the order of the request. */
  completeMany(body: unknown): Promise<readonly JudgedTask[]>;
  failMany(body: unknown): Promise<readonly JudgedTask[]>;
  /** Gives a terminal task a new budget. */
  rearm(taskId: string, body: unknown): Promise<unknown>;
  /** Removes a task, whatever its state. */
  discard(taskId: string): Promise<unknown>;
}

export interface JudgedTask {
  /** Null: the request does not name the task by a UUID. */
  readonly taskId: string | null;
  readonly verdict: PromiseSettledResult<unknown>;
}

export interface FetchedTasks {
  /** `{"tasks":[…]}`, encoded. */
  readonly answer: Uint8Array;
  readonly undelivered: () => Promise<void>;
}

/** Commands to one instance, each a turn, resolved once committed. @throws SUTRA.INSTANCE.NOT_FOUND, refusals. */
export interface InstanceCommands {
  cancel(instanceId: string, reason: string): Promise<CommandOutcome>;
  /** `reason`: why, for the history; also of those below. */
  retry(instanceId: string, reason: string | null): Promise<CommandOutcome>;
  completeUserTask(instanceId: string, tokenId: number, variables: Context): Promise<CommandOutcome>;
  launchActivity(
    instanceId: string,
    tokenId: number,
    activityId: string,
    variables: Context,
  ): Promise<CommandOutcome>;
  completeAdHoc(instanceId: string, tokenId: number): Promise<CommandOutcome>;
  /** Null: as seen from the process itself. */
  setVariables(
    instanceId: string,
    tokenId: number | null,
    variables: Context,
    reason: string | null,
  ): Promise<CommandOutcome>;
  /** All moves or none. `variables` are written first, as seen from the process itself. */
  move(
    instanceId: string,
    moves: readonly Move[],
    variables: Context,
    reason: string | null,
  ): Promise<CommandOutcome>;
  /** What `move` would do now. */
  previewMove(instanceId: string, moves: readonly Move[], variables: Context): Promise<TurnPreview>;
  /** `elements`: ids of the old model to those of the new one. @throws SUTRA.DEPLOYMENT.TARGET_INVALID */
  migrate(
    instanceId: string,
    deploymentId: string,
    elements: Readonly<Record<string, string>>,
    reason: string | null,
  ): Promise<CommandOutcome>;
  /** What `migrate` would do now. */
  previewMigration(
    instanceId: string,
    deploymentId: string,
    elements: Readonly<Record<string, string>>,
  ): Promise<TurnPreview>;
}

/**
 * Starts that no channel brings, and signals. `idempotencyKey` null: the same again is done again. A null tenant
 * is the only one there is. @throws SUTRA.TENANT.AMBIGUOUS, SUTRA.PROCESS.*, refusals.
 */
export interface StartCommands {
  startProcess(wish: ProcessWish, variables: Context, idempotencyKey: string | null): Promise<StartedProcess>;
  startByConditions(
    tenant: string | null,
    variables: Context,
    idempotencyKey: string | null,
  ): Promise<StartedByConditions>;
  throwSignal(
    tenant: string | null,
    name: string,
    payload: Value,
    idempotencyKey: string | null,
  ): Promise<ThrownFromOutside>;
}

export interface CommandOutcome {
  readonly instanceId: string;
  /** After the commit. */
  readonly status: 'running' | 'completed' | 'terminated' | 'failed';
}

export interface DeploymentCommands {
  /** `folderName` gives the identity when `package.yaml` does not. The same bytes twice are a no-op. */
  deploy(files: readonly PackageFile[], folderName: string | null): Promise<Deployed>;
  /** It starts no more instances, and retires when nothing of it is left. @throws SUTRA.DEPLOYMENT.NOT_FOUND */
  drain(deploymentId: string): Promise<void>;
  /** The compiled model of a deployment that this replica can read, retired ones included; else null. */
  model(deploymentId: string): Promise<PackageModel | null>;
}

/** Repair of what the relay gave up. @throws SUTRA.DELIVERY.NOT_FOUND, SUTRA.DELIVERY.NOT_POISONED. */
export interface DeliveryCommands {
  /** Due at once, with its whole budget of attempts, under the same idempotency key. */
  requeue(deliveryId: string): Promise<RepairedDelivery>;
  /** Gone for good. An instance that waits for the answer goes on waiting. */
  discard(deliveryId: string): Promise<RepairedDelivery>;
}

export interface RepairedDelivery {
  readonly id: string;
  readonly transport: string;
  readonly channel: string;
  readonly instanceId: string;
}

/** What a person does about dead letters. @throws SUTRA.DEAD_LETTER.NOT_FOUND. */
export interface DeadLetterCommands {
  /** Takes it in as if it came now. Null: as it was. @throws with the code of the refusal; it is kept then. */
  replay(deadLetterId: string, correction: LetterCorrection | null): Promise<ReplayedLetter>;
  discard(deadLetterId: string): Promise<void>;
}

export interface ServerDeps {
  readonly settings: Settings;
  readonly database: Database;
  readonly pull: PullOperations;
  readonly instances: InstanceCommands;
  readonly starts: StartCommands;
  readonly deployments: DeploymentCommands;
  readonly deliveries: DeliveryCommands;
  readonly deadLetters: DeadLetterCommands;
  readonly httpChannel: HttpIntake;
  /** Messages that no HTTP channel brings: what a facade was sent. */
  readonly inbound: AddressedInboundPort;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Has everything started, and is nothing stopping? The database is probed beside this. */
  readonly isReady: () => boolean;
}
