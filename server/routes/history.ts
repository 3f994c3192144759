/** What happened to an instance, forwards or backwards, also when the instance itself has gone. */
import {
  readHistory,
  readHistoryBack,
  readInstance,
  readInstanceIncidents,
  type HistoryTurnRow,
} from '../../engine/store/operate-instances.ts';
import type { Database } from '../../engine/store/database.ts';
import { decodeCursor, encodeCursor } from '../../engine/store/operate-list.ts';
import { readInstanceTasks } from '../../engine/store/operate-tasks.ts';
import { jsonAnswer } from '../exchange.ts';
import { instanceNotFound, requireInstanceId } from '../instance-ids.ts';
import type { ServerDeps } from '../operations.ts';
import { pagingParameters } from '../query-parameters.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';
import { timelineOf } from '../timeline.ts';

const ORDERS = ['oldest', 'newest'] as const;

export function historyRoute({ database }: Pick<ServerDeps, 'database'>): Route {
  return defineRoute({
    method: 'GET',
    path: '/sutra/instances/{id}/history',
    operationId: 'getInstanceHistory',
    tag: 'instances',
    summary: 'What happened to the instance, in time order. A page holds whole turns.',
    query: {
      order: { kind: 'choice', values: ORDERS, description: 'Which comes first. Default: `oldest`.' },
      ...pagingParameters,
      limit: { ...pagingParameters.limit, initial: 200 },
    },
    answers: { 200: jsonDoc('A page of the timeline.', schemaRef('History')) },
    codes: ['SUTRA.INSTANCE.NOT_FOUND', 'SUTRA.OPERATE.ID_INVALID', 'SUTRA.OPERATE.CURSOR_INVALID'],
    handle: async ({ params }, { order, limit, cursor }) => {
      const isBack = order === 'newest';
      const list = isBack ? 'history_newest' : 'history';
      const from = cursor === null ? null : positionOf(list, cursor);
      const id = requireInstanceId(params['id'] ?? '');
      const { turns, hasMore } = await readTurns(database, id, { isBack, from, limit });
      if (turns.length === 0 && (await readInstance(database, id)) === null) throw instanceNotFound(id);
      const last = hasMore ? turns.at(-1) : undefined;
      const end = last?.at.getTime() ?? (isBack ? -Infinity : Infinity);
      const begin = from?.atMs ?? (isBack ? Infinity : -Infinity);
      const [openTasks, incidents] = await Promise.all([
        readInstanceTasks(database, id),
        readInstanceIncidents(database, id),
      ]);
      const entries = timelineOf({
        turns: isBack ? turns.toReversed() : turns,
        openTasks,
        incidents,
        after: isBack ? end : begin,
        until: isBack ? begin : end,
      });
      return jsonAnswer(200, {
        instanceId: id,
        entries: isBack ? entries.toReversed() : entries,
        nextCursor: last === undefined ? null : encodeCursor(list, [String(last.turn), String(end)]),
      });
    },
  });
}

/** The last turn of the page before, and when it was. */
interface Position {
  readonly turn: number;
  readonly atMs: number;
}

/** A turn's number fits an `integer` column. */
const TURN_PART = /^\d{1,9}$/;
const AT_PART = /^\d{1,15}$/;
const AFTER_ALL_TURNS = 2_147_483_647;

function positionOf(list: string, cursor: string): Position {
  const [turn, at] = decodeCursor(list, cursor, [TURN_PART, AT_PART]);
  return { turn: Number(turn), atMs: Number(at) };
}

async function readTurns(
  database: Database,
  id: string,
  page: { readonly isBack: boolean; readonly from: Position | null; readonly limit: number },
): Promise<{ readonly turns: readonly HistoryTurnRow[]; readonly hasMore: boolean }> {
  const { isBack, from, limit } = page;
  const found = isBack
    ? await readHistoryBack(database, id, from?.turn ?? AFTER_ALL_TURNS, limit + 1)
    : await readHistory(database, id, from?.turn ?? 0, limit + 1);
  return { turns: found.slice(0, limit), hasMore: found.length > limit };
}
