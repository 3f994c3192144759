/**
 * One engine for one scenario: the parts of a real one, without a port and without loops. Nothing here happens by
 * itself: the run asks for each pass, so that a scenario takes the same way every time.
 *
 * E1 Messages come in through the real HTTP intake and the real inbound path; what is refused is refused as there.
 * E2 The relay's own passes take deliveries out; peers are dialled through the real sink, by the scenario's `fetch`.
 */
import type { Settings } from '../../config/settings.ts';
import { createHttpTransport, type HttpTransport } from '../../channels/http/http-transport.ts';
import { createLocalTransport } from '../../channels/local/local-transport.ts';
import { createPullTransport, type PullTransport } from '../../channels/pull/pull-transport.ts';
import type { PackageFile, PackageModel } from '../../definitions/package-model.ts';
import { toPlainJson } from '../../definitions/plain-json.ts';
import { registeredNamesOf } from '../../definitions/scenarios/check-names.ts';
import { Deployer } from '../../engine/deployments/deployer.ts';
import { DeploymentRegistry } from '../../engine/deployments/registry.ts';
import { Intake } from '../../engine/intake/intake.ts';
import { silentLog, silentMeter } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import type { InboundPort, Transport } from '../../engine/transport.ts';
import { endpointsOf } from '../assemble.ts';

export interface ScenarioEngineOptions {
  readonly database: Database;
  readonly settings: Settings;
  readonly nowMs: () => number;
  readonly model: PackageModel;
  readonly fetch: typeof fetch;
  /** Stands before the engine's own inbound path. */
  readonly inbound: (engine: InboundPort) => InboundPort;
}

/** What a channel's secret is in a scenario: any reference has one, so that auth is passed and no secret is needed. */
export const SCENARIO_SECRET = 'scenario';

/** Held requests are let go by the scenario's own clock; this one is real, and beyond any run. */
const HOLD_MS = 86_400_000;

export class ScenarioEngine {
  readonly registry: DeploymentRegistry;
  readonly intake: Intake;
  readonly pull: PullTransport;
  readonly http: HttpTransport;
  readonly transports: readonly Transport[];
  readonly #options: ScenarioEngineOptions;
  readonly #registeredNames: readonly string[];

  constructor(options: ScenarioEngineOptions) {
    const { database, settings, nowMs, model, inbound } = options;
    this.#options = options;
    this.#registeredNames = registeredNamesOf(model);
    this.registry = this.#createRegistry();
    const observed = { meter: silentMeter, log: silentLog };
    this.intake = new Intake({
      ...{ database, deployments: this.registry, settings, committed: () => {}, nowMs },
      ...observed,
    });
    this.pull = createPullTransport({
      ...{ database, settings, completions: this.intake, writeJson: toPlainJson, replicaId: 'scenario' },
      ...observed,
    });
    this.http = createHttpTransport({
      inbound: inbound(this.intake),
      maxHoldMs: HOLD_MS,
      maxPayloadBytes: settings.codec.maxPayloadBytes,
      resolveSecret: () => SCENARIO_SECRET,
      fetch: options.fetch,
      ...observed,
    });
    this.transports = [this.http.transport, this.pull.transport, createLocalTransport()];
  }

  async start(): Promise<void> {
    await this.intake.start();
  }

  async stop(): Promise<void> {
    await this.intake.stop();
    await this.pull.desk.stop();
    await this.registry.stop();
  }

  /** @throws EngineError SUTRA.DEPLOYMENT.INVALID and the other refusals of a deployment. */
  async deploy(files: readonly PackageFile[], folderName: string): Promise<void> {
    const { database, settings } = this.#options;
    const deployer = new Deployer({
      database,
      registry: this.registry,
      ceilings: settings.externalTask,
      transportNames: this.transports.map(({ name }) => name),
      registeredNames: new Set(this.#registeredNames),
      activated: () => {},
      log: silentLog,
    });
    await deployer.deploy(files, folderName);
  }

  #createRegistry(): DeploymentRegistry {
    const { database, settings } = this.#options;
    return new DeploymentRegistry({
      database,
      pollIntervalMs: settings.deployments.pollIntervalMs,
      log: silentLog,
      changed: (deployments) => {
        for (const transport of this.transports) {
          transport.bind(
            deployments.flatMap((live) => endpointsOf(live, transport.name, this.#registeredNames)),
          );
        }
      },
    });
  }
}
