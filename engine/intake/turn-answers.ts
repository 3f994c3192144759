/** What the answers of turns mean to those who submitted them. */
import { EngineError } from '../../config/engine-error.ts';
import type { Stimulus } from '../core/stimulus.ts';
import type { SettledTurn } from './ports.ts';
import type { InstanceTarget, TurnAnswer } from './turn.ts';

/** For whoever names the instance: no matter whose it is. */
export function instanceTarget(
  instanceId: string,
  stimulus: Exclude<Stimulus, { kind: 'start' }>,
): InstanceTarget {
  return { kind: 'instance', instanceId, scope: null, stimulus };
}

/** @throws EngineError of a refused turn. */
export function settledTurn(answer: TurnAnswer): SettledTurn {
  switch (answer.kind) {
    case 'applied':
    case 'duplicate':
    case 'replayed':
      return 'done';
    case 'gone':
    case 'busy':
      return answer.kind;
    case 'previewed':
      throw new Error('a dry turn settles nothing');
    case 'refused':
      throw answer.error;
  }
}

/** Of a turn whose instance (or task) `what` stayed locked too long. */
export function busyError(what: string): EngineError {
  return new EngineError('SUTRA.INTAKE.INSTANCE_BUSY', 'The instance is locked by other work; try again.', {
    attributes: { subject: what, retryable: true },
  });
}
