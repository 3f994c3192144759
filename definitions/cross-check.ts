/**
 * What only the whole package can show: models and channels that do not fit together.
 *
 * X1 Every channel that a model names exists, and its direction allows what the model does with it.
 * X2 A message type starts at most one process, unless its channel says `broadcast`.
 * X3 Every schema that a channel names is there.
 */
import type { Finding, Place } from '../config/engine-error.ts';
import { nearest } from '../config/nearest.ts';
import { quoteText } from '../config/quote-text.ts';
import { messageTypesOverlap } from './message-types.ts';
import type {
  CatchDefinition,
  FlowNode,
  ProcessDefinition,
  SendDefinition,
  ServiceTask,
  SourceDefinition,
} from './model.ts';
import type { ChannelDefinition, PackageModel } from './package-model.ts';

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
      if (node.kind === 'serviceTask') checkAnswer(node, channels, findings);
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
  switch (node.kind) {
    case 'startEvent':
    case 'userTask':
      return takes(node.source);
    case 'receiveTask':
      return takes(node.source);
    case 'intermediateCatchEvent':
    case 'boundaryEvent':
      return takesAt(node.event);
    case 'intermediateThrowEvent':
      return node.event.kind === 'message' ? sends(node.event.send) : [];
    case 'endEvent':
      return node.result.kind === 'message' ? sends(node.result.send) : [];
    case 'sendTask':
      return sends(node.send);
    case 'serviceTask':
      return callUses(node);
    default:
      return [];
  }
}

function takes(source: SourceDefinition | null): Use[] {
  return source === null ? [] : [{ channel: source.channel, needs: 'inbound', place: source.place }];
}

function takesAt(event: CatchDefinition): Use[] {
  return event.kind === 'message' ? takes(event.source) : [];
}

function sends(send: SendDefinition): Use[] {
  const channel = send.channel ?? constantDestination(send);
  return channel === null ? [] : [{ channel, needs: 'outbound', place: send.place }];
}

/** A destination without variables is known now; any other one when it is evaluated. */
function constantDestination(send: SendDefinition): string | null {
  if (send.destination === null || send.destination.names.length > 0) return null;
  try {
    const value = send.destination.evaluate(() => undefined, 0);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

function callUses(node: ServiceTask): Use[] {
  if (node.implementation.kind !== 'channel') return [];
  const { channel } = node.implementation;
  return [{ channel, needs: 'outbound', place: node.place }, ...takes(node.responseSource)];
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

function checkStarts(
  channels: Channels,
  processes: ReadonlyMap<string, ProcessDefinition>,
  findings: Finding[],
): void {
  const earlier: {
    readonly source: SourceDefinition;
    readonly processId: string;
    readonly nodeId: string;
  }[] = [];
  for (const process of processes.values()) {
    for (const node of process.nodes.values()) {
      if (node.kind !== 'startEvent' || node.source === null) continue;
      const { source } = node;
      if (channels.get(source.channel)?.isBroadcast === true) continue;
      const rival = earlier.find(
        (start) =>
          start.source.channel === source.channel &&
          messageTypesOverlap(start.source.messageType, source.messageType),
      );
      if (rival !== undefined) {
        const message =
          `The start events ${quoteText(rival.nodeId)} of process ${quoteText(rival.processId)} and ${quoteText(node.id)} of ` +
          `process ${quoteText(process.id)} take the same messages of channel ${quoteText(source.channel)}, which is no broadcast`;
        report(findings, 'SUTRA.PACKAGE.START_AMBIGUOUS', message, source.place);
      }
      earlier.push({ source, processId: process.id, nodeId: node.id });
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
