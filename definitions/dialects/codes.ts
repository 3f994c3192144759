/** Error codes of what other vendors write into BPMN files. All are found at deploy time. */
import type { CodeRow, CodeTable } from '../../config/engine-error.ts';

function row(meaning: string, remedy: string): CodeRow {
  return { httpStatus: 422, retry: 'after-change', meaning, remedy: `Nothing was deployed. ${remedy}` };
}

function warning(meaning: string, remedy: string): CodeRow {
  return { httpStatus: 422, retry: 'never', meaning, remedy };
}

export const dialectCodes = {
  'SUTRA.DIALECT.NAME_UNKNOWN': warning(
    'An extension has a name that its vendor does not know, so nothing reads it (a warning).',
    'Correct the name, or take the extension out.',
  ),
  'SUTRA.DIALECT.NAME_MISPLACED': warning(
    'An extension stands on an element for which its vendor does not know it, so nothing reads it (a warning).',
    'Move the extension, or take it out.',
  ),
  'SUTRA.DIALECT.EXTENSION_REFUSED': row(
    'An extension of another engine would change what runs, and is not executed here.',
    'Do what the finding says, then deploy again.',
  ),
  'SUTRA.DIALECT.CODE_NOT_EXECUTED': row(
    'A task or listener is code of another engine: a Java class, a bean, a script in another language.',
    'Make the task an external task and run its code in a worker, or say `unbound-tasks: external-task` in package.yaml.',
  ),
  'SUTRA.DIALECT.TASK_UNBOUND': warning(
    'The work of a task is code of another engine or not given, and package.yaml makes it an external task (a warning).',
    'Let a worker fetch the channel that the finding names.',
  ),
  'SUTRA.DIALECT.LISTENER_IGNORED': warning(
    'A listener of another engine is left out, because package.yaml says `listeners: ignore` (a warning).',
    'See that nothing of the process depends on what it did.',
  ),
  'SUTRA.DIALECT.RESULT_DIFFERS': warning(
    'The result of a decision may have another form than the other engine gives it (a warning).',
    'Look at what the process does with the result.',
  ),
  'SUTRA.DIALECT.EXPRESSION_REFUSED': row(
    'An expression in the language of another engine has no translation into FEEL.',
    'Write it in FEEL, or work its value out in a task.',
  ),
  'SUTRA.DIALECT.VALUE_INVALID': row(
    'An extension has a value of which its vendor could make nothing, or that must be known at deploy time.',
    'Correct the value at the reported line and column, then deploy again.',
  ),
} as const satisfies CodeTable;

export type DialectCode = keyof typeof dialectCodes;
