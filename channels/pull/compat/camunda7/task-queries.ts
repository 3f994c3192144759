/** External tasks as clients look for them: one, lists, counts, topics. Filters that cannot be kept exactly are refused. */
import { EngineError } from '../../../../config/engine-error.ts';
import { businessKeysOf } from '../../../../engine/store/compat-instances.ts';
import {
  anyTask,
  COMPAT_TASK_ORDERS,
  countCompatTasks,
  listCompatTasks,
  listCompatTopics,
  readTaskErrors,
  type CompatTask,
  type CompatTaskFilter,
  type CompatTaskOrder,
} from '../../../../engine/store/compat-tasks.ts';
import type { PullCode } from '../../codes.ts';
import type { CompatCode } from '../codes.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { CamundaFields, jsonAnswer, noContent, readJson } from './camunda-request.ts';
import type { PathParams } from './camunda-route.ts';
import { NO_TENANT, parseDefinitionId } from './engine-ids.ts';
import { MAX_RESULTS, PAGE_PARAMETERS, readPage } from './engine-queries.ts';
import { taskIdOf } from './task-request.ts';
import { taskView } from './task-view.ts';
import { readCamundaDate } from './typed-values.ts';

const FILTERS = [
  ...[
    'externalTaskId',
    'externalTaskIdIn',
    'topicName',
    'workerId',
    'locked',
    'notLocked',
    'active',
    'suspended',
  ],
  ...[
    'withRetriesLeft',
    'noRetriesLeft',
    'lockExpirationAfter',
    'lockExpirationBefore',
    'activityId',
    'activityIdIn',
  ],
  ...['executionId', 'processInstanceId', 'processInstanceIdIn', 'processDefinitionId', 'tenantIdIn'],
  ...[
    'processDefinitionKey',
    'processDefinitionKeyIn',
    'priorityHigherThanOrEquals',
    'priorityLowerThanOrEquals',
  ],
];
const QUERY_ORDER = ['sortBy', 'sortOrder'];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PRIORITIES = { min: -(2 ** 31), max: 2 ** 31 - 1 };

export async function getTask(
  ports: CompatPorts,
  _request: SurfaceRequest,
  params: PathParams,
): Promise<SurfaceAnswer> {
  const task = await readTask(ports, taskIdOf(params));
  const [view] = await views(ports, [task]);
  return jsonAnswer(ports.writeJson, view);
}

/** @throws EngineError SUTRA.EXTERNAL_TASK.NOT_FOUND */
export async function readTask({ database }: CompatPorts, id: string): Promise<CompatTask> {
  const [task] = await listCompatTasks(
    database,
    { ...anyTask, ids: [id] },
    { orders: [], offset: 0, limit: 1 },
  );
  if (task !== undefined) return task;
  const code: PullCode = 'SUTRA.EXTERNAL_TASK.NOT_FOUND';
  throw new EngineError(code, `External task with id ${id} does not exist`);
}

export async function getErrorDetails(
  { database }: CompatPorts,
  _request: SurfaceRequest,
  params: PathParams,
): Promise<SurfaceAnswer> {
  const id = taskIdOf(params);
  const errors = (await readTaskErrors(database, [id])).get(id);
  if (errors === undefined) {
    const code: PullCode = 'SUTRA.EXTERNAL_TASK.NOT_FOUND';
    throw new EngineError(code, `External task with id ${id} does not exist`);
  }
  const { lastErrorDetails } = errors;
  if (lastErrorDetails === null) return noContent;
  return {
    status: 200,
    content: { type: 'text/plain; charset=utf-8', bytes: Buffer.from(lastErrorDetails) },
  };
}

export function listTasks(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  const fields = CamundaFields.ofQuery(request.query, [...FILTERS, ...QUERY_ORDER, ...PAGE_PARAMETERS]);
  return answerList(ports, fields, fields, ordersOfQuery(fields));
}

/** The filter is the body, the page in the query. */
export async function queryTasks(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  const page = CamundaFields.ofQuery(request.query, PAGE_PARAMETERS);
  const fields = new CamundaFields((await readJson(request)) ?? {}, [...FILTERS, 'sorting']);
  return answerList(ports, fields, page, ordersOfBody(fields));
}

