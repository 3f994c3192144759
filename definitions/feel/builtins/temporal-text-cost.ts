/** What it costs to read the text of a date, time or duration. */
import type { Run } from '../runtime.ts';

/** No text that is read is longer (temporal/parse.ts). */
const MAX_TEXT_LENGTH = 250;
/** 2 µs. */
const READ_UNITS = 60;
/** Guess: which offset a zone has is asked up to four times, which takes 20 µs. */
const ZONED_UNITS = 600;
/** A zone that the process does not know yet takes 0.3 ms. That it may is paid for once in each evaluation. */
const FIRST_OF_ZONE_UNITS = 10_000;

const zonesByRun = new WeakMap<Run, Set<string>>();

export function payForTemporalText(text: string, run: Run): void {
  run.meter.spend(READ_UNITS);
  if (text.length > MAX_TEXT_LENGTH) return;
  const at = text.indexOf('@');
  if (at < 0) return;
  run.meter.spend(ZONED_UNITS);
  const zone = text.slice(at);
  const zones = zonesByRun.get(run) ?? new Set();
  if (zones.has(zone)) return;
  run.meter.spend(FIRST_OF_ZONE_UNITS);
  zonesByRun.set(run, zones.add(zone));
}
