/**
 * An operator lets an instance go on with the same process of another deployment.
 *
 * M1 All or nothing: either every token, scope, wait and record of the instance has its place in the new model, or
 *    nothing is changed and everything that is in the way is named.
 * M2 A token stays in its scope, at a node of the same kind that does the same work. What it waits for there is kept as
 *    it is: a timer its time, a call its key, a message its aliases.
 * M3 Of the events around it, those that both models have are kept, those that are gone are withdrawn, and new ones are
 *    armed now (N1 to N3 in migrate-events.ts).
 * M4 Numbers, variables and aliases stay. To a model with the same elements, nothing changes but the deployment.
 * M5 Called processes of the same deployment go along; those of others stay as they are.
 * M6 A failed instance stays failed, with its failure: what it can do in the new model is found out when it is retried.
 *    Any other goes on at once: joins and conditions are asked what they say now.
 */
import { endedRefusal, isEnded, refusal, run } from './apply-stimulus.ts';
import { terminalWaitOf } from './call.ts';
import type { AdvanceResult } from './effect.ts';
import { ElementFailure } from './element-failure.ts';
import { waitForTrigger } from './event-waits.ts';
import { InvariantError } from './invariant-error.ts';
import { isRun, type LiveScope, type LiveToken } from './live-state.ts';
import { checkCompensations } from './migrate-compensations.ts';
import { planEvents, type AddedTrigger, type EventPlan } from './migrate-events.ts';
import { ProcessPairs } from './migrate-processes.ts';
import { MigrationReasons } from './migrate-reasons.ts';
import { migratedSnapshot } from './migrate-snapshot.ts';
import { checkScopes, checkTokens } from './migrate-tokens.ts';
import type { Wait } from './snapshot.ts';
import { Step } from './step.ts';
import type { AdvanceContext, Stimulus } from './stimulus.ts';

type WaitOf<Kind extends Wait['kind']> = Extract<Wait, { readonly kind: Kind }>;

/** Entries of the journal for tokens whose element has another id. A guess: the instance is what is read of it. */
const MAX_ELEMENT_ENTRIES = 100;

/** @throws NeedsParts */
export function migrate(
  step: Step,
  { deploymentId, elements }: Extract<Stimulus, { readonly kind: 'migrate' }>,
): AdvanceResult {
  const { before } = step;
  if (isEnded(before)) return endedRefusal(before);
  step.requireParts();
  const reasons = new MigrationReasons();
  if (deploymentId === before.deploymentId) {
    reasons.add(null, null, `the instance is one of the deployment ${deploymentId} already`);
    return refused(step, deploymentId, reasons);
  }
  const pairs = new ProcessPairs(step, deploymentId, elements);
  checkScopes(step, pairs, reasons);
  const root = pairs.of(step.root);
  if (root === null) return refused(step, deploymentId, reasons);
  pairs.checkEntries(elements, reasons);
  checkTokens(step, pairs, reasons);
  checkCompensations(step, pairs, reasons);
  if (!reasons.isEmpty()) return refused(step, deploymentId, reasons);
  const events = planEvents(step, pairs, reasons);
  if (!reasons.isEmpty()) return refused(step, deploymentId, reasons);
  const snapshot = migratedSnapshot(step, pairs, deploymentId, events);
  const next = new Step(root.to.process, contextIn(step.context, deploymentId), snapshot);
  tell(step, next, pairs);
  rearm(next, events, reasons);
  return reasons.isEmpty() ? goOn(step, next) : refused(step, deploymentId, reasons);
}

function goOn(step: Step, next: Step): AdvanceResult {
  if (next.before.status === 'failed') return { kind: 'advanced', ...next.finish() };
  // A join may wait for less than in the old model.
  for (const scope of next.scopes.values()) next.changedScopes.add(scope);
  return run(next, hasOtherConditions(step, next));
}

/** A condition that is waited for says something else than in the old model. */
function hasOtherConditions(step: Step, next: Step): boolean {
  for (const wait of next.waits.values()) {
    const before = wait.kind === 'condition' ? step.waits.get(wait.id) : undefined;
    if (before !== undefined && conditionText(step, before) !== conditionText(next, wait)) return true;
  }
  return false;
}

