/**
 * The mutable forms of scopes, tokens and parts, and the way from a snapshot's to these and back.
 *
 * L1 Nothing of the snapshot is ever changed: scopes and tokens are copies; waits and variable contexts
 *    are shared, and replaced instead of written to.
 * L2 Loading keeps the snapshot's order, and so does storing: equal states give equal bytes, whichever
 *    parts were loaded.
 */
import { ownProperty, type Context, type Value } from '../../definitions/value.ts';
import type { Graph } from './graph.ts';
import { InvariantError } from './invariant-error.ts';
import type { CompensationGroup, LoopState, Part, Scope, Snapshot, Token, Wait } from './snapshot.ts';
import type { InboundMessage } from './stimulus.ts';

/** What a token has to do next at its flow node. */
export type Phase = 'entering' | 'completing' | 'leaving';

export interface LiveScope {
  readonly id: number;
  readonly parent: LiveScope | null;
  readonly elementId: string;
  readonly kind: Scope['kind'];
  readonly index: number | undefined;
  readonly called: Scope['called'];
  /** Of the process that runs here. */
  readonly graph: Graph;
  readonly deploymentId: string;
  /** The part that stores it, or null. */
  readonly partId: number | null;
  /** The token that waits for it to end; null for the root. */
  owner: LiveToken | null;
  variables: Context;
  /** False: `variables` is shared with a snapshot or an effect and must be copied before a write. */
  areVariablesOwned: boolean;
  /** Counts the writes of the whole step; shared by all scopes. */
  readonly writes: Writes;
  readonly tokens: Set<LiveToken>;
  /** Those of the start events of its event sub-processes. */
  waits: Wait[];
  /** Tokens that arrived at a join, oldest first: join id, then flow id. Null until one does; without empty entries. */
  joining: Map<string, Map<string, LiveToken[]>> | null;
  /** Complex gateways that wait to be reset: the flows whose tokens they took. Null until one does. */
  complexGateways: Map<string, ReadonlySet<string>> | null;
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
  /** Null until there is one: most tokens never have any, and wide activities have many tokens. */
  childScopes: Set<LiveScope> | null;
  loop: LiveLoop | null;
  compensating: LiveCompensation | null;
  /** The message whose `header` and `event` the expressions of the token's present node may name. */
  message: InboundMessage | null;
}

export interface Writes {
  count: number;
  /** Units of the turn's budget for copies of contexts. */
  copyUnits: number;
}

export interface LiveLoop {
  readonly total: number | null;
  started: number;
  active: number;
  completed: number;
  items: readonly Value[] | null;
  /** Where in `items` the first is whose run has not started: a copy for each run would be as long as all of them. */
  nextItem: number;
  /** Null: the runs put out nothing, or their parts keep it. */
  outputs: Map<number, Value> | null;
  readonly isParted: boolean;
}

export interface LiveCompensation {
  /** Still to run, the next one last. */
  readonly groups: CompensationGroup[];
  readonly isDetached: boolean;
}

export interface LivePart {
  readonly id: number;
  readonly owner: LiveToken;
  readonly index: number;
  output: Value | undefined;
}

export interface LiveState {
  readonly tokens: Map<number, LiveToken>;
  readonly scopes: Map<number, LiveScope>;
  readonly waits: Map<number, Wait>;
  readonly parts: Map<number, LivePart>;
}

/** What runs in a scope and in all inside it. */
export interface Ground {
  readonly graph: Graph;
  readonly deploymentId: string;
}

type ScopeSeed = Pick<
  LiveScope,
  'id' | 'parent' | 'elementId' | 'owner' | 'variables' | 'writes' | 'partId'
> &
  Pick<LiveScope, 'kind' | 'index' | 'called'> &
  Ground;

export function liveScope(scope: ScopeSeed): LiveScope {
  // Written out, here and below: spreading costs several times as much, in the hottest place there is.
  const { id, parent, elementId, kind, index, called, graph, deploymentId, partId, owner, variables } = scope;
  return {
    id,
    parent,
    elementId,
    kind,
    index,
    called,
    graph,
    deploymentId,
    partId,
    owner,
    variables,
    areVariablesOwned: false,
    writes: scope.writes,
    tokens: new Set<LiveToken>(),
    waits: [],
    joining: null,
    complexGateways: null,
  };
}

export function liveToken(
  token: Pick<LiveToken, 'id' | 'scope' | 'elementId' | 'state' | 'phase' | 'arrivedByFlowId'>,
): LiveToken {
  const { id, scope, elementId, state, phase, arrivedByFlowId } = token;
  return {
    id,
    scope,
    elementId,
    state,
    phase,
    arrivedByFlowId,
    waits: [],
    childScopes: null,
    loop: null,
    compensating: null,
    message: null,
  };
}