export async function countTasks(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  return answerCount(ports, CamundaFields.ofQuery(request.query, [...FILTERS, ...QUERY_ORDER]));
}

export async function queryTaskCount(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  return answerCount(ports, new CamundaFields((await readJson(request)) ?? {}, [...FILTERS, 'sorting']));
}

export async function listTopicNames(
  { database, writeJson }: CompatPorts,
  request: SurfaceRequest,
): Promise<SurfaceAnswer> {
  const fields = CamundaFields.ofQuery(request.query, [
    'withLockedTasks',
    'withUnlockedTasks',
    'withRetriesLeft',
  ]);
  const [isLocked, isUnlocked] = [
    fields.flag('withLockedTasks') === true,
    fields.flag('withUnlockedTasks') === true,
  ];
  // A task is never both.
  if (isLocked && isUnlocked) return jsonAnswer(writeJson, []);
  const topics = await listCompatTopics(database, {
    ...anyTask,
    isLocked: isLocked ? true : isUnlocked ? false : null,
    hasRetries: fields.flag('withRetriesLeft') === true ? true : null,
  });
  return jsonAnswer(writeJson, topics);
}

/** Over `MAX_RESULTS` without a page is refused: a list that ends where nobody said is a wrong one. */
async function answerList(
  ports: CompatPorts,
  fields: CamundaFields,
  pageFields: CamundaFields,
  orders: readonly CompatTaskOrder[],
): Promise<SurfaceAnswer> {
  const { offset, limit } = readPage(pageFields);
  const filter = readFilter(fields);
  if (filter === null || limit === 0) return jsonAnswer(ports.writeJson, []);
  const tasks = await listCompatTasks(ports.database, filter, {
    orders,
    offset,
    limit: limit ?? MAX_RESULTS + 1,
  });
  if (tasks.length > MAX_RESULTS) {
    const code: CompatCode = 'SUTRA.COMPAT.REQUEST_INVALID';
    const message = `there are more than ${String(MAX_RESULTS)} external tasks, as many as one answer holds; ask for pages with firstResult and maxResults`;
    throw new EngineError(code, message, { attributes: { field: 'maxResults', limit: MAX_RESULTS } });
  }
  return jsonAnswer(ports.writeJson, await views(ports, tasks));
}

async function answerCount(
  { database, writeJson }: CompatPorts,
  fields: CamundaFields,
): Promise<SurfaceAnswer> {
  const filter = readFilter(fields);
  return jsonAnswer(writeJson, { count: filter === null ? 0 : await countCompatTasks(database, filter) });
}

async function views({ database }: CompatPorts, tasks: readonly CompatTask[]): Promise<readonly unknown[]> {
  const keys = await businessKeysOf(database, [...new Set(tasks.map(({ instanceId }) => instanceId))]);
  return tasks.map((task) =>
    taskView({
      ...task,
      workerId: task.lockOwner,
      lockExpirationTime: task.lockExpiresAt,
      businessKey: keys.get(task.instanceId) ?? null,
    }),
  );
}

/** Null: nothing can match. */
function readFilter(fields: CamundaFields): CompatTaskFilter | null {
  const definition = definitionOf(fields);
  const ids = both(fields, 'externalTaskId', 'externalTaskIdIn');
  const instances = both(fields, 'processInstanceId', 'processInstanceIdIn', 'executionId');
  const processIds = both(fields, 'processDefinitionKey', 'processDefinitionKeyIn');
  const filter: CompatTaskFilter = {
    ids: uuids(ids),
    instanceIds: uuids(instances),
    elementIds: both(fields, 'activityId', 'activityIdIn'),
    processIds: definition === null ? processIds : common(processIds, [definition?.processId ?? '']),
    deploymentId: definition === null ? null : (definition?.deploymentId ?? ''),
    tenants: nonEmpty(fields.texts('tenantIdIn')),
    channel: fields.text('topicName'),
    lockOwner: fields.text('workerId'),
    isLocked: choice(fields, 'locked', 'notLocked'),
    hasRetries: choice(fields, 'withRetriesLeft', 'noRetriesLeft'),
    isHeld: choice(fields, 'suspended', 'active'),
    lockExpiresAfter: dateOf(fields, 'lockExpirationAfter'),
    lockExpiresBefore: dateOf(fields, 'lockExpirationBefore'),
    minPriority: fields.integer('priorityHigherThanOrEquals', PRIORITIES),
    maxPriority: fields.integer('priorityLowerThanOrEquals', PRIORITIES),
  };
  const isImpossible =
    definition === undefined ||
    isContradiction(fields, 'locked', 'notLocked') ||
    isContradiction(fields, 'withRetriesLeft', 'noRetriesLeft') ||
    isContradiction(fields, 'suspended', 'active') ||
    [filter.ids, filter.instanceIds, filter.elementIds, filter.processIds].some((list) => list?.length === 0);
  return isImpossible ? null : { ...filter, tenants: withoutDefault(filter.tenants) };
}

