/**
 * The inbound path: one door for messages, completions, timers, looped-back deliveries and operators'
 * commands. Source: protocol §8.
 *
 * N1 Everything that changes an instance is a turn of the queue; nothing else writes one.
 * N2 A refused message leaves nothing behind but a dead letter, if its channel keeps them; a duplicate runs nothing
 *    and is answered as the first was.
 */
import { EngineError } from '../../config/engine-error.ts';
import { TurnBudget } from '../../definitions/feel.ts';
import type { Settings } from '../../config/settings.ts';
import type { DeploymentRegistry } from '../deployments/registry.ts';
import type { ChannelRoute } from '../deployments/routing.ts';
import type { Log, Meter } from '../observe.ts';
import type { Database } from '../store/database.ts';
import { readInboxReply, type InboxKey } from '../store/turn-inbox.ts';
import { readInstanceStates } from '../store/turn-instances.ts';
import type {
  AddressedInboundPort,
  Delivery,
  InboundDelivery,
  InboundOutcome,
  InstanceOutcome,
  Service,
  StatementRunner,
  TaskBpmnError,
  TaskCompleted,
  TaskCompletion,
  TaskCompletionPort,
} from '../transport.ts';
import type { InboundMessage } from '../core/stimulus.ts';
import { runBatch } from './batch.ts';
import type { Written } from './batch-write.ts';
import { planCompletion } from './completion-plan.ts';
import { decodeMessage } from './decode.ts';
import { DeadLetters } from './dead-letters.ts';
import { dedupKeyOf, withKey } from './dedup.ts';
import { InstanceCommands } from './instance-commands.ts';
import { InstanceWatch, outcomeAfter, outcomeOf, replied } from './instance-watch.ts';
import { outboxRows } from './outbox-row.ts';
import type { DirectSinks } from './outgoing.ts';
import { LargeValues } from './large-values.ts';
import type { CallFailurePort, LoopbackPort, SettledTurn, TimerPort } from './ports.ts';
import { ProcessStarts } from './process-starts.ts';
import { planMessage, startsOf } from './route.ts';
import { busyError, instanceTarget, settledTurn } from './turn-answers.ts';
import { TurnQueue } from './turn-queue.ts';
import type { CallFailure, SubmitTurn, Target, TaskSettlement, TurnAnswer, TurnRequest } from './turn.ts';
import { PayloadValidator } from './validate.ts';

export interface IntakeOptions {
  readonly database: Database;
  readonly deployments: Pick<DeploymentRegistry, 'route' | 'model' | 'loadedModel' | 'live'>;
  readonly settings: Settings;
  /** Asked at each batch, because the transports need the intake before. Default: none, all rows go into the outbox. */
  readonly sinks?: () => DirectSinks;
  /** Called after each commit: wake the relay and the clock. */
  readonly committed: (written: Written) => void;
  readonly meter: Meter;
  readonly log: Log;
  /** What `now()` is in the expressions that run before a turn. Default: this machine's clock. */
  readonly nowMs?: () => number;
}

const noSinks: DirectSinks = new Map();

/** Turns a batch. Beyond, batches only grow slower; measured with the order benchmark. */
const maxBatch = 256;

/**
 * Turns that begin a batch beside another one. Measured with the order benchmark, 64 workers: half the statements and
 * a third less of the processors' time than with two batches that begin whenever they can.
 */
const minBeside = 32;

/** Refusals of a failed attempt that leave it with whoever reports it. */
const notTakenOver: ReadonlySet<string> = new Set([
  'SUTRA.CORE.CALL_NOT_RETRIED',
  'SUTRA.CORE.WAIT_GONE',
  'SUTRA.CORE.INSTANCE_ENDED',
  'SUTRA.INBOUND.INSTANCE_FAILED',
  'SUTRA.INBOUND.NOT_CORRELATED',
]);

