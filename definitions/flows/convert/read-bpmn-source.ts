/** What the readers of a BPMN process share, and the small things they ask of elements. */
import type { Place } from '../../../config/engine-error.ts';
import type { GraphDraft, NodeDraft } from '../../bpmn/graph.ts';
import { BPMN_NAMESPACE, Q_NAMESPACE } from '../../bpmn/namespaces.ts';
import { bpmnChildren, label, qChild, type ReadContext } from '../../bpmn/read-context.ts';
import type { Report } from '../../bpmn/report.ts';
import { filled, madeFor, type Written, writtenAttribute, writtenText } from '../../written.ts';
import { findAttribute, type XmlElement } from '../../xml/document.ts';
import type { Audit } from '../flow.ts';
import type { FlowCode } from '../read/value.ts';

/** One process of a file while it becomes a flow. */
export interface BpmnSource {
  readonly context: ReadContext;
  readonly graph: GraphDraft;
  /** Of the conversion; the file's own faults were reported before it. */
  readonly findings: Report<FlowCode>;
}

/** What every step has. */
export interface StepHead {
  readonly id: Written;
  readonly isIdGiven: boolean;
  readonly name: Written | null;
  readonly place: () => Place;
  readonly audit?: Audit;
}

/** Says that flows have no way to say something, and what to do instead. */
export function refuse({ findings }: BpmnSource, element: XmlElement, reason: string): null {
  findings.error('SUTRA.FLOWS.NOT_CONVERTIBLE', element, reason);
  return null;
}

export function headOf(source: BpmnSource, { element }: NodeDraft): StepHead {
  const { document } = source.context;
  return {
    id: attribute(source, element, 'id') ?? madeFor(document, element, ''),
    isIdGiven: true,
    name: filled(attribute(source, element, 'name')),
    place: () => document.placeOf(element),
    ...auditIn(source, element),
  };
}

/** `q:audit`, for which every step has an option. */
export function auditIn(source: BpmnSource, element: XmlElement): { readonly audit?: Audit } {
  const audit = qChild(element, 'audit');
  return audit === null ? {} : { audit: required(source, audit, 'payload') };
}

/** An attribute without a namespace; null when it is absent. */
export function attribute({ context }: BpmnSource, element: XmlElement, name: string): Written | null {
  const found = findAttribute(element, name);
  return found === null ? null : writtenAttribute(context.document, element, found);
}

/** An attribute that the element cannot be without; its absence was reported with the file's own faults. */
export function required(source: BpmnSource, element: XmlElement, name: string): Written {
  return attribute(source, element, name) ?? madeFor(source.context.document, element, '');
}

export function isTrue(element: XmlElement, name: string): boolean {
  return /^(?:true|1)$/.test(findAttribute(element, name)?.value ?? '');
}

/** The text of the one child of a name; null when there is none. */
export function childText({ context }: BpmnSource, element: XmlElement, localName: string): Written | null {
  const [child] = bpmnChildren(element, localName);
  return child === undefined ? null : writtenText(context.document, child);
}

/** The first of the elements that has the q element: an event definition, or the event that it shares with. */
export function sharedQ(localName: string, ...holders: readonly XmlElement[]): XmlElement | null {
  return holders.map((holder) => qChild(holder, localName)).find((found) => found !== null) ?? null;
}

/** Children of BPMN that say nothing that runs. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  ...['documentation', 'extensionElements', 'incoming', 'outgoing', 'auditing', 'monitoring'],
  ...['categoryValueRef', 'resourceRole', 'performer', 'humanPerformer', 'potentialOwner'],
]);

/** What a step has words for; everything else that the element holds is refused. */
export interface Sayable {
  /** Children of BPMN, by local name. */
  readonly children?: readonly string[];
  /** Elements of the q: vocabulary, each with its attributes that can be said. */
  readonly q?: Readonly<Record<string, readonly string[]>>;
}

/** Refuses what is in the element and not in the list; whether nothing was. */
export function checkSayable(
  source: BpmnSource,
  element: XmlElement,
  { children = [], q = {} }: Sayable,
): boolean {
  const faults = element.children.flatMap((child) => {
    if (child.namespace !== BPMN_NAMESPACE) return [];
    if (child.localName === 'extensionElements') return unsaidQ(source, element, child, q);
    if (WITHOUT_EFFECT.has(child.localName) || children.includes(child.localName)) return [];
    const message = `${label(element)} has ${child.localName}, which no step of a flow has; ${remedyOf(child.localName)}`;
    return [refuse(source, child, message)];
  });
  if (findAttribute(element, 'default') !== null && !element.localName.endsWith('Gateway')) {
    faults.push(
      refuse(source, element, `${label(element)} has a default flow; put an exclusive gateway behind it`),
    );
  }
  return faults.length === 0;
}

function unsaidQ(
  source: BpmnSource,
  owner: XmlElement,
  extensions: XmlElement,
  sayable: Readonly<Record<string, readonly string[]>>,
): null[] {
  return extensions.children.flatMap((child) => {
    if (child.namespace !== Q_NAMESPACE) return [];
    // On what is no step, the start of a part, it says nothing.
    if (child.localName === 'audit') return [];
    const attributes = Object.hasOwn(sayable, child.localName) ? sayable[child.localName] : undefined;
    if (attributes === undefined) {
      const message = `${label(owner)} has q:${child.localName}, for which this step of a flow has no option; take it out first`;
      return [refuse(source, child, message)];
    }
    return child.attributes.flatMap(({ namespace, localName }) => {
      if (namespace !== '' || attributes.includes(localName)) return [];
      const message = `q:${child.localName} of ${label(owner)} has ${localName}, for which flows have no option; take it out first`;
      return [refuse(source, child, message)];
    });
  });
}

function remedyOf(localName: string): string {
  if (/Association$|^ioSpecification$|^property$/.test(localName)) {
    return 'write what moves data as q:param, q:output, or as a task without an implementation';
  }
  return /LoopCharacteristics$/.test(localName)
    ? 'put it into a sub-process and give that the loop'
    : 'take it out first';
}
