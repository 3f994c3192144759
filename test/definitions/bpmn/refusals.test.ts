import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bpmnCodes } from '../../../definitions/bpmn/codes.ts';
import { activityRefusals } from './activity-refusals.ts';
import { bpmnRefusals } from './bpmn-refusals.ts';
import { eventRefusals } from './event-refusals.ts';
import { compileText, extensions, outline, processWith, readMarks } from './marked-file.ts';
import { qRefusals } from './q-refusals.ts';
import { scopeRefusals } from './scope-refusals.ts';

const rows = [...activityRefusals, ...bpmnRefusals, ...eventRefusals, ...scopeRefusals, ...qRefusals];

describe('every refusal has its code, line and column', () => {
  for (const { title, text: marked, codes, severity = 'error' } of rows) {
    test(title, () => {
      const { text, places } = readMarks(marked);
      const { findings, processes } = compileText(text);
      const expected = codes.map((code, index) => ({ code, ...places[index] }));
      assert.deepEqual(outline(findings, severity), expected, JSON.stringify(findings, null, 1));
      if (severity === 'error') {
        assert.deepEqual(processes, []);
      } else {
        assert.deepEqual(outline(findings, 'error'), []);
      }
      assert.ok(findings.every(({ message }) => message.length > 15 && message.length < 400));
      assert.ok(findings.every(({ place }) => place.file === 'bpmn/test.bpmn'));
    });
  }
});

describe('the table of refusals', () => {
  test('has a row for every code, but for the limits that have tests of their own', () => {
    const covered = new Set<string>(rows.flatMap(({ codes }) => codes));
    const missing = Object.keys(bpmnCodes).filter((code) => !covered.has(code));
    assert.deepEqual(missing, ['SUTRA.BPMN.TOO_MANY_FINDINGS', 'SUTRA.BPMN.TOO_MANY_EXPRESSIONS']);
  });
});

describe('findings', () => {
  test('of one file are all reported, in the order of the file', () => {
    const { findings } = compileText(
      processWith(`<callActivity id="n"/><servicTask id="a"/><serviceTask id="b"/>
      <scriptTask id="c"><script>1 +</script></scriptTask><endEvent id="d"><timerEventDefinition/></endEvent>`),
    );
    assert.deepEqual(
      outline(findings, 'error').map(({ code }) => code),
      [
        'SUTRA.BPMN.CALLED_ELEMENT_MISSING',
        'SUTRA.BPMN.ELEMENT_UNKNOWN',
        'SUTRA.BPMN.IMPLEMENTATION_MISSING',
        'SUTRA.FEEL.SYNTAX_INVALID',
        'SUTRA.BPMN.EVENT_NOT_EXECUTED',
      ],
    );
  });

  test('name the flow node they belong to, however deep they are', () => {
    const { findings } = compileText(processWith('<scriptTask id="n"><script>1 +</script></scriptTask>'));
    assert.deepEqual(
      findings.map(({ place }) => place.elementId),
      ['n'],
    );
  });

  test('suggest the known name that was probably meant', () => {
    const { findings } = compileText(processWith('<servicTask id="a"/><task id="n" nmae="x"/>'));
    assert.match(findings[0]?.message ?? '', /did you mean "serviceTask"/);
    assert.match(findings[1]?.message ?? '', /did you mean "name"/);
  });

  test('are listed up to a thousand, and the rest are counted', () => {
    const { findings, processes } = compileText(processWith('<what/>'.repeat(1_500)));
    assert.equal(findings.length, 1_001);
    assert.equal(findings.at(-1)?.code, 'SUTRA.BPMN.TOO_MANY_FINDINGS');
    assert.match(findings.at(-1)?.message ?? '', /^501 more findings/);
    assert.deepEqual(processes, []);
  });

  test('say once that a file has too many expressions', () => {
    const params = Array.from({ length: 10_005 }, (_, index) => `<q:param name="n${index}" expression="1"/>`);
    const call = `<serviceTask id="n" implementation="channel:c">${extensions(params.join(''))}</serviceTask>`;
    const { findings, processes } = compileText(processWith(call));
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['SUTRA.BPMN.TOO_MANY_EXPRESSIONS'],
    );
    assert.deepEqual(processes, []);
  });
});
