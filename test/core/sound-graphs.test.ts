/** Unstructured sound graphs: the core goes exactly where a naive token game goes. A failing run prints its seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Snapshot, Wait } from '../../engine/core/snapshot.ts';
import type { Stimulus } from '../../engine/core/stimulus.ts';
import { idOf, inbound } from './instance.ts';
import { checkInvariants, contentsOf } from './invariants.ts';
import { Play } from './random-play.ts';
import { grow, growth, guardId, soundModel, wayVariable, type SoundModel } from './sound-graphs.ts';
import {
  keyOf,
  soundMarkings,
  TokenGame,
  wayOut,
  type Choices,
  type Graph,
  type Marking,
  type Move,
} from './token-game.ts';

/** An instance of the model, driven by the moves of the token game. */
class Driven {
  readonly #graph: Graph;
  readonly #model: SoundModel;
  readonly #play: Play;
  /** By task: how often something has been completed in it. */
  readonly #progress = new Map<string, number>();

  constructor(graph: Graph, model: SoundModel) {
    this.#graph = graph;
    this.#model = model;
    this.#play = new Play(model, 'needed');
  }

  get status(): Snapshot['status'] {
    return this.#play.snapshot.status;
  }

  begin(choices: Choices): void {
    const variables = variablesOf(choices);
    this.#apply({ kind: 'start', startEventId: 's', message: inbound({}), variables, replyTo: null });
  }

