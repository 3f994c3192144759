/** What ours is to reach beside the peers, of one run. */
import { mediansOf, type Results } from './results.ts';

interface Target {
  readonly what: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** Null: who is compared did not run. */
  readonly of: (figure: Figure) => number | null;
}

/** A peer's median; null: it did not run, or gives no such figure. */
type Figure = (peer: string, key: string) => number | null;

/** Engines and queues that people use, and not the limits. */
const REAL_PEERS = ['pg-boss', 'graphile-worker', 'dbos', 'restate'];

const targets: readonly Target[] = [
  {
    what: 'best / better of pg-boss and Restate',
    atLeast: 1.25,
    of: (figure) => ratio(figure('sutra', 'best'), most(['pg-boss', 'restate'], 'best', figure)),
  },
  {
    what: 'best / graphile-worker',
    atLeast: 2.5,
    of: (figure) => ratio(figure('sutra', 'best'), figure('graphile-worker', 'best')),
  },
  {
    what: 'best / DBOS',
    atLeast: 4,
    of: (figure) => ratio(figure('sutra', 'best'), figure('dbos', 'best')),
  },
  {
    what: 'best / raw batched cycle',
    atLeast: 0.3,
    of: (figure) => ratio(figure('sutra', 'best'), figure('raw-batched', 'best')),
  },
  {
    what: 'best with batch calls / raw batched cycle',
    atLeast: 0.45,
    of: (figure) => ratio(figure('sutra-batch', 'best'), figure('raw-batched', 'best')),
  },
  {
    what: 'one at a time / best peer',
    atLeast: 1,
    of: (figure) => ratio(figure('sutra', 'one at a time'), most(REAL_PEERS, 'one at a time', figure)),
  },
  { what: 'pick-up after commit p50, ms', atMost: 2.5, of: (figure) => figure('sutra', 'commit p50') },
  { what: 'pick-up after commit p99, ms', atMost: 8, of: (figure) => figure('sutra', 'commit p99') },
  {
    what: 'pick-up after commit p50 / fastest peer',
    atMost: 1,
    of: (figure) => ratio(figure('sutra', 'commit p50'), least(REAL_PEERS, 'commit p50', figure)),
  },
];

/** One line each: what is asked, what was reached. Those of which a part did not run are left out. */
export function targetLines(results: Results): readonly string[] {
  const figure: Figure = (peer, key) => mediansOf(results[peer] ?? [])[key] ?? null;
  return targets.flatMap(({ what, atLeast, atMost, of }) => {
    const reached = of(figure);
    if (reached === null) return [];
    const isMet =
      (atLeast === undefined || reached >= atLeast) && (atMost === undefined || reached <= atMost);
    const asked = atLeast === undefined ? `<= ${String(atMost)}` : `>= ${String(atLeast)}`;
    return [`${isMet ? 'met   ' : 'missed'}  ${what.padEnd(42)} ${reached.toFixed(2).padStart(7)}  ${asked}`];
  });
}

function ratio(above: number | null, below: number | null): number | null {
  return above === null || below === null ? null : above / below;
}

function most(peers: readonly string[], key: string, figure: Figure): number | null {
  return extreme(peers, key, figure, Math.max);
}

function least(peers: readonly string[], key: string, figure: Figure): number | null {
  return extreme(peers, key, figure, Math.min);
}

/** Null unless all of them ran: the best of some is not the best. */
function extreme(
  peers: readonly string[],
  key: string,
  figure: Figure,
  choose: (...values: number[]) => number,
): number | null {
  const values = peers.map((peer) => figure(peer, key)).filter((value) => value !== null);
  return values.length < peers.length ? null : choose(...values);
}
