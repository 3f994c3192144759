/**
 * `message`: correlation by rules that are not those of our channels. A message of that name waits, or starts, on the
 * channel of the name (spaces are `-`), whatever module it is in.
 *
 * M1 First the waits of live instances, narrowed by the instance's id, its business key, and variables that are equal;
 *    only when none fits, message start events.
 * M2 Without `all`, exactly one must fit. Two that wait in one instance are two.
 * M3 What was found is addressed by its id: if it has moved on since, the message is refused, and nothing else gets it.
 */
import { EngineError } from '../../../../config/engine-error.ts';
import { quoteText } from '../../../../config/quote-text.ts';
import type { Context } from '../../../../definitions/value.ts';
import type { InboundDelivery, InboundOutcome } from '../../../../engine/transport.ts';
import type { CompatCode } from '../codes.ts';
import { idempotencyHeaderOf } from '../idempotency-header.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { businessKeyOf, withBusinessKey } from './business-key.ts';
import { CamundaFields, jsonAnswer, noContent, readJson, requestInvalid } from './camunda-request.ts';
import type { CamundaRoute } from './camunda-route.ts';
import { NO_TENANT, tenantIdOf } from './engine-ids.ts';
import { instanceViews } from './engine-instances.ts';
import {
  findWaits,
  modelsOf,
  startsOn,
  type Correlation,
  type FoundWait,
  type LiveModel,
} from './engine-receivers.ts';
import { readVariables, writeVariables } from './variables.ts';

const FIELDS = [
  ...['messageName', 'businessKey', 'tenantId', 'withoutTenantId', 'processInstanceId', 'correlationKeys'],
  ...[
    'localCorrelationKeys',
    'processVariables',
    'processVariablesLocal',
    'processVariablesToTriggeredScope',
  ],
  ...['all', 'resultEnabled', 'variablesInResultEnabled'],
];

type Result = {
  readonly kind: 'Execution' | 'ProcessDefinition';
  readonly instanceId: string;
  readonly tenant: string;
};

export function messageRoutes(ports: CompatPorts): readonly CamundaRoute[] {
  return [{ method: 'POST', path: 'message', handle: (request) => correlate(ports, request) }];
}

async function correlate(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  const fields = new CamundaFields((await readJson(request)) ?? {}, FIELDS);
  const wanted = readCorrelation(fields, idempotencyHeaderOf(request.headers));
  const isResultWanted = fields.flag('resultEnabled') === true;
  const areVariablesWanted = fields.flag('variablesInResultEnabled') === true;
  if (areVariablesWanted && !isResultWanted) {
    throw fields.refuse('variablesInResultEnabled', 'needs resultEnabled');
  }
  const results = await deliverAll(ports, wanted);
  if (!isResultWanted) return noContent;
  const views = [];
  for (const result of results) views.push(await resultView(ports, result, areVariablesWanted));
  return jsonAnswer(ports.writeJson, views);
}

function readCorrelation(fields: CamundaFields, idempotencyKey: string | null): Correlation {
  const messageName = fields.text('messageName');
  if (messageName === null) throw requestInvalid('messageName', 'is required');
  for (const name of ['localCorrelationKeys', 'processVariablesLocal', 'processVariablesToTriggeredScope']) {
    const value = fields.raw(name) ?? {};
    if (typeof value === 'object' && Object.keys(value).length > 0) {
      throw fields.refuse(name, 'is not supported: variables of a message are those of the process');
    }
  }
  const tenantId = fields.text('tenantId');
  const isWithoutTenant = fields.flag('withoutTenantId') === true;
  if (tenantId !== null && isWithoutTenant)
    throw fields.refuse('withoutTenantId', 'cannot be given together with tenantId');
  return {
    messageName,
    channel: messageName.trim().replace(/\s+/g, '-'),
    businessKey: businessKeyOf(fields),
    processInstanceId: fields.text('processInstanceId')?.toLowerCase() ?? null,
    tenant: isWithoutTenant ? NO_TENANT : tenantId,
    keys: readVariables(fields.raw('correlationKeys') ?? {}, 'correlationKeys'),
    variables: readVariables(fields.raw('processVariables') ?? {}, 'processVariables'),
    isForAll: fields.flag('all') === true,
    idempotencyKey,
  };
}

