/**
 * Variables that nothing reads.
 *
 * U1 Only what has no other use is reported: a declaration, the result of a script or a decision. What comes with a
 *    message or an answer must go somewhere.
 * U2 A variable that may be passed on with all the others, seen by a person, or taken by a process that calls, is read.
 */
import type { Finding } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import { isActivity, type FlowNode, type ProcessDefinition, type VariableDeclaration } from '../model.ts';
import { labelOf, warning, type ProcessCheck } from './lint-check.ts';
import { namesReadIn, readsAll } from './variable-reads.ts';
import { localsOf, writesOf } from './variable-writes.ts';

export const checkUnusedVariables: ProcessCheck = (process) => {
  const nodes = [...process.nodes.values()];
  if (nodes.some(readsAll)) return [];
  const read = namesReadIn(process);
  return [
    ...[...process.variables.values()].flatMap(
      (declaration) => unusedDeclaration(process, declaration, read) ?? [],
    ),
    ...nodes.flatMap((node) => unusedResult(process, node, read) ?? []),
  ];
};

/** What somebody outside may give is there for them. */
function unusedDeclaration(
  process: ProcessDefinition,
  { name }: VariableDeclaration,
  read: ReadonlySet<string>,
): Finding | null {
  if (read.has(name) || process.start.length > 0) return null;
  const isWritten = [...process.nodes.values()]
    .map(writesOf)
    .some(({ before, after, isOpen }) => isOpen || before.includes(name) || after.includes(name));
  if (isWritten) return null;
  const message = `Nothing writes or reads the variable ${quoteText(name)}, which the process declares; use it or remove the declaration`;
  return warning('SUTRA.LINT.VARIABLE_UNUSED', process.place, message);
}

function unusedResult(process: ProcessDefinition, node: FlowNode, read: ReadonlySet<string>): Finding | null {
  const name = resultOf(node);
  // A process that begins by itself may be called, and its variables are its results.
  if (name === null || read.has(name) || process.start.length > 0) return null;
  if (isActivity(node) && localsOf(node).includes(name)) return null;
  const message = `${labelOf(node)} writes the variable ${quoteText(name)}, and nothing in the process reads it; use it or take the element out`;
  return warning('SUTRA.LINT.VARIABLE_UNUSED', node.place, message);
}

function resultOf(node: FlowNode): string | null {
  if (node.kind === 'scriptTask') return node.outputVariable;
  if (node.kind !== 'businessRuleTask') return null;
  return node.implementation.kind === 'decision' ? node.outputVariable : null;
}
