/** What the bench asks of a driver process, and what it answers. One request at a time; each gets one answer. */
import type { AdapterOptions } from './adapter.ts';

export type DriverRequest =
  | { readonly kind: 'start'; readonly peer: string; readonly options: AdapterOptions }
  /** Sends in a closed loop, from now on. `maxOpen`: sent by this process and not yet recorded. */
  | { readonly kind: 'load'; readonly senders: number; readonly maxOpen: number }
  | { readonly kind: 'count' }
  /** Ends the closed loop; answers when nothing of it is being sent any more. */
  | { readonly kind: 'unload' }
  | { readonly kind: 'oneAtATime'; readonly seconds: number }
  | { readonly kind: 'pickUp'; readonly units: number }
  | { readonly kind: 'stop' };

export interface Count {
  readonly sent: number;
  readonly recorded: number;
  /** By this process's own monotonic clock: to be compared with no other's. */
  readonly atMs: number;
}

export interface OneAtATime {
  readonly units: number;
  readonly elapsedMs: number;
}

export interface PickUpTimes {
  readonly afterCommitMs: readonly number[];
  readonly afterRequestMs: readonly number[];
}

/** What each request is answered with. */
export interface DriverAnswers {
  readonly start: null;
  readonly load: null;
  readonly count: Count;
  readonly unload: null;
  readonly oneAtATime: OneAtATime;
  readonly pickUp: PickUpTimes;
  readonly stop: null;
}

export type DriverAnswer =
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string };
