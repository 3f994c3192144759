/**
 * What a poll of a Camunda client asks for.
 *
 * Q1 What cannot be kept exactly is refused: an order or a filter (task-filters.ts) that is passed over would hand a worker
 *    tasks that are not for it. What says nothing (`null`, `false`, `[]`, `{}`) is how clients leave it out, and is taken.
 * Q2 Over a ceiling is refused, in the client's own field and milliseconds; nothing is lowered.
 */
import type { Settings } from '../../../../config/settings.ts';
import { CamundaFields, requestInvalid } from './camunda-request.ts';
import { readTopicFilter, TOPIC_FILTERS, type TopicFilter } from './task-filters.ts';
import { requiredInteger, requiredText } from './task-request.ts';

export interface TopicWish {
  readonly topicName: string;
  readonly lockDurationMs: number;
  /** Null: all of them. */
  readonly variables: ReadonlySet<string> | null;
  /** Null: any task of the topic. */
  readonly filter: TopicFilter | null;
  /** What it was read from: for refusals that name its place. */
  readonly fields: CamundaFields;
}

export interface FetchWish {
  readonly workerId: string;
  readonly maxTasks: number;
  /** 0: no long poll. */
  readonly waitMs: number;
  readonly topics: readonly TopicWish[];
}

const MAX_TOPICS = 100;
const FIELDS = ['workerId', 'maxTasks', 'usePriority', 'sorting', 'asyncResponseTimeout', 'topics'] as const;

/** Whatever is asked, the answer is the same: there are no local variables, extension properties or Java objects here. */
const ANY_VALUE = ['localVariables', 'includeExtensionProperties', 'deserializeValues'] as const;
const TOPIC_FIELDS = ['topicName', 'lockDuration', 'variables', ...ANY_VALUE, ...TOPIC_FILTERS] as const;

/** @throws EngineError SUTRA.COMPAT.REQUEST_INVALID */
export function readFetchWish(body: unknown, settings: Settings['externalTask']): FetchWish {
  const fields = new CamundaFields(body, FIELDS);
  checkOrder(fields);
  const topics = fields.raw('topics');
  if (!Array.isArray(topics) || topics.length === 0 || topics.length > MAX_TOPICS) {
    throw requestInvalid('topics', `must be an array of 1 to ${String(MAX_TOPICS)} topics`);
  }
  const wishes = topics.map((topic: unknown, index) => readTopic(topic, index, settings));
  const names = new Set<string>();
  for (const { topicName } of wishes) {
    if (names.has(topicName)) throw requestInvalid('topics', `has ${topicName} twice`);
    names.add(topicName);
  }
  return {
    workerId: requiredText(fields, 'workerId').trim(),
    maxTasks: requiredInteger(fields, 'maxTasks', {
      min: 1,
      max: settings.maxTasks,
      maxKey: 'sutra.external-task.max-tasks',
    }),
    waitMs: fields.has('asyncResponseTimeout')
      ? requiredInteger(fields, 'asyncResponseTimeout', {
          min: 0,
          max: settings.maxAsyncResponseTimeoutMs,
          maxKey: 'sutra.external-task.max-async-response-timeout',
        })
      : 0,
    topics: wishes,
  };
}

function readTopic(topic: unknown, index: number, settings: Settings['externalTask']): TopicWish {
  const fields = new CamundaFields(topic, TOPIC_FIELDS, `topics[${String(index)}].`);
  for (const name of ANY_VALUE) fields.flag(name);
  const variables = fields.texts('variables');
  return {
    topicName: requiredText(fields, 'topicName'),
    lockDurationMs: requiredInteger(fields, 'lockDuration', {
      min: 1,
      max: settings.maxLockDurationMs,
      maxKey: 'sutra.external-task.max-lock-duration',
    }),
    variables: variables === null ? null : new Set(variables),
    filter: readTopicFilter(fields),
    fields,
  };
}

/** Tasks come by priority, and the oldest first among those of one priority. */
function checkOrder(fields: CamundaFields): void {
  const usesPriority = fields.flag('usePriority') === true;
  const sorting = fields.raw('sorting') ?? [];
  if (!Array.isArray(sorting) || sorting.length > 1)
    throw fields.refuse('sorting', 'must be an array of at most one order');
  if (sorting.length === 0) return;
  const order = new CamundaFields(sorting[0], ['sortBy', 'sortOrder'], 'sorting[0].');
  if (order.text('sortBy') !== 'createTime') throw order.refuse('sortBy', 'must be createTime');
  const isAscending = ['asc', null].includes(order.text('sortOrder'));
  if (isAscending && usesPriority) return;
  throw fields.refuse(
    'sorting',
    'is supported as createTime asc together with usePriority: tasks come by priority, then the oldest first',
  );
}
