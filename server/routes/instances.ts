/** Process instances: find them, look into one, see what happened to it, cancel it, complete its user tasks. */
import { EngineError } from '../../config/engine-error.ts';
import type { Context } from '../../definitions/value.ts';
import { decodePart, decodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Snapshot } from '../../engine/core/snapshot.ts';
import {
  countInstanceParts,
  INSTANCE_STATUSES,
  listInstanceParts,
  listInstances,
  readInstance,
  readInstanceAliases,
  readInstanceDeliveries,
  type InstanceRow,
} from '../../engine/store/operate-instances.ts';
import { readInstanceTasks } from '../../engine/store/operate-tasks.ts';
import { hasParts } from '../../engine/intake/instance-parts.ts';
import { MAX_PART_ID } from '../../engine/store/instance-parts.ts';
import { jsonAnswer, type Answer } from '../exchange.ts';
import { deploymentsIn, snapshotView, summaryView, type ProcessOf } from '../instance-view.ts';
import { instanceNotFound, requireInstanceId, requireTokenId } from '../instance-ids.ts';
import { FieldReader } from '../json-body.ts';
import type { CommandOutcome, ServerDeps } from '../operations.ts';
import { pagingParameters, type QueryValues } from '../query-parameters.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';
import { taskSummaryView } from '../task-view.ts';
import { historyRoute } from './history.ts';

type InstanceDeps = Pick<ServerDeps, 'database' | 'deployments' | 'instances'>;

/** How many instances of parallel multi-instance activities one answer shows: a guess at what a person can read. */
const MAX_PARTS_SHOWN = 100;

const DEFAULT_REASON = 'cancelled by an operator';

const listParameters = {
  status: { kind: 'choice', values: INSTANCE_STATUSES, description: 'Only in this status.' },
  processId: { kind: 'text', description: 'Only of this process.' },
  deploymentId: { kind: 'text', description: 'Only of this deployment.' },
  tenant: { kind: 'text', description: 'Only of this tenant.' },
  module: { kind: 'text', description: 'Only of this module.' },
  createdAfter: { kind: 'instant', description: 'Only created after this instant.' },
  createdBefore: { kind: 'instant', description: 'Only created before this instant.' },
  aliasName: { kind: 'text', description: 'Only with an alias of this name; needs `aliasValue`.' },
  aliasValue: { kind: 'text', description: 'Only with this value of the alias; needs `aliasName`.' },
  failureCode: { kind: 'text', description: 'Only failed with this code.' },
  failureElement: { kind: 'text', description: 'Only failed at this element.' },
  ...pagingParameters,
} as const;

export function instanceRoutes(deps: InstanceDeps): readonly Route[] {
  return [
    listRoute(deps),
    detailRoute(deps),
    historyRoute(deps),
    cancelRoute(deps),
    completeUserTaskRoute(deps),
  ];
}

function listRoute({ database }: InstanceDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/sutra/instances',
    operationId: 'listInstances',
    tag: 'instances',
    summary: 'Process instances, newest first.',
    query: listParameters,
    answers: { 200: jsonDoc('A page of instances.', schemaRef('InstancePage')) },
    codes: ['SUTRA.OPERATE.CURSOR_INVALID'],
    handle: async (_request, query) => {
      const { limit, cursor, aliasName: _name, aliasValue: _value, ...filter } = query;
      const page = await listInstances(database, { ...filter, alias: aliasOf(query) }, { limit, cursor });
      return jsonAnswer(200, { instances: page.rows.map(summaryView), nextCursor: page.nextCursor });
    },
  });
}

function aliasOf(query: QueryValues<typeof listParameters>): { name: string; value: string } | null {
  const { aliasName: name, aliasValue: value } = query;
  if (name === null && value === null) return null;
  if (name !== null && value !== null) return { name, value };
  const missing = name === null ? 'aliasName' : 'aliasValue';
  throw new EngineError(
    'SUTRA.HTTP.QUERY_INVALID',
    'aliasName and aliasValue are given together or not at all',
    {
      attributes: { parameter: missing },
    },
  );
}

function detailRoute(deps: InstanceDeps): Route {
  const { database } = deps;
  return defineRoute({
    method: 'GET',
    path: '/sutra/instances/{id}',
    operationId: 'getInstance',
    tag: 'instances',
    summary: 'One instance: state, variables, tokens, waits, failure, aliases, open tasks and deliveries.',
    query: {
      partsAfter: {
        kind: 'integer',
        min: 0,
        max: MAX_PART_ID,
        initial: 0,
        description: '`parts.next` of the answer before: the open parts after this one.',
      },
    },
    answers: { 200: jsonDoc('The instance.', schemaRef('InstanceDetail')) },
    codes: ['SUTRA.INSTANCE.NOT_FOUND', 'SUTRA.OPERATE.ID_INVALID'],
    handle: async ({ params }, { partsAfter }) => {
      const { snapshot: text, largeValues, ...row } = await requireInstance(deps, params['id'] ?? '');
      const [{ snapshot, parts }, aliases, openTasks, deliveries] = await Promise.all([
        withParts(deps, decodeSnapshot(text, new Map(Object.entries(largeValues))), partsAfter),
        readInstanceAliases(database, row.id),
        readInstanceTasks(database, row.id),
        readInstanceDeliveries(database, row.id),
      ]);
      return jsonAnswer(200, {
        ...summaryView(row),
        ...snapshotView(snapshot, await processesOf(deps, snapshot)),
        parts,
        aliases,
        openTasks: openTasks.map(taskSummaryView),
        deliveries,
      });
    },
  });
}

