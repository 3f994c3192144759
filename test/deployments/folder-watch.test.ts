import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { testDatabases, type TestDatabase } from '../support/database.ts';
import { collectingLog, TestEngine } from '../support/engine.ts';
import { becomes, fastPolling, orderPackage, sendOrder, statesByVersion } from './states.ts';

async function writePackage(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const moduleOf = (module: string, version = '1.0.0'): Record<string, string> =>
  orderPackage({ module, path: module, version });

for (const target of testDatabases()) {
  describe(`the watched folder on ${target.name}`, () => {
    let dir = '';
    let store: TestDatabase;
    let engine: TestEngine;
    let log = collectingLog();
    const boot = async (): Promise<void> => {
      log = collectingLog();
      engine = await TestEngine.start({
        database: await store.open(),
        env: { ...fastPolling, SUTRA_DEPLOYMENTS_DIR: dir },
        log,
      });
    };
    before(async () => {
      dir = await mkdtemp(join(tmpdir(), 'sutra-packages-'));
      store = await target.create();
      await writePackage(join(dir, 'test--main--1.9.0'), orderPackage({ version: '1.9.0' }));
      await writePackage(join(dir, 'test--main--1.10.0'), orderPackage({ version: '1.10.0' }));
      await writeFile(join(dir, 'notes.txt'), 'no package');
      await boot();
    });
    after(async () => {
      await engine.stop();
      await store.drop();
      await rm(dir, { recursive: true, force: true });
    });

    /** The deployment is stored a moment before its paths are bound. */
    const orderOnceServed = (path: string): Promise<void> =>
      becomes(async () => (await engine.post(`/channels/${path}`, { orderId: 'keeps it' })).status, 202);
    const refusals = (name: string): number =>
      log.lines.filter((line) => line.includes('deployment-refused') && line.includes(name)).length;
    /** The watch has looked at everything since: a package that came later is deployed. */
    let canaries = 0;
    const looked = async (): Promise<void> => {
      canaries += 1;
      const module = `canary-${String(canaries)}`;
      await writePackage(join(dir, module), moduleOf(module));
      await becomes(() => statesByVersion(engine, module), { '1.0.0': 'active' });
    };

    it('is deployed before the engine serves, the newest version last', async () => {
      assert.deepEqual(await statesByVersion(engine), { '1.9.0': 'draining', '1.10.0': 'active' });
      await sendOrder(engine, 'at boot');
    });

    it('brings a package that appears in it, and then each change of it', async () => {
      const folder = join(dir, 'appears');
      await writePackage(folder, moduleOf('appears'));
      await becomes(() => statesByVersion(engine, 'appears'), { '1.0.0': 'active' });
      await orderOnceServed('appears');
      await writePackage(folder, moduleOf('appears', '1.1.0'));
      await becomes(() => statesByVersion(engine, 'appears'), { '1.0.0': 'draining', '1.1.0': 'active' });
      await writePackage(folder, moduleOf('appears', '1.0.0'));
      await becomes(async () => (await statesByVersion(engine, 'appears'))['1.0.0'], 'active');
    });

    it('reports a package with faults once for each state of its files, and goes on with the others', async () => {
      const folder = join(dir, 'faulty');
      const good = moduleOf('faulty');
      await writePackage(folder, { ...good, 'channels.yaml': 'channels: 1\n' });
      await becomes(() => Promise.resolve(refusals('faulty')), 1);
      await looked();
      assert.equal(refusals('faulty'), 1);
      const [line = ''] = log.lines.filter((text) => text.includes('deployment-refused'));
      assert.match(line, /"code":"SUTRA\.DEPLOYMENT\.INVALID"/);
      assert.match(line, /"file":"channels\.yaml","line":1,"column":11/);
      await writePackage(folder, { ...good, 'channels.yaml': 'channels: 22\n' });
      await becomes(() => Promise.resolve(refusals('faulty')), 2);
      await writePackage(folder, good);
      await becomes(() => statesByVersion(engine, 'faulty'), { '1.0.0': 'active' });
    });

    it('goes on past a package that cannot be read', async () => {
      await mkdir(join(dir, 'dangling'));
      await symlink(join(dir, 'nowhere'), join(dir, 'dangling', 'channels.yaml'));
      await becomes(() => Promise.resolve(refusals('dangling')), 1);
      await looked();
      assert.equal(refusals('dangling'), 1);
    });

    it('leaves a package alone that is still being copied', async () => {
      const folder = join(dir, 'copied');
      const files = moduleOf('copied');
      const whole = files['channels.yaml'] ?? '';
      await writePackage(folder, { ...files, 'channels.yaml': '' });
      // Each look sees another file than the one before, and none of them is a whole package.
      let at = 0;
      while (at < 40) {
        at += 1;
        await writeFile(join(folder, 'channels.yaml'), whole.slice(0, at));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await writeFile(join(folder, 'channels.yaml'), whole);
      await becomes(() => statesByVersion(engine, 'copied'), { '1.0.0': 'active' });
      assert.equal(refusals('copied'), 0);
    });

    it('follows links, as mounted volumes have them', async () => {
      const volume = join(dir, '..volume');
      await writePackage(join(volume, 'first'), moduleOf('mounted'));
      await writePackage(join(volume, 'second'), moduleOf('mounted', '2.0.0'));
      await symlink(join(volume, 'first'), join(dir, 'mounted'));
      await becomes(() => statesByVersion(engine, 'mounted'), { '1.0.0': 'active' });
      await orderOnceServed('mounted');
      await symlink(join(volume, 'second'), join(dir, '.next'));
      await rename(join(dir, '.next'), join(dir, 'mounted'));
      await becomes(() => statesByVersion(engine, 'mounted'), { '1.0.0': 'draining', '2.0.0': 'active' });
    });

    it('makes no older version active: not when its files are touched, and not at a restart', async () => {
      await sendOrder(engine, 'keeps 1.10.0');
      const old = orderPackage({ version: '1.9.0' });
      await engine.deploy(old);
      const wanted = { '1.9.0': 'active', '1.10.0': 'draining' };
      assert.deepEqual(await statesByVersion(engine), wanted);

      const touched = join(dir, 'test--main--1.10.0', 'channels.yaml');
      await writeFile(touched, await readFile(touched));
      await utimes(touched, new Date(), new Date());
      await writeFile(join(dir, 'test--main--1.10.0', '.channels.yaml.swp'), 'an editor is open');
      await looked();
      assert.deepEqual(await statesByVersion(engine), wanted);

      await engine.stop();
      await boot();
      assert.deepEqual(await statesByVersion(engine), wanted);
      await looked();
      assert.deepEqual(await statesByVersion(engine), wanted);
    });

    it('keeps what was deployed from a folder that goes away', async () => {
      await rm(join(dir, 'appears'), { recursive: true });
      await looked();
      assert.equal((await statesByVersion(engine, 'appears'))['1.0.0'], 'active');
    });

    it('must be there at boot', async () => {
      const missing = join(dir, 'missing');
      const database = await target.open();
      await assert.rejects(TestEngine.start({ database, env: { SUTRA_DEPLOYMENTS_DIR: missing } }), {
        code: 'SUTRA.DEPLOYMENT.DIR_UNREADABLE',
        message: /missing.*ENOENT/,
      });
    });
  });
}