/** Undefined: the id is of no definition. */
function definitionOf(fields: CamundaFields): ReturnType<typeof parseDefinitionId> | undefined {
  const id = fields.text('processDefinitionId');
  return id === null ? null : (parseDefinitionId(id) ?? undefined);
}

/** What is in all of the fields that say something. Null: none does. */
function both(fields: CamundaFields, ...names: readonly string[]): readonly string[] | null {
  return names
    .map((name) => (name.endsWith('In') ? nonEmpty(fields.texts(name)) : wrapped(fields.text(name))))
    .reduce((one, other) => (one === null ? other : other === null ? one : common(one, other)), null);
}

function wrapped(text: string | null): readonly string[] | null {
  return text === null ? null : [text];
}

/** An empty list says nothing, as in Camunda. */
function nonEmpty(list: readonly string[] | null): readonly string[] | null {
  return list === null || list.length === 0 ? null : list;
}

function common(one: readonly string[] | null, other: readonly string[]): readonly string[] {
  return one === null ? other : one.filter((item) => other.includes(item));
}

/** Without what can be the id of nothing. */
function uuids(list: readonly string[] | null): readonly string[] | null {
  return list?.filter((id) => UUID.test(id)) ?? null;
}

/** The tenant that stands for none is nobody's id. */
function withoutDefault(tenants: readonly string[] | null): readonly string[] | null {
  return tenants?.filter((tenant) => tenant !== NO_TENANT) ?? null;
}

/** `false` says nothing, as in Camunda. */
function choice(fields: CamundaFields, name: string, opposite: string): boolean | null {
  if (fields.flag(name) === true) return true;
  return fields.flag(opposite) === true ? false : null;
}

function isContradiction(fields: CamundaFields, name: string, opposite: string): boolean {
  return fields.flag(name) === true && fields.flag(opposite) === true;
}

function dateOf(fields: CamundaFields, name: string): Date | null {
  const text = fields.text(name);
  if (text === null) return null;
  const date = readCamundaDate(text);
  if (date === null)
    throw fields.refuse(name, "must be as yyyy-MM-dd'T'HH:mm:ss.SSSZ, such as 2026-03-01T10:00:00.000+0000");
  return date;
}

function ordersOfQuery(fields: CamundaFields): readonly CompatTaskOrder[] {
  if (fields.has('sortBy')) return [orderOf(fields)];
  if (fields.has('sortOrder')) throw fields.refuse('sortOrder', 'is given without sortBy');
  return [];
}

function ordersOfBody(fields: CamundaFields): readonly CompatTaskOrder[] {
  const sorting = fields.raw('sorting') ?? [];
  if (!Array.isArray(sorting) || sorting.length > 10)
    throw fields.refuse('sorting', 'must be an array of at most 10 orders');
  return sorting.map((order: unknown, index) =>
    orderOf(new CamundaFields(order, QUERY_ORDER, `sorting[${String(index)}].`)),
  );
}

function orderOf(fields: CamundaFields): CompatTaskOrder {
  const by = fields.text('sortBy');
  const direction = fields.text('sortOrder');
  if (direction !== 'asc' && direction !== 'desc') throw fields.refuse('sortOrder', 'must be asc or desc');
  if (by !== null && isOrder(by)) return { by, direction };
  throw fields.refuse('sortBy', `must be one of ${Object.keys(COMPAT_TASK_ORDERS).join(', ')}`);
}

function isOrder(name: string): name is CompatTaskOrder['by'] {
  return Object.hasOwn(COMPAT_TASK_ORDERS, name);
}
