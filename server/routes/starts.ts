/**
 * What starts or wakes instances without a channel: a process by its id, a signal, variables that make conditions
 * true. Like the other routes below /sutra they have no authentication of their own.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { Context, Value } from '../../definitions/value.ts';
import { idempotencyKeyOf } from '../../engine/intake/dedup.ts';
import { jsonAnswer } from '../exchange.ts';
import { FieldReader } from '../json-body.ts';
import type { ServerDeps } from '../operations.ts';
import { defineRoute, jsonDoc, schemaRef, type Route, type RouteRequest } from '../route.ts';

type StartDeps = Pick<ServerDeps, 'starts'>;

const MAX_NAME_CHARACTERS = 255;
/** The variable that takes the business key. */
const BUSINESS_KEY = 'businessKey';

const tenantParameter = {
  tenant: { kind: 'text', description: 'Whose packages; needed when those of several tenants are deployed.' },
} as const;

const TURN_CODES = [
  'SUTRA.INBOUND.DEDUP_KEY_INVALID',
  'SUTRA.INTAKE.INSTANCE_BUSY',
  'SUTRA.INTAKE.CAPACITY',
  'SUTRA.INTAKE.STOPPING',
  'SUTRA.INTAKE.TURN_FAILED',
] as const;

export function startRoutes(deps: StartDeps): readonly Route[] {
  return [startProcessRoute(deps), throwSignalRoute(deps), conditionsRoute(deps)];
}

function startProcessRoute({ starts }: StartDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/sutra/processes/{processId}/start',
    operationId: 'startProcess',
    tag: 'starts',
    summary: 'Starts an instance of an active process by its id, at its start event without a trigger.',
    query: {
      ...tenantParameter,
      module: { kind: 'text', description: 'Whose process, when several modules have one of that id.' },
    },
    body: { isRequired: false, content: { 'application/json': schemaRef('StartProcessRequest') } },
    answers: {
      200: jsonDoc('The idempotency key was used before; nothing was started.', schemaRef('StartAnswer')),
      201: jsonDoc('Started.', schemaRef('StartAnswer')),
    },
    codes: [
      'SUTRA.PROCESS.NOT_FOUND',
      'SUTRA.PROCESS.AMBIGUOUS',
      'SUTRA.PROCESS.NO_START',
      'SUTRA.INBOUND.ALIAS_TAKEN',
      'SUTRA.CORE.EXPRESSION_FAILED',
      'SUTRA.CORE.ALIAS_VALUE_INVALID',
      ...TURN_CODES,
    ],
    handle: async (request, { tenant, module }) => {
      const wish = { processId: request.params['processId'] ?? '', tenant, module };
      const variables = startVariables(await request.readOptionalJson());
      const { instanceId, isDuplicate } = await starts.startProcess(wish, variables, keyOf(request));
      return jsonAnswer(isDuplicate ? 200 : 201, { instanceId, duplicate: isDuplicate });
    },
  });
}

function startVariables(body: unknown): Context {
  if (body === undefined) return {};
  const fields = new FieldReader(body, ['variables', BUSINESS_KEY]);
  const variables = variablesOf(fields);
  const businessKey = fields.optionalText(BUSINESS_KEY, MAX_NAME_CHARACTERS);
  if (businessKey === null) return variables;
  if (Object.hasOwn(variables, BUSINESS_KEY)) {
    throw fields.refuse(BUSINESS_KEY, 'is among the variables too: give it once');
  }
  return { ...variables, [BUSINESS_KEY]: businessKey };
}

/** What an exact JSON reader accepts is a context of plain values. */
function variablesOf(fields: FieldReader): Context {
  return fields.has('variables') ? (fields.object('variables') as Context) : {};
}

function throwSignalRoute({ starts }: StartDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/sutra/signals/{name}',
    operationId: 'throwSignal',
    tag: 'starts',
    summary:
      'Throws a signal to every instance that waits for it now, and to its start events. The body is its payload.',
    query: tenantParameter,
    body: { isRequired: false, content: { 'application/json': schemaRef('SignalPayload') } },
    answers: { 202: jsonDoc('It is on its way to so many.', schemaRef('SignalAnswer')) },
    codes: ['SUTRA.TENANT.AMBIGUOUS', 'SUTRA.OPERATE.ID_INVALID', 'SUTRA.INBOUND.DEDUP_KEY_INVALID'],
    handle: async (request, { tenant }) => {
      const name = requireSignalName(request.params['name'] ?? '');
      const payload = ((await request.readOptionalJson()) ?? null) as Value;
      const { isDuplicate, ...reach } = await starts.throwSignal(tenant, name, payload, keyOf(request));
      return jsonAnswer(202, { ...reach, duplicate: isDuplicate });
    },
  });
}

function conditionsRoute({ starts }: StartDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/sutra/conditions',
    operationId: 'evaluateConditions',
    tag: 'starts',
    summary: 'Starts an instance at each conditional start event whose condition holds over these variables.',
    query: tenantParameter,
    body: { isRequired: true, content: { 'application/json': schemaRef('ConditionsRequest') } },
    answers: { 200: jsonDoc('What was started; all in one commit.', schemaRef('ConditionsAnswer')) },
    codes: ['SUTRA.TENANT.AMBIGUOUS', ...TURN_CODES],
    handle: async (request, { tenant }) => {
      const variables = new FieldReader(await request.readJson(), ['variables']).object('variables');
      const { isDuplicate, ...found } = await starts.startByConditions(
        tenant,
        variables as Context,
        keyOf(request),
      );
      return jsonAnswer(200, { ...found, duplicate: isDuplicate });
    },
  });
}

/** @throws EngineError SUTRA.INBOUND.DEDUP_KEY_INVALID */
function keyOf({ headers }: RouteRequest): string | null {
  const header = headers['idempotency-key'];
  return idempotencyKeyOf(typeof header === 'string' ? header : undefined);
}

/** PostgreSQL has no text with a NUL, and no model a name with one. */
function requireSignalName(name: string): string {
  if (name !== '' && name.length <= MAX_NAME_CHARACTERS && !name.includes('\u0000')) return name;
  throw new EngineError(
    'SUTRA.OPERATE.ID_INVALID',
    `${JSON.stringify(name.slice(0, 100))} is not a signal's name: 1 to ${String(MAX_NAME_CHARACTERS)} characters, none of them U+0000`,
  );
}
