/** The decision models of a package: what is compiled with it, and what refuses it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Finding } from '../../config/engine-error.ts';
import { compilePackage, type CompiledPackage } from '../../definitions/package.ts';
import { decisionModel, inputData, literal, table } from '../support/decisions.ts';
import { flows, packageFiles, start } from '../support/packages.ts';

const risk = decisionModel(
  `${inputData('score: number')}\n${table('Risk', ['< 600 -> "high"', '>= 600 -> "low"'], { inputs: ['score'] })}`,
  'risk',
);

/** A package whose process makes the decision. */
function compiled(decision: string, rules: Readonly<Record<string, string>>): CompiledPackage {
  const files = packageFiles({
    channels: '  - { name: orders, transport: http }',
    processes: {
      order: `${start('orders')}<businessRuleTask id="decide" implementation="decision:${decision}"/><endEvent id="end"/>
        ${flows('start -> decide', 'decide -> end')}`,
    },
    files: rules,
  });
  return compilePackage(
    Object.entries(files).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) })),
  );
}

function outline(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ code, place }) => `${code} ${place.file ?? ''}`);
}

describe('a package with decision models', () => {
  it('has those of all folders in rules/', () => {
    const other = decisionModel(literal('Other', '1'), 'other');
    const { model, findings } = compiled('Risk', { 'rules/a/b/risk.dmn': risk, 'rules/other.dmn': other });
    assert.deepEqual(findings, []);
    const node = model?.processes.get('order')?.nodes.get('decide');
    assert.ok(node?.kind === 'businessRuleTask' && node.implementation.kind === 'decision');
    assert.equal(node.implementation.decision.place.file, 'rules/a/b/risk.dmn');
    assert.deepEqual(
      model?.files.map(({ path }) => path).filter((path) => path.startsWith('rules/')),
      ['rules/a/b/risk.dmn', 'rules/other.dmn'],
    );
  });

  it('is another one when only a decision is another', () => {
    const one = compiled('Risk', { 'rules/risk.dmn': risk }).model;
    const other = compiled('Risk', { 'rules/risk.dmn': risk.replace('&lt; 600', '&lt;= 600') }).model;
    assert.ok(one && other);
    assert.notEqual(one.deploymentId, other.deploymentId);
  });

  it('may have a name twice that nothing names', () => {
    const shared = (name: string): string => decisionModel(literal('Shared', '1'), name);
    const rules = { 'rules/risk.dmn': risk, 'rules/a.dmn': shared('a'), 'rules/b.dmn': shared('b') };
    assert.deepEqual(compiled('Risk', rules).findings, []);
    assert.deepEqual(outline(compiled('Shared', rules).findings), [
      'SUTRA.BPMN.DECISION_AMBIGUOUS bpmn/order.bpmn',
    ]);
  });

  it('is refused when nothing has the decision', () => {
    const { model, findings } = compiled('Rsik', { 'rules/risk.dmn': risk });
    assert.equal(model, null);
    assert.deepEqual(outline(findings), ['SUTRA.BPMN.DECISION_UNKNOWN bpmn/order.bpmn']);
    assert.match(findings[0]?.message ?? '', /did you mean "Risk"/);
  });

  it('is refused for a fault of any decision model, which makes no other decision unknown', () => {
    const broken = risk.replace('"high"', '"high" +');
    for (const decision of ['Risk', 'Other']) {
      const { model, findings } = compiled(decision, { 'rules/risk.dmn': broken });
      assert.equal(model, null);
      assert.deepEqual(outline(findings), ['SUTRA.FEEL.SYNTAX_INVALID rules/risk.dmn']);
      const { line = 0, column = 0 } = findings[0]?.place ?? {};
      const text = broken.split('\n')[line - 1] ?? '';
      assert.ok(text.slice(0, column).includes('"high" +'), `${String(line)}:${String(column)} of ${text}`);
    }
    for (const text of ['', '<nonsense', '<definitions/>']) {
      const { model, findings } = compiled('Risk', { 'rules/risk.dmn': text });
      assert.equal(model, null);
      assert.ok(findings.length > 0 && findings.every(({ place }) => place.file === 'rules/risk.dmn'));
    }
  });
});
