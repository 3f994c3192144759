/**
 * Bytes of an XML file to text.
 *
 * B1 A file decodes exactly or is refused: no replacement characters, no guessed encodings.
 * B2 The text has no byte order mark and every line ends in `\n`, as XML 1.0 §2.11 prescribes.
 */
import type { Place } from '../../config/engine-error.ts';
import { LineIndex } from './line-index.ts';
import { shown } from './shown.ts';
import type { XmlCode } from './codes.ts';

export interface XmlFault {
  readonly code: XmlCode;
  readonly message: string;
  readonly place: Place;
}

export type DecodeResult =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly fault: XmlFault };

/** The declared names we read, lower case, and how. Every ASCII file is UTF-8. */
const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => string | null>> = {
  'utf-8': (bytes) => decodeStrictly('utf-8', bytes),
  utf8: (bytes) => decodeStrictly('utf-8', bytes),
  'us-ascii': decodeAscii,
  ascii: decodeAscii,
  'iso-8859-1': decodeLatin1,
  latin1: decodeLatin1,
};

const UTF16_NAMES = new Set(['utf-16', 'utf-16le', 'utf-16be']);

/** How far the XML declaration may reach: far more than any that is written. */
const DECLARATION_BYTES = 1024;

/** Decodes by byte order mark, else by the declared encoding, else as UTF-8. */
export function decodeXmlBytes(bytes: Uint8Array, file: string): DecodeResult {
  const mark = byteOrderMark(bytes);
  if (mark?.encoding === 'utf-16le' || mark?.encoding === 'utf-16be') {
    const text = decodeStrictly(mark.encoding, bytes.subarray(mark.length));
    const declared = text === null ? null : declaredEncoding(text.slice(0, DECLARATION_BYTES));
    if (text === null) {
      return encodingInvalid(file, 'UTF-16', null);
    }
    return declared === null || UTF16_NAMES.has(declared.toLowerCase())
      ? { ok: true, text: normaliseLineEnds(text) }
      : refuse(
          'SUTRA.XML.ENCODING_INVALID',
          file,
          `the file is UTF-16 but declares ${shown(declared)}; save it as UTF-8`,
        );
  }
  const body = mark === null ? bytes : bytes.subarray(mark.length);
  const declared = declaredEncoding(decodeLatin1(body.subarray(0, DECLARATION_BYTES)));
  const name = (declared ?? 'utf-8').toLowerCase();
  const decode = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (decode === undefined) {
    const reason = UTF16_NAMES.has(name) ? 'has no UTF-16 byte order mark' : 'is not read';
    return refuse(
      'SUTRA.XML.ENCODING_UNSUPPORTED',
      file,
      `the declared encoding ${shown(declared ?? '')} ${reason}; save the file as UTF-8`,
    );
  }
  if (mark !== null && !name.startsWith('utf')) {
    return refuse(
      'SUTRA.XML.ENCODING_INVALID',
      file,
      `the file starts with a UTF-8 mark but declares ${shown(declared ?? '')}; declare UTF-8`,
    );
  }
  const text = decode(body);
  return text === null
    ? encodingInvalid(file, declared ?? 'UTF-8', body)
    : { ok: true, text: normaliseLineEnds(text) };
}

function byteOrderMark(bytes: Uint8Array): { encoding: string; length: number } | null {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    return { encoding: 'utf-8', length: 3 };
  }
  if (first === 0xff && second === 0xfe) {
    return { encoding: 'utf-16le', length: 2 };
  }
  return first === 0xfe && second === 0xff ? { encoding: 'utf-16be', length: 2 } : null;
}

function declaredEncoding(start: string): string | null {
  const declaration = /^<\?xml\s[^>]*?\?>/.exec(start)?.[0] ?? '';
  const match = /\sencoding\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(declaration);
  return match === null ? null : (match[1] ?? match[2] ?? '');
}

function decodeStrictly(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder says only that something is wrong; the caller looks for where.
    return null;
  }
}

function decodeAscii(bytes: Uint8Array): string | null {
  return bytes.some((byte) => byte > 0x7f) ? null : decodeLatin1(bytes);
}

/** Not `TextDecoder('latin1')`: that one is windows-1252. */
function decodeLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function normaliseLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function encodingInvalid(file: string, encoding: string, bytes: Uint8Array | null): DecodeResult {
  const place = bytes === null ? { file, line: 1, column: 1 } : placeOfInvalidByte(bytes, file, encoding);
  return {
    ok: false,
    fault: {
      code: 'SUTRA.XML.ENCODING_INVALID',
      message: `the bytes are not valid ${encoding} from here on; save the file as UTF-8`,
      place,
    },
  };
}

/** The longest prefix that decodes, by halving: decoding in stream mode accepts a cut character. */
function placeOfInvalidByte(bytes: Uint8Array, file: string, encoding: string): Place {
  const decodes = (length: number): boolean => {
    const part = bytes.subarray(0, length);
    if (!encoding.toLowerCase().startsWith('utf')) {
      return decodeAscii(part) !== null;
    }
    try {
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part, { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (decodes(middle)) {
      good = middle;
    } else {
      bad = middle;
    }
  }
  const before = new TextDecoder('utf-8')
    .decode(bytes.subarray(0, good), { stream: true })
    .replace(/\r\n?/g, '\n');
  return { file, ...new LineIndex(before).placeAt(before.length) };
}

function refuse(code: XmlCode, file: string, message: string): DecodeResult {
  return { ok: false, fault: { code, message, place: { file, line: 1, column: 1 } } };
}
