/** `process-definition`: what is deployed, and starting it. */
import type { Context } from '../../../../definitions/value.ts';
import { idempotencyHeaderOf } from '../idempotency-header.ts';
import {
  latestDefinitions,
  liveDefinitions,
  type LiveDefinition,
  type StartableDefinition,
} from '../live-definitions.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { BUSINESS_KEY, businessKeyOf, withBusinessKey } from './business-key.ts';
import { CamundaFields, jsonAnswer, notFound, readJson } from './camunda-request.ts';
import type { CamundaRoute, PathParams } from './camunda-route.ts';
import { definitionView } from './definition-view.ts';
import { definitionIdOf, hrefOf, NO_TENANT, parseDefinitionId, type DefinitionKey } from './engine-ids.ts';
import {
  pageOf,
  PAGE_PARAMETERS,
  SORT_PARAMETERS,
  sorted,
  tenantsOf,
  TENANT_PARAMETERS,
} from './engine-queries.ts';
import { instanceView } from './instance-view.ts';
import { readVariables, writeVariables } from './variables.ts';

type Finder<Found> = (ports: CompatPorts, params: PathParams) => Promise<Found>;

interface Finders {
  readonly show: Finder<LiveDefinition>;
  readonly start: Finder<StartableDefinition>;
}

const byId: Finders = { show: showById, start: startableById };
const byKey: Finders = { show: showByKey, start: startableByKey };

/** How a path names a definition. */
const PATHS: Readonly<Record<string, Finders>> = {
  'process-definition/{id}': byId,
  'process-definition/key/{key}': byKey,
  'process-definition/key/{key}/tenant-id/{tenantId}': byKey,
};

export function definitionRoutes(ports: CompatPorts): readonly CamundaRoute[] {
  const found = Object.entries(PATHS).flatMap(([path, finders]): CamundaRoute[] => [
    {
      method: 'GET',
      path,
      handle: async (_request, params) =>
        jsonAnswer(ports.writeJson, definitionView(await finders.show(ports, params))),
    },
    {
      method: 'GET',
      path: `${path}/xml`,
      handle: async (_request, params) =>
        jsonAnswer(ports.writeJson, xmlView(await finders.show(ports, params))),
    },
    {
      method: 'POST',
      path: `${path}/start`,
      handle: async (request, params) => start(ports, request, await finders.start(ports, params)),
    },
  ]);
  return [
    { method: 'GET', path: 'process-definition', handle: (request) => list(ports, request) },
    { method: 'GET', path: 'process-definition/count', handle: (request) => count(ports, request) },
    ...found,
  ];
}

async function showById(ports: CompatPorts, { id = '' }: PathParams): Promise<LiveDefinition> {
  const wanted = parseDefinitionId(id);
  const found = (await liveDefinitions(ports)).find((definition) => isOf(definition, wanted));
  if (found !== undefined) return found;
  throw idUnknown(id);
}

async function showByKey(ports: CompatPorts, { key = '', tenantId }: PathParams): Promise<LiveDefinition> {
  const latest = (await liveDefinitions(ports)).filter(
    ({ process, isLatest }) => isLatest && process.id === key,
  );
  return ofTenant(latest, key, tenantId);
}

async function startableById(ports: CompatPorts, { id = '' }: PathParams): Promise<StartableDefinition> {
  const wanted = parseDefinitionId(id);
  const latest = wanted === null ? [] : await latestDefinitions(ports, wanted.processId);
  const found = latest.find((definition) => isOf(definition, wanted));
  if (found !== undefined) return found;
  const { process, deployment } = await showById(ports, { id });
  throw notFound(
    `The deployment ${deployment.id} starts no more instances of ${process.id}: a later version is active`,
  );
}

async function startableByKey(
  ports: CompatPorts,
  { key = '', tenantId }: PathParams,
): Promise<StartableDefinition> {
  return ofTenant(await latestDefinitions(ports, key), key, tenantId);
}

function isOf({ process, deployment }: StartableDefinition, wanted: DefinitionKey | null): boolean {
  return process.id === wanted?.processId && deployment.id === wanted.deploymentId;
}

function idUnknown(id: string): Error {
  return notFound(`No matching definition with id ${id.slice(0, 200)}`);
}

/** Without a tenant: that of the definitions that have none; else the only tenant that there is. */
function ofTenant<Definition extends StartableDefinition>(
  latest: readonly Definition[],
  key: string,
  tenantId: string | undefined,
): Definition {
  const of = (tenant: string): Definition | undefined =>
    latest.find(({ deployment }) => deployment.tenant === tenant);
  const found =
    tenantId === undefined ? (of(NO_TENANT) ?? (latest.length === 1 ? latest[0] : undefined)) : of(tenantId);
  if (found !== undefined) return found;
  const shown = key.slice(0, 200);
  throw notFound(
    tenantId === undefined
      ? `No matching process definition with key: ${shown} and no tenant-id`
      : `No matching process definition with key: ${shown} and tenant-id: ${tenantId.slice(0, 200)}`,
  );
}

function xmlView({ process, model, ...rest }: LiveDefinition): Record<string, unknown> {
  const file = model.files.find(({ path }) => path === process.place.file);
  if (file === undefined || !file.path.endsWith('.bpmn')) {
    throw notFound(`the process ${process.id} has no BPMN file of its own`);
  }
  const { id } = definitionView({ process, model, ...rest });
  return { id, bpmn20Xml: new TextDecoder().decode(file.content) };
}

