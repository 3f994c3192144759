/** What a worker asks for when it fetches. */
import type { Settings } from '../../config/settings.ts';
import type { ChannelTerms } from '../../engine/store/external-tasks-fetch.ts';
import { simplifyTerms } from './channel-terms.ts';
import type { FetchDemand } from './fetch-desk.ts';
import { lockDurationRule } from './lock-request.ts';
import {
  checkText,
  invalidRequest,
  isObject,
  MAX_ID_LENGTH,
  RequestFields,
  wrongType,
  type IntegerRule,
} from './request-fields.ts';

const MAX_CHANNELS = 100;

/** @throws EngineError REQUEST_INVALID. */
export function readFetch(body: unknown, settings: Settings['externalTask']): FetchDemand {
  const fields = new RequestFields(body, [
    'workerId',
    'channels',
    'lockDuration',
    'maxTasks',
    'asyncResponseTimeout',
  ]);
  const workerId = fields.trimmedText('workerId', MAX_ID_LENGTH);
  const channels = readChannels(fields, settings);
  const lockDurationMs = fields.duration('lockDuration', lockDurationRule(settings));
  const maxTasks = fields.integer('maxTasks', maxTasksRule(settings)) ?? settings.maxTasks;
  const waitMs = fields.duration('asyncResponseTimeout', {
    minMs: 0,
    maxMs: settings.maxAsyncResponseTimeoutMs,
    maxKey: 'sutra.external-task.max-async-response-timeout',
  });
  return {
    workerId,
    channels: [...channels.keys()],
    waitMs: waitMs ?? settings.maxAsyncResponseTimeoutMs,
    ...simplifyTerms(channels, { maxTasks, lockDurationMs }),
  };
}

function maxTasksRule(settings: Settings['externalTask']): IntegerRule {
  return { min: 1, max: settings.maxTasks, maxKey: 'sutra.external-task.max-tasks' };
}

/**
 * By name, in the order of the request. A name that comes twice as a mere string is one channel; an entry that is an object
 * must be the only one of its name, because two may ask for different things.
 */
function readChannels(
  fields: RequestFields,
  settings: Settings['externalTask'],
): ReadonlyMap<string, ChannelTerms | null> {
  const channels = new Map<string, ChannelTerms | null>();
  for (const [index, entry] of fields.list('channels', MAX_CHANNELS, 'strings or objects').entries()) {
    const place = `channels[${index}]`;
    if (typeof entry === 'string') {
      checkText(place, entry, MAX_ID_LENGTH);
      if ((channels.get(entry) ?? null) !== null) throw namedTwice(place, entry);
      channels.set(entry, null);
      continue;
    }
    if (!isObject(entry)) throw wrongType(place, entry, 'a string or an object');
    const own = new RequestFields(entry, ['name', 'lockDuration', 'maxTasks'], place, `${place}.`);
    const name = own.text('name', MAX_ID_LENGTH);
    if (channels.has(name)) throw namedTwice(place, name);
    channels.set(name, {
      lockDurationMs: own.duration('lockDuration', lockDurationRule(settings)),
      maxTasks: own.integer('maxTasks', maxTasksRule(settings)),
    });
  }
  return channels;
}

function namedTwice(place: string, name: string): Error {
  return invalidRequest(place, `${place} names ${JSON.stringify(name)}, which channels has before`);
}
