/** What the checks of the flow graph share. */
import type { FlowNode } from '../model.ts';
import type { XmlElement } from '../xml/document.ts';
import type { BpmnCode } from './codes.ts';
import type { GraphDraft } from './graph.ts';
import type { ReadContext } from './read-context.ts';

export interface CheckContext {
  readonly context: ReadContext;
  readonly graph: GraphDraft;
  /** The nodes that could be read. */
  readonly models: ReadonlyMap<string, FlowNode>;
}

export function report(
  { context }: CheckContext,
  code: BpmnCode,
  element: XmlElement,
  message: string,
): void {
  context.report.error(code, element, message);
}
