/** `sutra decide`: what it prints where, and with which code it ends. `docs/decisions.md` shows what happens. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { projectDir, sutra, type CommandResult } from './command.ts';

const example = 'examples/decisions/order-terms.dmn';
const DMN = 'https://www.omg.org/spec/DMN/20230324/MODEL/';

/** A model with one decision that is a literal expression over `amount`. */
function model(name: string, expression: string, more = ''): string {
  return `<definitions xmlns="${DMN}" name="${name}" namespace="urn:test:${name}">${more}
  <inputData id="amount" name="amount"><variable name="amount" typeRef="number"/></inputData>
  <decision id="d-${name}" name="The ${name}">
    <variable name="The ${name}"/>
    <informationRequirement><requiredInput href="#amount"/></informationRequirement>
    <literalExpression><text>${expression}</text></literalExpression>
  </decision>
</definitions>`;
}

const importing = model(
  'importing',
  'rates.Double(amount)',
  `<import name="rates" namespace="urn:test:rates" importType="${DMN}"/>`,
).replace(
  '</informationRequirement>',
  '</informationRequirement><knowledgeRequirement><requiredKnowledge href="urn:test:rates#double"/></knowledgeRequirement>',
);
const rates = `<definitions xmlns="${DMN}" name="rates" namespace="urn:test:rates">
  <businessKnowledgeModel id="double" name="Double"><variable name="Double"/>
    <encapsulatedLogic><formalParameter name="n" typeRef="number"/>
      <literalExpression><text>n * 2</text></literalExpression></encapsulatedLogic>
  </businessKnowledgeModel>
</definitions>`;

const files: Readonly<Record<string, string>> = {
  'values.dmn': model(
    'values',
    '{third: amount / 3, range: [1..amount], day: @"2026-03-01", f: function(a) a}',
  ),
  'broken.dmn': model('broken', 'amount +'),
  'endless.dmn': model('endless', 'for i in 1..1000, j in 1..1000 return i'),
  'importing.dmn': importing,
  'rates.dmn': rates,
  // Nothing imports it.
  'unrelated.dmn': '<definitions',
  'input.json': '{ "amount": 0.1234567890123456789012345678901234 }',
};

describe('sutra decide', { concurrency: 2 }, () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sutra-decide-'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const decide = (name: string, ...args: readonly string[]): Promise<CommandResult> =>
    sutra(['decide', join(folder, name), ...args]);

  it('is what docs/decisions.md shows', async () => {
    const page = await readFile(`${projectDir}docs/decisions.md`, 'utf8');
    const blocks = [...page.matchAll(/^```\n\$ sutra ((?:'[^']*'|[^'\n])*)\n([^]*?)^```$/gm)];
    assert.ok(blocks.length >= 2);
    for (const [, command = '', shown] of blocks) {
      const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
      const { stdout, stderr } = await sutra(args);
      assert.equal(stderr + stdout, shown);
    }
  });

  it('prints a value as JSON with all digits, ranges and functions as text', async () => {
    const input = join(folder, 'input.json');
    const { code, stdout, stderr } = await decide(
      'values.dmn',
      '--input-file',
      input,
      '--decision',
      'd-values',
    );
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout,
      `{
  "third": 0.04115226300411522630041152263004113,
  "range": "[1..0.1234567890123456789012345678901234]",
  "day": "2026-03-01",
  "f": "<function>"
}\n`,
    );
  });

  it('finds the models that are imported, and looks at no others', async () => {
    const result = await decide('importing.dmn', '--input', '{"amount": 21}');
    assert.deepEqual(result, { code: 0, stdout: '{\n  "The importing": 42\n}\n', stderr: '' });
  });

  it('shows what is wrong with a model, and evaluates nothing', async () => {
    const { code, stdout, stderr } = await decide('broken.dmn', '--input', '{"amount": 21}');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /broken\.dmn:6:\d+ error SUTRA\.FEEL\.SYNTAX_INVALID .*\n1 error, 0 warnings\n$/);
  });

  it('says that a decision costs too much', async () => {
    const { code, stdout, stderr } = await decide('endless.dmn');
    assert.deepEqual([code, stdout], [1, '{\n  "The endless": null\n}\n']);
    assert.match(stderr, /endless\.dmn:3:\d+ error SUTRA\.FEEL\.EVALUATION_FAILED .*goes through more than/);
  });

  it('says everything in one JSON object for programs', async () => {
    const { code, stdout, stderr } = await sutra(['decide', example, '--json', '--input', '{"Customer": 1}']);
    assert.deepEqual([code, stderr], [1, '']);
    const { findings, decisions } = JSON.parse(stdout) as {
      findings: unknown;
      decisions: { id: string; value: unknown; problems: { code: string; place: { line: number } }[] }[];
    };
    assert.deepEqual(findings, []);
    assert.deepEqual(
      decisions.map(({ id }) => id),
      ['years', 'discount', 'freight', 'terms'],
    );
    const [years] = decisions;
    assert.equal(years?.value, null);
    assert.ok(years.problems.some(({ code, place }) => code === 'SUTRA.DMN.TYPE_MISMATCH' && place.line > 1));
  });

  const wrong: readonly (readonly [args: readonly string[], code: number, said: RegExp])[] = [
    [['nowhere.dmn'], 2, /^sutra: .*"nowhere\.dmn" cannot be read: ENOENT \[SUTRA\.CLI\.FILE_UNREADABLE\]$/m],
    [[example, '--input', '{"Customr": 1}'], 2, /did you mean "Customer"\? \[SUTRA\.CLI\.INPUT_UNKNOWN\]$/m],
    [[example, '--input', '{}', '--input-file', 'x'], 1, /cannot be used with option '--input-file/],
  ];
  it('says what is wrong with the command line', async () => {
    for (const [args, code, said] of wrong) {
      const result = await sutra(['decide', ...args]);
      assert.deepEqual([result.code, result.stdout], [code, ''], result.stderr);
      assert.match(result.stderr, said);
    }
  });
});
