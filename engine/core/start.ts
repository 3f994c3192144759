/** The first turn of an instance: its root scope, its variables, and where its tokens begin. */
import type {
  CatchDefinition,
  FlowNode,
  ProcessDefinition,
  SourceDefinition,
  StartEvent,
} from '../../definitions/model.ts';
import { isContext, type Context, type Value } from '../../definitions/value.ts';
import { evaluateAliases, registerAliases } from './aliases.ts';
import { auditMessage, messageFacts } from './audit.ts';
import { refusal, run, type StimulusOf } from './apply-stimulus.ts';
import { sourceOf } from './correlation.ts';
import type { AdvanceResult } from './effect.ts';
import { ElementFailure } from './element-failure.ts';
import { armEventSubProcesses } from './event-waits.ts';
import { InvariantError } from './invariant-error.ts';
import type { LiveToken } from './live-state.ts';
import { takePayload } from './occurrences.ts';
import type { Snapshot } from './snapshot.ts';
import { Step } from './step.ts';
import type { AdvanceContext } from './stimulus.ts';

/**
 * Creates the root scope with its variables and a token where the instance starts.
 * BPMN 2.0.2 §13.2, §13.5.1; §10.6.6 for an event-based gateway that instantiates.
 */
export function startInstance(
  process: ProcessDefinition,
  stimulus: StimulusOf<'start'>,
  context: AdvanceContext,
): AdvanceResult {
  const node = stimulus.startEventId === null ? null : process.nodes.get(stimulus.startEventId);
  if (node === undefined)
    throw new InvariantError(`${process.id} has no node ${stimulus.startEventId ?? ''}`);
  const step = new Step(process, context, unstarted(process, node, stimulus, context));
  step.history('started', node?.id ?? null, { processId: process.id });
  try {
    begin(step, process, node, stimulus);
  } catch (error) {
    // Correlation comes before running: it refuses the message and leaves nothing behind.
    if (error instanceof ElementFailure) return refusal(error.code, error.message);
    throw error;
  }
  return run(step);
}

function begin(
  step: Step,
  process: ProcessDefinition,
  node: FlowNode | null,
  stimulus: StimulusOf<'start'>,
): void {
  if (node === null) {
    if (process.start.length === 0) throw new InvariantError(`${process.id} does not begin by itself`);
    armEventSubProcesses(step, step.root);
    for (const id of process.start) {
      const token = step.newToken(step.root, id, 'entering', null);
      const start = process.nodes.get(id);
      if (start?.kind === 'startEvent') register(step, token, start, 0);
    }
    return;
  }
  const trigger = stimulus.trigger ?? 0;
  const token = beginAt(step, process, node);
  const { message } = stimulus;
  if (message !== null) {
    const { messageType } = message;
    const channel = sourceOf(node, trigger)?.channel ?? null;
    const detail = { channel, messageType, ...messageFacts(step.root, node, message, trigger) };
    step.history('messageReceived', node.id, detail, auditMessage(step, step.root, node, message, trigger));
    token.message = message;
  }
  const event = triggerOf(node, trigger);
  if (event?.kind === 'signal') takePayload(step.root, event, stimulus.signal ?? null);
  register(step, token, node, trigger);
  armEventSubProcesses(step, step.root);
}

/** The token that has what the instance was started by. */
function beginAt(step: Step, process: ProcessDefinition, node: FlowNode): LiveToken {
  if (node.parentId === process.id) {
    if (node.kind === 'startEvent') return step.newToken(step.root, node.id, 'entering', null);
    if (node.kind === 'receiveTask' && node.instantiates) return enteredAt(step, node.id);
    const gateway = instantiatingGateway(process, node);
    if (gateway !== null) {
      const token = enteredAt(step, node.id);
      if (gateway.isParallel) waitForTheOthers(step, process, gateway.outgoing, node.id);
      return token;
    }
  }
  throw new InvariantError(`${node.id} starts no instance of the process ${process.id}`);
}

/** A token at a node that waited, as it were, before the instance was there. */
function enteredAt(step: Step, nodeId: string): LiveToken {
  step.history('entered', nodeId);
  return step.newToken(step.root, nodeId, 'completing', null);
}

function instantiatingGateway(
  process: ProcessDefinition,
  { incoming }: FlowNode,
): Extract<FlowNode, { kind: 'eventBasedGateway' }> | null {
  for (const flowId of incoming) {
    const source = process.nodes.get(process.flows.get(flowId)?.sourceId ?? '');
    if (source?.kind === 'eventBasedGateway' && source.instantiates) return source;
  }
  return null;
}

/** Behind a parallel gateway the instance waits for all the other events too. BPMN 2.0.2 §10.6.6. */
function waitForTheOthers(
  step: Step,
  process: ProcessDefinition,
  flowIds: readonly string[],
  startedAtId: string,
): void {
  for (const flowId of flowIds) {
    const targetId = process.flows.get(flowId)?.targetId;
    if (targetId === undefined || targetId === startedAtId) continue;
    step.newToken(step.root, targetId, 'entering', flowId);
  }
}

function register(step: Step, token: LiveToken, node: FlowNode, trigger: number): void {
  const aliases = aliasesOf(node, trigger);
  registerAliases(step, token.scope, node.id, aliases, evaluateAliases(step, token, aliases));
}

function aliasesOf(node: FlowNode, trigger: number): StartEvent['aliases'] {
  const event = triggerOf(node, trigger);
  if (event?.kind === 'message') return event.aliases;
  if (node.kind === 'startEvent' || node.kind === 'receiveTask') return node.aliases;
  return [];
}

function triggerOf(node: FlowNode, trigger: number): CatchDefinition | undefined {
  return 'triggers' in node ? node.triggers[trigger] : undefined;
}

function receivedVariables(source: SourceDefinition | null, payload: Value): Context {
  return source?.mergesPayload === true && isContext(payload)
    ? payload
    : { [source?.variable ?? 'payload']: payload };
}

/** The state just before the first token. Declared variables are null until something writes them. */
function unstarted(
  process: ProcessDefinition,
  node: FlowNode | null,
  stimulus: StimulusOf<'start'>,
  context: AdvanceContext,
): Snapshot {
  const { message, replyTo } = stimulus;
  const declared: Context = Object.fromEntries([...process.variables.keys()].map((name) => [name, null]));
  const source = node === null ? null : sourceOf(node, stimulus.trigger);
  const received: Context = message === null ? {} : receivedVariables(source, message.payload);
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
