/** The table from kind to behaviour: a kind without a row does not compile. */
import type { FlowNode, FlowNodeKind } from '../../../definitions/model.ts';
import type { Behaviour } from './behaviour.ts';
import { boundaryEvent } from './boundary-event.ts';
import { businessRuleTask } from './business-rule-task.ts';
import { callActivity } from './call-activity.ts';
import { complexGateway } from './complex-gateway.ts';
import { endEvent } from './end-event.ts';
import { eventBasedGateway } from './event-based-gateway.ts';
import { exclusiveGateway } from './exclusive-gateway.ts';
import { inclusiveGateway } from './inclusive-gateway.ts';
import { intermediateCatchEvent } from './intermediate-catch-event.ts';
import { intermediateThrowEvent } from './intermediate-throw-event.ts';
import { parallelGateway } from './parallel-gateway.ts';
import { passThroughTask } from './pass-through-task.ts';
import { receiveTask } from './receive-task.ts';
import { scriptTask } from './script-task.ts';
import { sendTask } from './send-task.ts';
import { serviceTask } from './service-task.ts';
import { startEvent } from './start-event.ts';
import { subProcess } from './sub-process.ts';
import { userTask } from './user-task.ts';

/** The member of the union whose `kind` can be `Kind`. */
type NodeOfKind<Kind extends FlowNodeKind, Node = FlowNode> = Node extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Node
    : never
  : never;

const behaviours = {
  startEvent,
  endEvent,
  intermediateCatchEvent,
  intermediateThrowEvent,
  boundaryEvent,
  serviceTask,
  businessRuleTask,
  sendTask,
  receiveTask,
  userTask,
  scriptTask,
  task: passThroughTask,
  manualTask: passThroughTask,
  subProcess,
  callActivity,
  exclusiveGateway,
  inclusiveGateway,
  parallelGateway,
  eventBasedGateway,
  complexGateway,
} satisfies { readonly [Kind in FlowNodeKind]: Behaviour<NodeOfKind<Kind>> };

/** The behaviour of a node, to be called with that very node. */
export function behaviourOf(node: FlowNode): Behaviour {
  return behaviours[node.kind];
}
