/**
 * Reading with the library no further than there is sense.
 *
 * After a mistake the library goes on: it tries what the author may have meant, at every character that follows. Of
 * 6,000 hostile ones that takes seconds. Only the first mistake is ever told, so it is kept from going on.
 */
import type { parser } from 'lezer-feel';
import type { SyntaxTree } from './parse-nodes.ts';

/** Characters behind a mistake that the library may look at: they tell it what is missing. */
const LOOK_BEHIND = 200;

/** What the library throws at a mistake when it is strict. */
const NO_PARSE = /^No parse at (\d+)$/;

/**
 * The tree of a text; of one with mistakes that of its beginning, with the first of them.
 * @param read configured, but for being strict
 */
export function parseToFirstFault(read: typeof parser, text: string): SyntaxTree {
  const at = mistakeIn(read, text);
  if (typeof at !== 'number') return at;
  const rest = text.slice(at);
  const spaceLength = rest.length - rest.trimStart().length;
  const beginning = read.parse(text.slice(0, at + spaceLength + LOOK_BEHIND));
  // A tree without a mistake would pass for one of the whole text.
  return hasMistake(beginning) ? beginning : read.parse(text);
}

function hasMistake(tree: SyntaxTree): boolean {
  let isFound = false;
  tree.iterate({
    enter({ type }) {
      isFound ||= type.isError;
      return !isFound;
    },
  });
  return isFound;
}

/** The tree, or where it cannot be read on. */
function mistakeIn(read: typeof parser, text: string): SyntaxTree | number {
  try {
    return read.configure({ strict: true }).parse(text);
  } catch (error) {
    const at = error instanceof SyntaxError ? NO_PARSE.exec(error.message)?.[1] : undefined;
    if (at === undefined) throw error;
    return Number(at);
  }
}
