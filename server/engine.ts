/**
 * A whole engine in this process. Start order: database, migrations, deployments, intake, relay and clock,
 * HTTP. Stop order is the reverse, so that nothing is taken in that could not be finished.
 */
import type { SecretSource } from '../config/secrets.ts';
import type { Settings } from '../config/settings.ts';
import { deploymentsDoorbell } from '../engine/deployments/deployer.ts';
import type { Log } from '../engine/observe.ts';
import type { Database } from '../engine/store/database.ts';
import { EMBEDDED_NOTICE } from '../engine/store/embedded-database.ts';
import { migrate } from '../engine/store/migrate.ts';
import { openDatabase } from '../engine/store/open-database.ts';
import { assemble, type Parts } from './assemble.ts';
import { Lifecycle, type ShutdownReport, type ShutdownStep } from './lifecycle.ts';
import { createLog } from './log.ts';
import type { RegisteredFunction } from './registered-worker.ts';

export interface EngineOptions {
  readonly settings: Settings;
  /** Resolves the `env:` and `secret:` references of channels. */
  readonly secrets: SecretSource;
  /** In-process workers for `implementation="registered:<name>"`. */
  readonly registered?: Readonly<Record<string, RegisteredFunction>>;
  /** Default: JSON lines on standard error. */
  readonly log?: Log;
  /** An open database, used instead of opening the one of the settings. It is closed with the engine. */
  readonly database?: Database;
}

export interface RunningEngine {
  readonly port: number;
  readonly url: string;
  readonly database: Database;
  readonly lifecycle: Lifecycle;
  /** Stops in order and resolves when nothing is left running. */
  stop(reason?: string): Promise<ShutdownReport>;
}

/**
 * Opens the database, migrates it, deploys the watched folder and serves.
 * @throws EngineError when any part cannot start; what was started is stopped again.
 */
export async function startEngine(options: EngineOptions): Promise<RunningEngine> {
  const log = options.log ?? createLog();
  const { datasource, dataDir } = options.settings;
  const database =
    options.database ??
    (await openDatabase({ url: datasource.url, poolMax: datasource.poolMax, dataDir, log }));
  if (database.kind === 'embedded') log.warn('embedded-database', { notice: EMBEDDED_NOTICE });
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return startParts(options, database, log);
}

async function startParts(options: EngineOptions, database: Database, log: Log): Promise<RunningEngine> {
  const { settings, secrets, registered: functions = {} } = options;
  let isStarted = false;
  const isReady = (): boolean => isStarted && !lifecycle.isStopping;
  const parts = assemble({ settings, secrets, functions, database, log, isReady });
  const lifecycle = new Lifecycle({ log, steps: stopSteps(parts, database) });
  try {
    const port = await start(parts, database);
    isStarted = true;
    const url = `http://${urlHost(settings.http.host)}:${String(port)}`;
    log.info('ready', { url, database: database.kind });
    return { port, url, database, lifecycle, stop: (reason = 'stop') => lifecycle.shutdown(reason) };
  } catch (error) {
    await lifecycle.shutdown('start failed');
    throw error;
  }
}

async function start(parts: Parts, database: Database): Promise<number> {
  const { registry, intake, relay, clock, startClock, signals, retention, vacuum, folderWatch } = parts;
  const { registeredWorker, pull, server } = parts;
  await registry.start();
  await database.listen(deploymentsDoorbell, () => {
    registry.ring();
  });
  await pull.desk.start();
  await intake.start();
  await relay.start();
  await clock.start();
  await startClock.start();
  await signals.start();
  await folderWatch?.start();
  await registeredWorker.start();
  await retention.start();
  await vacuum?.start();
  return server.start();
}

function stopSteps(parts: Parts, database: Database): ShutdownStep[] {
  const { registry, intake, relay, clock, startClock, signals, retention, vacuum, folderWatch } = parts;
  const { registeredWorker, pull, server } = parts;
  return [
    {
      name: 'stop-accepting',
      run: () => {
        server.stopAccepting();
        return Promise.resolve();
      },
    },
    { name: 'registered-worker', run: () => registeredWorker.stop() },
    { name: 'waiting-fetches', run: () => pull.desk.stop() },
    { name: 'folder-watch', run: () => folderWatch?.stop() ?? Promise.resolve() },
    { name: 'start-clock', run: () => startClock.stop() },
    { name: 'clock', run: () => clock.stop() },
    { name: 'signals', run: () => signals.stop() },
    { name: 'relay', run: () => relay.stop() },
    { name: 'intake', run: () => intake.stop() },
    { name: 'requests', run: () => server.drained() },
    { name: 'retention', run: () => retention.stop() },
    { name: 'vacuum', run: () => vacuum?.stop() ?? Promise.resolve() },
    { name: 'registry', run: () => registry.stop() },
    { name: 'sockets', run: () => server.close() },
    { name: 'database', run: () => database.close() },
  ];
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