function conditionText(step: Step, wait: Wait): string | null {
  const holder = step.holderOf(wait);
  const { graph } = 'tokens' in holder ? holder : holder.scope;
  const node = graph.node(wait.elementId);
  const trigger = 'triggers' in node ? node.triggers[wait.trigger ?? 0] : undefined;
  return trigger?.kind === 'conditional' ? trigger.condition.text : null;
}

function refused({ before }: Step, deploymentId: string, reasons: MigrationReasons): AdvanceResult {
  const message = `instance ${before.instanceId} cannot be migrated to ${deploymentId}: ${reasons.summary}`;
  const result = refusal('SUTRA.CORE.MIGRATION_REFUSED', message);
  return result.kind === 'refused' ? { ...result, reasons: reasons.capped } : result;
}

function contextIn(context: AdvanceContext, deploymentId: string): AdvanceContext {
  const { channels: _, ...rest } = context;
  const channels = context.calls?.channelsOf(deploymentId);
  return { ...rest, deploymentId, ...(channels === undefined ? {} : { channels }) };
}

/** What everyone else must know: where the tokens, the calls and the timers are now. */
function tell(step: Step, next: Step, pairs: ProcessPairs): void {
  next.history('migrated', null, { from: step.context.deploymentId, to: next.context.deploymentId });
  let entryCount = 0;
  for (const { id, elementId } of step.tokens.values()) {
    const token = next.tokens.get(id);
    if (token === undefined || token.elementId === elementId || isRun(token)) continue;
    entryCount += 1;
    if (entryCount > MAX_ELEMENT_ENTRIES) break;
    next.history('elementMigrated', elementId, { to: token.elementId });
  }
  for (const wait of next.waits.values()) {
    if (wait.kind === 'call') tellCall(step, next, pairs, wait);
    else if (wait.kind === 'timer') tellTimer(step, next, wait);
  }
}

/** Whether its element has another id or not: what is sent for it must name the new model. */
function tellCall(step: Step, next: Step, pairs: ProcessPairs, wait: WaitOf<'call'>): void {
  const token = next.holderOf(wait);
  const before = step.holderOf(wait);
  if ('tokens' in token || 'tokens' in before || pairs.of(before.scope) === null) return;
  const { idempotencyKey, elementId } = wait;
  const { deploymentId, graph } = token.scope;
  next.effects.push({
    kind: 'callMigrated',
    idempotencyKey,
    deploymentId,
    processId: graph.process.id,
    elementId,
    terminalWait: terminalWaitOf(token, wait.id),
  });
}

function tellTimer(step: Step, next: Step, wait: WaitOf<'timer'>): void {
  const { id: waitId, elementId, dueAtMs } = wait;
  if (elementId === step.waits.get(waitId)?.elementId) return;
  const holder = next.holderOf(wait);
  const { partId } = 'tokens' in holder ? holder : holder.scope;
  next.effects.push(
    { kind: 'timerCleared', waitId },
    { kind: 'timerSet', waitId, elementId, dueAtMs, partId },
  );
}

function rearm(next: Step, { withdrawnIds, added }: EventPlan, reasons: MigrationReasons): void {
  for (const id of withdrawnIds) {
    const wait = next.waits.get(id);
    if (wait !== undefined) next.withdrawWait(wait);
  }
  for (const { holder, at, eventId, trigger, index } of added) {
    try {
      waitForTrigger(next, holderIn(next, holder), eventId, trigger, index);
    } catch (error) {
      if (!(error instanceof ElementFailure)) throw error;
      const tokenId = 'tokenId' in holder ? holder.tokenId : null;
      reasons.add(at, tokenId, `${eventId} cannot be waited for: ${error.message}`);
    }
  }
}

function holderIn(next: Step, holder: AddedTrigger['holder']): LiveToken | LiveScope {
  const found = 'tokenId' in holder ? next.tokens.get(holder.tokenId) : next.scopes.get(holder.scopeId);
  if (found === undefined) throw new InvariantError('what waits for an event has gone');
  return found;
}
