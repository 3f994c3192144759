/**
 * A flow to a checked, immutable process model, the way a BPMN file goes: the checks, codes and limits are the same.
 *
 * C1 It never throws for bad input; every fault is a finding with its place in the YAML file.
 * C2 Faults of the notation come first: only a flow that could be read as a whole is compiled.
 */
import type { Finding } from '../../config/engine-error.ts';
import { type BpmnOptions, type BpmnResult, compileDocument } from '../bpmn/compile.ts';
import { DecisionDirectory } from '../decision-directory.ts';
import type { PackageFile } from '../package-file.ts';
import { buildDocument } from './build/document.ts';
import type { Flow } from './flow.ts';
import { readFlow } from './read/read-flow.ts';

/** What vendors' settings are allowed says nothing here: flows have none. */
export type FlowOptions = Pick<BpmnOptions, 'decisions'>;

/** Compiles one file of `flows/`. */
export function compileFlow(file: PackageFile, options: FlowOptions = {}): BpmnResult {
  const { flow, findings } = readFlow(file);
  return flow === null
    ? { processes: [], findings, expressions: [], wishes: [] }
    : compileFlowTree(flow, findings, options);
}

/** Compiles what was read; `found` is what reading has found. */
export function compileFlowTree(
  flow: Flow,
  found: readonly Finding[] = [],
  { decisions = DecisionDirectory.empty }: FlowOptions = {},
): BpmnResult {
  const findings = [...found];
  const document = buildDocument(flow, findings);
  return compileDocument(document, findings, decisions);
}
