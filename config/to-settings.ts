/** From the table's flat keys to the nested, deeply frozen object that the parts of the engine take. */
import type { SettingValues } from './schema.ts';
import type { Settings } from './settings.ts';

export function toSettings(values: SettingValues): Settings {
  return deepFreeze({
    http: {
      port: values['sutra.http.port'],
      host: values['sutra.http.host'],
      maxHoldMs: values['sutra.http.max-hold'],
    },
    datasource: { url: values['sutra.datasource.url'], poolMax: values['sutra.datasource.pool-max'] },
    dataDir: values['sutra.data-dir'],
    deployments: {
      dir: values['sutra.deployments.dir'],
      pollIntervalMs: values['sutra.deployments.poll-interval'],
    },
    externalTask: {
      defaultLockDurationMs: values['sutra.external-task.default-lock-duration'],
      maxLockDurationMs: values['sutra.external-task.max-lock-duration'],
      maxAsyncResponseTimeoutMs: values['sutra.external-task.max-async-response-timeout'],
      maxTasks: values['sutra.external-task.max-tasks'],
      retries: values['sutra.external-task.retries'],
      maxRetries: values['sutra.external-task.max-retries'],
      retryTimeoutMs: values['sutra.external-task.retry-timeout'],
      maxRetryTimeoutMs: values['sutra.external-task.max-retry-timeout'],
      maxAttempts: values['sutra.external-task.max-attempts'],
    },
    outbox: {
      tickIntervalMs: values['sutra.outbox.tick-interval'],
      retry: {
        baseDelayMs: values['sutra.outbox.retry.base-delay'],
        maxDelayMs: values['sutra.outbox.retry.max-delay'],
        jitter: values['sutra.outbox.retry.jitter'],
        maxAttempts: values['sutra.outbox.retry.max-attempts'],
      },
    },
    inbox: { retentionMs: values['sutra.inbox.retention'] },
    instance: {
      retentionMs: values['sutra.instance.retention'],
      retentionSweepIntervalMs: values['sutra.instance.retention-sweep-interval'],
    },
    history: {
      retentionMs: values['sutra.history.retention'] ?? values['sutra.instance.retention'],
      maxPayloadBytes: values['sutra.history.max-payload-bytes'],
    },
    deadLetter: {
      maxCount: values['sutra.dead-letter.max-count'],
      retentionMs: values['sutra.dead-letter.retention'],
    },
    intake: {
      maxInFlight: values['sutra.intake.max-in-flight'],
      maxWaitMs: values['sutra.intake.max-wait'],
    },
    feel: costLimits(values),
    codec: { maxPayloadBytes: values['sutra.codec.max-payload-bytes'] },
    admin: { apiKey: values['sutra.admin.api-key'], isOpen: values['sutra.admin.open'] },
    compat: { camunda7: values['sutra.compat.camunda7'], camunda8: values['sutra.compat.camunda8'] },
  });
}

function costLimits(values: SettingValues): Settings['feel'] {
  return {
    turnUnits: values['sutra.feel.max-turn-cost'],
    evaluationUnits: values['sutra.feel.max-cost'],
    iterations: values['sutra.feel.max-iterations'],
    listSize: values['sutra.feel.max-list-size'],
    depth: values['sutra.feel.max-depth'],
  };
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value) as unknown[]) {
    if (typeof part === 'object' && part !== null) {
      deepFreeze(part);
    }
  }
  return Object.freeze(value);
}
