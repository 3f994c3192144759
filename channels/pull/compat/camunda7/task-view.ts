/** An external task as clients of Camunda 7 read it. */
import { camundaDate, definitionIdOf, tenantIdOf } from './engine-ids.ts';

export interface CamundaTask {
  readonly id: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly version: string;
  readonly processId: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly elementId: string;
  readonly retries: number;
  readonly priority: number;
  readonly createdAt: Date;
  /** Of its last lock, also when that has expired; null: it has none. */
  readonly workerId: string | null;
  readonly lockExpirationTime: Date | null;
  readonly isHeld: boolean;
  readonly lastError: string | null;
  readonly businessKey: string | null;
}

/** What fetched and listed tasks have in common. */
export function taskView(task: CamundaTask): Readonly<Record<string, unknown>> {
  return {
    id: task.id,
    topicName: task.channel,
    workerId: task.workerId,
    lockExpirationTime: task.lockExpirationTime === null ? null : camundaDate(task.lockExpirationTime),
    createTime: camundaDate(task.createdAt),
    processInstanceId: task.instanceId,
    executionId: task.instanceId,
    activityId: task.elementId,
    activityInstanceId: `${task.elementId}:${task.id}`,
    processDefinitionId: definitionIdOf(task, task),
    processDefinitionKey: task.processId,
    processDefinitionVersionTag: task.version,
    tenantId: tenantIdOf(task.tenant),
    businessKey: task.businessKey,
    retries: task.retries,
    priority: task.priority,
    suspended: task.isHeld,
    // A failure without a message has an empty one.
    errorMessage: task.lastError === '' ? null : task.lastError,
  };
}
