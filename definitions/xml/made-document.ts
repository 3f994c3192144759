/**
 * A tree that stands for a file that is no XML: everything in it was made, and knows where the author wrote it.
 *
 * M1 Every element and attribute has an origin. What has none is said to be at the beginning of the file.
 */
import type { Place } from '../../config/engine-error.ts';
import type { XmlAttribute, XmlDocument, XmlElement } from './document.ts';
import type { Origins } from './translated-document.ts';

export class MadeDocument implements XmlDocument {
  readonly file: string;
  readonly root: XmlElement;
  readonly #origins: Origins;

  constructor(file: string, root: XmlElement, origins: Origins) {
    this.file = file;
    this.root = root;
    this.#origins = origins;
  }

  placeOf(element: XmlElement): Place {
    return this.#origins.ofElement(element)?.() ?? this.#start();
  }

  placeOfAttribute(element: XmlElement, attribute: XmlAttribute): Place {
    return this.#origins.ofAttribute(attribute)?.() ?? this.placeOf(element);
  }

  placeInAttribute(element: XmlElement, attribute: XmlAttribute, index: number): Place {
    return this.#origins.ofValue(attribute)?.(index) ?? this.placeOf(element);
  }

  placeInText(element: XmlElement, index: number): Place {
    return this.#origins.ofText(element)?.(index) ?? this.placeOf(element);
  }

  #start(): Place {
    return { file: this.file, line: 1, column: 1 };
  }
}
