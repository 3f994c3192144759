/** Makes an input smaller as long as it fails in the same way: elements go first, then attributes, then bytes. */
import { attributesOf, cut, replaced, textOf } from './xml-pieces.ts';

/** Gives whether the bytes still fail in the way that is looked for. */
export type StillFails = (bytes: Uint8Array) => Promise<boolean>;

/** Above this, cutting bytes takes too many runs; elements and attributes have been cut then. */
const MAX_CUT_BYTES = 20_000;

/** The smallest input that was found until `deadline`, in milliseconds of `performance.now()`. */
export async function minimise(
  bytes: Uint8Array,
  stillFails: StillFails,
  deadline: number,
): Promise<Uint8Array> {
  let best = bytes;
  const tryTo = async (smaller: Uint8Array): Promise<boolean> => {
    if (smaller.length >= best.length || performance.now() > deadline) return false;
    if (!(await stillFails(smaller))) return false;
    best = smaller;
    return true;
  };
  if (Buffer.from(Buffer.from(bytes).toString('utf8')).equals(bytes)) {
    const text = (): string => Buffer.from(best).toString('utf8');
    await cutElements(text, (smaller) => tryTo(Buffer.from(smaller)));
    await cutAttributes(text, (smaller) => tryTo(Buffer.from(smaller)));
  }
  if (best.length <= MAX_CUT_BYTES) await cutBytes(() => best, tryTo);
  return best;
}

type TryText = (smaller: string) => Promise<boolean>;

/** The outermost first: one cut may take most of the file. Then wrappers alone. */
async function cutElements(text: () => string, tryTo: TryText): Promise<void> {
  for (let position = 0; ; position += 1) {
    const pieces = cut(text());
    const element = pieces.elements[position];
    if (element === undefined) return;
    const { from, to } = element;
    const isCut =
      (await tryTo(replaced(pieces, from, to, ''))) ||
      (to > from && (await tryTo(replaced(pieces, from, to, textOf(pieces, from + 1, to - 1)))));
    if (isCut) position -= 1;
  }
}

async function cutAttributes(text: () => string, tryTo: TryText): Promise<void> {
  for (let position = 0; position < cut(text()).tokens.length; position += 1) {
    for (let number = 0; ; number += 1) {
      const pieces = cut(text());
      const tag = pieces.tokens[position] ?? '';
      const attribute = tag.startsWith('<') ? attributesOf(tag)[number] : undefined;
      if (attribute === undefined) break;
      const { at, length } = attribute;
      const smaller = tag.slice(0, at).trimEnd() + tag.slice(at + length);
      if (await tryTo(replaced(pieces, position, position, smaller))) number -= 1;
    }
  }
}

async function cutBytes(
  best: () => Uint8Array,
  tryTo: (smaller: Uint8Array) => Promise<boolean>,
): Promise<void> {
  for (let size = Math.ceil(best().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best().length;) {
      const bytes = best();
      const smaller = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)]);
      if (!(await tryTo(smaller))) at += size;
    }
  }
}
