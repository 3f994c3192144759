/**
 * Variables of live instances, under `process-instance/{id}` and under `execution/{id}`: an instance is its own only
 * execution here, whatever scopes it has inside.
 *
 * V1 A variable is that of the process; one that only an inner scope has is read there, as workers see it.
 * V2 Variables that the model calls sensitive are not there for anyone.
 * V3 What is written is written as `POST /sutra/instances/{id}/variables` does: a turn, with a reason in the history.
 */
import { ownProperty, type Context } from '../../../../definitions/value.ts';
import { readMultipart, textOf } from '../multipart.ts';
import type { CompatPorts, InstanceReading } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import {
  CamundaFields,
  isStorable,
  jsonAnswer,
  noContent,
  notFound,
  readJson,
  requestInvalid,
} from './camunda-request.ts';
import type { CamundaRoute, PathParams } from './camunda-route.ts';
import { requireLive } from './engine-instances.ts';
import { fileOf, isNote, noteOf, readVariables, writeVariableOf, writeVariables } from './variables.ts';

const REASON = 'set by a client of Camunda 7';
/** The same under all of these names. */
const PLACES = [
  'process-instance/{id}/variables',
  'execution/{id}/localVariables',
  'execution/{id}/variables',
];

export function variableRoutes(ports: CompatPorts): readonly CamundaRoute[] {
  return PLACES.flatMap((path): CamundaRoute[] => [
    { method: 'GET', path, handle: (request, params) => getAll(ports, request, params) },
    { method: 'POST', path, handle: (request, params) => modify(ports, request, params) },
    { method: 'GET', path: `${path}/{name}`, handle: (request, params) => getOne(ports, request, params) },
    { method: 'PUT', path: `${path}/{name}`, handle: (request, params) => putOne(ports, request, params) },
    { method: 'DELETE', path: `${path}/{name}`, handle: (_request, params) => deleteOne(ports, params) },
    { method: 'GET', path: `${path}/{name}/data`, handle: (_request, params) => getData(ports, params) },
    {
      method: 'POST',
      path: `${path}/{name}/data`,
      handle: (request, params) => postData(ports, request, params),
    },
  ]);
}

async function getAll(
  ports: CompatPorts,
  request: SurfaceRequest,
  { id = '' }: PathParams,
): Promise<SurfaceAnswer> {
  CamundaFields.ofQuery(request.query, ['deserializeValues']);
  const variables = ofProcess(await requireLive(ports, id, 'Execution'));
  return jsonAnswer(ports.writeJson, writeVariables(variables));
}

async function getOne(
  ports: CompatPorts,
  request: SurfaceRequest,
  params: PathParams,
): Promise<SurfaceAnswer> {
  CamundaFields.ofQuery(request.query, ['deserializeValue']);
  const { name, variables } = await requireVariable(ports, params);
  return jsonAnswer(ports.writeJson, writeVariableOf(variables, name));
}

async function getData(ports: CompatPorts, params: PathParams): Promise<SurfaceAnswer> {
  const { name, variables } = await requireVariable(ports, params);
  const file = fileOf(ownProperty(variables, name));
  if (file === null) throw requestInvalid(name, 'is neither a file nor bytes: its value is in its JSON');
  const { bytes, mimetype, encoding, filename } = file;
  const type = `${mimetype ?? 'application/octet-stream'}${encoding === null ? '' : `; charset=${encoding}`}`;
  return {
    status: 200,
    content: { type: headerText(type) ?? 'application/octet-stream', bytes },
    headers: filename === null ? {} : { 'content-disposition': dispositionOf(filename) },
  };
}

/** Null: it cannot be a header's value. */
function headerText(text: string): string | null {
  return /^[\x20-\x7e]+$/.test(text) ? text : null;
}

