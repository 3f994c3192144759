/** The entries of one turn of a journal as words, read one after the other. */

export interface Entry {
  readonly at: string;
  readonly turn: number | null;
  readonly event: string;
  readonly elementId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export class TurnReader {
  readonly #entries: readonly Entry[];
  #next = 0;

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  get atMs(): number {
    return Date.parse(this.#entries[0]?.at ?? '');
  }

  get isRead(): boolean {
    return this.#next === this.#entries.length;
  }

  /** Of the entry that is read next. */
  get detail(): Entry['detail'] {
    return this.#entries[this.#next]?.detail ?? {};
  }

  get told(): string {
    const words = this.#entries.map(wordOf);
    const place = `turn ${String(this.#entries[0]?.turn)}:`;
    return [place, ...words.slice(0, this.#next), '>>>', ...words.slice(this.#next)].join(' ');
  }

  take(word: string): boolean {
    const entry = this.#entries[this.#next];
    if (entry === undefined || wordOf(entry) !== word) return false;
    this.#next += 1;
    return true;
  }
}

function wordOf({ event, elementId, detail }: Entry): string {
  const element = elementId === null ? event : `${event}:${elementId}`;
  switch (event) {
    case 'timerFired':
      return `${element}:${String(detail['purpose'])}`;
    case 'attemptFailed':
      return `${element}:${String(detail['attempt'])}:${String(detail['code'])}`;
    case 'attemptStarted':
      return `${element}:${String(detail['attempt'])}`;
    case 'errorThrown':
    case 'failed':
      return `${element}:${String(detail['code'])}`;
    case 'ended':
      return `${event}:${String(detail['status'])}`;
    case 'elementMigrated':
      return `${element}>${String(detail['to'])}`;
    default:
      return element;
  }
}