const FILTERS = [
  ...[
    'processDefinitionId',
    'processDefinitionIdIn',
    'key',
    'keysIn',
    'name',
    'deploymentId',
    'version',
    'versionTag',
  ],
  ...['latestVersion', 'active', 'suspended', ...TENANT_PARAMETERS],
];

async function matching(ports: CompatPorts, fields: CamundaFields): Promise<readonly LiveDefinition[]> {
  const ids = fields.texts('processDefinitionIdIn');
  const keys = fields.texts('keysIn');
  const tenants = tenantsOf(fields);
  const version = fields.integer('version', { min: 1, max: Number.MAX_SAFE_INTEGER });
  const isLatestOnly = fields.flag('latestVersion') === true;
  // Nothing is suspended here.
  if (fields.flag('suspended') === true) return [];
  const equal = (name: string, value: string): boolean => (fields.text(name) ?? value) === value;
  return (await liveDefinitions(ports)).filter((definition) => {
    const { id, key, name, deploymentId, versionTag } = definitionView(definition);
    return (
      equal('processDefinitionId', id) &&
      (ids === null || ids.includes(id)) &&
      equal('key', key) &&
      (keys === null || keys.includes(key)) &&
      equal('name', String(name)) &&
      equal('deploymentId', String(deploymentId)) &&
      equal('versionTag', String(versionTag)) &&
      (version === null || definition.versionNumber === version) &&
      (!isLatestOnly || definition.isLatest) &&
      (tenants === null || tenants.includes(definition.deployment.tenant))
    );
  });
}

async function list(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  const fields = CamundaFields.ofQuery(request.query, [...FILTERS, ...PAGE_PARAMETERS, ...SORT_PARAMETERS]);
  const definitions = sorted(fields, await matching(ports, fields), {
    id: (definition) => definitionView(definition).id,
    key: ({ process }) => process.id,
    name: ({ process }) => process.name ?? '',
    version: ({ versionNumber }) => versionNumber,
    deploymentId: ({ deployment }) => deployment.id,
    deployTime: ({ deployment }) => deployment.deployedAt.getTime(),
    tenantId: ({ deployment }) => deployment.tenant,
  });
  return jsonAnswer(ports.writeJson, pageOf(fields, definitions).map(definitionView));
}

async function count(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  const found = await matching(ports, CamundaFields.ofQuery(request.query, FILTERS));
  return jsonAnswer(ports.writeJson, { count: found.length });
}

const START_FIELDS = [
  ...[
    'variables',
    'businessKey',
    'caseInstanceId',
    'startInstructions',
    'skipCustomListeners',
    'skipIoMappings',
  ],
  'withVariablesInReturn',
];

async function start(
  ports: CompatPorts,
  request: SurfaceRequest,
  definition: StartableDefinition,
): Promise<SurfaceAnswer> {
  const fields = new CamundaFields((await readJson(request)) ?? {}, START_FIELDS);
  refuseUnsupported(fields);
  const variables = withBusinessKey(
    readVariables(fields.raw('variables') ?? {}, 'variables'),
    businessKeyOf(fields),
  );
  const { process, deployment } = definition;
  const wish = { processId: process.id, tenant: deployment.tenant, module: deployment.module };
  const { instanceId } = await ports.startProcess(wish, variables, idempotencyHeaderOf(request.headers));
  const view = await startedView(ports, request, { definition, instanceId, variables, fields });
  return jsonAnswer(ports.writeJson, view);
}

interface Started {
  readonly definition: StartableDefinition;
  readonly instanceId: string;
  readonly variables: Context;
  readonly fields: CamundaFields;
}

async function startedView(
  ports: CompatPorts,
  request: SurfaceRequest,
  { definition, instanceId, variables, fields }: Started,
): Promise<Record<string, unknown>> {
  const [reading] = await ports.instances([instanceId]);
  const { process, model, deployment } = definition;
  const { tenant } = deployment;
  const definitionId = definitionIdOf({ processId: process.id, deploymentId: deployment.id }, model.identity);
  const businessKey = variables[BUSINESS_KEY] ?? null;
  return {
    ...instanceView({
      ...{ id: instanceId, definitionId, definitionKey: process.id, tenant },
      businessKey: typeof businessKey === 'string' ? businessKey : null,
      // One that has gone already was kept for no time at all.
      isEnded: reading === undefined || reading.summary.endedAt !== null,
    }),
    links: [{ method: 'GET', href: hrefOf(request, `process-instance/${instanceId}`), rel: 'self' }],
    ...(fields.flag('withVariablesInReturn') === true
      ? { variables: writeVariables(reading?.variables ?? variables) }
      : {}),
  };
}

function refuseUnsupported(fields: CamundaFields): void {
  const instructions = fields.raw('startInstructions');
  if (Array.isArray(instructions) ? instructions.length > 0 : instructions !== null) {
    throw fields.refuse('startInstructions', 'is not supported: an instance begins at its start event');
  }
  if (fields.text('caseInstanceId') !== null) {
    throw fields.refuse('caseInstanceId', 'is not supported: there are no cases');
  }
  // There are no listeners to skip, so that is so anyway.
  fields.flag('skipCustomListeners');
  if (fields.flag('skipIoMappings') === true) {
    throw fields.refuse('skipIoMappings', 'is not supported: mappings are part of the model');
  }
}
