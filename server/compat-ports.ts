/** What the facades of other systems may do, from what the server is made of. */
import type { CompatPorts, CompatPull } from '../channels/pull/compat/ports.ts';
import { toPlainJson } from '../definitions/plain-json.ts';
import { readInstanceStates } from './instance-reading.ts';
import type { ServerDeps } from './operations.ts';

export function compatPorts(deps: ServerDeps, pull: CompatPull): CompatPorts {
  const { database, settings, starts, instances, deployments, inbound, log, metrics } = deps;
  return {
    ...{ pull, database, settings, log },
    meter: metrics.meter,
    writeJson: toPlainJson,
    startProcess: (wish, variables, key) => starts.startProcess(wish, variables, key),
    cancel: (instanceId, reason) => instances.cancel(instanceId, reason),
    setVariables: (instanceId, tokenId, variables, reason) =>
      instances.setVariables(instanceId, tokenId, variables, reason),
    deploy: (files, folderName) => deployments.deploy(files, folderName),
    drain: (deploymentId) => deployments.drain(deploymentId),
    model: (deploymentId) => deployments.model(deploymentId),
    instances: (instanceIds) => readInstanceStates(deps, instanceIds),
    deliver: (delivery) => inbound.deliver(delivery),
    deliverTo: (instanceId, delivery) => inbound.deliverTo(instanceId, delivery),
  };
}
