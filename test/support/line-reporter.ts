/**
 * A reporter for the runner's children: one JSON line an event, on file descriptor 3, written at once,
 * so that the runner knows what was running when a child hangs or dies.
 */
import { writeSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** What the runner reads, line by line. */
export type TestLine =
  /** In the order in which they run; tests of one file may overlap. */
  | { readonly kind: 'started' | 'completed'; readonly name: string; readonly nesting: number }
  /** In the order in which they are declared, children before their parent. */
  | {
      readonly kind: 'ended';
      readonly name: string;
      readonly nesting: number;
      readonly isSuite: boolean;
      readonly hasPassed: boolean;
      /** `skipped` or `todo`, with the reason if one was given. */
      readonly leftOut: string | null;
      /** A parent that failed only because a child did. */
      readonly isEcho: boolean;
      readonly error: string | null;
    }
  | { readonly kind: 'diagnostic'; readonly message: string }
  /**
   * The root ended in an orderly way; without it the process left before its tests did. With the processor's time
   * that the process had, its threads included, but not what it started.
   */
  | { readonly kind: 'finished'; readonly cpuMs: number };

export const REPORT_FD = 3;

/** What the name of the test begins with that stands before those of a file. */
export const FILE_MARK = 'file: ';

async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    const line = toLine(event);
    if (line !== null) {
      writeSync(REPORT_FD, `${JSON.stringify(line)}\n`);
    }
  }
  yield '';
}

function toLine(event: TestEvent): TestLine | null {
  switch (event.type) {
    case 'test:dequeue':
      return { kind: 'started', name: event.data.name, nesting: event.data.nesting };
    case 'test:complete':
      return { kind: 'completed', name: event.data.name, nesting: event.data.nesting };
    case 'test:pass':
    case 'test:fail': {
      const { name, nesting, skip, todo, details } = event.data;
      const failure = 'error' in details ? details.error : null;
      return {
        kind: 'ended',
        name,
        nesting,
        isSuite: details.type === 'suite',
        hasPassed: event.type === 'test:pass',
        leftOut: describeLeftOut('skipped', skip) ?? describeLeftOut('todo', todo),
        isEcho: failure !== null && 'failureType' in failure && failure.failureType === 'subtestsFailed',
        error: failure === null ? null : inspect(failure.cause, { depth: 6 }),
      };
    }
    case 'test:diagnostic':
      return { kind: 'diagnostic', message: event.data.message };
    case 'test:plan':
      return event.data.nesting === 0 ? { kind: 'finished', cpuMs: usedMs() } : null;
    default:
      return null;
  }
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function describeLeftOut(word: string, mark: string | boolean | undefined): string | null {
  if (mark === undefined || mark === false) {
    return null;
  }
  return typeof mark === 'string' && mark !== '' ? `${word}: ${mark}` : word;
}

// eslint-disable-next-line no-restricted-syntax -- the runtime loads a reporter by its default export
export { report as default };
