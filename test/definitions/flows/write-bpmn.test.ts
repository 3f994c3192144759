import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { buildDocument } from '../../../definitions/flows/build/document.ts';
import { readFlow } from '../../../definitions/flows/read/read-flow.ts';
import { writeBpmn } from '../../../definitions/flows/convert/write-bpmn.ts';
import { attributeOf, type XmlElement } from '../../../definitions/xml/document.ts';
import { readXml } from '../../../definitions/xml/read-xml.ts';
import { flowTexts } from '../../support/random-flow.ts';
import { call, flow, set } from '../../support/flow-builder.ts';

function readBack(text: string): XmlElement {
  const { document, findings } = readXml({ path: 'p.bpmn', content: new TextEncoder().encode(text) });
  assert.ok(document !== null, JSON.stringify(findings));
  return document.root;
}

/** What an element says, whatever its children's order; without what the writer adds for modelers. */
function said({ namespace, localName, attributes, text, children }: XmlElement): unknown {
  return {
    namespace,
    localName,
    text,
    attributes: attributes
      .filter((each) => each.namespace === '')
      .map((each) => `${each.localName}=${each.value}`)
      .toSorted(),
    children: children
      .filter((child) => child.localName !== 'incoming' && child.localName !== 'outgoing')
      .map((child) => JSON.stringify(said(child)))
      .toSorted(),
  };
}

/** Of elements that a flow is made of: how the schema orders what stands in them. */
const ORDER = [
  ...['extensionElements', 'incoming', 'outgoing', 'dataOutputAssociation'],
  ...['standardLoopCharacteristics', 'multiInstanceLoopCharacteristics', 'EventDefinition'],
  ...['startEvent', 'sequenceFlow', 'association'],
];

function placeInOrder(localName: string): number {
  const place = ORDER.findIndex((name) => localName.endsWith(name));
  return place === -1 ? ORDER.indexOf('startEvent') : place;
}

function inside(element: XmlElement): readonly XmlElement[] {
  return [element, ...element.children.flatMap(inside)];
}

describe('a tree of elements as BPMN text', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(flowTexts(), (text) => {
        const { flow: read } = readFlow({ path: 'p.yaml', content: new TextEncoder().encode(text) });
        assert.ok(read !== null);
        const { root } = buildDocument(read, []);
        assert.deepEqual(said(readBack(writeBpmn(root))), said(root));
      }),
      { numRuns: 100 },
    );
  });

  it('keeps every character of texts and attributes', () => {
    const text = fc
      .string({ unit: 'binary' })
      .filter((each) => !/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/.test(each));
    fc.assert(
      fc.property(text, text, (name, value) => {
        const step = call('a', 'work');
        const one = flow('p', [
          { ...step, name: { ...step.id, text: `n${name}` } },
          set('s', { v: `=${value}` }),
        ]);
        const elements = inside(readBack(writeBpmn(buildDocument(one, []).root)));
        const names = elements.map((element) => attributeOf(element, 'name'));
        assert.ok(names.includes(`n${name}`));
        assert.ok(elements.some((element) => element.localName === 'from' && element.text === `=${value}`));
      }),
    );
  });

  it('has its children in the order of the schema, and lists the sequence flows of each node', () => {
    fc.assert(
      fc.property(flowTexts(), (text) => {
        const { flow: read } = readFlow({ path: 'p.yaml', content: new TextEncoder().encode(text) });
        assert.ok(read !== null);
        const all = inside(readBack(writeBpmn(buildDocument(read, []).root)));
        for (const { localName, children } of all) {
          if (localName === 'definitions' || localName === 'extensionElements') continue;
          const places = children.map((child) => placeInOrder(child.localName));
          if (localName !== 'send' && localName !== 'reply' && localName !== 'assignment') {
            assert.deepEqual(
              places,
              places.toSorted((one, other) => one - other),
              localName,
            );
          }
        }
        const flows = all.filter(({ localName }) => localName === 'sequenceFlow');
        const listed = all.filter(({ localName }) => localName === 'incoming' || localName === 'outgoing');
        assert.equal(listed.length, 2 * flows.length);
      }),
      { numRuns: 50 },
    );
  });

  it('is text that a person can read', () => {
    const text = writeBpmn(
      buildDocument(flow('p', [call('a', 'work', { input: { n: '=1 < 2' } })]), []).root,
    );
    const task = `    <bpmn:serviceTask id="a" implementation="channel:work">
      <bpmn:extensionElements>
        <q:param name="n" expression="=1 &lt; 2"/>
      </bpmn:extensionElements>
      <bpmn:incoming>start-to-a</bpmn:incoming>
      <bpmn:outgoing>a-to-end</bpmn:outgoing>
    </bpmn:serviceTask>
`;
    assert.ok(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<bpmn:definitions xmlns:bpmn='), text);
    assert.ok(text.includes(task), text);
  });
});
