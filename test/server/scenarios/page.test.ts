/** The scenarios of `docs/scenarios.md` run on the example, and come out as the page says. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { formatResult, formatSummary } from '../../../cli/scenario-output.ts';
import { simulateCommand } from '../../../cli/simulate-command.ts';
import { readPackageFolder } from '../../../definitions/package-folder.ts';
import type { ScenarioResult } from '../../../server/scenarios/run-scenarios.ts';
import { projectDir } from '../../e2e/command.ts';
import { assertPassed, closeDatabase, runAll } from './run.ts';

const page = readFileSync(`${projectDir}docs/scenarios.md`, 'utf8');
const example = `${projectDir}examples/order-scoring`;

const blocks = [...page.matchAll(/^```(yaml|text)\n(.*?)^```$/gms)].map(([, kind = '', text = '']) => ({
  kind,
  text,
}));
const scenarios = blocks.filter(({ kind }) => kind === 'yaml').map(({ text }) => text);

async function run(
  texts: Readonly<Record<string, string>>,
  folder = example,
): Promise<readonly ScenarioResult[]> {
  const files = await readPackageFolder(folder);
  const decoded = files.map(({ path, content }) => [path, new TextDecoder().decode(content)] as const);
  const packageTexts = decoded.filter(([path]) => !path.startsWith('scenarios/'));
  return [...(await runAll(Object.fromEntries(packageTexts), texts, {}, { isNamed: true })).values()];
}

const withoutTimes = (text: string): string => text.replace(/\d+ ms/g, 'N ms').trimEnd();

function printed(results: readonly ScenarioResult[]): string {
  return withoutTimes([...results.map(formatResult), formatSummary(results, [])].join('\n'));
}

describe('docs/scenarios.md', () => {
  after(closeDatabase);

  it('has scenarios that pass, and one that fails as it says', async () => {
    assert.ok(scenarios.length >= 5);
    const results = await run(
      Object.fromEntries(scenarios.map((text, index) => [`s${String(index)}`, text])),
    );
    assert.equal(results.length, scenarios.length);
    const failing = results.filter(({ isPassed }) => !isPassed);
    assert.deepEqual(
      failing.map(({ name }) => name),
      ['an order with a low score is approved'],
    );
    for (const result of results) if (!failing.includes(result)) assertPassed(result);
  });

  it('shows what the command prints', async () => {
    const outputs = blocks.filter(({ kind }) => kind === 'text').map(({ text }) => withoutTimes(text));
    const own = (name: string): string => readFileSync(`${example}/scenarios/${name}.yaml`, 'utf8');
    const passing = await run({ approved: own('approved'), 'nobody-reviews': own('nobody-reviews') });
    const failing = scenarios.find((text) => text.includes('low score is approved')) ?? '';
    assert.deepEqual(outputs, [printed(passing), printed(await run({ 'low-score': failing }))]);
  });

  it('says what is true of the same process written as a flow in YAML', async () => {
    const flow = `${projectDir}examples/order-scoring-flow`;
    const results = await run(
      Object.fromEntries(scenarios.map((text, index) => [`s${String(index)}`, text])),
      flow,
    );
    assert.deepEqual(
      results.map(({ isPassed }) => isPassed),
      scenarios.map((text) => !text.includes('low score is approved')),
    );
  });

  it('begins with the scenario of the example', () => {
    assert.equal(scenarios[0], readFileSync(`${example}/scenarios/approved.yaml`, 'utf8'));
  });

  it('has the options of the command', () => {
    const documented = [...page.matchAll(/^\| `(-[^`]*)`/gm)].map(([, flags = '']) => flags);
    assert.deepEqual(
      documented,
      simulateCommand().options.map(({ flags }) => flags),
    );
  });
});
