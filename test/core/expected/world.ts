/**
 * What is around the core, as far as the scenarios need it: processes that are deployed, instances of them, a
 * clock, and who else hears a signal. All decisions about an instance are `advance()`'s.
 *
 * W1 An instance changes by `advance()` alone, on frozen input, with all parts of its snapshot, and what holds
 *    of every snapshot holds after each turn.
 * W2 A signal that an instance throws goes to all others that wait for it, and to the start events for it.
 * W3 A stubbed call is answered before the next stimulus.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { compileBpmn } from '../../../definitions/bpmn/compile.ts';
import { startPointsOf, type ProcessDefinition, type StartPoint } from '../../../definitions/model.ts';
import type { Context, Value } from '../../../definitions/value.ts';
import { advance } from '../../../engine/core/advance.ts';
import type { AdvanceResult, Effect } from '../../../engine/core/effect.ts';
import type { Snapshot, Wait } from '../../../engine/core/snapshot.ts';
import type {
  AdvanceContext,
  CallDirectory,
  InboundMessage,
  Stimulus,
} from '../../../engine/core/stimulus.ts';
import { deepFreeze } from '../../support/process-model.ts';
import { checkInvariants } from '../invariants.ts';
import { adapt, type AdaptedModel } from './adapt.ts';
import { waitsOf } from './observe.ts';

const DEPLOYMENT_ID = 'deployment';
const START_MS = 1_767_225_600_000;

/** Not of the core: whoever starts a process by its id looks first whether it can begin by itself. */
export const NOT_STARTABLE_BY_ID = 'no plain start event';

/** Nothing but that it came. */
export const EMPTY_MESSAGE: InboundMessage = { payload: {}, headers: {}, event: {}, messageType: null };

export interface Run {
  readonly instanceId: string;
  readonly process: ProcessDefinition;
  snapshot: Snapshot;
}

/** A timer start event that is to fire. */
interface StartTimer {
  readonly process: ProcessDefinition;
  readonly point: StartPoint;
  readonly intervalMs: number;
  /** Null: without end. */
  remaining: number | null;
  dueAtMs: number;
}

export class World {
  readonly processes: readonly ProcessDefinition[];
  readonly models: readonly AdaptedModel[];
  readonly runs: Run[] = [];
  /** Of all instances, oldest first. */
  readonly effects: Effect[] = [];
  readonly startTimers: StartTimer[] = [];
  nowMs = START_MS;

  constructor(processes: readonly ProcessDefinition[], models: readonly AdaptedModel[]) {
    this.processes = processes;
    this.models = models;
    for (const process of processes) {
      for (const point of startPointsOf(process)) this.#setStartTimer(process, point);
    }
  }

  /** Compiles and deploys files of the corpus together. */
  static deploy(folder: string, files: readonly string[]): World {
    const models = files.map((path) => adapt({ path, content: readFileSync(`${folder}/${path}`) }));
    const processes = models.flatMap(({ content }, index) => {
      const result = compileBpmn({ path: files[index] ?? '', content });
      const faults = result.findings.filter(({ severity }) => severity === 'error');
      const texts = faults.map(
        ({ code, message, place }) => `${code} in line ${place.line ?? 0}: ${message}`,
      );
      assert.deepEqual(texts, [], `the file is refused:\n${Buffer.from(content).toString()}`);
      return result.processes;
    });
    return new World(processes, models);
  }

  /** The latest instance: the one that a scenario's steps are about. */
  get current(): Run {
    const run = this.runs.at(-1);
    assert.ok(run, 'nothing was started');
    return run;
  }

  process(id: string | undefined): ProcessDefinition {
    const process = id === undefined ? this.processes[0] : this.processes.find((item) => item.id === id);
    assert.ok(process, `no process ${id ?? ''}`);
    return process;
  }

  startPoints(): readonly { readonly process: ProcessDefinition; readonly point: StartPoint }[] {
    return this.processes.flatMap((process) => startPointsOf(process).map((point) => ({ process, point })));
  }

