/**
 * One run of one scenario: its steps in order, and after each everything that follows from it.
 *
 * R1 After a step the engine comes to rest before the next one: deliveries have gone out, workers have answered,
 *    what is due has been fired. Time does not pass meanwhile.
 * R2 Time passes only by `after`, from one due time to the next, so that what comes due first happens first.
 * R3 A run ends: rounds and due times are bounded.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { PackageFile, PackageModel } from '../../definitions/package-model.ts';
import type { CompleteStep, Scenario, ScenarioStep, SendStep } from '../../definitions/scenarios/scenario.ts';
import { processToStart } from '../../engine/deployments/start-points.ts';
import { throwSignal } from '../../engine/signals/throw-signal.ts';
import type { EmbeddedDatabase } from '../../engine/store/embedded-database.ts';
import type { InboundOutcome } from '../../engine/transport.ts';
import type { Settings } from '../../config/settings.ts';
import { AnswerBook } from './answer-book.ts';
import { Deliveries } from './deliveries.ts';
import { DueWork } from './due-work.ts';
import { findInstances, findUserTask } from './found-instances.ts';
import { HttpSender, refusalReply } from './http-sender.ts';
import type { Found, FoundReply } from './judge.ts';
import { mismatch, type Mismatch } from './mismatch.ts';
import { ScenarioClock } from './scenario-clock.ts';
import { ScenarioEngine } from './scenario-engine.ts';
import { scriptedPeers } from './scripted-peers.ts';
import { ScriptedWorkers } from './scripted-workers.ts';

export interface ScenarioRunOptions {
  readonly scenario: Scenario;
  readonly files: readonly PackageFile[];
  readonly folderName: string;
  readonly model: PackageModel;
  readonly settings: Settings;
  /** Empty and migrated. */
  readonly database: EmbeddedDatabase;
  /** Until the engine must be at rest after a step. Default: 1,000, far more than any flow needs that ends; a guess. */
  readonly maxRounds?: number | undefined;
}

export interface ScenarioOutcome {
  readonly found: Found;
  /** What went wrong on the way. */
  readonly troubles: readonly Mismatch[];
}

const MAX_ROUNDS = 1_000;
/** A timer a minute for more than three days; a guess. */
const MAX_DUE_TIMES = 5_000;

export class ScenarioRun {
  readonly #options: ScenarioRunOptions;
  readonly #clock: ScenarioClock;
  readonly #troubles: Mismatch[] = [];
  readonly #faults: unknown[] = [];
  readonly #sender: HttpSender;
  readonly #engine: ScenarioEngine;
  readonly #deliveries: Deliveries;
  readonly #due: DueWork;
  readonly #workers: ScriptedWorkers;
  /** Of the first message; null: none has been sent, or it was on no HTTP channel. */
  #firstReply: Promise<FoundReply> | null = null;
  #hasSent = false;

