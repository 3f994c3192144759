/** The known name that was probably meant, for messages about unknown ones. */

/** Longer names are not compared: nobody misspells one, and the comparison is quadratic. */
const MAX_LENGTH = 64;

/** The nearest of `known` within a third of the name's letters, at least two of four or more; else null. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  if (name.length > MAX_LENGTH) {
    return null;
  }
  const limit = Math.max(name.length < 4 ? 1 : 2, Math.floor(name.length / 3));
  let nearest: string | null = null;
  let nearestDistance = limit + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > limit) {
      continue;
    }
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < nearestDistance) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
