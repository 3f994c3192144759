/**
 * Follows the journal of an order of mix-package.ts turn by turn, and so knows where it is and what it waits for. Each
 * turn must be one that was possible then, word for word: one that is written twice, lacks something or comes too soon
 * is none. Operators may come in at any time, so there is no one story.
 */
import assert from 'node:assert/strict';
import { type Entry, TurnReader } from './mix-turn.ts';
import { hasWeight, NUDGES, PACK_OF, PICK_ATTEMPTS, type Version } from './mix-package.ts';

/** Something that is waited for, as operators see it: kind, element, purpose or attempt, due time or key. */
export type SeenWait = readonly [string, string, string | number, string];

export interface OrderFacts {
  readonly id: string;
  readonly n: number;
  /** The deployment in which it began. */
  readonly deploymentId: string;
  readonly versionOf: (deploymentId: string) => Version;
}

const TIMEOUT = 'SUTRA.CALL.TIMEOUT';
const NO_WAY = 'SUTRA.CORE.NO_FLOW_TAKEN';
const NUDGE_MS = 500;
const OVERDUE_MS = 1_200;
const PICK_TIMEOUT_MS = 800;

interface Call {
  readonly firstKey: string;
  readonly attempt: number;
  /** Null: the attempt waits for its answer; else the next is made then. */
  readonly retryAtMs: number | null;
  readonly timeoutAtMs: number | null;
}

export class MixReplay {
  status: 'running' | 'failed' | 'completed' | 'terminated' = 'running';
  failureCode: string | null = null;
  deploymentId: string;
  /** Where its token is. */
  at: string | null = null;
  nudges = 0;
  books = 0;
  /** What operators did, and how often. */
  readonly deeds = new Map<string, number>();
  /** Variables that operators wrote. */
  readonly written = new Set<string>();
  /** By element: the key of the answer that was taken last. */
  readonly answers = new Map<string, string>();
  /** Of answers that were taken, in order. */
  readonly answeredKeys: string[] = [];
  /** By key: what was sent to the peer. */
  readonly notices = new Map<string, string>();
  /** What is to be seen at least once in some order. */
  readonly sights = new Set<string>();
  readonly #facts: OrderFacts;
  readonly #keys = new Set<string>();
  #call: Call | null = null;
  #nudge: { readonly left: number; readonly dueAtMs: number } | null = null;
  #overdueAtMs: number | null = null;
  #turn = new TurnReader([]);

  constructor(facts: OrderFacts) {
    this.#facts = facts;
    this.deploymentId = facts.deploymentId;
  }

