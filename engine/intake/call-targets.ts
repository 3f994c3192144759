/**
 * The processes that call activities run, as the turns of one batch find them: by the models that the batch has
 * loaded, and by the deployments that were live as it began.
 *
 * T1 A process that was found stays found for the rest of the batch, whatever is deployed meanwhile.
 * T2 Calls never leave their tenant.
 */
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { ChannelDefinition, PackageModel } from '../../definitions/package-model.ts';
import type { Scope, Snapshot } from '../core/snapshot.ts';
import type { CallDirectory, ChannelDirectory } from '../core/stimulus.ts';
import type { LiveDeployment } from '../deployments/routing.ts';

type CallBinding = Parameters<CallDirectory['resolve']>[1];
type CallTarget = ReturnType<CallDirectory['resolve']>;

export class CallTargets implements CallDirectory {
  readonly #models: Map<string, PackageModel>;
  readonly #live: readonly LiveDeployment[];

  /** `models` is the batch's own: what a call finds is added to it. */
  constructor(models: Map<string, PackageModel>, live: readonly LiveDeployment[]) {
    this.#models = models;
    this.#live = live;
  }

  /** The caller's own module comes first; of several others none is better than another, so none is taken. */
  resolve(processId: string, binding: CallBinding, callerDeploymentId: string): CallTarget {
    const caller = this.#models.get(callerDeploymentId);
    if (caller === undefined) return null;
    const own = caller.processes.get(processId);
    if (binding === 'caller' && own !== undefined) return { deploymentId: callerDeploymentId, process: own };
    const { tenant, module } = caller.identity;
    const candidates = this.#live.filter(
      ({ state, model }) =>
        state === 'active' && model.identity.tenant === tenant && model.processes.has(processId),
    );
    const ofModule = candidates.find(({ model }) => model.identity.module === module);
    const found = ofModule ?? (candidates.length === 1 ? candidates[0] : undefined);
    const process = found?.model.processes.get(processId);
    if (found === undefined || process === undefined) return null;
    this.#models.set(found.id, found.model);
    return { deploymentId: found.id, process };
  }

  get(deploymentId: string, processId: string): ProcessDefinition | null {
    return this.#models.get(deploymentId)?.processes.get(processId) ?? null;
  }

  channelsOf(deploymentId: string): ChannelDirectory | undefined {
    const model = this.#models.get(deploymentId);
    if (model === undefined) return undefined;
    const { channels } = model;
    return {
      has: (name) => isSendable(channels.get(name)),
      taskPriorityOf: (name) => channels.get(name)?.task?.priority ?? null,
    };
  }
}

/** What a model may send to by name, as the check of a deployment has it for names that are written out. */
function isSendable(channel: ChannelDefinition | undefined): boolean {
  return channel !== undefined && channel.direction !== 'inbound';
}

/** The deployments whose processes run in the scopes, called ones inside called ones included. */
export function calledDeployments(scopes: readonly Scope[]): readonly string[] {
  return scopes.flatMap(({ called }) => (called === undefined ? [] : [called.deploymentId]));
}

/** Those of a snapshot and of the parts that were loaded with it. */
export function calledIn({ scopes, parts = [] }: Snapshot): readonly string[] {
  return [...calledDeployments(scopes), ...parts.flatMap((part) => calledDeployments(part.scopes))];
}

/** By process: it holds a call activity, so instances of it may have called other deployments. */
const callers = new WeakMap<ProcessDefinition, boolean>();

export function mayCall(process: ProcessDefinition): boolean {
  let answer = callers.get(process);
  if (answer === undefined) {
    answer = [...process.nodes.values()].some((node) => node.kind === 'callActivity');
    callers.set(process, answer);
  }
  return answer;
}
