/**
 * Aliases whose values meet where they should not.
 *
 * A1 A value that is the same in every instance tells none apart. At a start a unique one means that only one instance
 *    may run, and with `multi` a message is for all: both are left alone.
 * A2 A unique value is held by one instance of the module, whatever its process; so the same name in two processes
 *    means two kinds of things. Within one process it is one kind, however the process starts.
 */
import type { Finding } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import { isActivity, type FlowNode, type ProcessDefinition } from '../model.ts';
import { constantOf } from './constant-values.ts';
import { familyOf } from './called-processes.ts';
import { labelOf, warning, type LintCheck } from './lint-check.ts';
import { registeredAliasesOf, type RegisteredAlias } from './registered-aliases.ts';
import { writesOf } from './variable-writes.ts';

export const checkAliases: LintCheck = (model) => [
  ...[...model.processes.values()].flatMap(constantsIn),
  ...sharedIn(model),
];

function constantsIn(process: ProcessDefinition): readonly Finding[] {
  return registeredAliasesOf(process).flatMap((registered) => constantAt(process, registered) ?? []);
}

function constantAt(process: ProcessDefinition, { node, alias, isAtStart }: RegisteredAlias): Finding | null {
  const { name, isUnique, isMulti, place, expression } = alias;
  // What finds an instance later is said at the wait; a unique one there fails the second instance.
  if (isAtStart || isMulti || !isSameEverywhere(process, node, alias)) return null;
  const label = `q:alias ${quoteText(name)} of ${labelOf(node)}`;
  const message = isUnique
    ? `${label} is unique and has the same value in every instance (${quoteText(expression.text)}), so the second instance that comes there fails; make it of what tells instances apart`
    : `${label} has the same value in every instance (${quoteText(expression.text)}), so a message is refused when two of them wait; make it of what tells instances apart, or write multi="true" if it is for all`;
  return warning('SUTRA.LINT.ALIAS_CONSTANT', place, message);
}

function isSameEverywhere(
  process: ProcessDefinition,
  node: FlowNode,
  alias: RegisteredAlias['alias'],
): boolean {
  const { expression } = alias;
  if (expression.names.length === 0) {
    const value = constantOf(expression);
    return value !== undefined && value !== null;
  }
  // Runs of a loop are counted from 1 in every instance.
  return (
    expression.names.every((name) => name === 'loopCounter') &&
    alias.isUnique &&
    isInLoop(process, node) &&
    ![...process.nodes.values()].some((other) => writesOf(other).after.includes('loopCounter'))
  );
}

function isInLoop({ nodes }: ProcessDefinition, node: FlowNode): boolean {
  for (let at: FlowNode | undefined = node; at !== undefined; at = nodes.get(at.parentId)) {
    if (isActivity(at) && at.loop !== null) return true;
  }
  return false;
}

function sharedIn(model: Parameters<LintCheck>[0]): readonly Finding[] {
  const processes = [...model.processes.values()];
  const findings: Finding[] = [];
  const first = new Map<string, ProcessDefinition>();
  for (const process of processes) {
    for (const { alias, node } of uniqueStartsOf(process)) {
      const { name, place } = alias;
      const other = first.get(name);
      if (other === undefined) first.set(name, process);
      // A called process is of the caller's instance, which may hold its own value twice.
      if (other === undefined || other === process || familyOf(model, process)?.includes(other) !== false)
        continue;
      const message = `The unique q:alias ${quoteText(name)} of ${labelOf(node)} is also that of process ${quoteText(other.id)}, so an instance of one refuses the start of the other under the same value; give one of them another name`;
      findings.push(warning('SUTRA.LINT.ALIAS_SHARED', place, message));
    }
  }
  return findings;
}

/** Each name once. */
function uniqueStartsOf(process: ProcessDefinition): readonly RegisteredAlias[] {
  const unique = registeredAliasesOf(process).filter(
    ({ alias, isAtStart }) => isAtStart && alias.isUnique && alias.onConflict === 'reject',
  );
  return unique.filter(
    ({ alias }, index) => unique.findIndex((other) => other.alias.name === alias.name) === index,
  );
}
