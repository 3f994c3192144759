/** What holds for every flow. A failing run prints its seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildDocument } from '../../../definitions/flows/build/document.ts';
import { compileFlow } from '../../../definitions/flows/compile-flow.ts';
import { readFlow } from '../../../definitions/flows/read/read-flow.ts';
import type { FlowNode, ProcessDefinition } from '../../../definitions/model.ts';
import type { PackageFile } from '../../../definitions/package-file.ts';
import { attributeOf, type XmlDocument, type XmlElement } from '../../../definitions/xml/document.ts';
import { playAtRandom } from '../../core/random-play.ts';
import { flowTexts } from '../../support/random-flow.ts';

const fileOf = (text: string): PackageFile => ({
  path: 'flows/p.yaml',
  content: new TextEncoder().encode(text),
});

function compiledOf(text: string): ProcessDefinition | null {
  const { processes, findings } = compileFlow(fileOf(text));
  const errors = findings.filter(({ severity }) => severity === 'error');
  for (const { code, message } of errors) assert.equal(code, 'SUTRA.FLOWS.UNREACHABLE', message);
  assert.equal(processes.length, errors.length === 0 ? 1 : 0);
  return processes[0] ?? null;
}

const called = compiledOf('id: called\nsteps: [ { set: { n: =n + 1 } }, { call: work, id: inCalled } ]\n');
assert.ok(called !== null);

/** Not that a join waits for ever. */
const UNCAUGHT = /^SUTRA\.(?:BPMN_ERROR\.UNCAUGHT|CALL\.TIMEOUT)$/;

/** Far more turns than the largest flow takes. */
const ENOUGH_TURNS = 3000;

test('a flow compiles, or a step in it cannot be reached', () => {
  let compiledCount = 0;
  let count = 0;
  fc.assert(
    fc.property(flowTexts(), (text) => {
      count += 1;
      const process = compiledOf(text);
      if (process === null) return;
      compiledCount += 1;
      assert.deepEqual(withoutEnd(process), []);
    }),
    { numRuns: 120 },
  );
  assert.ok(compiledCount > count / 2, `${compiledCount} of ${count} compiled`);
});

test('a flow ends or fails by an error that nothing catches, whatever the order in which things happen', () => {
  const picks = fc.infiniteStream(fc.nat(10_000));
  fc.assert(
    fc.property(flowTexts(), picks, (text, stream) => {
      const process = compiledOf(text);
      if (process === null || process.start.length === 0) return;
      const { snapshot } = playAtRandom({ process, callable: [called] }, stream, ENOUGH_TURNS);
      if (snapshot.status !== 'failed') assert.match(snapshot.status, /^(?:completed|terminated)$/);
      else assert.match(snapshot.failure?.code ?? '', UNCAUGHT);
    }),
    { numRuns: 120 },
  );
});

test('everything in the document of a flow has its place in the file, and the same flow makes the same document', () => {
  fc.assert(
    fc.property(flowTexts(), (text) => {
      const { flow } = readFlow(fileOf(text));
      assert.ok(flow !== null);
      const document = buildDocument(flow, []);
      checkPlaces(document, document.root, text.split('\n'));
      assert.deepEqual(buildDocument(flow, []).root, document.root);
    }),
    { numRuns: 30 },
  );
});

/** Nodes from which no path leads to an end of their scope. */
function withoutEnd(process: ProcessDefinition): readonly string[] {
  const nodes = [...process.nodes.values()];
  const ending = new Set(nodes.filter(({ kind }) => kind === 'endEvent').map(({ id }) => id));
  const targetsOf = ({ outgoing }: FlowNode): readonly string[] =>
    outgoing.flatMap((id) => process.flows.get(id)?.targetId ?? []);
  for (let size = -1; size < ending.size;) {
    size = ending.size;
    for (const node of nodes) if (targetsOf(node).some((id) => ending.has(id))) ending.add(node.id);
  }
  return nodes.filter((node) => !ending.has(node.id) && !isBeside(node)).map(({ id }) => id);
}

/** Compensation is outside of every path. */
function isBeside(node: FlowNode): boolean {
  return node.kind === 'boundaryEvent'
    ? node.triggers.some(({ kind }) => kind === 'compensation')
    : node.kind === 'subProcess' && node.isForCompensation;
}

function checkPlaces(document: XmlDocument, element: XmlElement, lines: readonly string[]): void {
  const places = [
    document.placeOf(element),
    ...element.attributes.flatMap((attribute) => [
      document.placeOfAttribute(element, attribute),
      document.placeInAttribute(element, attribute, attribute.value.length),
    ]),
    ...(element.text === '' ? [] : [document.placeInText(element, element.text.length - 1)]),
  ];
  for (const { file, line = 0, column = 0 } of places) {
    assert.equal(file, 'flows/p.yaml');
    const there = lines[line - 1];
    assert.ok(there !== undefined && column >= 1 && column <= there.length + 1, `${line}:${column}`);
    assert.ok(line > 1 || isOfWhole(element), element.localName);
  }
  element.children.forEach((child) => checkPlaces(document, child, lines));
}

/** What the author has not written is at the beginning: the process, and how it starts when nothing is said. */
function isOfWhole(element: XmlElement): boolean {
  return (
    ['definitions', 'process'].includes(element.localName) ||
    [attributeOf(element, 'id'), attributeOf(element, 'sourceRef')].includes('start')
  );
}
