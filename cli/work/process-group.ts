/**
 * The processes of one command: it leads a group of its own, and all that it starts belongs to the group unless it leaves
 * on purpose (`setsid`).
 *
 * G1 A group is known here from its start until nothing of it is left, or nothing more can be done about it.
 * G2 When this process exits, in whatever way it still notices, no known group outlives it.
 */
const known = new Set<ProcessGroup>();
let isWatching = false;

/** How often it is looked whether a group is gone, once its leader is. */
const LOOK_MS = 20;
/** After SIGKILL: what is left then waits to be collected by the system's first process, and does nothing any more. */
const LAST_WAIT_MS = 200;

export class ProcessGroup {
  readonly #leaderId: number;

  /** @param leaderId process id of the leader, which is the group's. */
  constructor(leaderId: number) {
    this.#leaderId = leaderId;
    known.add(this);
    if (!isWatching) process.on('exit', killAllGroups);
    isWatching = true;
  }

  /** @returns false when nothing of it is left. */
  send(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.#leaderId, signal);
    } catch {
      return false;
    }
  }

  /** Ends what the leader has left behind: SIGTERM, and SIGKILL once the grace is over. */
  async end(graceMs: number): Promise<void> {
    if (this.send('SIGTERM') && !(await this.#isGoneWithin(graceMs))) {
      this.send('SIGKILL');
      await this.#isGoneWithin(LAST_WAIT_MS);
    }
    known.delete(this);
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const until = performance.now() + ms;
    while (this.send(0)) {
      if (performance.now() >= until) return false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return true;
  }
}

/** At once, without asking. */
export function killAllGroups(): void {
  for (const group of known) group.send('SIGKILL');
}
