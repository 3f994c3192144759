/**
 * "Within 2 s", so that it says something of the worker and not of the machine. The time is that of the event loop on
 * which the worker runs, and the server's: ten steps a second, each also as long as the server takes to look into its
 * database. On a machine that keeps up these are two seconds by the clock. One that stands still for a while, or a
 * server that does, adds one step, however long that while was.
 */
import { pause } from '../support/fault-load.ts';

const STEPS_A_SECOND = 10;

/** Whether it is reached while `seconds` of the worker's time, 2 unless they are named, pass. */
export async function isReachedInTime(
  isReached: () => boolean,
  serverUrl: string,
  seconds = 2,
): Promise<boolean> {
  for (let step = 0; step < STEPS_A_SECOND * seconds; step += 1) {
    if (isReached()) return true;
    await Promise.all([pause(1_000 / STEPS_A_SECOND), askServer(serverUrl)]);
  }
  return isReached();
}

/** By server: who asks while it is being asked waits for the same answer. */
const asking = new Map<string, Promise<void>>();

function askServer(url: string): Promise<void> {
  const asked = asking.get(url) ?? ask(url).finally(() => asking.delete(url));
  asking.set(url, asked);
  return asked;
}

/** A server that does not answer at all is no reason to wait for ever: the step is what the pause is. */
async function ask(url: string): Promise<void> {
  try {
    const answer = await fetch(`${url}/sutra/health/ready`, { signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
  } catch {
    // It is down.
  }
}
