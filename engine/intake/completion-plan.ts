/**
 * Where a worker's result goes, decided under the task's lock: to the call that waits for it, or, for a
 * task that came from a send, wherever a message on that channel goes. Source: protocol §3, §8.
 */
import { EngineError } from '../../config/engine-error.ts';
import { TurnBudget, type CostLimits } from '../../definitions/feel.ts';
import type { DeploymentRegistry } from '../deployments/registry.ts';
import { decodeVariables, type DecodedChannel } from './codec.ts';
import type { TaskForCompletion } from '../store/external-tasks-settle.ts';
import type { CallBpmnError, InstanceTarget } from './turn.ts';
import type { CompletionPlan, PlanCompletion } from './turn-sorting.ts';
import { decodeMessage } from './decode.ts';
import { withKey } from './dedup.ts';
import { planMessage, startsOf } from './route.ts';
import type { PayloadValidator } from './validate.ts';

export function planCompletion(
  deployments: Pick<DeploymentRegistry, 'route' | 'loadedModel'>,
  validator: PayloadValidator,
  costLimits: CostLimits,
): PlanCompletion {
  return (task, settlement, nowMs) => {
    const model = deployments.loadedModel(task.deploymentId);
    const channel = model?.channels.get(task.channel) ?? registeredChannel(task.channel);
    if (model === undefined || channel === null) {
      throw new EngineError(
        'SUTRA.INBOUND.CHANNEL_UNKNOWN',
        `Deployment ${task.deploymentId} declares no channel ${task.channel}.`,
        {
          attributes: { channel: task.channel, retryable: true },
        },
      );
    }
    if (settlement.failure !== undefined) {
      return toCall(task, { kind: 'callFailed', key: task.idempotencyKey, ...settlement.failure });
    }
    if (settlement.bpmnError !== undefined) return toCall(task, callErrorOf(task, settlement.bpmnError));
    const content = settlement.result ?? { contentType: task.contentType, body: task.body };
    const decoded = decodeMessage(channel, {
      tenant: task.tenant,
      module: task.module,
      channel: task.channel,
      headers: { 'idempotency-key': task.idempotencyKey },
      contentType: content.contentType,
      body: content.body,
    });
    const message = withKey(decoded, task.idempotencyKey);
    // Without a result the request itself comes back: it was never meant to meet the answer's schema.
    if (settlement.result !== null) validator.validate(model, channel, message);
    if (task.expectsAnswer) {
      const { channel: name, idempotencyKey: key } = task;
      return toCall(task, { kind: 'message', channel: name, key, aliases: [], message });
    }
    const route = deployments.route(task.tenant, task.module, task.channel);
    const starts = route === undefined ? [] : startsOf(route, message);
    if (route === undefined || (starts.length === 0 && !route.hasMessageWaits)) {
      return { targets: [], isBroadcast: false, settlesOnly: true };
    }
    const replyTo = { channel: task.channel, dedupKey: task.idempotencyKey };
    const { targets, isBroadcast } = planMessage(
      route,
      starts,
      message,
      new TurnBudget(nowMs, costLimits),
      replyTo,
    );
    return { targets, isBroadcast, settlesOnly: false };
  };
}

function callErrorOf(
  task: TaskForCompletion,
  { code, message, variables }: CallBpmnError,
): InstanceTarget['stimulus'] {
  if (!task.expectsAnswer) {
    const why = `it comes from a message that ${task.elementId} sent, and no call waits for what becomes of it`;
    throw new EngineError(
      'SUTRA.EXTERNAL_TASK.NOT_A_CALL',
      `Nothing can throw a BPMN error for external task ${task.id}: ${why}. Complete it, or report a failure.`,
      { attributes: { elementId: task.elementId, retryable: false } },
    );
  }
  return {
    kind: 'callError',
    key: task.idempotencyKey,
    ...{ code, message },
    variables: variables === null ? {} : decodeVariables(variables),
  };
}

function toCall({ instanceId }: TaskForCompletion, stimulus: InstanceTarget['stimulus']): CompletionPlan {
  const targets = [{ kind: 'instance', instanceId, scope: null, stimulus }] as const;
  return { targets, isBroadcast: false, settlesOnly: false };
}

/** `registered:<name>` is no channel of the package: its results are plain JSON. */
function registeredChannel(name: string): DecodedChannel | null {
  return name.startsWith('registered:') ? { name, codec: null, schemaName: null } : null;
}
