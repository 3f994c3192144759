/**
 * Conditional events: they occur when their condition becomes true. BPMN 2.0.2 §10.5.5, conditional.
 *
 * Looked at when no token can move by itself, and only when a variable was written or a wait began since.
 */
import { ElementFailure } from './element-failure.ts';
import { holds, siteOf } from './evaluate.ts';
import { conditionOccurs, staysOpen } from './occurrences.ts';
import type { Wait } from './snapshot.ts';
import type { Step } from './step.ts';

type ConditionWait = Extract<Wait, { readonly kind: 'condition' }>;

export class ConditionWatch {
  readonly #step: Step;
  #writeCount: number;
  /** Waits from here on have never been looked at. */
  #firstUnseenId: number;

  /** @param isFresh look at all conditions, whatever has changed */
  constructor(step: Step, isFresh: boolean) {
    this.#step = step;
    this.#writeCount = isFresh ? -1 : 0;
    this.#firstUnseenId = step.before.nextSequence;
  }

  /**
   * Lets all events occur whose condition has become true.
   * @returns whether one did
   */
  fire(): boolean {
    const step = this.#step;
    const { count } = step.root.writes;
    const hasWrites = count !== this.#writeCount;
    const firstUnseenId = this.#firstUnseenId;
    const waits = [...step.waits.values()].filter(
      (wait): wait is ConditionWait => wait.kind === 'condition' && (hasWrites || wait.id >= firstUnseenId),
    );
    this.#writeCount = count;
    this.#firstUnseenId = step.nextSequence;
    let hasFired = false;
    for (const wait of waits) if (step.waits.has(wait.id) && this.#look(wait)) hasFired = true;
    return hasFired;
  }

  #look(wait: ConditionWait): boolean {
    const step = this.#step;
    const isTrue = this.#evaluate(wait);
    if (!isTrue || wait.wasTrue) {
      if (isTrue !== wait.wasTrue) step.replaceWait({ ...wait, wasTrue: isTrue });
      return false;
    }
    step.history('conditionMet', wait.elementId);
    const holder = step.holderOf(wait);
    const { graph } = 'tokens' in holder ? holder : holder.scope;
    if (staysOpen(graph.node(wait.elementId))) step.replaceWait({ ...wait, wasTrue: true });
    conditionOccurs(step, wait);
    return true;
  }

  /** A condition that cannot be evaluated fails the instance; it is looked at again when that is retried. */
  #evaluate(wait: ConditionWait): boolean {
    const step = this.#step;
    const holder = step.holderOf(wait);
    const site = 'tokens' in holder ? siteOf(holder, wait.elementId) : holder;
    const node = site.scope.graph.node(wait.elementId);
    const trigger = 'triggers' in node ? node.triggers[wait.trigger ?? 0] : undefined;
    if (trigger?.kind !== 'conditional') return false;
    try {
      return holds(step, site, trigger.condition, wait.elementId);
    } catch (error) {
      if (!(error instanceof ElementFailure)) throw error;
      const { code, message } = error;
      step.history('failed', wait.elementId, { code });
      step.failures.push({
        code,
        message,
        elementId: wait.elementId,
        tokenId: null,
        atMs: step.context.nowMs,
      });
      return wait.wasTrue;
    }
  }
}
