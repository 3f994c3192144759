/**
 * Variables as clients of Camunda send and read them, `{name: {type, value, valueInfo}}`, and as a process has them
 * (typed-values.ts says how).
 *
 * V1 The note of a value's type is a variable of its own beside it, named as the value with `@camundaType` after it. So it
 *    goes wherever the value goes, and no two of them are ever merged. Clients never see one, nor can they set one.
 * V2 A transient variable is kept as any other: what is not to be stored is for the model to say.
 */
import { quoteText } from '../../../../config/quote-text.ts';
import { isContext, ownProperty, type Context, type Value } from '../../../../definitions/value.ts';
import { requestInvalid } from './camunda-request.ts';
import { markOf, readTyped, TYPE_TAG, writeTyped, type CamundaVariable } from './typed-values.ts';

export type { CamundaVariable } from './typed-values.ts';

const MAX_TYPE_LENGTH = 255;
const FIELDS: ReadonlySet<string> = new Set(['type', 'value', 'valueInfo']);

/**
 * `value`: as `parseExactJson` read it; null is as good as none. `at` names it in messages.
 * @throws EngineError SUTRA.COMPAT.REQUEST_INVALID
 */
export function readVariables(value: unknown, at: string): Context {
  const variables = (value ?? {}) as Value;
  if (!isContext(variables))
    throw requestInvalid(at, 'must be a JSON object with a property for each variable');
  const entries: [string, Value][] = [];
  for (const [name, typed] of Object.entries(variables)) {
    const place = `${at}.${quoteText(name.slice(0, 100))}`;
    if (name === '' || isNote(name))
      throw requestInvalid(place, `is no name of a variable: ${TYPE_TAG} is for notes of types`);
    const { value: held, note } = readVariable(typed, place);
    entries.push([name, held]);
    if (note !== null) entries.push([noteOf(name), note]);
  }
  return Object.fromEntries(entries);
}

/** All of them, or those that are named, in the order of the context. */
export function writeVariables(
  variables: Context,
  names: ReadonlySet<string> | null = null,
): Readonly<Record<string, CamundaVariable>> {
  const written: [string, CamundaVariable][] = [];
  for (const [name, value] of Object.entries(variables)) {
    if (isNote(name) || (names !== null && !names.has(name))) continue;
    written.push([name, writeTyped(value, ownProperty(variables, noteOf(name)))]);
  }
  return Object.fromEntries(written);
}

/** Null: there is no variable of that name. */
export function writeVariableOf(variables: Context, name: string): CamundaVariable | null {
  return writeVariables(variables, new Set([name]))[name] ?? null;
}

/** A value that nothing stands beside. */
export function writeVariable(value: Value): CamundaVariable {
  return writeTyped(value, undefined);
}

export interface FileContent {
  readonly bytes: Uint8Array;
  /** Null of a value of the type Bytes. */
  readonly filename: string | null;
  readonly mimetype: string | null;
  readonly encoding: string | null;
}

/** What a value of the types File and Bytes holds. Null: it is none. */
export function fileOf(value: Value | undefined): FileContent | null {
  const mark = markOf(value);
  if (mark === null || (mark.type !== 'File' && mark.type !== 'Bytes')) return null;
  const textOf = (key: string): string | null => {
    const text = ownProperty(mark.info, key);
    return typeof text === 'string' ? text : null;
  };
  return {
    bytes: Buffer.from(typeof mark.value === 'string' ? mark.value : '', 'base64'),
    filename: textOf('filename'),
    mimetype: textOf('mimetype'),
    encoding: textOf('encoding'),
  };
}

/** The variable that holds the note of another: to be removed with it. */
export function noteOf(name: string): string {
  return `${name}${TYPE_TAG}`;
}

export function isNote(name: string): boolean {
  return name.endsWith(TYPE_TAG);
}

function readVariable(typed: Value, at: string): ReturnType<typeof readTyped> {
  if (!isContext(typed)) throw requestInvalid(at, 'must be a JSON object with type, value and valueInfo');
  for (const field of Object.keys(typed)) {
    if (!FIELDS.has(field))
      throw requestInvalid(`${at}.${quoteText(field.slice(0, 100))}`, 'is no field of a variable');
  }
  const type = ownProperty(typed, 'type') ?? null;
  if (type !== null && (typeof type !== 'string' || type === '' || type.length > MAX_TYPE_LENGTH)) {
    throw requestInvalid(`${at}.type`, `must be a string of 1 to ${String(MAX_TYPE_LENGTH)} characters`);
  }
  const info = ownProperty(typed, 'valueInfo') ?? {};
  if (!isContext(info)) throw requestInvalid(`${at}.valueInfo`, 'must be a JSON object');
  const { transient: isTransient = null, ...rest } = info;
  if (isTransient !== null && typeof isTransient !== 'boolean') {
    throw requestInvalid(`${at}.valueInfo.transient`, 'must be true or false');
  }
  return readTyped(type, ownProperty(typed, 'value') ?? null, withoutNulls(rest), at);
}

/** Clients in Java write what they do not say as null. */
function withoutNulls(info: Context): Context {
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== null));
}
