/** Collects the findings of one BPMN file, each with its place. */
import type { Finding, Place } from '../../config/engine-error.ts';
import type { XmlAttribute, XmlDocument, XmlElement } from '../xml/document.ts';
import { attributeOf } from '../xml/document.ts';
import type { BpmnCode } from './codes.ts';
import { FLOW_NODES } from './elements.ts';
import { BPMN_NAMESPACE } from './namespaces.ts';
import { nearestName } from './nearest-name.ts';

export type ReportCode = BpmnCode | 'SUTRA.FEEL.SYNTAX_INVALID';

/** A person corrects tens of faults, not thousands; a hostile file could have one in every element. */
const MAX_FINDINGS = 1_000;

export class Report {
  readonly #document: XmlDocument;
  readonly #findings: Finding[] = [];
  readonly #ownerIds: ReadonlyMap<XmlElement, string>;
  #errorCount = 0;
  #unlistedCount = 0;

  constructor(document: XmlDocument) {
    this.#document = document;
    this.#ownerIds = ownerIds(document.root);
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
        code: 'SUTRA.BPMN.TOO_MANY_FINDINGS',
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

  /** `; did you mean …?` for an unknown name, or nothing; nothing too once no more findings are listed. */
  suggest(name: string, known: Iterable<string>): string {
    const nearest = this.#findings.length < MAX_FINDINGS ? nearestName(name, known) : null;
    return nearest === null ? '' : `; did you mean "${nearest}"?`;
  }

  /** A fault of the element. */
  error(code: ReportCode, element: XmlElement, message: string): void {
    this.at(code, this.placeOf(element), message);
  }

  /** A fault of one attribute, at the attribute. */
  attributeError(code: ReportCode, element: XmlElement, attribute: XmlAttribute, message: string): void {
    const place = this.#document.placeOfAttribute(element, attribute);
    this.at(code, { ...place, ...this.#owner(element) }, message);
  }

  /** A fault anywhere. */
  at(code: ReportCode, place: Place, message: string): void {
    this.#errorCount += 1;
    this.#add({ code, severity: 'error', message, place });
  }

  warning(code: ReportCode, element: XmlElement, message: string): void {
    this.#add({ code, severity: 'warning', message, place: this.placeOf(element) });
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

const OWNERS: ReadonlySet<string> = new Set([...FLOW_NODES, 'sequenceFlow', 'process']);

/** The id of the flow node, sequence flow or process around each element: what an author can find. */
function ownerIds(root: XmlElement): ReadonlyMap<XmlElement, string> {
  const owners = new Map<XmlElement, string>();
  const visit = (element: XmlElement, outer: string | null): void => {
    const isOwner = element.namespace === BPMN_NAMESPACE && OWNERS.has(element.localName);
    const id = (isOwner ? attributeOf(element, 'id') : null) ?? outer;
    if (id !== null) {
      owners.set(element, id);
    }
    element.children.forEach((child) => visit(child, id));
  };
  visit(root, null);
  return owners;
}

function comparePlaces(left: Place, right: Place): number {
  return (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0);
}
