/** Every kind of flow node to its reader: a table, so that a kind without a reader does not compile. */
import type { FlowNode, FlowNodeKind } from '../model.ts';
import { attributeOf } from '../xml/document.ts';
import type { GraphDraft, NodeDraft } from './graph.ts';
import {
  readPassThroughTask,
  readReceiveTask,
  readScriptTask,
  readSendTask,
  readServiceTask,
  readSubProcess,
  readUserTask,
  rejectAssignments,
} from './read-activities.ts';
import type { ActivityBase, NodeBase } from './node-base.ts';
import { nameOf, placeOf, type ReadContext } from './read-context.ts';
import {
  readBoundaryEvent,
  readEndEvent,
  readIntermediateCatchEvent,
  readIntermediateThrowEvent,
  readStartEvent,
} from './read-events.ts';

interface Bases {
  readonly node: NodeBase;
  readonly activity: ActivityBase;
  readonly graph: GraphDraft;
}

/** Null: the node has a fault, which was reported. */
type NodeReader = (context: ReadContext, draft: NodeDraft, bases: Bases) => FlowNode | null;

const readers = {
  startEvent: (context, draft, { node, graph }) => readStartEvent(context, draft, node, graph.processId),
  endEvent: (context, draft, { node }) => readEndEvent(context, draft, node),
  intermediateCatchEvent: (context, draft, { node }) => readIntermediateCatchEvent(context, draft, node),
  intermediateThrowEvent: (context, draft, { node }) => readIntermediateThrowEvent(context, draft, node),
  boundaryEvent: (context, draft, { node }) => readBoundaryEvent(context, draft, node),
  serviceTask: (context, draft, { activity }) => readServiceTask(context, draft, activity),
  sendTask: (context, draft, { activity }) => readSendTask(context, draft, activity),
  receiveTask: (context, draft, { activity }) => readReceiveTask(context, draft, activity),
  userTask: (context, draft, { activity }) => readUserTask(context, draft, activity),
  scriptTask: (context, draft, { activity }) => readScriptTask(context, draft, activity),
  task: (context, draft, { activity }) => readPassThroughTask(context, draft, activity),
  manualTask: (context, draft, { activity }) => readPassThroughTask(context, draft, activity),
  subProcess: (context, draft, { activity, graph }) =>
    readSubProcess(context, draft, activity, onlyStartEvent(draft, graph)),
  exclusiveGateway: (_context, _draft, { node, activity }) => ({
    ...node,
    kind: 'exclusiveGateway',
    defaultFlowId: activity.defaultFlowId,
  }),
  inclusiveGateway: (_context, _draft, { node, activity }) => ({
    ...node,
    kind: 'inclusiveGateway',
    defaultFlowId: activity.defaultFlowId,
  }),
  parallelGateway: (_context, _draft, { node }) => ({ ...node, kind: 'parallelGateway' }),
  eventBasedGateway: (_context, _draft, { node }) => ({ ...node, kind: 'eventBasedGateway' }),
} satisfies Record<FlowNodeKind, NodeReader>;

const EVENTS = new Set([
  'startEvent',
  'endEvent',
  'intermediateCatchEvent',
  'intermediateThrowEvent',
  'boundaryEvent',
]);

function isReadable(kind: string): kind is FlowNodeKind {
  return Object.hasOwn(readers, kind);
}

/** The model's node, or null when it is not executed or has a fault; both were reported. */
export function readNode(context: ReadContext, draft: NodeDraft, graph: GraphDraft): FlowNode | null {
  if (!draft.isExecuted || !isReadable(draft.kind)) {
    return null;
  }
  if (EVENTS.has(draft.kind)) {
    rejectAssignments(context, draft.element);
  }
  const node: NodeBase = {
    id: draft.id,
    name: nameOf(draft.element),
    place: placeOf(context, draft.element),
    parentId: draft.parentId,
    incoming: draft.incoming,
    outgoing: draft.outgoing,
  };
  const activity: ActivityBase = {
    ...node,
    boundaryEventIds: draft.boundaryEventIds,
    defaultFlowId: attributeOf(draft.element, 'default'),
  };
  const read: NodeReader = readers[draft.kind];
  return read(context, draft, { node, activity, graph });
}

/** The graph check reports a sub-process that has none or several. */
function onlyStartEvent(draft: NodeDraft, graph: GraphDraft): string | null {
  const starts = draft.children.filter((id) => graph.nodes.get(id)?.kind === 'startEvent');
  return starts.length === 1 ? (starts[0] ?? null) : null;
}