/** Whether the token stands for the run of a frame, and not for the activity as a whole. */
export function isRun(token: LiveToken): boolean {
  return token.scope.kind === 'frame' && token.scope.elementId === token.elementId;
}

/** Asked anew after anything that may have removed the token. */
export function isGone(token: LiveToken): boolean {
  return token.state === 'gone';
}

/** Notes that the token has arrived at the join at which it stands. */
export function addJoining(token: LiveToken): void {
  const joining = (token.scope.joining ??= new Map<string, Map<string, LiveToken[]>>());
  if (token.arrivedByFlowId === null) {
    throw new InvariantError(`token ${token.id} came to the join ${token.elementId} over no sequence flow`);
  }
  let byFlow = joining.get(token.elementId);
  if (byFlow === undefined) joining.set(token.elementId, (byFlow = new Map<string, LiveToken[]>()));
  const waiting = byFlow.get(token.arrivedByFlowId);
  if (waiting === undefined) byFlow.set(token.arrivedByFlowId, [token]);
  else waiting.push(token);
}

/** The token is no longer at the join at which it had arrived. */
export function removeJoining(token: LiveToken): void {
  const { joining } = token.scope;
  for (const [joinId, byFlow] of joining ?? []) {
    for (const [flowId, waiting] of byFlow) {
      const others = waiting.filter((other) => other !== token);
      if (others.length === 0) byFlow.delete(flowId);
      else byFlow.set(flowId, others);
    }
    if (byFlow.size === 0) joining?.delete(joinId);
  }
}

export function addChild(owner: LiveToken, scope: LiveScope): void {
  (owner.childScopes ??= new Set<LiveScope>()).add(scope);
}

/** Notes that the complex gateway waits to be reset. @param flowIds those whose tokens it took */
export function keepTaken(scope: LiveScope, gatewayId: string, flowIds: ReadonlySet<string>): void {
  (scope.complexGateways ??= new Map<string, ReadonlySet<string>>()).set(gatewayId, flowIds);
}

/** Takes the oldest token of each flow that has one: what the firing of a join consumes. */
export function takeJoining(
  scope: LiveScope,
  joinId: string,
  from: (flowId: string) => boolean = () => true,
): readonly LiveToken[] {
  const byFlow = scope.joining?.get(joinId) ?? new Map<string, LiveToken[]>();
  const taken: LiveToken[] = [];
  for (const [flowId, waiting] of byFlow) {
    if (!from(flowId)) continue;
    const oldest = waiting.shift();
    if (oldest !== undefined) taken.push(oldest);
    if (waiting.length === 0) byFlow.delete(flowId);
  }
  if (byFlow.size === 0) scope.joining?.delete(joinId);
  return taken;
}

// --- from the snapshot ---------------------------------------------------------------------------

/** @param groundOf what runs in a called scope */
export function loadState(
  snapshot: Snapshot,
  root: Ground,
  groundOf: (called: NonNullable<Scope['called']>) => Ground,
): LiveState {
  const state: LiveState = { tokens: new Map(), scopes: new Map(), waits: new Map(), parts: new Map() };
  const writes: Writes = { count: 0, copyUnits: 0 };
  const load = (
    { scopes, tokens, waits }: Omit<Part, 'id' | 'ownerTokenId' | 'index'>,
    partId: number | null,
  ): void => {
    for (const scope of scopes) loadScope(state, scope, { root, groundOf, writes, partId });
    for (const stored of tokens) loadToken(state, stored);
    for (const { id, ownerTokenId } of scopes) if (ownerTokenId !== null) attach(state, id, ownerTokenId);
    for (const wait of waits) {
      state.waits.set(wait.id, wait);
      holderOf(state, wait).waits.push(wait);
    }
  };
  load(snapshot, null);
  for (const part of snapshot.parts ?? []) {
    const { id, index, output } = part;
    load(part, id);
    state.parts.set(id, {
      id,
      owner: found(state.tokens.get(part.ownerTokenId), 'token', part.ownerTokenId),
      index,
      output,
    });
  }
  return state;
}

interface Loading {
  readonly root: Ground;
  readonly groundOf: (called: NonNullable<Scope['called']>) => Ground;
  readonly writes: Writes;
  readonly partId: number | null;
}

function loadScope(state: LiveState, stored: Scope, { root, groundOf, writes, partId }: Loading): void {
  const { id, parentId, elementId, kind, index, called, variables } = stored;
  const parent = parentId === null ? null : found(state.scopes.get(parentId), 'scope', parentId);
  const { graph, deploymentId } = called === undefined ? (parent ?? root) : groundOf(called);
  const scope = liveScope({
    id,
    parent,
    elementId,
    kind,
    index,
    called,
    graph,
    deploymentId,
    partId,
    owner: null,
    variables,
    writes,
  });
  for (const [gatewayId, flowIds] of Object.entries(stored.complexGateways ?? {})) {
    keepTaken(scope, gatewayId, new Set(flowIds));
  }
  state.scopes.set(id, scope);
}

