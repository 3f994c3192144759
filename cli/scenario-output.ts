/**
 * Results of scenarios for people and for programs.
 *
 * O1 A scenario is one line; what a name or a value holds cannot begin another one.
 * O2 A failed one says for each mismatch where it is expected, what was expected and what was found, and the path
 *    that was taken.
 */
import type { Finding } from '../config/engine-error.ts';
import type { Mismatch, ScenarioResult } from '../server/scenarios/run-scenarios.ts';

export function formatResult(result: ScenarioResult): string {
  const { name, file, durationMs, mismatches } = result;
  const verdict = result.isPassed ? 'passed' : 'FAILED';
  const lines = [`${verdict}  ${onOneLine(name)} (${onOneLine(file)}, ${String(durationMs)} ms)`];
  if (!result.isPassed) lines.push(...mismatches.flatMap(mismatchLines), ...instanceLines(result));
  return lines.join('\n');
}

function mismatchLines({ code, message, place, expected, found }: Mismatch): readonly string[] {
  const at = [place.file, place.line, place.column].filter((part) => part !== undefined).join(':');
  return [
    `    ${onOneLine(`${at} ${code} ${message}`.trimStart())}`,
    ...(expected === null ? [] : [`        expected: ${onOneLine(expected)}`]),
    ...(found === null ? [] : [`        found:    ${onOneLine(found)}`]),
  ];
}

function instanceLines({ instance }: ScenarioResult): readonly string[] {
  if (instance === null) return ['    no instance was started'];
  const { processId, status, path, waitingAt } = instance;
  const waits = waitingAt.length === 0 ? '' : `, waiting at ${waitingAt.join(', ')}`;
  return [`    ${onOneLine(`${processId} is ${status}${waits}; its path: ${path.join(' → ')}`)}`];
}

export function formatSummary(results: readonly ScenarioResult[], findings: readonly Finding[]): string {
  const failedCount = results.filter(({ isPassed }) => !isPassed).length;
  const unreadable = new Set(findings.map(({ place }) => place.file)).size;
  const parts = [
    `${String(results.length - failedCount)} passed`,
    `${String(failedCount)} failed`,
    ...(unreadable === 0 ? [] : [`${String(unreadable)} not run`]),
  ];
  return parts.join(', ');
}

/** The shape is in docs/scenarios.md. `findings`: of scenario files that cannot be run. */
export function formatResultsJson(results: readonly ScenarioResult[], findings: readonly Finding[]): string {
  const failedCount = results.filter(({ isPassed }) => !isPassed).length;
  return JSON.stringify(
    { passedCount: results.length - failedCount, failedCount, findings, scenarios: results },
    null,
    2,
  );
}

function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
