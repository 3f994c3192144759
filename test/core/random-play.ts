/** Plays random stimuli against a process, and plays them again in other ways. */
import assert from 'node:assert/strict';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Effect } from '../../engine/core/effect.ts';
import type { Snapshot, Wait } from '../../engine/core/snapshot.ts';
import type { AdvanceContext, Stimulus } from '../../engine/core/stimulus.ts';
import { conditionVariable, REPEATABLE } from './block-leaves.ts';
import { DEPLOYMENT_ID, directory, idOf, inbound, INSTANCE_ID, START_MS } from './instance.ts';
import { checkInvariants, contentsOf } from './invariants.ts';
import { RecordStore, takeTurn, type Loads, type Outcome, type StoredInstance } from './stored-instance.ts';

export interface Played {
  readonly process: ProcessDefinition;
  readonly callable?: readonly ProcessDefinition[];
}

/** What can be repeated is repeated at most this often; then the rest of the instance must go on. */
const MAX_REPETITIONS = 3;

/** One instance, turn by turn. */
export class Play {
  readonly stimuli: Stimulus[] = [];
  /** The text of what was stored after each turn, and its effects. */
  readonly trace: string[] = [];
  readonly effects: Effect[] = [];
  readonly #versions: Readonly<Record<string, Played>>;
  readonly #loads: Loads;
  readonly #records = new RecordStore();
  #stored: StoredInstance | null = null;
  #turnCount = 0;

  /** @param others deployments that it may be migrated to, by their ids */
  constructor(played: Played, loads: Loads, others: Readonly<Record<string, Played>> = {}) {
    this.#versions = { [DEPLOYMENT_ID]: played, ...others };
    this.#loads = loads;
  }

  get snapshot(): Snapshot {
    assert.ok(this.#stored, 'it has been started');
    return this.#stored.load();
  }

  /** What it is an instance of now. */
  get played(): Played {
    const played = this.#versions[this.#stored?.live.deploymentId ?? DEPLOYMENT_ID];
    assert.ok(played, 'the deployment is there');
    return played;
  }

  apply(stimulus: Stimulus): Outcome {
    const deploymentId = this.#stored?.live.deploymentId ?? DEPLOYMENT_ID;
    const context: AdvanceContext = {
      instanceId: INSTANCE_ID,
      deploymentId,
      nowMs: START_MS + this.#turnCount,
      calls: directory(
        Object.fromEntries(
          Object.entries(this.#versions).map(([id, { process, callable = [] }]) => [
            id,
            [process, ...callable],
          ]),
        ),
      ),
    };
    const { outcome, stored } = takeTurn(
      this.played.process,
      this.#stored,
      this.#loads,
      stimulus,
      context,
      this.#records,
    );
    if (outcome.kind === 'refused') return outcome;
    this.#stored = stored;
    this.#records.write(outcome.effects);
    this.stimuli.push(stimulus);
    // A migration takes no time: what is due after it is due as it would be without.
    if (stimulus.kind !== 'migrate') this.#turnCount += 1;
    this.trace.push(stored?.text ?? '', JSON.stringify(outcome.effects));
    for (const effect of outcome.effects) this.effects.push(effect);
    return outcome;
  }
}

/** Plays until the instance has ended or failed, or `limit` turns are done. Nothing is parked in between. */
export function playAtRandom(played: Played, picks: Iterator<number>, limit: number): Play {
  const play = new Play(played, 'live');
  playOn(play, picks, limit, startOf(played.process));
  return play;
}

/** Plays on by as much, from where it is. */
export function playOn(play: Play, picks: Iterator<number>, limit: number, first: Stimulus | null): void {
  const chooser = new Chooser(play.played, picks);
  const last = play.stimuli.length + limit;
  let stimulus = first ?? (play.snapshot.status === 'running' ? chooser.next(play.snapshot) : null);
  while (stimulus !== null && play.stimuli.length < last) {
    const before = play.stimuli.length === 0 ? null : play.snapshot;
    const outcome = play.apply(stimulus);
    if (outcome.kind === 'refused') throw new Error(`${stimulus.kind}: ${outcome.code}: ${outcome.message}`);
    const { snapshot } = play;
    checkInvariants(snapshot);
    if (before !== null) checkStale(play, before, snapshot);
    stimulus = snapshot.status === 'running' ? chooser.next(snapshot) : null;
  }
}

function startOf(process: ProcessDefinition): Stimulus {
  const startEventId = process.start[0] ?? null;
  return { kind: 'start', startEventId, message: inbound({ id: 1 }), variables: { n: 0 }, replyTo: null };
}

/** Plays the same stimuli again. @returns the trace */
export function replay(played: Played, stimuli: readonly Stimulus[], loads: Loads): readonly string[] {
  const play = new Play(played, loads);
  for (const stimulus of stimuli) assert.equal(play.apply(stimulus).kind, 'advanced');
  return play.trace;
}

