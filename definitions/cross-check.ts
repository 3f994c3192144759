/**
 * What only the whole package can show: models and channels that do not fit together.
 *
 * X1 Every channel that a model names exists, and its direction allows what the model does with it. Signals
 *    need none.
 * X2 A message type starts at most one process, unless its channel says `broadcast`.
 * X3 Every schema that a channel names is there.
 * X4 A called process that the package does not have is a warning: it may be of another package.
 * X5 A call with `q:retry` can fail in a way that is retried.
 */
import type { Finding, Place } from '../config/engine-error.ts';
import { nearest } from '../config/nearest.ts';
import { quoteText } from '../config/quote-text.ts';
import { TurnBudget } from './feel.ts';
import { messageTypesOverlap } from './message-types.ts';
import {
  type CallActivity,
  type FlowNode,
  messageTriggersOf,
  type ProcessDefinition,
  type SendDefinition,
  type ServiceTask,
  type SourceDefinition,
  startPointsOf,
  type ThrowDefinition,
} from './model.ts';
import type { ChannelDefinition, PackageModel } from './package-model.ts';

/** What a call throws whose answer does not come in time. */
const TIMEOUT = 'SUTRA.CALL.TIMEOUT';

type Channels = PackageModel['channels'];

/** One way in which a model uses a channel. */
interface Use {
  readonly channel: string;
  readonly needs: 'inbound' | 'outbound';
  readonly place: Place;
}

export function crossCheck(
  channels: Channels,
  processes: ReadonlyMap<string, ProcessDefinition>,
  schemas: PackageModel['schemas'],
): Finding[] {
  const findings: Finding[] = [];
  for (const process of processes.values()) {
    for (const node of process.nodes.values()) {
      for (const use of usesOf(node)) checkUse(use, channels, findings);
      if (node.kind === 'serviceTask' || node.kind === 'businessRuleTask') {
        checkAnswer(node, channels, findings);
        checkRetry(node, process, channels, findings);
      }
      if (node.kind === 'callActivity') checkCall(node, processes, findings);
    }
  }
  checkStarts(channels, processes, findings);
  for (const channel of channels.values()) checkSchema(channel, schemas, findings);
  return findings;
}

function report(findings: Finding[], code: string, message: string, place: Place): void {
  findings.push({ code, severity: 'error', message: `${message}.`, place });
}

function usesOf(node: FlowNode): Use[] {
  const takes = messageTriggersOf(node).map(({ source }): Use => ({
    channel: source.channel,
    needs: 'inbound',
    place: source.place,
  }));
  return [...takes, ...sendsOf(node)];
}

function sendsOf(node: FlowNode): Use[] {
  switch (node.kind) {
    case 'intermediateThrowEvent':
    case 'endEvent':
      return node.results.flatMap(thrownBy);
    case 'sendTask':
      return sends(node.send);
    case 'serviceTask':
    case 'businessRuleTask':
      return node.implementation.kind === 'channel'
        ? [{ channel: node.implementation.channel, needs: 'outbound', place: node.place }]
        : [];
    default:
      return [];
  }
}

function thrownBy(result: ThrowDefinition): Use[] {
  return result.kind === 'message' ? sends(result.send) : [];
}

function sends(send: SendDefinition): Use[] {
  const channel = send.channel ?? constantDestination(send);
  return channel === null ? [] : [{ channel, needs: 'outbound', place: send.place }];
}

