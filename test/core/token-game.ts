/**
 * Process graphs as a naive token game, independent of the core: what can happen next, and whether a graph is
 * sound (from wherever it can get, it can come to its end, and it never puts two tokens at one place).
 *
 * A token is at a place: on a flow (before the gateway that it leads to), or at a task that it has begun.
 * Everything but what happens to tasks happens by itself. Which branches a gateway takes is decided by data in
 * the engine, and by `Choices` here.
 */

export type GraphNodeKind = 'start' | 'task' | 'exclusive' | 'parallel' | 'inclusive' | 'end';

export interface GraphFlow {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** A boundary event of a task. One that does not interrupt occurs once. */
export interface Guard {
  readonly flowId: string;
  readonly isInterrupting: boolean;
}

export interface Graph {
  readonly nodes: ReadonlyMap<string, GraphNodeKind>;
  readonly flows: readonly GraphFlow[];
  readonly guards: ReadonlyMap<string, Guard>;
}

/** What each gateway does when it splits: see `branchesOf`. */
export type Choices = ReadonlyMap<string, number>;

/** Names of places, sorted: `flow`, `@task` (begun), `!task` (begun, and its guard may still occur). */
export type Marking = readonly string[];

export interface Move {
  readonly kind: 'complete' | 'guard';
  readonly taskId: string;
}

/** A marking in which nothing moves by itself, and the choices that led to it. */
export interface Rest {
  readonly marking: Marking;
  readonly choices: Choices;
}

export class TokenGame {
  readonly #graph: Graph;
  readonly #flows: ReadonlyMap<string, GraphFlow>;
  readonly #incoming = new Map<string, readonly string[]>();
  readonly #outgoing = new Map<string, readonly string[]>();

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#flows = new Map(graph.flows.map((flow) => [flow.id, flow]));
    const guardFlows = new Set([...graph.guards.values()].map(({ flowId }) => flowId));
    for (const nodeId of graph.nodes.keys()) {
      const ids = (flows: readonly GraphFlow[]): string[] => flows.map(({ id }) => id);
      this.#incoming.set(nodeId, ids(graph.flows.filter(({ to }) => to === nodeId)));
      this.#outgoing.set(
        nodeId,
        ids(graph.flows.filter(({ from, id }) => from === nodeId && !guardFlows.has(id))),
      );
    }
  }

  /** Where the graph can come to rest after its start; `choices` null: with whatever choices. */
  begin(choices: Choices | null): readonly Rest[] {
    const starts = [...this.#graph.nodes].filter(([, kind]) => kind === 'start');
    return this.#settle(
      starts.flatMap(([id]) => this.#out(id)),
      choices,
    );
  }

  moves(marking: Marking): readonly Move[] {
    return marking.flatMap((place): Move[] => {
      const taskId = place.slice(1);
      const isGuarded = place.startsWith('!');
      if (!isGuarded && !place.startsWith('@')) return [];
      return [{ kind: 'complete', taskId }, ...(isGuarded ? [{ kind: 'guard', taskId } as const] : [])];
    });
  }

  /** Where it can come to rest after the move; `choices` null: with whatever choices. */
  after(marking: Marking, { kind, taskId }: Move, choices: Choices | null): readonly Rest[] {
    const guard = this.#graph.guards.get(taskId);
    const rest = without(marking, [marking.includes(`!${taskId}`) ? `!${taskId}` : `@${taskId}`]);
    if (kind === 'complete' || guard === undefined)
      return this.#settle([...rest, ...this.#out(taskId)], choices);
    const stays = guard.isInterrupting ? [] : [`@${taskId}`];
    return this.#settle([...rest, ...stays, guard.flowId], choices);
  }

  #out(nodeId: string): readonly string[] {
    return this.#outgoing.get(nodeId) ?? [];
  }

  /** Lets every token move by itself as far as it can; inclusive joins are asked only when nothing else moves. */
  #settle(from: Marking, given: Choices | null): readonly Rest[] {
    const settled = new Map<string, Rest>();
    const pending: Rest[] = [{ marking: [...from].sort(), choices: given ?? new Map() }];
    for (let rest = pending.pop(); rest !== undefined; rest = pending.pop()) {
      const further = this.#advance(rest, given !== null) ?? this.#join(rest, given !== null);
      if (further.length === 0) settled.set(keyOf(rest.marking), rest);
      else
        for (const { marking, choices } of further) pending.push({ marking: [...marking].sort(), choices });
    }
    return [...settled.values()];
  }

  /** One move of one token that can move whatever the others do; null when there is none. */
  #advance(rest: Rest, isGiven: boolean): readonly Rest[] | null {
    const { marking, choices } = rest;
    for (const place of marking) {
      const to = this.#flows.get(place)?.to;
      if (to === undefined) continue;
      const kind = this.#graph.nodes.get(to);
      const left = without(marking, [place]);
      if (kind === 'end') return [{ marking: left, choices }];
      if (kind === 'task') {
        return [{ marking: [...left, `${this.#graph.guards.has(to) ? '!' : '@'}${to}`], choices }];
      }
      const incoming = this.#incoming.get(to) ?? [];
      if (kind === 'exclusive' || (kind === 'inclusive' && incoming.length === 1)) {
        return this.#branch({ marking: left, choices }, to, isGiven);
      }
      if (kind === 'parallel' && incoming.every((id) => marking.includes(id))) {
        return [{ marking: [...without(marking, incoming), ...this.#out(to)], choices }];
      }
    }
    return null;
  }

  /** The firings of inclusive joins, each by itself: whichever comes first. */
  #join({ marking, choices }: Rest, isGiven: boolean): readonly Rest[] {
    const joins = [...this.#graph.nodes].filter(([, kind]) => kind === 'inclusive').map(([id]) => id);
    return joins.flatMap((id) => {
      const arrived = (this.#incoming.get(id) ?? []).filter((flowId) => marking.includes(flowId));
      if (!this.#mayJoin(id, marking, arrived)) return [];
      return this.#branch({ marking: without(marking, arrived), choices }, id, isGiven);
    });
  }

  #branch({ marking, choices }: Rest, gatewayId: string, isGiven: boolean): readonly Rest[] {
    const outgoing = this.#out(gatewayId);
    const kind = this.#graph.nodes.get(gatewayId) === 'inclusive' ? 'inclusive' : 'exclusive';
    const chosen = isGiven ? (choices.get(gatewayId) ?? 0) : choices.get(gatewayId);
    const ways = chosen === undefined ? waysOf(kind, outgoing.length) : [chosen];
    return ways.map((way) => ({
      marking: [...marking, ...branchesOf(kind, outgoing.length, way).map((index) => outgoing[index] ?? '')],
      choices: new Map([...choices, [gatewayId, way]]),
    }));
  }

  // --- inclusive joins -----------------------------------------------------------------------------

  /** BPMN 2.0.2 §13.4.3, word for word. */
  #mayJoin(joinId: string, marking: Marking, arrived: readonly string[]): boolean {
    if (arrived.length === 0) return false;
    const all = this.#incoming.get(joinId) ?? [];
    const empty = all.filter((id) => !arrived.includes(id));
    const elsewhere = marking.filter((place) => !all.includes(place));
    return elsewhere.every((place) => {
      const reached = this.#reachedFrom(place, joinId);
      return !empty.some((id) => reached.has(id)) || arrived.some((id) => reached.has(id));
    });
  }

  /** The flows into the join that a token at the place may still come over, without visiting the join. */
  #reachedFrom(place: string, joinId: string): ReadonlySet<string> {
    const reached = new Set<string>();
    const seen = new Set<string>();
    const pending = this.#flows.has(place) ? [place] : [...this.#waysOut(place)];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const to = this.#flows.get(id)?.to ?? '';
      if (to === joinId) reached.add(id);
      else pending.push(...this.#waysOut(`!${to}`));
    }
    return reached;
  }

  /** The flows over which a token may leave the node of the place. */
  #waysOut(place: string): readonly string[] {
    const nodeId = place.slice(1);
    const guard = place.startsWith('!') ? this.#graph.guards.get(nodeId) : undefined;
    return guard === undefined ? this.#out(nodeId) : [...this.#out(nodeId), guard.flowId];
  }
}

