import type { EventBasedGateway } from '../../../definitions/model.ts';
import { waitForEvent, waitForMessage } from '../event-waits.ts';
import { InvariantError } from '../invariant-error.ts';
import type { Behaviour } from './behaviour.ts';

/** Waits for the first of the events behind it; the others are then no longer waited for. §13.4.4. */
export const eventBasedGateway: Behaviour<EventBasedGateway> = {
  enter(step, token, node) {
    const { graph } = token.scope;
    for (const { targetId } of graph.facts(node.id).outgoing) {
      const target = graph.node(targetId);
      if (target.kind === 'intermediateCatchEvent') waitForEvent(step, token, target);
      else if (target.kind === 'receiveTask')
        waitForMessage(step, token, targetId, target.source, target.aliases);
      else
        throw new InvariantError(`${targetId} behind the event-based gateway ${node.id} is a ${target.kind}`);
    }
    return 'waits';
  },
};
