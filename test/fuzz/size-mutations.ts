/** Mutations that make something large: deep, long, many, or dense. What is quadratic shows here. */
import type { Random } from './random.ts';
import type { TextMutation } from './xml-mutations.ts';
import { cut, localName, prefixOf, replaced, textOf, withAttribute, withInside } from './xml-pieces.ts';

/**
 * A text beyond this is not mutated further. Compiling takes one to three milliseconds a kilobyte, which is
 * no hang; what is above the bound of a file is made apart (`make-input.ts`).
 */
export const MAX_TEXT_LENGTH = 200_000;

export const sizeMutations: readonly TextMutation[] = [
  { name: 'nest deeply', weight: 3, apply: nestDeeply },
  { name: 'lengthen an attribute', weight: 2, apply: lengthenAttribute },
  { name: 'add many attributes', weight: 1, apply: addAttributes },
  { name: 'repeat an element many times', weight: 3, apply: repeatElement },
  { name: 'chain many nodes', weight: 2, apply: addChain },
  { name: 'join many gateways', weight: 2, apply: addDenseGraph },
  { name: 'attach many boundary events', weight: 1, apply: addBoundaryEvents },
  { name: 'write a deep expression', weight: 3, apply: deepExpression },
  { name: 'expand entities', weight: 1, apply: addEntities },
  { name: 'lengthen a text', weight: 1, apply: lengthenText },
];

function nestDeeply(text: string, random: Random): string {
  const pieces = cut(text);
  if (pieces.elements.length === 0) return text;
  const { name, from, to } = random.pick(pieces.elements);
  const wrapper =
    prefixOf(name) + random.pick(['subProcess', 'extensionElements', 'documentation', localName(name)]);
  const depth = random.magnitude(2, 5_000);
  const opening = Array.from({ length: depth }, (_, level) => `<${wrapper} id="deep${level}">`).join('');
  return replaced(pieces, from, to, opening + textOf(pieces, from, to) + `</${wrapper}>`.repeat(depth));
}

function lengthenAttribute(text: string, random: Random): string {
  const pieces = cut(text);
  if (pieces.elements.length === 0) return text;
  const { from } = random.pick(pieces.elements);
  const name = random.pick([
    'id',
    'name',
    'sourceRef',
    'implementation',
    'x',
    'x'.repeat(random.magnitude(10, 2_000)),
  ]);
  const value = random
    .pick(['x', 'é', '&amp;', ' ', '=', '(', 'a.', 'P1'])
    .repeat(random.magnitude(100, 100_000));
  return replaced(pieces, from, from, withAttribute(pieces.tokens[from] ?? '', name, value));
}

function addAttributes(text: string, random: Random): string {
  const pieces = cut(text);
  if (pieces.elements.length === 0) return text;
  const { from } = random.pick(pieces.elements);
  const name = random.pick(['a', 'xmlns:n', 'x:a']);
  const added = Array.from(
    { length: random.magnitude(10, 3_000) },
    (_, index) => ` ${name}${index}="v"`,
  ).join('');
  return replaced(pieces, from, from, withInside(pieces.tokens[from] ?? '', added));
}

function repeatElement(text: string, random: Random): string {
  const pieces = cut(text);
  if (pieces.elements.length === 0) return text;
  const { from, to } = random.pick(pieces.elements);
  const element = textOf(pieces, from, to);
  const count = Math.min(random.magnitude(10, 5_000), Math.floor(MAX_TEXT_LENGTH / element.length));
  const isRenamed = random.chance(0.6);
  const copies = Array.from({ length: count }, (_, copy) =>
    isRenamed ? element.replaceAll(/\bid="([^"]*)"/g, (_, id: string) => `id="${id}-${copy}"`) : element,
  );
  return replaced(pieces, from, to, element + copies.join(''));
}

interface Spot {
  readonly prefix: string;
  /** Id of a node inside. */
  readonly nodeId: string;
  readonly insert: (added: string) => string;
}

/** Right after the first node of a process. */
function spotIn(text: string, random: Random): Spot | null {
  const pieces = cut(text);
  const nodes = pieces.elements.filter(({ name }) => /(?:Event|Task|^task|:task)$/.test(name));
  if (nodes.length === 0) return null;
  const { name, from, to } = random.pick(nodes);
  const nodeId = /\bid="([^"]*)"/.exec(pieces.tokens[from] ?? '')?.[1] ?? 'none';
  return { prefix: prefixOf(name), nodeId, insert: (added) => replaced(pieces, to + 1, to, added) };
}

function flow(prefix: string, id: string, from: string, to: string): string {
  return `<${prefix}sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}"/>`;
}

function addChain(text: string, random: Random): string {
  const spot = spotIn(text, random);
  if (spot === null) return text;
  const { prefix, nodeId } = spot;
  const kind = random.pick([
    'task',
    'manualTask',
    'exclusiveGateway',
    'parallelGateway',
    'inclusiveGateway',
    'userTask',
  ]);
  const count = random.magnitude(10, 1_500);
  const nodes = Array.from({ length: count }, (_, index) => {
    const before = index === 0 ? nodeId : `chain${index - 1}`;
    return `<${prefix}${kind} id="chain${index}"/>${flow(prefix, `chainFlow${index}`, before, `chain${index}`)}`;
  });
  if (random.chance(0.3))
    nodes.push(flow(prefix, 'chainBack', `chain${count - 1}`, `chain${random.below(count)}`));
  return spot.insert(nodes.join(''));
}