  constructor(options: ScenarioRunOptions) {
    const { scenario, database, settings, model } = options;
    this.#options = options;
    this.#clock = new ScenarioClock(database);
    const nowMs = (): number => this.#clock.nowMs;
    const report = (trouble: Mismatch): void => {
      this.#troubles.push(trouble);
    };
    const book = new AnswerBook(scenario.answers, nowMs, settings.feel);
    this.#sender = new HttpSender({
      intake: () => this.#engine.http.intake,
      maxHoldMs: settings.http.maxHoldMs,
    });
    this.#engine = new ScenarioEngine({
      ...{ database, settings, nowMs, model },
      inbound: (engine) => this.#sender.before(engine),
      fetch: scriptedPeers({
        ...{ book, report, deliveryOf: (key) => this.#deliveries.byKey(key) },
        broke: (error) => this.#faults.push(error),
      }),
    });
    const { intake, transports, pull } = this.#engine;
    this.#deliveries = new Deliveries({ database, transports, loopback: intake, settings: settings.outbox });
    this.#due = new DueWork({ database, timers: intake, starts: intake.starts, report });
    this.#workers = new ScriptedWorkers({
      database,
      pull: pull.operations,
      failures: intake,
      book,
      model,
      report,
    });
  }

  /** @throws EngineError when the package cannot be deployed. */
  async run(): Promise<ScenarioOutcome> {
    const { scenario, files, folderName, database } = this.#options;
    await this.#clock.set(scenario.startsAtMs);
    await this.#engine.start();
    try {
      await this.#engine.deploy(files, folderName);
      await this.#steps();
      await this.#sender.letGo(Infinity);
      const reply = await this.#firstReply;
      const found = { instances: await findInstances(database), sent: this.#deliveries.sent, reply };
      return { found, troubles: this.#troubles };
    } finally {
      await this.#engine.stop();
    }
  }

  /** What is refused unexpectedly, or does not come to rest, ends the scenario: the rest would only be confusing. */
  async #steps(): Promise<void> {
    for (const step of this.#options.scenario.steps) {
      if (!(await this.#take(step)) || !(await this.#rest())) return;
    }
  }

  async #take(step: ScenarioStep): Promise<boolean> {
    const { database, model } = this.#options;
    switch (step.kind) {
      case 'after':
        return this.#pass(step.durationMs);
      case 'send':
        return this.#send(step);
      case 'start':
        return this.#attempt(step, `the start of ${step.process}`, async () => {
          const wish = { processId: step.process, tenant: null, module: null };
          const process = processToStart(this.#engine.registry.live(), wish);
          await this.#engine.intake.starts.startProcess(process, step.variables, null);
        });
      case 'signal':
        return this.#attempt(step, `the signal ${step.name}`, async () => {
          const { tenant } = model.identity;
          await throwSignal(database, {
            tenant,
            name: step.name,
            payload: step.payload,
            idempotencyKey: null,
          });
        });
      case 'complete':
        return this.#complete(step);
    }
  }

  async #attempt(step: ScenarioStep, what: string, act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.#refused(step, what, error);
      return false;
    }
  }

  async #complete(step: CompleteStep): Promise<boolean> {
    const task = await findUserTask(this.#options.database, step.element);
    if (task === null) {
      const message = `no instance waits for a person at ${step.element}`;
      this.#troubles.push(mismatch('SUTRA.SCENARIO.NOT_WAITING', message, step.place));
      return false;
    }
    return this.#attempt(step, `the completion of ${step.element}`, async () => {
      const { commands } = this.#engine.intake;
      await commands.completeUserTask(task.instanceId, task.tokenId, step.variables);
    });
  }

  async #send(step: SendStep): Promise<boolean> {
    const isFirst = !this.#hasSent;
    this.#hasSent = true;
    try {
      const { outcome, reply } = await this.#deliver(step);
      if (isFirst) this.#firstReply = reply;
      return this.#isAsExpected(step, outcome);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (isFirst) this.#firstReply = Promise.resolve(refusalReply(error));
      const { becomes } = step;
      if (typeof becomes === 'object' && becomes.refused === error.code) return true;
      this.#refused(step, `the message on ${step.channel}`, error);
      return false;
    }
  }

  async #deliver(
    step: SendStep,
  ): Promise<{ readonly outcome: InboundOutcome; readonly reply: Promise<FoundReply> | null }> {
    const { channels, identity } = this.#options.model;
    const channel = channels.get(step.channel);
    const sent =
      channel?.transport === 'http' ? await this.#sender.send(channel, step, this.#clock.nowMs) : null;
    if (sent !== null) return sent;
    const outcome = await this.#engine.intake.deliver({
      ...{ tenant: identity.tenant, module: identity.module, channel: step.channel },
      ...{ headers: step.headers, contentType: step.contentType, body: step.body },
    });
    return { outcome, reply: null };
  }

  #isAsExpected(step: SendStep, { isDuplicate }: InboundOutcome): boolean {
    const { becomes, channel, place } = step;
    if (becomes === (isDuplicate ? 'duplicate' : 'accepted')) return true;
    const expected = typeof becomes === 'object' ? `refused: ${becomes.refused}` : becomes;
    const found = isDuplicate ? 'duplicate' : 'accepted';
    const message = `the message on ${channel} became something else`;
    this.#troubles.push(mismatch('SUTRA.SCENARIO.MESSAGE_ACCEPTED', message, place, { expected, found }));
    return false;
  }

  #refused(step: ScenarioStep, what: string, { code, message }: EngineError): void {
    const wanted = step.kind === 'send' && typeof step.becomes === 'object' ? step.becomes.refused : null;
    const compared = { expected: wanted ?? 'accepted', found: code };
    const text = `${what} was refused: ${message} [${code}]`;
    this.#troubles.push(mismatch('SUTRA.SCENARIO.MESSAGE_REFUSED', text, step.place, compared));
  }

  /** Everything that follows without time passing (R1). False: there is no end to it. */
  async #rest(): Promise<boolean> {
    const { maxRounds = MAX_ROUNDS } = this.#options;
    for (let round = 0; round < maxRounds; round += 1) {
      const hasSent = await this.#deliveries.run();
      const hasFired = await this.#due.run();
      const hasWorked = await this.#workers.work();
      if (this.#faults.length > 0) throw this.#faults[0];
      if (!hasSent && !hasFired && !hasWorked) return true;
    }
    return this.#endless(`the engine was not at rest after ${String(maxRounds)} rounds`);
  }

  /** From due time to due time (R2). */
  async #pass(durationMs: number): Promise<boolean> {
    const untilMs = this.#clock.nowMs + durationMs;
    for (let count = 0; count < MAX_DUE_TIMES; count += 1) {
      const nextMs = await this.#nextDueAtMs();
      const isLast = nextMs === null || nextMs > untilMs;
      await this.#clock.set(isLast ? untilMs : nextMs);
      await this.#sender.letGo(this.#clock.nowMs);
      if (!(await this.#rest())) return false;
      if (isLast) return true;
    }
    return this.#endless(`more than ${String(MAX_DUE_TIMES)} times came due while time passed`);
  }

  async #nextDueAtMs(): Promise<number | null> {
    const { nowMs } = this.#clock;
    const waits = [await this.#deliveries.nextDueInMs(), await this.#workers.nextDueInMs()];
    const times = [
      await this.#due.nextDueAtMs(),
      ...waits.map((inMs) => (inMs === null ? null : nowMs + inMs)),
    ];
    // What is due already, and at rest, is not going to move at this time.
    const ahead = times.flatMap((atMs) => (atMs !== null && Math.ceil(atMs) > nowMs ? [atMs] : []));
    return ahead.length === 0 ? null : Math.min(...ahead);
  }

  #endless(message: string): false {
    this.#troubles.push(mismatch('SUTRA.SCENARIO.NEVER_AT_REST', message, this.#options.scenario.place));
    return false;
  }
}
