/**
 * Exclusive use of a directory by one process, on file systems without usable `flock` from Node.
 *
 * The lock is a series of files `lock.1`, `lock.2`, …; the one with the highest number rules, and tells who
 * holds it. Taking over means creating the next number, which can succeed only once. A file is removed only
 * when a higher one exists, so a slow rival that read an old state can never create a number that rules.
 *
 * D1 At most one live process holds the lock.
 * D2 A holder that died, however it died, is replaced without help. On the same machine and in the same
 *    process namespace that is decided by asking for its process; elsewhere (another container or machine on
 *    a shared volume) by its heartbeat: the file's time stands still.
 * D3 A holder that finds itself replaced (it was stopped for long) is told, once.
 */
import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, readlink, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../../config/engine-error.ts';
import type { StoreCode } from './codes.ts';

const HEARTBEAT_MS = 2_000;
/** Three beats missed. Only ever waited for when the holder's process cannot be asked for. */
const SILENCE_MS = 6_500;

/** What a lock file says. */
interface Holder {
  readonly nonce: string;
  readonly pid: number;
  /** Tells this process from a later one of the same id; null where the system does not say. */
  readonly startedAt: string | null;
  /** Where the process id means something: machine, boot and process namespace. */
  readonly realm: string;
  readonly hostname: string;
  readonly isReleased: boolean;
}

export interface DirectoryLock {
  release(): Promise<void>;
}

export interface LockOptions {
  /** Called at most once, if another process took over. */
  readonly lost: () => void;
  /** How long to wait for a live holder that may be on its way out. Default: 2 s. */
  readonly patienceMs?: number;
  /** How long a holder's heartbeat may be missing where its process cannot be asked for. Default: 6.5 s. */
  readonly silenceMs?: number;
}

/** A restart overlaps with the end of its predecessor: a killed process is still there for a moment. */
const PATIENCE_MS = 2_000;
const RETRY_MS = 100;

/**
 * Takes the lock of `directory`, which exists.
 * @throws SUTRA.STORE.DIRECTORY_LOCKED when a live process holds it.
 */
export async function lockDirectory(directory: string, options: LockOptions): Promise<DirectoryLock> {
  const self = await describeSelf();
  const deadline = performance.now() + (options.patienceMs ?? PATIENCE_MS);
  for (;;) {
    const top = await readTop(directory);
    const holder = top === null ? null : await livingHolder(directory, top, options.silenceMs ?? SILENCE_MS);
    if (holder !== null) {
      if (performance.now() >= deadline) throw lockedError(directory, holder);
      await delay(RETRY_MS);
      continue;
    }
    const number = (top?.number ?? 0) + 1;
    if (!(await create(directory, number, self))) continue;
    const now = await readNumbers(directory);
    if (Math.max(...now) === number) {
      await removeLower(directory, number, now);
      return hold(directory, number, self, options.lost);
    }
    // A rival was here in between and is ahead: this number never ruled.
    await rm(pathOf(directory, number), { force: true });
  }
}

interface Top {
  readonly number: number;
  readonly holder: Holder | null;
  readonly changedAtMs: number;
}

const pathOf = (directory: string, number: number): string => join(directory, `lock.${number}`);

async function readNumbers(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names.flatMap((name) => {
    const match = /^lock\.([1-9]\d{0,14})$/.exec(name);
    return match?.[1] === undefined ? [] : [Number(match[1])];
  });
}

async function readTop(directory: string): Promise<Top | null> {
  for (;;) {
    const numbers = await readNumbers(directory);
    if (numbers.length === 0) return null;
    const number = Math.max(...numbers);
    try {
      const path = pathOf(directory, number);
      const text = await readFile(path, 'utf8');
      const { mtimeMs } = await stat(path);
      return { number, holder: parseHolder(text), changedAtMs: mtimeMs };
    } catch (error) {
      // Replaced between the listing and the reading: list again.
      if (!isMissing(error)) throw error;
    }
  }
}

/** Null when the text is not ours: such a file holds nothing. */
function parseHolder(text: string): Holder | null {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : null;
  } catch {
    return null;
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false;
  const { nonce, pid, startedAt, realm, hostname: host, isReleased } = value as Record<string, unknown>;
  return (
    typeof nonce === 'string' &&
    typeof pid === 'number' &&
    (startedAt === null || typeof startedAt === 'string') &&
    typeof realm === 'string' &&
    typeof host === 'string' &&
    typeof isReleased === 'boolean'
  );
}

