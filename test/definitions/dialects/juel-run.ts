/** Translates JUEL and evaluates what comes of it. */
import assert from 'node:assert/strict';
import { type JuelOptions, translateJuel } from '../../../definitions/dialects/juel-translate.ts';
import { compileExpression, TurnBudget } from '../../../definitions/feel.ts';
import { toText } from '../../../definitions/feel/number-text.ts';
import { isFeelNumber } from '../../../definitions/feel/number.ts';
import { type Context, ownProperty, type Value } from '../../../definitions/value.ts';

export const NOW_MS = Date.UTC(2026, 2, 1, 10);

/** The FEEL text; fails for what is refused. */
export function feelOf(juel: string, options: JuelOptions = {}): string {
  const translation = translateJuel(juel, options);
  assert.equal(translation.kind, 'feel', JSON.stringify(translation));
  return translation.text;
}

export function evaluateFeel(text: string, variables: Context): Value {
  return compileExpression(text).evaluate((name) => ownProperty(variables, name), new TurnBudget(NOW_MS));
}

export function evaluateJuel(juel: string, variables: Context): Value {
  return evaluateFeel(feelOf(juel), variables);
}

/** With plain numbers, for those that a plain number can be. */
export function plainNumbers(value: Value): unknown {
  if (isFeelNumber(value)) return Number(toText(value));
  if (Array.isArray(value)) return value.map(plainNumbers);
  return value;
}
