/**
 * Starts that no message of a channel brings, each a turn: by a process's id, by conditions, by a due start timer,
 * and by a signal, which is also delivered here to those who wait. BPMN 2.0.2 §13.2.
 */
import { TurnBudget, type CostLimits } from '../../definitions/feel.ts';
import { parseWithValues } from '../../definitions/value-codec.ts';
import { ownProperty, type Context, type Value } from '../../definitions/value.ts';
import type { Stimulus } from '../core/stimulus.ts';
import type { ConditionalStart, ProcessAddress } from '../deployments/start-points.ts';
import { newId } from '../new-id.ts';
import type { DueSignal } from '../store/signals.ts';
import type { DueStartTimer } from '../store/start-timers.ts';
import type { InboxKey } from '../store/turn-inbox.ts';
import type { SettledSignal, SettledTurn, SignalPort, StartTimerPort } from './ports.ts';
import { busyError, instanceTarget, settledTurn } from './turn-answers.ts';
import type { StartTarget, SubmitTurn, Target, TurnAnswer } from './turn.ts';

/** Refusals of a signal that say that the instance does not wait for it any more. */
const notWaitingCodes: ReadonlySet<string> = new Set([
  'SUTRA.CORE.SIGNAL_UNHEARD',
  'SUTRA.CORE.INSTANCE_ENDED',
  'SUTRA.INBOUND.NOT_CORRELATED',
]);

export interface StartedProcess {
  readonly instanceId: string;
  /** The idempotency key had been used: this is the instance of that time. */
  readonly isDuplicate: boolean;
}

export interface StartedByConditions {
  readonly started: readonly StartedByCondition[];
  /** Conditions that have no answer over these variables; what they guard was not started. */
  readonly failed: readonly FailedCondition[];
  readonly isDuplicate: boolean;
}

export interface StartedByCondition extends ProcessAddress {
  readonly instanceId: string;
  readonly startEventId: string;
}

export interface FailedCondition extends ProcessAddress {
  readonly startEventId: string;
  readonly message: string;
}

type StartStimulus = Extract<Stimulus, { readonly kind: 'start' }>;

export class ProcessStarts implements StartTimerPort, SignalPort {
  readonly #submit: SubmitTurn;
  readonly #costLimits: CostLimits;

  constructor(submit: SubmitTurn, costLimits: CostLimits) {
    this.#submit = submit;
    this.#costLimits = costLimits;
  }

  /** @throws EngineError SUTRA.INBOUND.ALIAS_TAKEN and other refusals; nothing is kept then. */
  async startProcess(
    process: ProcessAddress,
    variables: Context,
    idempotencyKey: string | null,
  ): Promise<StartedProcess> {
    const { tenant, module, processId } = process;
    // A path, which no channel can have as its name: the key is of this door alone.
    const channel = `/sutra/processes/${processId}/start`;
    const dedup = idempotencyKey === null ? null : { tenant, module, channel, dedupKey: idempotencyKey };
    const answer = await this.#start([startTarget(process, startOf(null, { variables }))], dedup);
    if (answer.kind === 'duplicate') return { instanceId: answer.instanceId, isDuplicate: true };
    const [first] = answer.instances;
    if (first === undefined) throw new Error('a start was applied to no instance');
    return { instanceId: first.instanceId, isDuplicate: false };
  }

