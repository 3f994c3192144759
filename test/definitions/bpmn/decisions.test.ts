/** Business rule tasks that name a decision. Those that are refused: `activity-refusals.ts`. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileBpmn } from '../../../definitions/bpmn/compile.ts';
import { DecisionDirectory } from '../../../definitions/decision-directory.ts';
import { compileText, extensions, fileOf, processWith } from './marked-file.ts';
import { nodeIn } from './model-of.ts';

const on = (reference: string, inside = ''): string =>
  `<businessRuleTask id="n" implementation="decision:${reference}">${inside}</businessRuleTask>`;

describe('a business rule task', () => {
  const rows: readonly (readonly [reference: string, name: string, inputs: readonly string[]])[] = [
    ['Risk', 'Risk', ['score']],
    ['risk', 'Risk', ['score']],
    ['Loan Offer', 'Loan Offer', ['score', 'Credit Score']],
    ['  Loan   Offer ', 'Loan Offer', ['score', 'Credit Score']],
    ['loan-offer', 'Loan Offer', ['score', 'Credit Score']],
    ['Offer Service', 'Offer Service', ['score', 'Credit Score']],
    ['One', 'One', []],
  ];
  for (const [reference, name, inputs] of rows) {
    test(`on "${reference}" has the decision ${name}`, () => {
      const { implementation } = nodeIn('businessRuleTask', on(reference));
      assert.ok(implementation.kind === 'decision');
      assert.equal(implementation.decision.name, name);
      assert.deepEqual(implementation.decision.inputs.map((input) => input.name).sort(), [...inputs].sort());
    });
  }

  test('has parameters by the names of inputs, an output and a reply', () => {
    const inside = extensions(
      '<q:param name="Credit Score" expression="=applicant.score"/><q:output variable="offer"/><q:reply/>',
    );
    const node = nodeIn('businessRuleTask', on('Loan Offer', inside));
    assert.deepEqual(
      node.params.map(({ name, expression }) => [name, expression.text]),
      [['Credit Score', 'applicant.score']],
    );
    assert.equal(node.outputVariable, 'offer');
    assert.ok(node.reply);
  });

  test('may still be reached over a channel, or be a function of the embedding program', () => {
    const kindOf = (implementation: string): string =>
      nodeIn('businessRuleTask', `<businessRuleTask id="n" implementation="${implementation}"/>`)
        .implementation.kind;
    assert.deepEqual([kindOf('channel:decision'), kindOf('registered:decision')], ['channel', 'registered']);
  });
});

describe('a finding about a decision says', () => {
  const rows: readonly (readonly [what: string, task: string, message: RegExp])[] = [
    ['what was probably meant', on('Rsik'), /names "Rsik".*; did you mean "Risk"\?$/],
    ['that a knowledge model is none', on('Margin Function'), /business knowledge model.*decision service$/],
    [
      'which files have it',
      on('Shared'),
      /which is in rules\/risk\.dmn:\d+, rules\/other\/shared\.dmn:\d+; name it by an id or a name/,
    ],
    [
      'which input was probably meant',
      on('Risk', extensions('<q:param name="scor" expression="1"/>')),
      /"Risk" has no input "scor"; did you mean "score"\?$/,
    ],
    [
      'that there are no inputs',
      on('One', extensions('<q:param name="score" expression="1"/>')),
      /has no input "score"; it has none$/,
    ],
    [
      'to use a business rule task',
      '<serviceTask id="n" implementation="decision:Risk"/>',
      /make it a business rule task/,
    ],
    [
      'how a decision is named',
      '<businessRuleTask id="n" implementation="dmn:Risk"/>',
      /write "decision:<id or name>"/,
    ],
  ];
  for (const [what, task, message] of rows) {
    test(what, () => {
      const { findings } = compileText(processWith(task));
      assert.equal(findings.length, 1);
      assert.match(findings[0]?.message ?? '', message);
    });
  }

  const compileWith = (directory: DecisionDirectory): readonly { readonly message: string }[] =>
    compileBpmn(fileOf(processWith(on('Risk'))), { decisions: directory }).findings;

  test('that the package has no decisions at all', () => {
    assert.match(compileWith(DecisionDirectory.empty)[0]?.message ?? '', /rules\/ has no decision$/);
  });

  test('nothing, when a decision model has a fault and may be what has the decision', () => {
    assert.deepEqual(compileWith(new DecisionDirectory([], false)), []);
  });
});
