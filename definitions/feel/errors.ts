/** What goes wrong with an expression: when it is compiled, and when it is evaluated. */

/** The text is not an expression that the engine can run. Lines and columns start at 1. */
export class FeelSyntaxError extends Error {
  readonly code = 'SUTRA.FEEL.SYNTAX_INVALID' as const;
  /** Relative to the text given to `compileExpression`. */
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.name = 'FeelSyntaxError';
    this.line = line;
    this.column = column;
  }
}

/** The library threw, or the result is nothing that a variable can hold. Never carries a value. */
export class FeelEvaluationError extends Error {
  readonly code = 'SUTRA.FEEL.EVALUATION_FAILED' as const;

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'FeelEvaluationError';
  }
}
