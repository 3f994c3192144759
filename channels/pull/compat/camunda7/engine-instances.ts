/** `process-instance`: the live ones. One that has ended is not found, as there. */
import { EngineError } from '../../../../config/engine-error.ts';
import type { PackageModel } from '../../../../definitions/package-model.ts';
import {
  anyLiveInstance,
  businessKeysOf,
  countLiveInstances,
  listLiveInstances,
  LIVE_INSTANCE_ORDERS,
  type LiveInstance,
  type LiveInstanceFilter,
  type LiveInstanceOrder,
} from '../../../../engine/store/compat-instances.ts';
import type { CompatCode } from '../codes.ts';
import type { CompatPorts, InstanceReading } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { CamundaFields, jsonAnswer, noContent, notFound, readJson } from './camunda-request.ts';
import type { CamundaRoute, PathParams } from './camunda-route.ts';
import { BUSINESS_KEY } from './business-key.ts';
import { definitionIdOf, parseDefinitionId } from './engine-ids.ts';
import { MAX_RESULTS, PAGE_PARAMETERS, readPage, tenantsOf, TENANT_PARAMETERS } from './engine-queries.ts';
import { instanceView } from './instance-view.ts';
import { readConditions, type VariableCondition } from './variable-conditions.ts';

/** Instances that are read whole to be compared by their variables, which are in no index. A guess: some megabytes. */
export const MAX_COMPARED = 500;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function instanceRoutes(ports: CompatPorts): readonly CamundaRoute[] {
  return [
    {
      method: 'GET',
      path: 'process-instance',
      handle: async (request) => list(ports, ofQuery(request, LIST, true)),
    },
    {
      method: 'POST',
      path: 'process-instance',
      handle: async (request) => list(ports, await ofBody(request, LIST, true)),
    },
    {
      method: 'GET',
      path: 'process-instance/count',
      handle: async (request) => count(ports, ofQuery(request, FILTERS, false)),
    },
    {
      method: 'POST',
      path: 'process-instance/count',
      handle: async (request) => count(ports, await ofBody(request, FILTERS, false)),
    },
    { method: 'GET', path: 'process-instance/{id}', handle: (_request, params) => get(ports, params) },
    {
      method: 'DELETE',
      path: 'process-instance/{id}',
      handle: (request, params) => remove(ports, request, params),
    },
  ];
}

/** The live instance. @throws EngineError SUTRA.COMPAT.NOT_FOUND */
export async function requireLive(
  ports: CompatPorts,
  id: string,
  what = 'Process instance',
): Promise<InstanceReading> {
  const [reading] = UUID.test(id) ? await ports.instances([id.toLowerCase()]) : [];
  if (reading !== undefined && reading.summary.endedAt === null) return reading;
  throw notFound(`${what} with id ${id.slice(0, 100)} does not exist`);
}

/** Live instances as Camunda shows them, in their order. */
export async function instanceViews(
  ports: CompatPorts,
  instances: readonly LiveInstance[],
): Promise<readonly Record<string, unknown>[]> {
  const keys = await businessKeysOf(
    ports.database,
    instances.map(({ id }) => id),
  );
  const models = new Map<string, PackageModel | null>();
  for (const { deploymentId } of instances) {
    if (!models.has(deploymentId)) models.set(deploymentId, await ports.model(deploymentId));
  }
  return instances.map(({ id, deploymentId, processId, tenant }) => {
    const version = models.get(deploymentId)?.identity.version ?? 'unknown';
    return instanceView({
      ...{ id, tenant, definitionKey: processId, isEnded: false },
      definitionId: definitionIdOf({ processId, deploymentId }, { version }),
      businessKey: keys.get(id) ?? null,
    });
  });
}

