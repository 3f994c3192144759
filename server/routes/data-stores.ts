/**
 * The records of data stores: what processes keep there, and the repair of it. All need the admin key, because a
 * record may hold what a process declares sensitive.
 */
import { EngineError } from '../../config/engine-error.ts';
import { encodeValue, parseWithValues } from '../../definitions/value-codec.ts';
import type { Value } from '../../definitions/value.ts';
import { MAX_ALIAS_LENGTH } from '../../engine/core/aliases.ts';
import type { RecordName } from '../../engine/store/data-records.ts';
import {
  listDataRecords,
  putDataRecord,
  readDataRecord,
  removeDataRecord,
  type DataRecord,
} from '../../engine/store/operate-records.ts';
import { jsonAnswer, type Answer } from '../exchange.ts';
import { FieldReader } from '../json-body.ts';
import type { ServerDeps } from '../operations.ts';
import { pagingParameters } from '../query-parameters.ts';
import { defineRoute, jsonDoc, schemaRef, type Route, type RouteRequest } from '../route.ts';

type DataStoreDeps = Pick<ServerDeps, 'database'>;

const RECORD_PATH = '/admin/data-stores/{store}/records/{key}';

const tenantParameter = {
  tenant: { kind: 'text', isRequired: true, description: 'Whose store it is: the tenant of the packages.' },
} as const;

export function dataStoreRoutes(deps: DataStoreDeps): readonly Route[] {
  return [listRoute(deps), readRoute(deps), putRoute(deps), removeRoute(deps)];
}

function listRoute({ database }: DataStoreDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/admin/data-stores/{store}/records',
    access: 'admin',
    operationId: 'listRecords',
    tag: 'data stores',
    summary: 'The records of a data store by key, without what they hold.',
    query: { ...tenantParameter, ...pagingParameters },
    answers: { 200: jsonDoc('A page of records.', schemaRef('RecordPage')) },
    codes: ['SUTRA.OPERATE.CURSOR_INVALID', 'SUTRA.OPERATE.ID_INVALID'],
    handle: async ({ params }, { tenant, limit, cursor }) => {
      const store = requireName(params['store'], 'a data store');
      const page = await listDataRecords(database, { tenant, store }, { limit, cursor });
      return jsonAnswer(200, { records: page.rows, nextCursor: page.nextCursor });
    },
  });
}

function readRoute({ database }: DataStoreDeps): Route {
  return defineRoute({
    method: 'GET',
    path: RECORD_PATH,
    access: 'admin',
    operationId: 'getRecord',
    tag: 'data stores',
    summary: 'One record of a data store.',
    query: tenantParameter,
    answers: { 200: jsonDoc('The record.', schemaRef('DataRecord')) },
    codes: ['SUTRA.RECORD.NOT_FOUND', 'SUTRA.OPERATE.ID_INVALID'],
    handle: async ({ params }, { tenant }) => {
      const name = requireRecordName(params, tenant);
      const record = await readDataRecord(database, name);
      if (record === null) throw recordNotFound(name);
      return recordAnswer(record);
    },
  });
}

function putRoute({ database }: DataStoreDeps): Route {
  return defineRoute({
    method: 'PUT',
    path: RECORD_PATH,
    access: 'admin',
    operationId: 'putRecord',
    tag: 'data stores',
    summary: 'Writes a record of a data store, whether there was one or not.',
    query: tenantParameter,
    body: { isRequired: true, content: { 'application/json': schemaRef('PutRecordRequest') } },
    answers: { 200: jsonDoc('As it is now.', schemaRef('DataRecord')) },
    codes: ['SUTRA.OPERATE.ID_INVALID'],
    handle: async (request, { tenant }) => {
      const name = requireRecordName(request.params, tenant);
      const fields = new FieldReader(await request.readJson(), ['value']);
      // What an exact JSON reader accepts is a plain value.
      const value = fields.raw('value') as Value | undefined;
      if (value === undefined || value === null) {
        throw fields.refuse('value', 'must be there and not null; DELETE removes a record');
      }
      return recordAnswer(await putDataRecord(database, name, encodeValue(value)));
    },
  });
}

function removeRoute({ database }: DataStoreDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: RECORD_PATH,
    access: 'admin',
    operationId: 'removeRecord',
    tag: 'data stores',
    summary: 'Removes a record of a data store: to processes it is null then.',
    query: tenantParameter,
    answers: { 200: jsonDoc('Removed.', schemaRef('RemovedRecord')) },
    codes: ['SUTRA.RECORD.NOT_FOUND', 'SUTRA.OPERATE.ID_INVALID'],
    handle: async ({ params }, { tenant }) => {
      const name = requireRecordName(params, tenant);
      if (!(await removeDataRecord(database, name))) throw recordNotFound(name);
      return jsonAnswer(200, name);
    },
  });
}

function recordAnswer({ value, ...record }: DataRecord): Answer {
  return jsonAnswer(200, { ...record, value: parseWithValues(value) });
}

/** @throws EngineError SUTRA.OPERATE.ID_INVALID */
function requireRecordName(params: RouteRequest['params'], tenant: string): RecordName {
  const store = requireName(params['store'], 'a data store');
  return { tenant, store, key: requireName(params['key'], 'the key of a record') };
}

/** Names and keys as processes can have them; PostgreSQL has no text with a NUL. */
function requireName(text = '', what: string): string {
  if (text !== '' && text.length <= MAX_ALIAS_LENGTH && !text.includes('\u0000')) return text;
  throw new EngineError(
    'SUTRA.OPERATE.ID_INVALID',
    `${JSON.stringify(text.slice(0, 100))} is not ${what}: 1 to ${String(MAX_ALIAS_LENGTH)} characters, none of them U+0000`,
  );
}

function recordNotFound({ tenant, store, key }: RecordName): EngineError {
  return new EngineError(
    'SUTRA.RECORD.NOT_FOUND',
    `the data store ${store} of tenant ${tenant} has no record ${JSON.stringify(key)}`,
    { attributes: { tenant, store, key } },
  );
}
