/**
 * The one interface that a channel's transport implements. `engine` knows no transport by name:
 * the composition root hands it a list of these.
 *
 * T1 A *transactional* sink takes rows inside the commit of the turn that sends them, or moves outbox rows
 *    inside the relay's own transaction: a delivery is never in both places nor in neither.
 * T2 A *network* sink is dialled outside any transaction, under a visibility timeout on the row; it may
 *    see the same delivery again, with the same idempotency key.
 */

/** Long-lived parts. `stop` is idempotent, legal before `start`, and leaves nothing running. */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A named prepared statement, as `engine/store` runs it. */
export interface StatementRunner {
  run<Row>(
    statement: { readonly name: string; readonly text: string },
    values: readonly unknown[],
  ): Promise<Row[]>;
}

/** One row of the outbox on its way out. */
export interface Delivery {
  readonly id: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly elementId: string;
  readonly idempotencyKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The attempt that this dial is; the first is 1. */
  readonly attempt: number;
  readonly expectsAnswer: boolean;
}

export type DeliveryResult =
  /** Delivered: the row goes. */
  | { readonly kind: 'delivered' }
  /** Delivered, and the answer came with it: it re-enters under the delivery's own key. */
  | {
      readonly kind: 'answered';
      readonly contentType: string | null;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  /** Not delivered: back off and dial again. `retryAfterMs` is the peer's own wish. */
  | { readonly kind: 'retry'; readonly error: string; readonly retryAfterMs: number | null }
  /** The peer will never take it: poison at once. */
  | { readonly kind: 'refused'; readonly error: string };

export interface NetworkSink {
  readonly kind: 'network';
  /** Bounded by `signal`; never throws for what the peer does. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult>;
}

/** What a turn sends, on its way into the outbox, or straight to where a transactional sink keeps it. */
export interface OutgoingRow {
  readonly id: string;
  readonly transport: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  readonly channel: string;
  readonly processId: string;
  readonly instanceId: string;
  readonly elementId: string;
  readonly idempotencyKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly expectsAnswer: boolean;
  readonly retries: number;
  readonly priority: number;
  readonly policy: object;
  /** Milliseconds since the epoch by the database's clock, or null. */
  readonly deadlineMs: number | null;
}

/** Rows on their way into a commit. */
export interface Parking {
  readonly written: Promise<void>;
  /** Called once, when the commit is durable or will never be. */
  settled(isCommitted: boolean): void;
}

export interface TransactionalSink {
  readonly kind: 'transactional';
  /**
   * Writes what turns send where it is kept, in the turns' own commit: such a row is never in the outbox. Rows of
   * `failedInstances` are held until the repair, by the same commit.
   */
  park(runner: StatementRunner, rows: readonly OutgoingRow[], failedInstances: ReadonlySet<string>): Parking;
  /**
   * Moves at most `limit` due outbox rows of this transport, in one statement of `runner`.
   * Answers how many were moved, per channel, for the wake after the commit.
   */
  move(runner: StatementRunner, limit: number): Promise<ReadonlyMap<string, number>>;
  /** Called after the commit with what `move` answered. */
  moved(counts: ReadonlyMap<string, number>): void;
}

/** Delivers into this same engine: each row becomes a turn that settles the row in its own commit. */
export interface LoopbackSink {
  readonly kind: 'loopback';
}

export type Sink = NetworkSink | TransactionalSink | LoopbackSink;

/** What a transport must know of a channel to serve it. */
export interface ChannelEndpoint {
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  readonly name: string;
  readonly direction: 'inbound' | 'outbound' | 'both';
  readonly bind: string;
  readonly ackMode: 'on-persist' | 'on-complete';
  readonly payloadCapBytes: number | null;
  readonly auth: {
    readonly kind: 'bearer' | 'basic' | 'api-key';
    readonly reference: string;
    readonly name: string | null;
  } | null;
}

/** A message as it came in, before decoding. */
export interface InboundDelivery {
  readonly tenant: string;
  readonly module: string;
  readonly channel: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string | null;
  readonly body: Uint8Array;
}

/** What became of a message. A refusal is an `EngineError` thrown by `deliver`. */
export interface InboundOutcome {
  readonly instanceId: string;
  readonly isDuplicate: boolean;
  /** The start event's own `ack`, else the channel's. */
  readonly ackMode: 'on-persist' | 'on-complete';
  /** Call at once after `deliver`. Resolves when the instance has replied, ended or failed, or when `holdMs` has passed. */
  readonly settled: (holdMs: number, signal: AbortSignal) => Promise<InstanceOutcome>;
}

export type InstanceOutcome =
  | {
      readonly kind: 'replied';
      readonly contentType: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | { readonly kind: 'ended'; readonly status: 'completed' | 'terminated' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** Still under way when the hold ended. */
  | { readonly kind: 'running' };

export interface InboundPort {
  /** @throws EngineError with the code of the refusal; nothing was kept then. */
  deliver(delivery: InboundDelivery): Promise<InboundOutcome>;
}

export interface AddressedInboundPort extends InboundPort {
  /**
   * A message for one instance of the module, whatever keys it has: the oldest wait for a message on the channel takes
   * it. It starts nothing and has no dedup key.
   * @throws EngineError as `deliver`; SUTRA.INBOUND.NOT_CORRELATED when the instance does not wait there.
   */
  deliverTo(instanceId: string, delivery: InboundDelivery): Promise<InboundOutcome>;
}

export interface Transport {
  readonly name: string;
  /** Null: this transport takes nothing out (or brings nothing in). */
  readonly sink: Sink | null;
  /** Called with all endpoints of live deployments whenever that set changes. */
  bind(endpoints: readonly ChannelEndpoint[]): void;
}

// --- what the pull surface asks of the intake ---------------------------------------------------

export interface TaskCompletion {
  readonly taskId: string;
  readonly workerId: string;
  readonly lockToken: string | null;
  readonly completionId: string | null;
  /** Null: the original request's body and content type are delivered again. */
  readonly result: { readonly contentType: string; readonly body: Uint8Array } | null;
}

/** The work has ended in what the model calls an error: the call throws it. */
export interface TaskBpmnError {
  readonly taskId: string;
  readonly workerId: string;
  readonly lockToken: string | null;
  readonly completionId: string | null;
  readonly code: string;
  /** Null: the worker said nothing but the code. */
  readonly message: string | null;
  /** A JSON object in UTF-8: written as variables before the error is thrown. Null: none. */
  readonly variables: Uint8Array | null;
}

export interface TaskCompleted {
  readonly taskId: string;
  readonly channel: string;
  readonly instanceId: string;
  /** `ACCEPTED` only when this call's result, or BPMN error, is what the instance received. */
  readonly outcome: 'ACCEPTED' | 'DUPLICATE';
}

export interface TaskCompletionPort {
  /**
   * Feeds a worker's result through the inbound path and removes the task, in one commit.
   * @throws EngineError with a verdict of protocol §3 (`SUTRA.EXTERNAL_TASK.*`).
   */
  completeTask(completion: TaskCompletion): Promise<TaskCompleted>;
  /** Each as by `completeTask`, in this order and in few commits; one that is refused fails no other. */
  completeTasks(
    completions: readonly TaskCompletion[],
  ): Promise<readonly PromiseSettledResult<TaskCompleted>[]>;
  /**
   * Throws a worker's BPMN error at the call that waits for the task and removes the task, in one commit. Nobody
   * catching it is no refusal: it is accepted, and the instance fails.
   * @throws EngineError as `completeTask`; SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED when no call waits for the task.
   */
  raiseBpmnError(error: TaskBpmnError): Promise<TaskCompleted>;
}
