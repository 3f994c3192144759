import type { SubProcess } from '../../../definitions/model.ts';
import { armEventSubProcesses, waitForPerson } from '../event-waits.ts';
import type { Behaviour } from './behaviour.ts';

/**
 * Opens a scope and begins what begins by itself; done when no token is left in it. An ad hoc sub-process
 * waits to be told what to begin, and when it is done. BPMN 2.0.2 §13.3.4, §13.3.5.
 */
export const subProcess: Behaviour<SubProcess> = {
  enter(step, token, node) {
    // Nothing inside that could run.
    if (node.start.length === 0 && node.variant.kind !== 'adHoc') return 'done';
    const { declared } = token.scope.graph.scopeFacts(node.id);
    const scope = step.newScope(token, Object.fromEntries(declared.map((name) => [name, null])));
    if (node.variant.kind === 'adHoc') waitForPerson(step, token, 'ad-hoc');
    armEventSubProcesses(step, scope);
    for (const id of node.start) step.newToken(scope, id, 'entering', null);
    return 'waits';
  },
};
