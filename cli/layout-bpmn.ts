/**
 * A diagram for a BPMN file that was written from a flow.
 *
 * L1 Only the diagram is taken from the library. The model stays the text that was written, to the letter.
 * L2 Sub-processes are drawn open: the parts of a flow are read together with what is around them.
 * L3 What the library does not draw, the associations of compensation, is drawn here.
 */
import { layoutProcess } from 'bpmn-auto-layout';
import { attributeOf, type XmlElement } from '../definitions/xml/document.ts';
import { readXml } from '../definitions/xml/read-xml.ts';

const NAMESPACES = [
  ['bpmndi', 'http://www.omg.org/spec/BPMN/20100524/DI'],
  ['dc', 'http://www.omg.org/spec/DD/20100524/DC'],
  ['di', 'http://www.omg.org/spec/DD/20100524/DI'],
] as const;
const START = '<bpmn:definitions ';
const END = '</bpmn:definitions>';
const DIAGRAM = /<bpmndi:BPMNDiagram[\s\S]*<\/bpmndi:BPMNDiagram>/;

/** `text`, as `writeBpmn` gives it, with a diagram; null when the library fails to draw one. */
export async function layoutBpmn(text: string): Promise<string | null> {
  const prefixes = NAMESPACES.map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`).join(' ');
  const declared = text.replace(START, () => `${START}${prefixes} `);
  const elements = elementsIn(text);
  const sketches = listingOrders(elements).map((order) =>
    withDiagram(inOrder(declared, order), openParts(elements)),
  );
  const diagram = await diagramOf(sketches);
  return diagram === null ? null : withDiagram(declared, withAssociations(diagram, elements));
}

/** Of the first sketch that the library can draw. */
async function diagramOf([sketch, ...others]: readonly string[]): Promise<string | null> {
  if (sketch === undefined) return null;
  try {
    return DIAGRAM.exec(await layoutProcess(sketch))?.[0] ?? null;
  } catch (error) {
    // It throws nothing else, and says nothing of use, when it comes to a node that it has not placed yet.
    if (!(error instanceof TypeError)) throw error;
    return diagramOf(others);
  }
}

function withDiagram(text: string, diagram: string): string {
  return text.replace(END, () => `  ${diagram}\n${END}`);
}

function elementsIn(text: string): readonly XmlElement[] {
  const { document } = readXml({ path: 'flow.bpmn', content: new TextEncoder().encode(text) });
  const inside = (element: XmlElement): readonly XmlElement[] => [
    element,
    ...element.children.flatMap(inside),
  ];
  return document === null ? [] : inside(document.root);
}

/** A diagram that says of each sub-process that it is open, which the library asks for. */
function openParts(elements: readonly XmlElement[]): string {
  const process = elements.find(({ localName }) => localName === 'process');
  const shapes = elements
    .filter(({ localName }) => localName === 'subProcess')
    .map((part) => {
      const bounds = '<dc:Bounds x="0" y="0" width="100" height="80"/>';
      return `<bpmndi:BPMNShape id="${idOf(part)}_di" bpmnElement="${idOf(part)}" isExpanded="true">${bounds}</bpmndi:BPMNShape>`;
    });
  const plane = `<bpmndi:BPMNPlane bpmnElement="${process === undefined ? '' : idOf(process)}">`;
  return `<bpmndi:BPMNDiagram>${plane}${shapes.join('')}</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>`;
}

type ListingOrder = (flowIds: readonly string[]) => readonly string[];

/**
 * The library goes along the outgoing flows of a gateway in the order in which they are listed, and fails when one that
 * leads straight to a join comes before others; of large flows with many exits, one in some hundred also needs them
 * the other way round.
 */
function listingOrders(elements: readonly XmlElement[]): readonly ListingOrder[] {
  const flows = elements.filter(({ localName }) => localName === 'sequenceFlow');
  const counts = new Map<string, number>();
  const targetOf = (flow: XmlElement): string => attributeOf(flow, 'targetRef') ?? '';
  flows.forEach((flow) => counts.set(targetOf(flow), (counts.get(targetOf(flow)) ?? 0) + 1));
  const joining = new Set(flows.filter((flow) => (counts.get(targetOf(flow)) ?? 0) > 1).map(idOf));
  const joinsLast: ListingOrder = (ids) => [
    ...ids.filter((id) => !joining.has(id)),
    ...ids.filter((id) => joining.has(id)),
  ];
  return [joinsLast, (ids) => joinsLast(ids).toReversed(), (ids) => ids, (ids) => ids.toReversed()];
}

/** As `writeBpmn` lists them: each in a line of its own. */
function inOrder(text: string, order: ListingOrder): string {
  return text.replace(/(?: *<bpmn:outgoing>.*<\/bpmn:outgoing>\n)+/g, (listing) => {
    const ids = listing
      .replaceAll(/<[^>]*>| /g, '')
      .split('\n')
      .slice(0, -1);
    return order(ids)
      .map((id) => `<bpmn:outgoing>${id}</bpmn:outgoing>\n`)
      .join('');
  });
}

interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function withAssociations(diagram: string, elements: readonly XmlElement[]): string {
  const edges = elements
    .filter(({ localName }) => localName === 'association')
    .flatMap((association) => {
      const from = boundsOf(diagram, attributeOf(association, 'sourceRef') ?? '');
      const to = boundsOf(diagram, attributeOf(association, 'targetRef') ?? '');
      return from === null || to === null ? [] : [edgeOf(idOf(association), waypoints(from, to))];
    });
  return diagram.replace('</bpmndi:BPMNPlane>', () => `${edges.join('')}</bpmndi:BPMNPlane>`);
}

/** Ids are XML names, which need no escaping in a pattern but for the dot. */
function boundsOf(diagram: string, id: string): Bounds | null {
  const pattern = `bpmnElement="${id.replaceAll('.', '\\.')}"[^>]*>\\s*<dc:Bounds x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)"`;
  const [, ...numbers] = new RegExp(pattern).exec(diagram) ?? [];
  const [x, y, width, height] = numbers.map(Number);
  return x === undefined || y === undefined || width === undefined || height === undefined
    ? null
    : { x, y, width, height };
}

/** Down from the event, and to the side of what undoes. */
function waypoints(from: Bounds, to: Bounds): readonly (readonly [number, number])[] {
  const x = from.x + from.width / 2;
  const middle = to.y + to.height / 2;
  const bottom: readonly [number, number] = [x, from.y + from.height];
  if (x >= to.x && x <= to.x + to.width) return [bottom, [x, to.y]];
  return [bottom, [x, middle], [x > to.x ? to.x + to.width : to.x, middle]];
}

function edgeOf(id: string, points: readonly (readonly [number, number])[]): string {
  const path = points.map(([x, y]) => `<di:waypoint x="${x}" y="${y}"/>`).join('');
  return `<bpmndi:BPMNEdge id="${id}_di" bpmnElement="${id}">${path}</bpmndi:BPMNEdge>`;
}

function idOf(element: XmlElement): string {
  return attributeOf(element, 'id') ?? '';
}