  /** Starts an instance at the start point, or by the id of its process. */
  start(process: ProcessDefinition, point: StartPoint | null, options: StartOptions = {}): AdvanceResult {
    const { variables = {}, message = null, signal } = options;
    if (point === null && process.start.length === 0) {
      const text = `${process.id} does not begin by itself`;
      return { kind: 'refused', code: NOT_STARTABLE_BY_ID, message: text, isRetryable: false };
    }
    const instanceId = `instance-${this.runs.length + 1}`;
    const startEventId = point?.nodeId ?? null;
    const stimulus: Stimulus = {
      kind: 'start',
      startEventId,
      message,
      variables,
      replyTo: null,
      ...(point === null ? {} : { trigger: point.trigger }),
      ...(signal === undefined ? {} : { signal }),
    };
    const result = advance(process, null, deepFreeze(stimulus), this.#context(instanceId));
    assert.notEqual(result.kind, 'incomplete', 'a start needs nothing that it was not given');
    if (result.kind !== 'advanced') return result;
    const run: Run = { instanceId, process, snapshot: deepFreeze(result.snapshot) };
    this.runs.push(run);
    this.#afterwards(run, result.effects);
    return result;
  }

  apply(run: Run, stimulus: Stimulus): AdvanceResult {
    const result = advance(run.process, run.snapshot, deepFreeze(stimulus), this.#context(run.instanceId));
    assert.notEqual(result.kind, 'incomplete', 'the turn was given everything');
    if (result.kind !== 'advanced') return result;
    run.snapshot = deepFreeze(result.snapshot);
    this.#afterwards(run, result.effects);
    return result;
  }

  /** A signal for everyone but the instance that has had it already. */
  broadcast(name: string, payload: Value, thrower: Run | null = null): void {
    const runs = [...this.runs];
    for (const { process, point } of this.startPoints()) {
      if (point.event.kind === 'signal' && point.event.name === name) {
        this.start(process, point, { signal: payload });
      }
    }
    for (const run of runs) {
      const isWaiting = waitsOf(run.snapshot).some((wait) => wait.kind === 'signal' && wait.name === name);
      if (run !== thrower && isWaiting) this.apply(run, { kind: 'signal', name, payload });
    }
  }

  /** Fires every timer whose time has come, in the order of their times, until none is due. */
  runTimers(): void {
    for (;;) {
      const due = [...this.#dueStarts(), ...this.#dueWaits()].toSorted((a, b) => a.dueAtMs - b.dueAtMs);
      const [first] = due;
      if (first === undefined) return;
      first.fire();
    }
  }

  /** Ends a call with an answer. */
  answerCall(run: Run, wait: Extract<Wait, { kind: 'call' }>, payload: Context): AdvanceResult {
    const { channel, idempotencyKey: key } = wait;
    return this.apply(run, {
      kind: 'message',
      channel,
      key,
      aliases: [],
      message: { ...EMPTY_MESSAGE, payload },
    });
  }

  /** Ends a call with a BPMN error. */
  failCall(run: Run, wait: Extract<Wait, { kind: 'call' }>, code: string): AdvanceResult {
    const message = 'reported by the scenario';
    return this.apply(run, { kind: 'callError', key: wait.idempotencyKey, code, message, variables: {} });
  }

  #dueWaits(): readonly { readonly dueAtMs: number; fire(): void }[] {
    return this.runs.flatMap((run) =>
      waitsOf(run.snapshot).flatMap((wait) => {
        if (wait.kind !== 'timer' || wait.dueAtMs > this.nowMs) return [];
        const fire = (): void => {
          const result = this.apply(run, { kind: 'timer', waitId: wait.id });
          assert.equal(result.kind, 'advanced', 'a due timer fires');
        };
        return [{ dueAtMs: wait.dueAtMs, fire }];
      }),
    );
  }

  #dueStarts(): readonly { readonly dueAtMs: number; fire(): void }[] {
    const due = this.startTimers.filter(({ dueAtMs }) => dueAtMs <= this.nowMs);
    return due.map((timer) => ({ dueAtMs: timer.dueAtMs, fire: () => this.#fireStart(timer) }));
  }

  #fireStart(timer: StartTimer): void {
    if (timer.remaining !== null) timer.remaining -= 1;
    if (timer.remaining === 0) this.startTimers.splice(this.startTimers.indexOf(timer), 1);
    timer.dueAtMs += timer.intervalMs;
    this.start(timer.process, timer.point);
  }

  #setStartTimer(process: ProcessDefinition, point: StartPoint): void {
    if (point.event.kind !== 'timer') return;
    const { timer } = point.event;
    assert.ok(timer.kind === 'cycle' && timer.cycle !== null, 'the scenarios start by a written cycle only');
    const { repetitions: remaining, intervalMs } = timer.cycle;
    this.startTimers.push({ process, point, intervalMs, remaining, dueAtMs: this.nowMs + intervalMs });
  }

  #afterwards(run: Run, effects: readonly Effect[]): void {
    checkInvariants(run.snapshot);
    this.effects.push(...effects);
    for (const effect of effects) {
      if (effect.kind === 'signalThrown') this.broadcast(effect.name, effect.payload, run);
    }
    for (const wait of waitsOf(run.snapshot)) {
      const code = wait.kind === 'call' ? this.#thrownCode(wait.elementId) : undefined;
      if (wait.kind === 'call' && code !== undefined) this.failCall(run, wait, code);
    }
  }

  #thrownCode(elementId: string): string | undefined {
    return this.models
      .map(({ thrownCodes }) => thrownCodes.get(elementId))
      .find((code) => code !== undefined);
  }

  #context(instanceId: string): AdvanceContext {
    return { instanceId, deploymentId: DEPLOYMENT_ID, nowMs: this.nowMs, calls: this.#calls() };
  }

  #calls(): CallDirectory {
    const find = (processId: string): ProcessDefinition | null =>
      this.processes.find(({ id }) => id === processId) ?? null;
    return {
      resolve: (processId) => {
        const process = find(processId);
        return process === null ? null : { deploymentId: DEPLOYMENT_ID, process };
      },
      get: (_deploymentId, processId) => find(processId),
      channelsOf: () => undefined,
    };
  }
}

export interface StartOptions {
  readonly variables?: Context;
  readonly message?: InboundMessage;
  /** The payload of the signal that starts it. */
  readonly signal?: Value;
}
