/** `sutra work` as a process of its own, with commands that are, on an engine that is one, too. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { anyDatabase, type TestDatabase } from '../support/database.ts';
import { EngineProcess, freePort, sutraCommand } from '../support/engine-process.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';
import { projectDir, sutra } from './command.ts';

const LIMIT_MS = 60_000;
const CHANNELS = ['cases', 'many', 'slow'] as const;
type Channel = (typeof CHANNELS)[number];

/** Each process calls the channel of its name, and has a way for one BPMN error. */
const files = packageFiles({
  channels: CHANNELS.map(
    (
      name,
    ) => `  - { name: ${name}-in, transport: http, bind: "POST /channels/${name}-in", ack-mode: on-persist }
  - { name: ${name}, transport: pull, task: { retries: 2, retry-timeout: PT0.1S } }`,
  ).join('\n'),
  definitions: '<error id="no-stock" errorCode="NO_STOCK"/>',
  processes: Object.fromEntries(
    CHANNELS.map((name) => [
      name,
      `${start(`${name}-in`)}
       ${call('work-it', name, '<q:param name="case" expression="payload.case"/><q:header name="x-case" value="payload.case"/>')}
       <boundaryEvent id="no-stock-raised" attachedToRef="work-it"><errorEventDefinition id="e" errorRef="no-stock"/></boundaryEvent>
       <endEvent id="end"/><endEvent id="sold-out"/>
       ${flows('start -> work-it', 'work-it -> end', 'no-stock-raised -> sold-out')}`,
    ]),
  ),
});

/** Does as the case says. */
const script = `body=$(cat)
case $SUTRA_HEADER_X_CASE in
  json) echo '{"said": "json", "big": 12345678901234567890}' ;;
  echo) printf '%s' "$body" | sed 's/"case"/"echoed"/' ;;
  unread) exec 0<&-; echo '{"said": "unread"}' ;;
  ids) echo "{\\"said\\": \\"$SUTRA_CHANNEL $SUTRA_ATTEMPTS $SUTRA_RETRIES $SUTRA_CONTENT_TYPE\\", \\"instance\\": \\"$SUTRA_INSTANCE_ID\\"}" ;;
  secrets) echo "{\\"said\\": \\"[$SUTRA_ADMIN_API_KEY$ADMIN_API_KEY$WORKER_TOKEN$SUTRA_CONFIG] $PLAIN\\"}" ;;
  silent) ;;
  bytes) printf '\\377\\000' ;;
  second) [ "$SUTRA_ATTEMPTS" -gt 1 ] || exit 75; echo '{"said": "second"}' ;;
  background) sleep 60 & echo "{\\"said\\": $!}" ;;
  bpmn) echo '{"bpmnError": {"code": "NO_STOCK", "variables": {"left": 0}}}' >&3 ;;
  fails) echo first >&2; echo 'no such country' >/dev/stderr; exit 1 ;;
  dataerr) exit 65 ;;
  killed) kill -9 $$ ;;
  flood) yes ;;
  babble) echo 'almost done' >&3 ;;
esac
`;

interface Task {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly retries: number;
  readonly lockOwner: string | null;
  readonly lastError: string | null;
  readonly progress: unknown;
}

interface Instance {
  readonly status: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const folder = mkdtempSync(join(tmpdir(), 'sutra-work-test-'));
const scriptFile = join(folder, 'cases.sh');
writeFileSync(scriptFile, script);
after(() => rmSync(folder, { recursive: true, force: true }));

class WorkProcess {
  static readonly running = new Set<WorkProcess>();
  readonly #child: ChildProcess;
  readonly #closed: Promise<number | null>;
  output = '';
  errors = '';

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, [...sutraCommand, 'work', ...args], {
      cwd: projectDir,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    this.#closed = new Promise((resolve) => this.#child.once('close', (code) => resolve(code)));
    WorkProcess.running.add(this);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async ended(): Promise<number | null> {
    const code = await this.#closed;
    WorkProcess.running.delete(this);
    return code;
  }
}

async function until(what: () => string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = performance.now() + LIMIT_MS; !(await isTrue());) {
    assert.ok(performance.now() < deadline, `in time: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    // One that was ended may wait to be collected. Where there is no /proc, the system does that.
    return (
      !existsSync('/proc/self/stat') ||
      !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${String(id)}/stat`, 'utf8'))
    );
  } catch {
    return false;
  }
}

function gone(id: number): Promise<void> {
  assert.ok(Number.isInteger(id) && id > 1, 'the command said which process');
  return until(
    () => `the end of process ${String(id)}`,
    () => !isRunning(id),
  );
}

