/**
 * `POST /v2/process-instances`: a start of the active definition of a process.
 *
 * P1 Only what is active starts instances: a version or a key that is not the latest one's is refused.
 * P2 With `awaitCompletion` the instance is started all the same when the answer is a refusal: it was not stopped.
 */
import { EngineError } from '../../../../config/engine-error.ts';
import type { Context } from '../../../../definitions/value.ts';
import { readInstanceStanding } from '../../../../engine/store/compat-jobs.ts';
import { readDeployment } from '../../../../engine/store/operate-deployments.ts';
import { liveDefinitions, type LiveDefinition } from '../live-definitions.ts';
import type { CompatCode } from '../codes.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { awaitEnd } from './await-end.ts';
import { jsonAnswer, type Camunda8Route } from './camunda8-route.ts';
import type { Definition, Definitions } from './definitions.ts';
import { keyOf } from './keys.ts';
import { invalidRequest, readBody, type RequestBody } from './request-body.ts';
import { tenantOf, tenantOfRequest } from './tenants.ts';

const FIELDS = [
  'processDefinitionId',
  'processDefinitionVersion',
  'processDefinitionKey',
  'variables',
  'tenantId',
  'operationReference',
  'startInstructions',
  'runtimeInstructions',
  'awaitCompletion',
  'fetchVariables',
  'requestTimeout',
  'tags',
];

const LATEST = -1;
const MAX_VARIABLES = 1_000;

interface Wanted {
  readonly processId: string;
  readonly tenant: string;
  /** Null: whichever has it. */
  readonly module: string | null;
}

export function startProcessRoute(ports: CompatPorts, definitions: Definitions): Camunda8Route {
  return {
    method: 'POST',
    path: 'process-instances',
    handle: async (request) => start(ports, definitions, request, await readBody(request, FIELDS)),
  };
}

async function start(
  ports: CompatPorts,
  definitions: Definitions,
  { disconnected }: SurfaceRequest,
  body: RequestBody,
): Promise<SurfaceAnswer> {
  refuseWhatIsNotDone(body);
  const variables = body.variables();
  const waitMs = waitOf(ports, body);
  const fetchVariables = body.optionalTexts('fetchVariables', MAX_VARIABLES) ?? [];
  const wanted = body.has('processDefinitionKey')
    ? await byKey(ports, definitions, body)
    : await byId(ports, body);
  const instanceId = await startWanted(ports, wanted, variables);
  const definition = await definitionStarted(ports, definitions, wanted, instanceId);
  if (waitMs === null) return started(ports, instanceId, definition, {});
  await awaitEnd(ports, instanceId, waitMs, disconnected);
  return started(ports, instanceId, definition, await resultOf(ports, instanceId, fetchVariables));
}

function refuseWhatIsNotDone(body: RequestBody): void {
  body.optionalReference('operationReference');
  body.refuseUnlessEmpty('startInstructions', 'are not supported: an instance begins at its start event');
  body.refuseUnlessEmpty('runtimeInstructions', 'are not supported');
  body.refuseUnlessEmpty('tags', 'are not kept here: put them into a variable');
}

/** Null: not to wait. */
function waitOf({ settings }: CompatPorts, body: RequestBody): number | null {
  const requestTimeoutMs = body.optionalInteger('requestTimeout') ?? 0;
  if (body.optionalBoolean('awaitCompletion') !== true) return null;
  const { maxAsyncResponseTimeoutMs } = settings.externalTask;
  if (requestTimeoutMs < 0 || requestTimeoutMs > maxAsyncResponseTimeoutMs) {
    throw body.refusal(
      'requestTimeout',
      `is ${requestTimeoutMs}; from 0 to ${maxAsyncResponseTimeoutMs} are taken, as sutra.external-task.max-async-response-timeout says`,
    );
  }
  return requestTimeoutMs === 0 ? maxAsyncResponseTimeoutMs : requestTimeoutMs;
}

