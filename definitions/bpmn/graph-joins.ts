/** How flow nodes are joined other than by sequence flows: by associations and by links. */
import { attributeOf, type XmlElement } from '../xml/document.ts';
import { eventKind, findEventDefinitions, type ReadContext, withoutPrefix } from './read-context.ts';

/** What of a flow node matters here. */
interface Joined {
  readonly element: XmlElement;
  readonly kind: string;
  readonly parentId: string;
}

/** By the id of a flow node: those that associations join it with, whatever their direction. */
export function associationsOf(
  nodes: ReadonlyMap<string, Joined>,
  elements: readonly XmlElement[],
): ReadonlyMap<string, readonly string[]> {
  const associated = new Map<string, string[]>();
  const add = (from: string, to: string): void => {
    const others = associated.get(from) ?? [];
    others.push(to);
    associated.set(from, others);
  };
  for (const element of elements) {
    const sourceId = withoutPrefix(attributeOf(element, 'sourceRef') ?? '');
    const targetId = withoutPrefix(attributeOf(element, 'targetRef') ?? '');
    // The other end may be a text or data: that documents.
    if (nodes.has(sourceId) && nodes.has(targetId)) {
      add(sourceId, targetId);
      add(targetId, sourceId);
    }
  }
  return associated;
}

/** Links join only within their own scope. */
export function linkKey(scopeId: string, name: string): string {
  return JSON.stringify([scopeId, name]);
}

export interface Links<N> {
  /** The catching link events, by `linkKey`. BPMN 2.0.2 §10.5.5, link. */
  readonly links: ReadonlyMap<string, readonly N[]>;
  /** The name of every link, by the id of its definition. */
  readonly linkNames: ReadonlyMap<string, string>;
}

export function linksOf<N extends Joined>(context: ReadContext, nodes: ReadonlyMap<string, N>): Links<N> {
  const links = new Map<string, N[]>();
  const linkNames = new Map<string, string>();
  for (const draft of nodes.values()) {
    for (const definition of findEventDefinitions(context, draft.element)) {
      const name = eventKind(definition) === 'link' ? attributeOf(definition, 'name') : null;
      if (name === null) {
        continue;
      }
      linkNames.set(attributeOf(definition, 'id') ?? '', name);
      if (draft.kind === 'intermediateCatchEvent') {
        const key = linkKey(draft.parentId, name);
        const catching = links.get(key) ?? [];
        catching.push(draft);
        links.set(key, catching);
      }
    }
  }
  return { links, linkNames };
}
