/** Every metric of the engine: the reference that `docs/operate.md` shows and that the meter enforces. */

export type MetricRow =
  | { readonly kind: 'counter'; readonly help: string; readonly labels: readonly string[] }
  | {
      readonly kind: 'histogram';
      readonly help: string;
      readonly labels: readonly string[];
      /** Upper bounds, ascending. */
      readonly buckets: readonly number[];
    }
  | { readonly kind: 'gauge'; readonly help: string };

/** From a turn that is nearly free to a request held to its end. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

export const metricTable = {
  sutra_http_requests_total: {
    kind: 'counter',
    help: 'HTTP requests answered, by route template, method and status.',
    labels: ['route', 'method', 'status'],
  },
  sutra_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'From the headers of a request to its answer; long polls and held requests include their wait.',
    labels: ['route', 'method'],
    buckets: SECONDS,
  },
  sutra_http_requests_open: { kind: 'gauge', help: 'HTTP requests that wait for their answer.' },
  sutra_http_connections_open: { kind: 'gauge', help: 'Open client connections, idle ones included.' },
  sutra_http_channel_messages_total: {
    kind: 'counter',
    help: 'Messages taken by HTTP channels: accepted or duplicate.',
    labels: ['result'],
  },
  sutra_http_channel_deliveries_total: {
    kind: 'counter',
    help: 'Dials of HTTP channels by what came of them: delivered, answered, retry or refused.',
    labels: ['result'],
  },
  sutra_messages_total: {
    kind: 'counter',
    help: 'Messages that reached the inbound path, by outcome.',
    labels: ['outcome'],
  },
  sutra_turns_in_flight: {
    kind: 'gauge',
    help: 'Turns taken and not yet answered; the limit is max-in-flight.',
  },
  sutra_messages_wait_seconds: {
    kind: 'gauge',
    help: 'How long the oldest message has waited for its place in a commit; the limit is max-wait.',
  },
  sutra_turns_refused_total: {
    kind: 'counter',
    help: 'Turns refused with SUTRA.INTAKE.CAPACITY, by kind (new: messages; continuing: completions, timers, commands) and by the ceiling that was reached.',
    labels: ['kind', 'reason'],
  },
  sutra_requests_held: { kind: 'gauge', help: 'Requests held until their instance replies, ends or fails.' },
  sutra_database_statements: { kind: 'gauge', help: 'Statements sent to the database since the start.' },
  sutra_batch_turns: {
    kind: 'histogram',
    help: 'Turns in one commit.',
    labels: [],
    buckets: BATCH_SIZES,
  },
  sutra_batch_seconds: {
    kind: 'histogram',
    help: 'From the start of a batch to its commit.',
    labels: [],
    buckets: SECONDS,
  },
  sutra_outbox_delivered_total: {
    kind: 'counter',
    help: 'Outbox rows delivered or parked, by transport.',
    labels: ['transport'],
  },
  sutra_outbox_retried_total: {
    kind: 'counter',
    help: 'Deliveries that failed and were put off, by transport.',
    labels: ['transport'],
  },
  sutra_outbox_poisoned_total: {
    kind: 'counter',
    help: 'Deliveries given up and kept for a person, by transport.',
    labels: ['transport'],
  },
  sutra_outbox_dial_seconds: {
    kind: 'histogram',
    help: 'One dial of a network transport.',
    labels: ['transport'],
    buckets: SECONDS,
  },
  sutra_relay_failures_total: {
    kind: 'counter',
    help: 'Relay rounds that failed as a whole, by transport; the next tick tries again.',
    labels: ['transport'],
  },
  sutra_fetches_waiting: { kind: 'gauge', help: 'Fetches of workers that wait for tasks.' },
  sutra_fetch_claims_total: {
    kind: 'counter',
    help: 'Statements that locked tasks, or found none; fetches of one moment share one.',
    labels: [],
  },
  sutra_fetch_tasks_total: { kind: 'counter', help: 'Tasks locked for workers.', labels: [] },
  sutra_fetch_looks_total: {
    kind: 'counter',
    help: 'Statements that asked when the next task becomes fetchable.',
    labels: [],
  },
  sutra_fetch_released_total: {
    kind: 'counter',
    help: 'Tasks whose lock was given back because the worker had hung up.',
    labels: [],
  },
  sutra_task_failures_total: {
    kind: 'counter',
    help: 'Failures that workers reported, by what became of the task: PENDING or TERMINAL.',
    labels: ['status'],
  },
  sutra_task_lock_extensions_total: {
    kind: 'counter',
    help: 'Locks that workers extended: their heartbeats.',
    labels: [],
  },
  sutra_task_unlocks_total: { kind: 'counter', help: 'Tasks that workers gave back undone.', labels: [] },
  sutra_task_progress_total: { kind: 'counter', help: 'Notes of progress that workers left.', labels: [] },
  sutra_timers_fired_total: { kind: 'counter', help: 'Timers fired.', labels: [] },
  sutra_timer_lateness_seconds: {
    kind: 'histogram',
    help: 'How long after its due time a timer fired.',
    labels: [],
    buckets: SECONDS,
  },
  sutra_start_timers_fired_total: {
    kind: 'counter',
    help: 'Instances started by timer start events.',
    labels: [],
  },
  sutra_start_timer_lateness_seconds: {
    kind: 'histogram',
    help: 'How long after its due time a timer start event started its instance.',
    labels: [],
    buckets: SECONDS,
  },
  sutra_signal_deliveries_total: {
    kind: 'counter',
    help: 'Signals taken in hand, by outcome: done, dropped (nobody waits any more), held (the instance has failed), gone, busy.',
    labels: ['outcome'],
  },
  sutra_signal_lag_seconds: {
    kind: 'histogram',
    help: 'From the throw of a signal to its delivery.',
    labels: [],
    buckets: SECONDS,
  },
  sutra_dead_letters_kept_total: {
    kind: 'counter',
    help: 'Dead letters that were kept, by kind: message, signal or timer. One that was there already does not count again.',
    labels: ['kind'],
  },
  sutra_dead_letters_dropped_total: {
    kind: 'counter',
    help: 'What would have been a dead letter, when there were as many as sutra.dead-letter.max-count, by kind.',
    labels: ['kind'],
  },
  sutra_dead_letters_replayed_total: {
    kind: 'counter',
    help: 'Replays of dead letters, by outcome: applied, duplicate (it had been taken before), refused (it is kept).',
    labels: ['outcome'],
  },
  sutra_dead_letters_discarded_total: {
    kind: 'counter',
    help: 'Dead letters that a person has discarded, by kind.',
    labels: ['kind'],
  },
  sutra_clock_failures_total: {
    kind: 'counter',
    help: 'Clock rounds that failed as a whole, by what is due in them: timers, start-timers, signals; the next one tries again.',
    labels: ['of'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof metricTable;
