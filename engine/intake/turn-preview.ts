/** What a turn that is not written would have done, for people: places and kinds, no bodies and no values. */
import type { Effect } from '../core/effect.ts';
import type { Snapshot, Wait } from '../core/snapshot.ts';

/** A dry turn as it was applied under the lock of its instance. */
export interface DryTurn {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly effects: readonly Effect[];
  /** Joins that would wait in vain. */
  readonly deadJoins: readonly string[];
}

export interface TurnPreview {
  readonly instanceId: string;
  readonly status: Snapshot['status'];
  readonly failure: { readonly code: string; readonly message: string; readonly elementId: string } | null;
  readonly tokens: readonly { readonly id: number; readonly elementId: string; readonly state: string }[];
  readonly waits: readonly WaitPreview[];
  /** Those of `waits` that are not there now. */
  readonly newWaits: readonly WaitPreview[];
  /** Waits that are there now and would be over: of calls the task or the delivery goes with them. */
  readonly endedWaits: readonly WaitPreview[];
  readonly sends: readonly { readonly elementId: string; readonly channel: string }[];
  readonly signals: readonly { readonly elementId: string; readonly name: string }[];
  /** Data stores with records that would be written. */
  readonly stores: readonly string[];
  readonly deadJoins: readonly string[];
}

export interface WaitPreview {
  readonly kind: Wait['kind'];
  readonly elementId: string;
  readonly tokenId: number | null;
}

export function previewOf({ before, after, effects, deadJoins }: DryTurn): TurnPreview {
  const { instanceId, status, failure } = after;
  const [waitsBefore, waitsAfter] = [waitsOf(before), waitsOf(after)];
  const stillThere = new Set(waitsAfter.map(({ id }) => id));
  const there = new Set(waitsBefore.map(({ id }) => id));
  return {
    instanceId,
    status,
    failure: failure && { code: failure.code, message: failure.message, elementId: failure.elementId },
    tokens: [...after.tokens, ...(after.parts ?? []).flatMap(({ tokens }) => tokens)].map(
      ({ id, elementId, state }) => ({ id, elementId, state }),
    ),
    waits: waitsAfter.map(waitPreview),
    newWaits: waitsAfter.filter(({ id }) => !there.has(id)).map(waitPreview),
    endedWaits: waitsBefore.filter(({ id }) => !stillThere.has(id)).map(waitPreview),
    sends: effects.flatMap((effect) =>
      effect.kind === 'send' ? [{ elementId: effect.elementId, channel: effect.channel }] : [],
    ),
    signals: effects.flatMap((effect) =>
      effect.kind === 'signalThrown' ? [{ elementId: effect.elementId, name: effect.name }] : [],
    ),
    stores: [
      ...new Set(effects.flatMap((effect) => (effect.kind === 'recordWritten' ? [effect.store] : []))),
    ],
    deadJoins,
  };
}

function waitsOf({ waits, parts = [] }: Snapshot): readonly Wait[] {
  return [...waits, ...parts.flatMap((part) => part.waits)];
}

function waitPreview({ kind, elementId, tokenId }: Wait): WaitPreview {
  return { kind, elementId, tokenId };
}
