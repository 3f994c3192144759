/** Texts of tokens in any order, some of them with a bit of order: what no author writes. */
import { builtins } from '../../../definitions/feel/builtins/index.ts';
import type { Random } from '../random.ts';
import { randomLiteral, signs, words } from './token-mutations.ts';

const names = ['a', 'b', 'x', 'xs', 'rows', 'order', 'a b', 'a-b', 'item', '_', 'é', ...builtins.keys()];

export function tokenSoup(random: Random): string {
  const length = random.magnitude(1, random.chance(0.1) ? 400 : 30);
  const parts: string[] = [];
  for (let index = 0; index < length; index += 1) parts.push(randomToken(random));
  return parts.join(random.pick(['', ' ', ' ', ' ']));
}

function randomToken(random: Random): string {
  const roll = random.below(10);
  if (roll < 3) return random.pick(signs);
  if (roll < 5) return random.pick(words);
  if (roll < 8) return random.pick(names);
  return randomLiteral(random);
}
