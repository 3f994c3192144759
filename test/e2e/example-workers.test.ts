/** The workers of `examples/workers` as processes of their own, on an engine that is one, too, and is killed meanwhile. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readPackageFolder } from '../../definitions/package-folder.ts';
import { anyDatabase, type TestDatabase } from '../support/database.ts';
import { EngineProcess, freePort } from '../support/engine-process.ts';
import { recordEvidence } from '../support/evidence.ts';
import { programArguments } from '../support/program.ts';
import { projectDir } from './command.ts';

interface Example {
  readonly file: string;
  /** What has to be installed; empty: nothing but Node. */
  readonly programs: readonly string[];
  /** The command, before the address of the engine. */
  readonly start: readonly [string, ...string[]];
}

const folder = join(projectDir, 'examples/workers');
const examples: readonly Example[] = [
  { file: 'score-worker.mjs', programs: [], start: [process.execPath, join(folder, 'score-worker.mjs')] },
  {
    file: 'score-worker.ts',
    programs: [],
    start: [
      process.execPath,
      ...programArguments(new URL('../../examples/workers/score-worker.ts', import.meta.url)),
    ],
  },
  { file: 'score.sh', programs: ['curl', 'jq'], start: [join(folder, 'score.sh')] },
  { file: 'score_worker.py', programs: ['python3'], start: [join(folder, 'score_worker.py')] },
];
const LIMIT_MS = 60_000;

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((path) => {
    try {
      accessSync(join(path, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const needed = [...new Set(examples.flatMap(({ programs }) => programs))];
const hasAll = needed.every(isInstalled);
/** `npm test` needs nothing but Node; `--require programs` asks for the others. */
const tested = hasAll ? examples : examples.filter(({ programs }) => programs.length === 0);

class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<number | null>;
  output = '';
  isEnded = false;

  constructor([program, ...args]: readonly [string, ...string[]]) {
    this.#child = spawn(program, args, {
      cwd: projectDir,
      env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output = (this.output + chunk.toString()).slice(-20_000);
      });
    }
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        this.isEnded = true;
        resolve(code);
      });
    });
  }

  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.#child.kill(signal);
    return this.#closed;
  }
}

for (const target of anyDatabase()) {
  describe(`the workers of the examples, on ${target.name},`, () => {
    let store: TestDatabase;
    let engine: EngineProcess;
    before(async () => {
      store = await target.create();
      engine = new EngineProcess(await freePort(), store.env);
      await engine.start();
      const files = await readPackageFolder(join(projectDir, 'examples/order-scoring'));
      const sent = files.map(({ path, content }) => ({
        path,
        base64: Buffer.from(content).toString('base64'),
      }));
      await call('/admin/deployments', { files: sent });
    });
    after(async () => {
      await engine.kill();
      await store.drop();
    });

    const call = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
      const response = await fetch(`${engine.url}${path}`, {
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json' },
      });
      const answer = (await response.json()) as Record<string, unknown>;
      assert.ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
      return answer;
    };
    const order = async (body: unknown): Promise<string> =>
      String((await call('/channels/orders', body))['instanceId']);
    const until = async (worker: WorkerProcess, isTrue: () => Promise<boolean>): Promise<void> => {
      for (const deadline = performance.now() + LIMIT_MS; !(await isTrue());) {
        assert.ok(
          !worker.isEnded && performance.now() < deadline,
          `in time; the worker said:\n${worker.output}\n${engine.errors}`,
        );
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const scoreOf = async (instanceId: string): Promise<unknown> =>
      ((await call(`/sutra/instances/${instanceId}`))['variables'] as Record<string, unknown>)['score'];
    const areScored = async (
      worker: WorkerProcess,
      orders: readonly (readonly [string, number])[],
    ): Promise<void> => {
      for (const [instanceId, score] of orders) {
        await until(worker, async () => (await scoreOf(instanceId)) !== undefined);
        assert.equal(await scoreOf(instanceId), score);
      }
    };

    for (const { file, programs, start } of tested) {
      it(`${file} scores orders, reports what it cannot score, outlives the engine, and ends on SIGTERM`, async () => {
        const worker = new WorkerProcess([...start, engine.url]);
        try {
          const first = await Promise.all(
            Array.from({ length: 8 }, async (_, n) => {
              const country = n % 2 === 0 ? 'DE' : 'FR';
              const body = { orderId: `${file}-${String(n)}`, amount: n * 1000, country };
              return [await order(body), Math.max(0, 100 - n * 10 - (country === 'DE' ? 0 : 10))] as const;
            }),
          );
          await areScored(worker, first);

          const bad = await order({ orderId: `${file}-bad`, amount: 'plenty', country: 'DE' });
          await until(worker, async () => {
            const { tasks } = await call(`/sutra/external-tasks?instanceId=${bad}`);
            const [task] = tasks as readonly { retries: number; lastError: string | null }[];
            return task !== undefined && task.lastError !== null && task.retries < 3;
          });
          await call(`/sutra/instances/${bad}/cancel`, {});

          await engine.kill();
          await engine.start();
          const last = await order({ orderId: `${file}-last`, amount: 2000, country: 'DE' });
          await areScored(worker, [[last, 80]]);
          assert.equal(await worker.end('SIGTERM'), 0, worker.output);
          if (programs.length > 0) recordEvidence('programs');
        } finally {
          await worker.end('SIGKILL');
        }
      });
    }

    if (hasAll) {
      it('score_worker.py keeps a lock that is shorter than its work', async () => {
        // The same program with slow work and short locks.
        const slow = `
import sys, time
sys.path.insert(0, ${JSON.stringify(folder)})
import score_worker
score_worker.LOCK_SECONDS = 1
def score(order, lost):
    for _ in range(40):
        if lost.wait(0.1): raise RuntimeError("the lock is lost")
    return {"score": 55}
score_worker.score = score
score_worker.main()`;
        const worker = new WorkerProcess(['python3', '-c', slow, engine.url]);
        try {
          const instanceId = await order({ orderId: 'slow', amount: 1, country: 'DE' });
          await areScored(worker, [[instanceId, 55]]);
          assert.doesNotMatch(worker.output, /lost|409/);
          assert.equal(await worker.end('SIGTERM'), 0, worker.output);
        } finally {
          await worker.end('SIGKILL');
        }
      });
    }
  });
}

describe('the folder of the examples', () => {
  it('has each program that is tested', () => {
    for (const { file } of examples) assert.ok(existsSync(join(folder, file)), file);
  });
});
