/** What right flows are read as. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Flow } from '../../../definitions/flows/flow.ts';
import { read, rightStarts, rightSteps, withSteps } from './flow-texts.ts';

function flowOf(text: string, path?: string): Flow {
  const { flow, findings } = read(text, path);
  assert.deepEqual(findings, []);
  assert.ok(flow !== null);
  return flow;
}

/** Keys that say nothing of their own. */
const SILENT = new Set(['id', 'name', 'verb', 'kind', 'place', 'isIdGiven']);

function isWritten(value: object): value is { readonly text: string } {
  return 'text' in value && 'inside' in value;
}

/** A value of the tree in one line; what is null, false or an empty list of settings is left out. */
function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (isWritten(value)) return value.text;
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if ('name' in value && 'value' in value && Object.keys(value).length === 2) {
    return `${shown(value.name)} = ${shown(value.value)}`;
  }
  const own = Object.entries(value).flatMap(([key, part]: [string, unknown]) => {
    const isSilent = SILENT.has(key) && !(key === 'name' && !('id' in value));
    if (isSilent || part === null || part === false || typeof part === 'function') return [];
    if (part === true) return [key];
    if (isSteps(key, part)) return [`${key}: {${shownSteps(part)}}`];
    if (Array.isArray(part) && part.length === 0) return [];
    return [`${key}: ${shown(part)}`];
  });
  return `(${[...headOf(value), ...own].join(', ')})`;
}

function isSteps(key: string, part: unknown): part is Flow['steps'] {
  return (key === 'steps' || key === 'otherwise') && Array.isArray(part);
}

/** The id with the name, and the kind. */
function headOf(value: object): readonly string[] {
  const id = 'id' in value ? [titleOf(value)] : [];
  const kind = 'kind' in value ? [String(value.kind)] : [];
  return [...id, ...kind];
}

function titleOf(value: object): string {
  const id = 'id' in value ? shown(value.id) : '';
  return 'name' in value && value.name !== null ? `${id} "${shown(value.name)}"` : id;
}

function shownSteps(steps: Flow['steps']): string {
  return steps
    .map(
      (step) =>
        `${titleOf(step)}: ${step.verb}${shown({ ...step, id: null }).replace(/^\(null(?: "[^"]*")?(?:, )?/, '(')}`,
    )
    .join('; ');
}

describe('steps', () => {
  for (const [steps, expected] of rightSteps) {
    test(steps, () => {
      assert.equal(shownSteps(flowOf(withSteps(steps)).steps), expected);
    });
  }

  test('of all verbs are in the table', () => {
    const verbs = new Set<string>();
    const text = JSON.stringify(
      rightSteps.map(([steps]) => flowOf(withSteps(steps))),
      (key, value: unknown) => {
        if (key === 'verb') verbs.add(String(value));
        return value;
      },
    );
    assert.ok(text.length > 0);
    assert.deepEqual(
      [...verbs].sort(),
      'call choose compensate decide end escalate fail flow for-each parallel repeat reply send set signal try wait wait-first'.split(
        ' ',
      ),
    );
  });
});

describe('starts', () => {
  for (const [start, expected] of rightStarts) {
    test(start === '' ? 'none' : start, () => {
      const { starts, steps } = flowOf(withSteps(`${start}\n- call: work`.trim()));
      assert.equal(starts.map(shown).join(', '), expected);
      assert.equal(shownSteps(steps), 'call-work: call(target: work)');
    });
  }
});

describe('the process', () => {
  test('has the id that is written, its name and variables', () => {
    const { id, name, variables } = flowOf(
      'id: order\nname: Order scoring\nvariables:\n  order: context\n  card: { type: text, sensitive: true, transient: true }\n  free: {}\nsteps: [ end ]\n',
    );
    assert.deepEqual([id.text, name?.text], ['order', 'Order scoring']);
    assert.deepEqual(variables.map(shown), [
      '(name: order, type: context)',
      '(name: card, type: text, isSensitive, isTransient)',
      '(name: free)',
    ]);
  });

  for (const [path, id] of [
    ['flows/order.yaml', 'order'],
    ['flows/deep/Order_2.yml', 'Order_2'],
    ['flows/a.b.yaml', 'a.b'],
  ] as const) {
    test(`has the id of its file: ${path}`, () => {
      assert.equal(flowOf('steps: [ end ]', path).id.text, id);
    });
  }
});

describe('expressions', () => {
  for (const [written, text] of [
    ['=a + 1', '=a + 1'],
    ['a + 1', 'a + 1'],
    ['\'"text"\'', '"text"'],
    ['1.50', '1.50'],
    ['12345678901234567890.5', '12345678901234567890.5'],
    ['-2e3', '-2e3'],
    ['true', 'true'],
    ['False', 'false'],
    ['=null', '=null'],
    ["'={a: 1}'", '={a: 1}'],
    ['|\n      =a +\n        1', '=a +\n  1'],
    ['>\n      =a +\n      1', '=a + 1'],
  ] as const) {
    test(`are FEEL as written: ${written}`, () => {
      const [step] = flowOf(withSteps(`- set:\n    a: ${written}`)).steps;
      assert.ok(step?.verb === 'set');
      assert.equal(step.assignments[0]?.value.text, text);
    });
  }
});
