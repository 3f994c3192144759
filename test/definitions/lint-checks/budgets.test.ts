/** Times and sizes that contradict each other or the operator's. */
import { describe, it } from 'node:test';
import { checkBudgets } from '../../../definitions/lint-checks/budgets.ts';
import type { OperatorLimits } from '../../../definitions/lint-checks/lint-check.ts';
import type { TaskPolicy } from '../../../definitions/package-model.ts';
import { call, start } from '../../support/model-builder.ts';
import { processModel } from '../../support/process-model.ts';
import { assertPackage, packageOf } from './lint-outline.ts';

const operator: OperatorLimits = {
  defaultLockDurationMs: 30_000,
  maxLockDurationMs: 3_600_000,
  retries: 3,
  maxRetries: 1_000,
  retryTimeoutMs: 10_000,
  maxRetryTimeoutMs: 86_400_000,
  maxPayloadBytes: 1_000,
};
const unset: TaskPolicy = { lockDurationMs: null, retries: null, retryTimeoutMs: null, priority: null };

interface Row {
  readonly timeoutMs?: number;
  readonly task?: Partial<TaskPolicy>;
  readonly transport?: string;
  readonly isKnown?: boolean;
  readonly isShort: boolean;
}

const timeouts: Readonly<Record<string, Row>> = {
  "shorter than the channel's lock": { timeoutMs: 20_000, task: { lockDurationMs: 60_000 }, isShort: true },
  "as long as the channel's lock": { timeoutMs: 60_000, task: { lockDurationMs: 60_000 }, isShort: true },
  "longer than the channel's lock": { timeoutMs: 60_001, task: { lockDurationMs: 60_000 }, isShort: false },
  "shorter than the channel's retry time": {
    timeoutMs: 20_000,
    task: { retryTimeoutMs: 60_000 },
    isShort: true,
  },
  'of work that is tried once': {
    timeoutMs: 20_000,
    task: { lockDurationMs: 60_000, retries: 1 },
    isShort: false,
  },
  'where nothing is known of locks': { timeoutMs: 20_000, task: {}, isShort: false },
  "shorter than the operator's lock": { timeoutMs: 20_000, task: {}, isKnown: true, isShort: true },
  "longer than the operator's lock": { timeoutMs: 31_000, isKnown: true, isShort: false },
  "longer than the channel's lock and shorter than the operator's": {
    timeoutMs: 20_000,
    task: { lockDurationMs: 15_000 },
    isKnown: true,
    isShort: false,
  },
  'on another transport': { timeoutMs: 20_000, transport: 'http', isKnown: true, isShort: false },
  'that is not there': { task: { lockDurationMs: 60_000 }, isKnown: true, isShort: false },
};

describe('a timeout of a call', () => {
  for (const [name, { timeoutMs, task, transport = 'pull', isKnown, isShort }] of Object.entries(timeouts)) {
    it(`${isShort ? 'is too short' : 'is right'}: ${name}`, () => {
      const options = timeoutMs === undefined ? {} : { timeoutMs };
      const process = processModel('p', [start('s'), call('c', 'work', options)], ['s -> c']);
      const policy = task === undefined ? null : { ...unset, ...task };
      const model = packageOf([process], [[`work ${transport}`, { task: policy }]]);
      const context = { operator: isKnown === true ? operator : null };
      assertPackage(checkBudgets, model, isShort ? ['TIMEOUT_TOO_SHORT c'] : [], context);
    });
  }
});

describe('a payload cap', () => {
  const model = packageOf(
    [],
    [['small http', { payloadCapBytes: 1_000 }], ['large http', { payloadCapBytes: 1_001 }], 'open http'],
  );

  it("is over the operator's", () => {
    assertPackage(checkBudgets, model, ['PAYLOAD_CAP_OVER_CEILING large'], { operator });
  });

  it('is held against nothing while the operator is not known', () => {
    assertPackage(checkBudgets, model, []);
  });
});
