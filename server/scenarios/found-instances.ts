/** What the engine knows of the instances that a scenario has started, read as an operator reads it. */
import type { Context } from '../../definitions/value.ts';
import type { ExpectedStatus } from '../../definitions/scenarios/scenario.ts';
import { decodePart, decodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Snapshot } from '../../engine/core/snapshot.ts';
import type { Database } from '../../engine/store/database.ts';
import {
  listInstanceParts,
  listInstances,
  readHistory,
  readInstance,
  type HistoryTurnRow,
} from '../../engine/store/operate-instances.ts';
import { entriesOf } from '../timeline.ts';

export interface FoundInstance {
  readonly id: string;
  readonly processId: string;
  readonly status: ExpectedStatus;
  readonly failure: {
    readonly code: string;
    readonly message: string;
    readonly elementId: string | null;
  } | null;
  /** Of the process itself, or as they were when it ended. */
  readonly variables: Context;
  /** Elements that hold a token, each once. */
  readonly waitingAt: readonly string[];
  /** Elements in the order in which they were reached. */
  readonly path: readonly string[];
}

/** As many as a scenario looks at. */
export const MAX_INSTANCES = 200;
const MAX_TURNS = 100_000;
const MAX_PARTS = 10_000;

const noFilter = {
  ...{ status: null, processId: null, deploymentId: null, tenant: null, module: null },
  ...{ createdAfter: null, createdBefore: null, alias: null },
  ...{ failureCode: null, failureElement: null },
};

/** In the order in which they were started. */
export async function findInstances(database: Database): Promise<readonly FoundInstance[]> {
  const { rows } = await listInstances(database, noFilter, { limit: MAX_INSTANCES, cursor: null });
  const found: FoundInstance[] = [];
  for (const { id } of [...rows].reverse()) {
    const instance = await findInstance(database, id);
    if (instance !== null) found.push(instance);
  }
  return found;
}

async function findInstance(database: Database, id: string): Promise<FoundInstance | null> {
  const row = await readInstance(database, id);
  if (row === null) return null;
  const snapshot = await readSnapshot(database, row);
  const { failureCode, failureMessage, failureElement } = row;
  const tokens = [...snapshot.tokens, ...(snapshot.parts ?? []).flatMap((part) => part.tokens)];
  return {
    id,
    processId: row.processId,
    status: row.status,
    failure:
      failureCode === null
        ? null
        : { code: failureCode, message: failureMessage ?? '', elementId: failureElement },
    variables: snapshot.scopes.find(({ parentId }) => parentId === null)?.variables ?? {},
    waitingAt: row.status === 'running' ? [...new Set(tokens.map(({ elementId }) => elementId))] : [],
    path: pathOf(await readHistory(database, id, 0, MAX_TURNS)),
  };
}

interface StoredInstance {
  readonly id: string;
  readonly snapshot: string;
  readonly largeValues: Readonly<Record<string, string>>;
}

async function readSnapshot(database: Database, row: StoredInstance): Promise<Snapshot> {
  const snapshot = decodeSnapshot(row.snapshot, new Map(Object.entries(row.largeValues)));
  const parts = await listInstanceParts(database, row.id, 0, MAX_PARTS);
  return parts.length === 0 ? snapshot : { ...snapshot, parts: parts.map(({ data }) => decodePart(data)) };
}

/** Where the user task is that a person could complete now, or null. */
export async function findUserTask(
  database: Database,
  elementId: string,
): Promise<{ readonly instanceId: string; readonly tokenId: number } | null> {
  const { rows } = await listInstances(
    database,
    { ...noFilter, status: 'running' },
    { limit: MAX_INSTANCES, cursor: null },
  );
  for (const { id } of [...rows].reverse()) {
    const row = await readInstance(database, id);
    if (row === null) continue;
    const snapshot = await readSnapshot(database, row);
    const waits = [...snapshot.waits, ...(snapshot.parts ?? []).flatMap((part) => part.waits)];
    const wait = waits.find((each) => each.kind === 'user-task' && each.elementId === elementId);
    if (wait !== undefined && wait.tokenId !== null) return { instanceId: id, tokenId: wait.tokenId };
  }
  return null;
}

/** An element is reached when it is entered; what splits a path, when a flow out of it is taken. */
const REACHING: ReadonlySet<string> = new Set(['entered', 'flowTaken']);

function pathOf(turns: readonly HistoryTurnRow[]): readonly string[] {
  const reached = turns
    .flatMap(entriesOf)
    .flatMap(({ event, elementId }) =>
      REACHING.has(event) && elementId !== null ? [{ event, elementId }] : [],
    );
  // A node that sends tokens over several flows is reached once.
  return reached
    .filter(
      ({ event, elementId }, index) => event === 'entered' || reached[index - 1]?.elementId !== elementId,
    )
    .map(({ elementId }) => elementId);
}
