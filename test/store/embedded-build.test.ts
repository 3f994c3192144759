/** The embedded database as it runs when installed: compiled, without a TypeScript loader in the thread. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { migratedSnapshot } from '../support/migrated-database.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

async function compile(folder: string, target: string): Promise<void> {
  for (const file of await readdir(join(PROJECT, folder), { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const source = await readFile(join(PROJECT, folder, file), 'utf8');
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    });
    const output = join(target, folder, file.replace(/\.ts$/, '.js'));
    await mkdir(dirname(output), { recursive: true });
    await writeFile(output, outputText);
  }
}

describe('the embedded database of a build', () => {
  it('finds its thread beside itself, and its process ends by itself', async () => {
    await mkdir(join(PROJECT, '.cache'), { recursive: true });
    // Inside the project, so that packages are found.
    const build = await mkdtemp(join(PROJECT, '.cache', 'build-'));
    try {
      await writeFile(join(build, 'package.json'), '{"type":"module"}');
      for (const folder of ['config', 'engine']) await compile(folder, build);
      const script = `
        import { openEmbeddedDatabase } from './engine/store/embedded-database.js';
        const snapshotFile = ${JSON.stringify(await migratedSnapshot())};
        const database = await openEmbeddedDatabase({ directory: null, snapshotFile });
        const rows = await database.run({ name: 'one', text: 'SELECT 1 AS one' }, []);
        await database.close();
        console.log(JSON.stringify(rows));`;
      await writeFile(join(build, 'main.js'), script);
      const { stdout } = await run(process.execPath, [join(build, 'main.js')], { cwd: build });
      assert.equal(stdout.trim(), '[{"one":1}]');
    } finally {
      await rm(build, { recursive: true, force: true });
    }
  });
});
