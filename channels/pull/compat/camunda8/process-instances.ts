/** `GET /v2/process-instances/{key}` and its cancellation. */
import { readInstanceStanding, type InstanceStanding } from '../../../../engine/store/compat-jobs.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { jsonAnswer, noContent, type Camunda8Route, type PathParams } from './camunda8-route.ts';
import { notFound, type Definitions } from './definitions.ts';
import { idOf } from './keys.ts';
import { readOptionalBody } from './request-body.ts';

/** One that has failed can be repaired and go on: there it is active, with an incident. */
const STATES = {
  running: 'ACTIVE',
  failed: 'ACTIVE',
  completed: 'COMPLETED',
  terminated: 'TERMINATED',
} as const satisfies Readonly<Record<InstanceStanding['status'], string>>;

export function processInstanceRoutes(
  ports: CompatPorts,
  definitions: Definitions,
): readonly Camunda8Route[] {
  return [
    {
      method: 'GET',
      path: 'process-instances/{processInstanceKey}',
      handle: (_request, params) => getInstance(ports, definitions, params),
    },
    {
      method: 'POST',
      path: 'process-instances/{processInstanceKey}/cancellation',
      handle: (request, params) => cancelInstance(ports, request, params),
    },
  ];
}

async function getInstance(
  ports: CompatPorts,
  definitions: Definitions,
  params: PathParams,
): Promise<SurfaceAnswer> {
  const instanceId = instanceIdOf(params);
  const standing = await readInstanceStanding(ports.database, instanceId);
  if (standing === null) throw noInstance(params);
  const { deploymentId, processId, status, createdAt, endedAt, hasIncident } = standing;
  const definition = await definitions.of(deploymentId, processId);
  const name = (await ports.model(deploymentId))?.processes.get(processId)?.name ?? processId;
  return jsonAnswer(
    ports.writeJson({
      processInstanceKey: params['processInstanceKey'],
      ...definition,
      processDefinitionName: name,
      state: STATES[status],
      startDate: createdAt.toISOString(),
      ...(endedAt === null ? {} : { endDate: endedAt.toISOString() }),
      hasIncident,
      tags: [],
    }),
  );
}

async function cancelInstance(
  ports: CompatPorts,
  request: SurfaceRequest,
  params: PathParams,
): Promise<SurfaceAnswer> {
  const body = await readOptionalBody(request, ['operationReference']);
  const reference = body.optionalReference('operationReference');
  const mark = reference === null ? '' : `, operationReference ${reference}`;
  await ports.cancel(instanceIdOf(params), `cancelled over /v2${mark}`);
  return noContent;
}

function instanceIdOf(params: PathParams): string {
  const id = idOf(params['processInstanceKey'] ?? '');
  if (id === null) throw noInstance(params);
  return id;
}

function noInstance({ processInstanceKey = '' }: PathParams): Error {
  return notFound(
    `Expected to find a process instance with key ${processInstanceKey.slice(0, 50)}, but none was found.`,
  );
}
