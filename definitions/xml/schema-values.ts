/** Values of attributes by the types of XML schema. */

export const MAX_ID_LENGTH = 255;
/** XML's own rule for ids: Namespaces in XML 1.0, NCName, without the rare letters beyond the plane. */
const ID = /^[\p{L}_][\p{L}\p{M}\p{N}._\u00B7-]*$/u;

/** Whether the text is an XML name that is short enough for the tables of the engine. */
export function isXmlName(text: string): boolean {
  return text.length <= MAX_ID_LENGTH && ID.test(text);
}

/**
 * The value without what says nothing in it: spaces at its ends, and more than one of them inside.
 *
 * Source: XML Schema 1.0 Part 2, §4.3.6, whiteSpace=collapse; it holds for names, references, booleans and numbers.
 */
export function collapsed(text: string): string {
  return text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');
}

/** A boolean of XML schema, or null for any other text. */
export function readBoolean(text: string): boolean | null {
  const value = collapsed(text);
  if (value === 'true' || value === '1') {
    return true;
  }
  return value === 'false' || value === '0' ? false : null;
}
