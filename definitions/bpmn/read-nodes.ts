/** Every kind of flow node to its reader: a table, so that a kind without a reader does not compile. */
import type { FlowNode, FlowNodeKind } from '../model.ts';
import { attributeOf } from '../xml/document.ts';
import { type GraphDraft, type NodeDraft, SUB_PROCESS_KINDS } from './graph.ts';
import {
  readPassThroughTask,
  readReceiveTask,
  readScriptTask,
  readSendTask,
  readServiceTask,
  readUserTask,
} from './read-activities.ts';
import { readCallActivity } from './read-call-activity.ts';
import { booleanOf, nameOf, placeOf, type ReadContext } from './read-context.ts';
import { readActivityData, rejectAssociations } from './read-data.ts';
import {
  readBoundaryEvent,
  readEndEvent,
  readIntermediateCatchEvent,
  readIntermediateThrowEvent,
  readStartEvent,
} from './read-events.ts';
import { readComplexGateway, readEventBasedGateway } from './read-gateways.ts';
import { readLoop } from './read-loop.ts';
import { readAudit } from './read-q.ts';
import { readSubProcess } from './read-sub-process.ts';
import type { ActivityBase, NodeBase } from './node-base.ts';

/** What every flow node has in common, and the graph for what only that shows. */
interface NodeSource {
  readonly node: NodeBase;
  readonly graph: GraphDraft;
}

/** Null: the node has a fault, which was reported. */
type NodeReader = (context: ReadContext, draft: NodeDraft, source: NodeSource) => FlowNode | null;

/** A reader that needs what only activities have. */
function activity<N extends FlowNode>(
  read: (context: ReadContext, draft: NodeDraft, base: ActivityBase, graph: GraphDraft) => N | null,
): NodeReader {
  return (context, draft, { node, graph }) => read(context, draft, activityBase(context, draft, node), graph);
}

/** A reader of an event: of data associations only some outputs of events that catch are run. */
function event<N extends FlowNode>(
  read: (context: ReadContext, draft: NodeDraft, base: NodeBase, graph: GraphDraft) => N | null,
): NodeReader {
  return (context, draft, { node, graph }) => {
    rejectAssociations(context, draft.element);
    return read(context, draft, node, graph);
  };
}

const readers = {
  startEvent: event(readStartEvent),
  endEvent: event(readEndEvent),
  intermediateCatchEvent: event(readIntermediateCatchEvent),
  intermediateThrowEvent: event(readIntermediateThrowEvent),
  boundaryEvent: event(readBoundaryEvent),
  serviceTask: activity(readServiceTask),
  businessRuleTask: activity(readServiceTask),
  sendTask: activity(readSendTask),
  receiveTask: activity(readReceiveTask),
  userTask: activity(readUserTask),
  scriptTask: activity(readScriptTask),
  task: activity(readPassThroughTask),
  manualTask: activity(readPassThroughTask),
  subProcess: activity(readSubProcess),
  callActivity: activity(readCallActivity),
  exclusiveGateway: (_context, { element }, { node }) => ({
    ...node,
    kind: 'exclusiveGateway',
    defaultFlowId: attributeOf(element, 'default'),
  }),
  inclusiveGateway: (_context, { element }, { node }) => ({
    ...node,
    kind: 'inclusiveGateway',
    defaultFlowId: attributeOf(element, 'default'),
  }),
  parallelGateway: (_context, _draft, { node }) => ({ ...node, kind: 'parallelGateway' }),
  eventBasedGateway: (context, draft, { node }) => readEventBasedGateway(context, draft, node),
  complexGateway: (context, draft, { node }) => readComplexGateway(context, draft, node),
} satisfies Record<FlowNodeKind, NodeReader>;

function isReadable(kind: string): kind is FlowNodeKind {
  return Object.hasOwn(readers, kind);
}

/** The model's node, or null when it is not executed or has a fault; both were reported. */
export function readNode(context: ReadContext, draft: NodeDraft, graph: GraphDraft): FlowNode | null {
  // The model has one kind of sub-process, with variants.
  const kind = SUB_PROCESS_KINDS.has(draft.kind) ? 'subProcess' : draft.kind;
  if (!draft.isExecuted || !isReadable(kind)) {
    return null;
  }
  const node: NodeBase = {
    id: draft.id,
    name: nameOf(draft.element),
    place: placeOf(context, draft.element),
    parentId: draft.parentId,
    incoming: draft.incoming,
    outgoing: draft.outgoing,
    ...(isAudited(draft, graph) ? { isAudited: true } : {}),
  };
  const read: NodeReader = readers[kind];
  return read(context, draft, { node, graph });
}

/** As the nearest `q:audit` around it says. */
function isAudited(draft: NodeDraft, graph: GraphDraft): boolean {
  // Ids that are used twice, which is refused elsewhere, may put a node around itself.
  const seen = new Set<NodeDraft>();
  let near: NodeDraft | undefined = draft;
  while (near !== undefined && !seen.has(near)) {
    const own = readAudit(near.element);
    if (own !== null) return own;
    seen.add(near);
    near = graph.nodes.get(near.parentId);
  }
  return graph.isAudited;
}

function activityBase(context: ReadContext, draft: NodeDraft, node: NodeBase): ActivityBase {
  const { element } = draft;
  return {
    ...node,
    boundaryEventIds: draft.boundaryEventIds,
    defaultFlowId: attributeOf(element, 'default'),
    // An event sub-process that is marked so is no activity to associate: its start event says when it runs.
    isForCompensation: booleanOf(context, element, 'isForCompensation', false) && !draft.isEventSubProcess,
    loop: readLoop(context, element),
    data: readActivityData(context, element),
  };
}
