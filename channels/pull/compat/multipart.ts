/**
 * Reads a `multipart/form-data` body that is whole in memory. Source: RFC 7578, RFC 2046 §5.1.1.
 *
 * M1 What is not exactly such a body is refused, with the byte at which it is not: nothing is guessed, passed over or
 *    repaired. Two readers of an accepted body agree about its parts.
 * M2 A line that begins with the delimiter is one, or the body is refused: no part holds what another reader could
 *    take for the end of it.
 * M3 Linear in the body; parts, and the headers of a part, are bounded.
 *
 * What clients send and RFC 7578 calls outdated is taken as it is meant: `\"` in names (beside raw UTF-8), `filename*`
 * when there is no `filename`, a `Content-Transfer-Encoding` that changes nothing.
 */
import { EngineError } from '../../../config/engine-error.ts';
import { quoteText } from '../../../config/quote-text.ts';
import type { CompatCode } from './codes.ts';

export interface FormPart {
  readonly name: string;
  /** Null: a field, not a file. As it was sent: possibly empty, possibly a path. */
  readonly fileName: string | null;
  readonly contentType: string | null;
  readonly content: Uint8Array;
}

/** More than a package may have files, and the fields of a deployment. */
const MAX_PARTS = 2_000;
/** Of one part, all together. A guess: a disposition with two long names needs less than one. */
const MAX_HEADER_BYTES = 8_192;
const MAX_HEADERS = 16;

/** RFC 2046 §5.1.1: these characters, at most 70, no space at the end. */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
const CRLF = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws EngineError SUTRA.COMPAT.MEDIA_TYPE, SUTRA.COMPAT.MULTIPART_INVALID */
export function readMultipart(contentType: string | undefined, bytes: Uint8Array): readonly FormPart[] {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readParts(body, boundaryOf(contentType));
}

function boundaryOf(contentType = ''): string {
  const semicolon = contentType.indexOf(';');
  const type = semicolon < 0 ? contentType : contentType.slice(0, semicolon);
  if (type.trim().toLowerCase() !== 'multipart/form-data') {
    const code: CompatCode = 'SUTRA.COMPAT.MEDIA_TYPE';
    const given = contentType === '' ? 'of no content type' : quoteText(contentType.slice(0, 100));
    throw new EngineError(code, `the body is ${given}; send multipart/form-data`);
  }
  const boundary = semicolon < 0 ? undefined : readParameters(contentType.slice(semicolon))?.get('boundary');
  if (boundary !== undefined && BOUNDARY.test(boundary)) return boundary;
  throw invalid('the content type names no boundary of 1 to 70 characters that a boundary may have');
}

function readParts(body: Buffer, boundary: string): readonly FormPart[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter may stand at the very beginning, where no line ends before it.
  const first = delimiter.subarray(2);
  let at: number;
  if (startsAt(body, first, 0)) at = first.length;
  else if (startsAt(body, delimiter, 0)) at = delimiter.length;
  else throw invalid('the body does not begin with the boundary of its content type', 0);
  const parts: FormPart[] = [];
  while (!isLast(body, at)) {
    const start = endOfDelimiterLine(body, at);
    // From the line's own end: a delimiter directly below would otherwise be passed over.
    const end = body.indexOf(delimiter, start - CRLF.length);
    if (end < 0) throw invalid('the last part has no end: the closing boundary is missing', start);
    if (parts.length === MAX_PARTS) throw invalid(`there are more than ${MAX_PARTS} parts`, start);
    parts.push(readPart(body, start, end));
    at = end + delimiter.length;
  }
  checkEnd(body, at + 2);
  return parts;
}

/** The text of a field. @throws EngineError SUTRA.COMPAT.MULTIPART_INVALID unless it is UTF-8. */
export function textOf({ name, content }: FormPart): string {
  try {
    return decoder.decode(content);
  } catch (cause) {
    throw invalid(`the field ${quoteText(name)} is not UTF-8`, null, cause);
  }
}

function startsAt(body: Buffer, wanted: Buffer, at: number): boolean {
  return (
    body.length >= at + wanted.length && body.compare(wanted, 0, wanted.length, at, at + wanted.length) === 0
  );
}

function isLast(body: Buffer, at: number): boolean {
  return body[at] === DASH && body[at + 1] === DASH;
}

/** Where the line of a delimiter that ended at `at` ends; the white space after it is for transports to add. */
function endOfDelimiterLine(body: Buffer, at: number): number {
  let end = at;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (body[end] === CR && body[end + 1] === LF) return end + 2;
  throw invalid('a line begins with the boundary and goes on: the boundary occurs inside a part', at);
}

/** After the closing delimiter there is nothing but the end of its line. */
function checkEnd(body: Buffer, at: number): void {
  let end = at;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (end === body.length) return;
  if (body[end] === CR && body[end + 1] === LF && end + 2 === body.length) return;
  throw invalid('something follows the closing boundary', end);
}

