/** Packages for tests, in which the places of findings are marked: `«` stands before the character that is named. */
import assert from 'node:assert/strict';
import type { Finding } from '../../../config/engine-error.ts';
import { compilePackage } from '../../../definitions/package.ts';

/** What is not given is what most packages have. */
export interface PackageParts {
  /** What is inside `definitions`. */
  readonly model?: string;
  readonly channels?: string;
  /** By path: `order/default`. */
  readonly schemas?: Readonly<Record<string, unknown>>;
}

const channels = `channels:
  - { name: orders, transport: http, bind: 'POST /channels/orders', codec: 'urn:order' }
  - { name: payments, transport: http, bind: 'POST /channels/payments', codec: 'urn:payment' }
  - { name: loose, transport: http, bind: 'POST /channels/loose' }
  - { name: work, transport: pull }
`;

/** Closed, so that what it does not have cannot be there. */
const order = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    amount: { type: 'number' },
    due: { type: 'string', format: 'date' },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { price: { type: 'number' } }, additionalProperties: false },
    },
  },
  additionalProperties: false,
};
/** Others may be there. */
const payment = { type: 'object', properties: { reference: { type: 'string' }, paid: { type: 'number' } } };

const minimal =
  '<process id="p" isExecutable="true"><startEvent id="s"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></startEvent></process>';

/** `file:line:column severity CODE`, and the findings themselves. `SUTRA.` is left out. */
export function compileMarked({ model = minimal, channels: given = channels, schemas }: PackageParts): {
  readonly places: readonly string[];
  readonly findings: readonly Finding[];
  readonly hasModel: boolean;
} {
  const folders = schemas ?? { 'order/default': order, 'payment/payment': payment };
  const texts: Readonly<Record<string, string>> = {
    'package.yaml': "labels: { tenant: acme, module: m, version: '1' }\n",
    'channels.yaml': given,
    'bpmn/m.bpmn': `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:q="urn:sutra:q:1.0" targetNamespace="x">
${model}
</definitions>`,
    ...Object.fromEntries(
      Object.entries(folders).map(([path, schema]) => [`schemas/${path}.json`, JSON.stringify(schema)]),
    ),
  };
  const places: string[] = [];
  const encoder = new TextEncoder();
  const files = Object.entries(texts).map(([path, text]) => {
    for (const at of text.matchAll(/«/g)) places.push(`${path}:${placeIn(text.slice(0, at.index))}`);
    return { path, content: encoder.encode(text.replaceAll('«', '')) };
  });
  const { findings, model: compiled } = compilePackage(files);
  return { places, findings, hasModel: compiled !== null };
}

/** Line and column of what comes after the text. */
function placeIn(before: string): string {
  const lines = before.split('\n');
  return `${lines.length}:${(lines.at(-1) ?? '').replaceAll('«', '').length + 1}`;
}

export function shown({ place, severity, code }: Finding): string {
  return `${place.file ?? ''}:${place.line ?? 0}:${place.column ?? 0} ${severity} ${code.replace(/^SUTRA\./, '')}`;
}

/** All findings are those of `expected`, in the order of the marks. */
export function assertFindings(parts: PackageParts, expected: readonly string[], message?: RegExp): void {
  const { places, findings, hasModel } = compileMarked(parts);
  assert.deepEqual(
    findings.map(shown).toSorted(),
    places.map((place, index) => `${place} ${expected[index] ?? '(not expected)'}`).toSorted(),
    JSON.stringify(findings, null, 1),
  );
  assert.equal(expected.length, places.length, 'as many marks as findings');
  assert.equal(hasModel, !expected.some((one) => one.startsWith('error')));
  if (message !== undefined) assert.match(findings.map((finding) => finding.message).join('\n'), message);
}
