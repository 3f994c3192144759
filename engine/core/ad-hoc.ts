/** Ad hoc sub-processes: what runs inside is launched from outside. BPMN 2.0.2 §10.3.5, §13.3.5. */
import type { AdHocVariant } from '../../definitions/model.ts';
import { holds, siteOf } from './evaluate.ts';
import { removeTokensOf } from './interrupt.ts';
import type { LiveScope, LiveToken } from './live-state.ts';
import type { Step } from './step.ts';
import { endScope, isAdHoc } from './token-flow.ts';

/** The variant of the ad hoc sub-process at which the token waits, and its inside; or null. */
export function adHocAt(
  token: LiveToken,
): { readonly variant: AdHocVariant; readonly scope: LiveScope } | null {
  const node = token.scope.graph.node(token.elementId);
  const [scope] = token.childScopes ?? [];
  if (node.kind !== 'subProcess' || node.variant.kind !== 'adHoc') return null;
  return scope === undefined || !isAdHoc(scope) ? null : { variant: node.variant, scope };
}

/**
 * An activity inside has completed: asks the completion condition before the activity is left. When it holds,
 * nothing more is begun, and what still runs is ended, or waited for, as the model says.
 * @returns whether the token was taken care of
 * @throws ElementFailure
 */
export function leavesAdHoc(step: Step, token: LiveToken): boolean {
  const { scope } = token;
  const around = scope.owner === null || !isAdHoc(scope) ? null : adHocAt(scope.owner);
  const condition = around?.variant.completionCondition ?? null;
  if (around === null || condition === null) return false;
  if (!holds(step, siteOf(scope, scope.elementId), condition, scope.elementId)) return false;
  step.removeToken(token);
  if (around.variant.cancelsRemaining) removeTokensOf(step, scope);
  if (scope.tokens.size === 0) endScope(step, scope, 'completed');
  return true;
}