/** A stimulus for a wait that is gone is refused and changes nothing (A2). */
function checkStale(play: Play, before: Snapshot, after: Snapshot): void {
  const open = new Set(contentsOf(after).waits.map(({ id }) => id));
  const isOne = ({ id, kind }: Wait): boolean =>
    !open.has(id) && (kind === 'timer' || kind === 'user-task' || kind === 'call' || kind === 'ad-hoc');
  const gone = contentsOf(before).waits.find(isOne);
  if (gone === undefined) return;
  const turnCount = play.stimuli.length;
  assert.equal(play.apply(stimulusFor(gone, 0, before)).kind, 'refused');
  assert.equal(play.stimuli.length, turnCount);
}

/** Chooses what happens next among what the instance waits for. */
class Chooser {
  readonly #played: Played;
  readonly #picks: Iterator<number>;
  readonly #repetitions = new Map<string, number>();
  readonly #launches = new Map<number, number>();

  constructor(played: Played, picks: Iterator<number>) {
    this.#played = played;
    this.#picks = picks;
  }

  next(snapshot: Snapshot): Stimulus | null {
    const waits = contentsOf(snapshot).waits.filter((wait) => this.#mayOccur(wait));
    const pick = Number(this.#picks.next().value);
    const wait = waits[pick % waits.length];
    if (wait === undefined) return null;
    const { elementId } = wait;
    this.#repetitions.set(elementId, (this.#repetitions.get(elementId) ?? 0) + 1);
    return this.#launch(wait, pick) ?? stimulusFor(wait, pick, snapshot);
  }

  #mayOccur({ elementId }: Wait): boolean {
    return !elementId.startsWith(REPEATABLE) || (this.#repetitions.get(elementId) ?? 0) < MAX_REPETITIONS;
  }

  /** An ad hoc sub-process has some of its activities launched before it is completed. */
  #launch({ kind, tokenId, elementId }: Wait, pick: number): Stimulus | null {
    if (kind !== 'ad-hoc' || tokenId === null) return null;
    const launches = this.#launches.get(tokenId) ?? 0;
    const { process, callable = [] } = this.#played;
    const node = [process, ...callable]
      .map(({ nodes }) => nodes.get(elementId))
      .find((found) => found !== undefined);
    if (node?.kind !== 'subProcess' || node.variant.kind !== 'adHoc') return null;
    const { launchableIds } = node.variant;
    const activityId = launchableIds[pick % launchableIds.length];
    if (activityId === undefined || launches >= MAX_REPETITIONS || pick % 5 === 0) return null;
    this.#launches.set(tokenId, launches + 1);
    return { kind: 'launchActivity', tokenId, activityId, variables: { n: pick % 7 } };
  }
}

/** The stimulus that satisfies the wait. */
export function stimulusFor(wait: Wait, pick: number, snapshot: Snapshot): Stimulus {
  const n = pick % 7;
  switch (wait.kind) {
    case 'timer':
      return { kind: 'timer', waitId: wait.id };
    case 'user-task':
      return { kind: 'completeUserTask', tokenId: idOf(wait.tokenId), variables: { n } };
    case 'call': {
      const { channel, idempotencyKey: key, elementId } = wait;
      if (elementId.startsWith('fallible') && pick % 3 === 0) {
        return { kind: 'callError', key, code: 'E', message: 'it failed', variables: { n } };
      }
      return { kind: 'message', channel, key, aliases: [], message: inbound({ n }) };
    }
    case 'message': {
      const { channel } = wait;
      return { kind: 'message', channel, key: `${INSTANCE_ID}:1`, aliases: [], message: inbound(n) };
    }
    case 'signal':
      return { kind: 'signal', name: wait.name, payload: { n } };
    case 'condition': {
      const variables = { [conditionVariable(wait.elementId)]: !wait.wasTrue };
      return { kind: 'setVariables', tokenId: wait.tokenId ?? tokenIn(snapshot, wait.scopeId), variables };
    }
    case 'ad-hoc':
      return { kind: 'completeAdHoc', tokenId: idOf(wait.tokenId) };
  }
}

/** One of the tokens from which the variables of the scope are seen. */
function tokenIn(snapshot: Snapshot, scopeId: number | undefined): number {
  const token = contentsOf(snapshot).tokens.find((item) => item.scopeId === scopeId);
  assert.ok(token, 'a scope that waits has a token');
  return token.id;
}

/** How often each node was entered; the runs of a loop are not counted. */
export function entries(effects: readonly Effect[]): (nodeId: string) => number {
  const counts = new Map<string, number>();
  for (const effect of effects) {
    if (effect.kind !== 'history' || effect.event !== 'entered' || effect.elementId === null) continue;
    if ('loopCounter' in effect.detail) continue;
    counts.set(effect.elementId, (counts.get(effect.elementId) ?? 0) + 1);
  }
  return (nodeId) => counts.get(nodeId) ?? 0;
}