function dispositionOf(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const escaped = encodeURIComponent(filename).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${escaped}`;
}

async function putOne(
  ports: CompatPorts,
  request: SurfaceRequest,
  { id = '', name = '' }: PathParams,
): Promise<SurfaceAnswer> {
  const { summary } = await requireLive(ports, id, 'Execution');
  const typed = (await readJson(request)) ?? {};
  return write(ports, summary.id, readVariables({ [checkName(name)]: typed }, 'the body'));
}

/** As long as Camunda's column is. */
const MAX_NAME_CHARACTERS = 255;

/** @throws EngineError SUTRA.COMPAT.REQUEST_INVALID */
function checkName(name: string): string {
  if (name !== '' && name.length <= MAX_NAME_CHARACTERS && isStorable(name) && !isNote(name)) return name;
  const rule = `1 to ${String(MAX_NAME_CHARACTERS)} characters without NUL, and no note of a type`;
  throw requestInvalid(JSON.stringify(name.slice(0, 100)), `is no name of a variable: ${rule}`);
}

/** A deleted variable is null from then on, which is all that an expression can tell. */
async function deleteOne(ports: CompatPorts, { id = '', name = '' }: PathParams): Promise<SurfaceAnswer> {
  const { summary } = await requireLive(ports, id, 'Execution');
  return write(ports, summary.id, deleted(name));
}

function deleted(name: string): Context {
  checkName(name);
  return { [name]: null, [noteOf(name)]: null };
}

const MODIFY = ['modifications', 'deletions', 'workerId'];

async function modify(
  ports: CompatPorts,
  request: SurfaceRequest,
  { id = '' }: PathParams,
): Promise<SurfaceAnswer> {
  const { summary } = await requireLive(ports, id, 'Execution');
  const fields = new CamundaFields((await readJson(request)) ?? {}, MODIFY);
  const gone = (fields.texts('deletions') ?? []).flatMap((name) => Object.entries(deleted(name)));
  const modified = readVariables(fields.raw('modifications') ?? {}, 'modifications');
  return write(ports, summary.id, { ...Object.fromEntries(gone), ...modified });
}

/** A file or bytes as a form's part `data`, with its type in the part `valueType`. */
async function postData(
  ports: CompatPorts,
  request: SurfaceRequest,
  { id = '', name = '' }: PathParams,
): Promise<SurfaceAnswer> {
  const { summary } = await requireLive(ports, id, 'Execution');
  const parts = readMultipart(request.headers['content-type'], await request.readBody());
  const data = parts.find((part) => part.name === 'data');
  const valueType = parts.find((part) => part.name === 'valueType');
  if (data === undefined || parts.length > (valueType === undefined ? 1 : 2)) {
    throw requestInvalid('data', 'is one part, with valueType as the only other one');
  }
  const type = valueType === undefined ? 'Bytes' : textOf(valueType).trim();
  const value = Buffer.from(data.content).toString('base64');
  const valueInfo = { filename: data.fileName ?? name, mimetype: mediaTypeOf(data.contentType) };
  const typed = /^file$/i.test(type) ? { type, value, valueInfo } : { type, value };
  if (!/^(?:file|bytes)$/i.test(type)) throw requestInvalid('valueType', 'must be File or Bytes');
  return write(ports, summary.id, readVariables({ [checkName(name)]: typed }, 'data'));
}

function mediaTypeOf(contentType: string | null): string {
  return contentType?.split(';')[0]?.trim() ?? 'application/octet-stream';
}

async function write(ports: CompatPorts, instanceId: string, variables: Context): Promise<SurfaceAnswer> {
  if (Object.keys(variables).length > 0) await ports.setVariables(instanceId, null, variables, REASON);
  return noContent;
}

interface FoundVariable {
  readonly name: string;
  /** What it is among. */
  readonly variables: Context;
}

/** @throws EngineError SUTRA.COMPAT.NOT_FOUND */
async function requireVariable(
  ports: CompatPorts,
  { id = '', name = '' }: PathParams,
): Promise<FoundVariable> {
  const reading = await requireLive(ports, id, 'Execution');
  const own = ofProcess(reading);
  if (isNote(name)) throw variableNotFound(name);
  if (Object.hasOwn(own, name)) return { name, variables: own };
  // The latest scope that has it: that of an activity which is at work.
  const holder = reading.scopes.findLast(
    ({ variables }) => variables !== null && Object.hasOwn(variables, name),
  );
  if (holder?.variables === undefined || holder.variables === null) throw variableNotFound(name);
  return { name, variables: holder.variables };
}

function variableNotFound(name: string): Error {
  return notFound(`execution variable with name ${name.slice(0, 200)} does not exist`);
}

/** @throws EngineError SUTRA.COMPAT.NOT_FOUND when they are withheld */
export function ofProcess({ variables, summary }: InstanceReading): Context {
  if (variables !== null) return variables;
  throw notFound(`the variables of ${summary.id} are withheld: its model cannot be read here`);
}
