/**
 * The tests compiled: `.cache/compiled` is a copy of the project in which each `.ts` has its `.js` beside it, so that the
 * many processes that tests are do not translate the sources again. Of what it does not copy it has links.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isCompiled } from './program.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const COPY = join(PROJECT, '.cache/compiled');
const COMPILER = join(PROJECT, 'node_modules/typescript/bin/tsc');
const CORPUS = resolve(PROJECT, process.env['SUTRA_TEST_CORPUS'] ?? '../shared/corpus');
const LEFT_OUT: readonly string[] = ['.git', '.cache', 'dist', 'node_modules'];
/** Kept for the next run, or made by the build. */
const LINKED: readonly string[] = ['dist', 'node_modules', '.cache/test-database'];

/** Runs the test command there, after a build, which engines are started from. Types are checked on the way. @returns its exit code */
export async function runCompiled(args: readonly string[]): Promise<number> {
  if (isCompiled) throw new Error('these tests are compiled; leave out --compiled');
  await rm(COPY, { recursive: true, force: true });
  for (const config of ['tsconfig.build.json', 'tsconfig.test.json']) {
    const exitCode = await runNode([COMPILER, '-p', config], PROJECT);
    if (exitCode !== 0) return exitCode;
  }
  for (const name of await readdir(PROJECT)) {
    if (!LEFT_OUT.includes(name)) await cp(join(PROJECT, name), join(COPY, name), { recursive: true });
  }
  await mkdir(join(PROJECT, '.cache/test-database'), { recursive: true });
  await mkdir(join(COPY, '.cache'));
  for (const path of LINKED) await symlink(join(PROJECT, path), join(COPY, path));
  return await runNode(['--enable-source-maps', join(COPY, 'test/run.js'), ...args], COPY);
}

async function runNode(args: readonly string[], cwd: string): Promise<number> {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, SUTRA_TEST_CORPUS: CORPUS },
  });
  const stop = (): boolean => child.kill('SIGTERM');
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return code ?? 1;
}
