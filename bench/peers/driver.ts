/**
 * A driver: the process that sends units to one peer and runs its workers. Every peer, ours included, is driven by
 * these loops, so that what is measured differs only in the adapter. The bench speaks to it over the channel of its
 * parent; when that closes, it ends, so that it never outlives the bench.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadAdapter, type Adapter } from './adapter.ts';
import type {
  Count,
  DriverAnswer,
  DriverAnswers,
  DriverRequest,
  OneAtATime,
  PickUpTimes,
} from './driver-protocol.ts';

/** So that a worker is idle for certain before the next unit is sent. Longer than any peer's settling. */
const IDLE_MS = 25;

let adapter: Adapter | null = null;
let sent = 0;
let recorded = 0;
let maxOpen = 0;
let isLoaded = false;
let senders: Promise<void>[] = [];
/** Senders that wait for room. */
const waiting: (() => void)[] = [];
let onBegun: (() => void) | null = null;
let onRecorded: (() => void) | null = null;

const events = {
  begun(): void {
    onBegun?.();
  },
  recorded(count: number): void {
    recorded += count;
    for (let index = 0; index < count; index += 1) waiting.shift()?.();
    onRecorded?.();
  },
};

const handlers: {
  readonly [Kind in DriverRequest['kind']]: (
    request: Extract<DriverRequest, { kind: Kind }>,
  ) => Promise<DriverAnswers[Kind]>;
} = {
  async start({ peer, options }) {
    const make = await loadAdapter(peer);
    adapter = make(options, events);
    await adapter.start();
    return null;
  },
  async load(request) {
    isLoaded = true;
    maxOpen = request.maxOpen;
    senders = Array.from({ length: request.senders }, sendInALoop);
    return null;
  },
  async count(): Promise<Count> {
    return { sent, recorded, atMs: performance.now() };
  },
  async unload() {
    isLoaded = false;
    for (const wake of waiting.splice(0)) wake();
    await Promise.all(senders);
    return null;
  },
  oneAtATime: ({ seconds }) => oneAtATime(seconds),
  pickUp: ({ units }) => pickUp(units),
  async stop() {
    await adapter?.stop();
    adapter = null;
    return null;
  },
};

async function sendInALoop(): Promise<void> {
  while (isLoaded) {
    if (sent - recorded >= maxOpen) {
      await new Promise<void>((resolve) => waiting.push(resolve));
      continue;
    }
    sent += 1;
    await started().send();
  }
}

async function oneAtATime(seconds: number): Promise<OneAtATime> {
  const startedAt = performance.now();
  let units = 0;
  while (performance.now() - startedAt < seconds * 1000) {
    const done = new Promise<void>((resolve) => (onRecorded = resolve));
    await Promise.all([started().send(), done]);
    units += 1;
  }
  onRecorded = null;
  return { units, elapsedMs: performance.now() - startedAt };
}

async function pickUp(units: number): Promise<PickUpTimes> {
  const afterCommitMs: number[] = [];
  const afterRequestMs: number[] = [];
  for (let unit = 0; unit < units; unit += 1) {
    const done = new Promise<void>((resolve) => (onRecorded = resolve));
    const begun = new Promise<number>((resolve) => (onBegun = () => resolve(performance.now())));
    const requestedAt = performance.now();
    const committed = sendOneWay(started()).then(() => performance.now());
    const [committedAt, begunAt] = await Promise.all([committed, begun, done]);
    afterCommitMs.push(begunAt - committedAt);
    afterRequestMs.push(begunAt - requestedAt);
    await sleep(IDLE_MS);
  }
  onRecorded = null;
  onBegun = null;
  return { afterCommitMs, afterRequestMs };
}

function sendOneWay(peer: Adapter): Promise<void> {
  return peer.sendOneWay === undefined ? peer.send() : peer.sendOneWay();
}

function started(): Adapter {
  if (adapter === null) throw new Error('the driver has no adapter yet');
  return adapter;
}

function answer(message: DriverAnswer): void {
  process.send?.(message);
}

process.on('message', (request: DriverRequest) => {
  const handle = handlers[request.kind] as (request: DriverRequest) => Promise<unknown>;
  handle(request).then(
    (value) => answer({ kind: 'answer', value }),
    (error: unknown) =>
      answer({
        kind: 'failed',
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  );
});
process.on('disconnect', () => process.exit(1));
