/** Expressions of BPMN that are written in JUEL. */
import type { XmlElement } from '../xml/document.ts';
import { type DialectContext, made } from './dialect-context.ts';
import { feelOfJuel } from './juel-written.ts';
import { writtenText } from '../written.ts';

const EXPRESSIONS: ReadonlySet<string> = new Set([
  'conditionExpression',
  'condition',
  'loopCardinality',
  'completionCondition',
  'loopCondition',
  'activationCondition',
  'timeDuration',
  'timeDate',
  'timeCycle',
  'transformation',
  'from',
]);

/** `#{` is that of other engines too. */
export function startsAsJuel(text: string): boolean {
  return /^\s*\$\{/.test(text);
}

export function isJuelExpression(text: string): boolean {
  return /^\s*[$#]\{/.test(text);
}

/** Null: the element is no such expression. */
export function translateExpression(context: DialectContext, element: XmlElement): XmlElement | null {
  if (!EXPRESSIONS.has(element.localName) || !isJuelExpression(element.text)) return null;
  const feel = feelOfJuel(context, writtenText(context.document, element));
  // Reported: the reader need not say it again.
  return context.make.feel(element, feel ?? made(context, element, 'null'));
}
