/**
 * From one notation to the other: what `sutra convert` does, without files.
 *
 * C1 Only what is without fault is converted, and what comes out is without fault: it was read back.
 * C2 Decisions are not in the file; that their names are right is a matter of the package.
 */
import type { Finding } from '../../../config/engine-error.ts';
import { compileDocument } from '../../bpmn/compile.ts';
import { DecisionDirectory } from '../../decision-directory.ts';
import { translateDialects, type TranslateOptions } from '../../dialects/translate.ts';
import type { PackageFile } from '../../package-file.ts';
import type { XmlElement } from '../../xml/document.ts';
import { readBpmnXml } from '../../bpmn/read-bpmn-xml.ts';
import { PRIORITY_OF_HEADER } from '../../task-priority.ts';
import { shown } from '../../xml/shown.ts';
import { buildDocument } from '../build/document.ts';
import { compileFlowTree } from '../compile-flow.ts';
import type { Flow } from '../flow.ts';
import { readBpmn } from './read-bpmn.ts';
import { readFlow } from '../read/read-flow.ts';
import type { FlowCode } from '../read/value.ts';
import { writeBpmn } from './write-bpmn.ts';
import { writeYaml } from './write-yaml.ts';

const ANY_DECISIONS = new DecisionDirectory([], false);
/** What XML 1.0 has no way to write, not even as a reference. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

export interface BpmnConversion {
  /** Null exactly when a finding is an error. */
  readonly text: string | null;
  readonly findings: readonly Finding[];
}

/** A flow as the text of a BPMN file, without a diagram. */
export function flowToBpmn(file: PackageFile): BpmnConversion {
  const { flow, findings: read } = readFlow(file);
  if (flow === null) return { text: null, findings: read };
  const { findings } = compileFlowTree(flow, read, { decisions: ANY_DECISIONS });
  if (hasError(findings)) return { text: null, findings };
  const { root } = buildDocument(flow, []);
  const unwritable = unwritableIn(root);
  if (unwritable === null) return { text: writeBpmn(root), findings };
  const message = `${shown(unwritable)} has a character that XML cannot carry; take it out`;
  return { text: null, findings: [...findings, notConvertible(flow, message)] };
}

export interface FlowText {
  /** Of the process. */
  readonly id: string;
  readonly text: string;
}

export interface FlowConversion {
  /** One for each executable process; empty when a finding is an error. */
  readonly flows: readonly FlowText[];
  readonly findings: readonly Finding[];
}

/** The processes of a BPMN file, of a modeler's dialect too, as the texts of flows. */
export function bpmnToFlows(file: PackageFile, allowed: TranslateOptions = {}): FlowConversion {
  const xml = readBpmnXml(file);
  if (xml.document === null) return { flows: [], findings: xml.findings };
  const { document, wishes, findings: found } = translateDialects(xml.document, allowed);
  const compiled = compileDocument(document, found, ANY_DECISIONS);
  if (hasError(compiled.findings)) return { flows: [], findings: compiled.findings };
  const { flows, findings: noted } = readBpmn(document);
  const wished = new Map(wishes.map((wish) => [wish.name, wish]));
  const needed = [...wished.values()].map(({ name, place }): Finding => {
    const hasPriority = wishes.some((wish) => wish.name === name && wish.hasPriority === true);
    const how = hasPriority ? `, with task: { priority: "${PRIORITY_OF_HEADER}" }` : '';
    const message = `the flow uses the channel ${shown(name)} by its name; declare it in channels.yaml${how}`;
    return { code: NOTE, severity: 'warning', message, place };
  });
  const texts = flows.map((flow) => ({ flow, id: flow.id.text, text: writeYaml(flow) }));
  const faults = texts.flatMap(({ flow, text }) => faultsOf(flow, text));
  const findings = [...compiled.findings, ...noted, ...needed, ...faults];
  return { flows: hasError(findings) ? [] : texts.map(({ id, text }) => ({ id, text })), findings };
}

const NOTE: FlowCode = 'SUTRA.FLOWS.CONVERSION_NOTE';
const NOT_CONVERTIBLE: FlowCode = 'SUTRA.FLOWS.NOT_CONVERTIBLE';

/** What a flow must not have although a process may, as an id that another step brings along. */
function faultsOf(flow: Flow, text: string): readonly Finding[] {
  const { flow: read, findings } = readFlow({
    path: `${flow.id.text}.yaml`,
    content: new TextEncoder().encode(text),
  });
  const all =
    read === null ? findings : compileFlowTree(read, findings, { decisions: ANY_DECISIONS }).findings;
  return all
    .filter(({ severity }) => severity === 'error')
    .map(({ message, place }) => {
      const line = text.split('\n')[(place.line ?? 1) - 1]?.trim() ?? '';
      return notConvertible(flow, `as a flow, ${shown(line)} would be refused: ${message}`);
    });
}

function notConvertible(flow: Flow, message: string): Finding {
  const place = { ...flow.place(), elementId: flow.id.text };
  return { code: NOT_CONVERTIBLE, severity: 'error', message, place };
}

function hasError(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

function unwritableIn({ text, attributes, children }: XmlElement): string | null {
  const own = [text, ...attributes.map(({ value }) => value)].find((each) => NOT_XML.test(each));
  if (own !== undefined) return own;
  for (const child of children) {
    const found = unwritableIn(child);
    if (found !== null) return found;
  }
  return null;
}
