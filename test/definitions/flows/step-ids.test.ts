/** Ids that are derived. D1, D2: see step-ids.ts. What right flows are given is also in flow-texts.ts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { partsOf } from '../../../definitions/flows/flow-parts.ts';
import type { Flow, Step, Steps } from '../../../definitions/flows/flow.ts';
import { slug } from '../../../definitions/flows/step-ids.ts';
import { read, withSteps } from './flow-texts.ts';

function flowOf(text: string): Flow {
  const { flow, findings } = read(text);
  assert.deepEqual(findings, []);
  assert.ok(flow !== null);
  return flow;
}

describe('a slug', () => {
  for (const [text, expected] of [
    ['Score the order', 'score-the-order'],
    ['score_request', 'score-request'],
    ['  (a)  ', 'a'],
    ['=score.value > 700', 'score-value-700'],
    ['Prüfen & buchen', 'prüfen-buchen'],
    ['', ''],
    ['!?', ''],
    ['x'.repeat(50), 'x'.repeat(40)],
    [`${'x'.repeat(39)} yz`, 'x'.repeat(39)],
    [`${'😀'.repeat(3)}a`, 'a'],
  ] as const) {
    test(`of ${JSON.stringify(text)} is ${JSON.stringify(expected)}`, () => {
      assert.equal(slug(text), expected);
    });
  }
});

describe('the id of a step', () => {
  for (const [steps, expected] of [
    ['- call: a\n  name: Do it', 'do-it'],
    ['- call: a\n  name: "2nd try"', 'call-2nd-try'],
    ['- call: a\n  name: "!"', 'call-a'],
    ['- call: a\n  id: X.y_z-1\n  name: b', 'X.y_z-1'],
    ['- call: "!"', 'call'],
    ['- end: Too late\n  id: x', 'x'],
    ['- send: { destination: =order.channel }', 'send-order-channel'],
    [`- choose: [ { when: '=${'a.'.repeat(40)}b > 1' } ]`, `choose-${'a-'.repeat(19)}a`],
    ['- wait: [ { condition: =a }, { timer: PT5M } ]', 'wait-first-condition-a'],
  ] as const) {
    test(`is ${expected}`, () => {
      assert.equal(flowOf(withSteps(steps)).steps[0]?.id.text, expected);
    });
  }
});

test('bare ends are counted, around ids that are given and the end of the process', () => {
  const ends = (text: string): readonly string[] =>
    allSteps(flowOf(text).steps)
      .filter(({ verb, isIdGiven }) => verb === 'end' && !isIdGiven)
      .map(({ id }) => id.text);
  const choice = '- choose: [ { when: a, steps: [ end ] }, { when: b, steps: [ end ] }';
  assert.deepEqual(ends(withSteps(`${choice}, { else: [ end ] } ]`)), ['end', 'end-2', 'end-3']);
  assert.deepEqual(ends(withSteps(`${choice} ]`)), ['end-2', 'end-3']);
  assert.deepEqual(ends(withSteps(`${choice} ]\n- call: a\n  id: end-2`)), ['end-3', 'end-4']);
});

test('thousands of steps of one id are told apart in no time', () => {
  const { findings } = read(withSteps('- call: a\n'.repeat(10_000)));
  assert.equal(findings.length, 9_999);
  assert.match(findings.at(-1)?.message ?? '', /call-a-10000/);
});

// --- D1, as a property ------------------------------------------------------------------------------

type Yaml = Readonly<Record<string, unknown>>;

/** So many that most flows need no ids. */
const names = fc.nat(5_000).map((number) => `n${number}`);

const leaf: fc.Arbitrary<Yaml> = fc
  .tuple(
    fc.constantFrom('call', 'send', 'wait', 'set', 'signal', 'decide'),
    names,
    fc.option(
      names.map((name) => `Name ${name}`),
      { nil: undefined, freq: 5 },
    ),
  )
  .map(([verb, name, label]) => ({
    [verb]: verb === 'set' ? { [name]: 1 } : name,
    ...(label === undefined ? {} : { name: label }),
  }));