  /** One stimulus towards the move. @returns whether it was the last one that the move takes */
  do({ kind, taskId }: Move, choices: Choices): boolean {
    this.#apply({ kind: 'setVariables', tokenId: null, variables: variablesOf(choices) });
    if (kind === 'guard') {
      this.#apply({ kind: 'timer', waitId: this.#waitOf(taskId, 'timer').id });
      if (this.#graph.guards.get(taskId)?.isInterrupting === true) this.#progress.delete(taskId);
      return true;
    }
    const done = (this.#progress.get(taskId) ?? 0) + 1;
    const tokenId = idOf(this.#waitOf(taskId, 'user-task').tokenId);
    this.#apply({ kind: 'completeUserTask', tokenId, variables: {} });
    const isOver = done === this.#model.stimuliOf(taskId);
    if (isOver) this.#progress.delete(taskId);
    else this.#progress.set(taskId, done);
    return isOver;
  }

  /** Where the tokens of the process itself are, in the words of the game. */
  get marking(): Marking {
    const { snapshot } = this.#play;
    const guarded = new Set(snapshot.waits.map(({ elementId, tokenId }) => `${elementId} ${tokenId ?? 0}`));
    return snapshot.tokens
      .filter(({ scopeId }) => scopeId === 0)
      .map(({ id, state, elementId, arrivedByFlowId }) => {
        if (state === 'joining') return arrivedByFlowId ?? '';
        return `${guarded.has(`${guardId(elementId)} ${id}`) ? '!' : '@'}${elementId}`;
      })
      .sort();
  }

  #waitOf(taskId: string, kind: Wait['kind']): Wait {
    const contents = contentsOf(this.#play.snapshot);
    const owner = contents.tokens.find(({ scopeId, elementId }) => scopeId === 0 && elementId === taskId);
    const inside = new Set([owner?.id]);
    // Owners before what they own: scopes are in the order of their age.
    const scopeIds = new Set<number>();
    for (let size = -1; size !== inside.size;) {
      size = inside.size;
      for (const scope of contents.scopes) if (inside.has(scope.ownerTokenId ?? -1)) scopeIds.add(scope.id);
      for (const token of contents.tokens) if (scopeIds.has(token.scopeId)) inside.add(token.id);
    }
    const wait = contents.waits.find((item) => item.kind === kind && inside.has(item.tokenId ?? -1));
    assert.ok(wait, `nothing of the kind ${kind} waits in ${taskId}`);
    return wait;
  }

  #apply(stimulus: Stimulus): void {
    const outcome = this.#play.apply(stimulus);
    assert.ok(outcome.kind === 'advanced', outcome.kind === 'refused' ? outcome.message : '');
    checkInvariants(this.#play.snapshot);
  }
}

function variablesOf(choices: Choices): Readonly<Record<string, number>> {
  return Object.fromEntries([...choices].map(([id, way]) => [wayVariable(id), way]));
}

const picks = fc.infiniteStream(fc.nat(10_000));

/** Every gateway chooses at random. */
function randomChoices({ nodes }: Graph, stream: Iterator<number>): Choices {
  const gateways = [...nodes].filter(([, kind]) => kind === 'exclusive' || kind === 'inclusive');
  return new Map(gateways.map(([id]) => [id, Number(stream.next().value) % 4]));
}

function mustBeOneOf(driven: Driven, rests: readonly { readonly marking: Marking }[], what: string): Marking {
  const { marking, status } = driven;
  const expected = rests.map((rest) => keyOf(rest.marking));
  assert.ok(
    expected.includes(keyOf(marking)),
    `${what}: [${keyOf(marking)}] is not one of [${expected.join('], [')}]`,
  );
  assert.equal(
    status,
    marking.length === 0 ? 'completed' : 'running',
    'it has ended if and only if nothing is left',
  );
  return marking;
}

/** How long it wanders before it is led out. */
const WANDERINGS = 30;

test('an instance goes where the tokens go, and ends when and only when none is left', () => {
  fc.assert(
    fc.property(growth, fc.nat(3), picks, (steps, seed, stream) => {
      const graph = grow(steps);
      const game = new TokenGame(graph);
      const driven = new Driven(graph, soundModel(graph, seed));
      let choices = randomChoices(graph, stream);
      driven.begin(choices);
      let marking = mustBeOneOf(driven, game.begin(choices), 'at the start');
      for (let count = 0; count < WANDERINGS && marking.length > 0; count += 1) {
        const moves = game.moves(marking);
        const move = moves[Number(stream.next().value) % moves.length] ?? assert.fail('it is stuck');
        choices = randomChoices(graph, stream);
        const after = driven.do(move, choices) ? game.after(marking, move, choices) : [{ marking }];
        marking = mustBeOneOf(driven, after, `${move.kind} ${move.taskId}`);
      }
      for (const { move, rest } of marking.length === 0 ? [] : wayOut(graph, marking)) {
        while (!driven.do(move, rest.choices)) mustBeOneOf(driven, [{ marking }], 'on the way');
        marking = mustBeOneOf(driven, [rest], `${move.kind} ${move.taskId} on the way out`);
      }
      assert.equal(driven.status, 'completed');
    }),
    { numRuns: 120 },
  );
});

test('an instance can come to every marking to which the tokens can come, and to no other', () => {
  fc.assert(
    fc.property(growth, fc.nat(3), (steps, seed) => {
      const graph = grow(steps);
      const model = soundModel(graph, seed);
      const sound = soundMarkings(graph);
      assert.ok(sound !== null);
      const reached = new Set<string>();
      for (const way of waysToAll(graph)) {
        const driven = new Driven(graph, model);
        driven.begin(way.begin);
        for (const { move, choices } of way.moves) while (!driven.do(move, choices));
        reached.add(keyOf(driven.marking));
      }
      assert.deepEqual([...reached].sort(), [...sound.keys()].sort());
    }),
    { numRuns: 25 },
  );
});

interface Way {
  readonly marking: Marking;
  readonly begin: Choices;
  readonly moves: readonly { readonly move: Move; readonly choices: Choices }[];
}

/** A shortest way to each marking; of very large graphs to the nearest ones. */
function waysToAll(graph: Graph): readonly Way[] {
  const game = new TokenGame(graph);
  const ways = new Map<string, Way>();
  let frontier = game
    .begin(null)
    .map(({ marking, choices }): Way => ({ marking, begin: choices, moves: [] }));
  while (frontier.length > 0) {
    // One way to each marking goes on: the ways of one length to the same marking may be millions.
    const fresh = frontier.filter((way) => {
      const key = keyOf(way.marking);
      const isFresh = !ways.has(key);
      if (isFresh) ways.set(key, way);
      return isFresh;
    });
    frontier = fresh.flatMap((way) =>
      game
        .moves(way.marking)
        .flatMap((move) =>
          game
            .after(way.marking, move, null)
            .map(({ marking, choices }) => ({ ...way, marking, moves: [...way.moves, { move, choices }] })),
        ),
    );
  }
  return [...ways.values()];
}
