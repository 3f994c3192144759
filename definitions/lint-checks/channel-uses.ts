/** What the models of a package do with its channels. */
import {
  messageTriggersOf,
  type FlowNode,
  type ProcessDefinition,
  type SendDefinition,
  type SourceDefinition,
} from '../model.ts';
import type { PackageModel } from '../package-model.ts';
import { constantOf } from './constant-values.ts';

export interface ChannelUses {
  /** Messages are sent there, and nobody in the instance waits for the answer as such. */
  readonly told: ReadonlySet<string>;
  /** Calls are made there. */
  readonly asked: ReadonlySet<string>;
  /** Messages are taken from there. */
  readonly taken: ReadonlySet<string>;
  /** Somewhere the data say to which channel is sent. */
  readonly isOpen: boolean;
}

export function channelUsesOf({ processes }: PackageModel): ChannelUses {
  const told = new Set<string>();
  const asked = new Set<string>();
  const taken = new Set<string>();
  let isOpen = false;
  for (const node of [...processes.values()].flatMap(({ nodes }) => [...nodes.values()])) {
    for (const send of sendsOf(node)) {
      const channel = destinationOf(send);
      if (channel === null) isOpen = true;
      else told.add(channel);
    }
    const asks = askedAt(node);
    if (asks !== null) asked.add(asks);
    for (const { source } of messageTriggersOf(node)) taken.add(source.channel);
  }
  return { told, asked, taken, isOpen };
}

export function sendsOf(node: FlowNode): readonly SendDefinition[] {
  switch (node.kind) {
    case 'intermediateThrowEvent':
    case 'endEvent':
      return node.results.flatMap((result) => (result.kind === 'message' ? [result.send] : []));
    case 'sendTask':
      return [node.send];
    default:
      return [];
  }
}

/** Null: only the data tell. */
function destinationOf({ channel, destination }: SendDefinition): string | null {
  if (channel !== null || destination === null) return channel;
  const value = constantOf(destination);
  return typeof value === 'string' ? value : null;
}

function askedAt(node: FlowNode): string | null {
  const isCall = node.kind === 'serviceTask' || node.kind === 'businessRuleTask';
  return isCall && node.implementation.kind === 'channel' ? node.implementation.channel : null;
}

/** One place at which a message that nobody was asked for is waited for, or starts an instance. */
export interface MessageWait {
  readonly node: FlowNode;
  readonly source: SourceDefinition;
  readonly aliases: ReturnType<typeof messageTriggersOf>[number]['aliases'];
  /** An instance begins there. */
  readonly isStart: boolean;
}

/** Not those of calls, whose answer comes under a key of its own, nor of user tasks, which a person completes too. */
export function messageWaitsOf(process: ProcessDefinition): readonly MessageWait[] {
  const starting = new Set(startingIdsOf(process));
  return [...process.nodes.values()].flatMap((node) =>
    node.kind === 'serviceTask' || node.kind === 'businessRuleTask' || node.kind === 'userTask'
      ? []
      : messageTriggersOf(node).map(({ source, aliases }) => ({
          node,
          source,
          aliases,
          isStart: starting.has(node.id),
        })),
  );
}

function* startingIdsOf({ children, nodes, flows }: ProcessDefinition): Iterable<string> {
  for (const id of children) {
    const node = nodes.get(id);
    if (node?.kind === 'startEvent' || (node?.kind === 'receiveTask' && node.instantiates)) yield id;
    if (node?.kind !== 'eventBasedGateway' || !node.instantiates) continue;
    for (const flowId of node.outgoing) {
      const flow = flows.get(flowId);
      // Behind a parallel one the instance waits for the other events, too.
      if (flow !== undefined && !node.isParallel) yield flow.targetId;
    }
  }
}
