/** Pieces of text that know, character by character, where the author wrote them. */
import type { XmlAttribute, XmlDocument, XmlElement } from './xml/document.ts';
import type { IndexedPlaceSource, PlaceSource } from './xml/translated-document.ts';

export interface Written {
  readonly text: string;
  /** The whole of it: the attribute's name, or the element. */
  readonly place: PlaceSource;
  /** The character at an index of `text`. */
  readonly inside: IndexedPlaceSource;
}

export function writtenAttribute(
  document: XmlDocument,
  element: XmlElement,
  attribute: XmlAttribute,
): Written {
  return {
    text: attribute.value,
    place: () => document.placeOfAttribute(element, attribute),
    inside: (index) => document.placeInAttribute(element, attribute, index),
  };
}

export function writtenText(document: XmlDocument, element: XmlElement): Written {
  return {
    text: element.text,
    place: () => document.placeOf(element),
    inside: (index) => document.placeInText(element, index),
  };
}

/** Text that stands for an element as a whole. */
export function madeFor(document: XmlDocument, element: XmlElement, text: string): Written {
  const place = (): ReturnType<PlaceSource> => document.placeOf(element);
  return { text, place, inside: place };
}

/** Another text of which every character stands for one of `written`: `offsets[i]` is its index there. */
export function rewritten(written: Written, text: string, offsets: readonly number[]): Written {
  return { text, place: written.place, inside: (index) => written.inside(offsets[index] ?? 0) };
}

/** The same characters without those before `start` and from `end` on. */
export function part(written: Written, start: number, end = written.text.length): Written {
  return {
    text: written.text.slice(start, end),
    place: written.place,
    inside: (index) => written.inside(index + start),
  };
}

export function trimmed(written: Written): Written {
  const start = written.text.length - written.text.trimStart().length;
  return part(written, start, start + written.text.trim().length);
}

/** The pieces in a row; what the translation adds itself stands where `at` is. */
export function joined(at: Written, pieces: readonly (string | Written)[]): Written {
  const starts: { readonly from: number; readonly piece: Written | null }[] = [];
  let text = '';
  for (const piece of pieces) {
    starts.push({ from: text.length, piece: typeof piece === 'string' ? null : piece });
    text += typeof piece === 'string' ? piece : piece.text;
  }
  return {
    text,
    place: at.place,
    inside: (index) => {
      const found = starts.findLast(({ from }) => from <= index);
      return found?.piece === null || found === undefined
        ? at.inside(0)
        : found.piece.inside(index - found.from);
    },
  };
}

/** The text as a FEEL string literal. */
export function stringLiteral(written: Written): Written {
  const offsets = [0];
  let text = '"';
  Array.from(written.text).reduce((at, character) => {
    const literal = JSON.stringify(character).slice(1, -1);
    for (let unit = 0; unit < literal.length; unit += 1) offsets.push(at);
    text += literal;
    return at + character.length;
  }, 0);
  offsets.push(Math.max(0, written.text.length - 1));
  return rewritten(written, `${text}"`, offsets);
}

/** Null for what is there and says nothing. */
export function filled(written: Written | null): Written | null {
  return written === null || written.text.trim() === '' ? null : written;
}
