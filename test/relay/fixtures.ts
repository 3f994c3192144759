/** What the tests of the relay and the clock share: rows, ports that do as they are told, and waiting. */
import { randomUUID } from 'node:crypto';
import { after, before } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import type { LoopbackPort, SettledTurn } from '../../engine/intake/ports.ts';
import { silentLog, silentMeter } from '../../engine/observe.ts';
import type { DialLimits } from '../../engine/relay/network-pass.ts';
import { defaultDialLimits } from '../../engine/relay/network-pass.ts';
import { Relay } from '../../engine/relay/relay.ts';
import type { RelayOptions } from '../../engine/relay/relay.ts';
import type { Database } from '../../engine/store/database.ts';
import { deleteOutboxRows, insertOutboxRows } from '../../engine/store/outbox.ts';
import type { OutboxRow } from '../../engine/store/outbox.ts';
import type {
  Delivery,
  DeliveryResult,
  NetworkSink,
  Sink,
  StatementRunner,
  Parking,
  TransactionalSink,
  Transport,
} from '../../engine/transport.ts';

/** The timers of the relay and of the clock do not keep the process alive; a file that awaits them must. */
export function keepProcessAlive(): void {
  let timer: NodeJS.Timeout;
  before(() => {
    timer = setInterval(() => {}, 60_000);
  });
  after(() => clearInterval(timer));
}

export function outboxRow(changes: Partial<OutboxRow> = {}): OutboxRow {
  const id = randomUUID();
  return {
    id,
    transport: 'net',
    deploymentId: 'dep-000000000000000000000001',
    tenant: 'acme',
    module: 'scoring',
    version: '1.0.0',
    channel: 'score-request',
    processId: 'order',
    instanceId: randomUUID(),
    elementId: 'Call_Score',
    idempotencyKey: `key-${id}`,
    headers: { 'x-order': '17' },
    contentType: 'application/json',
    body: Buffer.from('{"amount":1}'),
    expectsAnswer: false,
    retries: 3,
    priority: 0,
    policy: {},
    deadlineMs: null,
    ...changes,
  };
}

/** Rows of one transport, one by one later than the other, so that their order is certain. */
export async function insertRows(
  database: StatementRunner,
  count: number,
  changes: Partial<OutboxRow> = {},
): Promise<readonly OutboxRow[]> {
  const rows = Array.from({ length: count }, () => outboxRow(changes));
  await insertOutboxRows(database, rows);
  return rows;
}

/** Something happened: whoever waits looks again. */
export class Signal {
  #waiting: (() => void)[] = [];

  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Looks after each notification until `isTrue`. The file's time limit bounds it. */
  async until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    for (;;) {
      const next = new Promise<void>((resolve) => this.#waiting.push(resolve));
      if (await isTrue()) return;
      await next;
    }
  }
}

export function outage(): EngineError {
  return new EngineError('SUTRA.PERSISTENCE_UNAVAILABLE', 'the database could not be reached');
}

/** The database as the relay sees it: every statement is noticed, and it can be away. */
export class WatchedRunner implements StatementRunner {
  readonly signal = new Signal();
  readonly names: string[] = [];
  isAway = false;
  /** Statements of these names fail, as if the database had gone just then. */
  readonly failing = new Set<string>();
  readonly #database: StatementRunner;

  constructor(database: StatementRunner) {
    this.#database = database;
  }

  async run<Row>(
    statement: { readonly name: string; readonly text: string },
    values: readonly unknown[],
  ): Promise<Row[]> {
    this.names.push(statement.name);
    try {
      if (this.isAway || this.failing.has(statement.name)) throw outage();
      return await this.#database.run<Row>(statement, values);
    } finally {
      setImmediate(() => this.signal.notify());
    }
  }

  count(name: string): number {
    return this.names.filter((other) => other === name).length;
  }
}

export interface StoredRow {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly due_in_ms: number;
}

export function storedRows(database: StatementRunner): Promise<StoredRow[]> {
  return database.run<StoredRow>(
    {
      name: 'test_stored_rows',
      text: `SELECT id, state, attempts, last_error,
  (extract(epoch FROM visible_at - now()) * 1000)::double precision AS due_in_ms
FROM outbox ORDER BY id`,
    },
    [],
  );
}

export interface StoredIncident {
  readonly kind: string;
  readonly subject_id: string;
  readonly instance_id: string;
  readonly element_id: string;
  readonly code: string;
  readonly message: string;
  readonly resolved_at: Date | null;
}

export function incidents(database: StatementRunner): Promise<StoredIncident[]> {
  return database.run<StoredIncident>(
    {
      name: 'test_incidents',
      text: `SELECT kind, subject_id, instance_id, element_id, code, message, resolved_at FROM incident ORDER BY id`,
    },
    [],
  );
}

/** Makes every row due, as if its time had passed. */
export async function makeDue(database: StatementRunner): Promise<void> {
  await database.run(
    { name: 'test_make_due', text: `UPDATE outbox SET visible_at = now() - interval '1 second'` },
    [],
  );
}

export async function clearTables(database: StatementRunner): Promise<void> {
  await database.run({ name: 'test_clear', text: 'TRUNCATE outbox, incident, timer' }, []);
}

