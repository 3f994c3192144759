/**
 * Keeps what the inbound path refuses for good, and takes it in again when a person says so.
 *
 * K1 A message is kept after its refusal: the sender gets the refusal either way, and one that gets no answer at all
 *    sends again.
 * K2 A letter goes in the commit of the turn that it became; two replays of it at once are one turn and one `NOT_FOUND`.
 * K3 A replay that is refused for good leaves the letter with that reason; one that may succeed later changes nothing.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { TurnBudget } from '../../definitions/feel.ts';
import { parseWithValues } from '../../definitions/value-codec.ts';
import type { Value } from '../../definitions/value.ts';
import type { ChannelRoute, LiveDeployment } from '../deployments/routing.ts';
import { sameStart } from '../deployments/start-points.ts';
import type { Log, Meter } from '../observe.ts';
import type { Database } from '../store/database.ts';
import { insertDeadLetters, refuseDeadLetter } from '../store/dead-letters.ts';
import { readDeadLetter, type DeadLetterRow } from '../store/operate-dead-letters.ts';
import type { InboundDelivery } from '../transport.ts';
import { isMessageForGood, keyOfRefused, messageLetter, reasonOf } from './dead-letter.ts';
import { DeadLetterReport } from './dead-letter-report.ts';
import type { LetterCounts } from './dead-letter-settlements.ts';
import { startOf, startTarget } from './process-starts.ts';
import { busyError } from './turn-answers.ts';
import type { SubmitTurn, TurnAnswer, TurnRequest } from './turn.ts';

export interface DeadLettersOptions {
  readonly database: Database;
  readonly submit: SubmitTurn;
  /** As a message of a channel becomes a turn. @throws EngineError of the refusal. */
  readonly requestOf: (delivery: InboundDelivery) => TurnRequest;
  readonly live: () => readonly LiveDeployment[];
  /** For the expressions of one message. */
  readonly budget: () => TurnBudget;
  readonly maxCount: number;
  readonly meter: Meter;
  readonly log: Log;
}

/** What takes the place of a message's own. Undefined: the letter's. */
export interface LetterCorrection {
  readonly body: Uint8Array | undefined;
  readonly contentType: string | undefined;
}

export interface ReplayedLetter {
  readonly instanceId: string;
  /** The message had been taken before: nothing was done. */
  readonly isDuplicate: boolean;
}

/** How often a letter is read again that has changed under its replay. */
const MAX_READS = 3;

export class DeadLetters {
  readonly #options: DeadLettersOptions;
  readonly #report: DeadLetterReport;

  constructor(options: DeadLettersOptions) {
    this.#options = options;
    this.#report = new DeadLetterReport(options);
  }

  /** Of a commit. */
  counted(counts: LetterCounts): void {
    this.#report.counted(counts);
  }

  /** Answers the error to be thrown: the refusal itself, with the letter's id when there is one. Never throws. */
  async keep(route: ChannelRoute, delivery: InboundDelivery, refusal: unknown): Promise<unknown> {
    const { channel } = route;
    if (!channel.keepsDeadLetters || !(refusal instanceof EngineError) || !isMessageForGood(refusal)) {
      return refusal;
    }
    const { database, budget, maxCount, log } = this.#options;
    const letter = messageLetter(route, delivery, keyOfRefused(route, delivery, budget()), refusal);
    try {
      const [kept] = await insertDeadLetters(database, [letter], maxCount);
      if (kept === undefined) {
        this.counted({ kept: [], dropped: ['message'] });
        return refusal;
      }
      if (kept.attempts === 1) this.counted({ kept: ['message'], dropped: [] });
      return refusalOf(kept.id, refusal);
    } catch (error) {
      log.error('dead-letter.not-kept', {
        channel: channel.name,
        code: refusal.code,
        cause: labelOf(error),
      });
      return refusal;
    }
  }

