import type { ScriptTask } from '../../../definitions/model.ts';
import { isContext } from '../../../definitions/value.ts';
import { evaluate } from '../evaluate.ts';
import { assign, assignAll } from '../scope-variables.ts';
import { sendReply } from '../send.ts';
import type { Behaviour } from './behaviour.ts';

/**
 * Evaluates FEEL. Without an output variable a context becomes variables, and another result, which has
 * no name to go by, is not kept. BPMN 2.0.2 §13.3.3, Script Task.
 */
export const scriptTask: Behaviour<ScriptTask> = {
  enter(step, token, node) {
    const result = evaluate(step, token, node.script);
    if (node.outputVariable !== null) assign(token.scope, node.outputVariable, result);
    else if (isContext(result)) assignAll(token.scope, result);
    return 'done';
  },

  complete(step, token, node) {
    sendReply(step, token, node.reply);
  },
};
