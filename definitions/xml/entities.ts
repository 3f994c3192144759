/**
 * Character and predefined entity references, in texts that passed the well-formedness check.
 *
 * There are no others without a document type declaration, so decoding never makes a text longer.
 */
const REFERENCE = /&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(lt|gt|amp|quot|apos));/g;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

export function decodeText(raw: string): string {
  return raw.includes('&') ? raw.replace(REFERENCE, replaceReference) : raw;
}

/** As `decodeText`, after the normalisation of XML 1.0 §3.3.3: a tab or line end as written is a space. */
export function decodeAttribute(raw: string): string {
  return decodeText(raw.replace(/[\t\n]/g, ' '));
}

/** The offset in `raw` of the character that is at `decodedIndex` once references are decoded. */
export function rawIndex(raw: string, decodedIndex: number): number {
  // Decoded characters that the references so far made fewer.
  let shrunkBy = 0;
  for (const match of raw.matchAll(REFERENCE)) {
    if (match.index - shrunkBy >= decodedIndex) {
      break;
    }
    const decodedLength = decodeText(match[0]).length;
    if (match.index - shrunkBy + decodedLength > decodedIndex) {
      return match.index;
    }
    shrunkBy += match[0].length - decodedLength;
  }
  return decodedIndex + shrunkBy;
}

function replaceReference(
  reference: string,
  hex: string | undefined,
  decimal: string | undefined,
  name: string | undefined,
): string {
  if (name !== undefined) {
    return NAMED[name] ?? reference;
  }
  return String.fromCodePoint(
    hex === undefined ? Number.parseInt(decimal ?? '', 10) : Number.parseInt(hex, 16),
  );
}
