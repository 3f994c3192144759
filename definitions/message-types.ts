/** Which message types two `q:source` elements can both take. */
import type { SourceDefinition } from './model.ts';

type MessageType = SourceDefinition['messageType'];

/**
 * True when some message type would reach both at once. Routing tries exact types first, then patterns,
 * then the catch-alls, so only equals compete.
 */
export function messageTypesOverlap(one: MessageType, other: MessageType): boolean {
  if (one.kind === 'exact') return other.kind === 'exact' && one.value === other.value;
  if (one.kind === 'pattern') return other.kind === 'pattern' && patternsOverlap(one.pattern, other.pattern);
  return other.kind === 'any';
}

/**
 * Does any text match both patterns? `*` stands for any run of characters. `reachable[j]` says whether
 * the rest of both patterns, from `i` and `j`, can match one text; computed from the ends.
 */
function patternsOverlap(one: string, other: string): boolean {
  let reachable: boolean[] = [];
  for (let i = one.length; i >= 0; i -= 1) {
    const next = reachable;
    reachable = Array.from({ length: other.length + 1 }, () => false);
    for (let j = other.length; j >= 0; j -= 1) {
      const isOneAtEnd = i === one.length;
      const isOtherAtEnd = j === other.length;
      if (isOneAtEnd && isOtherAtEnd) reachable[j] = true;
      // A star takes nothing (step over it), or whatever the other pattern spells next (stay on it).
      else if (!isOneAtEnd && one[i] === '*') {
        reachable[j] = next[j] === true || (!isOtherAtEnd && reachable[j + 1] === true);
      } else if (!isOtherAtEnd && other[j] === '*') {
        reachable[j] = reachable[j + 1] === true || (!isOneAtEnd && next[j] === true);
      } else {
        reachable[j] = !isOneAtEnd && !isOtherAtEnd && one[i] === other[j] && next[j + 1] === true;
      }
    }
  }
  return reachable[0] === true;
}
