/**
 * References between the elements of a decision model.
 *
 * Those within the file are resolved, to say which are dangling; what a reference to another model names is for whoever
 * has that model to say.
 */
import type { XmlElement } from '../xml/document.ts';
import { findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import type { ElementReference } from './model.ts';
import { label, type ReadContext } from './read-context.ts';

/** What a reference may lead to. */
type Kind = 'inputData' | 'decision' | 'businessKnowledgeModel' | 'decisionService';

export class References {
  readonly #context: ReadContext;
  readonly #namespace: string;
  /** Local names of the elements directly inside of definitions, by id. */
  readonly #kinds = new Map<string, string>();

  constructor(context: ReadContext, root: XmlElement, namespace: string) {
    this.#context = context;
    this.#namespace = namespace;
    for (const child of root.children) {
      const id = context.isDmn(child) ? findAttribute(child, 'id') : null;
      if (id !== null && !this.#kinds.has(id.value)) this.#kinds.set(id.value, child.localName);
    }
  }

  /** The references of the children of a name, each to one of the kinds. Those that were reported are left out. */
  read(parent: XmlElement, localName: string, kinds: readonly Kind[]): readonly ElementReference[] {
    return this.#context
      .children(parent, localName)
      .flatMap((element) => this.#readOne(element, kinds) ?? []);
  }

  #readOne(element: XmlElement, kinds: readonly Kind[]): ElementReference | null {
    const { report } = this.#context;
    const attribute = findAttribute(element, 'href');
    if (attribute === null) {
      const message = `${label(element)} has no href; write # and the id of the element`;
      report.error('SUTRA.DMN.ATTRIBUTE_MISSING', element, message);
      return null;
    }
    const href = attribute.value.trim();
    const hash = href.indexOf('#');
    const id = href.slice(hash + 1);
    if (hash === -1 || id === '') {
      const message = `${element.localName} refers to ${shown(href)}; write # and the id of the element, or namespace#id`;
      report.attributeError('SUTRA.DMN.REFERENCE_INVALID', element, attribute, message);
      return null;
    }
    const written = href.slice(0, hash);
    const namespace = written === '' || written === this.#namespace ? null : written;
    if (namespace === null && !kinds.some((kind) => kind === this.#kinds.get(id))) {
      const message = `${element.localName} refers to ${shown(id)}, but the file has no ${kinds.join(' or ')} of that id${report.suggest(id, this.#idsOf(kinds))}`;
      report.attributeError('SUTRA.DMN.REFERENCE_DANGLING', element, attribute, message);
      return null;
    }
    return { namespace, id, place: report.placeInAttribute(element, attribute, 0) };
  }

  *#idsOf(kinds: readonly Kind[]): Iterable<string> {
    for (const [id, kind] of this.#kinds) {
      if (kinds.some((known) => known === kind)) yield id;
    }
  }
}