/** A scope is known before its owner: the owner of a restored scope stands in no scope around it. */
function attach(state: LiveState, scopeId: number, ownerTokenId: number): void {
  const scope = found(state.scopes.get(scopeId), 'scope', scopeId);
  scope.owner = found(state.tokens.get(ownerTokenId), 'token', ownerTokenId);
  addChild(scope.owner, scope);
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
  if (stored.loop !== undefined) token.loop = liveLoop(stored.loop);
  if (stored.compensating !== undefined) {
    const { groups, isDetached } = stored.compensating;
    token.compensating = { groups: [...groups], isDetached: isDetached === true };
  }
  state.tokens.set(token.id, token);
  token.scope.tokens.add(token);
  if (token.state === 'joining') addJoining(token);
}

function liveLoop({ total, started, active, completed, items, outputs, isParted }: LoopState): LiveLoop {
  const byRun = outputs && new Map(Object.entries(outputs).map(([run, value]) => [Number(run), value]));
  return {
    total,
    started,
    active,
    completed,
    items: items ?? null,
    nextItem: 0,
    outputs: byRun ?? null,
    isParted: isParted === true,
  };
}

/** What a wait belongs to: a token, or the scope of an event sub-process that has not begun. */
export function holderOf(
  state: Pick<LiveState, 'tokens' | 'scopes'>,
  { id, tokenId, scopeId }: Wait,
): LiveToken | LiveScope {
  const holder = tokenId === null ? state.scopes.get(scopeId ?? -1) : state.tokens.get(tokenId);
  return found(holder, 'holder of wait', id);
}

function found<Item>(item: Item | undefined, what: string, id: number): Item {
  if (item === undefined) throw new InvariantError(`the snapshot has no ${what} ${id}`);
  return item;
}

// --- to the snapshot -----------------------------------------------------------------------------

export function storedToken(token: LiveToken): Token {
  const { id, elementId, state, phase, arrivedByFlowId, loop, compensating } = token;
  if (state === 'ready' || state === 'running' || state === 'gone') {
    throw new InvariantError(`token ${id} at ${elementId} is still ${state}`);
  }
  const stored: Token = { id, scopeId: token.scope.id, elementId, state, arrivedByFlowId };
  if (state !== 'failed' && loop === null && compensating === null) return stored;
  return {
    ...stored,
    ...(state === 'failed' ? { failedIn: phase } : {}),
    ...(loop === null ? {} : { loop: storedLoop(loop) }),
    ...(compensating === null
      ? {}
      : {
          compensating: {
            groups: compensating.groups,
            ...(compensating.isDetached ? { isDetached: true } : {}),
          },
        }),
  };
}

function storedLoop(loop: LiveLoop): LoopState {
  const { total, started, active, completed, items, nextItem, outputs, isParted } = loop;
  return {
    total,
    started,
    active,
    completed,
    ...(items === null ? {} : { items: items.slice(nextItem) }),
    ...(outputs === null ? {} : { outputs: Object.fromEntries(outputs) }),
    ...(isParted ? { isParted: true } : {}),
  };
}

/** `transient` variables do not outlive the step: they are looked up again or sent again. */
export function storedScope(scope: LiveScope): Scope {
  const { id, elementId, parent, owner, kind, index, called, complexGateways } = scope;
  const transient = parent === null || kind === 'called' ? scope.graph.transientVariables : [];
  let { variables } = scope;
  if (transient.some((name) => ownProperty(variables, name) !== undefined)) {
    variables = Object.fromEntries(Object.entries(variables).filter(([name]) => !transient.includes(name)));
  }
  const parentId = parent?.id ?? null;
  const ownerTokenId = owner?.id ?? null;
  if (called === undefined && complexGateways === null) {
    if (kind === undefined) return { id, parentId, elementId, ownerTokenId, variables };
    if (index === undefined) return { id, parentId, elementId, ownerTokenId, variables, kind };
    return { id, parentId, elementId, ownerTokenId, variables, kind, index };
  }
  const resetting = [...(complexGateways ?? [])].map(
    ([gatewayId, flowIds]) => [gatewayId, [...flowIds]] as const,
  );
  return {
    ...{ id, parentId, elementId, ownerTokenId, variables },
    ...(kind === undefined ? {} : { kind }),
    ...(index === undefined ? {} : { index }),
    ...(called === undefined ? {} : { called }),
    ...(resetting.length === 0 ? {} : { complexGateways: Object.fromEntries(resetting) }),
  };
}
