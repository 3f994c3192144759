/** What the runner must know of a checked input, whatever it is. */
import type { SlowestCall } from './call-watch.ts';
import type { Failure } from './fuzz-failure.ts';

export interface Judgement {
  readonly slowestCall: SlowestCall;
  /** One of each signature; empty: the input broke nothing. */
  readonly failures: readonly Failure[];
}
