/**
 * Process definitions as Camunda 8 names them: a key and a whole number as version for each process of a package.
 *
 * D1 A package never changes, so the place of a process in the sorted list of its package's processes is for ever.
 * D2 Version numbers may be some seconds old where jobs are worded: they are for reading.
 */
import { EngineError } from '../../../../config/engine-error.ts';
import type { PackageModel } from '../../../../definitions/package-model.ts';
import type { CompatCode } from '../codes.ts';
import { allDeployments, versionNumbers } from '../live-definitions.ts';
import type { CompatPorts } from '../ports.ts';
import { definitionKeyOf, definitionPlaceOf } from './keys.ts';
import { tenantIdOf } from './tenants.ts';

export interface Definition {
  readonly processDefinitionKey: string;
  readonly processDefinitionId: string;
  readonly processDefinitionVersion: number;
  readonly tenantId: string;
}

/** A guess: long enough that busy workers cost no statement a poll, short enough that nobody waits for a new number. */
const NUMBERS_KEPT_MS = 5_000;

export class Definitions {
  readonly #ports: Pick<CompatPorts, 'model' | 'database'>;
  #numbers: ReadonlyMap<string, number> = new Map();
  #readAtMs = -Infinity;

  constructor(ports: Pick<CompatPorts, 'model' | 'database'>) {
    this.#ports = ports;
  }

  /** @throws SUTRA.COMPAT.NOT_FOUND when this replica cannot read the deployment; it can read all that is live. */
  async of(deploymentId: string, processId: string): Promise<Definition> {
    const model = await this.#ports.model(deploymentId);
    if (model === null)
      throw notFound(`The deployment ${deploymentId} of process ${processId} cannot be read.`);
    return definitionIn(model, processId, await this.#numberOf(deploymentId));
  }

  /** All processes of the package, in the order of their ids. */
  async in(model: PackageModel): Promise<readonly Definition[]> {
    const version = await this.#numberOf(model.deploymentId);
    return processIdsOf(model).map((processId) => definitionIn(model, processId, version));
  }

  /** The deployment and the process that a key is of. @throws SUTRA.COMPAT.NOT_FOUND */
  async ofKey(key: string): Promise<{ readonly model: PackageModel; readonly processId: string }> {
    const place = definitionPlaceOf(key);
    const model = place === null ? null : await this.#ports.model(place.deploymentId);
    const processId = model === null || place === null ? undefined : processIdsOf(model)[place.index - 1];
    if (model !== null && processId !== undefined) return { model, processId };
    throw notFound(`Expected to find a process definition with key ${key.slice(0, 50)}, but none was found.`);
  }

  async #numberOf(deploymentId: string): Promise<number> {
    const isOld = performance.now() - this.#readAtMs > NUMBERS_KEPT_MS;
    if (isOld || !this.#numbers.has(deploymentId)) {
      this.#numbers = versionNumbers(await allDeployments(this.#ports.database));
      this.#readAtMs = performance.now();
    }
    // What has a model and no row was deployed by nobody: only a deployment that is being removed.
    return this.#numbers.get(deploymentId) ?? 1;
  }
}

function definitionIn(model: PackageModel, processId: string, version: number): Definition {
  const { deploymentId, identity } = model;
  const place = processIdsOf(model).indexOf(processId);
  if (place < 0) throw new Error(`deployment ${deploymentId} has no process ${processId}`);
  return {
    processDefinitionKey: definitionKeyOf({ deploymentId, index: place + 1 }),
    processDefinitionId: processId,
    processDefinitionVersion: version,
    tenantId: tenantIdOf(identity.tenant),
  };
}

/** By code units: the same order everywhere. */
function processIdsOf({ processes }: PackageModel): readonly string[] {
  return [...processes.keys()].sort();
}

export function notFound(message: string): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.NOT_FOUND';
  return new EngineError(code, message);
}
