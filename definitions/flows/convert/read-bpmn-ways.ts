/** The ways of a split: where they come together, whether they may, and which of them the flow goes on with. */
import type { FlowDraft, NodeDraft } from '../../bpmn/graph.ts';
import { partsOf } from '../flow-parts.ts';
import type { Handler, Step, Steps } from '../flow.ts';
import { BARE_END } from '../step-ids.ts';
import type { HandlerHead } from './read-bpmn-events.ts';

/** A path, or paths of which one or all are taken, that have come to a node where others come too. */
export interface Open {
  readonly merge: NodeDraft;
  readonly flows: ReadonlySet<string>;
  readonly by: 'one' | 'choice' | 'fork';
}

/** Where a path goes on. */
export type Next =
  | { readonly kind: 'flow'; readonly flow: FlowDraft }
  | { readonly kind: 'node'; readonly node: NodeDraft }
  | { readonly kind: 'open'; readonly open: Open }
  /** Nothing leads on from the node, which is no end event. */
  | { readonly kind: 'stop'; readonly node: NodeDraft }
  | { readonly kind: 'end' };

export const END: Next = { kind: 'end' };

export function along(flow: FlowDraft): Next {
  return { kind: 'flow', flow };
}

export interface Walked {
  readonly steps: Steps;
  /** Null: it has ended. */
  readonly open: Open | null;
  /** Whether a token can end on the way: a join must not count on it. */
  readonly mayEnd: boolean;
}

/** A branch of a split, for the join. */
export type Way = Pick<Walked, 'open' | 'mayEnd'>;

/** The order in which a `try` has them. */
const HANDLERS: readonly Handler['kind'][] = ['error', 'timeout', 'escalation'];

export function sortedHandlers(handlers: readonly Handler[]): readonly Handler[] {
  return handlers.toSorted((one, other) => HANDLERS.indexOf(one.kind) - HANDLERS.indexOf(other.kind));
}

export function isOpen({ open }: Way): boolean {
  return open !== null;
}

/**
 * What the flow goes on with when the other ways are exceptions: the only way that goes on; or, when all end, one that
 * is longer than the others together. Null: none is.
 */
export function mainOf<Each extends Walked>(ways: readonly Each[]): Each | null {
  const [open, second] = ways.filter(isOpen);
  if (open !== undefined) return second === undefined ? open : null;
  const sizes = ways.map(({ steps }) => sizeOf(steps));
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  return ways.find((_, index) => 2 * (sizes[index] ?? 0) > whole + 1) ?? null;
}

function sizeOf(steps: Steps): number {
  return steps.reduce(
    (sum, step) => sum + 1 + partsOf(step).reduce((inside, part) => inside + sizeOf(part.steps), 0),
    0,
  );
}

export function isInterrupting(head: HandlerHead): boolean {
  return head.kind === 'error' || head.isInterrupting;
}

/** A plain end event at the end of a scope goes without saying, when at least so many steps are left. */
export function withoutLastEnd(steps: Steps, least = 1): Steps {
  const last = steps.at(-1);
  if (last === undefined || !isPlainEnd(last) || steps.length <= least) return steps;
  // One that a flow has numbered was written there.
  return last.isIdGiven && BARE_END.test(last.id.text) ? steps : steps.slice(0, -1);
}

export function isPlainEnd(step: Step): boolean {
  return (
    step.verb === 'end' &&
    !step.isTerminating &&
    step.message === null &&
    step.reply === null &&
    step.name === null
  );
}