function readPart(body: Buffer, start: number, end: number): FormPart {
  const headersEnd = body.indexOf(HEADERS_END, start);
  if (headersEnd < 0 || headersEnd > end) {
    throw invalid('the headers of a part have no end: an empty line is missing', start);
  }
  if (headersEnd - start > MAX_HEADER_BYTES) {
    throw invalid(`the headers of a part have more than ${MAX_HEADER_BYTES} bytes`, start);
  }
  const contentStart = headersEnd + HEADERS_END.length;
  if (contentStart > end) throw invalid('the headers of a part have no end: an empty line is missing', start);
  const headers = readHeaders(body.subarray(start, headersEnd), start);
  const disposition = headers.get('content-disposition');
  if (disposition === undefined) throw invalid('a part has no Content-Disposition', start);
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!['7bit', '8bit', 'binary'].includes(encoding)) {
    throw invalid(`a part is in the transfer encoding ${quoteText(encoding)}; send it as it is`, start);
  }
  return {
    ...readDisposition(disposition, start),
    contentType: headers.get('content-type') ?? null,
    content: body.subarray(contentStart, end),
  };
}

/** By name in lower case. */
function readHeaders(block: Buffer, at: number): ReadonlyMap<string, string> {
  const lines = decodeHeader(block, at).split('\r\n');
  if (lines.length > MAX_HEADERS) throw invalid(`a part has more than ${MAX_HEADERS} headers`, at);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    // A folded line begins with white space, which no name does.
    if (!TOKEN.test(name)) throw invalid('a line of the headers of a part is no header', at);
    if (hasControls(line)) throw invalid('a header of a part holds a control character', at);
    if (headers.has(name)) throw invalid(`a part has the header ${name} twice`, at);
    headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

function decodeHeader(block: Buffer, at: number): string {
  try {
    return decoder.decode(block);
  } catch (cause) {
    throw invalid('the headers of a part are not UTF-8', at, cause);
  }
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}

function readDisposition(value: string, at: number): Pick<FormPart, 'name' | 'fileName'> {
  const semicolon = value.indexOf(';');
  const type = (semicolon < 0 ? value : value.slice(0, semicolon)).trim().toLowerCase();
  const parameters = semicolon < 0 ? new Map<string, string>() : readParameters(value.slice(semicolon));
  if (type !== 'form-data' || parameters === null) {
    throw invalid('the Content-Disposition of a part is not form-data with parameters name="value"', at);
  }
  const name = parameters.get('name') ?? '';
  if (name === '') throw invalid('a part has no name', at);
  const extended = parameters.get('filename*');
  const fileName = parameters.get('filename') ?? (extended === undefined ? null : readExtended(extended, at));
  return { name, fileName };
}

/**
 * Parameters as they stand after the value, each with its `;` before it, by name in lower case. Null: they are none, or
 * one is there twice. In a quoted value `\"` and `\\` stand for what is escaped; any other backslash is itself, as in the
 * paths that some clients send.
 */
function readParameters(text: string): Map<string, string> | null {
  const parameters = new Map<string, string>();
  const pattern = /\s*;\s*(?:([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"((?:[^"\\]|\\[\s\S])*)"|([^\s;"]*)))?/y;
  while (pattern.lastIndex < text.length) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null) return /^\s*$/.test(text.slice(from)) ? parameters : null;
    const [, name, quoted, plain] = match;
    // A `;` after which nothing comes.
    if (name === undefined) continue;
    const key = name.toLowerCase();
    if (parameters.has(key)) return null;
    parameters.set(key, quoted?.replace(/\\(["\\])/g, '$1') ?? plain ?? '');
  }
  return parameters;
}

/** `UTF-8''%e2%82%ac.bpmn`. Source: RFC 5987. */
function readExtended(value: string, at: number): string {
  const match = /^utf-8'[^']*'((?:%[0-9a-f]{2}|[!#$&+\-.^_`|~0-9a-z])*)$/i.exec(value);
  try {
    const text = match === null ? null : decodeURIComponent(match[1] ?? '');
    if (text !== null && !hasControls(text)) return text;
  } catch {
    // Not UTF-8, which is said below.
  }
  throw invalid(`the parameter filename* of a part is not UTF-8'' and percent escapes of printable text`, at);
}

/** `at`: a byte of the body. */
function invalid(reason: string, at: number | null = null, cause?: unknown): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.MULTIPART_INVALID';
  const place = at === null ? '' : ` (byte ${String(at)})`;
  return new EngineError(code, `The multipart body cannot be read: ${reason}${place}.`, {
    attributes: at === null ? {} : { byte: at },
    ...(cause === undefined ? {} : { cause }),
  });
}