/** Who holds the directory and lives, or null. */
async function livingHolder(directory: string, top: Top, silenceMs: number): Promise<Holder | null> {
  const { holder } = top;
  if (holder === null || holder.isReleased) return null;
  const isHere = holder.realm === (await readRealm());
  const isAlive = isHere ? await isRunning(holder) : await isBeating(directory, top, silenceMs);
  return isAlive ? holder : null;
}

function lockedError(directory: string, { pid, hostname: host }: Holder): EngineError {
  const code: StoreCode = 'SUTRA.STORE.DIRECTORY_LOCKED';
  return new EngineError(
    code,
    `the embedded database in ${directory} is in use by process ${String(pid)} on ${host}`,
    { attributes: { directory, pid, hostname: host } },
  );
}

async function isRunning(holder: Holder): Promise<boolean> {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it runs, under another user.
    if (!hasCode(error, 'EPERM')) return false;
  }
  if (holder.startedAt === null) return holder.pid !== process.pid || heldNonces.has(holder.nonce);
  return holder.startedAt === (await readStartedAt(holder.pid));
}

/** Watches the file's time. A holder that lives touches it every two seconds. */
async function isBeating(directory: string, top: Top, silenceMs: number): Promise<boolean> {
  const deadline = performance.now() + silenceMs;
  while (performance.now() < deadline) {
    await delay(silenceMs / 10);
    const now = await readTop(directory);
    if (now === null) return false;
    if (now.number !== top.number || now.changedAtMs !== top.changedAtMs) return true;
  }
  return false;
}

/** Creates the file complete or not at all; false when the number is taken. */
async function create(directory: string, number: number, holder: Holder): Promise<boolean> {
  const draft = await writeDraft(directory, holder);
  try {
    await link(draft, pathOf(directory, number));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeDraft(directory: string, holder: Holder): Promise<string> {
  const draft = join(directory, `lock-draft.${holder.nonce}`);
  await writeFile(draft, JSON.stringify(holder));
  return draft;
}

async function removeLower(directory: string, number: number, numbers: readonly number[]): Promise<void> {
  for (const lower of numbers) if (lower < number) await rm(pathOf(directory, lower), { force: true });
}

/** Nonces of this process's own locks, for systems that cannot tell a process from its predecessor. */
const heldNonces = new Set<string>();

function hold(directory: string, number: number, self: Holder, lost: () => void): DirectoryLock {
  const path = pathOf(directory, number);
  heldNonces.add(self.nonce);
  let beating: Promise<void> = Promise.resolve();
  let releasing: Promise<void> | null = null;
  const beat = async (): Promise<void> => {
    const numbers = await readNumbers(directory);
    if (Math.max(...numbers) === number) {
      const now = new Date();
      await utimes(path, now, now);
    } else if (releasing === null) {
      clearInterval(timer);
      lost();
    }
  };
  const timer = setInterval(() => {
    // A beat that fails (a full disk, a removed directory) is missed; the next one tries again.
    beating = beat().catch(() => {});
  }, HEARTBEAT_MS);
  timer.unref();
  const release = async (): Promise<void> => {
    clearInterval(timer);
    await beating;
    heldNonces.delete(self.nonce);
    // Not removed: the highest number must stay. If we were replaced, this leaves a lower one, which is harmless.
    const draft = await writeDraft(directory, { ...self, isReleased: true });
    await rename(draft, path);
  };
  return { release: () => (releasing ??= release()) };
}

async function describeSelf(): Promise<Holder> {
  return {
    nonce: randomUUID(),
    pid: process.pid,
    startedAt: await readStartedAt(process.pid),
    realm: await readRealm(),
    hostname: hostname(),
    isReleased: false,
  };
}

async function readRealm(): Promise<string> {
  const boot = await orNull(readFile('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = await orNull(readlink('/proc/self/ns/pid'));
  // Without /proc there are no process namespaces to confuse: the machine's name is enough.
  return boot === null || namespace === null ? hostname() : `${boot.trim()} ${namespace}`;
}

/**
 * The start of a running process in the kernel's ticks (field 22 of its stat line); null if there is none. A
 * process that is dead but not yet reaped by its parent (state Z or X) has none.
 */
async function readStartedAt(pid: number): Promise<string | null> {
  const line = await orNull(readFile(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in parentheses, which may hold spaces.
  const fields = line?.slice(line.lastIndexOf(')') + 2).split(' ') ?? [];
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

async function orNull<Value>(value: Promise<Value>): Promise<Value | null> {
  try {
    return await value;
  } catch {
    return null;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT');