const FILTERS = [
  ...[
    'processInstanceIds',
    BUSINESS_KEY,
    'processDefinitionId',
    'processDefinitionKey',
    'processDefinitionKeyIn',
  ],
  ...[
    'processDefinitionKeyNotIn',
    'deploymentId',
    'active',
    'suspended',
    'withIncident',
    'rootProcessInstances',
  ],
  ...['variables', ...TENANT_PARAMETERS],
];
const LIST = [...FILTERS, 'sorting', 'sortBy', 'sortOrder'];

function ofQuery({ query }: SurfaceRequest, known: readonly string[], isPaged: boolean): Query {
  const fields = CamundaFields.ofQuery(query, isPaged ? [...known, ...PAGE_PARAMETERS] : known);
  return { fields, page: fields };
}

/** The page stands in the URL here, too. */
async function ofBody(request: SurfaceRequest, known: readonly string[], isPaged: boolean): Promise<Query> {
  const page = CamundaFields.ofQuery(request.query, isPaged ? PAGE_PARAMETERS : []);
  return { fields: new CamundaFields((await readJson(request)) ?? {}, known), page };
}

interface Query {
  readonly fields: CamundaFields;
  readonly page: CamundaFields;
}

interface Search {
  /** Null: nothing can match. */
  readonly filter: LiveInstanceFilter | null;
  readonly conditions: readonly VariableCondition[];
}

function readSearch(fields: CamundaFields): Search {
  const definition = fields.text('processDefinitionId');
  const wanted = definition === null ? null : parseDefinitionId(definition);
  const key = fields.text('processDefinitionKey');
  const keys = [
    key === null ? null : [key],
    fields.texts('processDefinitionKeyIn'),
    wanted === null ? null : [wanted.processId],
  ];
  const deploymentId = fields.text('deploymentId');
  const deployments = [
    deploymentId === null ? null : [deploymentId],
    wanted === null ? null : [wanted.deploymentId],
  ];
  const ids = fields.texts('processInstanceIds');
  const conditions = readConditions(fields, 'variables');
  // All are roots: a called process runs in its caller's instance.
  fields.flag('rootProcessInstances');
  fields.flag('active');
  const isImpossible = fields.flag('suspended') === true || (definition !== null && wanted === null);
  const filter: LiveInstanceFilter = {
    ...anyLiveInstance,
    ids: ids === null ? null : ids.filter((id) => UUID.test(id)).map((id) => id.toLowerCase()),
    tenants: tenantsOf(fields),
    processIds: inAll(keys),
    notProcessIds: fields.texts('processDefinitionKeyNotIn'),
    deploymentIds: inAll(deployments),
    businessKey: fields.text(BUSINESS_KEY),
    hasIncident: fields.flag('withIncident') === true ? true : null,
  };
  return { filter: isImpossible ? null : filter, conditions };
}

/** What is in every list that there is; null: there is none. */
function inAll(lists: readonly (readonly string[] | null)[]): readonly string[] | null {
  return lists.reduce<readonly string[] | null>((found, next) => {
    if (found === null || next === null) return found ?? next;
    return found.filter((item) => next.includes(item));
  }, null);
}

async function list(ports: CompatPorts, { fields, page: pageFields }: Query): Promise<SurfaceAnswer> {
  const { offset, limit } = readPage(pageFields);
  const { filter, conditions } = readSearch(fields);
  const orders = readOrders(fields);
  if (filter === null) return jsonAnswer(ports.writeJson, []);
  if (conditions.length > 0) {
    const found = await compared(ports, filter, conditions, orders);
    const page = found.slice(offset, limit === null ? undefined : offset + limit);
    return jsonAnswer(ports.writeJson, await instanceViews(ports, page));
  }
  const page = { orders, offset, limit: limit ?? MAX_RESULTS + 1 };
  const found = await listLiveInstances(ports.database, filter, page);
  if (found.length > MAX_RESULTS) {
    throw tooWide(
      `more than ${String(MAX_RESULTS)} process instances match; ask for pages with firstResult and maxResults`,
    );
  }
  return jsonAnswer(ports.writeJson, await instanceViews(ports, found));
}

