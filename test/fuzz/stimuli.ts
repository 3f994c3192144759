/**
 * What can happen to an instance: for each kind of wait a stimulus that satisfies it, and stimuli that fit
 * nothing. A kind of wait that this file does not know gets none, and the run reports that it was not driven.
 */
import type { AliasValue, Snapshot, Wait } from '../../engine/core/snapshot.ts';
import type { InboundMessage, Stimulus } from '../../engine/core/stimulus.ts';
import type { Random } from './random.ts';
import { randomContext, randomValue } from './random-values.ts';

export function randomMessage(random: Random): InboundMessage {
  return {
    payload: randomValue(random),
    headers: random.chance(0.3) ? { id: '1', 'x-kind': 'a' } : {},
    event: random.chance(0.3) ? { id: '1', type: 'order.created' } : {},
    messageType: random.chance(0.3) ? random.pick(['done', 'order.created', '']) : null,
  };
}

/** Waits of the snapshot itself and of its parts. */
export function waitsOf({ waits, parts = [] }: Snapshot): readonly Wait[] {
  return [...waits, ...parts.flatMap((part) => part.waits)];
}

/**
 * A stimulus for the wait, or null for a kind of wait that is not driven.
 * @param launchable what may be launched in an ad hoc sub-process, by its id
 */
export function stimulusFor(
  wait: Wait,
  instanceId: string,
  launchable: (elementId: string) => readonly string[],
  random: Random,
): Stimulus | null {
  const { tokenId } = wait;
  const message = randomMessage(random);
  const variables = randomContext(random);
  switch (wait.kind) {
    case 'timer':
      return { kind: 'timer', waitId: wait.id };
    case 'user-task':
      return tokenId === null ? null : { kind: 'completeUserTask', tokenId, variables };
    case 'call': {
      const { channel, idempotencyKey: key } = wait;
      // Its task has turned terminal.
      if (random.chance(0.05)) return { kind: 'timer', waitId: wait.id };
      // An answer to an attempt before it.
      if (wait.attempt > 1 && random.chance(0.3)) {
        return { kind: 'message', channel, key: key.replace(/\.\d+$/, ''), aliases: wait.aliases, message };
      }
      if (random.chance(0.15)) {
        return {
          kind: 'callFailed',
          key,
          code: random.pick(['E1', 'SUTRA.OUTBOX.REFUSED', '']),
          message: 'refused',
        };
      }
      if (random.chance(0.15)) {
        return { kind: 'callError', key, code: random.pick(['E1', 'E2', '']), message: 'refused', variables };
      }
      return { kind: 'message', channel, key, aliases: [], message };
    }
    case 'message': {
      const { channel, aliases } = wait;
      const known: readonly AliasValue[] = aliases.length === 0 ? [{ name: 'key', value: '1' }] : aliases;
      const key = random.chance(0.5) ? `${instanceId}:${random.between(1, 3)}` : null;
      return { kind: 'message', channel, key, aliases: known, message };
    }
    case 'signal':
      return { kind: 'signal', name: wait.name, payload: randomValue(random) };
    case 'condition':
      return { kind: 'setVariables', tokenId: random.chance(0.5) ? tokenId : null, variables };
    case 'ad-hoc': {
      if (tokenId === null) return null;
      const activityIds = launchable(wait.elementId);
      if (activityIds.length === 0 || random.chance(0.3)) return { kind: 'completeAdHoc', tokenId };
      return { kind: 'launchActivity', tokenId, activityId: random.pick(activityIds), variables };
    }
    default:
      return null;
  }
}

/** One that may fit nothing: it is refused, or does what its kind always can. */
export function strayStimulus(snapshot: Snapshot, elementIds: readonly string[], random: Random): Stimulus {
  const variables = randomContext(random);
  const message = randomMessage(random);
  const waitId = random.below(snapshot.nextSequence + 2);
  const tokenId = random.pick([...snapshot.tokens.map(({ id }) => id), waitId]);
  return random.pick<Stimulus>([
    { kind: 'timer', waitId },
    { kind: 'completeUserTask', tokenId, variables },
    {
      kind: 'message',
      channel: random.pick(['in', 'work', '']),
      key: random.pick(['', 'x', null]),
      aliases: [],
      message,
    },
    { kind: 'signal', name: random.pick(['alarm', 'x']), payload: randomValue(random) },
    { kind: 'callError', key: `${snapshot.instanceId}:1`, code: 'E1', message: '', variables },
    { kind: 'callFailed', key: `${snapshot.instanceId}:call-${waitId}`, code: 'E1', message: '' },
    { kind: 'launchActivity', tokenId, activityId: random.pick([...elementIds, 'none']), variables },
    { kind: 'completeAdHoc', tokenId },
    { kind: 'setVariables', tokenId: random.chance(0.5) ? tokenId : null, variables },
    { kind: 'retry' },
  ]);
}
