/** What one kind of flow node does with a token. */
import type { FlowNode } from '../../../definitions/model.ts';
import type { LiveToken } from '../live-state.ts';
import type { Step } from '../step.ts';

/**
 * What became of a token that entered a node. `done`: it completes at once. `waits`: it is parked until a
 * wait of its is satisfied or its child scope ends. `joins`: it waits at a gateway for other tokens.
 */
export type Entered = 'done' | 'waits' | 'joins';

/**
 * The three phases of a token at a node. What all activities have in common (loops, data, boundary events,
 * compensation) is not theirs: `execute.ts` does it around them. Each may throw ElementFailure, and a retry begins with the phase
 * that threw; so a phase evaluates what can fail before it changes anything.
 */
export interface Behaviour<Node extends FlowNode = FlowNode> {
  /** The token has come over a sequence flow, or the node begins a scope. */
  enter(step: Step, token: LiveToken, node: Node): Entered;
  /** What its work has given, before the outputs of the activity are mapped from it. Default: nothing. */
  collect?(step: Step, token: LiveToken, node: Node): void;
  /** The node's work is done: reply, results. Default: nothing. */
  complete?(step: Step, token: LiveToken, node: Node): void;
  /** The way out. Default: every outgoing flow whose condition holds. */
  leave?(step: Step, token: LiveToken, node: Node): void;
}