async function count(ports: CompatPorts, { fields }: Query): Promise<SurfaceAnswer> {
  const { filter, conditions } = readSearch(fields);
  const number =
    filter === null
      ? 0
      : conditions.length > 0
        ? (await compared(ports, filter, conditions, [])).length
        : await countLiveInstances(ports.database, filter);
  return jsonAnswer(ports.writeJson, { count: number });
}

/** Those whose variables fit, too. @throws EngineError SUTRA.COMPAT.SEARCH_TOO_WIDE */
async function compared(
  ports: CompatPorts,
  filter: LiveInstanceFilter,
  conditions: readonly VariableCondition[],
  orders: readonly LiveInstanceOrder[],
): Promise<readonly LiveInstance[]> {
  const candidates = await listLiveInstances(ports.database, filter, {
    orders,
    offset: 0,
    limit: MAX_COMPARED + 1,
  });
  if (candidates.length > MAX_COMPARED) {
    throw tooWide(
      `more than ${String(MAX_COMPARED)} process instances would have to be compared by their variables; narrow the query by a definition, a tenant or a business key`,
    );
  }
  const readings = await ports.instances(candidates.map(({ id }) => id));
  const fitting = new Set(
    readings
      .filter(({ variables }) => conditions.every((condition) => condition.holds(variables ?? {})))
      .map(({ summary }) => summary.id),
  );
  return candidates.filter(({ id }) => fitting.has(id));
}

export function tooWide(message: string): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.SEARCH_TOO_WIDE';
  return new EngineError(code, message);
}

/** `sortBy` and `sortOrder`, or the list `sorting` of a body. */
function readOrders(fields: CamundaFields): readonly LiveInstanceOrder[] {
  const listed: unknown = fields.raw('sorting') ?? [];
  if (!Array.isArray(listed)) throw fields.refuse('sorting', 'must be a list');
  const sortings = [
    ...(fields.has('sortBy') || fields.has('sortOrder') ? [fields] : []),
    ...listed.map(
      (item: unknown) => new CamundaFields(item, ['sortBy', 'sortOrder', 'parameters'], 'sorting.'),
    ),
  ];
  return sortings.map(orderOf);
}

function orderOf(fields: CamundaFields): LiveInstanceOrder {
  const [by, direction] = [fields.text('sortBy') ?? '', fields.text('sortOrder') ?? ''];
  if (!isOrder(by))
    throw fields.refuse('sortBy', `must be one of ${Object.keys(LIVE_INSTANCE_ORDERS).join(', ')}`);
  if (direction !== 'asc' && direction !== 'desc') throw fields.refuse('sortOrder', 'must be asc or desc');
  return { by, direction };
}

function isOrder(text: string): text is LiveInstanceOrder['by'] {
  return Object.hasOwn(LIVE_INSTANCE_ORDERS, text);
}

async function get(ports: CompatPorts, { id = '' }: PathParams): Promise<SurfaceAnswer> {
  const { summary } = await requireLive(ports, id);
  const [view] = await instanceViews(ports, [summary]);
  return jsonAnswer(ports.writeJson, view);
}

const REMOVE = ['skipCustomListeners', 'skipIoMappings', 'skipSubprocesses', 'failIfNotExists'];

async function remove(
  ports: CompatPorts,
  request: SurfaceRequest,
  { id = '' }: PathParams,
): Promise<SurfaceAnswer> {
  const fields = CamundaFields.ofQuery(request.query, REMOVE);
  try {
    const { summary } = await requireLive(ports, id);
    await ports.cancel(summary.id, 'deleted by a client of Camunda 7');
  } catch (error) {
    const isGone = error instanceof EngineError && GONE.has(error.code);
    if (!isGone || fields.flag('failIfNotExists') !== false) throw error;
  }
  return noContent;
}

const GONE: ReadonlySet<string> = new Set([
  'SUTRA.COMPAT.NOT_FOUND',
  'SUTRA.INSTANCE.NOT_FOUND',
  'SUTRA.CORE.INSTANCE_ENDED',
]);
