/**
 * Operators over the package of mix-package.ts: they look at an order and then patch it, move it, run it again, cancel
 * it or take it over to the other version, as well as one may; and one of them deploys now this version, now that.
 * Meanwhile the order may have gone on, the engine may be dead, and another operator may have been faster. They keep
 * what they were told of each command, for the audit.
 */
import assert from 'node:assert/strict';
import { pause } from '../../support/fault-load.ts';
import type { RetryLoadClient } from '../../support/retry-load-client.ts';
import { mixPackage, PACK_OF, type Version } from './mix-package.ts';

export interface Command {
  readonly instanceId: string;
  /** As the journal says that it was done; see mix-replay.ts. */
  readonly deed: string;
  readonly status: number;
  readonly code: unknown;
  /** Calls before that one which had no answer: each may have been it, and may have been done. */
  readonly lost: number;
}

interface Seen {
  readonly id: string;
  readonly status: string;
  readonly deploymentId: string;
  readonly tokens: readonly { readonly elementId: string }[];
}

const OPERATOR_PAUSE_MS = 40;
const DEPLOY_PAUSE_MS = 1_500;
/** The latest orders, of which most are under way: half of the time operators look at one of them, else at any. */
const WATCHED = 60;

export class MixOperators {
  readonly commands: Command[] = [];
  /** The deployment in which each order began. */
  readonly begunIn = new Map<string, string>();
  readonly #client: RetryLoadClient;
  readonly #packages: Readonly<Record<Version, unknown>>;
  readonly #versions = new Map<string, Version>();
  readonly #working: Promise<void>[] = [];
  #patches = 0;
  #isWorking = true;

  constructor(client: RetryLoadClient, peerUrl: string) {
    this.#client = client;
    const filesOf = (version: Version): unknown => ({
      files: Object.entries(mixPackage(version, peerUrl)).map(([path, text]) => ({ path, text })),
    });
    this.#packages = { plain: filesOf('plain'), renamed: filesOf('renamed') };
  }

  versionOf(deploymentId: string): Version {
    const version = this.#versions.get(deploymentId);
    assert.ok(version !== undefined, `${deploymentId} was deployed`);
    return version;
  }

  async deploy(version: Version): Promise<void> {
    const { answer } = await this.#client.insist('POST', '/admin/deployments', this.#packages[version]);
    assert.ok(answer.status === 200 || answer.status === 201, JSON.stringify(answer));
    this.#versions.set(String(answer.body['deploymentId']), version);
  }

  begin(operatorCount: number): void {
    this.#working.push(this.#deployInTurn());
    for (let index = 0; index < operatorCount; index += 1) this.#working.push(this.#operate());
  }

  /** From then on operators may do something about it. */
  async note(instanceId: string): Promise<void> {
    const { deploymentId } = await this.#look(instanceId);
    this.begunIn.set(instanceId, deploymentId);
  }

  async stop(): Promise<void> {
    this.#isWorking = false;
    await Promise.all(this.#working);
  }

  /** For a test that fails: nothing new begins, and nothing is waited for. */
  abandon(): void {
    this.#isWorking = false;
  }

  async #deployInTurn(): Promise<void> {
    for (let turn = 1; this.#isWorking; turn += 1) {
      await this.deploy(turn % 2 === 0 ? 'plain' : 'renamed');
      await pause(DEPLOY_PAUSE_MS * (0.5 + Math.random()));
    }
  }

  async #operate(): Promise<void> {
    while (this.#isWorking) {
      await pause(OPERATOR_PAUSE_MS * Math.random() * 2);
      const ids = [...this.begunIn.keys()];
      const id = oneOf(Math.random() < 0.5 ? ids.slice(-WATCHED) : ids);
      if (id === undefined) continue;
      const seen = await this.#look(id);
      const at = seen.tokens[0]?.elementId;
      if (at === undefined) continue;
      await (seen.status === 'failed' ? this.#repair(seen, at) : this.#interfere(seen, at));
    }
  }

  async #repair(seen: Seen, at: string): Promise<void> {
    const chance = Math.random();
    if (chance < 0.25) await this.#migrate(seen);
    else if (chance < 0.4) await this.#move(seen, at, at === 'gate' ? 'ship' : 'gate');
    else {
      if (chance < 0.9) await this.#write(seen, 'weight', 5);
      await this.#command(seen, 'retried', `/admin/instances/${seen.id}/retry`, {});
    }
  }

  async #interfere(seen: Seen, at: string): Promise<void> {
    const chance = Math.random();
    if (chance < 0.5) await this.#migrate(seen);
    else if (chance < 0.65)
      await this.#move(seen, at, oneOf(['pick', 'ship', 'gate', this.#packOf(seen)]) ?? at);
    else if (chance < 0.95) {
      this.#patches += 1;
      await this.#write(seen, `patch${String(this.#patches)}`, this.#patches);
    } else {
      const reason = { reason: 'not wanted' };
      await this.#command(seen, 'cancelled', `/sutra/instances/${seen.id}/cancel`, reason);
    }
  }

  #write(seen: Seen, name: string, value: unknown): Promise<void> {
    const path = `/sutra/instances/${seen.id}/variables`;
    return this.#command(seen, `variablesSet:${name}`, path, { variables: { [name]: value } });
  }

  async #move(seen: Seen, from: string, to: string): Promise<void> {
    const path = `/admin/instances/${seen.id}/move`;
    const body = { moves: [{ from, to }] };
    if (Math.random() < 0.2) await this.#client.insist('POST', path, { ...body, dryRun: true });
    await this.#command(seen, `moved:${from}>${to}`, path, body);
  }

  /** Half of the time it does not say what the renamed element is called: who stands there cannot be taken over. */
  async #migrate(seen: Seen): Promise<void> {
    const source = this.versionOf(seen.deploymentId);
    const [deploymentId, target] = [...this.#versions].find(([, version]) => version !== source) ?? [];
    if (deploymentId === undefined || target === undefined) return;
    const elements = Math.random() < 0.5 ? {} : { [PACK_OF[source]]: PACK_OF[target] };
    const path = `/admin/instances/${seen.id}/migrate`;
    const body = { deploymentId, elements };
    if (Math.random() < 0.2) await this.#client.insist('POST', path, { ...body, dryRun: true });
    await this.#command(seen, `migrated:${deploymentId}`, path, body);
  }

  #packOf({ deploymentId }: Seen): string {
    return PACK_OF[this.versionOf(deploymentId)];
  }

  async #look(instanceId: string): Promise<Seen> {
    return (await this.#client.get(`/sutra/instances/${instanceId}`)) as unknown as Seen;
  }

  async #command({ id }: Seen, deed: string, path: string, body: unknown): Promise<void> {
    const { answer, lost } = await this.#client.insist('POST', path, body);
    this.commands.push({ instanceId: id, deed, status: answer.status, code: answer.body['code'], lost });
  }
}

function oneOf<Each>(list: readonly Each[]): Each | undefined {
  return list[Math.floor(Math.random() * list.length)];
}
