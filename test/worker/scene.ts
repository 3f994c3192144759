/** A worker beside a peer that follows a script. */
import { Worker, type Handler, type WorkerOptions } from '../../worker/index.ts';
import { ScriptedPeer, usual, type PeerAct } from './scripted-peer.ts';
import { eventsOf, type EventRecord } from './watching.ts';

export type Options = Partial<WorkerOptions>;
export interface Scene {
  readonly peer: ScriptedPeer;
  readonly worker: Worker;
  readonly events: EventRecord;
  readonly lines: readonly string[];
}

const ends = ['completed', 'failed', 'lock-lost'] as const;
export const silent: PeerAct = () => {};

export async function scene(
  acts: Record<string, PeerAct>,
  handler: Handler,
  act: (scene: Scene) => Promise<void>,
  options: Options = {},
): Promise<void> {
  const peer = await ScriptedPeer.start(acts);
  const lines: string[] = [];
  const worker = new Worker({
    baseUrl: peer.url,
    channels: { work: handler },
    lockDuration: 'PT30S',
    callTimeout: 'PT1S',
    pollMargin: 'PT0.5S',
    drainTimeout: 'PT0.1S',
    abortGrace: 'PT0.1S',
    log: (line) => void lines.push(line),
    ...options,
  });
  const events = eventsOf(worker, ends);
  await worker.start();
  try {
    await act({ peer, worker, events, lines });
  } finally {
    await worker.stop();
    await peer.stop();
  }
}

export const done: Handler = () => ({ ok: true });
export const untilAborted: Handler = (_task, { signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

/** One after the other; the last stays. */
export function inTurn(...acts: readonly PeerAct[]): PeerAct {
  return (call) => (acts[Math.min(call.number, acts.length) - 1] ?? usual)(call);
}
