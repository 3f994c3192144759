/** Whatever stands in a file: R1 and R2 of read-flow.ts. A failing run prints its seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { readFlow, type FlowReading } from '../../../definitions/flows/read/read-flow.ts';
import { verbRows } from '../../../definitions/flows/read/vocabulary.ts';
import { rightFlows } from './flow-texts.ts';

function check(content: Uint8Array): FlowReading {
  const reading = readFlow({ path: 'flows/test.yaml', content });
  const errors = reading.findings.filter(({ severity }) => severity === 'error');
  assert.equal(reading.flow === null, errors.length > 0);
  for (const { code, message, place } of reading.findings) {
    assert.match(code, /^SUTRA\.(?:FLOWS\.[A-Z_]+|FEEL\.SYNTAX_INVALID)$/);
    assert.match(message, /^[^\n]+\.$/);
    assert.equal(place.file, 'flows/test.yaml');
    assert.ok((place.line ?? 0) >= 1 && (place.column ?? 0) >= 1);
  }
  return reading;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const keys = [
  'start',
  'steps',
  'id',
  'name',
  'variables',
  'channel',
  'timer',
  'signal',
  'condition',
  'after',
  'at',
  'every',
  'when',
  'else',
  'all',
  'any',
  'code',
  'expression',
  ...verbRows.keys(),
  ...[...verbRows.values()].flatMap(({ optionKeys }) => optionKeys),
];

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    'a',
    '=a',
    '=a +',
    'PT5M',
    'end',
    'all',
    'a b',
    '',
    ' ',
    '={',
    true,
    false,
    null,
    1,
    -0.5,
    Infinity,
  ),
  fc.string({ maxLength: 5, unit: 'grapheme' }),
  fc.double(),
);

const { value } = fc.letrec<{ readonly value: unknown; readonly list: unknown; readonly mapping: unknown }>(
  (tie) => ({
    value: fc.oneof({ depthSize: 'medium', depthIdentifier: 'value' }, scalar, tie('list'), tie('mapping')),
    list: fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'value' }),
    mapping: fc.dictionary(
      fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...keys) }, fc.string({ maxLength: 4 })),
      tie('value'),
      { maxKeys: 4, depthIdentifier: 'value' },
    ),
  }),
);

test('R2: random trees of the words of flows are read to an end', () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), (steps) => {
      check(encode(stringify({ steps }, { aliasDuplicateObjects: false })));
    }),
    { numRuns: 1_000 },
  );
});

test('R2: right flows with a piece cut out, doubled or made of something else are read to an end', () => {
  let refused = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...rightFlows),
      fc.nat(),
      fc.nat(12),
      fc.constantFrom('', ' ', '\n', '[', '{', '}', ':', '- ', '"', '=', '#', '|', '\u0000', '😀', '\n  '),
      (text, at, length, instead) => {
        const start = at % text.length;
        const changed = text.slice(0, start) + instead + text.slice(start + length);
        if (check(encode(changed)).flow === null) refused += 1;
      },
    ),
    { numRuns: 1_000 },
  );
  assert.ok(refused > 300, `${refused}`);
});

test('R2: random bytes are read to an end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      check(bytes);
    }),
    { numRuns: 500 },
  );
});

test('the same file gives the same findings', () => {
  const text = stringify({ steps: keys.map((key) => ({ [key]: key })) });
  assert.deepEqual(check(encode(text)), check(encode(text)));
});

/** Half as large as a file may be, and made to cost. */
const large: readonly (readonly [name: string, text: string])[] = [
  ['steps that meet', `steps:\n${'- call: a\n'.repeat(13_000)}`],
  ['steps behind an end', `steps:\n${'- end\n'.repeat(10_000)}`],
  [
    'unknown keys',
    `steps:\n  - call: a\n${Array.from({ length: 8_000 }, (_, n) => `    k${n}: 1\n`).join('')}`,
  ],
  [
    'choices',
    `steps:\n${Array.from({ length: 3_000 }, (_, n) => `- choose: [ { when: a${n} > 1 } ]\n`).join('')}`,
  ],
  ['one long expression', `steps:\n  - set: { a: "${'a + '.repeat(30_000)} a" }`],
  [
    'one expression of many lines with a fault',
    `steps:\n  - set:\n      a: |\n${'        a +\n'.repeat(20_000)}`,
  ],
  ['compensations', `steps:\n${Array.from({ length: 4_500 }, (_, n) => `- compensate: a${n}\n`).join('')}`],
  ['depth', `steps: ${'[ repeat: { at-most: 2 }, steps: '.repeat(20)}[ end ]${']'.repeat(20)}`],
];

/** Of the processor; each takes a second, and one that grew with the square of its size would take minutes. */
const MAX_CPU_MS = 15_000;

for (const [name, text] of large) {
  test(`a file made to cost is read in a few seconds: ${name}`, () => {
    assert.ok(text.length < 262_144);
    const start = process.cpuUsage();
    check(encode(text));
    const { user, system } = process.cpuUsage(start);
    assert.ok((user + system) / 1_000 < MAX_CPU_MS, `${(user + system) / 1_000} ms`);
  });
}
