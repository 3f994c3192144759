/** The known name that was probably meant, for messages about unknown ones. */
import { editDistance } from '../config/nearest.ts';

/** Longer names are not compared: nobody misspells one, and the comparison is quadratic. */
const MAX_LENGTH = 64;
/** Names that are compared with one: 15 ms for the longest. Only a file made to cost has so many. */
const MAX_COMPARED = 500;

/** The nearest of `known` within a third of the name's letters, at least two of four or more; else null. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  if (name.length > MAX_LENGTH) {
    return null;
  }
  const limit = Math.max(name.length < 4 ? 1 : 2, Math.floor(name.length / 3));
  let nearest: string | null = null;
  let nearestDistance = limit + 1;
  let comparedCount = 0;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > limit) {
      continue;
    }
    comparedCount += 1;
    if (comparedCount > MAX_COMPARED) {
      break;
    }
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < nearestDistance) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest;
}
