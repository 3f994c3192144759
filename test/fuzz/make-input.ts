/**
 * One input of a run: a source file and what was done to it, decided by seed and index alone.
 *
 * I1 Equal seed, index and sources give equal bytes. The name of the source is part of what a failure
 *    reports, because another corpus or another seed file gives other inputs.
 */
import { byteMutations } from './byte-mutations.ts';
import { adopt, modelMutations } from './model-mutations.ts';
import { Random } from './random.ts';
import { MAX_TEXT_LENGTH, sizeMutations } from './size-mutations.ts';
import { pickSource, type Source, type Sources } from './sources.ts';
import { xmlMutations, type TextMutation } from './xml-mutations.ts';

export interface FuzzInput {
  readonly seed: number;
  readonly index: number;
  readonly source: string;
  /** Names of the mutations, in the order in which they were done. */
  readonly mutations: readonly string[];
  readonly bytes: Uint8Array;
}

/** Just above the bound of a file, once in some ten thousand inputs: it costs as much as a thousand others. */
const TOO_LARGE_BYTES = 10 * 1024 * 1024 + 1;
const TOO_LARGE_PROBABILITY = 0.000_05;

const ADOPTED_PROBABILITY = 0.5;
/** How many mutations of a kind: each further one makes it likelier that the file is refused at once. */
const MODEL_COUNTS = [0, 0, 1, 1, 1, 2, 2, 3];
const XML_COUNTS = [0, 0, 0, 1, 1, 2, 3];
/** Large inputs are two in a hundred: they cost ten times as much. */
const SIZE_PROBABILITY = 0.02;
const BYTES_PROBABILITY = 0.15;

export function makeInput(sources: Sources, seed: number, index: number): FuzzInput {
  const random = new Random(seed, index, 'input');
  const source = pickSource(sources, random);
  const mutations: string[] = [];
  const text = mutateText(source, sources, random, mutations);
  let bytes: Uint8Array = mutations.length === 0 && !random.chance(0.5) ? source.bytes : Buffer.from(text);
  while (mutations.length === 0 || random.chance(BYTES_PROBABILITY)) {
    const mutation = random.weighted(byteMutations);
    mutations.push(mutation.name);
    bytes = mutation.apply(bytes, random);
  }
  if (random.chance(TOO_LARGE_PROBABILITY)) {
    mutations.push('pad beyond the bound');
    bytes = Buffer.concat([bytes, Buffer.alloc(TOO_LARGE_BYTES, ' ')]);
  }
  return { seed, index, source: source.name, mutations, bytes };
}

/** Between none and some mutations of the text; models first, so that there is something left to know. */
function mutateText(source: Source, sources: Sources, random: Random, done: string[]): string {
  let { text } = source;
  const apply = (mutation: TextMutation): void => {
    if (text.length > MAX_TEXT_LENGTH) return;
    done.push(mutation.name);
    text = mutation.apply(text, random, () => pickSource(sources, random).text);
  };
  const isAdopted = source.name.startsWith('corpus/') && random.chance(ADOPTED_PROBABILITY);
  if (isAdopted) {
    done.push('adopt');
    text = adopt(text, random);
  }
  for (let left = random.pick(MODEL_COUNTS); left > 0; left -= 1) apply(random.weighted(modelMutations));
  for (let left = random.pick(XML_COUNTS); left > 0; left -= 1) apply(random.weighted(xmlMutations));
  if (random.chance(SIZE_PROBABILITY)) apply(random.weighted(sizeMutations));
  return text;
}
