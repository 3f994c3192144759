/**
 * Wires the parts of one engine together, and starts none of them: the only place, with `engine.ts`, that
 * names concrete parts.
 */
import { randomUUID } from 'node:crypto';
import type { SecretSource } from '../config/secrets.ts';
import type { Settings } from '../config/settings.ts';
import { createHttpTransport, type HttpTransport } from '../channels/http/http-transport.ts';
import { createLocalTransport } from '../channels/local/local-transport.ts';
import { createPullTransport, type PullTransport } from '../channels/pull/pull-transport.ts';
import { toPlainJson } from '../definitions/plain-json.ts';
import { Clock } from '../engine/clock/clock.ts';
import { Retention } from '../engine/clock/retention.ts';
import { StartClock } from '../engine/clock/start-clock.ts';
import { createVacuumLoop, type VacuumLoop } from '../engine/clock/vacuum-loop.ts';
import { Deployer } from '../engine/deployments/deployer.ts';
import { FolderWatch } from '../engine/deployments/folder-watch.ts';
import { DeploymentRegistry } from '../engine/deployments/registry.ts';
import type { LiveDeployment } from '../engine/deployments/routing.ts';
import type { Written } from '../engine/intake/batch-write.ts';
import type { DirectSinks } from '../engine/intake/outgoing.ts';
import { Intake } from '../engine/intake/intake.ts';
import type { Log } from '../engine/observe.ts';
import { Relay } from '../engine/relay/relay.ts';
import { SignalLoop } from '../engine/signals/signal-loop.ts';
import type { Database } from '../engine/store/database.ts';
import { isDeploymentKnown } from '../engine/store/deployments.ts';
import type { ChannelEndpoint, Transport } from '../engine/transport.ts';
import { compatSurfaces } from './compat-surfaces.ts';
import { createHttpServer } from './create-http-server.ts';
import { deadLetterCommands } from './dead-letter-commands.ts';
import { deliveryCommands } from './delivery-commands.ts';
import type { HttpServer } from './http-server.ts';
import { createMetrics } from './metrics.ts';
import type { ServerDeps } from './operations.ts';
import { RegisteredWorker, type RegisteredFunction } from './registered-worker.ts';
import { startCommands } from './start-commands.ts';

export interface Ingredients {
  readonly settings: Settings;
  readonly secrets: SecretSource;
  readonly functions: Readonly<Record<string, RegisteredFunction>>;
  readonly database: Database;
  readonly log: Log;
  readonly isReady: () => boolean;
}

export interface Parts {
  readonly registry: DeploymentRegistry;
  readonly intake: Intake;
  readonly relay: Relay;
  readonly clock: Clock;
  readonly startClock: StartClock;
  readonly signals: SignalLoop;
  readonly retention: Retention;
  /** Null: the pool has one connection, which is not to be held by a vacuum. */
  readonly vacuum: VacuumLoop | null;
  readonly folderWatch: FolderWatch | null;
  readonly registeredWorker: RegisteredWorker;
  readonly pull: PullTransport;
  readonly server: HttpServer;
}

/** Functions that run at once in this process. A guess; they share one event loop. */
const registeredConcurrency = 16;

export function assemble(ingredients: Ingredients): Parts {
  const { settings, functions, database, log, isReady } = ingredients;
  const metrics = createMetrics({ log });
  const { meter } = metrics;
  const replicaId = randomUUID();
  meter.gauge('sutra_database_statements', () => database.statementCount());

  const registry = createRegistry(ingredients, () => transports);
  const committed = ({ transports: written, earliestTimerMs, fetchable, hasSignals }: Written): void => {
    if (written.size > 0) relay.wake(written);
    if (earliestTimerMs !== null) clock.noticeTimer(earliestTimerMs);
    if (fetchable.size > 0) pull.desk.parked(fetchable);
    if (hasSignals) signals.wake();
  };
  const intakeParts = { database, deployments: registry, settings, committed, meter, log };
  const intake = new Intake({ ...intakeParts, sinks: () => sinks });
  const pull = createPullTransport({
    ...{ database, settings, completions: intake, writeJson: toPlainJson },
    ...{ meter, log, replicaId },
  });
  const http = httpTransport(ingredients, intake, meter);
  const transports: readonly Transport[] = [http.transport, pull.transport, createLocalTransport()];
  const sinks = directSinks(transports);
  const relay = new Relay({ database, transports, loopback: intake, settings: settings.outbox, meter, log });
  const clock = new Clock({ database, timers: intake, meter, log });
  const startClock = new StartClock({ database, starts: intake.starts, meter, log });
  const signals = new SignalLoop({ database, signals: intake.starts, meter, log });
  const wakeSignals = (): void => signals.wake();
  const deployer = createDeployer(ingredients, registry, transports, () => startClock.wake());
  const deps: ServerDeps = {
    settings,
    database,
    pull: pull.operations,
    instances: intake.commands,
    starts: startCommands({ database, registry, starts: intake.starts, wakeSignals }),
    deployments: deploymentCommands(deployer, registry),
    deliveries: deliveryCommands({ database, log, wake: (transport) => relay.wake(new Set([transport])) }),
    deadLetters: deadLetterCommands({ database, letters: intake.deadLetters, meter, log }),
    ...{ httpChannel: http.intake, inbound: intake, metrics, log, isReady },
  };
  return {
    registry,
    intake,
    relay,
    clock,
    startClock,
    signals,
    retention: new Retention({ database, settings, log }),
    vacuum: createVacuumLoop({ database, log }),
    folderWatch: folderWatch(ingredients, deployer),
    registeredWorker: new RegisteredWorker({
      ...{ functions, pull: pull.operations, failures: intake, deployments: registry },
      ...{ workerId: `registered-${replicaId}`, concurrency: registeredConcurrency, log },
    }),
    pull,
    server: createHttpServer(deps, compatSurfaces(deps, pull.operations)),
  };
}

