/**
 * A seeded source of random numbers: equal seeds give equal inputs on every machine.
 *
 * Source: sfc32 of PractRand, seeded with FNV-1a of the parts.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** The parts that name the stream, such as the seed, the index and the purpose. */
  constructor(...parts: readonly (string | number)[]) {
    const text = parts.join('\u0000');
    this.#a = hash(text, 0x811c9dc5);
    this.#b = hash(text, this.#a);
    this.#c = hash(text, this.#b);
    for (let round = 0; round < 12; round += 1) this.#next();
  }

  /** A whole number from 0 to `count - 1`; 0 when there is nothing to choose from. */
  below(count: number): number {
    return Math.floor((this.#next() / 0x1_0000_0000) * Math.max(count, 1));
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** Small numbers often, large ones rarely: the magnitudes from `low` to `high` are equally likely. */
  magnitude(low: number, high: number): number {
    return Math.floor(low * (high / low) ** (this.#next() / 0x1_0000_0000));
  }

  chance(probability: number): boolean {
    return this.#next() / 0x1_0000_0000 < probability;
  }

  /** @throws RangeError when the list is empty */
  pick<Item>(list: readonly Item[]): Item {
    const item = list[this.below(list.length)];
    if (item === undefined && list.length === 0) throw new RangeError('there is nothing to pick from');
    return item as Item;
  }

  /** @throws RangeError when no weight is above 0 */
  weighted<Item extends { readonly weight: number }>(list: readonly Item[]): Item {
    let left = this.below(list.reduce((sum, { weight }) => sum + weight, 0));
    for (const item of list) {
      left -= item.weight;
      if (left < 0) return item;
    }
    throw new RangeError('no item has a weight');
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) >>> 0;
    this.#counter = (this.#counter + 1) >>> 0;
    this.#a = (this.#b ^ (this.#b >>> 9)) >>> 0;
    this.#b = (this.#c + (this.#c << 3)) >>> 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0;
    return sum;
  }
}

function hash(text: string, start: number): number {
  let value = start;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
