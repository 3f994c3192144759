/** What operators do to an instance: move its tokens, and let it go on with the model of another deployment. */
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Snapshot, Token } from '../../engine/core/snapshot.ts';
import type { Move, Stimulus } from '../../engine/core/stimulus.ts';
import type { Random } from './random.ts';
import { randomContext } from './random-values.ts';

/** Processes by their deployment. */
export type Versions = ReadonlyMap<string, readonly ProcessDefinition[]>;

export function tokensOf({ tokens, parts = [] }: Snapshot): readonly Token[] {
  return [...tokens, ...parts.flatMap((part) => part.tokens)];
}

/** Mostly to a node beside the one where the token is; else anywhere, or from where none is. */
export function randomMove(snapshot: Snapshot, { nodes }: ProcessDefinition, random: Random): Stimulus {
  const tokens = tokensOf(snapshot);
  const ids = [...nodes.keys(), 'none'];
  const moves = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, (): Move => {
    const token = tokens.length === 0 ? undefined : random.pick(tokens);
    const from = token === undefined || random.chance(0.1) ? random.pick(ids) : token.elementId;
    const parentId = nodes.get(from)?.parentId;
    const beside = [...nodes.values()].filter((node) => node.parentId === parentId).map(({ id }) => id);
    const to = beside.length === 0 || random.chance(0.15) ? random.pick(ids) : random.pick(beside);
    return { from, tokenId: token === undefined || random.chance(0.4) ? null : token.id, to };
  });
  return { kind: 'move', moves, variables: random.chance(0.5) ? {} : randomContext(random) };
}

/** Mostly as the elements are called, else with some of them mapped to any. */
export function randomMigration(snapshot: Snapshot, versions: Versions, random: Random): Stimulus {
  const { deploymentId: own, processId } = snapshot;
  const others = [...versions.keys()].filter((id) => id !== own);
  const deploymentId = random.chance(0.05) ? random.pick([own, 'none']) : random.pick([...others, 'none']);
  const elements = new Map<string, string>();
  const idsIn = (id: string): string[] => [
    ...(versions
      .get(id)
      ?.find((process) => process.id === processId)
      ?.nodes.keys() ?? []),
    'none',
  ];
  for (let left = random.chance(0.6) ? 0 : random.between(1, 3); left > 0; left -= 1) {
    const tokens = tokensOf(snapshot).map(({ elementId }) => elementId);
    const from = tokens.length > 0 && random.chance(0.7) ? random.pick(tokens) : random.pick(idsIn(own));
    elements.set(from, random.pick(idsIn(deploymentId)));
  }
  return { kind: 'migrate', deploymentId, elements: Object.fromEntries(elements) };
}