/** A destination without variables is known now; any other one when it is evaluated. */
function constantDestination(send: SendDefinition): string | null {
  if (send.destination === null || send.destination.names.length > 0) return null;
  try {
    const value = send.destination.evaluate(() => undefined, new TurnBudget(0));
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

function checkUse(use: Use, channels: Channels, findings: Finding[]): void {
  const channel = channels.get(use.channel);
  if (channel === undefined) {
    const near = nearest(use.channel, [...channels.keys()]);
    const hint = near === null ? 'channels.yaml declares none' : `the nearest is ${quoteText(near)}`;
    report(
      findings,
      'SUTRA.PACKAGE.CHANNEL_UNKNOWN',
      `There is no channel ${quoteText(use.channel)}; ${hint}`,
      use.place,
    );
    return;
  }
  if (channel.direction === 'both' || channel.direction === use.needs) return;
  const action = use.needs === 'inbound' ? 'takes messages from' : 'sends to';
  const message = `The model ${action} channel ${quoteText(channel.name)}, which is ${channel.direction}`;
  report(findings, 'SUTRA.PACKAGE.CHANNEL_DIRECTION', message, use.place);
}

/** A call without a response channel is answered on the request's own channel, or by the HTTP answer itself. */
function checkAnswer(node: ServiceTask, channels: Channels, findings: Finding[]): void {
  if (node.implementation.kind !== 'channel' || node.responseSource !== null) return;
  const channel = channels.get(node.implementation.channel);
  if (channel?.direction !== 'outbound' || channel.transport === 'http') return;
  const message = `No answer can come to this call: channel ${quoteText(channel.name)} is outbound, and there is no q:source for the answer`;
  report(findings, 'SUTRA.PACKAGE.CHANNEL_DIRECTION', message, node.place);
}

interface MessageStart {
  readonly source: SourceDefinition;
  readonly processId: string;
  readonly nodeId: string;
}

/**
 * The request of a pull channel is always delivered: only its timeout can fail an attempt, unless the author has a way
 * for that, or says that it is final.
 */
function checkRetry(
  { id, implementation, retry, timeoutMs, boundaryEventIds, place }: ServiceTask,
  { nodes }: ProcessDefinition,
  channels: Channels,
  findings: Finding[],
): void {
  if (retry === null || implementation.kind !== 'channel') return;
  if (channels.get(implementation.channel)?.transport !== 'pull') return;
  const isRouted = boundaryEventIds.some((boundaryId) => {
    const boundary = nodes.get(boundaryId);
    return (
      boundary?.kind === 'boundaryEvent' &&
      boundary.triggers.some((trigger) => trigger.kind === 'error' && trigger.errorCode === TIMEOUT)
    );
  });
  const reason =
    timeoutMs === null
      ? 'it has no q:timeout'
      : isRouted
        ? `a boundary event catches ${TIMEOUT}`
        : retry.nonRetryableCodes.includes(TIMEOUT)
          ? `${TIMEOUT} is among its nonRetryableCodes`
          : null;
  if (reason === null) return;
  const message = `The q:retry of ${quoteText(id)} is never used: of a call on a pull channel only the timeout can fail, and ${reason}; a worker's failures have a budget of their own`;
  report(findings, 'SUTRA.PACKAGE.RETRY_UNUSED', message, place);
}

function checkStarts(
  channels: Channels,
  processes: ReadonlyMap<string, ProcessDefinition>,
  findings: Finding[],
): void {
  const earlier: MessageStart[] = [];
  for (const start of [...processes.values()].flatMap(messageStartsOf)) {
    if (channels.get(start.source.channel)?.isBroadcast === true) continue;
    const rival = earlier.find(
      ({ source }) =>
        source.channel === start.source.channel &&
        messageTypesOverlap(source.messageType, start.source.messageType),
    );
    if (rival !== undefined) {
      const message =
        `${quoteText(rival.nodeId)} of process ${quoteText(rival.processId)} and ${quoteText(start.nodeId)} of ` +
        `process ${quoteText(start.processId)} are started by the same messages of channel ${quoteText(start.source.channel)}, which is no broadcast`;
      report(findings, 'SUTRA.PACKAGE.START_AMBIGUOUS', message, start.source.place);
    }
    earlier.push(start);
  }
}

function messageStartsOf(process: ProcessDefinition): MessageStart[] {
  return startPointsOf(process).flatMap(({ nodeId, event }) =>
    event.kind === 'message' ? [{ source: event.source, processId: process.id, nodeId }] : [],
  );
}

/** The process of another package is found, or not, when it is called. */
function checkCall(
  node: CallActivity,
  processes: ReadonlyMap<string, ProcessDefinition>,
  findings: Finding[],
): void {
  for (const processId of new Set(calledIdsOf(node))) {
    if (processes.has(processId)) continue;
    const near = nearest(processId, [...processes.keys()]);
    const hint = near === null ? '' : `; the nearest is ${quoteText(near)}`;
    const message = `The package has no process ${quoteText(processId)}, which must come from another package of the tenant${hint}.`;
    findings.push({
      code: 'SUTRA.PACKAGE.CALLED_PROCESS_ELSEWHERE',
      severity: 'warning',
      message,
      place: node.place,
    });
  }
}

function calledIdsOf({ called }: CallActivity): readonly string[] {
  switch (called.kind) {
    case 'process':
      return [called.processId];
    case 'expression':
      return [];
    case 'dispatch': {
      const ids = called.cases.map(({ processId }) => processId);
      return called.defaultProcessId === null ? ids : [...ids, called.defaultProcessId];
    }
  }
}

function checkSchema(
  channel: ChannelDefinition,
  schemas: PackageModel['schemas'],
  findings: Finding[],
): void {
  if (channel.schemaName === null || schemas.has(channel.schemaName)) return;
  const near = nearest(channel.schemaName, [...schemas.keys()]);
  const hint = near === null ? 'the package has no schemas' : `the nearest is ${quoteText(near)}`;
  const message = `There is no folder schemas/${channel.schemaName} for channel ${quoteText(channel.name)}; ${hint}`;
  report(findings, 'SUTRA.PACKAGE.SCHEMA_UNKNOWN', message, channel.place);
}
