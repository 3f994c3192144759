/**
 * Throws a signal from outside: to everyone of the tenant who waits for it now, and to its start events, as an
 * instance's own throw does. BPMN 2.0.2 §10.5.5, signal.
 *
 * T1 The deliveries, the idempotency key and the answer are one commit: a repetition is answered the same, and
 *    throws nothing.
 */
import { randomUUID } from 'node:crypto';
import { encodeValue } from '../../definitions/value-codec.ts';
import type { Value } from '../../definitions/value.ts';
import type { Database } from '../store/database.ts';
import { throwSignals, type SignalReach } from '../store/signals.ts';
import { insertInboxRows, readInboxReply, recordReplies } from '../store/turn-inbox.ts';
import type { StatementRunner } from '../transport.ts';

export interface SignalFromOutside {
  readonly tenant: string;
  readonly name: string;
  readonly payload: Value;
  /** Null: the same request again throws again. */
  readonly idempotencyKey: string | null;
}

export interface ThrownFromOutside extends SignalReach {
  /** The key had been used: these are the numbers of that time. */
  readonly isDuplicate: boolean;
}

/** Resolves when it is on its way for certain; the signal loop must be woken then. */
export function throwSignal(database: Database, signal: SignalFromOutside): Promise<ThrownFromOutside> {
  const { tenant, name, payload, idempotencyKey } = signal;
  const thrown = [{ tenant, name, payload: encodeValue(payload), throwerId: null }];
  return database.transaction(async (runner) => {
    if (idempotencyKey === null) return { ...(await throwSignals(runner, thrown)), isDuplicate: false };
    // No module and no channel has such a name: the key is of this door alone.
    const key = { tenant, module: '', channel: `/sutra/signals/${name}`, dedupKey: idempotencyKey };
    // Waits for another commit that records the same key. The id is that of no instance.
    const recorded = await insertInboxRows(runner, [{ ...key, instanceId: randomUUID(), reply: null }]);
    if (recorded === 0) return { ...(await earlierReach(runner, key)), isDuplicate: true };
    const reach = await throwSignals(runner, thrown);
    const bodyBase64 = Buffer.from(JSON.stringify(reach)).toString('base64');
    const reply = { contentType: 'application/json', headers: {}, bodyBase64 };
    await recordReplies(runner, [{ ...key, reply }]);
    return { ...reach, isDuplicate: false };
  });
}

async function earlierReach(
  runner: StatementRunner,
  key: Parameters<typeof readInboxReply>[1],
): Promise<SignalReach> {
  const reply = await readInboxReply(runner, key);
  const text = reply === null ? '{}' : Buffer.from(reply.bodyBase64, 'base64').toString('utf8');
  const reach = JSON.parse(text) as Partial<SignalReach>;
  return { instances: reach.instances ?? 0, starts: reach.starts ?? 0 };
}
