/** New elements of BPMN and of the q: vocabulary, which stand where the author wrote what they come from. */
import { BPMN_NAMESPACE, Q_NAMESPACE } from './bpmn/namespaces.ts';
import type { Written } from './written.ts';
import type { XmlAttribute, XmlElement } from './xml/document.ts';
import type { Origins } from './xml/translated-document.ts';

const NO_PREFIXES: ReadonlyMap<string, string> = new Map();

export class ElementMaker {
  readonly #origins: Origins;

  constructor(origins: Origins) {
    this.#origins = origins;
  }

  attribute(localName: string, value: Written): XmlAttribute {
    const attribute = { name: localName, namespace: '', localName, value: value.text };
    this.#origins.setAttribute(attribute, value.place, value.inside);
    return attribute;
  }

  q(
    localName: string,
    at: Written,
    attributes: Readonly<Record<string, Written | null>> = {},
    children: readonly XmlElement[] = [],
  ): XmlElement {
    return this.#element(Q_NAMESPACE, `q:${localName}`, localName, at, attributes, children, '');
  }

  bpmn(
    localName: string,
    at: Written,
    attributes: Readonly<Record<string, Written | null>> = {},
    children: readonly XmlElement[] = [],
  ): XmlElement {
    return this.#element(BPMN_NAMESPACE, localName, localName, at, attributes, children, '');
  }

  /** An element whose content is what was written. */
  bpmnText(
    localName: string,
    text: Written,
    attributes: Readonly<Record<string, Written | null>> = {},
  ): XmlElement {
    const element = this.#element(BPMN_NAMESPACE, localName, localName, text, attributes, [], text.text);
    this.#origins.setText(element, text.inside);
    return element;
  }

  /** A copy of an expression of the base that is FEEL now. */
  feel(base: XmlElement, text: Written): XmlElement {
    const others = base.attributes.filter(
      ({ namespace, localName }) => namespace !== '' || localName !== 'language',
    );
    const language = this.attribute('language', { ...text, text: 'feel' });
    const element = { ...base, attributes: [...others, language], text: text.text };
    this.#origins.setText(element, text.inside);
    return element;
  }

  #element(
    namespace: string,
    name: string,
    localName: string,
    at: Written,
    attributes: Readonly<Record<string, Written | null>>,
    children: readonly XmlElement[],
    text: string,
  ): XmlElement {
    const element: XmlElement = {
      name,
      namespace,
      localName,
      attributes: Object.entries(attributes).flatMap(([attribute, value]) =>
        value === null ? [] : [this.attribute(attribute, value)],
      ),
      children,
      text,
      offset: 0,
      prefixes: NO_PREFIXES,
    };
    this.#origins.setElement(element, at.place);
    return element;
  }
}
