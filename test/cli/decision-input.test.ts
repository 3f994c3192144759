import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findDecision, readInputs, refuseUnknownInputs } from '../../cli/decision-input.ts';
import type { Decision } from '../../definitions/dmn/decisions.ts';
import { anyType } from '../../definitions/feel/compile/conformance.ts';
import { toText } from '../../definitions/feel/number-text.ts';
import { isFeelNumber } from '../../definitions/feel/number.ts';

function decision(name: string, id: string | null, ...inputs: readonly string[]): Decision {
  return {
    kind: 'decision',
    id,
    name,
    place: {},
    inputs: inputs.map((input) => ({ name: input, type: anyType })),
    resultType: anyType,
    evaluate: () => ({ value: null, problems: [] }),
  };
}

const decisions = [
  decision('Discount', 'd1', 'Customer', 'Order date'),
  decision('Freight', 'd2', 'Order date'),
  // Its name is the id of another.
  decision('d1', 'd3'),
  decision('Pay by', null),
];

function inputsOf(json: string): ReturnType<typeof readInputs> {
  return readInputs(new TextEncoder().encode(json));
}

describe('the input of a decision', () => {
  it('keeps all digits', () => {
    const { n } = inputsOf('{"n": 0.1234567890123456789012345678901234}');
    assert.ok(n !== undefined && n !== null && isFeelNumber(n));
    assert.equal(toText(n), '0.1234567890123456789012345678901234');
  });

  for (const json of ['[1]', '1', 'null', '"x"', '{', '', '{"a": 1, "a": 2}']) {
    it(`is refused when it is ${json === '' ? 'nothing' : json}`, () => {
      assert.throws(() => inputsOf(json), { code: 'SUTRA.CLI.INPUT_INVALID' });
    });
  }

  it('may have what any of the decisions takes', () => {
    refuseUnknownInputs({ Customer: 1, 'Order date': null }, decisions);
  });

  const unknown: readonly (readonly [name: string, message: RegExp])[] = [
    ['Custmer', /the input "Custmer"; did you mean "Customer"\?$/],
    ['Something else', /the input "Something else"; there are "Customer", "Order date"$/],
    ['__proto__', /the input "__proto__"; there are/],
  ];
  for (const [name, message] of unknown) {
    it(`may not have ${name}`, () => {
      const inputs = inputsOf(JSON.stringify(name).replace(/.*/, '{$&: 1}'));
      assert.throws(() => refuseUnknownInputs(inputs, decisions), {
        code: 'SUTRA.CLI.INPUT_UNKNOWN',
        message,
      });
    });
  }

  it('may have nothing where nothing is taken', () => {
    assert.throws(() => refuseUnknownInputs({ a: 1 }, []), { message: /there are none$/ });
  });
});

describe('the name of a decision', () => {
  const rows: readonly (readonly [reference: string, id: string | null])[] = [
    ['Discount', 'd1'],
    ['d1', 'd1'],
    ['d3', 'd3'],
    ['  Pay   by ', null],
  ];
  for (const [reference, id] of rows) {
    it(`may be "${reference}"`, () => {
      assert.equal(findDecision(reference, decisions).id, id);
    });
  }

  it('is suggested when it is misspelt', () => {
    assert.throws(() => findDecision('Disount', decisions), {
      code: 'SUTRA.CLI.DECISION_UNKNOWN',
      message: 'the model has no decision "Disount"; did you mean "Discount"?',
    });
  });
});
