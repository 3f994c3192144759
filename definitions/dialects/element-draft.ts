/**
 * A BPMN element while it is translated.
 *
 * E1 What is not changed stays the very object of the base document.
 * E2 A changed element keeps its name and offset as written; what it is now is its `localName`.
 */
import { BPMN_NAMESPACE, Q_NAMESPACE } from '../bpmn/namespaces.ts';
import type { ElementMaker } from '../element-maker.ts';
import { attributeOf, findAttribute, type XmlAttribute, type XmlElement } from '../xml/document.ts';
import type { Written } from '../written.ts';

export class ElementDraft {
  readonly base: XmlElement;
  localName: string;
  #attributes: readonly XmlAttribute[];
  #children: readonly XmlElement[];
  readonly #extensions: XmlElement[] = [];

  constructor(base: XmlElement, children: readonly XmlElement[]) {
    this.base = base;
    this.localName = base.localName;
    this.#attributes = base.attributes;
    this.#children = children;
  }

  get id(): string {
    return attributeOf(this.base, 'id') ?? '';
  }

  get children(): readonly XmlElement[] {
    return this.#children;
  }

  /** Children of BPMN of a name. */
  bpmn(localName: string): readonly XmlElement[] {
    return this.#children.filter(
      (child) => child.namespace === BPMN_NAMESPACE && child.localName === localName,
    );
  }

  /** What stands in the `extensionElements`, that of other vendors included. */
  get extensions(): readonly XmlElement[] {
    return [...this.bpmn('extensionElements').flatMap(({ children }) => children), ...this.#extensions];
  }

  has(attribute: string): boolean {
    return this.#attributes.some(({ namespace, localName }) => namespace === '' && localName === attribute);
  }

  attribute(localName: string): XmlAttribute | null {
    return findAttribute(this.base, localName);
  }

  hasQ(localName: string): boolean {
    return this.extensions.some((child) => child.namespace === Q_NAMESPACE && child.localName === localName);
  }

  drop(...attributes: readonly string[]): void {
    if (attributes.some((attribute) => this.has(attribute))) {
      this.#attributes = this.#attributes.filter(
        ({ namespace, localName }) => namespace !== '' || !attributes.includes(localName),
      );
    }
  }

  /** Sets an attribute without a namespace. */
  set(attribute: XmlAttribute): void {
    this.drop(attribute.localName);
    this.#attributes = [...this.#attributes, attribute];
  }

  addExtension(element: XmlElement): void {
    this.#extensions.push(element);
  }

  addChildren(...elements: readonly XmlElement[]): void {
    this.#children = [...this.#children, ...elements];
  }

  dropChildren(isDropped: (child: XmlElement) => boolean): void {
    this.#children = this.#children.filter((child) => !isDropped(child));
  }

  build(maker: ElementMaker, at: Written): XmlElement {
    const children = this.#withExtensions(maker, at);
    const isSame =
      this.localName === this.base.localName &&
      this.#attributes === this.base.attributes &&
      children.length === this.base.children.length &&
      children.every((child, index) => child === this.base.children[index]);
    return isSame
      ? this.base
      : { ...this.base, localName: this.localName, attributes: this.#attributes, children };
  }

  #withExtensions(maker: ElementMaker, at: Written): readonly XmlElement[] {
    if (this.#extensions.length === 0) {
      return this.#children;
    }
    const [own] = this.bpmn('extensionElements');
    if (own === undefined) {
      return [maker.bpmn('extensionElements', at, {}, this.#extensions), ...this.#children];
    }
    const merged = { ...own, children: [...own.children, ...this.#extensions] };
    return this.#children.map((child) => (child === own ? merged : child));
  }
}