  /**
   * Takes it in as if it came now. Only messages can be corrected.
   * @throws EngineError SUTRA.DEAD_LETTER.NOT_FOUND, SUTRA.DEAD_LETTER.NOT_A_MESSAGE, SUTRA.DEAD_LETTER.START_GONE, or
   *   with the code of the refusal.
   */
  async replay(id: string, correction: LetterCorrection | null): Promise<ReplayedLetter> {
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const letter = await readDeadLetter(this.#options.database, id);
      if (letter === null) {
        throw new EngineError('SUTRA.DEAD_LETTER.NOT_FOUND', `There is no dead letter ${id}.`, {
          attributes: { deadLetterId: id },
        });
      }
      if (correction !== null && letter.kind !== 'message') {
        throw new EngineError(
          'SUTRA.DEAD_LETTER.NOT_A_MESSAGE',
          `Dead letter ${id} is a ${letter.kind}; only the body of a message can be corrected.`,
          { attributes: { deadLetterId: id } },
        );
      }
      const replayed = await this.#replay(letter, correction);
      if (replayed !== null) return replayed;
    }
    throw busyError(id);
  }

  /** Null: the letter has gone or changed since it was read. */
  async #replay(letter: DeadLetterRow, correction: LetterCorrection | null): Promise<ReplayedLetter | null> {
    const { id, attempts } = letter;
    try {
      const request = this.#requestOf(letter, correction);
      const detail = { command: 'replay', reason: null, deadLetterId: id };
      const answer = await this.#options.submit({
        ...request,
        settles: { kind: 'deadLetter', id, attempts },
        cause: { event: 'commandReceived', elementId: null, detail },
      });
      if (answer.kind === 'gone') return null;
      if (answer.kind === 'refused') throw answer.error;
      if (answer.kind === 'busy') throw busyError(id);
      const taken = takenAs(answer);
      if (taken === null) throw new Error(`the replay of letter ${id} was answered ${answer.kind}`);
      this.#count(taken.isDuplicate ? 'duplicate' : 'applied');
      return taken;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (isMessageForGood(error)) {
        this.#count('refused');
        await refuseDeadLetter(this.#options.database, id, reasonOf(error));
      }
      throw refusalOf(id, error);
    }
  }

  #requestOf(letter: DeadLetterRow, correction: LetterCorrection | null): TurnRequest {
    const { tenant, module, channel, headers } = letter;
    if (letter.kind !== 'message' || channel === null) return this.#startOf(letter);
    return this.#options.requestOf({
      ...{ tenant, module, channel, headers },
      contentType: correction?.contentType ?? letter.contentType,
      body: correction?.body ?? letter.body,
    });
  }

  /** In the deployment that is active now: it may be the one with the cause removed. */
  #startOf({
    tenant,
    module,
    processId,
    startEventId,
    trigger,
    signalName,
    body,
  }: DeadLetterRow): TurnRequest {
    const wanted = { tenant, module, processId: processId ?? '', startEventId: startEventId ?? '' };
    const start = sameStart(this.#options.live(), { ...wanted, trigger: trigger ?? 0, signalName });
    if (start === null) {
      throw new EngineError(
        'SUTRA.DEAD_LETTER.START_GONE',
        `No active deployment of ${tenant}/${module} has the start event ${wanted.startEventId} of process ${wanted.processId} any more.`,
        { attributes: { ...wanted, retryable: false } },
      );
    }
    const signal = signalName === null ? {} : { signal: parseWithValues(body.toString('utf8')) as Value };
    const target = startTarget(start, startOf(start.startEventId, { trigger: start.trigger, ...signal }));
    return {
      ...{ shardKey: target.instanceId, dedup: null, settles: null },
      ...{ targets: [target], isBroadcast: false },
    };
  }

  #count(outcome: 'applied' | 'duplicate' | 'refused'): void {
    this.#options.meter.add('sutra_dead_letters_replayed_total', 1, { outcome });
  }
}

/** Null: it was not taken. Of a broadcast the first instance is named. */
function takenAs(answer: TurnAnswer): ReplayedLetter | null {
  if (answer.kind === 'duplicate') return { instanceId: answer.instanceId, isDuplicate: true };
  const first = answer.kind === 'applied' ? answer.instances[0] : undefined;
  return first === undefined ? null : { instanceId: first.instanceId, isDuplicate: false };
}

/** Never the message: that of a database may show what it was given. */
function labelOf(error: unknown): string {
  if (error instanceof EngineError) return error.code;
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? `${error.name} ${String(error.code)}` : error.name;
}

/** The same refusal, which names the letter. */
function refusalOf(deadLetterId: string, refusal: EngineError): EngineError {
  const { code, message, attributes, place } = refusal;
  return new EngineError(code, message, {
    attributes: { ...attributes, deadLetterId },
    ...(place === undefined ? {} : { place }),
    cause: refusal,
  });
}
