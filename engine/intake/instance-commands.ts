/**
 * Commands to one instance, each a turn. All resolve once committed, with what the instance became.
 * @throws EngineError SUTRA.INSTANCE.NOT_FOUND, SUTRA.INTAKE.INSTANCE_BUSY, or the core's refusal, from each.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { Context } from '../../definitions/value.ts';
import type { Move, Stimulus } from '../core/stimulus.ts';
import { busyError, instanceTarget } from './turn-answers.ts';
import { previewOf, type TurnPreview } from './turn-preview.ts';
import type { InstanceAfterTurn, SubmitTurn, TurnAnswer, TurnRequest } from './turn.ts';

export class InstanceCommands {
  readonly #submit: SubmitTurn;

  constructor(submit: SubmitTurn) {
    this.#submit = submit;
  }

  cancel(instanceId: string, reason: string): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'cancel', reason }, reason);
  }

  /** Runs the failed elements of a failed instance again. */
  retry(instanceId: string, reason: string | null = null): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'retry' }, reason);
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
  setVariables(
    instanceId: string,
    tokenId: number | null,
    variables: Context,
    reason: string | null = null,
  ): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'setVariables', tokenId, variables }, reason);
  }

  /** All moves or none. `variables` are written first, as seen from the process itself. */
  move(
    instanceId: string,
    moves: readonly Move[],
    variables: Context,
    reason: string | null = null,
  ): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'move', moves, variables }, reason);
  }

  /** What `move` would do now. Nothing is written. */
  previewMove(instanceId: string, moves: readonly Move[], variables: Context): Promise<TurnPreview> {
    return this.#preview(instanceId, { kind: 'move', moves, variables });
  }

  /**
   * Lets the instance go on with another deployment of its module. `elements`: old ids to new ones.
   * @throws EngineError SUTRA.DEPLOYMENT.TARGET_INVALID, or SUTRA.CORE.MIGRATION_REFUSED with all reasons
   */
  migrate(
    instanceId: string,
    deploymentId: string,
    elements: ElementMap,
    reason: string | null = null,
  ): Promise<InstanceAfterTurn> {
    return this.#command(instanceId, { kind: 'migrate', deploymentId, elements }, reason);
  }

  /** What `migrate` would do now. Nothing is written. */
  previewMigration(instanceId: string, deploymentId: string, elements: ElementMap): Promise<TurnPreview> {
    return this.#preview(instanceId, { kind: 'migrate', deploymentId, elements });
  }

  async #preview(instanceId: string, stimulus: CommandStimulus): Promise<TurnPreview> {
    const answer = await this.#turn(instanceId, stimulus, { isDry: true });
    if (answer.kind === 'previewed') return previewOf(answer.turn);
    throw refusedAs(instanceId, answer);
  }

  /** @param reason why, for the history */
  async #command(
    instanceId: string,
    stimulus: CommandStimulus,
    reason: string | null = null,
  ): Promise<InstanceAfterTurn> {
    const detail = { command: stimulus.kind, reason };
    const cause = { event: 'commandReceived', elementId: null, detail };
    const answer = await this.#turn(instanceId, stimulus, { cause });
    const after = answer.kind === 'applied' ? answer.instances[0] : undefined;
    if (after !== undefined) return after;
    throw refusedAs(instanceId, answer);
  }

  #turn(
    instanceId: string,
    stimulus: CommandStimulus,
    options: Pick<TurnRequest, 'isDry' | 'cause'>,
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
type ElementMap = Readonly<Record<string, string>>;

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
