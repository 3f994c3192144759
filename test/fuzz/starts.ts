/** How an instance of a process can begin: one stimulus for each way. */
import { startPointsOf, type CatchDefinition, type ProcessDefinition } from '../../definitions/model.ts';
import type { Stimulus } from '../../engine/core/stimulus.ts';
import type { Random } from './random.ts';
import { randomContext, randomValue } from './random-values.ts';
import { randomMessage } from './stimuli.ts';

type Start = Extract<Stimulus, { readonly kind: 'start' }>;

export function startsOf(process: ProcessDefinition, random: Random): readonly Start[] {
  const noneStarts = process.children.filter((id) => {
    const node = process.nodes.get(id);
    return node?.kind === 'startEvent' && node.triggers.length === 0;
  });
  return [
    ...startPointsOf(process).map(({ nodeId, trigger, event }) =>
      start(nodeId, { trigger, ...broughtBy(event, random) }, random),
    ),
    ...noneStarts.map((id) => start(id, {}, random)),
    ...(process.start.length > 0 ? [start(null, {}, random)] : []),
  ];
}

function broughtBy({ kind }: CatchDefinition, random: Random): Partial<Start> {
  if (kind === 'message') return { message: randomMessage(random) };
  return kind === 'signal' ? { signal: randomValue(random) } : {};
}

function start(startEventId: string | null, given: Partial<Start>, random: Random): Start {
  const replyTo = random.chance(0.3) ? { channel: 'in', dedupKey: random.pick(['1', null]) } : null;
  const variables = randomContext(random);
  return { kind: 'start', startEventId, message: null, variables, replyTo, ...given };
}
