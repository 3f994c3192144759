/** Values of attributes by the types of XML schema. */

export const MAX_ID_LENGTH = 255;
/** XML's own rule for ids: Namespaces in XML 1.0, NCName, without the rare letters beyond the plane. */
const ID = /^[\p{L}_][\p{L}\p{M}\p{N}._\u00B7-]*$/u;

/** Whether the text is an XML name that is short enough for the tables of the engine. */
export function isXmlName(text: string): boolean {
  return text.length <= MAX_ID_LENGTH && ID.test(text);
}

/** A boolean of XML schema, or null for any other text. */
export function readBoolean(text: string): boolean | null {
  if (text === 'true' || text === '1') {
    return true;
  }
  return text === 'false' || text === '0' ? false : null;
}