function directSinks(transports: readonly Transport[]): DirectSinks {
  return new Map(
    transports.flatMap(({ name, sink }) => (sink?.kind === 'transactional' ? [[name, sink] as const] : [])),
  );
}

function createRegistry(
  { settings, functions, database, log }: Ingredients,
  transports: () => readonly Transport[],
): DeploymentRegistry {
  const registeredNames = Object.keys(functions);
  return new DeploymentRegistry({
    database,
    pollIntervalMs: settings.deployments.pollIntervalMs,
    log,
    changed: (deployments) => {
      for (const transport of transports()) {
        transport.bind(
          deployments.flatMap((deployment) => endpointsOf(deployment, transport.name, registeredNames)),
        );
      }
    },
  });
}

function createDeployer(
  { settings, functions, database, log }: Ingredients,
  registry: DeploymentRegistry,
  transports: readonly Transport[],
  activated: () => void,
): Deployer {
  return new Deployer({
    database,
    registry,
    ceilings: settings.externalTask,
    transportNames: transports.map((transport) => transport.name),
    registeredNames: new Set(Object.keys(functions)),
    activated,
    log,
  });
}

function httpTransport(
  { settings, secrets, log }: Ingredients,
  inbound: Intake,
  meter: ServerDeps['metrics']['meter'],
): HttpTransport {
  return createHttpTransport({
    inbound,
    admit: () => {
      inbound.admit();
    },
    maxHoldMs: settings.http.maxHoldMs,
    maxPayloadBytes: settings.codec.maxPayloadBytes,
    log,
    meter,
    resolveSecret: (reference) => {
      const found = secrets.resolve(reference);
      return found.ok ? found.secret : null;
    },
  });
}

function folderWatch({ settings, database, log }: Ingredients, deployer: Deployer): FolderWatch | null {
  const { dir, pollIntervalMs } = settings.deployments;
  if (dir === null) return null;
  return new FolderWatch({
    dir,
    pollIntervalMs,
    deployer,
    isKnown: (id) => isDeploymentKnown(database, id),
    log,
  });
}

function deploymentCommands(deployer: Deployer, registry: DeploymentRegistry): ServerDeps['deployments'] {
  return {
    deploy: (files, folderName) => deployer.deploy(files, folderName),
    drain: (deploymentId) => deployer.drain(deploymentId),
    model: (deploymentId) => registry.model(deploymentId),
  };
}

/** The deployment's channels of one transport; for `pull` also those on which registered functions wait. */
export function endpointsOf(
  deployment: LiveDeployment,
  transport: string,
  registeredNames: readonly string[],
): ChannelEndpoint[] {
  const { tenant, module, version } = deployment.model.identity;
  const base = { deploymentId: deployment.id, tenant, module, version };
  const declared = [...deployment.model.channels.values()]
    .filter((channel) => channel.transport === transport)
    .map(({ name, direction, bind, ackMode, payloadCapBytes, auth }) => ({
      ...base,
      name,
      direction,
      bind,
      ackMode,
      payloadCapBytes,
      auth,
    }));
  if (transport !== 'pull') return declared;
  const registered = registeredNames.map((name) => ({
    ...base,
    name: `registered:${name}`,
    direction: 'both' as const,
    bind: `registered:${name}`,
    ackMode: 'on-persist' as const,
    payloadCapBytes: null,
    auth: null,
  }));
  return [...declared, ...registered];
}
