import { attributeOf, type XmlElement } from '../xml/document.ts';
import { isXmlName } from '../xml/schema-values.ts';

/** The ids of the errors that are added to a file, by their codes. Asked for each reference: large files have many. */
export class AddedErrors {
  readonly #root: XmlElement;
  readonly #ids = new Map<string, string>();
  /** Every id of the file and of what was added; null until one is needed. */
  #taken: Set<string> | null = null;
  #next = 1;

  constructor(root: XmlElement) {
    this.#root = root;
  }

  has(code: string): boolean {
    return this.#ids.has(code);
  }

  /** The code itself where it can be an id, else a number: ids are XML names, and unique in a file. */
  idOf(code: string): string {
    const known = this.#ids.get(code);
    if (known !== undefined) return known;
    this.#taken ??= new Set(idsInside(this.#root));
    let id = code;
    while (!isXmlName(id) || this.#taken.has(id)) {
      id = `error-${this.#next}`;
      this.#next += 1;
    }
    this.#taken.add(id);
    this.#ids.set(code, id);
    return id;
  }
}

function* idsInside(element: XmlElement): Generator<string> {
  const id = attributeOf(element, 'id');
  if (id !== null) yield id;
  for (const child of element.children) yield* idsInside(child);
}
