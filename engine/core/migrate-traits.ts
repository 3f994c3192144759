/** What of a flow node must be the same in both models for a token there to stay: each as the rest of a sentence. */
import {
  isActivity,
  type CatchDefinition,
  type FlowNode,
  type FlowNodeKind,
  type Implementation,
} from '../../definitions/model.ts';
import { hasFrames } from './loop-facts.ts';

/** Empty: there is nothing to say of such a node. */
export type Trait = (node: FlowNode) => string;

const kinds = {
  startEvent: 'a start event',
  endEvent: 'an end event',
  intermediateCatchEvent: 'an intermediate catch event',
  intermediateThrowEvent: 'an intermediate throw event',
  boundaryEvent: 'a boundary event',
  serviceTask: 'a service task',
  businessRuleTask: 'a business rule task',
  sendTask: 'a send task',
  receiveTask: 'a receive task',
  userTask: 'a user task',
  scriptTask: 'a script task',
  task: 'a task',
  manualTask: 'a manual task',
  subProcess: 'a sub-process',
  callActivity: 'a call activity',
  exclusiveGateway: 'an exclusive gateway',
  inclusiveGateway: 'an inclusive gateway',
  parallelGateway: 'a parallel gateway',
  eventBasedGateway: 'an event-based gateway',
  complexGateway: 'a complex gateway',
} as const satisfies Readonly<Record<FlowNodeKind, string>>;

/** Its kind, and how a token comes there: by a sequence flow, or else. */
export function kindTrait(node: FlowNode): string {
  if (isActivity(node) && node.isForCompensation)
    return `is ${kinds[node.kind]} that undoes another activity`;
  if (node.kind === 'subProcess' && node.variant.kind === 'event') return 'is an event sub-process';
  if (node.kind === 'intermediateCatchEvent' && node.triggers.some(({ kind }) => kind === 'link')) {
    return 'is a link event';
  }
  return `is ${kinds[node.kind]}`;
}

/** What it waits for, or what is under way there. */
function workTrait(node: FlowNode): string {
  switch (node.kind) {
    case 'startEvent':
    case 'intermediateCatchEvent':
    case 'boundaryEvent': {
      const triggers = node.triggers.map(triggerText).join(' and ');
      return `waits for ${node.isParallelMultiple ? 'all of ' : ''}${triggers === '' ? 'nothing' : triggers}`;
    }
    case 'endEvent':
    case 'intermediateThrowEvent':
      return `throws ${node.results.map(({ kind }) => kind).join(' and ') || 'nothing'}`;
    case 'serviceTask':
    case 'businessRuleTask':
      return implementationText(node.implementation, node.responseSource?.channel);
    case 'receiveTask':
      return `waits for a message on the channel ${node.source.channel}`;
    case 'subProcess':
      return node.variant.kind === 'transaction'
        ? 'is a transaction'
        : `is of the variant ${node.variant.kind}`;
    default:
      return '';
  }
}

function triggerText(trigger: CatchDefinition): string {
  if (trigger.kind === 'message') return `a message on the channel ${trigger.source.channel}`;
  return trigger.kind === 'signal' ? `the signal ${trigger.name}` : trigger.kind;
}

function implementationText(implementation: Implementation, answersOn: string | undefined): string {
  switch (implementation.kind) {
    case 'channel': {
      const { channel } = implementation;
      return `calls the channel ${channel} and is answered on ${answersOn ?? channel}`;
    }
    case 'registered':
      return `calls the registered function ${implementation.name}`;
    case 'decision':
      return 'makes a decision of the package';
    case 'data':
      return 'only maps data';
  }
}

/** Data of its own is kept in a frame, which a token that has begun there has or has not. */
function runTrait(node: FlowNode): string {
  if (!isActivity(node)) return '';
  const { loop } = node;
  if (loop === null) return `runs once, ${hasFrames(node) ? 'with' : 'without'} data of its own`;
  if (loop.kind === 'standard') return 'is a standard loop';
  const order = loop.isSequential ? 'a sequential' : 'a parallel';
  return `is ${order} multi-instance activity that ${loop.outputCollection === null ? 'collects nothing' : 'collects an output'}`;
}

/** Of nodes of the same kind. */
export const workTraits: readonly Trait[] = [workTrait, runTrait];
