/**
 * A flow as a BPMN document: what docs/flows.md says of each step, in elements that the checks and readers of BPMN
 * files know.
 *
 * D1 Every element and attribute has its place in the author's file: that of the text it is made from, else that of
 *    the step it belongs to.
 * D2 The same flow makes the same document, ids included.
 * D3 It is whole: what leads nowhere gets an end, and a step that nothing leads to is reported.
 */
import type { Finding } from '../../../config/engine-error.ts';
import { ElementMaker } from '../../element-maker.ts';
import type { XmlDocument, XmlElement } from '../../xml/document.ts';
import { MadeDocument } from '../../xml/made-document.ts';
import { Origins } from '../../xml/translated-document.ts';
import { made, type BuildContext } from './context.ts';
import { catching } from './events.ts';
import { BuiltIds } from './ids.ts';
import { BuiltRoots } from './roots.ts';
import type { Path } from './scope.ts';
import { joined, nodeOf, type Outcome, type Site } from './site.ts';
import { openSite } from './steps.ts';
import { aliasesOf, auditOf, variablesOf } from './vocabulary.ts';
import type { Flow, Start } from '../flow.ts';

/** Adds to `findings` what is wrong with how the steps follow each other; the document is there all the same. */
export function buildDocument(flow: Flow, findings: Finding[]): XmlDocument {
  const origins = new Origins();
  const make = new ElementMaker(origins);
  const ids = new BuiltIds(flow, findings);
  const context: BuildContext = { make, ids, roots: new BuiltRoots(make, ids), findings };
  const process = buildProcess(context, flow);
  const at = made(flow.place);
  const attributes = { targetNamespace: made(flow.place, `urn:sutra:flow:${flow.id.text}`) };
  const root = make.bpmn('definitions', at, attributes, [...context.roots.elements, process]);
  return new MadeDocument(flow.place().file ?? '', root, origins);
}

function buildProcess(context: BuildContext, flow: Flow): XmlElement {
  const { make } = context;
  const site = openSite(context);
  const [first] = flow.starts;
  const starts = flow.starts.map((start) => buildStart(site, start));
  const begin = first === undefined ? null : joined(site, first, 'exclusiveGateway', starts);
  const { open } = begin === null ? { open: null } : site.steps(flow.steps, begin);
  if (open !== null) buildLastEnd(site, open);
  const inside = [...variablesOf(make, flow.variables), ...auditOf(make, flow.audit)];
  const at = flow.variables[0]?.name ?? flow.audit;
  const extensions = at === undefined ? [] : [make.bpmn('extensionElements', at, {}, inside)];
  const attributes = { id: flow.id, name: flow.name, isExecutable: made(flow.place, 'true') };
  return make.bpmn('process', made(flow.place), attributes, [...extensions, ...site.scope.elements()]);
}

function buildStart(site: Site, start: Start): Outcome {
  const { trigger, aliases } = start;
  const extras =
    trigger === null ? { extensions: aliasesOf(site.context.make, aliases) } : catching(site, trigger);
  return { open: site.scope.add(nodeOf(start, 'startEvent', extras), []), mayEnd: false };
}

/** A bare `end` may have taken the id: nothing waits at an end, so it does not matter which has which. */
function buildLastEnd({ context, scope }: Site, open: Path): void {
  const { place } = open;
  const id = made(place, context.ids.free('end'));
  scope.add({ kind: 'endEvent', id, name: null, place }, [open]);
}
