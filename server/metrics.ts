/**
 * Metrics: one table of all names, and the `Meter` that the engine's parts write to.
 *
 * M1 A name or label that the table does not hold is a fault of ours: it throws when `isStrict`, and is
 *    logged once and dropped otherwise, because a metric must not fail the work it counts.
 * M2 Each server has its own registry, so that several engines in one process do not mix.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Log, Meter } from '../engine/observe.ts';
import { InvariantError } from '../engine/core/invariant-error.ts';
import { metricTable, type MetricName, type MetricRow } from './metric-table.ts';

export interface Metrics {
  readonly meter: Meter;
  /** The Prometheus text format. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface MetricsOptions {
  readonly log: Log;
  /** Default: false. Tests set it. */
  readonly isStrict?: boolean;
  /** CPU, memory, event loop and garbage collection of the process. Default: true. */
  readonly hasProcessMetrics?: boolean;
}

type Labels = Readonly<Record<string, string>>;

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  if (options.hasProcessMetrics ?? true) collectDefaultMetrics({ register: registry });
  return {
    meter: new TableMeter(registry, options),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/**
 * A metric and its children, one for each combination of label values: the library hashes and checks the labels of
 * every write, which costs a request more than all else that is counted for it.
 */
class Family<Metric extends { labels(labels: Labels): Child }, Child> {
  readonly #metric: Metric;
  readonly #labelNames: readonly string[];
  /** As many as there are combinations, which the table keeps few. */
  readonly #children = new Map<string, Child>();
  /** Frozen labels are somebody's constants, and found by themselves. */
  readonly #ofConstants = new WeakMap<Labels, Child>();

  constructor(metric: Metric, labelNames: readonly string[]) {
    this.#metric = metric;
    this.#labelNames = labelNames;
  }

  /** @throws Error for a label that was not declared. */
  child(labels: Labels): Child {
    const constant = this.#ofConstants.get(labels);
    if (constant !== undefined) return constant;
    const child = this.#found(labels);
    if (Object.isFrozen(labels)) this.#ofConstants.set(labels, child);
    return child;
  }

  #found(labels: Labels): Child {
    let key = '';
    for (const name in labels) key += `${name}\0${labels[name] ?? ''}\0`;
    const known = this.#children.get(key);
    if (known !== undefined) return known;
    const unknown = Object.keys(labels).find((name) => !this.#labelNames.includes(name));
    if (unknown !== undefined) throw new InvariantError(`label ${unknown} is not in the table`);
    const child = this.#metric.labels(labels);
    this.#children.set(key, child);
    return child;
  }
}

class TableMeter implements Meter {
  readonly #counters = new Map<string, Family<Counter, Counter.Internal>>();
  readonly #histograms = new Map<string, Family<Histogram, Histogram.Internal<string>>>();
  readonly #readings = new Map<string, () => number>();
  readonly #reported = new Set<string>();
  readonly #options: MetricsOptions;

  constructor(registry: Registry, options: MetricsOptions) {
    this.#options = options;
    for (const [name, row] of Object.entries<MetricRow>(metricTable)) this.#register(registry, name, row);
  }

  add(name: string, amount: number, labels: Labels = {}): void {
    const counter = this.#counters.get(name);
    if (counter === undefined) this.#reject(name, 'is not a counter of the table');
    else this.#guard(name, () => counter.child(labels).inc(amount));
  }

  record(name: string, value: number, labels: Labels = {}): void {
    const histogram = this.#histograms.get(name);
    if (histogram === undefined) this.#reject(name, 'is not a histogram of the table');
    else this.#guard(name, () => histogram.child(labels).observe(value));
  }

  gauge(name: string, read: () => number): void {
    if (Object.hasOwn(metricTable, name) && metricTable[name as MetricName].kind === 'gauge') {
      this.#readings.set(name, read);
    } else {
      this.#reject(name, 'is not a gauge of the table');
    }
  }

  #register(registry: Registry, name: string, row: MetricRow): void {
    const registers = [registry];
    switch (row.kind) {
      case 'counter': {
        const counter = new Counter({ name, help: row.help, labelNames: [...row.labels], registers });
        this.#counters.set(name, new Family(counter, row.labels));
        return;
      }
      case 'histogram': {
        const { help, labels, buckets } = row;
        const histogram = new Histogram({
          name,
          help,
          labelNames: [...labels],
          buckets: [...buckets],
          registers,
        });
        this.#histograms.set(name, new Family(histogram, labels));
        return;
      }
      case 'gauge': {
        const read = (): number | null => this.#readings.get(name)?.() ?? null;
        new Gauge({
          name,
          help: row.help,
          registers,
          collect() {
            const value = read();
            if (value === null) this.reset();
            else this.set(value);
          },
        });
      }
    }
  }

  /** The library throws for a label that was not declared, or a value that is no number. */
  #guard(name: string, write: () => void): void {
    try {
      write();
    } catch {
      this.#reject(name, 'was written with a label or value that the table does not allow');
    }
  }

  #reject(name: string, reason: string): void {
    if (this.#options.isStrict === true) throw new InvariantError(`metric ${name} ${reason}`);
    if (this.#reported.has(name) || this.#reported.size > 1_000) return;
    this.#reported.add(name);
    this.#options.log.warn('metrics.unknown', { metric: name, reason });
  }
}
