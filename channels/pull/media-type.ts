/** Content types, as far as they decide how a body travels in JSON. */

export type BodyForm = 'json' | 'text' | 'bytes';

const MEDIA_TYPE =
  /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\/([!#$%&'*+\-.^_`|~0-9A-Za-z]+)((?:[ \t]*;[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*)$/;
const CHARSET = /;[ \t]*charset="?([^;"]*)"?/i;
const TEXT_SUBTYPES: readonly string[] = ['xml', 'yaml', 'x-yaml', 'csv', 'x-www-form-urlencoded'];

/** Null: the text is not a media type. Text in another charset than UTF-8 counts as bytes. */
export function bodyFormOf(contentType: string): BodyForm | null {
  const match = MEDIA_TYPE.exec(contentType);
  if (match === null) {
    return null;
  }
  const [, type = '', subtype = '', parameters = ''] = match.map((part) => part.toLowerCase());
  const charset = CHARSET.exec(parameters)?.[1] ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    return 'bytes';
  }
  if ((type === 'application' && subtype === 'json') || subtype.endsWith('+json')) {
    return 'json';
  }
  if (
    type === 'text' ||
    subtype.endsWith('+xml') ||
    (type === 'application' && TEXT_SUBTYPES.includes(subtype))
  ) {
    return 'text';
  }
  return 'bytes';
}