  /** Starts an instance for each condition that holds over `variables`, all in one commit. */
  async startByConditions(
    tenant: string,
    starts: readonly ConditionalStart[],
    variables: Context,
    idempotencyKey: string | null,
  ): Promise<StartedByConditions> {
    const failed: FailedCondition[] = [];
    // Only a condition that calls now() reads this; the turn itself has the database's time.
    const nowMs = Date.now();
    const holding = starts.filter((start) => {
      const verdict = judge(start, variables, new TurnBudget(nowMs, this.#costLimits));
      if (typeof verdict === 'boolean') return verdict;
      const { condition: _condition, trigger: _trigger, ...named } = start;
      failed.push({ ...named, message: verdict.message });
      return false;
    });
    if (holding.length === 0) return { started: [], failed, isDuplicate: false };
    const targets = holding.map((start) =>
      startTarget(start, startOf(start.startEventId, { trigger: start.trigger, variables })),
    );
    const dedup =
      idempotencyKey === null
        ? null
        : { tenant, module: '', channel: '/sutra/conditions', dedupKey: idempotencyKey };
    const answer = await this.#start(targets, dedup);
    if (answer.kind === 'duplicate') return { started: [], failed: [], isDuplicate: true };
    const started = holding.map(({ condition: _condition, trigger: _trigger, ...named }, index) => ({
      ...named,
      instanceId: targets[index]?.instanceId ?? '',
    }));
    return { started, failed, isDuplicate: false };
  }

  async fireStartTimer(timer: DueStartTimer): Promise<SettledTurn> {
    const { tenant, module, deploymentId, processId, startEventId, trigger } = timer;
    const target = startTarget(timer, startOf(startEventId, { trigger }));
    const answer = await this.#submit({
      shardKey: target.instanceId,
      dedup: null,
      settles: { kind: 'startTimer', tenant, module, deploymentId, processId, startEventId, trigger },
      targets: [target],
      isBroadcast: false,
    });
    return settledTurn(answer);
  }

  async deliverSignal({ id, name, payload, tenant, target }: DueSignal): Promise<SettledSignal> {
    const value = parseWithValues(payload) as Value;
    const answer = await this.#submit({
      // Those of one instance meet in one shard, in the order of their throws.
      shardKey: target.kind === 'instance' ? target.instanceId : String(id),
      dedup: null,
      settles: {
        kind: 'signal',
        id,
        start: target.kind === 'start' ? { ...target, tenant, name, payload } : null,
      },
      targets: [signalTarget(target, tenant, name, value)],
      isBroadcast: false,
    });
    if (answer.kind === 'refused' && target.kind === 'instance') {
      if (answer.error.code === 'SUTRA.INBOUND.INSTANCE_FAILED') return 'held';
      if (notWaitingCodes.has(answer.error.code)) return 'dropped';
    }
    return settledTurn(answer);
  }

  /** @throws EngineError of the refusal. */
  async #start(
    targets: readonly StartTarget[],
    dedup: InboxKey | null,
  ): Promise<Extract<TurnAnswer, { kind: 'applied' | 'duplicate' }>> {
    const answer = await this.#submit({
      shardKey: dedup?.dedupKey ?? targets[0]?.instanceId ?? '',
      dedup,
      settles: null,
      targets,
      isBroadcast: targets.length > 1,
    });
    if (answer.kind === 'applied' || answer.kind === 'duplicate') return answer;
    if (answer.kind === 'refused') throw answer.error;
    if (answer.kind === 'busy') throw busyError('');
    throw new Error(`a start was answered ${answer.kind}`);
  }
}

/** Null counts as false, as it does at a sequence flow. */
function judge({ condition }: ConditionalStart, variables: Context, budget: TurnBudget): boolean | Error {
  try {
    const value = condition.evaluate((name) => ownProperty(variables, name), budget);
    if (value === null || typeof value === 'boolean') return value ?? false;
    return new Error(`the condition \`${condition.text}\` gives neither true nor false`);
  } catch (cause) {
    return cause instanceof Error ? cause : new Error('the condition cannot be evaluated', { cause });
  }
}

/** A start event, or none of them, and what comes with it. */
export function startOf(
  startEventId: string | null,
  {
    variables = {},
    ...more
  }: { readonly trigger?: number; readonly signal?: Value; readonly variables?: Context },
): StartStimulus {
  return { kind: 'start', startEventId, message: null, variables, replyTo: null, ...more };
}

export function startTarget(
  { tenant, module, deploymentId, processId }: ProcessAddress,
  stimulus: StartStimulus,
): StartTarget {
  return { kind: 'start', instanceId: newId(), tenant, module, deploymentId, processId, stimulus };
}

function signalTarget(target: DueSignal['target'], tenant: string, name: string, value: Value): Target {
  if (target.kind === 'instance') {
    return instanceTarget(target.instanceId, { kind: 'signal', name, payload: value });
  }
  const { startEventId, trigger } = target;
  return startTarget({ tenant, ...target }, startOf(startEventId, { trigger, signal: value }));
}