export class Intake
  implements Service, AddressedInboundPort, TaskCompletionPort, CallFailurePort, TimerPort, LoopbackPort
{
  readonly commands: InstanceCommands;
  readonly starts: ProcessStarts;
  readonly deadLetters: DeadLetters;
  readonly #options: IntakeOptions;
  readonly #queue: TurnQueue;
  readonly #watch: InstanceWatch;
  readonly #validator = new PayloadValidator();

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#watch = new InstanceWatch(options.database, options.log);
    const batchOptions = {
      database: options.database,
      loadModel: (id: string, runner: StatementRunner) => options.deployments.model(id, runner),
      liveDeployments: () => options.deployments.live(),
      planCompletion: planCompletion(options.deployments, this.#validator, options.settings.feel),
      outboxRowOf: outboxRows(options.settings),
      sinks: options.sinks ?? ((): DirectSinks => noSinks),
      dropsEnded: options.settings.instance.retentionMs === 0,
      keepsHistory: options.settings.history.retentionMs > 0,
      maxAuditBytes: options.settings.history.maxPayloadBytes,
      largeValues: new LargeValues(),
      maxDeadLetters: options.settings.deadLetter.maxCount,
      costLimits: options.settings.feel,
      graceMs: options.settings.externalTask.defaultLockDurationMs,
      committed: (written: Written, instances: Parameters<InstanceWatch['committed']>[0]) => {
        this.#watch.committed(instances);
        this.deadLetters.counted(written.letters);
        options.committed(written);
      },
      meter: options.meter,
      log: options.log,
    };
    this.#queue = new TurnQueue({
      // Under load, two commits under way keep the disk busy while the next batch collects; embedded has one connection.
      maxConcurrent: Math.min(2, options.database.poolSize),
      minBeside,
      maxBatch,
      ...options.settings.intake,
      run: (turns) => runBatch(turns, batchOptions),
      refused: (refusal) => {
        options.meter.add('sutra_turns_refused_total', 1, { ...refusal });
      },
    });
    const submit: SubmitTurn = (request) => this.#queue.submit(request);
    this.commands = new InstanceCommands(submit);
    this.starts = new ProcessStarts(submit, options.settings.feel);
    const { database, deployments, settings, meter, log } = options;
    this.deadLetters = new DeadLetters({
      requestOf: (delivery) => this.#prepare(this.#routeOf(delivery), delivery).request,
      live: () => deployments.live(),
      budget: () => this.#budget(),
      maxCount: settings.deadLetter.maxCount,
      ...{ database, submit, meter, log },
    });
    options.meter.gauge('sutra_turns_in_flight', () => this.#queue.inFlight);
    options.meter.gauge('sutra_messages_wait_seconds', () => this.#queue.newWaitMs / 1000);
    options.meter.gauge('sutra_requests_held', () => this.#watch.size);
  }

  async start(): Promise<void> {
    await this.#queue.start();
    await this.#watch.start();
  }

  /** Refuses what comes, answers held requests as still running, and lets accepted turns commit. */
  async stop(): Promise<void> {
    await this.#watch.stop();
    await this.#queue.stop();
  }

  /**
   * Whether a message would be taken now: for transports, before they read it.
   * @throws EngineError SUTRA.INTAKE.CAPACITY, SUTRA.INTAKE.STOPPING
   */
  admit(): void {
    this.#queue.admitNew();
  }

  async deliver(delivery: InboundDelivery): Promise<InboundOutcome> {
    const route = this.#routeOf(delivery);
    // Decoding is the dearer part of a refusal.
    this.admit();
    try {
      const prepared = this.#prepare(route, delivery);
      const answer = await this.#count(this.#queue.submit(prepared.request));
      return this.#outcome(answer, prepared.ackMode);
    } catch (refusal) {
      throw await this.deadLetters.keep(route, delivery, refusal);
    }
  }

  async deliverTo(instanceId: string, delivery: InboundDelivery): Promise<InboundOutcome> {
    const route = this.#routeOf(delivery);
    this.admit();
    const { tenant, module, channel } = route;
    const message = withKey(this.#decode(route, delivery), null);
    const answer = await this.#count(
      this.#queue.submit({
        shardKey: instanceId,
        ...{ dedup: null, settles: null, isBroadcast: false },
        targets: [
          {
            ...{ kind: 'instance', instanceId, scope: { tenant, module } },
            stimulus: {
              ...{ kind: 'message', channel: channel.name, key: null, aliases: [] },
              ...{ isAddressed: true, message },
            },
          },
        ],
      }),
    );
    return this.#outcome(answer, channel.ackMode);
  }

  completeTask(completion: TaskCompletion): Promise<TaskCompleted> {
    return this.#complete(completion, completion.taskId);
  }

  /** Through one shard: they share commits, and never contend for an instance that several of them reach. */
  completeTasks(
    completions: readonly TaskCompletion[],
  ): Promise<readonly PromiseSettledResult<TaskCompleted>[]> {
    const shardKey = completions[0]?.taskId ?? '';
    return Promise.allSettled(completions.map((completion) => this.#complete(completion, shardKey)));
  }

  raiseBpmnError({ code, message, variables, ...lock }: TaskBpmnError): Promise<TaskCompleted> {
    const bpmnError = { code, message, variables };
    return this.#settle({ kind: 'task', ...lock, result: null, bpmnError }, lock.taskId);
  }

  #complete(completion: TaskCompletion, shardKey: string): Promise<TaskCompleted> {
    return this.#settle({ kind: 'task', ...completion }, shardKey);
  }

  async #settle(settles: TaskSettlement, shardKey: string): Promise<TaskCompleted> {
    const { taskId } = settles;
    const request = { shardKey, dedup: null, settles, targets: [], isBroadcast: false };
    const answer = await this.#queue.submit(request);
    switch (answer.kind) {
      case 'refused':
        throw answer.error;
      case 'busy':
        throw busyError(taskId);
      case 'applied':
      case 'duplicate':
      case 'replayed':
        if (answer.task === null) break;
        return { ...answer.task, outcome: answer.kind === 'duplicate' ? 'DUPLICATE' : 'ACCEPTED' };
      case 'gone':
      case 'previewed':
        break;
    }
    throw new Error(`the end of task ${taskId} was answered ${answer.kind} without its task`);
  }

  async failTask(
    { taskId, workerId, lockToken }: Parameters<CallFailurePort['failTask']>[0],
    failure: CallFailure,
  ): Promise<void> {
    const answer = await this.#queue.submit({
      shardKey: taskId,
      dedup: null,
      settles: { kind: 'task', taskId, workerId, lockToken, completionId: null, result: null, failure },
      targets: [],
      isBroadcast: false,
    });
    if (answer.kind === 'refused') throw answer.error;
    if (answer.kind === 'busy') throw busyError(taskId);
  }

  async failFromOutbox(
    { id, instanceId, idempotencyKey: key }: Delivery,
    { code, message }: CallFailure,
  ): Promise<boolean> {
    const answer = await this.#queue.submit({
      shardKey: instanceId,
      dedup: null,
      settles: { kind: 'outbox', id },
      targets: [instanceTarget(instanceId, { kind: 'callFailed', key, code, message })],
      isBroadcast: false,
    });
    if (answer.kind === 'busy') throw busyError(instanceId);
    if (answer.kind !== 'refused') return true;
    if (notTakenOver.has(answer.error.code)) return false;
    throw answer.error;
  }

  async fireTimer({ instanceId, waitId }: Parameters<TimerPort['fireTimer']>[0]): Promise<SettledTurn> {
    const answer = await this.#queue.submit({
      shardKey: instanceId,
      dedup: null,
      settles: { kind: 'timer', instanceId, waitId },
      targets: [instanceTarget(instanceId, { kind: 'timer', waitId })],
      isBroadcast: false,
    });
    return settledTurn(answer);
  }

  async deliverFromOutbox(
    delivery: Delivery,
    answerOfPeer: Parameters<LoopbackPort['deliverFromOutbox']>[1],
  ): Promise<SettledTurn> {
    const { tenant, module, channel, idempotencyKey } = delivery;
    const inbound: InboundDelivery = {
      tenant,
      module,
      channel,
      headers: { ...(answerOfPeer?.headers ?? delivery.headers), 'idempotency-key': idempotencyKey },
      contentType: answerOfPeer === null ? delivery.contentType : answerOfPeer.contentType,
      body: answerOfPeer?.body ?? delivery.body,
    };
    const route = this.#routeOf(inbound);
    const request =
      answerOfPeer === null
        ? this.#prepare(route, inbound).request
        : this.#peerAnswer(route, inbound, delivery);
    const answer = await this.#queue.submit({ ...request, settles: { kind: 'outbox', id: delivery.id } });
    return settledTurn(answer);
  }

  #routeOf(delivery: InboundDelivery): ChannelRoute {
    const route = this.#options.deployments.route(delivery.tenant, delivery.module, delivery.channel);
    if (route !== undefined) return route;
    throw new EngineError(
      'SUTRA.INBOUND.CHANNEL_UNKNOWN',
      `No live deployment of ${delivery.tenant}/${delivery.module} declares channel ${delivery.channel}.`,
      { attributes: { channel: delivery.channel, retryable: false } },
    );
  }

  #decode(route: ChannelRoute, delivery: InboundDelivery): InboundMessage {
    const cap = Math.min(
      route.channel.payloadCapBytes ?? Infinity,
      this.#options.settings.codec.maxPayloadBytes,
    );
    if (delivery.body.length > cap) {
      throw new EngineError(
        'SUTRA.CODEC.PAYLOAD_TOO_LARGE',
        `The body has ${String(delivery.body.length)} bytes; channel ${route.channel.name} takes at most ${String(cap)}.`,
        { attributes: { limit: cap } },
      );
    }
    const message = decodeMessage(route.channel, delivery);
    const model = this.#options.deployments.loadedModel(route.deploymentId);
    if (model !== undefined) this.#validator.validate(model, route.channel, message);
    return message;
  }

  #prepare(
    route: ChannelRoute,
    delivery: InboundDelivery,
  ): { readonly request: TurnRequest; readonly ackMode: InboundOutcome['ackMode'] } {
    const message = this.#decode(route, delivery);
    const budget = this.#budget();
    const starts = startsOf(route, message);
    const key = dedupKeyOf(route.channel, starts[0]?.source ?? null, message, budget);
    const dedup: InboxKey | null =
      key === null
        ? null
        : { tenant: route.tenant, module: route.module, channel: route.channel.name, dedupKey: key };
    const replyTo = { channel: route.channel.name, dedupKey: key };
    const keyed = withKey(message, key, starts[0]?.source.dedupKey ?? route.channel.dedupKey);
    const { targets, isBroadcast } = planMessage(route, starts, keyed, budget, replyTo);
    return {
      request: { shardKey: shardKeyOf(key, targets), dedup, settles: null, targets, isBroadcast },
      ackMode: starts[0]?.source.ack ?? route.channel.ackMode,
    };
  }

  /** Only a key or alias expression that calls now() reads its time; the turn itself has the database's. */
  #budget(): TurnBudget {
    return new TurnBudget((this.#options.nowMs ?? Date.now)(), this.#options.settings.feel);
  }

  /** The answer that came back with a dial: it belongs to the delivery's own call and to nothing else. */
  #peerAnswer(route: ChannelRoute, inbound: InboundDelivery, delivery: Delivery): TurnRequest {
    const { tenant, module, channel, idempotencyKey, instanceId } = delivery;
    const message = withKey(this.#decode(route, inbound), idempotencyKey);
    return {
      shardKey: instanceId,
      dedup: { tenant, module, channel, dedupKey: idempotencyKey },
      settles: null,
      targets: [
        instanceTarget(instanceId, { kind: 'message', channel, key: idempotencyKey, aliases: [], message }),
      ],
      isBroadcast: false,
    };
  }

  #outcome(answer: TurnAnswer, ackMode: InboundOutcome['ackMode']): InboundOutcome {
    if (answer.kind === 'refused') throw answer.error;
    if (answer.kind === 'duplicate') {
      return {
        instanceId: answer.instanceId,
        isDuplicate: true,
        ackMode,
        settled: (holdMs, signal) => this.#settledDuplicate(answer.instanceId, answer.key, holdMs, signal),
      };
    }
    const first = answer.kind === 'applied' ? answer.instances[0] : undefined;
    if (first === undefined) throw busyError('');
    return {
      instanceId: first.instanceId,
      isDuplicate: false,
      ackMode,
      settled: (holdMs, signal) => {
        const outcome = outcomeAfter(first);
        return outcome === null
          ? this.#watch.watch(first.instanceId, holdMs, signal, first.isNew)
          : Promise.resolve(outcome);
      },
    };
  }

  async #settledDuplicate(
    instanceId: string,
    key: InboxKey | null,
    holdMs: number,
    signal: AbortSignal,
  ): Promise<InstanceOutcome> {
    const { database } = this.#options;
    // The instance first: its reply and the key's are one commit, so one that is seen here is there too.
    const [state] = await readInstanceStates(database, [instanceId]);
    const reply = key === null || state?.reply === null ? null : await readInboxReply(database, key);
    if (reply !== null) return replied(reply);
    // Its retention has passed, the inbox row's has not: it ended, and without a reply.
    if (state === undefined) return { kind: 'ended', status: 'completed' };
    // A reply that is not kept beside this key belongs to an earlier message.
    const hasReplied = state.reply !== null;
    return outcomeOf(state, false) ?? this.#watch.watch(instanceId, holdMs, signal, !hasReplied);
  }

  async #count(answer: Promise<TurnAnswer>): Promise<TurnAnswer> {
    const settled = await answer;
    this.#options.meter.add('sutra_messages_total', 1, { outcome: settled.kind });
    return settled;
  }
}

/** A known instance meets its other turns; the same key meets its duplicates; the rest spreads. */
function shardKeyOf(dedupKey: string | null, targets: readonly Target[]): string {
  const first = targets[0];
  if (first?.kind === 'instance') return first.instanceId;
  if (dedupKey !== null) return dedupKey;
  if (first?.kind === 'alias') return first.keys[0]?.value ?? '';
  return first?.instanceId ?? '';
}
