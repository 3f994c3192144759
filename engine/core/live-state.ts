/**
 * The mutable forms of scopes and tokens, and the way from a snapshot's to these and back.
 *
 * L1 Nothing of the snapshot is ever changed: scopes and tokens are copies; waits and variable contexts
 *    are shared, and replaced instead of written to.
 * L2 Loading keeps the snapshot's order, and so does storing: equal states give equal bytes.
 */
import { ownProperty, type Context } from '../../definitions/value.ts';
import { InvariantError } from './invariant-error.ts';
import type { Scope, Snapshot, Token, Wait } from './snapshot.ts';
import type { InboundMessage } from './stimulus.ts';

/** What a token has to do next at its flow node. */
export type Phase = 'entering' | 'completing' | 'leaving';

export interface LiveScope {
  readonly id: number;
  readonly parent: LiveScope | null;
  readonly elementId: string;
  /** The token parked at the sub-process node; null for the root. */
  owner: LiveToken | null;
  variables: Context;
  /** False: `variables` is shared with a snapshot or an effect and must be copied before a write. */
  areVariablesOwned: boolean;
  readonly tokens: Set<LiveToken>;
  /** Tokens that arrived at a join, oldest first: join id, then flow id. Without empty entries. */
  readonly joining: Map<string, Map<string, LiveToken[]>>;
}

export interface LiveToken {
  id: number;
  readonly scope: LiveScope;
  elementId: string;
  /** `ready`: in the queue. `running`: its node is being executed. `gone`: removed. */
  state: Token['state'] | 'ready' | 'running' | 'gone';
  /** What to do next when `ready`; where to take up again when `failed`. */
  phase: Phase;
  arrivedByFlowId: string | null;
  waits: Wait[];
  childScopes: LiveScope[];
  /** The message whose `header` and `event` the expressions of the token's present node may name. */
  message: InboundMessage | null;
}

export interface LiveState {
  readonly tokens: Map<number, LiveToken>;
  readonly scopes: Map<number, LiveScope>;
  readonly waits: Map<number, Wait>;
}

export function liveScope(
  scope: Pick<LiveScope, 'id' | 'parent' | 'elementId' | 'owner' | 'variables'>,
): LiveScope {
  // Written out, here and below: spreading costs several times as much, in the hottest place there is.
  const { id, parent, elementId, owner, variables } = scope;
  const tokens = new Set<LiveToken>();
  return { id, parent, elementId, owner, variables, areVariablesOwned: false, tokens, joining: new Map() };
}

export function liveToken(
  token: Pick<LiveToken, 'id' | 'scope' | 'elementId' | 'state' | 'phase' | 'arrivedByFlowId'>,
): LiveToken {
  const { id, scope, elementId, state, phase, arrivedByFlowId } = token;
  return { id, scope, elementId, state, phase, arrivedByFlowId, waits: [], childScopes: [], message: null };
}

/** Notes that the token has arrived at the join at which it stands. */
export function addJoining(token: LiveToken): void {
  const { joining } = token.scope;
  if (token.arrivedByFlowId === null) {
    throw new InvariantError(`token ${token.id} came to the join ${token.elementId} over no sequence flow`);
  }
  let byFlow = joining.get(token.elementId);
  if (byFlow === undefined) joining.set(token.elementId, (byFlow = new Map<string, LiveToken[]>()));
  const waiting = byFlow.get(token.arrivedByFlowId);
  if (waiting === undefined) byFlow.set(token.arrivedByFlowId, [token]);
  else waiting.push(token);
}

/** Takes the oldest token of each flow that has one: what the firing of a join consumes. */
export function takeJoining(scope: LiveScope, joinId: string): readonly LiveToken[] {
  const byFlow = scope.joining.get(joinId) ?? new Map<string, LiveToken[]>();
  const taken: LiveToken[] = [];
  for (const [flowId, waiting] of byFlow) {
    const oldest = waiting.shift();
    if (oldest !== undefined) taken.push(oldest);
    if (waiting.length === 0) byFlow.delete(flowId);
  }
  if (byFlow.size === 0) scope.joining.delete(joinId);
  return taken;
}

// --- from and to the snapshot --------------------------------------------------------------------

export function loadState(snapshot: Snapshot): LiveState {
  const state: LiveState = { tokens: new Map(), scopes: new Map(), waits: new Map() };
  for (const { id, parentId, elementId, variables } of snapshot.scopes) {
    const parent = parentId === null ? null : found(state.scopes.get(parentId), 'scope', parentId);
    state.scopes.set(id, liveScope({ id, parent, elementId, owner: null, variables }));
  }
  for (const stored of snapshot.tokens) loadToken(state, stored);
  for (const { id, ownerTokenId } of snapshot.scopes) {
    if (ownerTokenId === null) continue;
    const scope = found(state.scopes.get(id), 'scope', id);
    scope.owner = found(state.tokens.get(ownerTokenId), 'token', ownerTokenId);
    scope.owner.childScopes.push(scope);
  }
  for (const wait of snapshot.waits) {
    state.waits.set(wait.id, wait);
    found(state.tokens.get(wait.tokenId), 'token', wait.tokenId).waits.push(wait);
  }
  return state;
}

function loadToken(state: LiveState, stored: Token): void {
  const token = liveToken({
    id: stored.id,
    scope: found(state.scopes.get(stored.scopeId), 'scope', stored.scopeId),
    elementId: stored.elementId,
    state: stored.state,
    phase: stored.failedIn ?? 'entering',
    arrivedByFlowId: stored.arrivedByFlowId,
  });
  state.tokens.set(token.id, token);
  token.scope.tokens.add(token);
  if (token.state === 'joining') addJoining(token);
}

function found<Item>(item: Item | undefined, what: string, id: number): Item {
  if (item === undefined) throw new InvariantError(`the snapshot has no ${what} ${id}`);
  return item;
}

export function storedToken(token: LiveToken): Token {
  const { id, elementId, state, phase, arrivedByFlowId } = token;
  if (state === 'ready' || state === 'running' || state === 'gone') {
    throw new InvariantError(`token ${id} at ${elementId} is still ${state}`);
  }
  const stored: Token = { id, scopeId: token.scope.id, elementId, state, arrivedByFlowId };
  return state === 'failed' ? { ...stored, failedIn: phase } : stored;
}

/** `transient` variables do not outlive the step: they are looked up again or sent again. */
export function storedScope(scope: LiveScope, transient: readonly string[]): Scope {
  const { id, elementId, parent, owner } = scope;
  let { variables } = scope;
  if (transient.some((name) => ownProperty(variables, name) !== undefined)) {
    variables = Object.fromEntries(Object.entries(variables).filter(([name]) => !transient.includes(name)));
  }
  return { id, parentId: parent?.id ?? null, elementId, ownerTokenId: owner?.id ?? null, variables };
}
