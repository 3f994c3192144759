/**
 * One fault, on one call after the other, between a worker of the SDK and an engine: a window for each call, in which
 * orders come that make the worker use it. After each window the worker must be polling again in time.
 */
import assert from 'node:assert/strict';
import {
  BpmnError,
  CallError,
  NonRetryableError,
  RetryableError,
  Worker,
  type Task,
  type TaskContext,
} from '../../worker/index.ts';
import { pause } from '../support/fault-load.ts';
import { FaultProxy, callKinds, type CallKind } from '../support/fault-proxy.ts';
import type { FaultName } from '../support/fault-proxy-faults.ts';
import type { RetryLoadClient } from '../support/retry-load-client.ts';
import { followWorker, WorkerLedger } from './worker-ledger.ts';
import {
  channelOf,
  orderKinds,
  ordersPathOf,
  REFUSED_CODE,
  type Order,
  type OrderKind,
} from './worker-package.ts';
import { isReachedInTime } from './worker-tempo.ts';

/** Long enough for a worker that backs off to be struck several times, and for locks to run out that are not extended. */
const WINDOW_MS = 1_200;
const CONCURRENCY = 8;
const LOCK_DURATION = 'PT3S';
/** Of who leaves: a machine that is late with extending must not take from it what it is to give back. */
const LEAVING_LOCK_DURATION = 'PT8S';
/** More than a third of the lock, less than the time in which a worker must poll: it does so only with a slot free. */
const LONG_MS = 1_200;
const SENDERS = 4;

/** By window: the calls that are struck, and the kinds of orders that need them. */
const windows = {
  unlock: [['unlock'], ['left']],
  fetch: [['fetch'], ['plain']],
  complete: [['complete'], ['plain', 'noted']],
  failure: [['failure'], ['retried', 'given-up']],
  'bpmn-error': [['bpmn-error'], ['refused']],
  progress: [['progress'], ['noted']],
  'extend-lock': [['extend-lock'], ['extended', 'long']],
  all: [callKinds, orderKinds.filter((kind) => kind !== 'left')],
} satisfies Readonly<Record<string, readonly [readonly CallKind[], readonly OrderKind[]]>>;
type Window = keyof typeof windows;
export const windowNames = Object.keys(windows) as readonly Window[];

export interface ScenarioOptions {
  readonly fault: FaultName;
  readonly engineUrl: string;
  /** Straight to the engine: those who send orders have no faults. */
  readonly client: RetryLoadClient;
  /** In each of the windows. */
  readonly orderCount: number;
}

export class WorkerScenario {
  readonly ledger = new WorkerLedger();
  readonly #options: ScenarioOptions;
  readonly #workers: Worker[] = [];
  /** What the workers logged; a test that fails shows the end of it. */
  readonly #log: string[] = [];
  #proxy: FaultProxy | null = null;
  #isLeaving = true;

  constructor(options: ScenarioOptions) {
    this.#options = options;
  }

  get told(): string {
    return this.#log.slice(-40).join('\n');
  }

