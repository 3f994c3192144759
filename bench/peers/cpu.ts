/** Processor time of processes, as Linux counts it. Elsewhere, or for a server on another machine: null. */
import { readdir, readFile } from 'node:fs/promises';

/** USER_HZ: what /proc counts in, 100 a second on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

interface Stat {
  readonly parent: number;
  readonly ownTicks: number;
  readonly endedChildrenTicks: number;
}

async function readStat(pid: number): Promise<Stat | null> {
  try {
    const text = await readFile(`/proc/${String(pid)}/stat`, 'utf8');
    // The name in parentheses may contain anything; what follows is numbers. The first of them here is field 4.
    const fields = text
      .slice(text.lastIndexOf(')') + 4)
      .split(' ')
      .map(Number);
    const at = (field: number): number => fields[field - 4] ?? 0;
    return { parent: at(4), ownTicks: at(14) + at(15), endedChildrenTicks: at(16) + at(17) };
  } catch {
    return null;
  }
}

/** Of these processes, without their children. */
export async function cpuSecondsOf(pids: readonly number[]): Promise<number | null> {
  let ticks = 0;
  for (const pid of pids) {
    const stat = await readStat(pid);
    if (stat === null) return null;
    ticks += stat.ownTicks;
  }
  return ticks / TICKS_PER_SECOND;
}

/** Of a whole PostgreSQL server: its postmaster, and all that it started, backends that have ended included. */
export async function postgresqlCpuSeconds(postmaster: number | null): Promise<number | null> {
  if (postmaster === null) return null;
  const own = await readStat(postmaster);
  if (own === null) return null;
  let ticks = own.ownTicks + own.endedChildrenTicks;
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readStat(Number(entry));
    if (stat?.parent === postmaster) ticks += stat.ownTicks;
  }
  return ticks / TICKS_PER_SECOND;
}

/** The postmaster of a backend; null: it does not run on this machine. */
export async function postmasterOf(backend: number): Promise<number | null> {
  const stat = await readStat(backend);
  if (stat === null) return null;
  const name = await readFile(`/proc/${String(stat.parent)}/comm`, 'utf8').catch(() => '');
  return name.startsWith('postgres') ? stat.parent : null;
}
