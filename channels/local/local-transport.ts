/**
 * The loopback transport: what is sent on a `local` channel comes in on the same channel of the same engine.
 * The relay does the work; each delivery becomes a turn that deletes its outbox row in its own commit.
 */
import type { Transport } from '../../engine/transport.ts';

export function createLocalTransport(): Transport {
  return {
    name: 'local',
    sink: { kind: 'loopback' },
    // Local channels need no listener: the inbound path finds them by name.
    bind: () => {},
  };
}
