/** The SDK needs what Node, Deno and Bun share, and nothing else. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import ts from 'typescript';

const folder = fileURLToPath(new URL('../../worker/', import.meta.url));
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(folder, name));

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

/** The faults of the sources, compiled without the types of any runtime; `more` by path. */
function faultsOf(more: Readonly<Record<string, string>> = {}): string[] {
  const host = ts.createCompilerHost(options);
  const plain = ts.createCompilerHost(options);
  host.readFile = (path) => more[path] ?? plain.readFile(path);
  host.fileExists = (path) => path in more || plain.fileExists(path);
  host.getSourceFile = (path, ...rest) => {
    const text = more[path];
    return text === undefined ? plain.getSourceFile(path, ...rest) : ts.createSourceFile(path, text, rest[0]);
  };
  const program = ts.createProgram([...files, ...Object.keys(more)], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
}

/** In a file of its own beside the sources, so that it imports as a user's would. */
const user = (body: string): Readonly<Record<string, string>> => ({
  [join(folder, 'user-program.ts')]:
    `import { Worker, type StandardSchemaV1, type Task } from './index.ts';\ninterface Order { readonly amount: number }\ndeclare const schema: StandardSchemaV1<unknown, Order>;\n${body}\n`,
});

describe('the SDK', () => {
  it('compiles without the types of Node, and takes typed handlers', () => {
    const program = `
      new Worker<{ score: Order; other: unknown }>({ baseUrl: 'http://x', channels: {
        score: (task) => task.body.amount * 2,
        other: { handler: (task, ctx) => ctx.progress(task.body) },
      } });
      new Worker({ baseUrl: 'http://x', channels: {
        annotated: (task: Task<Order>) => task.body.amount,
        checked: { schema, handler: (task) => task.body.amount },
      } });`;
    assert.deepEqual(faultsOf(user(program)), []);
  });

  it('is compiled so that a fault would show', () => {
    const faults = faultsOf(
      user(`
      new Worker<{ score: Order }>({ baseUrl: 'http://x', channels: { score: (task) => task.body.nothing } });
      new Worker({ baseUrl: 'http://x', channels: { checked: { schema, handler: (task) => task.body.nothing } } });
      Buffer.from('');
      process.exit();`),
    );
    assert.equal(faults.length, 4, faults.join('\n'));
  });

  it('imports nothing but its own files', () => {
    const imported = files.flatMap((file) =>
      ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles.map(({ fileName }) => fileName),
    );
    assert.ok(imported.length > 20);
    assert.deepEqual(
      imported.filter((name) => !/^\.\/[a-z-]+\.ts$/.test(name)),
      [],
    );
  });
});
