/** What the runner and its child processes say to each other, one message after another. */
import type { Verdict } from './check-input.ts';
import type { Judgement } from './judgement.ts';

export type Task =
  /** The inputs `from` to `to - 1` of the seed, in this order. */
  | { readonly kind: 'range'; readonly seed: number; readonly from: number; readonly to: number }
  /** One input that is given; seed and index decide only what happens to its instances. */
  | { readonly kind: 'bytes'; readonly seed: number; readonly index: number; readonly base64: string };

export type Answer<Found extends Judgement = Verdict> =
  | { readonly kind: 'ready' }
  /** Only while one input is run alone: the call into the product that begins now. */
  | { readonly kind: 'entering'; readonly call: string }
  | Done<Found>;

export interface Done<Found extends Judgement = Verdict> {
  readonly kind: 'done';
  readonly index: number;
  /** Empty when the bytes were given. */
  readonly source: string;
  readonly mutations: readonly string[];
  readonly byteCount: number;
  /** Making and checking the input, of wall time. */
  readonly tookMs: number;
  /** The same, of the time that all threads of the process were given. */
  readonly cpuMs: number;
  readonly verdict: Found;
  readonly rssBytes: number;
  /** Of the heap, right after a full collection; null: none was made after this input. */
  readonly floorBytes: number | null;
}