/** In how many ways a gateway can choose among so many branches, as numbers. */
function waysOf(kind: 'exclusive' | 'inclusive', count: number): readonly number[] {
  const ways = count < 2 ? 1 : kind === 'exclusive' ? count : 2 ** (count - 1);
  return Array.from({ length: ways }, (_, way) => way);
}

/** The branches that a gateway takes, by number; the last one is the default. An inclusive one takes those of the bits. */
export function branchesOf(kind: 'exclusive' | 'inclusive', count: number, way: number): readonly number[] {
  if (count < 2) return count === 1 ? [0] : [];
  if (kind === 'exclusive') return [Math.min(way, count - 1)];
  const all = Array.from({ length: count - 1 }, (_, index) => index);
  const taken = all.filter((index) => Math.floor(way / 2 ** index) % 2 === 1);
  return taken.length === 0 ? [count - 1] : taken;
}

export function keyOf(marking: Marking): string {
  return marking.join(' ');
}

function without(marking: Marking, places: readonly string[]): Marking {
  const left = [...marking];
  for (const place of places) left.splice(left.indexOf(place), 1);
  return left;
}

// --- soundness -------------------------------------------------------------------------------------

/** More markings than a small sound graph has. */
const MAX_MARKINGS = 1_000;

/**
 * All markings in which the graph can come to rest, each with those that can follow; or null when it is not
 * sound, or too large to say.
 */
