/**
 * A tree that was made from a file, whose parts know where the author wrote what they come from.
 *
 * T1 A part without an origin of its own is one of the base document, or a copy that keeps the base's name and offset.
 * T2 Every place is one of the base: nobody is told of an element that is not in the file.
 */
import type { Place } from '../../config/engine-error.ts';
import type { XmlAttribute, XmlDocument, XmlElement } from './document.ts';

/** Where something stands in the author's file. */
export type PlaceSource = () => Place;
/** Where the character at an index of a value or text comes from. */
export type IndexedPlaceSource = (index: number) => Place;

/** What is known of made elements and attributes. Entries go with the trees they are of. */
export class Origins {
  readonly #elements = new WeakMap<XmlElement, PlaceSource>();
  readonly #texts = new WeakMap<XmlElement, IndexedPlaceSource>();
  readonly #attributes = new WeakMap<XmlAttribute, PlaceSource>();
  readonly #values = new WeakMap<XmlAttribute, IndexedPlaceSource>();

  setElement(element: XmlElement, place: PlaceSource, text: IndexedPlaceSource | null = null): void {
    this.#elements.set(element, place);
    this.setText(element, text ?? place);
  }

  setText(element: XmlElement, text: IndexedPlaceSource): void {
    this.#texts.set(element, text);
  }

  setAttribute(attribute: XmlAttribute, name: PlaceSource, value: IndexedPlaceSource | null = null): void {
    this.#attributes.set(attribute, name);
    this.#values.set(attribute, value ?? name);
  }

  ofElement(element: XmlElement): PlaceSource | undefined {
    return this.#elements.get(element);
  }

  ofText(element: XmlElement): IndexedPlaceSource | undefined {
    return this.#texts.get(element);
  }

  ofAttribute(attribute: XmlAttribute): PlaceSource | undefined {
    return this.#attributes.get(attribute);
  }

  ofValue(attribute: XmlAttribute): IndexedPlaceSource | undefined {
    return this.#values.get(attribute);
  }
}

export class TranslatedDocument implements XmlDocument {
  readonly file: string;
  readonly root: XmlElement;
  readonly #base: XmlDocument;
  readonly #origins: Origins;

  constructor(base: XmlDocument, root: XmlElement, origins: Origins) {
    this.file = base.file;
    this.root = root;
    this.#base = base;
    this.#origins = origins;
  }

  placeOf(element: XmlElement): Place {
    return this.#origins.ofElement(element)?.() ?? this.#base.placeOf(element);
  }

  placeOfAttribute(element: XmlElement, attribute: XmlAttribute): Place {
    const own = this.#origins.ofAttribute(attribute) ?? this.#origins.ofElement(element);
    return own?.() ?? this.#base.placeOfAttribute(element, attribute);
  }

  placeInAttribute(element: XmlElement, attribute: XmlAttribute, index: number): Place {
    const own = this.#origins.ofValue(attribute)?.(index) ?? this.#origins.ofElement(element)?.();
    return own ?? this.#base.placeInAttribute(element, attribute, index);
  }

  placeInText(element: XmlElement, index: number): Place {
    return this.#origins.ofText(element)?.(index) ?? this.#base.placeInText(element, index);
  }
}
