/**
 * The live deployments as this replica knows them: compiled models and the routing table.
 *
 * G1 The database is the truth; a replica follows by polling, and sooner by a doorbell.
 * G2 Listeners get the whole new set after each change, never a part of it.
 * G3 A turn of an instance whose deployment is not known here yet loads it on demand.
 * G4 A replica that has not heard yet that a deployment drains may start an instance on it. So a deployment is
 *    retired only when it has drained for `retireGraceMs`; and whoever learns that one was retired looks for a
 *    while whether something of it is there all the same, and has it drain again.
 */
import { performance } from 'node:perf_hooks';
import { EngineError } from '../../config/engine-error.ts';
import type { PackageModel } from '../../definitions/package-model.ts';
import { compilePackage } from '../../definitions/package.ts';
import type { Log } from '../observe.ts';
import type { Database } from '../store/database.ts';
import {
  listLiveDeployments,
  readDeploymentFiles,
  reopenDeployments,
  retireDeployments,
} from '../store/deployments.ts';
import type { Service, StatementRunner } from '../transport.ts';
import {
  buildRoutingTable,
  routeKey,
  type ChannelRoute,
  type LiveDeployment,
  type RoutingTable,
} from './routing.ts';

export interface RegistryOptions {
  readonly database: Database;
  readonly pollIntervalMs: number;
  readonly log: Log;
  readonly changed: (deployments: readonly LiveDeployment[]) => void;
  /**
   * How long a deployment drains at least. Longer than any replica's poll, which is assumed to be as this one's.
   * Default: three polls and a second. Shorter: late starts are likelier, and reopen what was retired.
   */
  readonly retireGraceMs?: number;
}

/** Models of deployments that are no longer live, for their instances' late turns. */
const maxRetiredModels = 64;

/**
 * For how long after a retirement late starts are looked for, in one statement a poll. Turns that were routed
 * before this replica heard of it commit within seconds, or within the time that a statement may take; this is
 * above both. What comes later still is found by the sweep of `engine/clock/retention.ts`.
 */
const lateStartsMs = 60_000;

/** One lost poll, one slow one, and clocks and statements that take their time. */
function defaultGraceMs(pollIntervalMs: number): number {
  return 3 * pollIntervalMs + 1_000;
}

