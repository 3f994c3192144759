/**
 * What stands against a migration that the core cannot know: which deployments there are, and how their channels bring
 * what is sent.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { PackageModel } from '../../definitions/package-model.ts';
import type { CoreCode } from '../core/codes.ts';
import type { AdvanceResult } from '../core/effect.ts';
import { MigrationReasons } from '../core/migrate-reasons.ts';
import type { Snapshot, Wait } from '../core/snapshot.ts';
import type { Stimulus } from '../core/stimulus.ts';
import type { InstanceOrigin } from './instance-work.ts';
import type { Target } from './turn.ts';

export interface MigrationState {
  readonly models: ReadonlyMap<string, PackageModel>;
  /** Of the deployments that migrations of the batch name: those that are active or drain. */
  readonly migrationTargets: ReadonlySet<string>;
}

/** The deployment that the turn migrates an instance to, or null. */
export function migrationTargetOf(target: Target): string | null {
  return target.kind === 'instance' && target.stimulus.kind === 'migrate'
    ? target.stimulus.deploymentId
    : null;
}

/** Null: the stimulus is no migration, or one to a deployment of the instance's own module. */
export function refusedTarget(
  { id: instanceId, tenant, module }: InstanceOrigin,
  stimulus: Stimulus,
  { models, migrationTargets }: MigrationState,
): EngineError | null {
  if (stimulus.kind !== 'migrate') return null;
  const { deploymentId } = stimulus;
  const attributes = { instanceId, deploymentId, retryable: false };
  if (!migrationTargets.has(deploymentId)) {
    const message = `There is no deployment ${deploymentId} that is active or drains.`;
    return new EngineError('SUTRA.DEPLOYMENT.TARGET_INVALID', message, { attributes });
  }
  const identity = models.get(deploymentId)?.identity;
  if (identity === undefined) {
    const message = `This server cannot read the package of deployment ${deploymentId}.`;
    return new EngineError('SUTRA.DEPLOYMENT.TARGET_INVALID', message, { attributes });
  }
  if (identity.tenant === tenant && identity.module === module) return null;
  const message = `Deployment ${deploymentId} is of ${identity.tenant}/${identity.module}, and the instance of ${tenant}/${module}.`;
  return new EngineError('SUTRA.DEPLOYMENT.TARGET_INVALID', message, { attributes });
}

/**
 * Refuses a migration that the core has planned when a request is on its way, or with a worker, by a transport that the
 * channel does not have in the other deployment: who has it would never be asked, or never be heard. Null: there is none.
 */
export function refusedChannels(
  before: Snapshot,
  { snapshot, effects }: Extract<AdvanceResult, { kind: 'advanced' }>,
  models: ReadonlyMap<string, PackageModel>,
): Extract<AdvanceResult, { kind: 'refused' }> | null {
  const calls = callsOf(before);
  const reasons = new MigrationReasons();
  for (const effect of effects) {
    const call = effect.kind === 'callMigrated' ? calls.get(effect.idempotencyKey) : undefined;
    if (call === undefined) continue;
    const { elementId, tokenId, requestChannel } = call;
    const transportIn = ({ deploymentId }: Snapshot): string | undefined =>
      models.get(deploymentId)?.channels.get(requestChannel)?.transport;
    const [old, other] = [transportIn(before), transportIn(snapshot)];
    if (old === other) continue;
    const message = `the request of ${elementId} went out by ${old ?? 'no transport'}, and in the new model channel ${requestChannel} has ${other ?? 'none'}`;
    reasons.add(elementId, tokenId, message);
  }
  const [first] = reasons.capped;
  if (first === undefined) return null;
  const message = `instance ${before.instanceId} cannot be migrated to ${snapshot.deploymentId}: ${first.message}`;
  const code = 'SUTRA.CORE.MIGRATION_REFUSED' satisfies CoreCode;
  return { kind: 'refused', code, message, isRetryable: false, reasons: reasons.capped };
}

type CallWait = Extract<Wait, { readonly kind: 'call' }>;

function callsOf({ waits, parts = [] }: Snapshot): ReadonlyMap<string, CallWait> {
  const calls = [...waits, ...parts.flatMap((part) => part.waits)].filter((wait) => wait.kind === 'call');
  return new Map(calls.map((call) => [call.idempotencyKey, call]));
}