describe('the command line of sutra work', { concurrency: 2 }, () => {
  const rows: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [['work', 'a'], /one of --exec and --http/],
    [['work', 'a', '--exec', 'true', '--http', 'http://127.0.0.1:1/'], /cannot be used with/],
    [['work', 'a', '--exec', 'true', '--timeout', '5m'], /5m/],
    [['work', 'a', '--exec', 'true', '--header', 'Authorization: Bearer opensesame'], /must be a reference/],
    [['work', 'a', '--exec', scriptFile], /\[SUTRA\.CLI\.COMMAND_NOT_FOUND\]/],
    [
      ['work', 'a', '--exec', 'true', '--header', 'Authorization: env:NOT_THERE'],
      /\[SUTRA\.CLI\.CREDENTIAL_MISSING\]/,
    ],
  ];
  for (const [args, said] of rows) {
    it(`is refused before anything is fetched: ${args.join(' ').replace(folder, '')}`, async () => {
      const { code, stdout, stderr } = await sutra(args);
      assert.match(stderr, said);
      assert.doesNotMatch(stderr, /opensesame/);
      assert.deepEqual([code, stdout], [2, '']);
    });
  }
});

for (const target of anyDatabase()) {
  describe(`sutra work on ${target.name}`, () => {
    let store: TestDatabase;
    let engine: EngineProcess;
    before(async () => {
      store = await target.create();
      engine = new EngineProcess(await freePort(), store.env);
      await engine.start();
      await send('/admin/deployments', {
        files: Object.entries(files).map(([path, text]) => ({ path, text })),
      });
    });
    afterEach(async () => {
      for (const worker of WorkProcess.running) {
        worker.signal('SIGKILL');
        await worker.ended();
      }
    });
    after(async () => {
      await engine.kill();
      await store.drop();
    });

    const send = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
      const response = await fetch(`${engine.url}${path}`, {
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json' },
      });
      const answer = (await response.json()) as Record<string, unknown>;
      assert.ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
      return answer;
    };
    const order = async (channel: Channel, name: string): Promise<string> =>
      String((await send(`/channels/${channel}-in`, { case: name }))['instanceId']);
    const instance = async (id: string): Promise<Instance> =>
      (await send(`/sutra/instances/${id}`)) as unknown as Instance;
    const task = async (instanceId: string): Promise<Task | undefined> => {
      const { tasks } = await send(`/sutra/external-tasks?instanceId=${instanceId}`);
      return (tasks as readonly Task[])[0];
    };
    const worker = (args: readonly string[], env: Readonly<Record<string, string>> = {}): WorkProcess =>
      new WorkProcess([...args, '--url', engine.url], env);
    const completed = async (id: string, by: WorkProcess): Promise<Instance['variables']> => {
      await until(
        () => `instance ${id}\n${by.errors}\n${engine.errors}`,
        async () => (await instance(id)).status === 'completed',
      );
      return (await instance(id)).variables;
    };
    /** Once it is as wanted. */
    const taskThat = async (
      id: string,
      by: WorkProcess,
      isWanted: (task: Task) => boolean,
    ): Promise<Task> => {
      let found: Task | undefined;
      await until(
        () => `task of ${id}: ${JSON.stringify(found)}\n${by.errors}`,
        async () => {
          found = await task(id);
          return found !== undefined && isWanted(found);
        },
      );
      assert.ok(found !== undefined);
      return found;
    };

    it('runs a command for each task, and its end says what becomes of it', async () => {
      const names = `json echo unread ids secrets silent bytes second background bpmn fails dataerr killed flood babble`;
      const ids = Object.fromEntries(
        await Promise.all(names.split(' ').map(async (name) => [name, await order('cases', name)] as const)),
      );
      const id = (name: string): string => ids[name] ?? '';
      const by = worker(
        [
          ...['cases', '--exec', `sh ${scriptFile}`, '--concurrency', '5'],
          ...['--kill-grace', 'PT0.2S', '--max-output', '100000', '--header', 'X-Token: env:WORKER_TOKEN'],
        ],
        {
          ...{ SUTRA_ADMIN_API_KEY: 'k1', ADMIN_API_KEY: 'k2', WORKER_TOKEN: 'k3', SUTRA_CONFIG: 'k4' },
          PLAIN: 'plain',
        },
      );
      const said = async (name: string): Promise<unknown> => (await completed(id(name), by))['said'];
      assert.equal(await said('json'), 'json');
      const big = await (await fetch(`${engine.url}/sutra/instances/${id('json')}`)).text();
      assert.match(big, /"big":12345678901234567890\b/);
      assert.equal((await completed(id('echo'), by))['echoed'], 'echo');
      assert.equal(await said('unread'), 'unread');
      assert.match(String(await said('ids')), /^cases 1 2 application\/json/);
      assert.equal((await completed(id('ids'), by))['instance'], id('ids'));
      assert.equal(await said('secrets'), '[] plain');
      // No result: the process goes on with the request.
      assert.equal((await completed(id('silent'), by))['case'], 'silent');
      await completed(id('bytes'), by);
      assert.equal(await said('second'), 'second');
      await gone(Number(await said('background')));
      assert.equal((await completed(id('bpmn'), by))['left'], 0);

      const faults: readonly (readonly [name: string, message: RegExp])[] = [
        ['fails', /^the command ended with exit code 1: no such country$/],
        ['dataerr', /^the command ended with exit code 65/],
        ['killed', /^the command (?:was ended by SIGKILL|ended with exit code 137(?:: Killed)?)$/],
        ['flood', /^the command wrote more than 100000 bytes/],
        ['babble', /^line 1 of descriptor 3 is no report/],
      ];
      for (const [name, message] of faults) {
        const { retries, attempts, lastError } = await taskThat(
          id(name),
          by,
          ({ state }) => state === 'failed',
        );
        assert.match(String(lastError), message);
        assert.deepEqual([name, retries, attempts], [name, 0, name === 'dataerr' ? 1 : 2]);
      }
      assert.match(by.errors, /^no such country$/m);
      assert.doesNotMatch(by.errors + by.output, /k[1-4]/);
      by.signal('SIGTERM');
      assert.equal(await by.ended(), 0, by.errors);
      assert.match(by.output, /^sutra work is ready: cases at http:\/\/127\.0\.0\.1:\d+\n$/);
    });

    it('does fifty tasks, five at once, each once, whatever happens to the engine', async () => {
      const log = join(folder, `many-${target.name.replaceAll(/\W/g, '')}`);
      writeFileSync(log, '');
      const by = worker([
        ...['many', '--concurrency', '5'],
        ...[
          '--exec',
          `echo "+ $SUTRA_INSTANCE_ID" >> ${log}; sleep 0.1; echo "- $SUTRA_INSTANCE_ID" >> ${log}; echo '{"n":1}'`,
        ],
      ]);
      const first = await Promise.all(Array.from({ length: 25 }, () => order('many', 'x')));
      for (const id of first) await completed(id, by);
      await engine.kill();
      await engine.start();
      const second = await Promise.all(Array.from({ length: 25 }, () => order('many', 'x')));
      for (const id of second) await completed(id, by);
      const lines = readFileSync(log, 'utf8').trim().split('\n');
      let running = 0;
      let most = 0;
      for (const line of lines) {
        running += line.startsWith('+') ? 1 : -1;
        most = Math.max(most, running);
      }
      assert.ok(most > 1 && most <= 5, `${String(most)} at once`);
      assert.equal(running, 0);
      assert.deepEqual(
        lines.filter((line) => line.startsWith('+')).toSorted(),
        [...first, ...second].map((id) => `+ ${id}`).toSorted(),
      );
      by.signal('SIGTERM');
      assert.equal(await by.ended(), 0, by.errors);
    });

    it('stops a command that does not end in time, and reports a failure', async () => {
      const by = worker([
        ...['slow', '--exec', 'trap "" TERM; while :; do sleep 0.1; done'],
        ...['--timeout', 'PT0.5S', '--kill-grace', 'PT0.2S'],
      ]);
      const id = await order('slow', 'x');
      const { lastError, retries } = await taskThat(id, by, ({ state }) => state === 'failed');
      assert.match(String(lastError), /^the command did not end within PT0\.5S/);
      assert.equal(retries, 0);
      by.signal('SIGTERM');
      assert.equal(await by.ended(), 0, by.errors);
    });

    it('finishes what runs when it is asked to stop', async () => {
      const by = worker(['slow', '--exec', 'echo begun >&2; sleep 1; echo \'{"n":2}\'']);
      const id = await order('slow', 'x');
      await until(
        () => by.errors,
        () => by.errors.includes('begun'),
      );
      by.signal('SIGTERM');
      assert.equal(await by.ended(), 0, by.errors);
      assert.equal((await completed(id, by))['n'], 2);
    });

    it('gives back what does not end in time, with no retry spent and nothing left running', async () => {
      const by = worker([
        ...['slow', '--exec', 'trap "" TERM; echo "pid $$" >&2; sleep 60; sleep 60'],
        ...['--drain-timeout', 'PT0.3S', '--kill-grace', 'PT0.2S'],
      ]);
      const id = await order('slow', 'x');
      await until(
        () => by.errors,
        () => /pid \d+/.test(by.errors),
      );
      by.signal('SIGINT');
      assert.equal(await by.ended(), 1, by.errors);
      await gone(Number(/pid (\d+)/.exec(by.errors)?.[1]));
      const { state, retries, lockOwner } = await taskThat(id, by, ({ state }) => state !== 'locked');
      assert.deepEqual([state, retries, lockOwner], ['open', 2, null]);
      await send(`/sutra/instances/${id}/cancel`, {});
    });

    it('leaves nothing running when a second signal comes', async () => {
      const by = worker(['slow', '--exec', 'trap "" TERM; echo "pid $$" >&2; sleep 60; sleep 60']);
      const id = await order('slow', 'x');
      await until(
        () => by.errors,
        () => /pid \d+/.test(by.errors),
      );
      by.signal('SIGTERM');
      await until(
        () => by.errors,
        () => by.errors.includes('a second signal'),
      );
      await new Promise((resolve) => setTimeout(resolve, 500));
      by.signal('SIGTERM');
      assert.equal(await by.ended(), 130, by.errors);
      await gone(Number(/pid (\d+)/.exec(by.errors)?.[1]));
      await send(`/sutra/instances/${id}/cancel`, {});
    });

    it('keeps its locks, and stops a command whose task is not wanted any more', async () => {
      const by = worker([
        ...['slow', '--lock-duration', 'PT3S', '--concurrency', '2'],
        ...[
          '--exec',
          'trap "echo told >&2; exit 0" TERM; echo "pid $$" >&2; echo "{\\"progress\\": {\\"of\\": 9}}" >&3; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.5; done; echo \'{"n":3}\'',
        ],
      ]);
      const kept = await order('slow', 'x');
      const cancelled = await order('slow', 'x');
      await until(
        () => by.errors,
        () => [...by.errors.matchAll(/pid \d+/g)].length === 2,
      );
      const { progress } = await taskThat(kept, by, (task) => task.progress !== null);
      assert.deepEqual(progress, { of: 9 });
      await send(`/sutra/instances/${cancelled}/cancel`, {});
      await until(
        () => by.errors,
        () => by.errors.includes('told'),
      );
      assert.equal((await completed(kept, by))['n'], 3);
      assert.equal([...by.errors.matchAll(/pid \d+/g)].length, 2, by.errors);
      by.signal('SIGTERM');
      assert.equal(await by.ended(), 0, by.errors);
    });

    it('posts tasks to an endpoint', async () => {
      const seen: IncomingHttpHeaders[] = [];
      const endpoint = createServer((request, response) => {
        seen.push(request.headers);
        request.resume();
        if (request.headers['sutra-header-x-case'] === 'bpmn') {
          response.writeHead(422, { 'sutra-bpmn-error': 'NO_STOCK', 'content-type': 'application/json' });
          response.end('{"left": 0}');
        } else {
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"n": 4}');
        }
      });
      await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = endpoint.address() as AddressInfo;
        const by = worker(['slow', '--http', `http://127.0.0.1:${String(port)}/work`]);
        const good = await order('slow', 'good');
        assert.equal((await completed(good, by))['n'], 4);
        assert.equal((await completed(await order('slow', 'bpmn'), by))['left'], 0);
        assert.equal(seen[0]?.['sutra-instance-id'], good);
        by.signal('SIGTERM');
        assert.equal(await by.ended(), 0, by.errors);
      } finally {
        endpoint.close();
        endpoint.closeAllConnections();
      }
    });
  });
}

describe('sutra work', () => {
  it('shows its credential to the engine with each call, and says when it is refused', async () => {
    const seen: (string | undefined)[] = [];
    const engine = createServer((request, response) => {
      seen.push(request.headers.authorization);
      request.resume();
      response
        .writeHead(401, { 'content-type': 'application/problem+json' })
        .end('{"code":"X","detail":"no"}');
    });
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    const { port } = engine.address() as AddressInfo;
    const args = ['a', '--exec', 'true', '--header', 'Authorization: Bearer env:TOKEN'];
    const by = new WorkProcess([...args, '--url', `http://127.0.0.1:${String(port)}`], {
      TOKEN: 'opensesame',
    });
    try {
      await until(
        () => by.errors,
        () => by.errors.includes('401'),
      );
      by.signal('SIGTERM');
      assert.equal(await by.ended(), 0, by.errors);
      assert.ok(seen.length > 0 && seen.every((value) => value === 'Bearer opensesame'));
      assert.doesNotMatch(by.errors, /opensesame/);
      assert.equal(by.output, '');
    } finally {
      by.signal('SIGKILL');
      engine.close();
      engine.closeAllConnections();
    }
  });
});
