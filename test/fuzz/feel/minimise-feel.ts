/** Makes an input smaller as long as it fails in the same way: variables go first, then tokens, then characters. */
import type { StillFails } from '../minimise.ts';
import { decodeFeelInput, encodeFeelInput, type FeelInput } from './feel-input.ts';
import { tokensOf } from './token-mutations.ts';

/** The smallest input that was found until `deadline`, in milliseconds of `performance.now()`. */
export async function minimiseFeel(
  bytes: Uint8Array,
  stillFails: StillFails,
  deadline: number,
): Promise<Uint8Array> {
  let best = decodeFeelInput(bytes);
  const tryTo = async (change: Partial<FeelInput>): Promise<boolean> => {
    if (performance.now() > deadline) return false;
    const smaller = { ...best, ...change };
    if (!(await stillFails(encodeFeelInput(smaller)))) return false;
    best = smaller;
    return true;
  };
  await tryTo({ input: null });
  if (!(await tryTo({ variables: {} }))) {
    for (const name of Object.keys(best.variables)) {
      const { [name]: _, ...variables } = best.variables;
      await tryTo({ variables });
    }
  }
  for (const cut of [tokensOf, Array.from<string>]) await cutParts(cut, () => best.text, tryTo);
  return encodeFeelInput(best);
}

/** Takes parts of the text away, many at once and then fewer. */
async function cutParts(
  cut: (text: string) => readonly string[],
  text: () => string,
  tryTo: (change: Partial<FeelInput>) => Promise<boolean>,
): Promise<void> {
  for (let size = Math.ceil(cut(text()).length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; ;) {
      const parts = cut(text());
      if (at >= parts.length) break;
      if (!(await tryTo({ text: parts.toSpliced(at, size).join('') }))) at += size;
    }
  }
}
