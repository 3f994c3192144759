import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { outline, readMarks } from '../bpmn/marked-file.ts';
import { decisionText, literal, modelText, readText } from './model-text.ts';
import { readRefusals } from './read-refusal-rows.ts';

describe('every refusal of a DMN file has its code, line and column', () => {
  for (const { title, text: marked, codes, severity = 'error' } of readRefusals) {
    test(title, () => {
      const { text, places } = readMarks(marked);
      const { findings, model } = readText(text);
      const expected = codes.map((code, index) => ({ code, ...places[index] }));
      assert.deepEqual(outline(findings, severity), expected, JSON.stringify(findings, null, 1));
      if (severity === 'warning') assert.deepEqual(outline(findings, 'error'), []);
      if (codes[0] !== 'SUTRA.DMN.ROOT_INVALID') assert.ok(model !== null);
      for (const { message, place } of findings) {
        assert.match(message, /^.{20,400}$/su);
        assert.equal(place.file, 'rules/test.dmn');
      }
    });
  }
});

describe('the table of refusals of DMN files', () => {
  test('has a row for every code of the reader, but for the limits that have tests of their own', () => {
    const folder = new URL('../../../definitions/dmn/', import.meta.url);
    const sources = readdirSync(folder).filter((name) => /^(?:read-.*|check-structure)\.ts$/.test(name));
    const used = sources.flatMap((name) => [
      ...readFileSync(new URL(name, folder), 'utf8').matchAll(/'(SUTRA\.DMN\.[A-Z_]+)'/g),
    ]);
    const covered = new Set<string>(readRefusals.flatMap(({ codes }) => codes));
    const missing = new Set(used.map(([, code = '']) => code).filter((code) => !covered.has(code)));
    assert.ok(used.length >= 40);
    assert.deepEqual([...missing], ['SUTRA.DMN.TOO_MANY_EXPRESSIONS']);
  });
});

describe('findings of a DMN file', () => {
  test('are all reported, in the order of the file', () => {
    const { findings } = readText(
      modelText(`<decision name="D"><decisionTable><output/><rule/></decisionTable></decision>
<inputData/><itemDefinition name="t" isCollection="?"/><wat/>`),
    );
    assert.deepEqual(
      outline(findings, 'error').map(({ code, line }) => `${code}:${String(line)}`),
      [
        'SUTRA.DMN.RULE_INVALID:2',
        'SUTRA.DMN.ATTRIBUTE_MISSING:3',
        'SUTRA.DMN.VALUE_INVALID:3',
        'SUTRA.DMN.ELEMENT_UNKNOWN:3',
      ],
    );
  });

  test('name the decision they belong to, however deep they are', () => {
    const { findings } = readText(
      decisionText('<context><contextEntry><variable id="v"/><list id="l"/></contextEntry></context>'),
    );
    assert.deepEqual(
      findings.map(({ place }) => place.elementId),
      ['d'],
    );
  });

  test('suggest what was probably meant', () => {
    const { findings } = readText(
      modelText(`<inputDatum name="x"/><inputData id="person" naem="y" name="A"/>
<decision name="D"><informationRequirement><requiredInput href="#persom"/></informationRequirement>${literal('1')}</decision>`),
    );
    assert.deepEqual(
      findings.map(({ message }) => /did you mean "(.*)"\?/.exec(message)?.[1]),
      ['inputData', 'name', 'person'],
    );
  });

  test('are listed up to a thousand, and the rest are counted', () => {
    const { findings } = readText(modelText('<wat/>'.repeat(1_500)));
    assert.equal(findings.length, 1_001);
    assert.equal(findings.at(-1)?.code, 'SUTRA.DMN.TOO_MANY_FINDINGS');
    assert.match(findings.at(-1)?.message ?? '', /^500 more findings/);
  });

  test('say once that a file has too many expressions, and there is no model', () => {
    const items = literal('1').repeat(10_005);
    const { findings, model } = readText(decisionText(`<list>${items}</list>`));
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['SUTRA.DMN.TOO_MANY_EXPRESSIONS'],
    );
    assert.equal(model, null);
  });

  test('of XML that is none are those of XML', () => {
    const { findings, model } = readText('<definitions>');
    assert.equal(model, null);
    assert.match(findings[0]?.code ?? '', /^SUTRA\.XML\./);
  });
});
