/**
 * The texts of a reported failure. They are the one thing of the surface that is cut and cleaned rather
 * than refused: a failure that cannot be reported is worse than a long one that loses its end.
 */
export interface Diagnostic {
  readonly text: string;
  readonly isTruncated: boolean;
}

/** Room for the mark itself, whatever the number in it. */
const MARK_LENGTH = 60;

/**
 * At most `maxLength` characters of `text`, the mark of how much was cut included. What PostgreSQL cannot
 * store (NUL, half surrogate pairs) becomes U+FFFD.
 */
export function keepDiagnostic(text: string, maxLength: number): Diagnostic {
  if (text.length <= maxLength) {
    return { text: clean(text), isTruncated: false };
  }
  let end = maxLength - MARK_LENGTH;
  // A pair that is cut in two would become a replacement character.
  if (isHighSurrogate(text.charCodeAt(end - 1))) {
    end -= 1;
  }
  return {
    text: `${clean(text.slice(0, end))} [${text.length - end} more characters were cut]`,
    isTruncated: true,
  };
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
