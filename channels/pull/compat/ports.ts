/**
 * What the facades of other systems need of the engine: structural types, filled where the parts are wired together.
 *
 * P1 A facade writes through these alone: its statements only read.
 * P2 Everything here throws `EngineError` with a code of the registry; a facade words it, and decides nothing about it.
 */
import type { Finding } from '../../../config/engine-error.ts';
import type { Settings } from '../../../config/settings.ts';
import type { PackageFile, PackageModel } from '../../../definitions/package-model.ts';
import type { Context } from '../../../definitions/value.ts';
import type { Log, Meter } from '../../../engine/observe.ts';
import type { Database } from '../../../engine/store/database.ts';
import type { InstanceSummary } from '../../../engine/store/operate-instances.ts';
import type { InboundDelivery, InboundOutcome } from '../../../engine/transport.ts';
import type { PullOperations } from '../operations.ts';

/** What the desk can do, native routes or not. */
export type CompatPull = Pick<PullOperations, keyof PullOperations>;

export interface CompatPorts {
  readonly pull: CompatPull;
  /** For reading. */
  readonly database: Database;
  readonly settings: Pick<Settings, 'externalTask' | 'codec'>;
  /** Exact numbers. */
  readonly writeJson: (value: unknown) => string;
  /** As `POST /sutra/processes/{id}/start`. `idempotencyKey` null: the same again is done again. @throws SUTRA.PROCESS.* */
  startProcess(
    wish: ProcessToStart,
    variables: Context,
    idempotencyKey: string | null,
  ): Promise<{ readonly instanceId: string; readonly isDuplicate: boolean }>;
  /** @throws SUTRA.INSTANCE.NOT_FOUND */
  cancel(instanceId: string, reason: string): Promise<unknown>;
  /** As seen from the token; null: from the process itself. @throws SUTRA.INSTANCE.NOT_FOUND */
  setVariables(
    instanceId: string,
    tokenId: number | null,
    variables: Context,
    reason: string | null,
  ): Promise<unknown>;
  /** The same bytes twice are a no-op. `folderName` gives the identity when `package.yaml` does not. */
  deploy(files: readonly PackageFile[], folderName: string | null): Promise<DeployedPackage>;
  /** It starts no more instances. @throws SUTRA.DEPLOYMENT.NOT_FOUND */
  drain(deploymentId: string): Promise<void>;
  /** Null: this replica cannot read it. */
  model(deploymentId: string): Promise<PackageModel | null>;
  /** The instances of those ids that there are, in no order. At most 1000 ids. */
  instances(instanceIds: readonly string[]): Promise<readonly InstanceReading[]>;
  /** A message on a channel, as any transport brings it. */
  deliver(delivery: InboundDelivery): Promise<InboundOutcome>;
  /**
   * A message for the oldest wait of this one instance on the delivery's channel, whatever keys it has.
   * @throws SUTRA.INBOUND.NOT_CORRELATED when it does not wait there any more
   */
  deliverTo(instanceId: string, delivery: InboundDelivery): Promise<InboundOutcome>;
  readonly log: Log;
  readonly meter: Meter;
}

/** Null: whatever there is, if there is only one. */
export interface ProcessToStart {
  readonly processId: string;
  readonly tenant: string | null;
  readonly module: string | null;
}

export interface DeployedPackage {
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  /** False: this very package was stored before. */
  readonly isNew: boolean;
  readonly warnings: readonly Finding[];
}

/** One instance at its last commit. */
export interface InstanceReading {
  readonly summary: InstanceSummary;
  /** Of the process itself, without those that the model calls sensitive. Null: withheld, the model cannot be read. */
  readonly variables: Context | null;
  readonly hiddenVariables: readonly string[];
  /** In sub-processes, loops and called processes, those of parts that are shown included. */
  readonly scopes: readonly ScopeReading[];
  readonly tokens: readonly TokenReading[];
  /** Message waits only: one entry a wait. */
  readonly messageWaits: readonly MessageWaitReading[];
}

export interface ScopeReading {
  readonly id: number;
  readonly parentId: number | null;
  readonly elementId: string;
  /** As of an instance. */
  readonly variables: Context | null;
}

export interface TokenReading {
  readonly id: number;
  readonly scopeId: number;
  readonly elementId: string;
}

export interface MessageWaitReading {
  readonly id: number;
  /** Null: that of an event sub-process. */
  readonly tokenId: number | null;
  readonly elementId: string;
  readonly channel: string;
  /** Whose process it is in: the instance's own, or one that it has called. */
  readonly deploymentId: string;
}
