/**
 * The data elements of a file by id, and where each of them is visible.
 *
 * D1 An item is visible to the node that owns it and to all nodes inside that one. BPMN 2.0.2 §10.4.1.
 * D2 An item is used when a data association that moves something, or a loop, refers to it. What is never
 *    used documents, as everything does that a modeler draws and nobody fills in.
 */
import { attributeOf, type XmlElement } from '../xml/document.ts';
import { FLOW_NODES } from './elements.ts';
import { BPMN_NAMESPACE } from './namespaces.ts';
import { isVariableName } from './q-values.ts';
import { bpmnChildren, type ReadContext } from './read-context.ts';

const KINDS = [
  'dataObject',
  'dataObjectReference',
  'dataStoreReference',
  'property',
  'dataInput',
  'dataOutput',
  'inputDataItem',
  'outputDataItem',
] as const;

export type DataItemKind = (typeof KINDS)[number];

export interface DataItem {
  readonly id: string;
  readonly kind: DataItemKind;
  readonly element: XmlElement;
  /** The process or flow node that it belongs to. */
  readonly owner: XmlElement;
}

const OWNERS: ReadonlySet<string> = new Set(['process', ...FLOW_NODES]);
/** Elements around data items that are not flow nodes. */
const HOLDERS: ReadonlySet<string> = new Set(['ioSpecification', 'multiInstanceLoopCharacteristics']);
const ASSOCIATIONS: ReadonlySet<string> = new Set(['dataInputAssociation', 'dataOutputAssociation']);
const LOOP_REFERENCES: ReadonlySet<string> = new Set(['loopDataInputRef', 'loopDataOutputRef']);

const MADE_UP: ReadonlySet<DataItemKind> = new Set(['property', 'dataInput', 'dataOutput']);
/** What bpmn-js makes up as the target of an association that was drawn to an activity. */
const DRAWN_TARGET = '__targetRef_placeholder';

export class DataIndex {
  readonly #items = new Map<string, DataItem>();
  readonly #byOwner = new Map<XmlElement, DataItem[]>();
  readonly #outerOwner = new Map<XmlElement, XmlElement>();
  readonly #references = new Set<string>();
  readonly #mapped = new Set<DataItem>();
  /** The name of the first reference to each data object that has one. */
  readonly #referenceNames = new Map<string, string>();
  #used: ReadonlySet<DataItem> | null = null;

  constructor(root: XmlElement) {
    for (const process of bpmnChildren(root, 'process')) {
      this.#enter(process);
    }
  }

  /** The item of that id, visible or not. */
  find(id: string): DataItem | null {
    return this.#items.get(id) ?? null;
  }

  /** The items that belong to a process or flow node itself, in the order of the file. */
  itemsOf(owner: XmlElement): readonly DataItem[] {
    return this.#byOwner.get(owner) ?? [];
  }

  isVisible(item: DataItem, from: XmlElement): boolean {
    for (let node: XmlElement | undefined = from; node !== undefined; node = this.#outerOwner.get(node)) {
      if (item.owner === node) {
        return true;
      }
    }
    return false;
  }

