import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import type { RefusalKind } from '../../engine/relay/refusal.ts';
import { errorLabel, refusalKind } from '../../engine/relay/refusal.ts';

const table: readonly (readonly [string, unknown, RefusalKind, string])[] = [
  [
    'no database',
    new EngineError('SUTRA.PERSISTENCE_UNAVAILABLE', 'm'),
    'outage',
    'SUTRA.PERSISTENCE_UNAVAILABLE',
  ],
  [
    'no datasource',
    new EngineError('SUTRA.PERSISTENCE_REQUIRED', 'm'),
    'outage',
    'SUTRA.PERSISTENCE_REQUIRED',
  ],
  ['a full engine', new EngineError('SUTRA.INTAKE.CAPACITY', 'm'), 'pressed', 'SUTRA.INTAKE.CAPACITY'],
  ['a stopping engine', new EngineError('SUTRA.INTAKE.STOPPING', 'm'), 'pressed', 'SUTRA.INTAKE.STOPPING'],
  [
    'a busy instance',
    new EngineError('SUTRA.INTAKE.INSTANCE_BUSY', 'm'),
    'pressed',
    'SUTRA.INTAKE.INSTANCE_BUSY',
  ],
  [
    'a failed turn',
    new EngineError('SUTRA.INTAKE.TURN_FAILED', 'm'),
    'retryable',
    'SUTRA.INTAKE.TURN_FAILED',
  ],
  [
    'a refusal that may pass',
    new EngineError('SUTRA.X.Y', 'm', { attributes: { retryable: true } }),
    'retryable',
    'SUTRA.X.Y',
  ],
  [
    'a refusal that says it is final',
    new EngineError('SUTRA.X.Y', 'm', { attributes: { retryable: false } }),
    'refused',
    'SUTRA.X.Y',
  ],
  [
    'a refusal',
    new EngineError('SUTRA.INBOUND.NO_SUBSCRIBER', 'm'),
    'refused',
    'SUTRA.INBOUND.NO_SUBSCRIBER',
  ],
  ['a bug', new TypeError('secret'), 'retryable', 'TypeError'],
  ['a driver error', Object.assign(new Error('secret'), { code: '23514' }), 'retryable', 'Error 23514'],
  ['a thrown string', 'secret', 'retryable', 'unknown error'],
];

for (const [what, error, kind, label] of table) {
  test(`${what} is ${kind}, and is named without its message`, () => {
    assert.equal(refusalKind(error), kind);
    assert.equal(errorLabel(error), label);
  });
}