/** Every gateway leads to every one behind it, or to every one. */
function addDenseGraph(text: string, random: Random): string {
  const spot = spotIn(text, random);
  if (spot === null) return text;
  const { prefix, nodeId } = spot;
  const kind = random.pick([
    'inclusiveGateway',
    'parallelGateway',
    'exclusiveGateway',
    'complexGateway',
    'task',
    'userTask',
  ]);
  const count = random.magnitude(3, 40);
  const isCyclic = random.chance(0.3);
  const added = [flow(prefix, 'denseIn', nodeId, 'dense0')];
  for (let one = 0; one < count; one += 1) {
    added.push(`<${prefix}${kind} id="dense${one}"/>`);
    for (let other = isCyclic ? 0 : one + 1; other < count; other += 1) {
      const id = `dense${one}-${other}`;
      added.push(
        `<${prefix}sequenceFlow id="${id}" sourceRef="dense${one}" targetRef="dense${other}">`,
        kind === 'inclusiveGateway' || kind === 'exclusiveGateway'
          ? `<${prefix}conditionExpression>=true</${prefix}conditionExpression>`
          : '',
        `</${prefix}sequenceFlow>`,
      );
    }
  }
  return spot.insert(added.join(''));
}

function addBoundaryEvents(text: string, random: Random): string {
  const spot = spotIn(text, random);
  if (spot === null) return text;
  const { prefix } = spot;
  const definition = `<${prefix}timerEventDefinition><${prefix}timeDuration>PT1S</${prefix}timeDuration></${prefix}timerEventDefinition>`;
  const host = `<${prefix}userTask id="host"/>${flow(prefix, 'toHost', spot.nodeId, 'host')}`;
  const events = Array.from(
    { length: random.magnitude(5, 1_000) },
    (_, index) =>
      `<${prefix}boundaryEvent id="many${index}" attachedToRef="host" cancelActivity="${index % 2 === 0}">${definition}</${prefix}boundaryEvent>`,
  );
  return spot.insert(host + events.join(''));
}

/** What one level of an expression begins and ends with, and the innermost part. */
const NESTINGS = [
  ...[
    ['(', '1', ')'],
    ['[', '1', ']'],
    ['{a: ', '1', '}'],
    ['not(', 'true', ')'],
    ['-', '1', ''],
    ['n + ', '1', ''],
  ],
  ...[
    ['if true then ', '1', ' else 2'],
    ['for i in x return ', 'i', ''],
    ['function(a) ', 'a', ''],
    ['x[', '1', ']'],
  ],
  ...[
    ['((((', '', ''],
    ['"', '', ''],
    ['n and ', 'true', ''],
    ['abs(', '1', ')'],
    ['a.', 'b', ''],
    ['a ', 'b', ''],
  ],
  ...[
    ['some i in [1, 2] satisfies ', 'true', ''],
    ['n = ', '1', ''],
    ['x[item > 1]', '', ''],
    ['/*', '', '*/'],
  ],
];

function deepExpression(text: string, random: Random): string {
  const [before = '', inside = '', after = ''] = random.pick(NESTINGS);
  const depth = Math.min(random.magnitude(5, 20_000), Math.floor(70_000 / (before.length + after.length)));
  const expression = before.repeat(depth) + inside + after.repeat(depth);
  const escapedText = expression.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const pieces = cut(text);
  const holders = pieces.elements.filter(({ name }) =>
    /(?:Expression|script|from|condition|timeDuration|timeDate)$/.test(name),
  );
  const tags = pieces.elements.filter(({ from }) =>
    /\b(?:expression|body|value|destination)="/.test(pieces.tokens[from] ?? ''),
  );
  if (tags.length > 0 && (holders.length === 0 || random.chance(0.5))) {
    const { from } = random.pick(tags);
    const tag = pieces.tokens[from] ?? '';
    return replaced(
      pieces,
      from,
      from,
      tag.replace(
        /\b(expression|body|value|destination)="[^"]*"/,
        (_, name: string) => `${name}="${escapedText}"`,
      ),
    );
  }
  if (holders.length === 0) return text;
  const { from, to } = random.pick(holders);
  return from === to ? text : replaced(pieces, from + 1, to - 1, escapedText);
}

function addEntities(text: string, random: Random): string {
  const levels = random.between(2, 12);
  const entities = Array.from(
    { length: levels },
    (_, level) => `<!ENTITY e${level} "${`&e${level - 1};`.repeat(10)}">`,
  );
  const doctype = `<!DOCTYPE definitions [${entities.join('')}]>`;
  const body = text.replace(/^<\?xml[^>]*\?>\s*/, (declaration) =>
    random.chance(0.7) ? declaration + doctype : declaration,
  );
  return body.replace(/name="[^"]*"/, `name="&e${levels - 1};"`);
}

function lengthenText(text: string, random: Random): string {
  const pieces = cut(text);
  if (pieces.elements.length === 0) return text;
  const { from } = random.pick(pieces.elements);
  const added = random.pick([
    'x',
    '\n',
    ' ',
    '&lt;',
    '<!-- x -->',
    '<![CDATA[x]]>',
    '<?x y?>',
    '😀',
    '&#10;',
  ]);
  return replaced(pieces, from + 1, from, added.repeat(random.magnitude(100, 50_000)));
}
