/** Restate's server as a process, from the binary in its npm package, with a folder of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from './driven-peer.ts';

/** Of statfs: files that live in memory, for which a sync to disk costs nothing. */
const TMPFS = 0x01021994;
const START_MS = 60_000;

export class RestateServer {
  readonly #parent: string;
  readonly #partitions: number;
  #folder: string | null = null;
  #child: ChildProcess | null = null;
  #adminUrl = '';

  /** @param parent the folder in which its own is made */
  constructor(parent: string, partitions: number) {
    this.#parent = parent;
    this.#partitions = partitions;
  }

  /** @throws Error when the folder is in memory, where nothing is durable and everything is fast */
  async prepare(): Promise<void> {
    const { type } = await statfs(this.#parent);
    if (type === TMPFS)
      throw new Error(`${this.#parent} is in memory; name a folder on a disk with --data-dir`);
    this.#folder = await mkdtemp(join(this.#parent, 'sutra-peers-restate-'));
  }

  async start(): Promise<Endpoint> {
    if (this.#folder === null) throw new Error('the folder of the server is not there yet');
    const [ingress, admin, fabric] = await freePorts(3);
    const child = spawn(binary(), ['--no-logo'], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        RESTATE_BASE_DIR: join(this.#folder, 'data'),
        // One name, whatever the machine's: the folder belongs to it.
        RESTATE_NODE_NAME: 'bench',
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_BIND_ADDRESS: `127.0.0.1:${String(fabric)}`,
        RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${String(fabric)}/`,
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${String(ingress)}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${String(admin)}`,
        RESTATE_DEFAULT_NUM_PARTITIONS: String(this.#partitions),
        RESTATE_DISABLE_TELEMETRY: 'true',
        // It looks for a newer release of itself at GitHub, and has no setting against that: not a word of it.
        RESTATE_LOG_FILTER: 'error,octocrab=off',
      },
    });
    this.#child = child;
    this.#adminUrl = `http://127.0.0.1:${String(admin)}`;
    const url = `http://127.0.0.1:${String(ingress)}`;
    await this.#waitUntilHealthy(child, [`${this.#adminUrl}/health`, `${url}/restate/health`]);
    return { url, adminUrl: this.#adminUrl };
  }

  /** Invocations that have no result yet. https://docs.restate.dev/references/sql-introspection */
  async unfinished(): Promise<number> {
    const answer = await fetch(`${this.#adminUrl}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        query: "SELECT count(*) AS open FROM sys_invocation_status WHERE status <> 'completed'",
      }),
    });
    if (!answer.ok)
      throw new Error(`Restate's query answered ${String(answer.status)}: ${await answer.text()}`);
    const { rows } = (await answer.json()) as { rows: { open: number }[] };
    return rows[0]?.open ?? Number.NaN;
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timeout = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timeout);
  }

  async remove(): Promise<void> {
    await this.stop();
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }

  pids(): readonly number[] {
    const pid = this.#child?.pid;
    return pid === undefined ? [] : [pid];
  }

  async #waitUntilHealthy(child: ChildProcess, urls: readonly string[]): Promise<void> {
    const giveUpAt = Date.now() + START_MS;
    for (const url of urls) {
      while (!(await isHealthy(url))) {
        if (child.exitCode !== null) throw new Error(`Restate's server ended with ${String(child.exitCode)}`);
        if (Date.now() > giveUpAt) throw new Error(`Restate's server does not answer at ${url}`);
        await sleep(100);
      }
    }
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Not the package's own command: that is a process which starts another, and would outlive it. */
function binary(): string {
  const require = createRequire(import.meta.url);
  return require.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
}

/** Held together until all are known, so that they differ. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
