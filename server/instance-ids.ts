/** Ids of instances and their tokens in the paths of routes. */
import { EngineError } from '../config/engine-error.ts';
import { isUuid } from './query-parameters.ts';

/** @throws EngineError SUTRA.OPERATE.ID_INVALID */
export function requireInstanceId(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw idInvalid(text, 'an instance id, which is a UUID');
}

/** @throws EngineError SUTRA.OPERATE.ID_INVALID */
export function requireTokenId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw idInvalid(text, 'a token id, which is a number of GET /sutra/instances/{id}');
}

function idInvalid(text: string, wanted: string): EngineError {
  return new EngineError(
    'SUTRA.OPERATE.ID_INVALID',
    `${JSON.stringify(text.slice(0, 100))} is not ${wanted}`,
  );
}

export function instanceNotFound(instanceId: string): EngineError {
  return new EngineError('SUTRA.INSTANCE.NOT_FOUND', `there is no instance ${instanceId}`, {
    attributes: { instanceId },
  });
}