  async run(): Promise<void> {
    const proxy = (this.#proxy = await FaultProxy.start(this.#options.engineUrl));
    await this.#leave(proxy);
    const worker = this.#newWorker(proxy, 'PT10S', LOCK_DURATION);
    await worker.start();
    for (const window of windowNames) {
      if (window === 'unlock') continue;
      this.#note(`window ${window}`);
      await this.#strike(proxy, window, () => this.#send(window));
      await proxy.calm();
      const calmAt = performance.now();
      this.#note('calm');
      const isPolling = await isReachedInTime(() => proxy.hasPolledSince(calmAt), this.#options.engineUrl);
      assert.ok(
        isPolling,
        `polls again within 2 s of the end of ${this.#options.fault} on ${window}\n${this.told}`,
      );
    }
  }

  /** Once every order has ended: the worker drains, and what became of each run is known. */
  async stop(): Promise<void> {
    for (const worker of this.#workers) await worker.stop();
    await this.#proxy?.stop();
  }

  /** A worker that has tasks which do not end is stopped while it cannot give them back. */
  async #leave(proxy: FaultProxy): Promise<void> {
    const leaving = this.#newWorker(proxy, 'PT0.1S', LEAVING_LOCK_DURATION);
    await leaving.start();
    await this.#send('unlock');
    const hasTaken = (): boolean => this.ledger.runs.length >= CONCURRENCY;
    assert.ok(await isReachedInTime(hasTaken, this.#options.engineUrl, 20), `takes tasks\n${this.told}`);
    let hasStopped = false;
    let stopping = Promise.resolve();
    await this.#strike(proxy, 'unlock', async () => {
      stopping = leaving.stop().finally(() => (hasStopped = true));
    });
    await proxy.calm();
    const isInTime = await isReachedInTime(() => hasStopped, this.#options.engineUrl);
    assert.ok(isInTime, `stops within 2 s of the end of ${this.#options.fault} on unlock\n${this.told}`);
    await stopping;
    this.#isLeaving = false;
  }

  /** Resolves while the fault is still there, when it has struck what the worker did about `work`. */
  async #strike(proxy: FaultProxy, window: Window, work: () => Promise<void>): Promise<void> {
    const { fault, engineUrl } = this.#options;
    const [calls] = windows[window];
    const struck = (): number => calls.reduce((sum, call) => sum + proxy.struckCount(call), 0);
    const before = struck();
    proxy.strike(fault, calls);
    await work();
    await pause(WINDOW_MS);
    // Nobody can count whom a closed door has turned away.
    const hasStruck = (): boolean => fault === 'refused' || struck() > before;
    assert.ok(await isReachedInTime(hasStruck, engineUrl, 20), `${fault} has struck ${window}\n${this.told}`);
  }

  async #send(window: Window): Promise<void> {
    const { client, fault, orderCount } = this.#options;
    const [, kinds] = windows[window];
    const first = windowNames.indexOf(window) * orderCount;
    const left = Array.from({ length: orderCount }).keys();
    const send = async (): Promise<void> => {
      for (const index of left) {
        const n = first + index;
        // Long ones take up slots: never all of them.
        const wanted = kinds[index % kinds.length] ?? 'plain';
        const kind = wanted === 'long' && index % CONCURRENCY !== 1 ? 'extended' : wanted;
        const { answer } = await client.insist('POST', ordersPathOf(fault), { n, kind } satisfies Order);
        assert.equal(answer.status, 202, JSON.stringify(answer));
        this.ledger.noteOrder(n, kind, String(answer.body['instanceId']));
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, send));
  }

  #note(line: string): void {
    this.#log.push(`${performance.now().toFixed(0)} ${line}`);
  }

  #newWorker(proxy: FaultProxy, drainTimeout: string, lockDuration: string): Worker {
    const worker = new Worker({
      baseUrl: proxy.url,
      concurrency: CONCURRENCY,
      lockDuration,
      drainTimeout,
      channels: {
        [channelOf(this.#options.fault)]: (task: Task, context: TaskContext) => this.#handle(task, context),
      },
      log: (line) => this.#note(line),
    });
    followWorker(worker, this.ledger);
    this.#workers.push(worker);
    return worker;
  }

  async #handle(task: Task, context: TaskContext): Promise<unknown> {
    const order = task.body as Order;
    const run = this.ledger.begin(task, order);
    const answer = { n: order.n, mark: run.mark };
    switch (order.kind) {
      case 'plain':
        return answer;
      case 'retried':
        if (this.ledger.runsOf(order.n).length > 1) return answer;
        throw new RetryableError('not today', { retryAfter: 'PT0.1S' });
      case 'noted':
        // A note that does not get through is no reason to do the work again.
        await context.progress({ n: order.n }).catch((error: unknown) => {
          if (!(error instanceof CallError)) throw error;
        });
        return answer;
      case 'extended':
        await context.extend(LOCK_DURATION);
        return answer;
      case 'long':
        await pause(LONG_MS);
        return answer;
      case 'refused':
        throw new BpmnError(REFUSED_CODE, { mark: run.mark });
      case 'given-up':
        throw new NonRetryableError('not ever');
      case 'left':
        if (this.#isLeaving) await aborted(context.signal);
        return answer;
    }
  }
}

/** Rejects with the reason. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
