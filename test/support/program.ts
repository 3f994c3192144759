/**
 * The project's files as programs and modules. Tests run from the sources, through a TypeScript loader, or compiled
 * by `tsconfig.test.json`, which starts a process in half the time: each `.ts` has its `.js` beside it there.
 */
import { fileURLToPath } from 'node:url';

export const isCompiled = import.meta.url.endsWith('.js');

/**
 * Node's arguments before the program. The embedded database is WebAssembly, and a test has done with it before its
 * functions, compiled a second time, have repaid that: a second of the processor each time it is opened.
 */
export const runtimeArguments: readonly string[] = [
  '--liftoff-only',
  ...(isCompiled ? ['--enable-source-maps'] : ['--import', 'tsx']),
];

/** @param source of a `.ts` file; gives the file that this process can load. */
export function moduleOf(source: URL): URL {
  return isCompiled ? new URL(source.href.replace(/\.ts$/, '.js')) : source;
}

/** Node's arguments to run a file of the project. */
export function programArguments(source: URL): readonly string[] {
  return [...runtimeArguments, fileURLToPath(moduleOf(source))];
}
