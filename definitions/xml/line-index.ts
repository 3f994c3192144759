/** Offsets in a text to lines and columns, both from 1; columns count characters, not UTF-16 units. */
export class LineIndex {
  /** Offsets at which lines start, ascending. */
  readonly #lineStarts: readonly number[];
  /** Offsets of the second halves of surrogate pairs, ascending: a file on one line must not cost n². */
  readonly #secondHalves: readonly number[];

  constructor(text: string) {
    const lineStarts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
      lineStarts.push(at + 1);
    }
    this.#lineStarts = lineStarts;
    const secondHalves: number[] = [];
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit >= 0xdc00 && unit <= 0xdfff) {
        secondHalves.push(at);
      }
    }
    this.#secondHalves = secondHalves;
  }

  placeAt(offset: number): { readonly line: number; readonly column: number } {
    const line = countUpTo(this.#lineStarts, offset);
    const lineStart = this.#lineStarts[line - 1] ?? 0;
    const pairs = countUpTo(this.#secondHalves, offset) - countUpTo(this.#secondHalves, lineStart);
    return { line, column: offset - lineStart - pairs + 1 };
  }
}

/** How many of the ascending `values` are at most `limit`. */
function countUpTo(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) <= limit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