async function byId(ports: CompatPorts, body: RequestBody): Promise<Wanted> {
  const processId = body.text('processDefinitionId');
  const version = body.optionalInteger('processDefinitionVersion') ?? LATEST;
  const tenant = tenantOfRequest(body.optionalText('tenantId'));
  const wanted = { processId, tenant, module: null };
  if (version === LATEST) return wanted;
  const latest = await latestOf(ports, wanted);
  // Without one the engine says what there is.
  if (latest === undefined) return wanted;
  if (version === latest.versionNumber) return { ...wanted, module: latest.model.identity.module };
  throw notLatest('processDefinitionVersion', `version ${version}`, latest.versionNumber);
}

async function byKey(ports: CompatPorts, definitions: Definitions, body: RequestBody): Promise<Wanted> {
  for (const other of ['processDefinitionId', 'processDefinitionVersion']) {
    if (body.has(other)) throw body.refusal(other, 'and processDefinitionKey exclude each other');
  }
  const key = body.text('processDefinitionKey');
  const { model, processId } = await definitions.ofKey(key);
  const { tenant, module } = model.identity;
  const tenantId = body.optionalText('tenantId');
  if (tenantId !== null && tenantOf('tenantId', tenantId) !== tenant) {
    throw body.refusal('tenantId', `is not that of process definition ${key}`);
  }
  const wanted = { processId, tenant, module };
  const deployment = await readDeployment(ports.database, model.deploymentId);
  if (deployment?.state === 'active') return wanted;
  throw notLatest('processDefinitionKey', key, (await latestOf(ports, wanted))?.versionNumber ?? null);
}

async function latestOf(
  ports: CompatPorts,
  { processId, tenant }: Wanted,
): Promise<LiveDefinition | undefined> {
  return (await liveDefinitions(ports)).find(
    ({ process, deployment, isLatest }) =>
      isLatest && process.id === processId && deployment.tenant === tenant,
  );
}

/** In several modules: in that whose package became active last, as there the latest version has the id alone. */
async function startWanted(ports: CompatPorts, wanted: Wanted, variables: Context): Promise<string> {
  try {
    return (await ports.startProcess(wanted, variables, null)).instanceId;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'SUTRA.PROCESS.AMBIGUOUS') throw error;
    const module = (await latestOf(ports, wanted))?.model.identity.module ?? null;
    return (await ports.startProcess({ ...wanted, module }, variables, null)).instanceId;
  }
}

function notLatest(field: string, asked: string, latest: number | null): EngineError {
  const what = latest === null ? 'none of its versions is active' : `the active version is ${latest}`;
  return invalidRequest(
    field,
    `${field}: only the active version starts instances, and ${asked} is not it; ${what}.`,
  );
}

/** That of the instance itself; of the wish when it has ended and gone already. */
async function definitionStarted(
  ports: CompatPorts,
  definitions: Definitions,
  wanted: Wanted,
  instanceId: string,
): Promise<Definition> {
  const standing = await readInstanceStanding(ports.database, instanceId);
  const deploymentId = standing?.deploymentId ?? (await latestOf(ports, wanted))?.deployment.id;
  if (deploymentId === undefined)
    throw new Error(`process ${wanted.processId} was started and is not deployed`);
  return definitions.of(deploymentId, wanted.processId);
}

/** The variables of the ended process. @throws SUTRA.COMPAT.NOT_COMPLETED when they have gone with it */
async function resultOf(
  ports: CompatPorts,
  instanceId: string,
  fetchVariables: readonly string[],
): Promise<Context> {
  const [reading] = await ports.instances([instanceId]);
  const variables = reading?.variables ?? null;
  if (variables === null) {
    const code: CompatCode = 'SUTRA.COMPAT.NOT_COMPLETED';
    throw new EngineError(
      code,
      `Process instance ${keyOf(instanceId)} has ended, and its variables are not kept.`,
    );
  }
  if (fetchVariables.length === 0) return variables;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => fetchVariables.includes(name)));
}

function started(
  { writeJson }: CompatPorts,
  instanceId: string,
  definition: Definition,
  variables: Context,
): SurfaceAnswer {
  return jsonAnswer(writeJson({ ...definition, processInstanceKey: keyOf(instanceId), variables, tags: [] }));
}
