/**
 * Values with Camunda's types as values of ours, and back, one at a time; variables.ts is for whole sets of them.
 *
 * W1 What a client sets comes back with its type and its value, numbers with all their digits.
 * W2 The process sees the plainest form that there is: a Long is a number, a Json what it holds, a Date a text that FEEL's
 *    `date and time` reads. Only what has no such form is a context with a mark: Bytes, File, Object, Xml, foreign types.
 * W3 The type is in the value where it can be (its natural type, or the mark). Else a note goes with it, `Long 5`, which
 *    holds as long as the value is that one: whoever sets another value sets its natural type.
 *
 * A Date is RFC 3339 text with milliseconds and the offset `-00:00`: of an instant without a place, as a date of Java is,
 * and different from what programs write of times (`Z`, `+00:00`). A String of that form has a note.
 */
import { quoteText } from '../../../../config/quote-text.ts';
import { parseExactJsonText } from '../../../../definitions/exact-json.ts';
import { compare, isFeelNumber, type FeelNumber } from '../../../../definitions/feel/number.ts';
import { readNumberLiteral } from '../../../../definitions/number-literal.ts';
import { toPlainJson } from '../../../../definitions/plain-json.ts';
import { isContext, Temporal, type Context, type Value } from '../../../../definitions/value.ts';
import { requestInvalid } from './camunda-request.ts';
import { camundaDate } from './engine-ids.ts';

/** The key of the mark in a context, and the end of the name of a note. */
export const TYPE_TAG = '@camundaType';

export interface CamundaVariable {
  readonly type: string;
  readonly value: unknown;
  readonly valueInfo: Readonly<Record<string, unknown>>;
}

/** A value of ours, and the note that it needs. */
export interface TypedValue {
  readonly value: Value;
  readonly note: string | null;
}

type Info = Readonly<Record<string, Value>>;
type Reader = (value: Value, at: string, info: Info) => TypedValue;

const WHOLE_NUMBERS = {
  Short: { min: -(2 ** 15), max: 2 ** 15 - 1 },
  Integer: { min: -(2 ** 31), max: 2 ** 31 - 1 },
  Long: { min: literal('-9223372036854775808'), max: literal('9223372036854775807') },
} as const satisfies Record<string, { min: FeelNumber; max: FeelNumber }>;

/** Doubles that no number is. */
const NO_NUMBERS: readonly unknown[] = ['NaN', 'Infinity', '-Infinity'];
const DATE_TEXT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-00:00$/;
const CAMUNDA_DATE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?)(?:Z|([+-]\d\d):?(\d\d))$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** By the type in lower case: clients spell types in any case. */
const readers: ReadonlyMap<string, { readonly type: string; readonly read: Reader }> = new Map(
  Object.entries({
    Null: readNull,
    String: readString,
    Boolean: readBoolean,
    Short: readWhole('Short'),
    Integer: readWhole('Integer'),
    Long: readWhole('Long'),
    Double: readDouble,
    Date: readDate,
    Json: readJsonText,
    Bytes: readBytes,
    File: readFile,
    Xml: readXml,
    Object: (value, _at, info) => marked('Object', value, info),
  } satisfies Record<string, Reader>).map(([type, read]) => [type.toLowerCase(), { type, read }]),
);

/** Types whose `valueInfo` says nothing beyond `transient`. */
const PLAIN_TYPES: ReadonlySet<string> = new Set([
  ...Object.keys(WHOLE_NUMBERS),
  'Null',
  'String',
  'Boolean',
  'Double',
  'Date',
  'Json',
]);

/** @throws EngineError SUTRA.COMPAT.REQUEST_INVALID naming `at`. */
export function readTyped(type: string | null, value: Value, info: Info, at: string): TypedValue {
  if (type === null) return readUntyped(value);
  const known = readers.get(type.toLowerCase());
  if (known === undefined) return marked(type, value, info);
  if (PLAIN_TYPES.has(known.type)) {
    const [key] = Object.keys(info);
    if (key !== undefined)
      throw requestInvalid(`${at}.valueInfo`, `of the type ${known.type} cannot have ${quoteText(key)}`);
    if (value === null) return noted(known.type, null);
  }
  return known.read(value, at, info);
}

