/**
 * Reads the journal of an instance of retry-load-package.ts as the story of one run, word by word. There is no other
 * way through the process than the ones below; so a journal that was written twice, or lacks a turn, is no story.
 */
import assert from 'node:assert/strict';
import { ASK_ATTEMPTS, QUOTE_ATTEMPTS } from './retry-load-package.ts';

export interface Entry {
  readonly turn: number | null;
  readonly event: string;
  readonly elementId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Story {
  readonly status: 'running' | 'completed' | 'terminated' | 'failed';
  readonly failureCode: string | null;
  /** The call at which a failed instance stands. */
  readonly failedAt: string | null;
  /** By call: the key of the request whose answer was taken. */
  readonly answeredKeys: ReadonlyMap<string, string>;
}

type CallEnd = 'answered' | 'spent' | 'open' | 'cancelled' | { readonly failedWith: string };

const TERMINAL = 'SUTRA.EXTERNAL_TASK.TERMINAL';
const TIMEOUT = 'SUTRA.CALL.TIMEOUT';
const REFUSED = 'SUTRA.OUTBOX.REFUSED';

/** @throws AssertionError when the entries are no story */
export function readStory(entries: readonly Entry[]): Story {
  const reader = new StoryReader(entries);
  const end = reader.readRun();
  reader.needEnd();
  return { ...end, answeredKeys: reader.answeredKeys };
}

class StoryReader {
  readonly answeredKeys = new Map<string, string>();
  readonly #words: readonly string[];
  #at = 0;

  constructor(entries: readonly Entry[]) {
    const firstKeys = new Map<string | null, string>();
    this.#words = entries
      .filter(({ turn, event }) => turn !== null && event !== 'flowTaken')
      .map((entry) => this.#wordOf(entry, firstKeys));
  }

  readRun(): Omit<Story, 'answeredKeys'> {
    this.#need('started:start', 'messageReceived:start', 'entered:start', 'completed:start');
    const asked = this.#readCall('ask', ASK_ATTEMPTS);
    if (asked !== 'answered') return this.#endWithout(asked, 'ask');
    this.#need('entered:pause');
    if (this.#isCancelledAt('pause')) return over('terminated');
    if (!this.#take('timerFired:pause:event')) return over('running');
    this.#need('completed:pause');
    const quoted = this.#readCall('quote', QUOTE_ATTEMPTS);
    if (quoted !== 'answered') return this.#endWithout(quoted, 'quote');
    const checked = this.#readCall('check', 1);
    if (checked === 'spent') {
      this.#need('interrupted:check', 'entered:spent', 'completed:spent');
      this.#need('entered:given-up', 'completed:given-up', 'ended:completed');
      return over('completed');
    }
    if (checked !== 'answered') return this.#endWithout(checked, 'check');
    this.#need('entered:end', 'completed:end', 'ended:completed');
    return over('completed');
  }

  needEnd(): void {
    assert.equal(this.#at, this.#words.length, `the story goes on after its end: ${this.#told()}`);
  }

  #endWithout(end: Exclude<CallEnd, 'answered'>, call: string): Omit<Story, 'answeredKeys'> {
    if (end === 'cancelled') return over('terminated');
    if (end === 'open') return over('running');
    assert.notEqual(end, 'spent', `only the check may be given up: ${this.#told()}`);
    if (typeof end === 'string') throw new Error(`${call} cannot end as ${end}`);
    if (this.#isCancelledAt(call)) return over('terminated');
    return { status: 'failed', failureCode: end.failedWith, failedAt: call };
  }

  #readCall(call: string, maxAttempts: number): CallEnd {
    this.#need(`entered:${call}`);
    for (let attempt = 1; ; attempt += 1) {
      const nth = `${call}:${String(attempt)}`;
      if (attempt > 1) {
        if (this.#isCancelledAt(call)) return 'cancelled';
        if (!this.#take(`timerFired:${call}:call-retry`)) return 'open';
        this.#need(`attemptStarted:${nth}`);
      }
      this.#need(`sent:${nth}`);
      if (this.#isCancelledAt(call)) return 'cancelled';
      if (this.#take(`errorThrown:${call}:${TERMINAL}`)) return 'spent';
      if (call !== 'quote' && this.#take(`taskCompleted:${call}`)) {
        this.#need(`messageReceived:${nth}`, `completed:${call}`);
        return 'answered';
      }
      if (call === 'quote' && this.#take(`messageReceived:${nth}`)) {
        this.#need(`completed:${call}`);
        return 'answered';
      }
      const code = this.#take(`timerFired:${call}:call-timeout`) ? TIMEOUT : REFUSED;
      if (attempt < maxAttempts) {
        if (!this.#take(`attemptFailed:${nth}:${code}`)) return 'open';
        continue;
      }
      if (!this.#take(`errorThrown:${call}:${code}`)) return 'open';
      const failedWith = code === TIMEOUT ? TIMEOUT : 'SUTRA.CALL.FAILED';
      this.#need(`failed:${call}:${failedWith}`);
      return { failedWith };
    }
  }

  #isCancelledAt(element: string): boolean {
    if (!this.#take('commandReceived')) return false;
    this.#need('cancelled', `interrupted:${element}`, 'ended:terminated');
    return true;
  }

  /** An attempt is told by its key, which is that of the first with its number behind it. */
  #wordOf({ event, elementId, detail }: Entry, firstKeys: Map<string | null, string>): string {
    const element = elementId === null ? '' : `:${elementId}`;
    switch (event) {
      case 'sent':
      case 'messageReceived': {
        const key = detail[event === 'sent' ? 'idempotencyKey' : 'key'];
        if (typeof key !== 'string') return `${event}${element}`;
        const first = firstKeys.get(elementId) ?? key;
        firstKeys.set(elementId, first);
        if (event === 'messageReceived') this.answeredKeys.set(String(elementId), key);
        const attempt = key === first ? '1' : key.startsWith(`${first}.`) ? key.slice(first.length + 1) : key;
        return `${event}${element}:${attempt}`;
      }
      case 'timerFired':
        return `${event}${element}:${String(detail['purpose'])}`;
      case 'attemptFailed':
        return `${event}${element}:${String(detail['attempt'])}:${String(detail['code'])}`;
      case 'attemptStarted':
        return `${event}${element}:${String(detail['attempt'])}`;
      case 'errorThrown':
      case 'failed':
        return `${event}${element}:${String(detail['code'])}`;
      case 'ended':
        return `${event}:${String(detail['status'])}`;
      default:
        return `${event}${element}`;
    }
  }

  #take(word: string): boolean {
    if (this.#words[this.#at] !== word) return false;
    this.#at += 1;
    return true;
  }

  #need(...words: readonly string[]): void {
    for (const word of words) assert.ok(this.#take(word), `${word} was to come: ${this.#told()}`);
  }

  #told(): string {
    return [...this.#words.slice(0, this.#at), '>>>', ...this.#words.slice(this.#at)].join(' ');
  }
}

function over(status: 'running' | 'completed' | 'terminated'): Omit<Story, 'answeredKeys'> {
  return { status, failureCode: null, failedAt: null };
}
