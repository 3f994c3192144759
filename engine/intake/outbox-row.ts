/**
 * From a send to its outbox row: the channel's transport, and, for a transport that parks, the budget
 * and policy as they are now.
 */
import type { Settings } from '../../config/settings.ts';
import type { PackageModel } from '../../definitions/package-model.ts';
import type { SendEffect } from '../core/effect.ts';
import { newId } from '../new-id.ts';
import type { OutboxRow } from '../store/outbox.ts';
import { encodeBody } from './codec.ts';
import type { InstanceOrigin } from './instance-work.ts';

export type OutboxRowOf = (
  origin: InstanceOrigin,
  send: SendEffect,
  /** Of the deployment whose process sends, which may be a called one. */
  model: PackageModel | undefined,
) => OutboxRow;

/** The transport on which `registered:` functions wait: theirs are tasks like any worker's. */
const registeredTransport = 'pull';

export function outboxRows({ externalTask }: Pick<Settings, 'externalTask'>): OutboxRowOf {
  return (origin, send, model) => {
    const channel = model?.channels.get(send.channel);
    const transport = send.registeredName === null ? channel?.transport : registeredTransport;
    if (model === undefined || transport === undefined) {
      throw new Error(
        `deployment ${send.deploymentId} sends to channel ${send.channel}, which it does not declare`,
      );
    }
    const encoded = encodeBody(send.contentType, send.body);
    const task = channel?.task ?? null;
    return {
      id: newId(),
      transport,
      deploymentId: send.deploymentId,
      tenant: model.identity.tenant,
      module: model.identity.module,
      version: model.identity.version,
      channel: send.channel,
      processId: send.processId,
      instanceId: origin.id,
      elementId: send.elementId,
      idempotencyKey: send.idempotencyKey,
      headers: send.headers,
      contentType: encoded.contentType,
      body: encoded.body,
      expectsAnswer: send.expectsAnswer,
      retries: task?.retries ?? externalTask.retries,
      priority: send.priority,
      policy: {
        lockDurationMs: task?.lockDurationMs ?? null,
        retryTimeoutMs: task?.retryTimeoutMs ?? null,
        ...terminalPolicyOf(send.terminalWait),
      },
      deadlineMs: send.deadlineMs,
    };
  };
}

/** Tells the statements that make a task terminal which wait is to be fired then. */
export function terminalPolicyOf(terminalWait: SendEffect['terminalWait']): object {
  if (terminalWait === null) return {};
  return { terminalWaitId: terminalWait.waitId, terminalPartId: terminalWait.partId };
}
