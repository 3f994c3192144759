/** What a decision is evaluated with, as the command line has it: one JSON object. */
import { EngineError } from '../config/engine-error.ts';
import { quoteText } from '../config/quote-text.ts';
import type { Decision } from '../definitions/dmn/decisions.ts';
import { parseExactJson } from '../definitions/exact-json.ts';
import { nearestName } from '../definitions/nearest-name.ts';
import { isContext, type Context, type Value } from '../definitions/value.ts';
import type { CliCode } from './codes.ts';

/** Names that a message lists. */
const MAX_LISTED = 10;

/** @throws EngineError SUTRA.CLI.INPUT_INVALID */
export function readInputs(json: Uint8Array): Context {
  const code: CliCode = 'SUTRA.CLI.INPUT_INVALID';
  const read = parseExactJson(json);
  if (!read.ok) throw new EngineError(code, `the input is not taken: ${read.message}`);
  const value = read.value as Value;
  if (isContext(value)) return value;
  throw new EngineError(code, 'the input must be a JSON object, with a value for each input of the decision');
}

/** What nothing reads is most likely misspelt. @throws EngineError SUTRA.CLI.INPUT_UNKNOWN */
export function refuseUnknownInputs(inputs: Context, decisions: readonly Decision[]): void {
  const known = new Set(decisions.flatMap((decision) => decision.inputs.map(({ name }) => name)));
  for (const name of Object.keys(inputs)) {
    if (known.has(name)) continue;
    const code: CliCode = 'SUTRA.CLI.INPUT_UNKNOWN';
    const message = `no decision takes the input ${quoteText(name)}${suggestion(name, known)}`;
    throw new EngineError(code, message);
  }
}

/**
 * A decision, a decision service or a knowledge model, by its id or else by its name.
 * @throws EngineError SUTRA.CLI.DECISION_UNKNOWN
 */
export function findDecision(reference: string, decisions: readonly Decision[]): Decision {
  const wanted = withSingleSpaces(reference);
  const found =
    decisions.find(({ id }) => id === reference) ??
    decisions.find(({ name }) => withSingleSpaces(name) === wanted);
  if (found !== undefined) return found;
  const code: CliCode = 'SUTRA.CLI.DECISION_UNKNOWN';
  const known = decisions.flatMap(({ id, name }) => (id === null ? [name] : [name, id]));
  const message = `the model has no decision ${quoteText(reference)}${suggestion(reference, known)}`;
  throw new EngineError(code, message);
}

/** The nearest name, or what there is when none is near. */
function suggestion(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known);
  if (near !== null) return `; did you mean ${quoteText(near)}?`;
  const names = [...known];
  if (names.length === 0) return '; there are none';
  const more = names.length > MAX_LISTED ? ', …' : '';
  return `; there are ${names.slice(0, MAX_LISTED).map(quoteText).join(', ')}${more}`;
}

/** As FEEL reads names. */
function withSingleSpaces(name: string): string {
  return name.trim().replaceAll(/\s+/g, ' ');
}
