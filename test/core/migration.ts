/** Instances that are migrated from one version of their process to the next. */
import assert from 'node:assert/strict';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { RefusalReason } from '../../engine/core/effect.ts';
import type { Stimulus } from '../../engine/core/stimulus.ts';
import { start } from '../support/model-builder.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { DEPLOYMENT_ID, directory, Instance, type InstanceOptions } from './instance.ts';

export const NEXT_ID = 'dep-2';

export type Elements = Readonly<Record<string, string>>;

/** One node after another. */
export function line(...nodes: readonly NodeSpec[]): ProcessDefinition {
  const all = [start('s'), ...nodes];
  return processModel('p', all, [all.map(({ node }) => node.id).join(' -> ')]);
}

/** @param called what each version can call beside itself */
export function between(
  old: ProcessDefinition,
  next: ProcessDefinition,
  called: {
    readonly old?: readonly ProcessDefinition[];
    readonly next?: readonly ProcessDefinition[];
    readonly others?: Readonly<Record<string, readonly ProcessDefinition[]>>;
  } = {},
  options: InstanceOptions = {},
): Instance {
  const calls = directory({
    ...called.others,
    [DEPLOYMENT_ID]: [old, ...(called.old ?? [])],
    [NEXT_ID]: [next, ...(called.next ?? [])],
  });
  return new Instance(old, { ...options, calls });
}

export function migration(elements: Elements = {}, deploymentId = NEXT_ID): Stimulus {
  return { kind: 'migrate', deploymentId, elements };
}

export function migrated(instance: Instance, elements: Elements = {}): Instance {
  instance.mustAdvance(migration(elements));
  assert.equal(instance.snapshot.deploymentId, NEXT_ID);
  return instance;
}

/** Why the instance cannot be migrated, which is as it was after that. */
export function reasonsAgainst(instance: Instance, stimulus = migration()): readonly RefusalReason[] {
  const { snapshot } = instance;
  const outcome = instance.apply(stimulus);
  assert.ok(outcome.kind === 'refused', 'it is refused');
  assert.equal(outcome.code, 'SUTRA.CORE.MIGRATION_REFUSED');
  assert.equal(outcome.isRetryable, false);
  assert.deepEqual(instance.snapshot, snapshot);
  const { reasons = [] } = outcome;
  assert.ok(outcome.message.includes(reasons[0]?.message ?? '?'), 'the message has the first of them');
  return reasons;
}

export function textsAgainst(instance: Instance, elements: Elements = {}): readonly string[] {
  return reasonsAgainst(instance, migration(elements)).map(({ message }) => message);
}
