/** `docs/flows.md`: its flows compile as they stand, and it has all words of the notation. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { flowsCodes } from '../../../definitions/flows/codes.ts';
import { compileFlow } from '../../../definitions/flows/compile-flow.ts';
import { derivedId } from '../../../definitions/flows/step-ids.ts';
import { flowForm, verbRows } from '../../../definitions/flows/read/vocabulary.ts';
import { compilePackage } from '../../../definitions/package.ts';
import { testDecisions } from '../bpmn/test-decisions.ts';
import { read, withSteps } from './flow-texts.ts';

const page = readFileSync(new URL('../../../docs/flows.md', import.meta.url), 'utf8');

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Blocks that are flows, each with the heading above it. */
const flows = page
  .split('\n## ')
  .slice(1)
  .flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'));
    const blocks = [...section.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
    return blocks.filter((text) => /^steps:/m.test(text)).map((text) => [heading, text] as const);
  });

describe('the flows in docs/flows.md', () => {
  test('are of every subject that has its own section', () => {
    assert.deepEqual(
      [...new Set(flows.map(([heading]) => heading))],
      [
        'An example',
        'Expressions',
        'How it starts',
        'Calls, messages, decisions',
        'Waiting',
        'Choosing, repeating, doing several things',
        'When it goes wrong',
        'Ends',
      ],
    );
  });

  for (const [index, [heading, text]] of flows.entries()) {
    test(`compile: ${heading}, number ${index + 1}`, () => {
      const { processes, findings } = compileFlow(
        { path: 'flows/test.yaml', content: encode(text) },
        { decisions: testDecisions },
      );
      assert.deepEqual(findings, []);
      assert.equal(processes.length, 1);
    });
  }

  test('have every verb and every option of it', () => {
    const used = flows.map(([, text]) => text).join('\n');
    const keys = [...verbRows].flatMap(([verb, { optionKeys }]) => [verb, ...optionKeys]);
    assert.deepEqual(
      keys.filter((key) => !new RegExp(`[ {]${key}:`).test(used)),
      [],
    );
  });
});

test('the package of the page compiles', () => {
  const blocks = [...page.matchAll(/<!-- file: (\S+) -->\n+```yaml\n(.*?)```/gs)];
  const files = blocks.map(([, path = '', text = '']) => ({ path, content: encode(text) }));
  assert.deepEqual(
    files.map(({ path }) => path),
    ['package.yaml', 'channels.yaml', 'flows/order.yaml'],
  );
  const { model, findings } = compilePackage(files);
  assert.deepEqual(findings, []);
  assert.deepEqual([...(model?.processes.keys() ?? [])], ['order']);
});

test('the expressions of the page are what it says of them', () => {
  const [, text = ''] = flows.find(([heading]) => heading === 'Expressions') ?? [];
  const [step] = read(text).flow?.steps ?? [];
  assert.ok(step?.verb === 'set');
  assert.deepEqual(
    step.assignments.map(({ name, value }) => [name.text, value.text]),
    [
      ['total', '=sum(order.lines.price)'],
      ['state', '="paid"'],
      ['currency', '"EUR"'],
      ['limit', '1500'],
      ['terms', '={days: 30, discount: 2.5}'],
      ['note', '=null'],
      ['price', '=if order.gold\n then total * 0.9\n else total'],
    ],
  );
});

describe('the ids of the page are those that are made', () => {
  const section = page.slice(page.indexOf('\n## Ids'), page.indexOf('\n## In an editor'));
  for (const [step, id] of [
    ['- call: score-request', 'call-score-request'],
    ['- wait: payments', 'wait-payments'],
    ['- wait: { timer: PT5M }', 'wait-pt5m'],
    ['- wait: { signal: news }', 'wait-signal-news'],
    ['- choose: [ { when: =score > 700 } ]', 'choose-score-700'],
    ['- set: { total: 1 }', 'set-total'],
    ['- for-each: line\n  in: =a\n  steps: [ end ]', 'for-each-line'],
    ['- end: approved', 'end-approved'],
  ] as const) {
    test(id, () => {
      assert.ok(section.includes(`\`${id}\``), section);
      const [read1] = read(withSteps(step)).flow?.steps ?? [];
      assert.equal(read1 === undefined ? null : derivedId(read1), id);
    });
  }
});

test('the page names the keys of the file', () => {
  const keys = Object.keys(flowForm.fields);
  assert.ok(keys.length >= 4);
  for (const key of keys) assert.ok(page.includes(`| \`${key}\``), key);
});

test('the codes and files that the page names exist', () => {
  const codes = [...page.matchAll(/SUTRA\.FLOWS\.[A-Z_]+/g)].map(([code]) => code);
  assert.ok(codes.length >= 2);
  assert.deepEqual(
    codes.filter((code) => !(code in flowsCodes)),
    [],
  );
  for (const [, target = ''] of page.matchAll(/\]\(([\w.-]+)(?:#[\w-]+)?\)/g)) {
    readFileSync(new URL(`../../../docs/${target}`, import.meta.url));
  }
});

test('the settings for editors are JSON that names the schema', () => {
  const [, text = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
  const settings: unknown = JSON.parse(text);
  assert.match(JSON.stringify(settings), /docs\/flow\.schema\.json/);
  assert.ok(parse(page.match(/# yaml-language-server[^\n]*/)?.[0] ?? '') === null);
});
