/**
 * The pure core: one stimulus for one instance, from quiescent point to quiescent point.
 *
 * A1 Equal arguments give equal results, to the byte. No clock, no randomness, no I/O; nothing given is changed.
 * A2 A stimulus that does not fit the snapshot is refused and changes nothing.
 * A3 Total over valid models: data that an element cannot work with makes a failed instance, never a throw.
 *    What throws (InvariantError) is a bug, or a snapshot that does not belong to the process.
 * A4 Which parts were given changes nothing but whether the answer is `incomplete`.
 */
import type { ProcessDefinition } from '../../definitions/model.ts';
import {
  cancel,
  completeAdHoc,
  completeUserTask,
  fireTimer,
  launchActivity,
  receiveCallError,
  receiveCallFailure,
  receiveMessage,
  refusal,
  retry,
  setVariables,
  signalInstance,
} from './apply-stimulus.ts';
import type { AdvanceResult } from './effect.ts';
import { ElementFailure } from './element-failure.ts';
import { NeedsParts, NeedsRecord } from './incomplete.ts';
import { assertNever, InvariantError } from './invariant-error.ts';
import type { Snapshot } from './snapshot.ts';
import { migrate } from './migrate.ts';
import { moveTokens } from './move.ts';
import { startInstance } from './start.ts';
import { Step } from './step.ts';
import type { AdvanceContext, Stimulus } from './stimulus.ts';

/**
 * Applies the stimulus to the instance and runs it until it waits or has ended.
 * @param snapshot null exactly for a `start`
 * @throws InvariantError only for bugs
 */
export function advance(
  process: ProcessDefinition,
  snapshot: Snapshot | null,
  stimulus: Stimulus,
  context: AdvanceContext,
): AdvanceResult {
  try {
    return apply(process, snapshot, stimulus, context);
  } catch (error) {
    if (error instanceof NeedsParts) return { kind: 'incomplete', needsParts: true, records: [] };
    // What a stimulus brings cannot be taken in, before any token has begun to run.
    if (error instanceof ElementFailure) return refusal(error.code, error.message, true);
    if (error instanceof NeedsRecord) return { kind: 'incomplete', needsParts: false, records: [error.key] };
    throw error;
  }
}

function apply(
  process: ProcessDefinition,
  snapshot: Snapshot | null,
  stimulus: Stimulus,
  context: AdvanceContext,
): AdvanceResult {
  if (stimulus.kind === 'start') {
    if (snapshot !== null)
      throw new InvariantError(`the instance ${context.instanceId} has been started already`);
    return startInstance(process, stimulus, context);
  }
  if (snapshot === null) throw new InvariantError(`there is no instance to apply a ${stimulus.kind} to`);
  if (snapshot.instanceId !== context.instanceId || snapshot.processId !== process.id) {
    throw new InvariantError(`the snapshot is not one of ${context.instanceId} of the process ${process.id}`);
  }
  const step = new Step(process, context, snapshot);
  switch (stimulus.kind) {
    case 'message':
      return receiveMessage(step, stimulus);
    case 'timer':
      return fireTimer(step, stimulus);
    case 'signal':
      return signalInstance(step, stimulus);
    case 'callError':
      return receiveCallError(step, stimulus);
    case 'callFailed':
      return receiveCallFailure(step, stimulus);
    case 'completeUserTask':
      return completeUserTask(step, stimulus);
    case 'launchActivity':
      return launchActivity(step, stimulus);
    case 'completeAdHoc':
      return completeAdHoc(step, stimulus);
    case 'setVariables':
      return setVariables(step, stimulus);
    case 'retry':
      return retry(step);
    case 'move':
      return moveTokens(step, stimulus);
    case 'migrate':
      return migrate(step, stimulus);
    case 'cancel':
      return cancel(step, stimulus);
    default:
      return assertNever(stimulus);
  }
}
