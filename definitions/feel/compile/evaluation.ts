/**
 * What compiled code has while it runs.
 *
 * V1 An evaluation is synchronous, and is over when its budget is: after an exception nobody goes on with it.
 * V2 Variables are looked up when they are first read, and once: they do not change meanwhile.
 * V3 Calls inside each other are counted by the height of what they run, so that no recursion exhausts the stack.
 * V4 Whoever evaluates another text sets `text`, and sets it back: a place is always one in it.
 */
import type { Place } from '../../../config/engine-error.ts';
import type { Span } from '../ast.ts';
import type { Meter } from '../budget.ts';
import { FeelEvaluationError } from '../errors.ts';
import type { FeelValue, Run, WarningCode } from '../runtime.ts';

/** Gives the value of a variable, or undefined when there is none of that name. */
export type ValueLookup = (name: string) => FeelValue | undefined;

/** Why a value is null, and which part of the expression's text says so. */
export interface Warning extends Span {
  readonly code: WarningCode;
  readonly message: string;
}

/** A text of a file. */
export interface PlacedText {
  /** The place of the character at `index` of the text. */
  readonly placeAt: (index: number) => Place;
}

/**
 * What may be running inside each other, by the heights of nodes (cost.ts). All of it takes half of the stack, of which
 * there is a megabyte; the rest is for who evaluates, and for what goes through deep values.
 */
export const MAX_RUNNING_HEIGHT = 4_000;
/** What a call adds to the height of the function's body: also one that a built-in function makes, from a loop. */
const CALL_HEIGHT = 9;

const nowhere: Span = { from: 0, to: 0 };

function ignore(): void {}

/** A run that knows where it is. */
export class Evaluation implements Run {
  readonly meter: Meter;
  /** The node that is evaluated, as far as it may warn: set before `warn` is called. */
  place: Span = nowhere;
  /** The text that `place` is in. Null: there is but one. */
  text: PlacedText | null = null;
  readonly #onWarning: (warning: Warning, text: PlacedText | null) => void;
  #height = 0;
  #isMuted = false;

  /** @param meter one that has begun */
  constructor(meter: Meter, onWarning: (warning: Warning, text: PlacedText | null) => void = ignore) {
    this.meter = meter;
    this.#onWarning = onWarning;
  }

  /** The run itself, when it is one of these. Any other does not carry on how high the calls are. */
  static of(run: Run): Evaluation {
    if (run instanceof Evaluation) return run;
    return new Evaluation(run.meter, ({ code, message }) => run.warn(code, message));
  }

  warn(code: WarningCode, message: string): void {
    if (this.#isMuted) return;
    const { from, to } = this.place;
    this.#onWarning({ code, message, from, to }, this.text);
  }

  /** What is evaluated has nothing to say. */
  get isMuted(): boolean {
    return this.#isMuted;
  }

  /** Evaluates something only to see what it would be: what it has to say is no matter. */
  evaluateMuted(code: Code, frame: Frame): FeelValue {
    const wasMuted = this.#isMuted;
    this.#isMuted = true;
    const value = code(frame);
    this.#isMuted = wasMuted;
    return value;
  }

  /** A function begins, or a program. @throws FeelEvaluationError when too much is running inside each other */
  enter(height: number): void {
    this.#height += height + CALL_HEIGHT;
    if (this.#height > MAX_RUNNING_HEIGHT) {
      throw new FeelEvaluationError(
        'the functions of the expression call each other, or themselves, too deep',
      );
    }
  }

  /** It has ended. */
  leave(height: number): void {
    this.#height -= height + CALL_HEIGHT;
  }
}

/** The variables of one evaluation of a program (V2). Functions that it gives go on reading these. */
export class Variables {
  readonly #names: readonly string[];
  readonly #lookup: ValueLookup;
  readonly #values: (FeelValue | undefined)[];

  constructor(names: readonly string[], lookup: ValueLookup) {
    this.#names = names;
    this.#lookup = lookup;
    this.#values = new Array<FeelValue | undefined>(names.length);
  }

  /** @param index of the program's names. Undefined: there is none of that name. */
  read(index: number): FeelValue | undefined {
    const known = this.#values[index];
    if (known !== undefined) return known;
    const name = this.#names[index];
    return name === undefined ? undefined : (this.#values[index] = this.#lookup(name));
  }
}

/** What the code of a program, or of the body of a function, works on. */
export class Frame {
  readonly run: Evaluation;
  readonly variables: Variables;
  /** Values of the names that the expression declares, by the numbers that its scopes give them (scope.ts). */
  readonly slots: (FeelValue | undefined)[];

  constructor(run: Evaluation, variables: Variables, slots: (FeelValue | undefined)[]) {
    this.run = run;
    this.variables = variables;
    this.slots = slots;
  }
}

/** A compiled expression. */
export type Code = (frame: Frame) => FeelValue;

/** What each of them gives, in order. */
export function evaluateAll(codes: readonly Code[], frame: Frame): FeelValue[] {
  const values: FeelValue[] = [];
  for (const code of codes) values.push(code(frame));
  return values;
}
