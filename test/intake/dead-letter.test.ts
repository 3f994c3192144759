/** Which refusals are for good, and how often it is said that there is no room. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import { isMessageForGood, reasonOf } from '../../engine/intake/dead-letter.ts';
import { DeadLetterReport } from '../../engine/intake/dead-letter-report.ts';
import { silentMeter } from '../../engine/observe.ts';
import { collectingLog } from '../support/engine.ts';

describe('a refusal of a message is for good', () => {
  const rows: readonly (readonly [code: string, retryable: boolean | undefined, isForGood: boolean])[] = [
    ['SUTRA.CODEC.JSON_INVALID', undefined, true],
    ['SUTRA.CODEC.CONTENT_TYPE_UNSUPPORTED', undefined, true],
    ['SUTRA.INBOUND.VALIDATION_FAILED', undefined, true],
    ['SUTRA.INBOUND.DEDUP_KEY_INVALID', undefined, true],
    ['SUTRA.INBOUND.NOT_CORRELATED', false, true],
    ['SUTRA.INBOUND.ALIAS_TAKEN', false, true],
    ['SUTRA.CORE.WAIT_GONE', false, true],
    ['SUTRA.INBOUND.INSTANCE_FAILED', true, false],
    ['SUTRA.CODEC.PAYLOAD_TOO_LARGE', undefined, false],
    ['SUTRA.INTAKE.CAPACITY', undefined, false],
    ['SUTRA.INTAKE.STOPPING', undefined, false],
    ['SUTRA.INTAKE.INSTANCE_BUSY', true, false],
    ['SUTRA.INTAKE.TURN_FAILED', false, false],
    ['SUTRA.PERSISTENCE_UNAVAILABLE', undefined, false],
  ];
  for (const [code, retryable, isForGood] of rows) {
    it(`${code}${retryable === undefined ? '' : ` (retryable: ${String(retryable)})`}: ${String(isForGood)}`, () => {
      const attributes = retryable === undefined ? {} : { retryable };
      assert.equal(isMessageForGood(new EngineError(code, 'refused', { attributes })), isForGood);
    });
  }
});

describe('the reason of a dead letter', () => {
  it('is what the database can store', () => {
    const { message } = reasonOf(new EngineError('SUTRA.X', `a\u0000b\ud800${'c'.repeat(3_000)}`));
    assert.equal(message.length, 2_000);
    assert.ok(message.startsWith('a\uFFFDb\uFFFDc') && message.isWellFormed());
  });
});

describe('that there is no room for dead letters', () => {
  it('is said at once, then once a minute with how many there were', () => {
    const log = collectingLog();
    let nowMs = 5;
    const report = new DeadLetterReport({ maxCount: 3, meter: silentMeter, log, now: () => nowMs });
    const drop = (count: number): void => {
      report.counted({ kept: [], dropped: Array.from({ length: count }, () => 'message' as const) });
    };
    drop(0);
    assert.deepEqual(log.lines, []);
    drop(2);
    nowMs += 59_999;
    drop(1);
    drop(4);
    nowMs += 1;
    drop(1);
    assert.deepEqual(log.lines, [
      'error dead-letter.limit-reached {"maxCount":3,"droppedCount":2}',
      'error dead-letter.limit-reached {"maxCount":3,"droppedCount":6}',
    ]);
  });
});
