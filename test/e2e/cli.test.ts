/** The `sutra` command and the demo: what they print, and with which code they end. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { freePort } from '../support/engine-process.ts';
import { simpleOrder } from '../support/packages.ts';
import { runScript, sutra } from './command.ts';

const example = 'examples/order-scoring';

async function packageFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sutra-cli-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

describe('the command line', { concurrency: 2 }, () => {
  let broken = '';
  before(async () => {
    broken = await packageFolder({ ...simpleOrder(), 'channels.yaml': 'channels:\n  - { name: work }\n' });
  });
  after(() => rm(broken, { recursive: true, force: true }));

  it('lists its commands', async () => {
    const { code, stdout } = await sutra(['--help']);
    assert.equal(code, 0);
    for (const command of ['serve', 'create', 'lint', 'simulate', 'decide', 'deploy', 'config'])
      assert.match(stdout, new RegExp(`^ +${command} `, 'm'));
  });

  it('explains how to serve, and how to run a second replica', async () => {
    const { code, stdout } = await sutra(['serve', '--help']);
    assert.equal(code, 0);
    assert.match(stdout, /SUTRA_DATASOURCE_URL/);
    assert.match(stdout, /second replica/);
  });

  it('finds nothing wrong with the example', async () => {
    assert.deepEqual(await sutra(['lint', example]), {
      code: 0,
      stdout: '0 errors, 0 warnings\n',
      stderr: '',
    });
  });

  it('lists what is wrong with a package, for people and for programs', async () => {
    const text = await sutra(['lint', broken]);
    assert.equal(text.code, 1);
    assert.match(text.stdout, /channels\.yaml:2:5 error SUTRA\.CHANNELS\.KEY_MISSING .*transport/);
    assert.match(text.stdout, /^\d+ errors?, 0 warnings$/m);
    const json = await sutra(['lint', broken, '--format', 'json']);
    assert.equal(json.code, 1);
    const { findings } = JSON.parse(json.stdout) as {
      findings: { code: string; place: { line: number } }[];
    };
    assert.ok(findings.some(({ code, place }) => code === 'SUTRA.CHANNELS.KEY_MISSING' && place.line === 2));
  });

  it('prints every setting, where it came from, and no secret', async () => {
    const env = {
      SUTRA_DATASOURCE_URL: 'postgres://me:hunter2@db/sutra',
      SUTRA_ADMIN_API_KEY: 'env:THE_KEY',
      THE_KEY: 'opensesame',
      SUTRA_HTTP_PORT: '9090',
    };
    const text = await sutra(['config'], env);
    assert.equal(text.code, 0, text.stderr);
    assert.match(text.stdout, /sutra\.http\.port\s+9090\s+.*environment/);
    assert.match(text.stdout, /sutra\.http\.host\s+127\.0\.0\.1\s+.*default/);
    assert.doesNotMatch(text.stdout + text.stderr, /hunter2|opensesame/);
  });

  it('lists all faults of a configuration at once', async () => {
    const env = {
      SUTRA_HTTP_PORT: '70000',
      SUTRA_HTTP_HSOT: 'localhost',
      SUTRA_EXTERNAL_TASK_DEFAULT_LOCK_DURATION: 'PT2H',
      SUTRA_INBOX_RETENTION: '7 days',
    };
    const { code, stdout, stderr } = await sutra(['config'], env);
    assert.equal(code, 2);
    assert.equal(stdout, '');
    for (const part of ['SUTRA_HTTP_PORT', 'SUTRA_HTTP_HOST', 'max-lock-duration', 'SUTRA_INBOX_RETENTION']) {
      assert.ok(stderr.includes(part), `${part} in ${stderr}`);
    }
    assert.match(stderr, /has 4 faults/);
  });

  it('says in one line why it cannot serve', async () => {
    const { code, stderr } = await sutra(['serve'], {
      SUTRA_DATASOURCE_URL: `postgres://127.0.0.1:${String(await freePort())}/x`,
    });
    assert.equal(code, 2, stderr);
    assert.match(stderr.trimEnd().split('\n').at(-1) ?? '', /^sutra: .* \[SUTRA\.PERSISTENCE_UNAVAILABLE\]$/);
  });
});

describe('sutra deploy', () => {
  const [target] = testDatabases();
  let engine: TestEngine;
  let broken = '';
  before(async () => {
    assert.ok(target !== undefined);
    engine = await TestEngine.start({
      database: await target.open(),
      env: { SUTRA_ADMIN_OPEN: 'false', SUTRA_ADMIN_API_KEY: 'env:THE_KEY', THE_KEY: 'opensesame' },
    });
    broken = await packageFolder({ ...simpleOrder(), 'channels.yaml': 'channels:\n  - { name: work }\n' });
  });
  after(async () => {
    await engine.stop();
    await rm(broken, { recursive: true, force: true });
  });

  it('has an engine to talk to, whose port a second one cannot take', async () => {
    assert.ok(target !== undefined);
    const { port } = new URL(engine.url);
    await assert.rejects(
      TestEngine.start({ database: await target.open(), env: { SUTRA_HTTP_PORT: port } }),
      { code: 'SUTRA.HTTP.LISTEN_FAILED', message: `cannot listen on 127.0.0.1 port ${port}: EADDRINUSE` },
    );
  });

  it('sends a package to a running engine', async () => {
    const args = ['deploy', example, '--url', engine.url, '--api-key-env', 'MY_KEY'];
    const { code, stdout, stderr } = await sutra(args, { MY_KEY: 'opensesame' });
    assert.equal(code, 0, stderr);
    const { body } = await engine.get('/sutra/deployments?module=scoring&state=active');
    assert.equal(stdout, `deployed ${body.deployments[0]?.id ?? ''}\n`);
  });

  it('shows what the engine finds wrong, each finding with its place', async () => {
    const { code, stderr } = await sutra(['deploy', broken, '--url', engine.url], {
      ADMIN_API_KEY: 'opensesame',
    });
    assert.equal(code, 2);
    assert.match(stderr, /^channels\.yaml:2:5 error SUTRA\.CHANNELS\.KEY_MISSING /m);
    assert.match(stderr, /\[SUTRA\.DEPLOYMENT\.INVALID\]$/m);
  });

  it('says that the key is wrong, without showing it', async () => {
    const { code, stderr } = await sutra(['deploy', example, '--url', engine.url], {
      ADMIN_API_KEY: 'wrong-key',
    });
    assert.equal(code, 2);
    assert.match(stderr, /\[SUTRA\.ADMIN\.KEY_INVALID\]/);
    assert.doesNotMatch(stderr, /wrong-key/);
  });

  it('says that no engine is there, or that it is none', async () => {
    const stranger = createServer((_request, response) => response.end('<html>'));
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    const rows: readonly (readonly [url: string, code: number, said: RegExp])[] = [
      [`http://127.0.0.1:${String(await freePort())}`, 2, /ECONNREFUSED \[SUTRA\.CLI\.ENGINE_UNREACHABLE\]/],
      [`http://127.0.0.1:${String(port)}`, 2, /\[SUTRA\.CLI\.ANSWER_UNEXPECTED\]/],
      ['127.0.0.1:8080', 1, /http or https URL/],
    ];
    for (const [url, code, said] of rows) {
      const result = await sutra(['deploy', example, '--url', url]);
      assert.equal(result.code, code, result.stderr);
      assert.match(result.stderr, said);
    }
    stranger.close();
  });
});

describe('the demo', () => {
  it('runs three orders to their ends, shows how, and ends by itself', async () => {
    const { code, stdout, stderr } = await runScript('examples/demo/demo.ts', []);
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    assert.doesNotMatch(stderr, /^error|failed/m);
    const orders = stdout.split(/^order /m).slice(1);
    assert.deepEqual(
      orders.map((order) => order.slice(0, 3)),
      ['A-1', 'B-2', 'C-3'],
    );
    const ends = ['approved', 'approved', 'expired'];
    orders.forEach((order, index) => {
      assert.match(order, /^ +0 ms {2}message in on channel orders$/m);
      assert.match(order, /locked by worker scorer-1, attempt 1$/m);
      assert.match(order, new RegExp(`instance completed at end event ${ends[index] ?? ''}$`, 'm'));
    });
    assert.match(stdout, /All three orders ended as expected/);
  });
});
