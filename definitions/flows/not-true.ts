/** BPMN repeats while a condition holds, a flow until one does: each is the other turned round. */
import { compileExpression, FeelSyntaxError } from '../feel.ts';
import { joined, part, trimmed, type Written } from '../written.ts';

/** What is true unless `expression` is: what is not known to be true goes on. */
export function notTrue(expression: Written): Written {
  const start = /^\s*=?/.exec(expression.text)?.[0].length ?? 0;
  const condition = trimmed(part(expression, start));
  // A comment would hide what comes behind it.
  const end = condition.text.includes('//') ? '\n)' : ')';
  return joined(condition, ['=(', condition, `${end} != true`]);
}

/** Whether the text is an expression on its own: a bracket too many would close one that is put around it. */
export function isFeel(text: string): boolean {
  try {
    compileExpression(text);
    return true;
  } catch (error) {
    // Nested too deep: it is reported as any other fault of an expression.
    if (error instanceof FeelSyntaxError || error instanceof RangeError) return false;
    throw error;
  }
}
