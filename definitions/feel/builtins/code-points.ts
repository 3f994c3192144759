/** Texts by their Unicode code points: what FEEL calls characters. Half of a surrogate pair alone counts as one. */

const SURROGATE_BITS = 0xfc00;
const HIGH_SURROGATE = 0xd800;
const LOW_SURROGATE = 0xdc00;

export function codePointCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) if (isPairAt(text, at)) count -= 1;
  return count;
}

/** The offset `count` code points after `start`, or the end of the text. */
export function offsetAfter(text: string, start: number, count: number): number {
  let at = start;
  for (let left = count; left > 0 && at < text.length; left -= 1) at += isPairAt(text, at) ? 2 : 1;
  return at;
}

function isPairAt(text: string, at: number): boolean {
  return (
    (text.charCodeAt(at) & SURROGATE_BITS) === HIGH_SURROGATE &&
    (text.charCodeAt(at + 1) & SURROGATE_BITS) === LOW_SURROGATE
  );
}
