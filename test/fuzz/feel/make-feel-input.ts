/**
 * One input of a run: a text of one of many sources, and data for the names in it; decided by seed and index alone.
 *
 * I1 Equal seed, index and sources give equal bytes.
 */
import fc from 'fast-check';
import { treesWithCalls } from '../../definitions/feel/compile-calls.ts';
import { typedTrees } from '../../definitions/feel/compile-typed-trees.ts';
import { printExpression } from '../../support/feel-print.ts';
import type { MadeInput } from '../answer-tasks.ts';
import { Random } from '../random.ts';
import { encodeFeelInput, type FeelInput } from './feel-input.ts';
import { pickText, type FeelSources } from './feel-sources.ts';
import { hostileText } from './hostile-growth.ts';
import { namesIn, randomInput, randomVariables } from './random-data.ts';
import { tokenMutations } from './token-mutations.ts';
import { tokenSoup } from './token-soup.ts';
import { spliceTrees } from './tree-mutations.ts';

interface MadeText {
  readonly text: string;
  readonly mutations: readonly string[];
}

interface TextSource {
  readonly name: string;
  readonly weight: number;
  readonly make: (random: Random, sources: FeelSources) => MadeText;
}

const treeKinds = { typed: typedTrees, any: treesWithCalls.inner };

function randomTree(kind: keyof typeof treeKinds, random: Random): MadeText {
  const [tree] = fc.sample(treeKinds[kind], { seed: random.below(2 ** 31), numRuns: 1 });
  return { text: tree === undefined ? '' : printExpression(tree), mutations: [] };
}

/** A text is longer than is read soon enough: no mutation more. */
const MAX_MUTATED_LENGTH = 12_000;

function mutated(random: Random, sources: FeelSources): MadeText {
  const other = (): string => pickText(sources, random);
  let text = random.chance(0.2) ? randomTree('typed', random).text : other();
  const mutations: string[] = [];
  for (
    let left = random.pick([1, 1, 1, 2, 2, 3, 5]);
    left > 0 && text.length < MAX_MUTATED_LENGTH;
    left -= 1
  ) {
    const mutation = random.weighted(tokenMutations);
    mutations.push(mutation.name);
    text = mutation.apply(text, random, other);
  }
  return { text, mutations };
}

function spliced(random: Random, sources: FeelSources): MadeText {
  const other = (): string =>
    random.chance(0.3) ? randomTree('typed', random).text : pickText(sources, random);
  for (;;) {
    const text = spliceTrees(pickText(sources, random), random, other);
    if (text !== null) return { text, mutations: [] };
  }
}

export const textSources: readonly TextSource[] = [
  { name: 'a tree of kinds', weight: 22, make: (random) => randomTree('typed', random) },
  { name: 'a tree', weight: 10, make: (random) => randomTree('any', random) },
  { name: 'spliced trees', weight: 22, make: spliced },
  { name: 'mutated tokens', weight: 26, make: mutated },
  {
    name: 'as written',
    weight: 4,
    make: (random, sources) => ({ text: pickText(sources, random), mutations: [] }),
  },
  { name: 'tokens', weight: 10, make: (random) => ({ text: tokenSoup(random), mutations: [] }) },
  {
    name: 'growth',
    weight: 6,
    make(random) {
      const { name, text } = hostileText(random);
      return { text, mutations: [name] };
    },
  },
];

export function makeFeelInput(
  sources: FeelSources,
  seed: number,
  index: number,
  units: number | null = null,
): MadeInput & { readonly input: FeelInput } {
  const random = new Random(seed, index, 'text');
  const source = random.weighted(textSources);
  const { text, mutations } = source.make(random, sources);
  const data = new Random(seed, index, 'data');
  const names = namesIn(text, data);
  const input = { text, variables: randomVariables(names, data), input: randomInput(names, data), units };
  return { source: source.name, mutations, bytes: encodeFeelInput(input), input };
}
