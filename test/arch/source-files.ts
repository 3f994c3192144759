/** The project's sources by path, and what each imports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Text by path from the root, with forward slashes. */
export type Sources = ReadonlyMap<string, string>;

export const ROOT_DIR = fileURLToPath(new URL('../..', import.meta.url));

/** Folders that hold no sources of ours. */
const IGNORED = new Set(['node_modules', 'dist', 'generated', 'fixtures', 'results']);

export function readSources(): Sources {
  const sources = new Map<string, string>();
  const read = (folder: string): void => {
    for (const entry of readdirSync(join(ROOT_DIR, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith('.') && !IGNORED.has(entry.name)) {
        read(path);
      } else if (entry.isFile() && path.endsWith('.ts')) {
        sources.set(path, readFileSync(join(ROOT_DIR, path), 'utf8'));
      }
    }
  };
  read('');
  return sources;
}

export function folderExists(path: string): boolean {
  return existsSync(join(ROOT_DIR, path));
}

/** One import, re-export, dynamic import or type import. */
export interface Import {
  readonly from: string;
  /** A path from the root for ours, else the specifier of the package. */
  readonly target: string;
  readonly isOurs: boolean;
}

export function importsOf(path: string, text: string): readonly Import[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => {
    const isOurs = fileName.startsWith('.');
    return { from: path, isOurs, target: isOurs ? join(dirname(path), fileName) : fileName };
  });
}

/** Visits every node of a file, with its line. */
export function visitNodes(path: string, text: string, visit: (node: ts.Node, line: number) => void): void {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const descend = (node: ts.Node): void => {
    visit(node, file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1);
    ts.forEachChild(node, descend);
  };
  descend(file);
}