export class DeploymentRegistry implements Service {
  readonly #options: RegistryOptions;
  readonly #models = new Map<string, PackageModel>();
  readonly #broken = new Set<string>();
  #live: readonly LiveDeployment[] = [];
  #table: RoutingTable = new Map();
  #signature = '';
  #liveIds: ReadonlySet<string> = new Set();
  /** Monotonic; until then late starts are looked for. */
  #lateStartsUntil = -Infinity;
  #timer: NodeJS.Timeout | null = null;
  #syncing: Promise<void> | null = null;
  #isSyncWanted = false;
  #isStopped = true;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.sync();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#syncing?.catch(() => undefined);
  }

  live(): readonly LiveDeployment[] {
    return this.#live;
  }

  route(tenant: string, module: string, channel: string): ChannelRoute | undefined {
    return this.#table.get(routeKey(tenant, module, channel));
  }

  loadedModel(deploymentId: string): PackageModel | undefined {
    return this.#models.get(deploymentId);
  }

  /**
   * Null: there is no such deployment. Whoever holds a connection passes it as `runner`: to wait for a
   * second one could be to wait for oneself.
   * @throws EngineError when the database cannot be reached.
   */
  async model(
    deploymentId: string,
    runner: StatementRunner = this.#options.database,
  ): Promise<PackageModel | null> {
    const known = this.#models.get(deploymentId);
    if (known !== undefined) return known;
    if (this.#broken.has(deploymentId)) return null;
    const files = await readDeploymentFiles(runner, deploymentId);
    if (files.length === 0) return null;
    const { model, findings } = compilePackage(files, {});
    if (model === null) {
      this.#broken.add(deploymentId);
      this.#options.log.error('deployment-unreadable', { deploymentId, findings: findings.slice(0, 5) });
      return null;
    }
    this.#models.set(deploymentId, model);
    return model;
  }

  /** A model that was compiled here and is stored now: it need not be read and compiled again. */
  keep(model: PackageModel): void {
    if (!this.#models.has(model.deploymentId)) this.#models.set(model.deploymentId, model);
  }

  /** Reads the live set and publishes it when it changed. Calls while one runs cause one more. */
  async sync(): Promise<void> {
    if (this.#syncing !== null) {
      this.#isSyncWanted = true;
      return this.#syncing;
    }
    this.#syncing = this.#syncUntilCurrent().finally(() => {
      this.#syncing = null;
    });
    return this.#syncing;
  }

  /** The doorbell: another replica changed the set. */
  ring(): void {
    if (!this.#isStopped) this.sync().catch((error: unknown) => this.#logFailure(error));
  }

  async #syncUntilCurrent(): Promise<void> {
    this.#isSyncWanted = true;
    while (this.#takeSyncWish()) await this.#syncOnce();
  }

  #takeSyncWish(): boolean {
    const isWanted = this.#isSyncWanted;
    this.#isSyncWanted = false;
    return isWanted;
  }

  async #syncOnce(): Promise<void> {
    const rows = await listLiveDeployments(this.#options.database);
    const signature = JSON.stringify(rows.map((row) => [row.id, row.state]));
    if (signature === this.#signature) return;
    this.#noticeRetired(new Set(rows.map((row) => row.id)));
    const live: LiveDeployment[] = [];
    for (const row of rows) {
      const model = await this.model(row.id);
      if (model !== null) live.push({ id: row.id, state: row.state, model, deployedAt: row.deployedAt });
    }
    live.sort(byPreference);
    this.#signature = signature;
    this.#live = live;
    this.#table = buildRoutingTable(live);
    this.#forgetRetired();
    this.#options.log.info('deployments-live', {
      active: live.filter((deployment) => deployment.state === 'active').length,
      draining: live.filter((deployment) => deployment.state === 'draining').length,
    });
    this.#options.changed(live);
  }

  #noticeRetired(liveIds: ReadonlySet<string>): void {
    const isOneGone = [...this.#liveIds].some((id) => !liveIds.has(id));
    // The poll that follows is always within the time, however seldom they are.
    if (isOneGone) this.#lateStartsUntil = performance.now() + this.#options.pollIntervalMs + lateStartsMs;
    this.#liveIds = liveIds;
  }

  #forgetRetired(): void {
    const retired = [...this.#models.keys()].filter((id) => !this.#liveIds.has(id));
    for (const id of retired.slice(0, Math.max(0, retired.length - maxRetiredModels)))
      this.#models.delete(id);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      void this.#poll();
    }, this.#options.pollIntervalMs);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    try {
      await this.#retire();
      await this.sync();
      await this.#reopen();
    } catch (error) {
      this.#logFailure(error);
    } finally {
      this.#schedule();
    }
  }

  async #retire(): Promise<void> {
    if (!this.#live.some((deployment) => deployment.state === 'draining')) return;
    const { database, pollIntervalMs, retireGraceMs = defaultGraceMs(pollIntervalMs) } = this.#options;
    for (const deploymentId of await retireDeployments(database, retireGraceMs)) {
      this.#options.log.info('deployment-retired', { deploymentId });
    }
  }

  /** After the sync: by then this replica starts nothing more on what it found retired. */
  async #reopen(): Promise<void> {
    if (performance.now() > this.#lateStartsUntil) return;
    const reopened = await reopenDeployments(this.#options.database);
    for (const deploymentId of reopened) this.#options.log.warn('deployment.reopened', { deploymentId });
    if (reopened.length > 0) await this.sync();
  }

  #logFailure(error: unknown): void {
    this.#options.log.warn('deployments-sync-failed', {
      code: error instanceof EngineError ? error.code : undefined,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Active before draining, newer before older. */
function byPreference(left: LiveDeployment, right: LiveDeployment): number {
  if (left.state !== right.state) return left.state === 'active' ? -1 : 1;
  return right.deployedAt.getTime() - left.deployedAt.getTime();
}
