/** How long a process is busy with one thing: samples of its processor time, as Linux counts it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSecondsOf } from '../peers/cpu.ts';
import { nowMs } from './clock.ts';

const SAMPLE_MS = 50;
/** Of one core. Below it the process is idle again: renewals and ticks alone are far under it. */
const BUSY_SHARE = 0.3;
/** So long idle, and the burst is over: what comes later is something else. */
const QUIET_MS = 300;

export interface Burst {
  /** From the start to the end of the last busy sample. */
  readonly lengthMs: number;
  /** Processor time in it. */
  readonly cpuMs: number;
}

/** Watches process `pid` from now on until it is idle, for `watchMs` at the most. Null: the machine does not tell. */
export async function measureBurst(pid: number, watchMs: number): Promise<Burst | null> {
  const startedAt = nowMs();
  const first = await cpuSecondsOf([pid]);
  if (first === null) return null;
  let last = { atMs: startedAt, cpuSeconds: first };
  let burst: Burst = { lengthMs: 0, cpuMs: 0 };
  while (last.atMs < startedAt + Math.min(watchMs, burst.lengthMs + QUIET_MS)) {
    await sleep(SAMPLE_MS);
    const [atMs, cpuSeconds] = [nowMs(), (await cpuSecondsOf([pid])) ?? last.cpuSeconds];
    const share = ((cpuSeconds - last.cpuSeconds) * 1_000) / (atMs - last.atMs);
    if (share >= BUSY_SHARE) burst = { lengthMs: atMs - startedAt, cpuMs: (cpuSeconds - first) * 1_000 };
    last = { atMs, cpuSeconds };
  }
  return burst;
}