  isUsed(item: DataItem): boolean {
    this.#used ??= new Set(
      [...this.#references].flatMap((id) => {
        const used = this.find(id);
        return used === null ? [] : [used, this.objectOf(used)];
      }),
    );
    return this.#used.has(item);
  }

  /** Whether an association of the item's own owner refers to it. */
  isMapped(item: DataItem): boolean {
    return this.#mapped.has(item);
  }

  /** The data object of a data object reference that names one in the file; any other item itself. */
  objectOf(item: DataItem): DataItem {
    if (item.kind !== 'dataObjectReference') {
      return item;
    }
    const object = this.find(attributeOf(item.element, 'dataObjectRef') ?? '');
    return object?.kind === 'dataObject' ? object : item;
  }

  /**
   * The item's name, else its id. A data object without a name has that of the first reference to it: modelers
   * name what they draw, which is the reference.
   */
  nameOf(item: DataItem): string {
    const object = this.objectOf(item);
    return attributeOf(object.element, 'name') ?? this.#referenceNames.get(object.id) ?? object.id;
  }

  /**
   * Whether an association moves nothing: it has neither a transformation nor an assignment, and names no
   * source, no target, or inside the activity an end that a modeler has made up.
   */
  isDrawn(association: XmlElement): boolean {
    const [source] = bpmnChildren(association, 'sourceRef');
    const [target] = bpmnChildren(association, 'targetRef');
    const isPlain = ['transformation', 'assignment'].every(
      (name) => bpmnChildren(association, name).length === 0,
    );
    if (!isPlain || source === undefined || target === undefined) {
      return isPlain;
    }
    const inner = association.localName === 'dataInputAssociation' ? target : source;
    const item = this.find(inner.text.trim());
    return item !== null && isMadeUp(item);
  }

  #enter(owner: XmlElement): void {
    const associations: XmlElement[] = [];
    this.#collect(owner, owner, associations);
    // An owner's own items are known by now, so what it draws can be told from what it moves.
    for (const association of associations.filter((found) => !this.isDrawn(found))) {
      for (const child of association.children) {
        const ends = child.localName === 'assignment' ? bpmnChildren(child, 'to') : [child];
        ends.forEach(({ text }) => this.#refer(owner, text.trim()));
      }
    }
  }

  #refer(owner: XmlElement, id: string): void {
    this.#references.add(id);
    const item = this.find(id);
    if (item?.owner === owner) {
      this.#mapped.add(item);
    }
  }

  #collect(owner: XmlElement, holder: XmlElement, associations: XmlElement[]): void {
    for (const child of holder.children) {
      if (child.namespace !== BPMN_NAMESPACE) {
        continue;
      }
      const kind = KINDS.find((name) => name === child.localName);
      if (kind !== undefined) {
        this.#add(kind, child, owner);
      } else if (OWNERS.has(child.localName)) {
        this.#outerOwner.set(child, owner);
        this.#enter(child);
      } else if (HOLDERS.has(child.localName)) {
        this.#collect(owner, child, associations);
      } else if (ASSOCIATIONS.has(child.localName)) {
        associations.push(child);
      } else if (LOOP_REFERENCES.has(child.localName)) {
        this.#references.add(child.text.trim());
      }
    }
  }

  #add(kind: DataItemKind, element: XmlElement, owner: XmlElement): void {
    const id = attributeOf(element, 'id') ?? '';
    const item = { id, kind, element, owner };
    const items = this.#byOwner.get(owner);
    if (items === undefined) {
      this.#byOwner.set(owner, [item]);
    } else {
      items.push(item);
    }
    const objectId = attributeOf(element, 'dataObjectRef');
    const name = attributeOf(element, 'name');
    if (objectId !== null && name !== null && !this.#referenceNames.has(objectId)) {
      this.#referenceNames.set(objectId, name);
    }
    // A repeated id was reported.
    if (id !== '' && !this.#items.has(id)) {
      this.#items.set(id, item);
    }
  }
}

/**
 * Whether a modeler has made the item up, so that an arrow has an end: bpmn-js gives it a name of its own; what
 * has no name, and an id that no expression can write, nothing could fill or read.
 */
export function isMadeUp(item: DataItem): boolean {
  const name = attributeOf(item.element, 'name');
  return MADE_UP.has(item.kind) && (name === null ? !isVariableName(item.id) : name === DRAWN_TARGET);
}

/** Built once a file, when it is first asked for. */
const indexes = new WeakMap<ReadContext, DataIndex>();

export function dataIndexOf(context: ReadContext): DataIndex {
  const known = indexes.get(context);
  if (known !== undefined) {
    return known;
  }
  const index = new DataIndex(context.document.root);
  indexes.set(context, index);
  return index;
}
