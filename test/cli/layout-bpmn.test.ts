/** The diagram of a flow: everything is drawn, nothing stands on anything else, and the model stays what it was. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layoutProcess } from 'bpmn-auto-layout';
import fc from 'fast-check';
import { layoutBpmn } from '../../cli/layout-bpmn.ts';
import { compileBpmn } from '../../definitions/bpmn/compile.ts';
import { FLOW_NODES } from '../../definitions/bpmn/elements.ts';
import { BPMN_NAMESPACE } from '../../definitions/bpmn/namespaces.ts';
import { flowToBpmn } from '../../definitions/flows/convert/convert.ts';
import type { ProcessDefinition } from '../../definitions/model.ts';
import { attributeOf, type XmlElement } from '../../definitions/xml/document.ts';
import { readXml } from '../../definitions/xml/read-xml.ts';
import { flowTexts } from '../support/random-flow.ts';
import { saidBy } from '../support/same-process.ts';

const encoder = new TextEncoder();
const NODES: ReadonlySet<string> = new Set(FLOW_NODES);

interface Shape {
  readonly id: string;
  readonly kind: string;
  /** Ids of the sub-processes around it. */
  readonly around: readonly string[];
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function processOf(text: string): ProcessDefinition {
  const { processes, findings } = compileBpmn({ path: 'p.bpmn', content: encoder.encode(text) });
  const [process] = processes;
  assert.ok(process !== undefined, JSON.stringify(findings));
  return process;
}

function rootOf(text: string): XmlElement {
  const { document } = readXml({ path: 'p.bpmn', content: encoder.encode(text) });
  assert.ok(document !== null);
  return document.root;
}

function allOf(root: XmlElement): readonly XmlElement[] {
  return [root, ...root.children.flatMap(allOf)];
}

/** Of each flow node; one that is not drawn fails the test. */
function shapesOf(root: XmlElement): readonly Shape[] {
  const drawn = new Map(
    allOf(root)
      .filter(({ localName }) => localName === 'BPMNShape')
      .map((shape) => [attributeOf(shape, 'bpmnElement') ?? '', shape]),
  );
  const visit = (element: XmlElement, around: readonly string[]): readonly Shape[] =>
    element.children.flatMap((child) => {
      if (child.namespace !== BPMN_NAMESPACE || !NODES.has(child.localName)) return [];
      const id = attributeOf(child, 'id') ?? '';
      const [bounds] = drawn.get(id)?.children ?? [];
      assert.ok(bounds !== undefined, `${id} is not drawn`);
      const [x = NaN, y = NaN, width = NaN, height = NaN] = ['x', 'y', 'width', 'height'].map((name) =>
        Number(attributeOf(bounds, name)),
      );
      const shape = {
        id,
        kind: child.localName,
        around,
        left: x,
        top: y,
        right: x + width,
        bottom: y + height,
      };
      return [shape, ...visit(child, [...around, id])];
    });
  return root.children.filter(({ localName }) => localName === 'process').flatMap((each) => visit(each, []));
}

function overlap(one: Shape, other: Shape): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

function contains(outer: Shape, inner: Shape): boolean {
  return (
    outer.left <= inner.left &&
    outer.top <= inner.top &&
    outer.right >= inner.right &&
    outer.bottom >= inner.bottom
  );
}

function checkShapes(shapes: readonly Shape[]): void {
  for (const [index, one] of shapes.entries()) {
    for (const other of shapes.slice(0, index)) {
      if (one.around.includes(other.id)) {
        assert.ok(contains(other, one), `${one.id} is not in ${other.id}`);
        continue;
      }
      // A boundary event stands on the border of its activity.
      const isBorder = (one.kind === 'boundaryEvent') !== (other.kind === 'boundaryEvent');
      if (!other.around.includes(one.id) && !isBorder) {
        assert.ok(!overlap(one, other), `${one.id} is on ${other.id}`);
      }
    }
  }
}

function checkEdges(root: XmlElement): void {
  const all = allOf(root);
  const edges = new Set(
    all.filter(({ localName }) => localName === 'BPMNEdge').map((edge) => attributeOf(edge, 'bpmnElement')),
  );
  for (const { localName, attributes } of all) {
    if (localName !== 'sequenceFlow' && localName !== 'association') continue;
    const id = attributes.find((each) => each.localName === 'id')?.value ?? '';
    assert.ok(edges.has(id), `${id} is not drawn`);
  }
}

/** The library reads and writes the whole file as modelers do; null when it fails in between, where it draws. */
async function savedByModeler(text: string): Promise<string | null> {
  try {
    return await layoutProcess(text);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

describe('the diagram of a flow', () => {
  it('draws everything, and nothing on anything else, and leaves the model as it is', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(flowTexts(), async (text) => {
        const plain = flowToBpmn({ path: 'p.yaml', content: encoder.encode(text) }).text;
        if (plain === null) return;
        count += 1;
        const laidOut = await layoutBpmn(plain);
        assert.ok(laidOut !== null, text);
        const root = rootOf(laidOut);
        checkShapes(shapesOf(root));
        checkEdges(root);
        assert.deepEqual(saidBy(processOf(laidOut)), saidBy(processOf(plain)));
      }),
      { numRuns: 40 },
    );
    assert.ok(count > 20, `${count} were drawn`);
  });

  it('is of a file that modelers read and write without losing anything', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(flowTexts(), async (text) => {
        const plain = flowToBpmn({ path: 'p.yaml', content: encoder.encode(text) }).text;
        const laidOut = plain === null ? null : await layoutBpmn(plain);
        const saved = laidOut === null ? null : await savedByModeler(laidOut);
        if (plain === null || saved === null) return;
        count += 1;
        assert.deepEqual(saidBy(processOf(saved)), saidBy(processOf(plain)));
      }),
      { numRuns: 20 },
    );
    assert.ok(count > 8, `${count} were saved`);
  });

  it('keeps the text of the model to the letter', async () => {
    const steps =
      '[ { call: a, id: a.b, name: "a $& <b>" }, { try: [ { call: c } ], compensate: [ { call: d } ] } ]';
    const plain = flowToBpmn({ path: 'p.yaml', content: encoder.encode(`steps: ${steps}`) }).text ?? '';
    const laidOut = await layoutBpmn(plain);
    const body = /<bpmn:process[^]*<\/bpmn:process>/.exec(plain)?.[0];
    assert.ok(body !== undefined && laidOut?.includes(body) === true);
  });
});
