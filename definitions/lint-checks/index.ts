/**
 * The checks of lint over a package that compiles: what is allowed, and hardly ever meant.
 *
 * L1 A check says only what it is sure of: a correct model has no findings.
 * L2 All are warnings, and each says what to do. A deployment neither runs these checks nor logs what they find.
 */
import type { Finding } from '../../config/engine-error.ts';
import type { ProcessDefinition } from '../model.ts';
import type { PackageModel } from '../package-model.ts';
import { checkBoundaryHosts } from './boundary-hosts.ts';
import { checkBudgets } from './budgets.ts';
import { checkAliases } from './colliding-aliases.ts';
import { checkConstantTimers } from './constant-timers.ts';
import { checkDeadEnds } from './dead-ends.ts';
import { checkDeadJoins } from './dead-joins.ts';
import type { LintCheck, LintContext, ProcessCheck } from './lint-check.ts';
import { checkMessageWaits } from './message-waits.ts';
import { checkMissingDefaults } from './missing-defaults.ts';
import { checkTransientVariables } from './transient-variables.ts';
import { checkUnjoinedBranches } from './unjoined-branches.ts';
import { checkUnusedChannels } from './unused-channels.ts';
import { checkUnusedVariables } from './unused-variables.ts';

export type { LintContext, OperatorLimits } from './lint-check.ts';

const processChecks: readonly ProcessCheck[] = [
  checkMissingDefaults,
  checkDeadEnds,
  checkDeadJoins,
  checkUnjoinedBranches,
  checkBoundaryHosts,
  checkConstantTimers,
  checkTransientVariables,
  checkUnusedVariables,
];

const packageChecks: readonly LintCheck[] = [
  checkMessageWaits,
  checkAliases,
  checkUnusedChannels,
  checkBudgets,
];

/** What a process shows by itself, whatever else is in its package. In no order. */
export function lintProcess(process: ProcessDefinition): readonly Finding[] {
  return processChecks.flatMap((check) => check(process));
}

/** All checks. In no order. */
export function lintModel(model: PackageModel, context: LintContext): readonly Finding[] {
  return [
    ...[...model.processes.values()].flatMap(lintProcess),
    ...packageChecks.flatMap((check) => check(model, context)),
  ];
}
