/**
 * `POST external-task/fetchAndLock`: the fetch of the pull surface with Camunda's fields around it.
 *
 * F1 A poll without `asyncResponseTimeout` is answered at once; every other ends by that time.
 * F2 A lock whose task does not reach the client is given back.
 */
import { formatDuration } from '../../../../config/iso8601.ts';
import { parseExactJson } from '../../../../definitions/exact-json.ts';
import { isContext, type Context, type Value } from '../../../../definitions/value.ts';
import { businessKeysOf } from '../../../../engine/store/compat-instances.ts';
import { readTaskErrors, type TaskErrors } from '../../../../engine/store/compat-tasks.ts';
import type { LockedTask } from '../../claim-plan.ts';
import { bodyFormOf } from '../../media-type.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { jsonAnswer, readJson } from './camunda-request.ts';
import { findBarren, isMatch } from './task-filters.ts';
import { readFetchWish, type FetchWish } from './task-fetch-request.ts';
import { taskView } from './task-view.ts';
import { writeVariables } from './variables.ts';

/** A channel that no package can declare: names do not begin with white space. */
const NO_CHANNEL = ' nothing';

/** @throws EngineError SUTRA.COMPAT.REQUEST_INVALID, or as the fetch of the pull surface. */
export async function fetchAndLock(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  const { pull, settings, writeJson } = ports;
  const wish = readFetchWish(await readJson(request), settings.externalTask);
  const barren = await findBarren(
    ports,
    wish.topics.flatMap(({ topicName, fields, filter }) =>
      filter === null ? [] : [{ topicName, fields, filter }],
    ),
  );
  const channels = wish.topics
    .filter(({ topicName }) => !barren.has(topicName))
    .map(({ topicName, lockDurationMs }) => ({
      name: topicName,
      lockDuration: formatDuration(lockDurationMs),
    }));
  const { tasks, undelivered } = await pull.fetchAndLock(
    {
      workerId: wish.workerId,
      channels: channels.length === 0 ? [NO_CHANNEL] : channels,
      maxTasks: wish.maxTasks,
      asyncResponseTimeout: formatDuration(wish.waitMs),
    },
    request.disconnected,
  );
  try {
    const wanted = await unlockOthers(ports, wish, tasks);
    return { ...jsonAnswer(writeJson, await lockedViews(ports, wish, wanted)), undelivered };
  } catch (error) {
    await undelivered();
    throw error;
  }
}

/** Without those that match no filter: their definition became live while the poll waited. */
async function unlockOthers(
  { pull }: CompatPorts,
  { workerId, topics }: FetchWish,
  tasks: readonly LockedTask[],
): Promise<readonly LockedTask[]> {
  const filters = new Map(topics.map(({ topicName, filter }) => [topicName, filter]));
  const others = tasks.filter((task) => !isMatch(filters.get(task.channel) ?? null, task));
  if (others.length === 0) return tasks;
  await Promise.all(others.map(({ id, lockToken }) => pull.unlock(id, { workerId, lockToken })));
  return tasks.filter((task) => !others.includes(task));
}

async function lockedViews(
  { database }: CompatPorts,
  { workerId, topics }: FetchWish,
  tasks: readonly LockedTask[],
): Promise<readonly unknown[]> {
  if (tasks.length === 0) return [];
  const repeated = tasks.filter(({ generation }) => generation > 1).map(({ id }) => id);
  const [keys, errors] = await Promise.all([
    businessKeysOf(database, [...new Set(tasks.map(({ instanceId }) => instanceId))]),
    repeated.length === 0
      ? Promise.resolve(new Map<string, TaskErrors>())
      : readTaskErrors(database, repeated),
  ]);
  const wanted = new Map(topics.map(({ topicName, variables }) => [topicName, variables]));
  return tasks.map((task) => {
    const { lastError = null, lastErrorDetails = null } = errors.get(task.id) ?? {};
    const locked = { workerId, lockExpirationTime: task.lockExpiresAt, isHeld: false, lastError };
    return {
      ...taskView({ ...task, ...locked, businessKey: keys.get(task.instanceId) ?? null }),
      errorDetails: lastErrorDetails,
      variables: writeVariables(variablesOf(task), wanted.get(task.channel) ?? null),
      extensionProperties: {},
    };
  });
}

/** A body that is no JSON object has no variables. */
function variablesOf({ contentType, body }: Pick<LockedTask, 'contentType' | 'body'>): Context {
  if (bodyFormOf(contentType) !== 'json') return {};
  const parsed = parseExactJson(body);
  const value = parsed.ok ? (parsed.value as Value) : null;
  return isContext(value) ? value : {};
}