const { steps: stepLists } = fc.letrec<{ readonly steps: readonly Yaml[]; readonly step: Yaml }>((tie) => ({
  steps: fc.array(tie('step'), { minLength: 1, maxLength: 3, depthIdentifier: 'steps' }),
  step: fc.oneof(
    { depthSize: 'small', depthIdentifier: 'steps' },
    leaf,
    fc.tuple(names, tie('steps'), tie('steps')).map(([when, steps, otherwise]) => ({
      choose: [{ when, steps }, { else: [...otherwise, 'end'] }],
    })),
    fc.tuple(names, tie('steps')).map(([item, steps]) => ({ 'for-each': item, in: '=x', steps })),
    fc.tuple(names, tie('steps'), tie('steps')).map(([name, inside, steps]) => ({
      try: inside,
      name,
      'on-error': [{ code: 'X', steps }, { steps: ['end'] }],
      'on-timeout': { after: 'PT5M' },
    })),
    fc.tuple(names, fc.nat(5_000), tie('steps'), tie('steps')).map(([channel, days, steps, more]) => ({
      wait: [
        { channel, steps },
        { timer: `P${days + 1}D`, steps: more },
      ],
    })),
    fc.tuple(names, tie('steps'), tie('steps')).map(([name, ...parallel]) => ({ parallel, name })),
  ),
}));

/** A place for one more step: a list and an index in it. */
function listsIn(value: unknown): unknown[][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap((part) => listsIn(part));
  const isSteps = Array.isArray(value) && value.every((item) => isStep(item));
  return isSteps && Array.isArray(value) ? [value, ...inner] : inner;
}

function isStep(item: unknown): boolean {
  if (item === 'end') return true;
  const keys = typeof item === 'object' && item !== null ? Object.keys(item) : [];
  return keys.some((key) =>
    ['call', 'send', 'wait', 'set', 'signal', 'decide', 'choose', 'for-each', 'try', 'parallel'].includes(
      key,
    ),
  );
}

function allSteps(steps: Steps): readonly Step[] {
  return steps.flatMap((step) => [step, ...partsOf(step).flatMap((part) => allSteps(part.steps))]);
}

/** The ids of a flow at whose nodes something may wait; handlers and alternatives included. */
function idsOf(flow: Flow): readonly string[] {
  return allSteps(flow.steps).flatMap((step) => [
    ...(step.verb === 'end' ? [] : [step.id.text]),
    ...partsOf(step).flatMap(({ id }) => (id === null ? [] : [id.text])),
  ]);
}

test('D1: a step that is inserted somewhere changes no id, or is refused', () => {
  let kept = 0;
  let refused = 0;
  fc.assert(
    fc.property(stepLists, leaf, fc.boolean(), fc.nat(), fc.nat(), (steps, other, isSame, list, index) => {
      const before = read(stringify({ steps })).flow;
      if (before === null) return;
      const changed: unknown = structuredClone(steps);
      const lists = listsIn(changed);
      const chosen = lists[list % lists.length];
      assert.ok(chosen !== undefined);
      // Behind the end nothing can stand.
      const room = chosen.at(-1) === 'end' ? chosen.length : chosen.length + 1;
      const extra = isSame ? chosen[0] : other;
      if (extra === 'end') return;
      chosen.splice(index % room, 0, structuredClone(extra));
      const { flow, findings } = read(stringify({ steps: changed }));
      if (flow === null) {
        assert.deepEqual([...new Set(findings.map(({ code }) => code))], ['SUTRA.FLOWS.ID_NEEDED']);
        refused += 1;
        return;
      }
      const ids = idsOf(before);
      const after = idsOf(flow);
      const added = after.findIndex((id, at) => id !== ids[at]);
      assert.deepEqual(after.toSpliced(added, 1), ids);
      kept += 1;
    }),
    { numRuns: 300 },
  );
  assert.ok(kept > 80 && refused > 80, `${kept} kept, ${refused} refused`);
});
