import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { lockDirectory } from '../../engine/store/directory-lock.ts';
import { programArguments } from '../support/program.ts';

const CHILD = programArguments(new URL('./directory-lock-child.ts', import.meta.url));
const locked = { code: 'SUTRA.STORE.DIRECTORY_LOCKED' };
const quick = { lost: () => {}, patienceMs: 0 };

describe('the lock of a directory', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'sutra-lock-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  const fresh = (): Promise<string> => mkdtemp(join(root, 'case-'));

  const files = async (directory: string): Promise<string[]> => (await readdir(directory)).sort();

  it('is held by one at a time, and names its holder to the others', async () => {
    const directory = await fresh();
    const lock = await lockDirectory(directory, quick);
    await assert.rejects(lockDirectory(directory, quick), {
      ...locked,
      message: new RegExp(`in use by process ${process.pid} `),
    });
    await lock.release();
    await lock.release();
    const next = await lockDirectory(directory, quick);
    await next.release();
    assert.deepEqual(await files(directory), ['lock.2']);
  });

  it('is waited for while its holder may be on its way out', async () => {
    const directory = await fresh();
    const lock = await lockDirectory(directory, quick);
    const next = lockDirectory(directory, { lost: () => {}, patienceMs: 10_000 });
    await lock.release();
    await (await next).release();
  });

  it('of a process that is dead is taken over, even when another has its id by now (D2)', async () => {
    const directory = await fresh();
    const lock = await lockDirectory(directory, quick);
    const holder = JSON.parse(await readFile(join(directory, 'lock.1'), 'utf8')) as Record<string, unknown>;
    await lock.release();
    await writeFile(join(directory, 'lock.2'), JSON.stringify({ ...holder, pid: 2 ** 22 + 1 }));
    await (await lockDirectory(directory, quick)).release();
    await writeFile(
      join(directory, 'lock.4'),
      JSON.stringify({ ...holder, nonce: 'earlier', startedAt: '1' }),
    );
    await (await lockDirectory(directory, quick)).release();
    assert.deepEqual(await files(directory), ['lock.5']);
  });

  it('of a process elsewhere is taken over when its heartbeat stands still (D2)', async () => {
    const directory = await fresh();
    const holder = {
      nonce: 'x',
      pid: 1,
      startedAt: '1',
      realm: 'another machine',
      hostname: 'other',
      isReleased: false,
    };
    const file = join(directory, 'lock.1');
    await writeFile(file, JSON.stringify(holder));
    const beat = setInterval(() => void utimes(file, new Date(), new Date()), 20);
    await assert.rejects(lockDirectory(directory, { ...quick, silenceMs: 500 }), {
      ...locked,
      message: /process 1 on other/,
    });
    clearInterval(beat);
    await (await lockDirectory(directory, { lost: () => {}, patienceMs: 5_000, silenceMs: 500 })).release();
  });

  it('tells its holder that it was replaced (D3)', async () => {
    const directory = await fresh();
    let lost = (): void => {};
    const replaced = new Promise<void>((resolve) => (lost = resolve));
    await lockDirectory(directory, { lost, patienceMs: 0 });
    await writeFile(join(directory, 'lock.7'), '{}');
    // The heartbeat's timer keeps no process alive, so this test does.
    const alive = setInterval(() => {}, 1_000);
    await replaced;
    clearInterval(alive);
  });

  it('is not confused by files that are not its own', async () => {
    const directory = await fresh();
    for (const name of ['lock.0', 'lock.x', 'lock.01', 'lock', 'block.9', 'lock.5.old']) {
      await writeFile(join(directory, name), 'anything');
    }
    await writeFile(join(directory, 'lock.3'), '');
    const lock = await lockDirectory(directory, quick);
    assert.ok((await files(directory)).includes('lock.4'));
    await lock.release();
  });

  it('is never held by two processes, however they come and die (D1)', async () => {
    const directory = await fresh();
    const modes = ['live', 'live', 'live', 'die', 'die', 'die'];
    const children = modes.map((mode) =>
      spawn(process.execPath, [...CHILD, directory, mode], { stdio: 'inherit' }),
    );
    const exits = (await Promise.all(children.map((child) => once(child, 'exit')))) as [
      number | null,
      string | null,
    ][];
    for (const [code, signal] of exits)
      assert.ok(code === 0 || code === 6 || signal === 'SIGKILL', `exit ${String(code)}`);
    assert.ok(exits.some(([code]) => code === 0));
    assert.ok(exits.some(([, signal]) => signal === 'SIGKILL'));
    await (await lockDirectory(directory, quick)).release();
  });
});
