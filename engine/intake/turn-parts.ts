/** Which parts of a snapshot a turn is known to concern before it runs. */
import type { Stimulus } from '../core/stimulus.ts';
import type { PartKey } from '../store/instance-parts.ts';
import { partOfKey } from './implicit-key.ts';
import type { Target } from './turn.ts';

/** The parts of instances that the turn is known to concern. */
export function partsOf({
  targets,
  partId,
}: {
  readonly targets: readonly Target[];
  readonly partId: number | null;
}): PartKey[] {
  return targets.flatMap((target) => {
    const concerned = target.kind === 'instance' ? (partId ?? partOfStimulus(target.stimulus)) : null;
    if (target.kind !== 'instance' || concerned === null) return [];
    return [{ instanceId: target.instanceId, partId: concerned }];
  });
}

/** The part that holds the call or send to which the key belongs. */
export function partOfStimulus(stimulus: Stimulus): number | null {
  switch (stimulus.kind) {
    case 'message':
    case 'callError':
    case 'callFailed':
      return stimulus.key === null ? null : partOfKey(stimulus.key);
    default:
      return null;
  }
}
