/** Processes as a next version has them: with all ids changed, or with one thing changed that a modeler may change. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  isActivity,
  type Activity,
  type BoundaryEvent,
  type FlowNode,
  type ProcessDefinition,
} from '../../definitions/model.ts';
import { boundary, call, userTask } from '../support/model-builder.ts';
import { each, message, signal, timerMs } from '../support/model-parts.ts';
import { deepFreeze } from '../support/process-model.ts';
import type { Played } from './random-play.ts';

/** Properties of a model that hold ids of its elements, and those inside which there are more of them. */
const ID_PROPERTIES: ReadonlySet<string> = new Set([
  ...['id', 'parentId', 'incoming', 'outgoing', 'boundaryEventIds', 'defaultFlowId', 'attachedToId'],
  ...['children', 'start', 'eventSubProcessIds', 'startEventId', 'launchableIds', 'handlerId'],
  ...['sourceId', 'targetId', 'activityId'],
]);
const OUTER_PROPERTIES: ReadonlySet<string> = new Set(['nodes', 'flows', 'variant', 'triggers', 'results']);

export function elementIds({ nodes, flows }: ProcessDefinition): readonly string[] {
  return [...nodes.keys(), ...flows.keys()];
}

/** The process with other ids for its elements. */
export function renamed(process: ProcessDefinition, idOf: (id: string) => string): ProcessDefinition {
  const ids = new Set(elementIds(process));
  const walk = (value: unknown, isId: boolean): unknown => {
    if (typeof value === 'string') return isId && ids.has(value) ? idOf(value) : value;
    if (Array.isArray(value)) return value.map((item) => walk(item, isId));
    if (value instanceof Map) {
      return new Map([...value].map(([key, item]) => [walk(key, true), walk(item, false)]));
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
      if (ID_PROPERTIES.has(key)) return [key, walk(item, true)];
      return [key, OUTER_PROPERTIES.has(key) ? walk(item, false) : item];
    });
    return Object.fromEntries(entries);
  };
  return deepFreeze({ ...(walk(process, false) as ProcessDefinition), id: process.id });
}

export function renamedAll({ process, callable = [] }: Played, idOf: (id: string) => string): Played {
  return { process: renamed(process, idOf), callable: callable.map((called) => renamed(called, idOf)) };
}

/** The names of all elements of the processes, old and new. */
export function namesOf(
  { process, callable = [] }: Played,
  idOf: (id: string) => string,
): Readonly<Record<string, string>> {
  const ids = [process, ...callable].flatMap(elementIds);
  return Object.fromEntries(ids.map((id) => [id, idOf(id)]));
}

// --- one thing changed -----------------------------------------------------------------------------

export const changes = [
  'another id',
  'another kind',
  'another loop',
  'another trigger',
  'boundary event added',
  'boundary event removed',
  'sequence flow removed',
] as const;

export interface Change {
  readonly kind: (typeof changes)[number];
  /** Which of the elements that can be changed so. */
  readonly pick: number;
  /** One where the instance has something, if there is one. */
  readonly isNear: boolean;
}

export const changesOfModels: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...changes), pick: fc.nat(1000), isNear: fc.boolean() }),
  { minLength: 1, maxLength: 3 },
);

/** @param places elements where the instance has something */
export function changed(
  process: ProcessDefinition,
  list: readonly Change[],
  places: ReadonlySet<string>,
): ProcessDefinition {
  let result = process;
  for (const change of list) result = changedOnce(result, change, places);
  return deepFreeze(result);
}

function changedOnce(
  process: ProcessDefinition,
  { kind, pick, isNear }: Change,
  places: ReadonlySet<string>,
): ProcessDefinition {
  const of = <Item extends FlowNode | string>(
    items: readonly Item[],
    change: (item: Item) => ProcessDefinition,
  ): ProcessDefinition => {
    const near = items.filter((item) => places.has(typeof item === 'string' ? item : item.id));
    const among = isNear && near.length > 0 ? near : items;
    const item = among[pick % Math.max(among.length, 1)];
    return item === undefined ? process : change(item);
  };
  const nodes = [...process.nodes.values()];
  const activities = nodes.filter(isActivity);
  switch (kind) {
    case 'another id':
      return of(elementIds(process), (picked) => renamed(process, (id) => (id === picked ? `${id}~` : id)));
    case 'another kind':
      return of(nodes, (node) => withNode(process, ofOtherKind(process, node, pick)));
    case 'another loop':
      return of(activities, (node) => withNode(process, ofOtherLoop(node, pick)));
    case 'another trigger':
      return of(nodes, (node) => withNode(process, withOtherTrigger(node, pick)));
    case 'boundary event added':
      return of(activities, (node) => withBoundary(process, node, pick));
    case 'boundary event removed':
      return of(nodes.filter(isBoundary), (node) => without(process, node));
    case 'sequence flow removed':
      return of(
        [...process.flows.keys()].filter((id) => mayLose(process, id)),
        (id) => withoutFlow(process, id),
      );
  }
}

function withNode(process: ProcessDefinition, node: FlowNode): ProcessDefinition {
  return { ...process, nodes: new Map([...process.nodes, [node.id, node]]) };
}