/** A receiver whose answers the test decides, and that records every dial. */
export class RecordingNetwork implements NetworkSink {
  readonly kind = 'network';
  readonly signal = new Signal();
  readonly dials: Delivery[] = [];
  answer: (delivery: Delivery, signal: AbortSignal) => DeliveryResult | Promise<DeliveryResult> = () => ({
    kind: 'delivered',
  });
  active = 0;
  mostActive = 0;

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult> {
    this.dials.push(delivery);
    this.active += 1;
    this.mostActive = Math.max(this.mostActive, this.active);
    this.signal.notify();
    try {
      return await this.answer(delivery, signal);
    } finally {
      this.active -= 1;
      setImmediate(() => this.signal.notify());
    }
  }
}

/** Waits until the signal is aborted, as a receiver that never answers makes a sink do. */
export function hang(signal: AbortSignal): Promise<DeliveryResult> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ kind: 'retry', error: 'no answer in time', retryAfterMs: null });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/** Moves rows into the table `parked` of the same database; channel `bad` cannot be parked. */
export class ParkingSink implements TransactionalSink {
  readonly kind = 'transactional';
  readonly signal = new Signal();
  readonly limits: number[] = [];
  readonly told: ReadonlyMap<string, number>[] = [];
  beforeMove: () => Promise<void> = () => Promise.resolve();

  static async prepare(database: StatementRunner): Promise<void> {
    await database.run(
      {
        name: 'test_create_parked',
        text: `CREATE TABLE IF NOT EXISTS parked (id uuid PRIMARY KEY, channel text NOT NULL CHECK (channel <> 'bad'))`,
      },
      [],
    );
  }

  park(): Parking {
    throw new Error('no turn sends here: the relay moves what is in the outbox');
  }

  async move(runner: StatementRunner, limit: number): Promise<ReadonlyMap<string, number>> {
    this.limits.push(limit);
    this.signal.notify();
    await this.beforeMove();
    const rows = await runner.run<{ channel: string }>(
      {
        name: 'test_park',
        text: `
WITH due AS (
  DELETE FROM outbox WHERE id = ANY(ARRAY(
    SELECT id FROM outbox
    WHERE transport = 'parking' AND state = 'open' AND visible_at <= now()
    ORDER BY visible_at, id LIMIT $1::integer FOR UPDATE SKIP LOCKED))
  RETURNING id, channel
)
INSERT INTO parked (id, channel) SELECT id, channel FROM due RETURNING channel`,
      },
      [limit],
    );
    const counts = new Map<string, number>();
    for (const { channel } of rows) counts.set(channel, (counts.get(channel) ?? 0) + 1);
    return counts;
  }

  moved(counts: ReadonlyMap<string, number>): void {
    this.told.push(counts);
    this.signal.notify();
  }
}

export async function parkedIds(database: StatementRunner): Promise<readonly string[]> {
  const rows = await database.run<{ id: string }>(
    { name: 'test_parked', text: 'SELECT id FROM parked ORDER BY id' },
    [],
  );
  return rows.map((row) => row.id);
}

type Answer = Parameters<LoopbackPort['deliverFromOutbox']>[1];

/** An inbound path that takes every row, in one statement, unless the test decides otherwise. */
export class RecordingLoopback implements LoopbackPort {
  readonly signal = new Signal();
  readonly taken: { readonly delivery: Delivery; readonly answer: Answer }[] = [];
  decide: (delivery: Delivery) => SettledTurn | 'take' | Promise<SettledTurn | 'take'> = () => 'take';
  readonly #database: StatementRunner;

  constructor(database: StatementRunner) {
    this.#database = database;
  }

  /** What was given up; taken over where the test says so. */
  readonly givenUp: { readonly delivery: Delivery; readonly code: string }[] = [];
  takesOver = false;

  async failFromOutbox(delivery: Delivery, { code }: { readonly code: string }): Promise<boolean> {
    this.givenUp.push({ delivery, code });
    if (this.takesOver) await deleteOutboxRows(this.#database, [delivery.id]);
    return this.takesOver;
  }

  async deliverFromOutbox(delivery: Delivery, answer: Answer): Promise<SettledTurn> {
    this.taken.push({ delivery, answer });
    this.signal.notify();
    try {
      const decided = await this.decide(delivery);
      if (decided !== 'take') return decided;
      const deletedCount = await deleteOutboxRows(this.#database, [delivery.id]);
      return deletedCount === 1 ? 'done' : 'gone';
    } finally {
      setImmediate(() => this.signal.notify());
    }
  }
}

export function transport(name: string, sink: Sink | null): Transport {
  return { name, sink, bind: () => {} };
}

export interface RelayParts {
  readonly runner: WatchedRunner;
  readonly loopback: RecordingLoopback;
  readonly relay: Relay;
}

/** No tick and no jitter unless asked for: what happens is what the test caused. */
export const quietSettings: RelayOptions['settings'] = {
  tickIntervalMs: 3_600_000,
  retry: { baseDelayMs: 60_000, maxDelayMs: 600_000, jitter: false, maxAttempts: null },
};

export function relayOver(
  database: Database,
  transports: readonly Transport[],
  changes: Partial<Omit<RelayOptions, 'dialLimits'>> & { readonly dialLimits?: Partial<DialLimits> } = {},
): RelayParts {
  const runner = new WatchedRunner(database);
  const loopback = new RecordingLoopback(database);
  const relay = new Relay({
    database: runner,
    transports,
    loopback,
    settings: quietSettings,
    meter: silentMeter,
    log: silentLog,
    random: () => 0,
    ...changes,
    dialLimits: { ...defaultDialLimits, ...changes.dialLimits },
  });
  return { runner, loopback, relay };
}
