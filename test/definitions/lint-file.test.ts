import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { lintFile } from '../../definitions/lint-file.ts';
import type { PackageFile } from '../../definitions/package-model.ts';
import { compilePackage } from '../../definitions/package.ts';
import { flows, packageFiles, start } from '../support/packages.ts';

const file = (path: string, text: string): PackageFile => ({ path, content: new TextEncoder().encode(text) });

/** Of each finding its code and place. */
function found(one: PackageFile, beside: readonly PackageFile[] = []): readonly string[] | null {
  const findings = lintFile(one, beside);
  if (findings === null) return null;
  return findings.map(
    ({ code, place }) => `${place.file ?? ''}:${place.line ?? ''}:${place.column ?? ''} ${code}`,
  );
}

/** The only model of a package with everything that a model may need of others, and none of it there. */
const needy: string =
  Object.values(
    packageFiles({
      channels: '',
      processes: {
        needy: `${start('nowhere')}
<businessRuleTask id="rate" implementation="decision:Interest Rate"><extensionElements>
<q:param name="amount" expression="payload.amount"/><q:output variable="rate"/></extensionElements></businessRuleTask>
<callActivity id="child" calledElement="elsewhere"/>
<serviceTask id="work" implementation="channel:nobody"><extensionElements><q:param name="r" expression="rate.x"/></extensionElements></serviceTask>
<endEvent id="end"/>
${flows('start -> rate', 'rate -> child', 'child -> work', 'work -> end')}`,
      },
    }),
  ).at(-1) ?? '';

const DMN = 'https://www.omg.org/spec/DMN/20230324/MODEL/';
const importing = `<definitions xmlns="${DMN}" name="a" namespace="urn:a">
  <import name="b" namespace="urn:b" importType="${DMN}"/>
  <decision id="d" name="d"><variable name="d"/><literalExpression><text>1 +</text></literalExpression></decision>
</definitions>`;

describe('a file by itself', () => {
  it('is one of the kinds that a package is made of', () => {
    for (const path of ['a.txt', 'a.bpmn.bak', 'bpmn', 'x.json', 'scenarios/a.yaml', 'scenarios/x/a.yml']) {
      assert.equal(found(file(path, '')), null, path);
    }
  });

  for (const [title, model, missed] of [
    ['a decision', needy, ['SUTRA.BPMN.DECISION_UNKNOWN']],
    [
      'channels and a called process',
      needy.replace('decision:Interest Rate', 'channel:nobody'),
      [
        ...['SUTRA.PACKAGE.CHANNEL_UNKNOWN', 'SUTRA.PACKAGE.CHANNEL_UNKNOWN'],
        ...['SUTRA.PACKAGE.CALLED_PROCESS_ELSEWHERE', 'SUTRA.PACKAGE.CHANNEL_UNKNOWN'],
      ],
    ],
  ] as const) {
    it(`is not blamed for what the rest of its package may have: ${title} (F1)`, () => {
      const whole = compilePackage([
        file('package.yaml', 'labels: { tenant: t, module: m, version: v }'),
        file('channels.yaml', 'channels: []'),
        file('bpmn/needy.bpmn', model),
      ]);
      assert.deepEqual(
        whole.findings.map(({ code }) => code),
        missed,
      );
      assert.deepEqual(found(file('needy.bpmn', model)), []);
    });
  }

  it('is not blamed for an address that has the labels in it, nor for a schema (F1)', () => {
    const channels = `channels:
  - { name: work, transport: pull, bind: "pull://acme/orders/1.0.0/work" }
  - { name: orders, transport: http, codec: urn:order, dedup-key: "=payload.id" }
`;
    assert.deepEqual(found(file('some/channels.yaml', channels)), []);
  });

  it('is not blamed for a decision model that it imports and that is not beside it (F1)', () => {
    const syntax = 'a.dmn:3:77 SUTRA.FEEL.SYNTAX_INVALID';
    assert.deepEqual(found(file('a.dmn', importing)), [syntax]);
    const broken = importing.replace('urn:a', 'urn:b').replace(/<import.*\n/, '');
    assert.deepEqual(found(file('a.dmn', importing), [file('b.dmn', broken)]), [syntax]);
  });

  const rows: readonly (readonly [path: string, text: string, findings: readonly string[]])[] = [
    [
      'flow.yaml',
      'steps:\n  - start: nowhere\n  - cal: nobody\n',
      ['flow.yaml:3:5 SUTRA.FLOWS.VERB_MISSING'],
    ],
    [
      'flows/flow.yml',
      'steps:\n  - start: nowhere\n  - set: { never: 1 }\n  - wait: { timer: 5 minutes }\n',
      ['flows/flow.yml:4:20 SUTRA.FLOWS.VALUE_INVALID'],
    ],
    ['folder/a.bpmn', '<a>', ['folder/a.bpmn:1:3 SUTRA.XML.NOT_WELL_FORMED']],
    [
      'folder/a.bpmn',
      needy.replace('implementation="channel:nobody"', ''),
      ['folder/a.bpmn:7:1 SUTRA.BPMN.IMPLEMENTATION_MISSING'],
    ],
    [
      'x/channels.yaml',
      'channels:\n  - { name: a, transport: carrier }\n  - { name: b, transport: pull, bnid: x }\n',
      [
        'x/channels.yaml:2:27 SUTRA.CHANNELS.TRANSPORT_UNKNOWN',
        'x/channels.yaml:3:33 SUTRA.CHANNELS.KEY_UNKNOWN',
      ],
    ],
    [
      'channels.yaml',
      'channels:\n  - { name: b, transport: pull, task: { priority: "=1 + true" } }\n',
      ['channels.yaml:2:53 SUTRA.FEEL.TYPE_MISMATCH'],
    ],
    [
      'x/package.yaml',
      'labels: { tenant: a--b, module: m, version: v }',
      ['x/package.yaml:1:19 SUTRA.PACKAGE.LABEL_INVALID'],
    ],
  ];
  for (const [path, text, findings] of rows) {
    it(`shows what it shows alone, with its own path: ${path}, ${findings.join()}`, () =>
      assert.deepEqual(found(file(path, text)), findings));
  }

  it('is checked for what is allowed and hardly ever meant, as far as it shows that alone', () => {
    const late = `<boundaryEvent id="late" attachedToRef="work">
      <timerEventDefinition id="timer"><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>`;
    const model = needy.replace('<endEvent id="end"/>', `<endEvent id="end"/>${late}`);
    assert.deepEqual(found(file('needy.bpmn', model)), ['needy.bpmn:8:21 SUTRA.LINT.DEAD_END']);
  });

  it('of the examples has no finding', () => {
    for (const path of [
      'order-scoring/bpmn/order-scoring.bpmn',
      'order-scoring/channels.yaml',
      'order-scoring/package.yaml',
      'decisions/order-terms.dmn',
    ]) {
      const content = readFileSync(new URL(`../../examples/${path}`, import.meta.url));
      assert.deepEqual(lintFile({ path, content }), []);
    }
  });
});