async function deliverAll(ports: CompatPorts, wanted: Correlation): Promise<readonly Result[]> {
  const models = await modelsOf(ports, wanted);
  const waits = await findWaits(ports, models, wanted);
  const starts =
    wanted.processInstanceId !== null ? [] : models.filter((live) => startsOn(live, wanted.channel));
  if (wanted.isForAll) {
    const results: Result[] = [];
    for (const wait of waits) results.push(...(await tryTo(() => deliverToWait(ports, wait, wanted))));
    for (const live of starts) results.push(...(await tryTo(() => deliverToStart(ports, live, wanted))));
    return results;
  }
  const found = waits.length > 0 ? waits.length : starts.length;
  if (found !== 1) throw mismatch(wanted, found, waits.length > 0 ? 'executions' : 'process definitions');
  const [wait] = waits;
  const [start] = starts;
  try {
    if (wait !== undefined) return [await deliverToWait(ports, wait, wanted)];
    return start === undefined ? [] : [await deliverToStart(ports, start, wanted)];
  } catch (error) {
    throw isNotThere(error) ? mismatch(wanted, 0, 'executions', error) : error;
  }
}

async function deliverToWait(
  ports: CompatPorts,
  { instanceId, tenant, module }: FoundWait,
  { channel, variables }: Correlation,
): Promise<Result> {
  await ports.deliverTo(instanceId, deliveryOf(ports, { tenant, module, channel }, variables, null));
  return { kind: 'Execution', instanceId, tenant };
}

/** What the message is correlated by belongs to the instance that it starts. */
async function deliverToStart(
  ports: CompatPorts,
  { row: { tenant, module } }: LiveModel,
  { channel, keys, variables, businessKey, idempotencyKey }: Correlation,
): Promise<Result> {
  const all = withBusinessKey({ ...keys, ...variables }, businessKey);
  const delivery = deliveryOf(ports, { tenant, module, channel }, all, idempotencyKey);
  const { instanceId }: InboundOutcome = await ports.deliver(delivery);
  return { kind: 'ProcessDefinition', instanceId, tenant };
}

function deliveryOf(
  { writeJson }: CompatPorts,
  address: Pick<InboundDelivery, 'tenant' | 'module' | 'channel'>,
  payload: Context,
  idempotencyKey: string | null,
): InboundDelivery {
  return {
    ...address,
    headers: idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey },
    contentType: 'application/json',
    body: Buffer.from(writeJson(payload)),
  };
}

/** What is not there any more is none of all. */
async function tryTo(deliver: () => Promise<Result>): Promise<readonly Result[]> {
  try {
    return [await deliver()];
  } catch (error) {
    if (isNotThere(error)) return [];
    throw error;
  }
}

const NOT_THERE: ReadonlySet<string> = new Set([
  'SUTRA.INBOUND.NOT_CORRELATED',
  'SUTRA.INBOUND.NO_SUBSCRIBER',
  'SUTRA.INBOUND.CHANNEL_UNKNOWN',
  'SUTRA.CORE.INSTANCE_ENDED',
  'SUTRA.CORE.WAIT_GONE',
]);

function isNotThere(error: unknown): error is EngineError {
  return error instanceof EngineError && NOT_THERE.has(error.code);
}

function mismatch({ messageName }: Correlation, found: number, what: string, cause?: unknown): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.MESSAGE_MISMATCH';
  const reason =
    found === 0
      ? 'No process definition or execution matches the parameters'
      : `${String(found)} ${what} match the parameters`;
  return new EngineError(
    code,
    `Cannot correlate message ${quoteText(messageName.slice(0, 200))}: ${reason}`,
    {
      attributes: { found },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

async function resultView(
  ports: CompatPorts,
  { kind, instanceId, tenant }: Result,
  areVariablesWanted: boolean,
): Promise<Record<string, unknown>> {
  const [reading] = await ports.instances([instanceId]);
  const isEnded = reading === undefined || reading.summary.endedAt !== null;
  const [instance = null] =
    kind === 'Execution' || reading === undefined ? [] : await instanceViews(ports, [reading.summary]);
  return {
    resultType: kind,
    execution:
      kind === 'ProcessDefinition'
        ? null
        : { id: instanceId, processInstanceId: instanceId, ended: isEnded, tenantId: tenantIdOf(tenant) },
    processInstance: instance === null ? null : { ...instance, ended: isEnded },
    ...(areVariablesWanted ? { variables: writeVariables(reading?.variables ?? {}) } : {}),
  };
}
