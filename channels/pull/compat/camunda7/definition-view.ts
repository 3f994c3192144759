/** A process definition as Camunda shows it. */
import type { LiveDefinition } from '../live-definitions.ts';
import { definitionIdOf, tenantIdOf } from './engine-ids.ts';

export interface DefinitionView {
  readonly id: string;
  readonly key: string;
  readonly [field: string]: unknown;
}

export function definitionView({
  process,
  model,
  deployment,
  versionNumber,
}: LiveDefinition): DefinitionView {
  return {
    id: definitionIdOf({ processId: process.id, deploymentId: deployment.id }, model.identity),
    key: process.id,
    category: null,
    description: null,
    name: process.name,
    version: versionNumber,
    resource: (process.place.file ?? '').replace(/^bpmn\//, ''),
    deploymentId: deployment.id,
    diagram: null,
    suspended: false,
    tenantId: tenantIdOf(deployment.tenant),
    versionTag: model.identity.version,
    historyTimeToLive: null,
    startableInTasklist: process.start.length > 0,
  };
}
