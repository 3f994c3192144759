/**
 * The pure core: one stimulus for one instance, from quiescent point to quiescent point.
 *
 * A1 Equal arguments give equal results, to the byte. No clock, no randomness, no I/O; nothing given is changed.
 * A2 A stimulus that does not fit the snapshot is refused and changes nothing.
 * A3 Total over valid models: data that an element cannot work with makes a failed instance, never a throw.
 *    What throws (InvariantError) is a bug, or a snapshot that does not belong to the process.
 */
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Context } from '../../definitions/value.ts';
import { evaluateAliases, registerAliases } from './aliases.ts';
import {
  cancel,
  completeUserTask,
  fireTimer,
  receiveMessage,
  refusal,
  retry,
  run,
  type StimulusOf,
  type Turn,
} from './apply-stimulus.ts';
import type { AdvanceResult } from './effect.ts';
import { ElementFailure } from './element-failure.ts';
import { graphOf } from './graph.ts';
import { assertNever, InvariantError } from './invariant-error.ts';
import type { Snapshot } from './snapshot.ts';
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
  if (stimulus.kind === 'start') {
    if (snapshot !== null)
      throw new InvariantError(`the instance ${context.instanceId} has been started already`);
    return start(process, stimulus, context);
  }
  if (snapshot === null) throw new InvariantError(`there is no instance to apply a ${stimulus.kind} to`);
  if (snapshot.instanceId !== context.instanceId || snapshot.processId !== process.id) {
    throw new InvariantError(`the snapshot is not one of ${context.instanceId} of the process ${process.id}`);
  }
  const turn: Turn = { process, snapshot, context };
  switch (stimulus.kind) {
    case 'message':
      return receiveMessage(turn, stimulus);
    case 'timer':
      return fireTimer(turn, stimulus);
    case 'completeUserTask':
      return completeUserTask(turn, stimulus);
    case 'retry':
      return retry(turn);
    case 'cancel':
      return cancel(turn, stimulus);
    default:
      return assertNever(stimulus);
  }
}

/** Creates the root scope with its variables and a token at the start event. BPMN 2.0.2 §13.2, §13.5.1. */
function start(
  process: ProcessDefinition,
  stimulus: StimulusOf<'start'>,
  context: AdvanceContext,
): AdvanceResult {
  const node = graphOf(process).node(stimulus.startEventId);
  if (node.kind !== 'startEvent' || node.parentId !== process.id) {
    throw new InvariantError(`${node.id} is not a start event of the process ${process.id}`);
  }
  const { message } = stimulus;
  const { source, aliases } = node;
  const step = new Step(
    process,
    context,
    unstarted(process, stimulus, source?.variable ?? 'payload', context),
  );
  step.history('started', node.id, { processId: process.id });
  if (message !== null) {
    const { messageType } = message;
    step.history('messageReceived', node.id, { channel: source?.channel ?? null, messageType });
  }
  const token = step.newToken(step.root, node.id, 'entering', null);
  token.message = message;
  try {
    registerAliases(step, node.id, aliases, evaluateAliases(step, token, aliases));
  } catch (error) {
    // Correlation comes before running: it refuses the message and leaves nothing behind.
    if (error instanceof ElementFailure) return refusal(error.code, error.message);
    throw error;
  }
  return run(step);
}

/** The state just before the first token. Declared variables are null until something writes them. */
function unstarted(
  process: ProcessDefinition,
  stimulus: StimulusOf<'start'>,
  payloadVariable: string,
  context: AdvanceContext,
): Snapshot {
  const { message, replyTo } = stimulus;
  const declared: Context = Object.fromEntries([...process.variables.keys()].map((name) => [name, null]));
  const received: Context = message === null ? {} : { [payloadVariable]: message.payload };
  const variables: Context = { ...declared, ...stimulus.variables, ...received };
  return {
    formatVersion: 1,
    instanceId: context.instanceId,
    deploymentId: context.deploymentId,
    processId: process.id,
    status: 'running',
    nextSequence: 1,
    scopes: [{ id: 0, parentId: null, elementId: process.id, ownerTokenId: null, variables }],
    tokens: [],
    waits: [],
    aliases: [],
    replyTo,
    failure: null,
  };
}
