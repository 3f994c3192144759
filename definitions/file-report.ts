/** Collects the findings of one XML file, each with its place. */
import type { Finding, Place } from '../config/engine-error.ts';
import { nearestName } from './nearest-name.ts';
import { attributeOf, type XmlAttribute, type XmlDocument, type XmlElement } from './xml/document.ts';

/** A person corrects tens of faults, not thousands; a hostile file could have one in every element. */
const MAX_FINDINGS = 1_000;
/** A search for what was meant costs more than the finding. */
const MAX_SUGGESTIONS = 100;

/** What differs from one kind of files to another. */
export interface ReportKind<Code extends string> {
  /** The id of an element that an author can find in the model; null: the element is no such one. */
  readonly ownerIdOf: (element: XmlElement) => string | null;
  readonly tooManyFindings: Code;
}

export class FileReport<Code extends string> {
  readonly #document: XmlDocument;
  readonly #findings: Finding[] = [];
  readonly #kind: ReportKind<Code>;
  readonly #ownerIds: ReadonlyMap<XmlElement, string>;
  #errorCount = 0;
  #unlistedCount = 0;

  constructor(document: XmlDocument, kind: ReportKind<Code>) {
    this.#document = document;
    this.#kind = kind;
    this.#ownerIds = ownerIds(document.root, kind.ownerIdOf);
  }

  /** In the order of the file. */
  get findings(): readonly Finding[] {
    const listed = this.#findings.toSorted((left, right) => comparePlaces(left.place, right.place));
    if (this.#unlistedCount === 0) {
      return listed;
    }
    const message = `${this.#unlistedCount} more findings are not listed; correct the first ${MAX_FINDINGS}`;
    return [
      ...listed,
      {
        code: this.#kind.tooManyFindings,
        // Warnings refuse nothing, however many they are.
        severity: this.#errorCount > 0 ? 'error' : 'warning',
        message,
        place: { file: this.#document.file, line: 1, column: 1 },
      },
    ];
  }

  get errorCount(): number {
    return this.#errorCount;
  }

  /** `; did you mean …?` for an unknown name, or nothing; nothing too once there are many findings. */
  suggest(name: string, known: Iterable<string>): string {
    const nearest = this.#findings.length < MAX_SUGGESTIONS ? nearestName(name, known) : null;
    return nearest === null ? '' : `; did you mean "${nearest}"?`;
  }

  /** A fault of the element. */
  error(code: Code, element: XmlElement, message: string): void {
    this.at(code, this.placeOf(element), message);
  }

  /** A fault of one attribute, at the attribute. */
  attributeError(code: Code, element: XmlElement, attribute: XmlAttribute, message: string): void {
    const place = this.#document.placeOfAttribute(element, attribute);
    this.at(code, { ...place, ...this.#owner(element) }, message);
  }

  /** A fault anywhere. */
  at(code: Code, place: Place, message: string): void {
    this.#errorCount += 1;
    this.#add({ code, severity: 'error', message, place });
  }

  warning(code: Code, element: XmlElement, message: string): void {
    this.#add({ code, severity: 'warning', message, place: this.placeOf(element) });
  }

  attributeWarning(code: Code, element: XmlElement, attribute: XmlAttribute, message: string): void {
    const place = { ...this.#document.placeOfAttribute(element, attribute), ...this.#owner(element) };
    this.#add({ code, severity: 'warning', message, place });
  }

  /** Something to know, anywhere. */
  warningAt(code: Code, place: Place, message: string): void {
    this.#add({ code, severity: 'warning', message, place });
  }

  placeOf(element: XmlElement): Place {
    return { ...this.#document.placeOf(element), ...this.#owner(element) };
  }

  /** The character at `index` of the element's text. */
  placeInText(element: XmlElement, index: number): Place {
    return { ...this.#document.placeInText(element, index), ...this.#owner(element) };
  }

  /** The character at `index` of the attribute's value. */
  placeInAttribute(element: XmlElement, attribute: XmlAttribute, index: number): Place {
    return { ...this.#document.placeInAttribute(element, attribute, index), ...this.#owner(element) };
  }

  #owner(element: XmlElement): { elementId?: string } {
    const id = this.#ownerIds.get(element) ?? attributeOf(element, 'id');
    return id === null ? {} : { elementId: id };
  }

  #add(finding: Finding): void {
    if (this.#findings.length < MAX_FINDINGS) {
      this.#findings.push(finding);
    } else {
      this.#unlistedCount += 1;
    }
  }
}

/** The id of the owner around each element that has one. */
function ownerIds(
  root: XmlElement,
  ownerIdOf: (element: XmlElement) => string | null,
): ReadonlyMap<XmlElement, string> {
  const owners = new Map<XmlElement, string>();
  const visit = (element: XmlElement, outer: string | null): void => {
    const id = ownerIdOf(element) ?? outer;
    if (id !== null) {
      owners.set(element, id);
    }
    element.children.forEach((child) => visit(child, id));
  };
  visit(root, null);
  return owners;
}

/** The order of a file. */
export function comparePlaces(left: Place, right: Place): number {
  return (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0);
}