/** With what a node of another kind has; where it stands, and what it leads to, is as before. */
function ofOtherKind(process: ProcessDefinition, node: FlowNode, pick: number): FlowNode {
  const place = { id: node.id, parentId: node.parentId, incoming: node.incoming, outgoing: node.outgoing };
  switch (node.kind) {
    case 'exclusiveGateway':
    case 'inclusiveGateway':
      return { ...node, kind: node.kind === 'exclusiveGateway' ? 'inclusiveGateway' : 'exclusiveGateway' };
    case 'parallelGateway':
      return { ...node, kind: 'inclusiveGateway', defaultFlowId: null };
    case 'serviceTask':
    case 'userTask':
    case 'scriptTask':
    case 'task': {
      // Behind an event-based gateway only receive tasks may stand, and these are left alone.
      const { boundaryEventIds, defaultFlowId, isForCompensation, loop, data } = node;
      const others = [userTask(node.id), call(node.id, 'others'), call(node.id, 'jobs')];
      const other = others[pick % others.length]?.node;
      assert.ok(other !== undefined && isActivity(other));
      return { ...other, ...place, boundaryEventIds, defaultFlowId, isForCompensation, loop, data };
    }
    case 'intermediateCatchEvent': {
      const isBehindGateway = node.incoming.some((id) => {
        const source = process.nodes.get(process.flows.get(id)?.sourceId ?? '');
        return source?.kind === 'eventBasedGateway';
      });
      const isLink = node.triggers.some(({ kind }) => kind === 'link');
      return isBehindGateway || isLink ? node : { ...userTask(node.id).node, ...place };
    }
    default:
      return node;
  }
}

function ofOtherLoop(node: Activity, pick: number): FlowNode {
  if (node.kind === 'subProcess' && node.variant.kind === 'event') return node;
  const loops = [
    null,
    each('item in [1, 2]'),
    each('item in [1, 2]', { isSequential: true }),
    each('item in [1, 2]', { output: 'item -> results' }),
  ];
  return { ...node, loop: loops[pick % loops.length] ?? null };
}

function withOtherTrigger(node: FlowNode, pick: number): FlowNode {
  if (node.kind !== 'boundaryEvent' && node.kind !== 'startEvent' && node.kind !== 'intermediateCatchEvent') {
    return node;
  }
  // Those that throw need whoever catches, and a none start event has none.
  const isAwaited = node.triggers.some(({ kind }) =>
    ['timer', 'message', 'signal', 'conditional'].includes(kind),
  );
  if (!isAwaited) return node;
  const triggers = [timerMs(50), message('others'), signal('other'), signal('go')];
  const added = triggers[pick % triggers.length];
  assert.ok(added);
  return pick % 2 === 0 ? { ...node, triggers: [added] } : { ...node, triggers: [added, ...node.triggers] };
}

function withBoundary(process: ProcessDefinition, host: Activity, pick: number): ProcessDefinition {
  const isEvent = host.kind === 'subProcess' && host.variant.kind === 'event';
  const id = `added-${host.id}`;
  if (isEvent || process.nodes.has(id)) return process;
  const triggers = [timerMs(50), message('others'), signal('go'), timerMs(1)];
  const trigger = triggers[pick % triggers.length];
  assert.ok(trigger);
  const { node } = boundary(id, host.id, trigger, pick % 2 === 0 ? 'interrupting' : 'non-interrupting');
  const attached = withNode(process, { ...host, boundaryEventIds: [...host.boundaryEventIds, id] });
  return withChild(withNode(attached, { ...node, parentId: host.parentId }), host.parentId, (ids) => [
    ...ids,
    id,
  ]);
}

function withChild(
  process: ProcessDefinition,
  parentId: string,
  change: (ids: readonly string[]) => readonly string[],
): ProcessDefinition {
  const parent = process.nodes.get(parentId);
  if (parent?.kind !== 'subProcess') return { ...process, children: change(process.children) };
  return withNode(process, { ...parent, children: change(parent.children) });
}

function isBoundary(node: FlowNode): node is BoundaryEvent {
  return node.kind === 'boundaryEvent';
}

function without(process: ProcessDefinition, node: BoundaryEvent): ProcessDefinition {
  let result = process;
  for (const id of node.outgoing) result = withoutFlow(result, id);
  const host = result.nodes.get(node.attachedToId);
  assert.ok(host !== undefined && isActivity(host));
  const boundaryEventIds = host.boundaryEventIds.filter((id) => id !== node.id);
  result = withNode(result, { ...host, boundaryEventIds });
  result = { ...result, nodes: new Map([...result.nodes].filter(([id]) => id !== node.id)) };
  return withChild(result, node.parentId, (ids) => ids.filter((id) => id !== node.id));
}

/** Whether every other node still has a way to begin, and a gateway one to go on. */
function mayLose(process: ProcessDefinition, id: string): boolean {
  const flow = process.flows.get(id);
  const [source, target] = [process.nodes.get(flow?.sourceId ?? ''), process.nodes.get(flow?.targetId ?? '')];
  if (source === undefined || target === undefined || source.kind === 'eventBasedGateway') return false;
  return source.outgoing.length > 1 && target.incoming.length > 1;
}

/** What lies behind it may then never be reached. */
function withoutFlow(process: ProcessDefinition, id: string): ProcessDefinition {
  const isOther = (other: string): boolean => other !== id;
  const nodes = [...process.nodes.values()].map((node): [string, FlowNode] => {
    const isDefault = 'defaultFlowId' in node && node.defaultFlowId === id;
    const { incoming, outgoing } = node;
    const others = { incoming: incoming.filter(isOther), outgoing: outgoing.filter(isOther) };
    return [node.id, { ...node, ...others, ...(isDefault ? { defaultFlowId: null } : {}) }];
  });
  return {
    ...process,
    nodes: new Map(nodes),
    flows: new Map([...process.flows].filter(([other]) => isOther(other))),
  };
}