/** `note`: what stands beside the value, if anything does. */
export function writeTyped(value: Value, note: Value | undefined): CamundaVariable {
  const mark = markOf(value);
  if (mark !== null) {
    return { type: mark.type, value: mark.type === 'File' ? null : mark.value, valueInfo: mark.info };
  }
  const type = notedType(value, note) ?? naturalType(value);
  return { type, value: valueFor(type, value), valueInfo: {} };
}

export interface Mark {
  readonly type: string;
  readonly value: Value;
  readonly info: Info;
}

/** Null: the value is not marked. */
export function markOf(value: Value | undefined): Mark | null {
  if (!isContext(value) || !Object.hasOwn(value, TYPE_TAG)) return null;
  const { [TYPE_TAG]: type, value: held = null, valueInfo = {}, ...rest } = value;
  if (typeof type !== 'string' || !isContext(valueInfo) || Object.keys(rest).length > 0) return null;
  return { type, value: held, info: valueInfo };
}

function marked(type: string, value: Value, info: Info): TypedValue {
  const context: Context = {
    [TYPE_TAG]: type,
    value,
    ...(Object.keys(info).length === 0 ? {} : { valueInfo: info }),
  };
  return { value: context, note: null };
}

function noted(type: string, value: Value): TypedValue {
  // What looks like a mark and is none must become one, or it would be read as that.
  if (type === 'Json' && markOf(value) !== null) return marked('Json', toPlainJson(value), {});
  return { value, note: naturalType(value) === type ? null : `${type} ${toPlainJson(value)}` };
}

function notedType(value: Value, note: Value | undefined): string | null {
  if (typeof note !== 'string') return null;
  const type = note.slice(0, note.indexOf(' '));
  return note === `${type} ${toPlainJson(value)}` && PLAIN_TYPES.has(type) ? type : null;
}

/** The type of a value that nothing is said about. */
function naturalType(value: Value): string {
  if (value === null) return 'Null';
  if (typeof value === 'boolean') return 'Boolean';
  if (typeof value === 'string') return DATE_TEXT.test(value) ? 'Date' : 'String';
  if (isFeelNumber(value)) {
    if (isWhole('Integer', value)) return 'Integer';
    return isWhole('Long', value) ? 'Long' : 'Double';
  }
  return Array.isArray(value) || isContext(value) ? 'Json' : 'String';
}

function valueFor(type: string, value: Value): unknown {
  // JSON's own null is a value of that type, too: the text `null`.
  if (type === 'Json') return toPlainJson(value);
  if (value instanceof Temporal) return value.text;
  if (type === 'Date' && typeof value === 'string') return camundaDate(new Date(value));
  return value;
}

function readUntyped(value: Value): TypedValue {
  return noted(typeof value === 'string' ? 'String' : naturalType(value), value);
}

function readNull(value: Value, at: string): TypedValue {
  if (value !== null) throw requestInvalid(at, 'is of the type Null and has a value');
  return { value, note: null };
}

/** Scalars are taken as their texts, as Camunda does. */
function readString(value: Value, at: string): TypedValue {
  if (typeof value === 'string') return noted('String', value);
  if (typeof value === 'boolean' || isFeelNumber(value)) return noted('String', toPlainJson(value));
  throw wrong(at, 'String', 'a string');
}

function readBoolean(value: Value, at: string): TypedValue {
  if (typeof value === 'boolean') return { value, note: null };
  if (value === 'true' || value === 'false') return { value: value === 'true', note: null };
  throw wrong(at, 'Boolean', 'true or false');
}

