import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compileBpmn } from '../../../definitions/bpmn/compile.ts';
import { bpmnElements } from '../../../definitions/bpmn/elements.ts';
import { bpmnRefusals } from './bpmn-refusals.ts';
import { readMarks } from './marked-file.ts';
import { qRefusals } from './q-refusals.ts';

const order = readFileSync(new URL('../../fixtures/bpmn/order.bpmn', import.meta.url), 'utf8');
const texts = [order, ...[...bpmnRefusals, ...qRefusals].map(({ text }) => readMarks(text).text)].filter(
  (text) => text.length < 10_000,
);

/** Pieces that mean something to one of the parsers. */
const pieces = [
  ...bpmnElements.keys(),
  ...[
    '<',
    '>',
    '/>',
    '</',
    '"',
    "'",
    '&',
    '&#',
    ';',
    ']]>',
    '<![CDATA[',
    '<!--',
    '-->',
    '<?',
    '?>',
    '=',
    ':',
  ],
  ...[
    'xmlns=""',
    'q:',
    'id="n"',
    'sourceRef="s"',
    '<!DOCTYPE a>',
    '${',
    '\u0000',
    '\uD800',
    '😀',
    '\r\n',
    '((((',
  ],
];

type Mutation = (text: string) => string;

const at = fc.double({ min: 0, max: 1, noNaN: true });
const length = fc.integer({ min: 1, max: 120 });
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(at, length).map(([from, count]): Mutation => (text) => {
    const start = Math.floor(from * text.length);
    return text.slice(0, start) + text.slice(start + count);
  }),
  fc.tuple(at, length, at).map(([from, count, to]): Mutation => (text) => {
    const start = Math.floor(from * text.length);
    const target = Math.floor(to * text.length);
    return text.slice(0, target) + text.slice(start, start + count) + text.slice(target);
  }),
  fc.tuple(at, fc.constantFrom(...pieces)).map(([from, piece]): Mutation => (text) => {
    const start = Math.floor(from * text.length);
    return text.slice(0, start) + piece + text.slice(start + piece.length);
  }),
  fc.tuple(at, fc.string({ unit: 'binary', maxLength: 20 })).map(([from, piece]): Mutation => (text) => {
    const start = Math.floor(from * text.length);
    return text.slice(0, start) + piece + text.slice(start);
  }),
  // An element for another: the text stays well-formed and reaches the compiler.
  fc.tuple(fc.nat(), fc.constantFrom(...bpmnElements.keys())).map(([index, name]): Mutation => (text) => {
    const names = [
      ...new Set([...text.matchAll(/<((?:bpmn:)?)(\w+)[\s/>]/g)].map((match) => match[2] ?? '')),
    ];
    const replaced = names[index % Math.max(names.length, 1)] ?? 'none';
    return text.replaceAll(new RegExp(`(</?(?:bpmn:)?)${replaced}(?=[\\s/>])`, 'g'), `$1${name}`);
  }),
  // An attribute's value for another of the file.
  fc.tuple(fc.nat(), fc.nat()).map(([index, other]): Mutation => (text) => {
    const values = [...text.matchAll(/"[^"<]*"/g)];
    const replaced = values[index % Math.max(values.length, 1)];
    const value = values[other % Math.max(values.length, 1)]?.[0] ?? '""';
    return replaced === undefined
      ? text
      : text.slice(0, replaced.index) + value + text.slice(replaced.index + replaced[0].length);
  }),
);

/** Far above the milliseconds it takes, far below a hang; the machine may be busy. */
const LIMIT_MS = 10_000;

function compileQuickly(content: Uint8Array): void {
  const startedAt = performance.now();
  const { processes, findings } = compileBpmn({ path: 'mutated.bpmn', content });
  assert.ok(performance.now() - startedAt < LIMIT_MS);
  const hasError = findings.some(({ severity }) => severity === 'error');
  assert.equal(hasError && processes.length > 0, false);
  for (const { code, message, place } of findings) {
    assert.match(code, /^SUTRA\.(?:XML|BPMN|Q|FEEL|DIALECT)\./);
    assert.ok(message.length > 0 && message.length < 2_000);
    assert.ok(place.line !== undefined && place.line >= 1 && place.column !== undefined && place.column >= 1);
  }
}

describe('a mutated file', () => {
  test('never throws, never hangs, and every finding has its place', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        (text, mutations) => {
          const mutated = mutations.reduce((current, mutate) => mutate(current), text);
          compileQuickly(new TextEncoder().encode(mutated));
        },
      ),
      { numRuns: 400 },
    );
  });

  test('of any bytes never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), at, (bytes, from) => {
        const whole = new TextEncoder().encode(order);
        const start = Math.floor(from * whole.length);
        compileQuickly(bytes);
        compileQuickly(new Uint8Array([...whole.slice(0, start), ...bytes, ...whole.slice(start)]));
      }),
      { numRuns: 150 },
    );
  });
});