export function soundMarkings(graph: Graph): ReadonlyMap<string, ReadonlySet<string>> | null {
  const game = new TokenGame(graph);
  const next = new Map<string, ReadonlySet<string>>();
  const pending = game.begin(null).map(({ marking }) => marking);
  for (let marking = pending.pop(); marking !== undefined; marking = pending.pop()) {
    const key = keyOf(marking);
    if (next.has(key)) continue;
    if (next.size >= MAX_MARKINGS || hasTwoAtOnePlace(marking)) return null;
    const followers = game.moves(marking).flatMap((move) => game.after(marking ?? [], move, null));
    next.set(key, new Set(followers.map((follower) => keyOf(follower.marking))));
    for (const follower of followers) pending.push(follower.marking);
  }
  return canAllReach('', next) ? next : null;
}

function hasTwoAtOnePlace(marking: Marking): boolean {
  return new Set(marking.map((place) => place.replace(/^[@!]/, ''))).size < marking.length;
}

function canAllReach(goal: string, next: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (!next.has(goal)) return false;
  const reaching = new Set([goal]);
  for (let size = 0; size < reaching.size;) {
    size = reaching.size;
    for (const [key, followers] of next) {
      if ([...followers].some((follower) => reaching.has(follower))) reaching.add(key);
    }
  }
  return reaching.size === next.size;
}

/** The shortest way from a marking of a sound graph to its end. */
export function wayOut(graph: Graph, from: Marking): readonly { readonly move: Move; readonly rest: Rest }[] {
  const game = new TokenGame(graph);
  const seen = new Set([keyOf(from)]);
  type Way = ReturnType<typeof wayOut>;
  let frontier: readonly { readonly marking: Marking; readonly way: Way }[] = [{ marking: from, way: [] }];
  while (frontier.length > 0) {
    const over = frontier.find(({ marking }) => marking.length === 0);
    if (over !== undefined) return over.way;
    frontier = frontier.flatMap(({ marking, way }) =>
      game.moves(marking).flatMap((move) =>
        game.after(marking, move, null).flatMap((rest) => {
          if (seen.has(keyOf(rest.marking))) return [];
          seen.add(keyOf(rest.marking));
          return [{ marking: rest.marking, way: [...way, { move, rest }] }];
        }),
      ),
    );
  }
  throw new Error('a sound graph can always come to its end');
}
