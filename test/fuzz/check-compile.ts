/**
 * What holds for every file, whatever its bytes: the compiler's promises (definitions/bpmn/compile.ts, P1 to
 * P4, definitions/model.ts, M1).
 */
import { compileBpmn } from '../../definitions/bpmn/compile.ts';
import type { ProcessDefinition } from '../../definitions/model.ts';
import { codeRegistry } from '../../server/code-registry.ts';
import type { Finding } from '../../config/engine-error.ts';
import type { CallWatch } from './call-watch.ts';
import { FuzzFailure } from './fuzz-failure.ts';

const FILE = 'bpmn/fuzz.bpmn';
const MAX_MESSAGE_LENGTH = 2_000;

export interface Compiled {
  readonly processes: readonly ProcessDefinition[];
  readonly findings: readonly Finding[];
}

/** A broken promise after which the rest can still be checked. */
type Report = (failure: FuzzFailure) => void;

/**
 * Compiles the bytes, and again when they gave a process or `isRepeated`, and reports what is wrong with what
 * came out. @throws whatever the compiler threw
 */
export function checkCompile(
  bytes: Uint8Array,
  isRepeated: boolean,
  watch: CallWatch,
  report: Report,
): Compiled {
  const before = Buffer.from(bytes);
  const compiled = watch.time('compile', () => compileBpmn({ path: FILE, content: bytes }));
  const expect = (holds: boolean, check: string, message: string): void => {
    if (!holds) report(new FuzzFailure(check, message));
  };
  const { processes, findings } = compiled;
  const isRefused = findings.some(({ severity }) => severity === 'error');
  expect(before.equals(bytes), 'input changed', 'the compiler changed its input');
  expect(!isRefused || processes.length === 0, 'half refused', 'a file with an error gave a process');
  expect(processes.length + findings.length > 0, 'refused in silence', 'there is no process and no finding');
  for (const finding of findings) checkFinding(finding, bytes.length, report);
  for (const process of processes) checkModel(process, expect);
  if (processes.length === 0 && !isRepeated) return compiled;
  const again = compileBpmn({ path: FILE, content: before });
  const hasSameFindings = JSON.stringify(again.findings) === JSON.stringify(findings);
  expect(hasSameFindings, 'findings differ', 'the same bytes gave other findings the second time');
  const hasSameModels = processes.length === 0 || outline(again.processes) === outline(processes);
  expect(hasSameModels, 'models differ', 'the same bytes gave another model the second time');
  return compiled;
}

function checkFinding({ code, message, place }: Finding, byteCount: number, report: Report): void {
  const fail = (reason: string): void => {
    const shown = `${reason}: ${code} ${JSON.stringify(place)} ${message.slice(0, 200)}`;
    report(new FuzzFailure(`finding ${code}`, shown));
  };
  if (!codeRegistry.has(code)) fail('its code is in no table');
  if (message.length < 10 || message.length > MAX_MESSAGE_LENGTH) {
    fail(`its message has ${message.length} characters`);
  }
  if (place.file !== FILE) fail('it does not name its file');
  for (const number of [place.line, place.column]) {
    // One more than there are characters: the end of the file.
    if (number === undefined || !Number.isInteger(number) || number < 1 || number > byteCount + 1) {
      fail('its line or column is missing or outside the file');
    }
  }
}

type Expect = (holds: boolean, check: string, message: string) => void;

function checkModel(process: ProcessDefinition, expectThat: Expect): void {
  const { nodes, flows, children } = process;
  const open = unfrozen(process, process.id, new Set());
  expectThat(open === null, 'model not frozen', `${String(open)} can be changed`);
  const expect = (holds: boolean, what: string): void =>
    expectThat(holds, 'model M1', `${what} in the process ${JSON.stringify(process.id)}`);
  for (const id of children) expect(nodes.get(id)?.parentId === process.id, `${id} is no child`);
  for (const { id, sourceId, targetId } of flows.values()) {
    expect(nodes.get(sourceId)?.outgoing.includes(id) === true, `the flow ${id} does not leave ${sourceId}`);
    expect(nodes.get(targetId)?.incoming.includes(id) === true, `the flow ${id} does not reach ${targetId}`);
  }
  for (const node of nodes.values()) {
    const { id, incoming, outgoing, parentId } = node;
    for (const flowId of outgoing) expect(flows.get(flowId)?.sourceId === id, `${id} leaves by ${flowId}`);
    for (const flowId of incoming)
      expect(flows.get(flowId)?.targetId === id, `${id} is reached by ${flowId}`);
    expect(parentId === process.id || nodes.has(parentId), `${id} is inside ${parentId}`);
    if (node.kind === 'boundaryEvent') expect(nodes.has(node.attachedToId), `${id} is attached to nothing`);
    if (node.kind !== 'subProcess') continue;
    for (const child of node.children)
      expect(nodes.get(child)?.parentId === id, `${child} is not inside ${id}`);
  }
}

/**
 * The path of something that can be changed, or null. Maps cannot be frozen, and functions are of the
 * expressions; all else must be, to the leaves.
 */
function unfrozen(value: unknown, path: string, seen: Set<unknown>): string | null {
  if (typeof value !== 'object' || value === null || seen.has(value)) return null;
  seen.add(value);
  const isCollection = value instanceof Map || value instanceof Set;
  if (!isCollection && !Object.isFrozen(value)) return path;
  for (const [key, item] of isCollection ? value.entries() : Object.entries(value)) {
    const found = unfrozen(item, `${path}.${String(key)}`, seen);
    if (found !== null) return found;
  }
  return null;
}

/** Functions are left out: two compilations have two. */
function outline(processes: readonly ProcessDefinition[]): string {
  return JSON.stringify(processes, (_, item: unknown) => (item instanceof Map ? [...item] : item));
}