interface PartsShown {
  readonly open: number;
  readonly listed: number;
  readonly next: number | null;
}

/** With as many of the instance's open parts as are shown at once, and with how many there are. */
async function withParts(
  { database }: InstanceDeps,
  snapshot: Snapshot,
  after: number,
): Promise<{ readonly snapshot: Snapshot; readonly parts: PartsShown }> {
  if (!hasParts(snapshot)) return { snapshot, parts: { open: 0, listed: 0, next: null } };
  const { instanceId } = snapshot;
  const [rows, open] = await Promise.all([
    listInstanceParts(database, instanceId, after, MAX_PARTS_SHOWN + 1),
    countInstanceParts(database, instanceId),
  ]);
  const listed = rows.slice(0, MAX_PARTS_SHOWN);
  const last = listed.at(-1);
  const next = rows.length > listed.length && last !== undefined ? last.partId : null;
  const parts = listed.map((row) => decodePart(row.data));
  return { snapshot: { ...snapshot, parts }, parts: { open, listed: listed.length, next } };
}

async function processesOf({ deployments }: InstanceDeps, snapshot: Snapshot): Promise<ProcessOf> {
  const ids = deploymentsIn(snapshot);
  const models = await Promise.all(ids.map((id) => deployments.model(id)));
  const byId = new Map(ids.map((id, index) => [id, models[index]]));
  return (deploymentId, processId) => byId.get(deploymentId)?.processes.get(processId) ?? null;
}

function cancelRoute(deps: InstanceDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/sutra/instances/{id}/cancel',
    operationId: 'cancelInstance',
    tag: 'instances',
    summary: 'Ends the instance where it is; its tasks, timers and deliveries go with it.',
    body: { isRequired: false, content: { 'application/json': schemaRef('CancelRequest') } },
    answers: { 200: jsonDoc('Cancelled.', schemaRef('CommandAnswer')) },
    codes: COMMAND_CODES,
    handle: async (request) => {
      const id = requireInstanceId(request.params['id'] ?? '');
      const body = await request.readOptionalJson();
      const fields = body === undefined ? null : new FieldReader(body, ['reason']);
      const reason = (fields === null ? null : reasonOf(fields)) ?? DEFAULT_REASON;
      return commandAnswer(await deps.instances.cancel(id, reason));
    },
  });
}

function completeUserTaskRoute(deps: InstanceDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/sutra/instances/{id}/user-tasks/{tokenId}/complete',
    operationId: 'completeUserTask',
    tag: 'instances',
    summary: 'Completes the user task at which the token waits; `variables` merge into its scope.',
    body: { isRequired: false, content: { 'application/json': schemaRef('CompleteUserTaskRequest') } },
    answers: { 200: jsonDoc('Completed.', schemaRef('CommandAnswer')) },
    codes: COMMAND_CODES,
    handle: async (request) => {
      const id = requireInstanceId(request.params['id'] ?? '');
      const tokenId = requireTokenId(request.params['tokenId'] ?? '');
      const body = await request.readOptionalJson();
      const fields = body === undefined ? null : new FieldReader(body, ['variables']);
      // What an exact JSON reader accepts is a context of plain values.
      const variables = fields?.has('variables') === true ? (fields.object('variables') as Context) : {};
      return commandAnswer(await deps.instances.completeUserTask(id, tokenId, variables));
    },
  });
}

export const COMMAND_CODES = [
  'SUTRA.INSTANCE.NOT_FOUND',
  'SUTRA.OPERATE.ID_INVALID',
  'SUTRA.CORE.INSTANCE_ENDED',
  'SUTRA.CORE.NOT_FAILED',
  'SUTRA.CORE.WAIT_GONE',
  'SUTRA.INBOUND.INSTANCE_FAILED',
  'SUTRA.INTAKE.INSTANCE_BUSY',
  'SUTRA.INTAKE.CAPACITY',
  'SUTRA.INTAKE.STOPPING',
  'SUTRA.INTAKE.TURN_FAILED',
] as const;

const MAX_REASON_CHARACTERS = 500;

/** Why an operator does it, for the history; null: not said. */
export function reasonOf(fields: FieldReader): string | null {
  return fields.optionalText('reason', MAX_REASON_CHARACTERS);
}

export function commandAnswer({ instanceId, status }: CommandOutcome): Answer {
  return jsonAnswer(200, { instanceId, status });
}

/** @throws EngineError SUTRA.OPERATE.ID_INVALID, SUTRA.INSTANCE.NOT_FOUND. */
async function requireInstance(deps: Pick<ServerDeps, 'database'>, text: string): Promise<InstanceRow> {
  const id = requireInstanceId(text);
  const row = await readInstance(deps.database, id);
  if (row !== null) return row;
  throw instanceNotFound(id);
}
