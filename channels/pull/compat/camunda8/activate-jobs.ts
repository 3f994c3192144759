/**
 * `POST /v2/jobs/activation`: a fetch-and-lock in other words.
 *
 * A1 Ceilings are those of the worker surface and are refused, never applied in silence.
 * A2 Without `tenantIds` jobs of all tenants are handed out, as by our own fetch. With them, only when no live package
 *    of another tenant has the channel: else refused, and nothing stays locked.
 */
import { formatDuration } from '../../../../config/iso8601.ts';
import { listLiveDeployments } from '../../../../engine/store/deployments.ts';
import type { LockedTask } from '../../claim-plan.ts';
import type { FetchAnswer } from '../../operations.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { jsonAnswer, type Camunda8Route } from './camunda8-route.ts';
import type { Definitions } from './definitions.ts';
import { jobJson } from './job-json.ts';
import { inTheirWords } from './native-words.ts';
import { invalidRequest, readBody, type RequestBody } from './request-body.ts';
import { tenantOf } from './tenants.ts';

const FIELDS = [
  'type',
  'worker',
  'timeout',
  'maxJobsToActivate',
  'fetchVariable',
  'requestTimeout',
  'tenantIds',
  'tenantFilter',
  'withLease',
];

/** The lock's owner when the request names none, which it need not. */
export const NAMELESS_WORKER = 'camunda8';

/** A guess: more variables, or tenants, than anyone names one by one. */
const MAX_NAMES = 1_000;

export function activateJobsRoute(ports: CompatPorts, definitions: Definitions): Camunda8Route {
  return {
    method: 'POST',
    path: 'jobs/activation',
    handle: async (request) => activateJobs({ ports, definitions }, request, await readBody(request, FIELDS)),
  };
}

async function activateJobs(
  { ports, definitions }: { readonly ports: CompatPorts; readonly definitions: Definitions },
  { disconnected }: SurfaceRequest,
  body: RequestBody,
): Promise<SurfaceAnswer> {
  const type = body.text('type');
  const worker = body.optionalText('worker')?.trim() || NAMELESS_WORKER;
  const wish = {
    workerId: worker,
    channels: [type],
    lockDuration: formatDuration(positive(body, 'timeout')),
    maxTasks: positive(body, 'maxJobsToActivate'),
    ...waitOf(body),
  };
  const wording = {
    worker,
    fetchVariables: namesOrAll(body.optionalTexts('fetchVariable', MAX_NAMES)),
    withLease: body.optionalBoolean('withLease') ?? false,
    writeJson: ports.writeJson,
  };
  const tenants = tenantsOf(body);
  if (tenants !== null) await checkTenants(ports, type, tenants);
  const fetched = await inTheirWords(() => ports.pull.fetchAndLock(wish, disconnected));
  return handedOver(fetched, async ({ tasks }) => {
    for (const { tenant } of tasks) {
      if (tenants !== null && !tenants.includes(tenant)) throw otherTenants(type);
    }
    const jobs = await Promise.all(tasks.map((task) => worded(definitions, task, wording)));
    return jsonAnswer(`{"jobs":[${jobs.join(',')}]}`);
  });
}

/** What is locked and cannot be handed over is given back. */
async function handedOver(
  fetched: FetchAnswer,
  word: (fetched: FetchAnswer) => Promise<SurfaceAnswer>,
): Promise<SurfaceAnswer> {
  try {
    return { ...(await word(fetched)), undelivered: fetched.undelivered };
  } catch (error) {
    await fetched.undelivered();
    throw error;
  }
}

async function worded(
  definitions: Definitions,
  task: LockedTask,
  wording: Omit<Parameters<typeof jobJson>[1], 'definition'>,
): Promise<string> {
  const definition = await definitions.of(task.deploymentId, task.processId);
  return jobJson(task, { ...wording, definition });
}

function positive(body: RequestBody, field: string): number {
  const value = body.integer(field);
  if (value > 0) return value;
  throw body.refusal(field, `is ${value}, but must be greater than 0`);
}

/** 0, or none: as long as the operator allows. Less: no wait. */
function waitOf(body: RequestBody): { readonly asyncResponseTimeout?: string } {
  const requestTimeoutMs = body.optionalInteger('requestTimeout') ?? 0;
  if (requestTimeoutMs === 0) return {};
  return { asyncResponseTimeout: formatDuration(Math.max(requestTimeoutMs, 0)) };
}

function namesOrAll(names: readonly string[] | null): readonly string[] | null {
  return names === null || names.length === 0 ? null : [...new Set(names)];
}

/** Null: all. */
function tenantsOf(body: RequestBody): readonly string[] | null {
  const filter = body.optionalText('tenantFilter') ?? 'PROVIDED';
  if (filter !== 'PROVIDED' && filter !== 'ASSIGNED') {
    throw body.refusal('tenantFilter', 'must be PROVIDED or ASSIGNED');
  }
  const tenantIds = body.optionalTexts('tenantIds', MAX_NAMES) ?? [];
  if (tenantIds.length === 0) return null;
  if (filter === 'ASSIGNED') throw body.refusal('tenantIds', 'exclude the tenantFilter ASSIGNED');
  return tenantIds.map((tenantId, index) => tenantOf(`tenantIds[${index}]`, tenantId));
}

async function checkTenants(ports: CompatPorts, type: string, tenants: readonly string[]): Promise<void> {
  const live = await listLiveDeployments(ports.database);
  for (const { id, tenant } of live) {
    if (tenants.includes(tenant)) continue;
    const model = await ports.model(id);
    if (model?.channels.has(type) === true) throw otherTenants(type);
  }
}

function otherTenants(type: string): Error {
  return invalidRequest(
    'tenantIds',
    `tenantIds: jobs of type ${type} are also of tenants that are not named, and this server cannot fetch by tenant; name all of them or none, or give each tenant's jobs a type of their own.`,
  );
}
