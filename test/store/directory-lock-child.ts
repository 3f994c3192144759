/**
 * Takes the lock of a directory again and again, for a while, and checks that it is alone: whoever holds it
 * writes its process id into `holder`, and must find there nobody who is alive. `die` ends the process in the
 * middle of a hold, as a kill does.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lockDirectory } from '../../engine/store/directory-lock.ts';

const [directory = '', mode] = process.argv.slice(2);
const file = join(directory, 'holder');

/** Killed, but still in the process table. */
function isAwaitingItsParent(pid: number): boolean {
  return (
    existsSync('/proc/self/stat') && /^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  );
}

function livingHolder(): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    process.kill(pid, 0);
    return pid === process.pid || isAwaitingItsParent(pid) ? null : pid;
  } catch {
    return null;
  }
}

let heldCount = 0;
const until = Date.now() + 2_000;
while (Date.now() < until) {
  const lock = await lockDirectory(directory, { lost: () => process.exit(3), patienceMs: 0 }).catch(
    () => null,
  );
  if (lock === null) {
    await delay(Math.random() * 5);
    continue;
  }
  if (livingHolder() !== null) process.exit(4);
  writeFileSync(file, String(process.pid));
  await delay(Math.random() * 10);
  heldCount += 1;
  if (mode === 'die') process.kill(process.pid, 'SIGKILL');
  if (readFileSync(file, 'utf8') !== String(process.pid)) process.exit(5);
  rmSync(file);
  await lock.release();
}
process.exitCode = heldCount > 0 ? 0 : 6;
