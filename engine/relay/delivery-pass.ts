/** What the relay runs for each transport; one implementation for each kind of sink. */
import type { Log, Meter } from '../observe.ts';
import type { LoopbackPort } from '../intake/ports.ts';
import type { Delivery, StatementRunner } from '../transport.ts';
import type { Settlement } from './settlement.ts';

export interface DeliveryPass {
  /**
   * Takes everything that is due. Answers after how many milliseconds there is known work again, or null.
   * @throws when the database or the engine failed: the rows are still there, and the caller backs off.
   */
  run(): Promise<number | null>;
  /** Called after the last `run`: resolves, within a bounded time, when nothing that it began is left. */
  drain(): Promise<void>;
}

export interface DeliveryPassOptions {
  readonly transport: string;
  readonly runner: StatementRunner;
  readonly settlement: Settlement;
  readonly loopback: LoopbackPort;
  readonly meter: Meter;
  readonly log: Log;
  readonly random: () => number;
  /** True once the relay is stopping: begin no other batch. */
  readonly isStopping: () => boolean;
  /** Asks for another pass: at once, or after a delay. */
  readonly wake: () => void;
  readonly wakeIn: (delayMs: number) => void;
}

/** Written by the engine onto deliveries that are parked; nothing outside ever sees them. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set(['sutra-park-deployment', 'sutra-park-instance']);

export function withoutReservedHeaders(delivery: Delivery): Delivery {
  const names = Object.keys(delivery.headers);
  if (!names.some((name) => RESERVED_HEADERS.has(name.toLowerCase()))) return delivery;
  const kept = Object.entries(delivery.headers).filter(([name]) => !RESERVED_HEADERS.has(name.toLowerCase()));
  return { ...delivery, headers: Object.fromEntries(kept) };
}
