/**
 * Commands to one instance, each a turn. All resolve once committed, with what the instance became.
 * @throws EngineError SUTRA.INSTANCE.NOT_FOUND, SUTRA.INTAKE.INSTANCE_BUSY, or the core's refusal, from each.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { Context } from '../../definitions/value.ts';
import type { Move, Stimulus } from '../core/stimulus.ts';
import { busyError, instanceTarget } from './turn-answers.ts';
import { previewOf, type TurnPreview } from './turn-preview.ts';
import type { InstanceAfterTurn, SubmitTurn, TurnAnswer } from './turn.ts';

export class InstanceCommands {
  readonly #submit: SubmitTurn;

  constructor(submit: SubmitTurn) {
    this.#submit = submit;
  }

  cancel(instanceId: string, reason: string): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'cancel', reason });
  }

  /** Runs the failed elements of a failed instance again. */
  retry(instanceId: string): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'retry' });
  }

  completeUserTask(instanceId: string, tokenId: number, variables: Context): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'completeUserTask', tokenId, variables });
  }

  /** Starts an activity of the ad hoc sub-process at which the token waits. */
  launchActivity(
    instanceId: string,
    tokenId: number,
    activityId: string,
    variables: Context,
  ): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'launchActivity', tokenId, activityId, variables });
  }

  completeAdHoc(instanceId: string, tokenId: number): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'completeAdHoc', tokenId });
  }

  /** Writes variables as seen from the token; null: from the process itself. */
  setVariables(instanceId: string, tokenId: number | null, variables: Context): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'setVariables', tokenId, variables });
  }

  /** All moves or none. `variables` are written first, as seen from the process itself. */
  move(instanceId: string, moves: readonly Move[], variables: Context): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'move', moves, variables });
  }

  /** What `move` would do now. Nothing is written. */
  async previewMove(instanceId: string, moves: readonly Move[], variables: Context): Promise<TurnPreview> {
    const answer = await this.#turn(instanceId, { kind: 'move', moves, variables }, { isDry: true });
    if (answer.kind === 'previewed') return previewOf(answer.turn);
    throw refusedAs(instanceId, answer);
  }

  async #command(instanceId: string, stimulus: CommandStimulus): Promise<InstanceAfterTurn> {
    const answer = await this.#turn(instanceId, stimulus);
    const after = answer.kind === 'applied' ? answer.instances[0] : undefined;
    if (after !== undefined) return after;
    throw refusedAs(instanceId, answer);
  }

  #turn(
    instanceId: string,
    stimulus: CommandStimulus,
    options: { readonly isDry?: true } = {},
  ): Promise<TurnAnswer> {
    return this.#submit({
      shardKey: instanceId,
      dedup: null,
      settles: null,
      targets: [instanceTarget(instanceId, stimulus)],
      isBroadcast: false,
      ...options,
    });
  }
}

type CommandStimulus = Exclude<Stimulus, { kind: 'start' }>;

function refusedAs(instanceId: string, answer: TurnAnswer): EngineError {
  if (answer.kind === 'busy') return busyError(instanceId);
  if (answer.kind !== 'refused') throw new Error(`a command was answered ${answer.kind}`);
  const isUnknown =
    answer.error.code === 'SUTRA.INBOUND.NOT_CORRELATED' &&
    answer.error.attributes['instanceId'] === undefined;
  return isUnknown
    ? new EngineError('SUTRA.INSTANCE.NOT_FOUND', `There is no instance ${instanceId}.`, {
        attributes: { instanceId },
      })
    : answer.error;
}