  /** @throws AssertionError when they are no journal of an order */
  follow(entries: readonly Entry[]): void {
    const turns = new Map<number, Entry[]>();
    for (const entry of entries) {
      if (entry.turn === null || entry.event === 'flowTaken') continue;
      turns.set(entry.turn, [...(turns.get(entry.turn) ?? []), entry]);
    }
    for (const turn of turns.values()) {
      this.#turn = new TurnReader(turn);
      this.#follow();
      assert.ok(this.#turn.isRead, `more than can be: ${this.#told()}`);
    }
  }

  get waits(): readonly SeenWait[] {
    if (this.status !== 'running' || this.at === null) return [];
    const waits: SeenWait[] = [];
    const call = this.#call;
    if (call?.retryAtMs === null) waits.push(['call', this.at, call.attempt, keyOf(call)]);
    const timer = (element: string, purpose: string, dueAtMs: number | null): void => {
      if (dueAtMs !== null) waits.push(['timer', element, purpose, new Date(dueAtMs).toISOString()]);
    };
    timer(this.at, 'call-timeout', call?.retryAtMs === null ? call.timeoutAtMs : null);
    timer(this.at, 'call-retry', call?.retryAtMs ?? null);
    timer('nudge', 'event', this.#nudge?.dueAtMs ?? null);
    timer('overdue', 'event', this.#overdueAtMs);
    return waits;
  }

  /** The key under which a request is out. */
  get openKey(): string | null {
    return this.#call?.retryAtMs === null ? keyOf(this.#call) : null;
  }

  get #pack(): string {
    return PACK_OF[this.#facts.versionOf(this.deploymentId)];
  }

  #follow(): void {
    assert.ok(this.status === 'running' || this.status === 'failed', `after the end: ${this.#told()}`);
    if (this.at === null) {
      this.#need('started:start', 'messageReceived:start', 'entered:start', 'completed:start');
      this.#arrive('pick');
    } else if (!this.#followOperator()) {
      assert.equal(this.status, 'running', `nothing but operators acts when it has failed: ${this.#told()}`);
      if (!this.#followTimer()) this.#followAnswer();
    }
  }

  // --- what operators do -----------------------------------------------------------------------------

  #followOperator(): boolean {
    const { command } = this.#turn.detail;
    if (!this.#turn.take('commandReceived')) return false;
    const { from, to, names } = this.#turn.detail;
    const at = this.at ?? '';
    switch (command) {
      case 'setVariables':
        this.#done('variablesSet', `variablesSet:${String(names)}`);
        this.written.add(String(names));
        break;
      case 'retry':
        assert.equal(this.status, 'failed', this.#told());
        this.#done(`retried:${at}`, 'retried');
        this.#arrive(at);
        break;
      case 'move':
        this.#done(`moved:${at}`, `moved:${String(from)}>${String(to)}`);
        this.#arrive(String(to));
        break;
      case 'migrate':
        this.#done('migrated', `migrated:${String(to)}`);
        this.#migrate(String(from), String(to));
        break;
      case 'cancel':
        this.#done('cancelled', 'cancelled');
        this.#need(`interrupted:${at}`, 'ended:terminated');
        this.#end('terminated');
        break;
      default:
        assert.fail(`nobody gives this command: ${this.#told()}`);
    }
    return true;
  }

  #migrate(from: string, to: string): void {
    assert.equal(from, this.deploymentId, `it is not where it was migrated from: ${this.#told()}`);
    assert.notEqual(to, from, this.#told());
    const [before, what] = [this.#pack, this.status === 'failed' ? 'failed' : this.#call?.retryAtMs];
    this.deploymentId = to;
    if (this.at === before) {
      this.#need(`elementMigrated:${before}>${this.#pack}`);
      this.at = this.#pack;
      this.sights.add('migratedRenamed');
    } else if (what === 'failed') this.sights.add('migratedFailed');
    else if (typeof what === 'number') this.sights.add('migratedBeforeRetry');
    else this.sights.add(this.#nudge === null ? 'migrated' : 'migratedInCycle');
  }

  #done(word: string, deed: string): void {
    this.#need(word);
    this.deeds.set(deed, (this.deeds.get(deed) ?? 0) + 1);
  }

  // --- what happens by itself --------------------------------------------------------------------------

  #followTimer(): boolean {
    if (this.#turn.take('timerFired:nudge:event')) this.#followNudge();
    else if (this.#turn.take('timerFired:overdue:event')) {
      this.#due(this.#overdueAtMs);
      this.#need('interrupted:ship', 'entered:overdue', 'completed:overdue', 'entered:complain');
      this.#notice('complain', 'late');
      this.#need('completed:complain');
      this.#arrive(this.#pack);
    } else if (this.#turn.take('timerFired:pick:call-retry')) this.#followRetry();
    else if (this.#turn.take('timerFired:pick:call-timeout')) this.#followTimeout();
    else return false;
    return true;
  }

  #followNudge(): void {
    const nudge = this.#nudge;
    assert.ok(nudge !== null, `there was no other nudge: ${this.#told()}`);
    this.#due(nudge.dueAtMs);
    this.#need('entered:nudge', 'completed:nudge', 'entered:nudged', 'completed:nudged');
    this.#need('entered:nudge-end', 'completed:nudge-end');
    this.nudges += 1;
    // Those that passed while nobody was there are not made up for.
    const passed = Math.floor((this.#turn.atMs - nudge.dueAtMs) / NUDGE_MS) + 1;
    const left = nudge.left - passed;
    this.#nudge = left > 0 ? { left, dueAtMs: nudge.dueAtMs + passed * NUDGE_MS } : null;
    if (nudge.left < NUDGES) this.sights.add('cycled');
  }

  #followRetry(): void {
    const call = this.#call;
    assert.ok(call !== null, this.#told());
    this.#due(call.retryAtMs);
    const attempt = call.attempt + 1;
    this.#need(`attemptStarted:pick:${String(attempt)}`);
    this.#call = { ...call, attempt, retryAtMs: null, timeoutAtMs: this.#turn.atMs + PICK_TIMEOUT_MS };
    this.#sent('pick', keyOf(this.#call));
  }

  #followTimeout(): void {
    const call = this.#call;
    assert.ok(call?.retryAtMs === null, this.#told());
    this.#due(call.timeoutAtMs);
    if (call.attempt < PICK_ATTEMPTS) {
      const retryAtMs = Number(this.#turn.detail['dueAtMs']);
      this.#need(`attemptFailed:pick:${String(call.attempt)}:${TIMEOUT}`);
      this.#call = { ...call, retryAtMs };
    } else {
      this.#need(`errorThrown:pick:${TIMEOUT}`);
      this.#fail('pick', TIMEOUT);
    }
  }

  #followAnswer(): void {
    const at = this.at ?? '';
    const call = this.#call;
    assert.ok(call?.retryAtMs === null, `no answer is waited for: ${this.#told()}`);
    this.#need(`taskCompleted:${at}`);
    const key = this.#turn.detail['key'];
    assert.equal(key, keyOf(call), `the answer is that of the attempt under way: ${this.#told()}`);
    this.#need(`messageReceived:${at}`, `completed:${at}`);
    this.answers.set(at === 'wrap' ? 'pack' : at, keyOf(call));
    this.answeredKeys.push(keyOf(call));
    if (at === 'pick') this.#arrive('gate');
    else if (at === 'ship') this.#arrive(this.#pack);
    else this.#sell();
  }

  #sell(): void {
    this.#need('entered:book', 'completed:book', 'entered:tell');
    this.books += 1;
    this.#notice('tell', 'sold');
    this.#need('completed:tell', 'entered:end', 'completed:end', 'ended:completed');
    this.#end('completed');
  }

  #end(status: 'completed' | 'terminated'): void {
    this.#leave();
    this.status = status;
    this.failureCode = null;
    this.at = null;
  }

  #arrive(element: string): void {
    this.#leave();
    this.status = 'running';
    this.failureCode = null;
    this.at = element;
    if (element === 'gate') {
      if (hasWeight(this.#facts.n) || this.written.has('weight')) this.#arrive('ship');
      else this.#fail('gate', NO_WAY);
      return;
    }
    this.#need(`entered:${element}`);
    const firstKey = String(this.#turn.detail['idempotencyKey']);
    assert.match(firstKey, /:call-\d+$/);
    const timeoutAtMs = element === 'pick' ? this.#turn.atMs + PICK_TIMEOUT_MS : null;
    this.#call = { firstKey, attempt: 1, retryAtMs: null, timeoutAtMs };
    this.#sent(element, firstKey);
    if (element === 'pick') this.#nudge = { left: NUDGES, dueAtMs: this.#turn.atMs + NUDGE_MS };
    if (element === 'ship') this.#overdueAtMs = this.#turn.atMs + OVERDUE_MS;
  }

  /** Nothing is left of what was waited for. */
  #leave(): void {
    this.#call = null;
    this.#nudge = null;
    this.#overdueAtMs = null;
  }

  #fail(element: string, code: string): void {
    this.#need(`failed:${element}:${code}`);
    this.#leave();
    this.at = element;
    this.status = 'failed';
    this.failureCode = code;
    this.sights.add(code);
  }

  #notice(element: string, what: string): void {
    const key = String(this.#turn.detail['idempotencyKey']);
    this.#sent(element, key);
    this.notices.set(key, JSON.stringify({ n: this.#facts.n, what }));
  }

  #sent(element: string, key: string): void {
    assert.equal(this.#turn.detail['idempotencyKey'], key, this.#told());
    assert.ok(key.startsWith(`${this.#facts.id}:`) && !this.#keys.has(key), `${key} is a new key of its own`);
    this.#keys.add(key);
    this.#need(`sent:${element}`);
  }

  // --- words -------------------------------------------------------------------------------------------

  #due(dueAtMs: number | null): void {
    assert.ok(dueAtMs !== null && dueAtMs <= this.#turn.atMs, `it was not due: ${this.#told()}`);
  }

  #need(...words: readonly string[]): void {
    for (const word of words) assert.ok(this.#turn.take(word), `${word} was to come: ${this.#told()}`);
  }

  #told(): string {
    return `${this.#facts.id}, ${this.status} at ${String(this.at)}: ${this.#turn.told}`;
  }
}

function keyOf({ firstKey, attempt }: Call): string {
  return attempt === 1 ? firstKey : `${firstKey}.${String(attempt)}`;
}
