/**
 * The one coded error of the project, and the shape of the tables that document its codes.
 *
 * It lives in the lowest folder so that every other folder can throw it; each folder keeps its own
 * `codes.ts` table, and `docs/errors.md` is generated from all of them.
 */

/** One documented error code. `remedy` is written for the operator at three in the morning. */
export interface CodeRow {
  readonly httpStatus: number;
  /** Can the caller repeat the same request? `safe`: yes; `after-change`: once the cause is gone. */
  readonly retry: 'safe' | 'never' | 'after-change';
  readonly meaning: string;
  readonly remedy: string;
}

/** A folder's codes. Declare with `as const satisfies CodeTable` so that keys stay literal types. */
export type CodeTable = Readonly<Record<string, CodeRow>>;

/** Where in an author's or operator's file something is wrong. Lines and columns start at 1. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The BPMN element id, when the file is a model. */
  readonly elementId?: string;
}

/** A fault or a warning in a file, as `lint`, a refused deployment and the boot report show it. */
export interface Finding {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** One sentence that names the value and the bound, and what to do. */
  readonly message: string;
  readonly place: Place;
}

export interface EngineErrorOptions {
  /** Facts for programs: ids, limits, cause codes. Never a payload, a token or a secret. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly place?: Place;
  readonly cause?: unknown;
}

/** An error with a stable code. Callers match on `code`, never on the message. */
export class EngineError extends Error {
  readonly code: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly place: Place | undefined;

  constructor(code: string, message: string, options: EngineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EngineError';
    this.code = code;
    this.attributes = options.attributes ?? {};
    this.place = options.place;
  }
}
