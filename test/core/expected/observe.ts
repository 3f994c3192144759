/** What the scenarios look at, read off a snapshot with its parts. */
import { compileExpression, TurnBudget } from '../../../definitions/feel.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import type { Value } from '../../../definitions/value.ts';
import type { CompensationRecord, Scope, Snapshot, Token, Wait } from '../../../engine/core/snapshot.ts';

export function waitsOf({ waits, parts = [] }: Snapshot): readonly Wait[] {
  return [...waits, ...parts.flatMap((part) => part.waits)].toSorted((a, b) => a.id - b.id);
}

function tokensOf({ tokens, parts = [] }: Snapshot): readonly Token[] {
  return [...tokens, ...parts.flatMap((part) => part.tokens)];
}

export function scopesOf({ scopes, parts = [] }: Snapshot): readonly Scope[] {
  return [...scopes, ...parts.flatMap((part) => part.scopes)];
}

/** The ids of the flow nodes at which something is waited for: tasks, catch events, event-based gateways, calls. */
export function activeIds(snapshot: Snapshot): readonly string[] {
  const owners = new Set(scopesOf(snapshot).map(({ ownerTokenId }) => ownerTokenId));
  const adHoc = new Set(waitsOf(snapshot).flatMap((wait) => (wait.kind === 'ad-hoc' ? [wait.tokenId] : [])));
  return tokensOf(snapshot)
    .filter(({ state, loop, compensating }) => state === 'waiting' && !loop && !compensating)
    .filter(({ id }) => !owners.has(id) && !adHoc.has(id))
    .map(({ elementId }) => elementId);
}

export function joiningIds(snapshot: Snapshot): readonly string[] {
  return tokensOf(snapshot)
    .filter(({ state }) => state === 'joining')
    .map(({ elementId }) => elementId);
}

/** The element of each wait of these kinds. */
export function waitIds(snapshot: Snapshot, ...kinds: readonly Wait['kind'][]): readonly string[] {
  return waitsOf(snapshot)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ elementId }) => elementId);
}

/** How many runs of activities can still be compensated, by the activity's id. */
export function pendingRuns(snapshot: Snapshot): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = ({ records = [], handlerId, elementId }: CompensationRecord): void => {
    if (records.length > 0) records.forEach(count);
    else if (handlerId !== null) counts.set(elementId, (counts.get(elementId) ?? 0) + 1);
  };
  snapshot.compensations?.forEach(count);
  return counts;
}

/** The caller, and the processes that run as its scopes. */
export function processCount(snapshot: Snapshot): number {
  const isOver = snapshot.status === 'completed' || snapshot.status === 'terminated';
  return isOver ? 0 : 1 + scopesOf(snapshot).filter(({ kind }) => kind === 'called').length;
}

/** The sub-processes and the process that directly contain the tokens at the element. */
export function containersOf(snapshot: Snapshot, elementId: string): readonly string[] {
  return tokensOf(snapshot)
    .filter((token) => token.elementId === elementId && token.state === 'waiting')
    .filter((token) => waitsOf(snapshot).some(({ tokenId }) => tokenId === token.id))
    .flatMap((token) => scopeChain(snapshot, token).find(({ kind }) => kind !== 'frame')?.elementId ?? []);
}

/** The activities of the ad hoc sub-processes that can be launched now. */
export function launchableIds(process: ProcessDefinition, snapshot: Snapshot): readonly string[] {
  return waitsOf(snapshot).flatMap((wait) => {
    const node = wait.kind === 'ad-hoc' ? process.nodes.get(wait.elementId) : undefined;
    if (node?.kind !== 'subProcess' || node.variant.kind !== 'adHoc') return [];
    const isBusy = tokensOf(snapshot).some(
      (token) => process.nodes.get(token.elementId)?.parentId === node.id,
    );
    return node.variant.isSequential && isBusy ? [] : node.variant.launchableIds;
  });
}

/** What a FEEL text yields at each open user task of the element. */
export function valuesAt(snapshot: Snapshot, elementId: string, feel: string): readonly Value[] {
  const expression = compileExpression(feel);
  const waits = waitsOf(snapshot).filter((wait) => wait.kind === 'user-task' && wait.elementId === elementId);
  const tokens = tokensOf(snapshot).filter((token) => waits.some(({ tokenId }) => tokenId === token.id));
  return tokens.map((token) =>
    expression.evaluate((name) => lookUp(snapshot, token, name), new TurnBudget(0)),
  );
}

function lookUp(snapshot: Snapshot, token: Token, name: string): Value | undefined {
  for (const { variables, index } of scopeChain(snapshot, token)) {
    if (name === 'loopCounter' && index !== undefined) return index + 1;
    if (Object.hasOwn(variables, name)) return variables[name];
  }
  return undefined;
}

function scopeChain(snapshot: Snapshot, { scopeId }: Token): readonly Scope[] {
  const scopes = new Map(scopesOf(snapshot).map((scope) => [scope.id, scope]));
  const chain: Scope[] = [];
  for (let scope = scopes.get(scopeId); scope; scope = scopes.get(scope.parentId ?? Number.NaN)) {
    chain.push(scope);
  }
  return chain;
}
