/**
 * What senders and workers of one scenario were told: the orders with their instances, and each run of the handler with
 * the one thing that became of it.
 */
import type { Worker } from '../../worker/index.ts';
import type { OrderKind } from './worker-package.ts';

/**
 * `accepted`: the result or the BPMN error is the instance's, the worker was told. `failed`: the failure was taken.
 * `lost`: the lock was, or may be, somebody else's; whether the server has taken what was said last is not known.
 */
export type RunOutcome = 'accepted' | 'failed' | 'lost';

export interface Run {
  readonly n: number;
  readonly kind: OrderKind;
  readonly taskId: string;
  readonly attempts: number;
  /** Of this run alone; it is in what the run answers. */
  readonly mark: string;
  outcome: RunOutcome | null;
}

export class WorkerLedger {
  /** By number: the kind, and the instances that the engine named. More than one would be a duplicate. */
  readonly orders = new Map<number, { readonly kind: OrderKind; readonly instanceIds: Set<string> }>();
  readonly runs: Run[] = [];
  /** What the worker said that cannot be: an end of no run, or a second one. */
  readonly oddities: string[] = [];
  readonly #byAttempt = new Map<string, Run>();

  noteOrder(n: number, kind: OrderKind, instanceId: string): void {
    const order = this.orders.get(n) ?? { kind, instanceIds: new Set() };
    order.instanceIds.add(instanceId);
    this.orders.set(n, order);
  }

  begin(
    task: { readonly id: string; readonly attempts: number },
    order: { readonly n: number; readonly kind: OrderKind },
    mark = `${keyOf(task)}/${String(Math.random())}`,
  ): Run {
    const key = keyOf(task);
    const run: Run = {
      n: order.n,
      kind: order.kind,
      taskId: task.id,
      attempts: task.attempts,
      mark,
      outcome: null,
    };
    if (this.#byAttempt.has(key)) this.oddities.push(`attempt ${key} is worked at twice`);
    this.#byAttempt.set(key, run);
    this.runs.push(run);
    return run;
  }

  end(task: { readonly id: string; readonly attempts: number }, outcome: RunOutcome): void {
    const run = this.#byAttempt.get(keyOf(task));
    if (run === undefined) this.oddities.push(`${outcome}: attempt ${keyOf(task)} was never worked at`);
    else if (run.outcome !== null)
      this.oddities.push(`${outcome}: attempt ${keyOf(task)} was ${run.outcome} already`);
    else run.outcome = outcome;
  }

  /** Runs of the number so far. */
  runsOf(n: number): readonly Run[] {
    return this.runs.filter((run) => run.n === n);
  }
}

/** What an event of a worker says about a run. */
export function outcomeOf(event: 'completed' | 'failed' | 'lock-lost', told: object): RunOutcome {
  if (event === 'completed') return 'accepted';
  const isKnown = !('status' in told && told.status === 'UNKNOWN');
  return event === 'failed' && isKnown ? 'failed' : 'lost';
}

/** Ends runs as the worker says. */
export function followWorker(worker: Worker, ledger: WorkerLedger): void {
  for (const name of ['completed', 'failed', 'lock-lost'] as const) {
    worker.on(name, (event) => ledger.end(event.task, outcomeOf(name, event)));
  }
}

function keyOf({ id, attempts }: { readonly id: string; readonly attempts: number }): string {
  return `${id}#${String(attempts)}`;
}
