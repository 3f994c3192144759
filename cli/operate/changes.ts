/**
 * One change to many things of an engine, some at once.
 *
 * B1 Each id is sent once, and each that may have been changed has exactly one result, refusals included.
 * B2 What would meet all others as well (no engine, a wrong key) ends it: no further id is sent. Those under way are
 *    waited for, and their results are kept.
 */
import { cliCodes } from '../codes.ts';
import { EngineError } from '../../config/engine-error.ts';
import { Refusal } from './client.ts';
import { rowsOf, textOf, type Row } from './row.ts';
import { onOneLine } from './table.ts';

/** `answer`: the engine's own; null: there is an error instead. */
export interface ChangeResult {
  readonly id: string;
  readonly answer: Row | null;
  /** `reasons`: all that is in the way, where the engine says so. */
  readonly error: {
    readonly code: string;
    readonly detail: string;
    readonly reasons?: readonly Row[];
  } | null;
  /** What was done, in a word, where an instance that is failed afterwards was not failed by it. */
  readonly done?: string;
}

/** Sends the ids, at most `concurrency` at once. @throws what ended it (B2), after all results were taken. */
export async function changeEach(
  ids: readonly string[],
  concurrency: number,
  send: (id: string) => Promise<Row>,
  take: (result: ChangeResult) => void,
): Promise<void> {
  const waiting = ids.values();
  const ends: unknown[] = [];
  const sendWaiting = async (): Promise<void> => {
    for (const id of waiting) {
      if (ends.length > 0) return;
      try {
        take({ id, answer: await send(id), error: null });
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        const isOfTheCaller = error instanceof Refusal && error.isOfTheCaller;
        if (isOfTheCaller || !(error instanceof Refusal)) ends.push(error);
        // A wrong key is said once, not for each id.
        if (!isOfTheCaller) take({ id, answer: null, error: refusalOf(error) });
      }
    }
  };
  const senders = Array.from({ length: Math.min(concurrency, ids.length) }, sendWaiting);
  const settled = await Promise.allSettled(senders);
  const bug = settled.find((each) => each.status === 'rejected');
  if (bug !== undefined) throw bug.reason;
  if (ends.length > 0) throw ends[0];
}

function refusalOf(error: EngineError): NonNullable<ChangeResult['error']> {
  const reasons = rowsOf(error.attributes, 'reasons');
  return { code: error.code, detail: error.message, ...(reasons.length === 0 ? {} : { reasons }) };
}

/** An instance that was run again and has failed again was not helped. */
export function isDone({ answer, done }: ChangeResult): boolean {
  return answer !== null && (done !== undefined || textOf(answer, 'status') !== 'failed');
}

/** One line: the id, and what became of it. */
export function resultLine(result: ChangeResult): string {
  const { id, answer, error } = result;
  if (error !== null) {
    return `${id}  ${isUnknown(result) ? 'unknown' : 'refused'}: ${onOneLine(error.detail)} [${error.code}]`;
  }
  if (!isDone(result)) return `${id}  failed again: sutra instance ${id}`;
  const status = (answer === null ? null : textOf(answer, 'status'))?.toLowerCase() ?? 'done';
  return `${id}  ${result.done === undefined ? '' : `${result.done}, `}${status}`;
}

/** The engine gave no answer: it may have done it. */
export function isUnknown({ error }: ChangeResult): boolean {
  return error !== null && Object.hasOwn(cliCodes, error.code);
}

/** `3 instances: 2 done, 1 refused`. */
export function changeSummary(results: readonly ChangeResult[], noun: string): string {
  const done = results.filter(isDone).length;
  const unknown = results.filter(isUnknown).length;
  const refused = results.filter(({ error }) => error !== null).length - unknown;
  const others = [
    [results.length - done - refused - unknown, 'failed again'],
    [refused, 'refused'],
    [unknown, 'unknown'],
  ] as const;
  const said = others.filter(([number]) => number > 0).map(([number, word]) => `${String(number)} ${word}`);
  return [`${inWords(results.length, noun)}: ${String(done)} done`, ...said].join(', ');
}

export function inWords(number: number, noun: string): string {
  if (number === 1) return `1 ${noun}`;
  return `${String(number)} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** `idField`: the name that the engine's answer has for the id; a refused one has it too. */
export function resultsJson(results: readonly ChangeResult[], idField: string): Row {
  return {
    isDryRun: false,
    doneCount: results.filter(isDone).length,
    notDoneCount: results.filter((result) => !isDone(result)).length,
    results: results.map(({ id, answer, error }) => ({ ...(answer ?? { [idField]: id }), error })),
  };
}
