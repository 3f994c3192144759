import type { ServiceTask } from '../../../definitions/model.ts';
import { takeAnswer } from '../call.ts';
import { decide } from '../decide.ts';
import type { Behaviour } from './behaviour.ts';
import { serviceTask } from './service-task.ts';

/**
 * Makes a decision of the package at once, or is as a service task. What is decided is taken as an answer is, but for
 * null without an output variable: then nothing was decided. BPMN 2.0.2 §13.3.3, Business Rule Task.
 */
export const businessRuleTask: Behaviour<ServiceTask> = {
  ...serviceTask,

  enter(step, token, node) {
    const { implementation } = node;
    if (implementation.kind !== 'decision') return serviceTask.enter(step, token, node);
    const result = decide(step, token, implementation.decision, node.params);
    if (result !== null || node.outputVariable !== null) takeAnswer(token, node, result);
    return 'done';
  },
};
