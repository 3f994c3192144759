/** What a program writes, kept within bounds however much it is. */

/** All that was written, up to a limit. */
export class CappedBytes {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #sizeBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns false once it is over the limit; what came before is let go, too. */
  add(chunk: Uint8Array): boolean {
    this.#sizeBytes += chunk.length;
    if (this.#sizeBytes > this.#maxBytes) {
      this.#chunks.length = 0;
      return false;
    }
    this.#chunks.push(chunk);
    return true;
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}

/** The end of a text, in characters. */
export class TextTail {
  readonly #maxLength: number;
  #text = '';

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  add(text: string): void {
    this.#text += text;
    // Not each time: a flood of short lines would copy the whole for each.
    if (this.#text.length > 2 * this.#maxLength) this.#text = this.text;
  }

  get text(): string {
    return this.#text.slice(-this.#maxLength);
  }
}

const LINE_FEED = 0x0a;

/** Cuts bytes into lines. Of a line that is too long its beginning is given, and it is said so. */
export class Lines {
  readonly #maxBytes: number;
  readonly #onLine: (line: string, isCut: boolean) => void;
  #parts: Uint8Array[] = [];
  #sizeBytes = 0;
  #isOver = false;

  constructor(maxBytes: number, onLine: (line: string, isCut: boolean) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  add(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      this.#keep(chunk.subarray(from, at));
      this.#finish();
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** The last line may lack its end. */
  end(): void {
    if (this.#sizeBytes > 0) this.#finish();
  }

  #keep(part: Uint8Array): void {
    const kept = part.subarray(0, this.#maxBytes - this.#sizeBytes);
    if (kept.length < part.length) this.#isOver = true;
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#sizeBytes += kept.length;
  }

  #finish(): void {
    const text = Buffer.concat(this.#parts).toString('utf8');
    const isOver = this.#isOver;
    this.#parts = [];
    this.#sizeBytes = 0;
    this.#isOver = false;
    this.#onLine(text.endsWith('\r') ? text.slice(0, -1) : text, isOver);
  }
}
