/** What was measured, round by round, and how it is shown. */
import { median, type PickUp, type Throughput } from './peer.ts';

/** One turn of one peer. */
export interface Turn {
  /** By the number of workers. */
  readonly throughput: Record<string, Throughput>;
  oneAtATime?: Throughput;
  pickUp?: PickUp | null;
}

export type Results = Readonly<Record<string, readonly Turn[]>>;

const US = 'sutra';

/** The figures a turn gives, by what they are called in the table. */
function figuresOf(turn: Turn): Readonly<Record<string, number>> {
  const figures: Record<string, number> = {};
  const rates = Object.entries(turn.throughput);
  for (const [workers, { perSecond }] of rates) figures[`${workers} w`] = perSecond;
  if (rates.length > 0) figures['best'] = Math.max(...rates.map(([, { perSecond }]) => perSecond));
  if (turn.oneAtATime !== undefined) figures['one at a time'] = turn.oneAtATime.perSecond;
  const { pickUp } = turn;
  if (pickUp !== undefined && pickUp !== null) {
    figures['commit p50'] = pickUp.afterCommitMs.p50;
    figures['commit p99'] = pickUp.afterCommitMs.p99;
    figures['request p50'] = pickUp.afterRequestMs.p50;
    figures['request p99'] = pickUp.afterRequestMs.p99;
  }
  return figures;
}

/** Medians over the rounds. `best` is the better of the medians, not the median of the bests. */
export function mediansOf(turns: readonly Turn[]): Readonly<Record<string, number>> {
  const medians: Record<string, number> = {};
  for (const key of Object.keys(turns[0] === undefined ? {} : figuresOf(turns[0]))) {
    medians[key] = median(turns.map((turn) => figuresOf(turn)[key] ?? Number.NaN));
  }
  const rates = Object.keys(turns[0]?.throughput ?? {}).map((workers) => medians[`${workers} w`] ?? 0);
  if (rates.length > 0) medians['best'] = Math.max(...rates);
  return medians;
}

/** Ours over the peer's, of `best` and of `one at a time`; and least and most of the single rounds. */
export function ratiosOf(results: Results): Readonly<Record<string, Record<string, string>>> {
  const ours = results[US];
  if (ours === undefined) return {};
  const ratios: Record<string, Record<string, string>> = {};
  for (const [name, turns] of Object.entries(results)) {
    if (name === US) continue;
    ratios[name] = {};
    for (const key of ['best', 'one at a time']) {
      const ratio = (mediansOf(ours)[key] ?? Number.NaN) / (mediansOf(turns)[key] ?? Number.NaN);
      const single = turns.map(
        (turn, round) =>
          (figuresOf(ours[round] ?? turn)[key] ?? Number.NaN) / (figuresOf(turn)[key] ?? Number.NaN),
      );
      if (Number.isNaN(ratio)) continue;
      ratios[name][key] =
        `${ratio.toFixed(2)} (${Math.min(...single).toFixed(2)}..${Math.max(...single).toFixed(2)})`;
    }
  }
  return ratios;
}

function commitsOf(turns: readonly Turn[]): string {
  return Object.keys(turns[0]?.throughput ?? {})
    .map((workers) => {
      const known = turns.map((turn) => turn.throughput[workers]?.commitsPerUnit ?? Number.NaN);
      return known.some(Number.isNaN) ? '-' : median(known).toFixed(2);
    })
    .join('  ');
}

/** Milliseconds of processor time for a unit, at each concurrency: server / PostgreSQL / clients. */
function cpuOf(turns: readonly Turn[]): string {
  const part = (values: readonly (number | null)[]): string => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? '-' : median(known).toFixed(2);
  };
  return Object.keys(turns[0]?.throughput ?? {})
    .map((workers) => {
      const all = turns.map((turn) => turn.throughput[workers]?.cpuMs);
      return [
        part(all.map((cpu) => cpu?.server ?? null)),
        part(all.map((cpu) => cpu?.postgresql ?? null)),
        part(all.map((cpu) => cpu?.clients ?? null)),
      ].join('/');
    })
    .join('  ');
}

export function tableOf(results: Results): string {
  const names = Object.keys(results);
  const keys = [...new Set(names.flatMap((name) => Object.keys(mediansOf(results[name] ?? []))))];
  const ratios = ratiosOf(results);
  const header = ['', ...keys, 'ours/its best', 'ours/its one', 'commits', 'CPU ms server/pg/clients'];
  const rows = names.map((name) => {
    const turns = results[name] ?? [];
    const medians = mediansOf(turns);
    const cells = keys.map((key) => {
      const value = medians[key];
      return value === undefined ? '-' : value.toFixed(key.includes(' p') ? 2 : 0);
    });
    const ratio = ratios[name] ?? {};
    return [
      name,
      ...cells,
      ratio['best'] ?? '',
      ratio['one at a time'] ?? '',
      commitsOf(turns),
      cpuOf(turns),
    ];
  });
  return alignedTable([header, ...rows]);
}

function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}
