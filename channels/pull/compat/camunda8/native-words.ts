/** Refusals of the worker surface that name its own fields, retold with the names of Camunda 8. */
import { EngineError } from '../../../../config/engine-error.ts';

/** Our field to theirs. */
const THEIR_FIELDS: Readonly<Record<string, string>> = {
  lockDuration: 'timeout (lockDuration)',
  maxTasks: 'maxJobsToActivate (maxTasks)',
  asyncResponseTimeout: 'requestTimeout (asyncResponseTimeout)',
  workerId: 'worker (workerId)',
  lockToken: 'leaseToken (lockToken)',
  retryTimeout: 'retryBackOff (retryTimeout)',
  'channels[0]': 'type (channel)',
};

/** @throws what `work` throws, a REQUEST_INVALID about a field with that field's name there in front of it */
export async function inTheirWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID') throw error;
    const { field } = error.attributes;
    const theirs = typeof field === 'string' ? THEIR_FIELDS[field] : undefined;
    if (theirs === undefined) throw error;
    throw new EngineError(error.code, `${theirs}: ${error.message}`, {
      attributes: error.attributes,
      cause: error,
    });
  }
}
