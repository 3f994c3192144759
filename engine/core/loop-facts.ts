/** Small questions about the loop of the activity at which a token is. */
import { isActivity, type Activity, type LoopDefinition } from '../../definitions/model.ts';
import { InvariantError } from './invariant-error.ts';
import type { LiveToken } from './live-state.ts';

export function activityAt(token: LiveToken): Activity {
  const node = token.scope.graph.node(token.elementId);
  if (!isActivity(node)) throw new InvariantError(`${node.id} is no activity`);
  return node;
}

export function loopAt(token: LiveToken): LoopDefinition | null {
  return activityAt(token).loop;
}

/** Whether its runs put something out that is collected. */
export function collectsOutput(token: LiveToken): boolean {
  const loop = loopAt(token);
  return loop?.kind === 'multiInstance' && loop.outputCollection !== null;
}

/** Whether its runs need frames. */
export function hasFrames(node: Activity): boolean {
  return node.loop !== null || node.data.locals.length > 0 || node.data.isClosed;
}
