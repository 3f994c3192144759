/** The files that are mutated: the public corpus, when it is there, and the seeds beside this file. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Random } from './random.ts';

export interface Source {
  /** `corpus/<path>`, `seeds/<file>` or `fixtures/<file>`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The bytes read as UTF-8, whatever they declare: mutations need not be exact. */
  readonly text: string;
}

export interface Sources {
  readonly corpus: readonly Source[];
  readonly seeds: readonly Source[];
}

/** The folder with `MANIFEST.tsv`, or null when it is not on this machine. */
export function corpusFolder(): string | null {
  const folder =
    process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
  return existsSync(`${folder}/MANIFEST.tsv`) ? folder : null;
}

export function loadSources(): Sources {
  const folder = corpusFolder();
  const corpus =
    folder === null
      ? []
      : modelPaths(folder).map((path) => readSource(`corpus/${path}`, `${folder}/${path}`));
  return {
    corpus,
    seeds: [...readFolder('seeds', 'seeds/'), ...readFolder('fixtures', '../fixtures/bpmn/')],
  };
}

function modelPaths(folder: string): readonly string[] {
  return readFileSync(`${folder}/MANIFEST.tsv`, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '')
    .filter((path) => path !== '' && !path.startsWith('dmn-tck/'))
    .toSorted();
}

function readFolder(label: string, path: string): readonly Source[] {
  const folder = fileURLToPath(new URL(path, import.meta.url));
  return readdirSync(folder)
    .filter((file) => file.endsWith('.bpmn'))
    .toSorted()
    .map((file) => readSource(`${label}/${file}`, `${folder}${file}`));
}

function readSource(name: string, path: string): Source {
  const bytes = readFileSync(path);
  return { name, bytes, text: bytes.toString('utf8') };
}

/** Of the inputs, those that come from the corpus; the seeds reach the engine more often. */
const CORPUS_SHARE = 0.8;

/** Large files cost tens of times as much as small ones and hold the same elements. */
const SIZE_CLASSES = [
  { weight: 88, maxBytes: 8_000 },
  { weight: 10, maxBytes: 30_000 },
  { weight: 2, maxBytes: Infinity },
];

export function pickSource(sources: Sources, random: Random): Source {
  const group = sources.corpus.length > 0 && random.chance(CORPUS_SHARE) ? sources.corpus : sources.seeds;
  const { maxBytes } = random.weighted(SIZE_CLASSES);
  const small = group.filter(({ bytes }) => bytes.length <= maxBytes);
  return random.pick(small.length > 0 ? small : group);
}

/** @throws RangeError when there is no source of that name */
export function sourceNamed(sources: Sources, name: string): Source {
  const found = [...sources.corpus, ...sources.seeds].find((source) => source.name === name);
  if (found === undefined) throw new RangeError(`there is no source ${name}`);
  return found;
}
