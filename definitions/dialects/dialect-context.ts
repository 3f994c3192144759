/** What every translator of one file shares. */
import type { Place } from '../../config/engine-error.ts';
import type { Report } from '../bpmn/report.ts';
import { channelNameFault } from '../bpmn/q-values.ts';
import type { XmlDocument, XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import type { AddedErrors } from './added-errors.ts';
import type { DialectCode } from './codes.ts';
import type { ElementMaker } from '../element-maker.ts';
import { madeFor, type Written } from '../written.ts';

/** What becomes of a task whose work is code of another engine, or not given at all. */
export type UnboundTasks = 'refuse' | 'external-task';

/** What becomes of listeners, which are never run. `ignore`: they are left out, each with a warning. */
export type Listeners = 'refuse' | 'ignore';

/** A channel that a file uses without an author having declared it. */
export interface ChannelWish {
  readonly name: string;
  /** `work`: workers take tasks and answer. `catch`, `throw`: messages of that name come in, go out. */
  readonly use: 'work' | 'catch' | 'throw';
  readonly place: Place;
  /** The header `priority` of its tasks says theirs. */
  readonly hasPriority?: boolean;
}

export interface DialectContext {
  /** As the author wrote it: the source of all places. */
  readonly document: XmlDocument;
  readonly report: Report<DialectCode>;
  readonly make: ElementMaker;
  readonly unboundTasks: UnboundTasks;
  readonly listeners: Listeners;
  /** The elements beside the processes, by id, as written. */
  readonly roots: ReadonlyMap<string, XmlElement>;
  /** Elements that are added beside the processes. */
  readonly addedRoots: XmlElement[];
  readonly addedErrors: AddedErrors;
  readonly wishes: ChannelWish[];
  /** Whether the file was made for Camunda 7 or one of its forks: then it has their defaults. */
  readonly isCamunda7: boolean;
  /** Whether it was made for jBPM. */
  readonly isJbpm: boolean;
  /** The process around the element that is translated, and its id. */
  process: XmlElement | null;
  processId: string;
}

export function labelOf(element: XmlElement): string {
  const id = element.attributes.find(
    ({ namespace, localName }) => namespace === '' && localName === 'id',
  )?.value;
  return id === undefined ? element.localName : `${element.localName} ${shown(id)}`;
}

/** A text that stands for `element`. */
export function made({ document }: DialectContext, element: XmlElement, text: string): Written {
  return madeFor(document, element, text);
}

/** Reports a fault of something that was written. */
export function refuse({ report }: DialectContext, code: DialectCode, at: Written, message: string): null {
  report.at(code, at.place(), message);
  return null;
}

/** The channel's name, wished for; null when it is none, which was reported. */
export function wishFor(context: DialectContext, name: Written, use: ChannelWish['use']): Written | null {
  const fault = channelNameFault(name.text);
  if (fault !== null) {
    return refuse(
      context,
      'SUTRA.DIALECT.VALUE_INVALID',
      name,
      `the name ${shown(name.text)} of a channel ${fault}`,
    );
  }
  context.wishes.push({ name: name.text, use, place: name.place() });
  return name;
}
