/**
 * One scope of the document that is built: a process or a sub-process.
 *
 * S1 A flow node is added together with the paths that lead to it, so that nothing stands there unconnected.
 * S2 A path that was led on is used up: nobody leads it to a second node.
 * S3 Sequence flows stand in the order in which their paths were made, not in that in which they came to their end:
 *    a gateway asks its conditions in that order.
 */
import type { PlaceSource } from '../../xml/translated-document.ts';
import type { XmlElement } from '../../xml/document.ts';
import type { Audit } from '../flow.ts';
import { made, type BuildContext } from './context.ts';
import { auditOf } from './vocabulary.ts';
import type { Written } from '../../written.ts';

/** A way out of a flow node that leads to whatever comes next. */
export interface Path {
  /** Its place among the sequence flows. */
  readonly slot: number;
  readonly sourceId: string;
  readonly name: Written | null;
  readonly condition: Written | null;
  /** The one that is taken when no condition holds. */
  readonly isDefault: boolean;
  readonly place: PlaceSource;
}

/** What one of several ways out of a node has of its own. */
export type Way = Partial<Pick<Path, 'name' | 'condition' | 'isDefault' | 'place'>>;

/** A flow node before its sequence flows are known. */
export interface NodeParts {
  /** Of BPMN: `serviceTask`. */
  readonly kind: string;
  readonly id: Written;
  readonly name: Written | null;
  readonly place: PlaceSource;
  readonly attributes?: Readonly<Record<string, Written | null>>;
  /** Of the q: vocabulary. */
  readonly extensions?: readonly XmlElement[];
  readonly children?: readonly XmlElement[];
  readonly audit?: Audit;
}

export class ScopeDraft {
  readonly #context: BuildContext;
  readonly #nodes: NodeParts[] = [];
  /** By slot; null: the path was not led on. */
  readonly #flows: (XmlElement | null)[] = [];
  readonly #artifacts: XmlElement[] = [];
  /** By the id of the node that has it. */
  readonly #defaults = new Map<string, Written>();

  constructor(context: BuildContext) {
    this.#context = context;
  }

  /** Adds a node to which `paths` lead, and gives the path that leaves it. */
  add(node: NodeParts, paths: readonly Path[]): Path {
    this.#nodes.push(node);
    paths.forEach((path) => this.#lead(path, node.id.text));
    const way = { name: null, condition: null, isDefault: false, place: node.place };
    return { slot: this.#flows.push(null) - 1, sourceId: node.id.text, ...way };
  }

  /** One more way out of the node that `path` leaves. */
  branch(path: Path, way: Way): Path {
    return { ...path, ...way, slot: this.#flows.push(null) - 1 };
  }

  addArtifact(element: XmlElement): void {
    this.#artifacts.push(element);
  }

  /** All of it, in the order of BPMN's schema. */
  elements(): readonly XmlElement[] {
    const flows = this.#flows.flatMap((flow) => flow ?? []);
    return [...this.#nodes.map((node) => this.#element(node)), ...flows, ...this.#artifacts];
  }

  #element({ kind, id, name, place, attributes, audit, ...parts }: NodeParts): XmlElement {
    const { make } = this.#context;
    const { extensions = [], children = [] } = parts;
    const at = made(place);
    const all = [...extensions, ...auditOf(make, audit)];
    const inside = all.length === 0 ? [] : [make.bpmn('extensionElements', at, {}, all)];
    const own = { id, name, ...attributes, default: this.#defaults.get(id.text) ?? null };
    return make.bpmn(kind, at, own, [...inside, ...children]);
  }

  #lead({ slot, sourceId, name, condition, isDefault, place }: Path, targetId: string): void {
    const { make, ids } = this.#context;
    if (this.#flows[slot] !== null) throw new Error(`a path from ${sourceId} is led on twice`);
    const id = made(place, ids.free(`${sourceId}-to-${targetId}`));
    if (isDefault) this.#defaults.set(sourceId, id);
    const ends = { sourceRef: made(place, sourceId), targetRef: made(place, targetId) };
    const inside = condition === null ? [] : [make.bpmnText('conditionExpression', condition)];
    this.#flows[slot] = make.bpmn('sequenceFlow', made(place), { id, name, ...ends }, inside);
  }
}
