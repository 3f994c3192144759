/** Expressions in JUEL, as texts with places. */
import { shown } from '../xml/shown.ts';
import type { DialectContext } from './dialect-context.ts';
import { translateJuel } from './juel-translate.ts';
import { rewritten, stringLiteral, type Written } from '../written.ts';

const JUEL = /[$#]\{/;

export function isJuel(text: string): boolean {
  return JUEL.test(text);
}

/** What those engines call what is called otherwise here. Their `loopCounter` counts from 0, that of BPMN from 1. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ['nrOfInstances', 'numberOfInstances'],
  ['nrOfActiveInstances', 'numberOfActiveInstances'],
  ['nrOfCompletedInstances', 'numberOfCompletedInstances'],
  ['loopCounter', 'loopCounter - 1'],
  ['execution.processBusinessKey', 'businessKey'],
  ['execution.businessKey', 'businessKey'],
]);

/** `${…}` as FEEL; null when it has no translation, which was reported. */
export function feelOfJuel(context: DialectContext, juel: Written): Written | null {
  const translation = tryJuel(juel);
  if (typeof translation !== 'string') return translation;
  const refused = translateJuel(juel.text, { replacements: REPLACEMENTS });
  const offset = refused.kind === 'refused' ? refused.offset : 0;
  const message = `${shown(juel.text.trim())} is not translated into FEEL: ${translation}`;
  context.report.at('SUTRA.DIALECT.EXPRESSION_REFUSED', juel.inside(offset), message);
  return null;
}

/** As `feelOfJuel`; a text: why it has no translation. Nothing is reported. */
export function tryJuel(juel: Written): Written | string {
  const translation = translateJuel(juel.text, { replacements: REPLACEMENTS });
  return translation.kind === 'refused'
    ? translation.message
    : rewritten(juel, translation.text, translation.offsets);
}

/** A value that may be JUEL and else is a text. */
export function feelOfValue(context: DialectContext, written: Written): Written | null {
  return isJuel(written.text) ? feelOfJuel(context, written) : stringLiteral(written);
}
