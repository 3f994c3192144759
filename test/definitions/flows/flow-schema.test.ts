/**
 * `docs/flow.schema.json`: it takes what the reader takes, and shows typical mistakes. That it is up to date is checked
 * with the other generated pages: test/arch/codes.test.ts.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { parse } from 'yaml';
import { flowSchema } from '../../../docs/flow-schema.ts';
import { flowTexts } from '../../support/random-flow.ts';
import { read, rightFlows, withSteps } from './flow-texts.ts';

const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
const validate = ajv.compile(flowSchema());

function faultsOf(text: string): unknown {
  validate(parse(text));
  return validate.errors ?? [];
}

describe('the schema takes what is right', () => {
  for (const text of rightFlows) {
    test(text, () => {
      assert.deepEqual(faultsOf(text), []);
    });
  }

  test('and every random flow that reads', () => {
    let count = 0;
    fc.assert(
      fc.property(flowTexts(), (text) => {
        if (read(text, 'flows/p.yaml').flow === null) return;
        count += 1;
        assert.deepEqual(faultsOf(text), []);
      }),
      { numRuns: 200 },
    );
    assert.ok(count > 150, `${count} of 200 were read`);
  });
});

test('what the reader takes of changed flows, the schema takes too', () => {
  let count = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...rightFlows),
      fc.nat(),
      fc.nat(8),
      fc.constantFrom('', ' ', 'a', '1', ': ', '"', '=', 'true', '[]', '{}', '\n  - end\n'),
      (text, at, length, instead) => {
        const start = at % text.length;
        const changed = text.slice(0, start) + instead + text.slice(start + length);
        if (read(changed).flow === null) return;
        count += 1;
        assert.deepEqual(faultsOf(changed), []);
      },
    ),
    { numRuns: 2_000 },
  );
  assert.ok(count > 120, `${count}`);
});

const mistakes: readonly (readonly [name: string, steps: string])[] = [
  ['a verb that is misspelt', '- cal: a'],
  ['an option that is misspelt', '- call: a\n  tmeout: PT5M'],
  ['an option of another verb', '- send: a\n  timeout: PT5M'],
  ['two verbs', '- call: a\n  send: b'],
  ['no verb', '- id: a'],
  ['a word that is no step', '- call'],
  ['a step that is not in a list', '- choose: [ { when: a, steps: { call: x } } ]'],
  ['steps beside the case', '- choose: [ { when: a, call: b } ]'],
  ['steps in place of handlers', '- try: [ call: a ]\n  on-error: [ call: b ]'],
  ['a time without its key', '- try: [ call: a ]\n  on-timeout: PT5M'],
  ['two things to wait for at once', '- wait: { channel: a, timer: PT5M }'],
  ['nothing to wait for', '- wait: {}'],
  ['one alternative', '- wait: [ channel: a ]'],
  ['one branch', '- parallel: [ [ call: a ] ]'],
  ['a branch without steps', '- parallel: [ [ call: a ], [] ]'],
  ['no list to go over', '- for-each: a\n  steps: [ end ]'],
  ['no end of the loop', '- repeat: {}\n  steps: [ end ]'],
  ['an empty part', '- for-each: a\n  in: =b\n  steps: []'],
  ['a word for a yes', '- for-each: a\n  in: =b\n  one-by-one: "yes"\n  steps: [ end ]'],
  ['an expression that YAML takes for a mapping', '- set: { a: {b: 1} }'],
  ['an expression that YAML takes for a list', '- set: { a: [1] }'],
  ['an expression that is missing', '- set: { a: }'],
  ['a duration that is none', '- call: a\n  timeout: 5m'],
  ['an id with a space', '- call: a\n  id: a b'],
  ['a name that is no variable', '- call: a\n  output: 1a'],
  ['a start inside', '- choose: [ { when: a, steps: [ start: b ] } ]'],
  ['a mapping for a list of throws', '- call: a\n  throws: { code: X, when: a }'],
  ['a retry without a limit', '- call: a\n  retry: { max-delay: PT5M }'],
  ['an alias without a value', '- wait: a\n  alias: { k: { unique: true } }'],
];

describe('neither the schema nor the reader takes', () => {
  for (const [name, steps] of mistakes) {
    test(name, () => {
      assert.notDeepEqual(faultsOf(withSteps(steps)), []);
      assert.equal(read(withSteps(steps)).flow, null);
    });
  }

  for (const text of [
    'steps: []',
    'id: a',
    'nam: a\nsteps: [ end ]',
    'variables: { a: { typ: b } }\nsteps: [ end ]',
  ]) {
    test(text, () => {
      assert.notDeepEqual(faultsOf(text), []);
      assert.equal(read(text).flow, null);
    });
  }
});

test('every property is described, for those who write with an editor', () => {
  const undescribed: string[] = [];
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, value] of Object.entries(schema) as [string, unknown][]) {
      visit(value, `${path}/${key}`);
      const isProperty = path.endsWith('/properties');
      if (isProperty && !(Object(value) as { description?: string }).description)
        undescribed.push(`${path}/${key}`);
    }
  };
  visit(flowSchema(), '');
  assert.deepEqual(undescribed, []);
});
