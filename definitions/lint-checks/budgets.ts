/**
 * Times and sizes of a package that contradict each other, or the operator's.
 *
 * What is over a ceiling of task policies is refused already (channels/task-policy.ts). Without the operator's
 * settings only what the package itself says is compared.
 */
import type { Finding } from '../../config/engine-error.ts';
import { formatDuration } from '../../config/iso8601.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { FlowNode, ServiceTask } from '../model.ts';
import type { ChannelDefinition, PackageModel } from '../package-model.ts';
import { labelOf, warning, type LintCheck, type OperatorLimits } from './lint-check.ts';

export const checkBudgets: LintCheck = (model, { operator }) => [
  ...callsOf(model).flatMap(({ node, channel }) => shortTimeout(node, channel, operator) ?? []),
  ...[...model.channels.values()].flatMap((channel) => largeCap(channel, operator) ?? []),
];

interface PullCall {
  readonly node: ServiceTask;
  readonly channel: ChannelDefinition;
}

function callsOf({ processes, channels }: PackageModel): readonly PullCall[] {
  return [...processes.values()]
    .flatMap(({ nodes }) => [...nodes.values()])
    .flatMap((node: FlowNode) => {
      if (node.kind !== 'serviceTask' && node.kind !== 'businessRuleTask') return [];
      const { implementation } = node;
      const channel = implementation.kind === 'channel' ? channels.get(implementation.channel) : undefined;
      return channel?.transport === 'pull' ? [{ node, channel }] : [];
    });
}

/** A second attempt begins when the lock of a worker that died expires, or the time after a failure has passed. */
function shortTimeout(
  node: ServiceTask,
  { name, task }: ChannelDefinition,
  operator: OperatorLimits | null,
): Finding | null {
  const { timeoutMs } = node;
  const retries = task?.retries ?? operator?.retries ?? null;
  if (timeoutMs === null || retries === 1) return null;
  const waits = [
    waitOf('lock-duration', task?.lockDurationMs, operator?.defaultLockDurationMs),
    waitOf('retry-timeout', task?.retryTimeoutMs, operator?.retryTimeoutMs),
  ];
  const wait = waits.find((each) => each !== null && timeoutMs <= each.ms);
  if (wait === undefined || wait === null) return null;
  const message = `q:timeout of ${labelOf(node)} is ${formatDuration(timeoutMs)}, not longer than ${wait.what} ${formatDuration(wait.ms)} of channel ${quoteText(name)}, so the call is given up before the work can be tried again; make q:timeout longer or ${wait.key} shorter`;
  return warning('SUTRA.LINT.TIMEOUT_TOO_SHORT', node.place, message);
}

interface RetryWait {
  readonly key: string;
  readonly what: string;
  readonly ms: number;
}

function waitOf(
  key: string,
  own: number | null | undefined,
  operators: number | undefined,
): RetryWait | null {
  if (own !== null && own !== undefined) return { key, what: `the ${key}`, ms: own };
  return operators === undefined ? null : { key, what: `the operator's ${key}`, ms: operators };
}

function largeCap(
  { name, payloadCapBytes, place }: ChannelDefinition,
  operator: OperatorLimits | null,
): Finding | null {
  if (operator === null || payloadCapBytes === null || payloadCapBytes <= operator.maxPayloadBytes)
    return null;
  const message = `payload-cap-bytes of channel ${quoteText(name)} is ${payloadCapBytes}, and the operator's sutra.codec.max-payload-bytes is ${operator.maxPayloadBytes}, which holds; lower the one or have the other raised`;
  return warning('SUTRA.LINT.PAYLOAD_CAP_OVER_CEILING', place, message);
}
