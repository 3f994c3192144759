/**
 * Deploying: check the whole package, store it, make it the one that starts instances.
 *
 * Y1 A package with any fault deploys nothing.
 * Y2 The same bytes have the same id: deploying them again changes nothing but which deployment is
 *    active.
 * Y3 At most one deployment of a (tenant, module) is active; the others drain.
 */
import { EngineError, type Finding } from '../../config/engine-error.ts';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { PackageFile, PackageModel } from '../../definitions/package-model.ts';
import { compilePackage, type TaskCeilings } from '../../definitions/package.ts';
import type { Log } from '../observe.ts';
import type { Database } from '../store/database.ts';
import { activateDeployment, drainDeployment, insertDeployment } from '../store/deployments.ts';
import type { DeploymentRegistry } from './registry.ts';
import { startTriggersOf } from './start-points.ts';

/** Rung when the set of live deployments changed. */
export const deploymentsDoorbell = 'sutra_deployments';

export interface DeployerOptions {
  readonly database: Database;
  readonly registry: DeploymentRegistry;
  readonly ceilings: TaskCeilings;
  readonly transportNames: readonly string[];
  /** Names of the embedding program's `registered:` functions. */
  readonly registeredNames: ReadonlySet<string>;
  /** Called after a commit that made a deployment active: timers may start instances of it from now on. */
  readonly activated: () => void;
  readonly log: Log;
}

export interface Deployed {
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  /** False: this very package was stored before. */
  readonly isNew: boolean;
  readonly warnings: readonly Finding[];
}

export class Deployer {
  readonly #options: DeployerOptions;

  constructor(options: DeployerOptions) {
    this.#options = options;
  }

  /**
   * Stores the package and makes it active.
   * @throws EngineError SUTRA.DEPLOYMENT.INVALID with `attributes.findings`, and the other refusals.
   */
  async deploy(files: readonly PackageFile[], folderName: string | null): Promise<Deployed> {
    const { model, findings } = compilePackage(files, {
      ...(folderName === null ? {} : { folderName }),
      ceilings: this.#options.ceilings,
    });
    if (model === null) throw invalid(findings);
    this.#checkParts(model);
    this.#checkBinds(model);
    const { database } = this.#options;
    const triggersAt = startTriggersOf(model);
    const stored = { ...model.identity, id: model.deploymentId, files: model.files };
    const isNew = await insertDeployment(database, stored, triggersAt);
    if (!isNew) await activateDeployment(database, model.deploymentId, triggersAt);
    this.#options.registry.keep(model);
    this.#options.activated();
    await this.#published();
    this.#options.log.info('deployed', { deploymentId: model.deploymentId, ...model.identity, isNew });
    return { deploymentId: model.deploymentId, ...model.identity, isNew, warnings: findings };
  }

  /** It starts no more instances and retires when nothing of it is left. @throws SUTRA.DEPLOYMENT.NOT_FOUND */
  async drain(deploymentId: string): Promise<void> {
    if (!(await drainDeployment(this.#options.database, deploymentId))) {
      throw new EngineError('SUTRA.DEPLOYMENT.NOT_FOUND', `There is no live deployment ${deploymentId}.`, {
        attributes: { deploymentId },
      });
    }
    await this.#published();
  }

  async #published(): Promise<void> {
    await this.#options.registry.sync();
    try {
      await this.#options.database.notify(deploymentsDoorbell, '');
    } catch (error) {
      // Only a hint: the other replicas poll.
      this.#options.log.warn('doorbell-failed', {
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }

  #checkParts(model: PackageModel): void {
    for (const channel of model.channels.values()) {
      if (this.#options.transportNames.includes(channel.transport)) continue;
      throw new EngineError(
        'SUTRA.DEPLOYMENT.TRANSPORT_UNKNOWN',
        `Channel ${channel.name} uses transport ${channel.transport}; this server has ${this.#options.transportNames.join(', ')}.`,
        { attributes: { channel: channel.name }, place: channel.place },
      );
    }
    const unknown = [...model.processes.values()].flatMap((process) => this.#unknownFunctions(process));
    const [first] = unknown;
    if (first === undefined) return;
    throw new EngineError(first.code, first.message, {
      attributes: { findings: unknown },
      place: first.place,
    });
  }

  #unknownFunctions(process: ProcessDefinition): Finding[] {
    return [...process.nodes.values()].flatMap((node): Finding[] => {
      if (node.kind !== 'serviceTask' && node.kind !== 'businessRuleTask') return [];
      if (node.implementation.kind !== 'registered') return [];
      const { name } = node.implementation;
      if (this.#options.registeredNames.has(name)) return [];
      return [
        {
          code: 'SUTRA.DEPLOYMENT.REGISTERED_UNKNOWN',
          severity: 'error',
          message: `Task ${node.id} names the registered function ${name}, which the embedding program does not have.`,
          place: node.place,
        },
      ];
    });
  }

  #checkBinds(model: PackageModel): void {
    for (const channel of model.channels.values()) {
      if (channel.transport !== 'http' || channel.direction === 'outbound') continue;
      for (const live of this.#options.registry.live()) {
        const { tenant, module } = live.model.identity;
        if (tenant === model.identity.tenant && module === model.identity.module) continue;
        const taken = [...live.model.channels.values()].find(
          (other) =>
            other.transport === 'http' && other.direction !== 'outbound' && other.bind === channel.bind,
        );
        if (taken === undefined) continue;
        throw new EngineError(
          'SUTRA.DEPLOYMENT.BIND_CONFLICT',
          `Channel ${channel.name} binds ${channel.bind}, where ${tenant}/${module} already listens.`,
          { attributes: { bind: channel.bind, tenant, module }, place: channel.place },
        );
      }
    }
  }
}

function invalid(findings: readonly Finding[]): EngineError {
  const errors = findings.filter((finding) => finding.severity === 'error');
  const first = errors[0];
  return new EngineError(
    'SUTRA.DEPLOYMENT.INVALID',
    `The package has ${String(errors.length)} fault${errors.length === 1 ? '' : 's'}; the first: ${first?.message ?? 'unknown'}`,
    { attributes: { findings: errors }, ...(first === undefined ? {} : { place: first.place }) },
  );
}
