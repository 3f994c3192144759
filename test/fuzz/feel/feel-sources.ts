/** The texts that are mutated: the public corpus of decisions, when it is there, the examples, and the seeds beside this file. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readDmnTexts } from '../../support/dmn-texts.ts';
import type { Random } from '../random.ts';
import { corpusFolder } from '../sources.ts';

export interface FeelSources {
  /** Each text once. */
  readonly corpus: readonly string[];
  readonly seeds: readonly string[];
}

/** Of the texts, those that come from the corpus: many of its are alike. */
const CORPUS_SHARE = 0.6;

/** @param withCorpus false: the same on every machine */
export function loadFeelSources({ withCorpus }: { readonly withCorpus: boolean }): FeelSources {
  const folder = withCorpus ? corpusFolder() : null;
  const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
  const seeds = readFileSync(new URL('seeds.txt', import.meta.url), 'utf8').split('\n');
  return {
    corpus: folder === null ? [] : distinct(dmnTexts(`${folder}/dmn-tck`)),
    seeds: distinct([...seeds, ...dmnTexts(examples), ...bpmnTexts(examples)]),
  };
}

export function pickText({ corpus, seeds }: FeelSources, random: Random): string {
  return random.pick(corpus.length > 0 && random.chance(CORPUS_SHARE) ? corpus : seeds);
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
}

function dmnTexts(folder: string): readonly string[] {
  return pathsIn(folder, '.dmn').flatMap((path) =>
    readDmnTexts(path, readFileSync(path)).texts.map(({ text }) => text),
  );
}

function bpmnTexts(folder: string): readonly string[] {
  return pathsIn(folder, '.bpmn').flatMap((path) => {
    const found = readFileSync(path, 'utf8').matchAll(/ expression="([^"]*)"|>(=[^<]*)</g);
    return [...found].map(([, attribute, body = '']) => (attribute ?? body).replaceAll('&gt;', '>'));
  });
}

function pathsIn(folder: string, extension: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension))
    .toSorted()
    .map((path) => `${folder}/${path}`);
}
