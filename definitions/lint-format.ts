/**
 * Findings as text, for people, and as JSON, for programs. SARIF is in lint-sarif.ts.
 *
 * T1 A finding is one line that editors can read, `file:line:column severity code message`; what a message holds
 *    cannot begin another one.
 * T2 Nothing in a text controls a terminal, but the colours that were asked for.
 */
import type { CodeTable, Finding } from '../config/engine-error.ts';
import { lintCodes } from './lint-checks/codes.ts';

export interface TextOptions {
  /** With them a remedy follows each finding that has one of its own, on a line that is indented. */
  readonly codes?: CodeTable;
  /** Default: false. */
  readonly isColoured?: boolean;
}

/** The lines of the findings and a summary, without a line break at the end. */
export function formatFindings(
  findings: readonly Finding[],
  { codes = {}, isColoured = false }: TextOptions = {},
): string {
  const { errorCount, warningCount } = countFindings(findings);
  const summary = `${inWords(errorCount, 'error')}, ${inWords(warningCount, 'warning')}`;
  const lines = findings.flatMap((finding) => {
    const remedy = remedyOf(finding.code, codes);
    const isNews = remedy !== null && !isSaidBy(finding, remedy);
    return [formatFinding(finding, isColoured), ...(isNews ? [`    ${remedy}`] : [])];
  });
  return [...lines, summary].join('\n');
}

/** Shape: docs/lint.md. A finding has its remedy, or null. */
export function formatFindingsJson(findings: readonly Finding[], codes: CodeTable): string {
  const listed = findings.map(({ code, severity, message, place }) => {
    return { code, severity, message, remedy: remedyOf(code, codes), place };
  });
  return JSON.stringify({ ...countFindings(findings), findings: listed }, null, 2);
}

export function countFindings(findings: readonly Finding[]): {
  readonly errorCount: number;
  readonly warningCount: number;
} {
  const errorCount = findings.filter(({ severity }) => severity === 'error').length;
  return { errorCount, warningCount: findings.length - errorCount };
}

/** The table is written for those who deploy: this much of a remedy says nothing to those who read a file with its findings. */
const SAID_ALREADY = [
  /^Nothing was deployed\. /,
  /^Correct the \w+ at the (?:named|reported) line and column\b.*$/,
] as const;

/** What to do about a finding beyond what it says itself, or null. */
export function remedyOf(code: string, codes: CodeTable): string | null {
  const row = Object.hasOwn(codes, code) ? codes[code] : undefined;
  const remedy = SAID_ALREADY.reduce((text, part) => text.replace(part, ''), row?.remedy ?? '');
  return remedy === '' ? null : remedy;
}

/** Each sentence of lint's own checks says what to do itself. */
function isSaidBy({ code, message }: Finding, remedy: string): boolean {
  const said = remedy.replace(/\.$/, '').toLowerCase();
  return Object.hasOwn(lintCodes, code) || message.toLowerCase().includes(said);
}

function inWords(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

const colours = { error: 31, warning: 33 } as const satisfies Record<Finding['severity'], number>;

function formatFinding({ code, severity, message, place }: Finding, isColoured: boolean): string {
  const position = [place.file ?? '(package)', place.line, place.column]
    .filter((part) => part !== undefined)
    .join(':');
  const element = place.elementId === undefined ? '' : ` [${place.elementId}]`;
  const shown = isColoured ? `\u001b[${colours[severity]}m${severity}\u001b[39m` : severity;
  return `${onOneLine(position)} ${shown} ${code}${onOneLine(`${element} ${message}`)}`;
}

/** T1, T2 */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
