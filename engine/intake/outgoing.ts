/**
 * What the turns of a batch send: rows for the outbox, and rows that a transactional sink takes in this very commit.
 */
import type { PackageModel } from '../../definitions/package-model.ts';
import type { OutboxRow } from '../store/outbox.ts';
import type { Parking, StatementRunner, TransactionalSink } from '../transport.ts';
import type { InstanceWork } from './instance-work.ts';
import type { OutboxRowOf } from './outbox-row.ts';

/** By transport: sinks that take what turns send in the turns' own commit. The others' rows go into the outbox. */
export type DirectSinks = ReadonlyMap<string, TransactionalSink>;

interface SendOptions {
  readonly models: ReadonlyMap<string, PackageModel>;
  readonly outboxRowOf: OutboxRowOf;
  readonly sinks: DirectSinks;
}

export interface SentRows {
  readonly outbox: readonly OutboxRow[];
  readonly direct: ReadonlyMap<TransactionalSink, readonly OutboxRow[]>;
}

/** Splits what the instances send. */
export function sentRows(
  works: readonly InstanceWork[],
  { outboxRowOf, models, sinks }: SendOptions,
): SentRows {
  const outbox: OutboxRow[] = [];
  const direct = new Map<TransactionalSink, OutboxRow[]>();
  for (const work of works) {
    for (const send of work.sends) {
      const row = outboxRowOf(work.origin, send, models.get(send.deploymentId));
      const sink = sinks.get(row.transport);
      if (sink === undefined) outbox.push(row);
      else if (direct.get(sink)?.push(row) === undefined) direct.set(sink, [row]);
    }
  }
  return { outbox, direct };
}

/** Begins to write what direct sinks take. `parkings` gets one for each, to be told how the commit ended. */
export function park(
  runner: StatementRunner,
  works: readonly InstanceWork[],
  direct: SentRows['direct'],
  parkings: Parking[],
): Promise<void>[] {
  const failed = works.filter((work) => work.snapshot?.status === 'failed').map((work) => work.origin.id);
  const begun = [...direct].map(([sink, rows]) => sink.park(runner, rows, new Set(failed)));
  parkings.push(...begun);
  return begun.map(({ written }) => written);
}
