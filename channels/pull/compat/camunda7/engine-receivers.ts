/** Who may take a message: the waits of live instances, and message start events. */
import { messageTriggersOf, startPointsOf } from '../../../../definitions/model.ts';
import type { PackageModel } from '../../../../definitions/package-model.ts';
import type { Context } from '../../../../definitions/value.ts';
import {
  anyLiveInstance,
  listInvolvedInstances,
  listLiveInstances,
} from '../../../../engine/store/compat-instances.ts';
import { listLiveDeployments, type LiveDeploymentRow } from '../../../../engine/store/deployments.ts';
import type { CompatPorts, InstanceReading } from '../ports.ts';
import { MAX_COMPARED, tooWide } from './engine-instances.ts';
import { equalToAll } from './variable-conditions.ts';
import { isNote } from './variables.ts';

export interface Correlation {
  readonly messageName: string;
  readonly channel: string;
  readonly businessKey: string | null;
  readonly processInstanceId: string | null;
  /** Null: any. */
  readonly tenant: string | null;
  readonly keys: Context;
  readonly variables: Context;
  readonly isForAll: boolean;
  readonly idempotencyKey: string | null;
}

export interface LiveModel {
  readonly row: LiveDeploymentRow;
  readonly model: PackageModel;
}

export interface FoundWait {
  readonly instanceId: string;
  readonly tenant: string;
  /** Of the process that waits, which may be a called one. */
  readonly module: string;
}

/** The live deployments that have the message's channel. */
export async function modelsOf(
  ports: CompatPorts,
  { tenant, channel }: Correlation,
): Promise<readonly LiveModel[]> {
  const models: LiveModel[] = [];
  for (const row of await listLiveDeployments(ports.database)) {
    if (tenant !== null && row.tenant !== tenant) continue;
    const model = await ports.model(row.id);
    if (model?.channels.has(channel) === true) models.push({ row, model });
  }
  return models;
}

/** Whether the message starts a process of it. */
export function startsOn({ row, model }: LiveModel, channel: string): boolean {
  return (
    row.state === 'active' &&
    [...model.processes.values()].some((process) =>
      startPointsOf(process).some(
        ({ event }) => event.kind === 'message' && event.source.channel === channel,
      ),
    )
  );
}

/** A start event of the process itself waits for nobody. */
function waitsOn({ model }: LiveModel, channel: string): boolean {
  return [...model.processes.values()].some((process) =>
    [...process.nodes.values()].some(
      (node) =>
        !(node.kind === 'startEvent' && node.parentId === process.id) &&
        messageTriggersOf(node).some(({ source }) => source.channel === channel),
    ),
  );
}

/** One entry for each wait that fits. @throws EngineError SUTRA.COMPAT.SEARCH_TOO_WIDE */
export async function findWaits(
  ports: CompatPorts,
  models: readonly LiveModel[],
  { channel, processInstanceId, businessKey, tenant, keys }: Correlation,
): Promise<readonly FoundWait[]> {
  const waiting = models.filter((live) => waitsOn(live, channel));
  if (waiting.length === 0 || (processInstanceId !== null && !isUuid(processInstanceId))) return [];
  const ids = await candidatesOf(
    ports,
    waiting.map(({ row }) => row.id),
    { processInstanceId, businessKey, tenant },
  );
  const readings = await ports.instances(ids);
  const moduleOf = new Map(waiting.map(({ row }) => [row.id, row.module]));
  return readings.flatMap((reading) => waitsOf(reading, { channel, keys, moduleOf }));
}

/** Who may wait. @throws EngineError SUTRA.COMPAT.SEARCH_TOO_WIDE */
async function candidatesOf(
  { database }: CompatPorts,
  deploymentIds: readonly string[],
  {
    processInstanceId,
    businessKey,
    tenant,
  }: Pick<Correlation, 'processInstanceId' | 'businessKey' | 'tenant'>,
): Promise<readonly string[]> {
  const limit = MAX_COMPARED + 1;
  const ids =
    processInstanceId === null && businessKey === null
      ? await listInvolvedInstances(database, deploymentIds, limit)
      : (
          await listLiveInstances(
            database,
            {
              ...anyLiveInstance,
              ids: processInstanceId === null ? null : [processInstanceId],
              tenants: tenant === null ? null : [tenant],
              businessKey,
            },
            { orders: [], offset: 0, limit },
          )
        ).map(({ id }) => id);
  if (ids.length <= MAX_COMPARED) return ids;
  throw tooWide(
    `more than ${String(MAX_COMPARED)} process instances may wait for the message; send its businessKey or the processInstanceId`,
  );
}

interface WaitWish {
  readonly channel: string;
  readonly keys: Context;
  /** By deployment. */
  readonly moduleOf: ReadonlyMap<string, string>;
}

/** Of an instance whose variables are equal. */
function waitsOf(
  { summary, variables, messageWaits }: InstanceReading,
  wish: WaitWish,
): readonly FoundWait[] {
  if (summary.status !== 'running') return [];
  if (!equalToAll(withoutNotes(wish.keys)).every((condition) => condition.holds(variables ?? {}))) return [];
  return messageWaits.flatMap(({ channel, deploymentId }) => {
    const module = wish.moduleOf.get(deploymentId);
    if (channel !== wish.channel || module === undefined) return [];
    return [{ instanceId: summary.id, tenant: summary.tenant, module }];
  });
}

/** Values are equal whatever types clients have given them. */
function withoutNotes(keys: Context): Context {
  return Object.fromEntries(Object.entries(keys).filter(([name]) => !isNote(name)));
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}
