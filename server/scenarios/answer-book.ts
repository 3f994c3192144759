/**
 * What is answered: for each channel its answers, each used as often as it says, the first that fits first.
 *
 * A1 An answer that does not fit a request is kept for a later one.
 */
import type { Place } from '../../config/engine-error.ts';
import { parseExactJson } from '../../definitions/exact-json.ts';
import { TurnBudget, type CompiledExpression, type CostLimits } from '../../definitions/feel.ts';
import type { Answer, ChannelAnswers } from '../../definitions/scenarios/scenario.ts';
import type { Value } from '../../definitions/value.ts';

/** A task or a call that wants an answer. */
export interface AskedFor {
  readonly channel: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly attempt: number;
  readonly elementId: string;
}

interface Entry {
  readonly answer: Answer;
  /** How often it can still be used. */
  left: number;
}

export class AnswerBook {
  readonly #entries: ReadonlyMap<string, readonly Entry[]>;
  readonly #answers: ReadonlyMap<string, ChannelAnswers>;
  readonly #nowMs: () => number;
  readonly #limits: CostLimits;

  constructor(answers: ReadonlyMap<string, ChannelAnswers>, nowMs: () => number, limits: CostLimits) {
    this.#entries = new Map(
      [...answers].map(([channel, { answers: listed }]) => [
        channel,
        listed.map((answer) => ({ answer, left: answer.times ?? Infinity })),
      ]),
    );
    this.#answers = answers;
    this.#nowMs = nowMs;
    this.#limits = limits;
  }

  /** Channels on which something can still be answered. */
  channels(): readonly string[] {
    return [...this.#entries].flatMap(([channel, entries]) =>
      entries.some(({ left }) => left > 0) ? [channel] : [],
    );
  }

  /** Where the answers on a channel stand. */
  placeOf(channel: string): Place {
    return this.#answers.get(channel)?.place ?? {};
  }

  /** Null: nobody answers this one. @throws FeelEvaluationError, TurnBudgetError of a `when`. */
  take(asked: AskedFor): Answer | null {
    const fitting = this.#entries.get(asked.channel)?.find(({ answer, left }) => {
      return left > 0 && (answer.when === null || this.evaluate(answer.when, asked) === true);
    });
    if (fitting === undefined) return null;
    fitting.left -= 1;
    return fitting.answer;
  }

  /** @throws FeelEvaluationError, TurnBudgetError */
  evaluate(expression: CompiledExpression, asked: AskedFor): Value {
    const { headers, attempt, elementId } = asked;
    const seen: Readonly<Record<string, Value>> = {
      ...{ body: contentOf(asked.contentType, asked.body), headers, attempt, element: elementId },
    };
    return expression.evaluate(
      (name) => (Object.hasOwn(seen, name) ? seen[name] : undefined),
      new TurnBudget(this.#nowMs(), this.#limits),
    );
  }
}

/** A body as a value: JSON as what it says, all else as its text. */
export function contentOf(contentType: string, body: Uint8Array): Value {
  if (/[/+]json\b/i.test(contentType)) {
    const read = parseExactJson(body);
    // What the exact reader accepts is a value.
    if (read.ok) return read.value as Value;
  }
  return new TextDecoder().decode(body);
}
