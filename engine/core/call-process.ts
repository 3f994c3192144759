/**
 * Call activities: another process runs as a scope of this instance. BPMN 2.0.2 §10.3.6, §13.3.5.
 *
 * The called process sees only what it is given, and what it works out comes back only as the call says.
 */
import type { CallActivity, ProcessDefinition } from '../../definitions/model.ts';
import type { Context } from '../../definitions/value.ts';
import { ElementFailure } from './element-failure.ts';
import { evaluate, holds, kindOf, siteOf } from './evaluate.ts';
import { armEventSubProcesses } from './event-waits.ts';
import { graphOf } from './graph.ts';
import type { LiveScope, LiveToken } from './live-state.ts';
import { assign, assignAll, ownContext, visibleContext } from './scope-variables.ts';
import type { Step } from './step.ts';

/** Calls inside calls. A guess, far above a sensible model: what comes near it calls itself. */
export const MAX_CALL_DEPTH = 50;

/** @throws ElementFailure */
export function startCalledProcess(step: Step, token: LiveToken, node: CallActivity): 'done' | 'waits' {
  const processId = calledProcessId(step, token, node);
  if (processId === null) return 'done';
  const { deploymentId, process } = resolve(step, token, node, processId);
  checkDepth(token);
  const given: Context =
    node.params === null
      ? visibleContext(token.scope)
      : Object.fromEntries(
          node.params.map(({ name, expression }) => [name, evaluate(step, token, expression)]),
        );
  const declared = Object.fromEntries([...process.variables.keys()].map((name) => [name, null]));
  const graph = graphOf(process);
  const scope = step.newScope(
    token,
    { ...declared, ...given },
    {
      kind: 'called',
      called: { deploymentId, graph },
    },
  );
  if (deploymentId !== step.context.deploymentId) {
    step.effects.push({ kind: 'deploymentCalled', deploymentId });
  }
  armEventSubProcesses(step, scope);
  for (const id of process.start) step.newToken(scope, id, 'entering', null);
  return 'waits';
}

/** Takes the results over and lets the called process go. @throws ElementFailure */
export function takeResults(step: Step, token: LiveToken, node: CallActivity): void {
  const [called] = token.childScopes ?? [];
  // A dispatch that matched nothing has called nothing.
  if (called === undefined) return;
  if (node.results === null) {
    assignAll(token.scope, ownContext(called));
  } else {
    const values = node.results.map(({ variable, expression }) => {
      const value =
        expression === null ? ownContext(called) : evaluate(step, siteOf(called, node.id), expression);
      return { variable, value };
    });
    for (const { variable, value } of values) assign(token.scope, variable, value);
  }
  step.removeScope(called);
}

/** Null: nothing is called. */
function calledProcessId(step: Step, token: LiveToken, { id, called }: CallActivity): string | null {
  switch (called.kind) {
    case 'process':
      return called.processId;
    case 'expression': {
      const value = evaluate(step, token, called.expression);
      if (typeof value === 'string' && value !== '') return value;
      throw new ElementFailure(
        'SUTRA.CORE.CALLED_PROCESS_UNKNOWN',
        `the called process of ${id} must be the id of a process and is ${value === '' ? 'empty' : `a ${kindOf(value)}`}`,
      );
    }
    case 'dispatch': {
      const found = called.cases.find(({ when }) => holds(step, token, when, id));
      const processId = found?.processId ?? called.defaultProcessId;
      if (processId !== null || called.onNoMatch === 'skip') return processId;
      throw new ElementFailure(
        'SUTRA.CORE.DISPATCH_NO_MATCH',
        `no case of ${id} holds, and it has no default`,
      );
    }
  }
}

function resolve(
  step: Step,
  token: LiveToken,
  { id, binding }: CallActivity,
  processId: string,
): { readonly deploymentId: string; readonly process: ProcessDefinition } {
  const { deploymentId, graph } = token.scope;
  // Without a directory there is still the process itself: it may call itself.
  const found =
    step.context.calls === undefined && graph.process.id === processId
      ? { deploymentId, process: graph.process }
      : (step.context.calls?.resolve(processId, binding, deploymentId) ?? null);
  if (found === null) {
    throw new ElementFailure(
      'SUTRA.CORE.CALLED_PROCESS_UNKNOWN',
      `${id} calls the process ${processId}, which no active package has`,
    );
  }
  if (found.process.start.length > 0) return found;
  throw new ElementFailure(
    'SUTRA.CORE.CALLED_PROCESS_NOT_STARTABLE',
    `${id} calls the process ${processId}, which has no none start event`,
  );
}

function checkDepth(token: LiveToken): void {
  let depth = 1;
  for (let scope: LiveScope | null = token.scope; scope !== null; scope = scope.parent) {
    if (scope.kind === 'called') depth += 1;
  }
  if (depth <= MAX_CALL_DEPTH) return;
  throw new ElementFailure(
    'SUTRA.CORE.CALL_TOO_DEEP',
    `${token.elementId} would be call number ${depth} inside each other, more than ${MAX_CALL_DEPTH}`,
  );
}
