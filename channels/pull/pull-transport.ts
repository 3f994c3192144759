/**
 * The pull transport: the last hop of a channel whose workers come and get their work. Deliveries are
 * parked as tasks by the relay; workers fetch, complete and fail them through the operations.
 */
import type { Settings } from '../../config/settings.ts';
import type { Log, Meter } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { parkTasks } from '../../engine/store/external-tasks.ts';
import type { TaskCompletionPort, Transport } from '../../engine/transport.ts';
import { FetchDesk } from './fetch-desk.ts';
import { HandOff } from './hand-off.ts';
import { PullOperations, type PullOperationsOptions } from './operations.ts';

export interface PullTransportOptions {
  readonly database: Database;
  readonly settings: Pick<Settings, 'externalTask'>;
  readonly completions: TaskCompletionPort;
  readonly writeJson: PullOperationsOptions['writeJson'];
  readonly meter: Meter;
  readonly log: Log;
  /** Unique among the replicas that share the database. */
  readonly replicaId: string;
}

export interface PullTransport {
  readonly transport: Transport;
  /** To be started and stopped with the engine. */
  readonly desk: FetchDesk;
  readonly operations: PullOperations;
}

export function createPullTransport(options: PullTransportOptions): PullTransport {
  const { database, settings, completions, writeJson, meter, log, replicaId } = options;
  const { defaultLockDurationMs, maxAttempts } = settings.externalTask;
  const desk = new FetchDesk({ database, defaultLockDurationMs, maxAttempts, replicaId, meter, log });
  const handOff = new HandOff({ desk, defaultLockDurationMs, meter });
  const operations = new PullOperations({
    database,
    settings: settings.externalTask,
    completions,
    desk,
    writeJson,
    meter,
    log,
  });
  return {
    transport: {
      name: 'pull',
      sink: {
        kind: 'transactional',
        park: (runner, rows, failedInstances) => handOff.park(runner, rows, failedInstances),
        move: (runner, limit) => parkTasks(runner, limit),
        moved: (counts) => desk.parked(counts),
      },
      bind: (endpoints) => desk.bind(endpoints),
    },
    desk,
    operations,
  };
}
