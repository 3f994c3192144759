/** Error codes of the XML layer. All of them are found at deploy time; nothing was changed or started. */
import type { CodeTable } from '../../config/engine-error.ts';

const refused = { httpStatus: 422, retry: 'after-change' } as const;

export const xmlCodes = {
  'SUTRA.XML.TOO_LARGE': {
    ...refused,
    meaning: 'An XML file has more bytes than are read.',
    remedy: 'Nothing was deployed. Split the file, or take pictures and other embedded data out of it.',
  },
  'SUTRA.XML.EMPTY': {
    ...refused,
    meaning: 'An XML file holds nothing.',
    remedy:
      'Nothing was deployed. Export the model again; the file was probably cut off while it was written.',
  },
  'SUTRA.XML.ENCODING_INVALID': {
    ...refused,
    meaning: 'The bytes of an XML file are not text in the encoding that the file declares.',
    remedy: 'Nothing was deployed. Save the file as UTF-8.',
  },
  'SUTRA.XML.ENCODING_UNSUPPORTED': {
    ...refused,
    meaning: 'An XML file declares an encoding other than UTF-8, UTF-16 with a mark, US-ASCII or ISO-8859-1.',
    remedy: 'Nothing was deployed. Save the file as UTF-8 and declare that, or leave the declaration out.',
  },
  'SUTRA.XML.VERSION_UNSUPPORTED': {
    ...refused,
    meaning: 'An XML file declares a version other than 1.0.',
    remedy: 'Nothing was deployed. Declare version="1.0".',
  },
  'SUTRA.XML.DOCTYPE_FORBIDDEN': {
    ...refused,
    meaning: 'An XML file has a document type declaration. These can define entities and name other files.',
    remedy: 'Nothing was deployed. Remove the <!DOCTYPE …> from the file; no model needs it.',
  },
  'SUTRA.XML.NOT_WELL_FORMED': {
    ...refused,
    meaning:
      'A file is not well-formed XML: tags do not match, an attribute is repeated, a prefix is undeclared, …',
    remedy: 'Nothing was deployed. Repair the file at the reported line and column, or export it again.',
  },
  'SUTRA.XML.TOO_DEEP': {
    ...refused,
    meaning: 'The elements of an XML file are nested deeper than are read.',
    remedy: 'Nothing was deployed. No modeler writes such a file; check where it comes from.',
  },
  'SUTRA.XML.TOO_MANY_ELEMENTS': {
    ...refused,
    meaning: 'An XML file has more elements, or one element more attributes, than are read.',
    remedy: 'Nothing was deployed. Split the model into several files.',
  },
  'SUTRA.XML.VALUE_TOO_LONG': {
    ...refused,
    meaning: 'A name, an attribute or a text in an XML file is longer than is read.',
    remedy: 'Nothing was deployed. Shorten the value at the reported place.',
  },
  'SUTRA.XML.UNREADABLE': {
    ...refused,
    meaning: 'Two independent XML readers understand the file differently, so its meaning is in doubt.',
    remedy:
      'Nothing was deployed. Remove processing instructions and unusual quoting, or export the file again.',
  },
} as const satisfies CodeTable;

export type XmlCode = keyof typeof xmlCodes;
