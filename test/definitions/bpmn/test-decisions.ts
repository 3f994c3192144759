/** The decisions of the package that small BPMN files of tests are in. */
import assert from 'node:assert/strict';
import { DecisionDirectory } from '../../../definitions/decision-directory.ts';
import { compileDecisions } from '../../../definitions/dmn/decisions.ts';
import { decisionModel, inputData, literal, service, table } from '../../support/decisions.ts';

const files = {
  'rules/risk.dmn': [
    inputData('score: number', 'Credit Score: number'),
    table('Risk', ['< 600 -> "high"', '>= 600 -> "low"'], { inputs: ['score'] }),
    literal('Loan Offer', '{risk: Risk, score: Credit Score}', {
      inputs: ['Credit Score'],
      decisions: ['Risk'],
    }),
    literal('Interest Rate', 'if Credit Score > 700 then 2.5 else 4', { inputs: ['Credit Score'] }),
    service('Offer Service', 'Loan Offer', ['score', 'Credit Score']),
    literal('Shared', '1'),
    '<decision id="shared-id" name="One"><variable name="One"/><literalExpression><text>1</text></literalExpression></decision>',
    `<businessKnowledgeModel id="margin" name="Margin Function"><variable name="Margin Function"/>
      <encapsulatedLogic><formalParameter name="a"/><literalExpression><text>a + 1</text></literalExpression></encapsulatedLogic>
    </businessKnowledgeModel>`,
  ],
  'rules/other/shared.dmn': [
    literal('Shared', '2'),
    '<decision id="shared-id" name="Other"><variable name="Other"/><literalExpression><text>2</text></literalExpression></decision>',
  ],
};

const { models, findings } = compileDecisions(
  Object.entries(files).map(([path, inside]) => ({
    path,
    content: new TextEncoder().encode(decisionModel(inside.join('\n'), path.replaceAll(/\W/g, '-'))),
  })),
);
assert.deepEqual(findings, []);

export const testDecisions = new DecisionDirectory(models, true);