function readWhole(type: keyof typeof WHOLE_NUMBERS): Reader {
  return (value, at) => {
    const number = numberOf(value);
    if (number !== null && isWhole(type, number)) return noted(type, number);
    const { min, max } = WHOLE_NUMBERS[type];
    throw wrong(at, type, `a whole number from ${toPlainJson(min)} to ${toPlainJson(max)}`);
  };
}

function readDouble(value: Value, at: string): TypedValue {
  const number = numberOf(value);
  if (number !== null) return noted('Double', number);
  if (NO_NUMBERS.includes(value)) return marked('Double', value, {});
  throw wrong(at, 'Double', 'a number');
}

/** Texts of numbers are taken as numbers: so a client whose numbers are doubles can send a whole Long. */
function numberOf(value: Value): FeelNumber | null {
  return typeof value === 'string' ? readNumberLiteral(value) : isFeelNumber(value) ? value : null;
}

function readDate(value: Value, at: string): TypedValue {
  const date = typeof value === 'string' ? readCamundaDate(value) : null;
  const text = date?.toISOString().replace('Z', '-00:00') ?? '';
  if (DATE_TEXT.test(text)) return { value: text, note: null };
  throw wrong(at, 'Date', "a text as yyyy-MM-dd'T'HH:mm:ss.SSSZ says, such as 2026-03-01T10:00:00.000+0000");
}

/** Null: it is no date that clients of Camunda send. */
export function readCamundaDate(text: string): Date | null {
  const [, local = '', hours = '+00', minutes = '00'] = CAMUNDA_DATE.exec(text) ?? [];
  const written = new Date(`${local}Z`);
  // A day or an hour that there is not is another one to the runtime.
  const isReal = !Number.isNaN(written.getTime()) && written.toISOString().startsWith(local.slice(0, 19));
  const date = new Date(isReal ? `${local}${hours}:${minutes}` : Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

function readJsonText(value: Value, at: string): TypedValue {
  if (typeof value !== 'string') throw wrong(at, 'Json', 'a string with JSON in it');
  const parsed = parseExactJsonText(value);
  if (!parsed.ok)
    throw requestInvalid(at, `is of the type Json and cannot be taken as JSON: ${parsed.message}`);
  return noted('Json', parsed.value as Value);
}

function readBytes(value: Value, at: string, info: Info): TypedValue {
  checkBase64('Bytes', value, at);
  return marked('Bytes', value, info);
}

function readFile(value: Value, at: string, info: Info): TypedValue {
  checkBase64('File', value, at);
  const { filename } = info;
  if (typeof filename !== 'string' || filename === '') {
    throw requestInvalid(`${at}.valueInfo.filename`, 'is required for the type File');
  }
  for (const key of ['mimetype', 'encoding']) {
    if (typeof (info[key] ?? '') !== 'string')
      throw requestInvalid(`${at}.valueInfo.${key}`, 'must be a string');
  }
  return marked('File', value, info);
}

function checkBase64(type: string, value: Value, at: string): void {
  if (value !== null && (typeof value !== 'string' || !BASE64.test(value))) throw wrong(at, type, 'base64');
}

function readXml(value: Value, at: string, info: Info): TypedValue {
  if (value !== null && typeof value !== 'string') throw wrong(at, 'Xml', 'a string');
  return marked('Xml', value, info);
}

function isWhole(type: keyof typeof WHOLE_NUMBERS, number: FeelNumber): boolean {
  const isInteger = typeof number === 'number' ? Number.isInteger(number) : number.isInteger();
  const { min, max } = WHOLE_NUMBERS[type];
  return isInteger && compare(number, min) >= 0 && compare(number, max) <= 0;
}

function literal(text: string): FeelNumber {
  const number = readNumberLiteral(text);
  if (number === null) throw new Error(`${text} is no number`);
  return number;
}

/** Values are not repeated: they may be secret. */
function wrong(at: string, type: string, wanted: string): Error {
  return requestInvalid(at, `is of the type ${type} and must be ${wanted}`);
}
