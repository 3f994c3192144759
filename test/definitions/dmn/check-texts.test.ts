/** What the static checks say of decision models: warnings, at their places. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compiled, faultsOf, it } from './decide.ts';
import { decisionModel } from '../../support/decisions.ts';

const literal = (text: string): string => `<literalExpression><text>${text}</text></literalExpression>`;
const table = (input: string, entry: string, output: string): string =>
  `<decisionTable><input><inputExpression typeRef="${input}"><text>n</text></inputExpression></input><output/>
<rule><inputEntry><text>${entry}</text></inputEntry><outputEntry><text>${output}</text></outputEntry></rule></decisionTable>`;

/** Without line and column: the texts stand at the end of what the helpers put before them. */
const codesOf = (logic: string, inputs: readonly string[]): readonly string[] =>
  faultsOf(it(logic, inputs)).map((fault) => fault.replace(/ .*/, ''));

const rows: readonly (readonly [title: string, logic: string, codes: readonly string[]])[] = [
  ['kinds that compare', literal('n > 5 and s = "a"'), []],
  ['kinds that do not compare', literal('n > "5"'), ['SUTRA.FEEL.TYPE_MISMATCH']],
  ['kinds that an operator does not take', literal('s * 2'), ['SUTRA.FEEL.TYPE_MISMATCH']],
  ['a property that no number has', literal('n.x'), ['SUTRA.FEEL.PATH_UNKNOWN']],
  ['a call with too few arguments', literal('contains(s)'), ['SUTRA.FEEL.ARGUMENTS_INVALID']],
  ['a date that there is not', literal('date("2026-02-30")'), ['SUTRA.FEEL.VALUE_INVALID']],
  ['an unknown name, once', literal('nn + 1'), ['SUTRA.FEEL.NAME_UNKNOWN']],
  ['a test of the kind of the input', table('number', '&gt; 5', 's'), []],
  ['a test of another kind', table('number', '"a"', 's'), ['SUTRA.FEEL.TYPE_MISMATCH']],
  ['an output that has no value', table('number', '5', 's - 1'), ['SUTRA.FEEL.TYPE_MISMATCH']],
];

describe('the checks of the texts of decision models', () => {
  for (const [title, logic, codes] of rows) {
    test(title, () => assert.deepEqual(codesOf(logic, ['n: number', 's: string']), codes));
  }

  test('are no more than somebody can correct', () => {
    const { findings } = compiled(decisionModel(it(literal(`[${'n.x, '.repeat(19)}n.x]`), ['n: number'])));
    assert.equal(findings.length, 20);
    const rules = Array.from(
      { length: 600 },
      (_, index) =>
        `<rule><inputEntry><text>"${index}"</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>`,
    );
    const many = table('number', '"a"', '1').replace('</decisionTable>', `${rules.join('')}</decisionTable>`);
    const all = compiled(decisionModel(it(many, ['n: number']))).findings;
    assert.deepEqual([all.length, all.at(-1)?.code], [501, 'SUTRA.DMN.TOO_MANY_FINDINGS']);
  });

  test('are warnings, at the place in the file', () => {
    const text = decisionModel(it(literal('5 +\n  n.value'), ['n: number']));
    const lines = text.split('\n');
    const line = lines.findIndex((one) => one.includes('n.value'));
    const [finding, ...more] = compiled(text).findings;
    assert.deepEqual(more, []);
    assert.equal(finding?.severity, 'warning');
    assert.deepEqual(
      [finding.place.line, finding.place.column],
      [line + 1, (lines[line] ?? '').indexOf('value') + 1],
    );
  });
});
