/** There and back: one process in two notations is the same model. A failing run prints its seed. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { compileBpmn } from '../../../definitions/bpmn/compile.ts';
import { DecisionDirectory } from '../../../definitions/decision-directory.ts';
import { compileFlow } from '../../../definitions/flows/compile-flow.ts';
import { bpmnToFlows, flowToBpmn } from '../../../definitions/flows/convert/convert.ts';
import { readBpmn } from '../../../definitions/flows/convert/read-bpmn.ts';
import type { PackageFile } from '../../../definitions/package-file.ts';
import { readXml } from '../../../definitions/xml/read-xml.ts';
import { flowTexts } from '../../support/random-flow.ts';
import { behaviourOf } from '../../support/same-behaviour.ts';
import { saidBy } from '../../support/same-process.ts';

/** Which decisions there are is not asked. */
const decisions = new DecisionDirectory([], false);

function fileOf(path: string, text: string): PackageFile {
  return { path, content: new TextEncoder().encode(text) };
}

test('a flow, the BPMN file made of it, and the flow made of that are the same model', () => {
  let count = 0;
  fc.assert(
    fc.property(flowTexts(), (text) => {
      const [process] = compileFlow(fileOf('p.yaml', text)).processes;
      if (process === undefined) return;
      count += 1;
      const there = flowToBpmn(fileOf('p.yaml', text));
      assert.ok(there.text !== null, JSON.stringify(there.findings));
      const model = fileOf('p.bpmn', there.text);
      const [drawn] = compileBpmn(model).processes;
      assert.ok(drawn !== undefined, there.text);
      assert.deepEqual(saidBy(drawn), saidBy(process));
      const { flows, findings } = bpmnToFlows(model);
      const [back] = flows;
      assert.ok(back !== undefined, JSON.stringify(findings));
      assert.deepEqual(
        findings.filter(({ code }) => code.startsWith('SUTRA.FLOWS.')),
        [],
      );
      const [again] = compileFlow(fileOf('p.yaml', back.text)).processes;
      assert.ok(again !== undefined, back.text);
      assert.deepEqual(saidBy(again), saidBy(process), back.text);
    }),
    { numRuns: 120 },
  );
  assert.ok(count > 60, `${count} of 120 are models`);
});

test('what is made of a flow that was made of a BPMN file is that flow again, to the letter', () => {
  fc.assert(
    fc.property(flowTexts(), (text) => {
      const first = thereAndBack(text);
      if (first !== null) assert.equal(thereAndBack(first), first);
    }),
    { numRuns: 30 },
  );
});

function thereAndBack(text: string): string | null {
  const there = flowToBpmn(fileOf('p.yaml', text)).text;
  return there === null ? null : (bpmnToFlows(fileOf('p.bpmn', there)).flows[0]?.text ?? null);
}

test('a model that is drawn otherwise is refused, or does the same as a flow', () => {
  let convertedCount = 0;
  let changedCount = 0;
  let count = 0;
  fc.assert(
    fc.property(flowTexts(), fc.infiniteStream(fc.boolean()), (text, choices) => {
      const there = flowToBpmn(fileOf('p.yaml', text)).text;
      if (there === null) return;
      const drawn = fileOf('p.bpmn', withoutJoins(there, choices));
      const [process] = compileBpmn(drawn).processes;
      if (process === undefined) return;
      count += 1;
      const [made] = bpmnToFlows(drawn).flows;
      if (made === undefined) return;
      convertedCount += 1;
      if (countOf(there, 'Gateway id=') > countOf(new TextDecoder().decode(drawn.content), 'Gateway id=')) {
        changedCount += 1;
      }
      const [again] = compileFlow(fileOf('p.yaml', made.text)).processes;
      assert.ok(again !== undefined);
      assert.deepEqual(behaviourOf(again), behaviourOf(process), made.text);
    }),
    { numRuns: 120 },
  );
  assert.ok(convertedCount > count / 2 && count > 60, `${convertedCount} of ${count} became flows`);
  assert.ok(changedCount > convertedCount / 4, `${changedCount} of ${convertedCount} were drawn otherwise`);
});

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Leads the paths into some exclusive joins straight to what follows; from others takes the listings alone. */
function withoutJoins(text: string, choices: fc.Stream<boolean>): string {
  let drawn = text.replaceAll(/ *<bpmn:(incoming|outgoing)>.*<\/bpmn:\1>\n/g, '');
  const joins = [...drawn.matchAll(/<bpmn:exclusiveGateway id="([^"]*-join)"/g)].map(([, id = '']) => id);
  for (const id of joins) {
    const [outgoing, next] =
      new RegExp(` *<bpmn:sequenceFlow id="[^"]*" sourceRef="${id}" targetRef="([^"]*)"/>\\n`).exec(drawn) ??
      [];
    if (choices.next().value !== true || outgoing === undefined || next === undefined) continue;
    drawn = drawn
      .replace(outgoing, '')
      .replace(new RegExp(` *<bpmn:exclusiveGateway id="${id}">?\\s*(?:/>|</bpmn:exclusiveGateway>)\\n`), '')
      .replaceAll(`targetRef="${id}"`, `targetRef="${next}"`);
  }
  return drawn;
}

test('a flow with faults is not converted, and they are its own', () => {
  const { text, findings } = flowToBpmn(fileOf('p.yaml', 'steps: [ { cal: a } ]'));
  assert.equal(text, null);
  assert.deepEqual(
    findings.map(({ code, place }) => [code, place.file]),
    [['SUTRA.FLOWS.VERB_MISSING', 'p.yaml']],
  );
});

test('a flow with a character that XML cannot carry is not converted', () => {
  const { text, findings } = flowToBpmn(fileOf('p.yaml', 'steps: [ { call: a, name: "bell \\a" } ]'));
  assert.equal(text, null);
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['SUTRA.FLOWS.NOT_CONVERTIBLE'],
  );
});

test('a model of another engine is converted by what its dialect means, and says which channels it needs', () => {
  const model = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
    <process id="p" isExecutable="true"><startEvent id="s"/>
      <serviceTask id="ship"><extensionElements><zeebe:taskDefinition type="shipping"/></extensionElements></serviceTask>
      <sequenceFlow id="f" sourceRef="s" targetRef="ship"/></process></definitions>`;
  const { flows, findings } = bpmnToFlows(fileOf('p.bpmn', model));
  assert.deepEqual(flows, [
    { id: 'p', text: 'id: p\nsteps:\n  - start:\n    id: s\n  - call: shipping\n    id: ship\n' },
  ]);
  assert.ok(findings.some(({ message }) => message.includes('channel "shipping"')));
});

test('flows that do different things are told apart by these tests', () => {
  const said = ['=n > 1', '=n > 2'].map((when) => {
    const text = `steps: [ { choose: [ { when: ${when}, steps: [ { call: a } ] }, { else: [ { call: b } ] } ] }, { call: c } ]`;
    const [process] = compileFlow(fileOf('p.yaml', text)).processes;
    assert.ok(process !== undefined);
    return { whole: saidBy(process), behaviour: behaviourOf(process) };
  });
  const [one, other] = said;
  assert.notDeepEqual(one?.whole, other?.whole);
  assert.notDeepEqual(one?.behaviour, other?.behaviour);
});

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));

function corpusFiles(): readonly PackageFile[] {
  return readFileSync(`${corpus}/MANIFEST.tsv`, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '')
    .filter((path) => path !== '' && !path.startsWith('dmn-tck/'))
    .map((path) => ({ path, content: readFileSync(`${corpus}/${path}`) }));
}

/** More is better: raise it. */
const LEAST_CONVERTED = 25;

test(
  'public models are refused with places, or become flows that do the same',
  { skip: !existsSync(corpus) && 'no corpus' },
  () => {
    let count = 0;
    const allowed = { unboundTasks: 'external-task', listeners: 'ignore' } as const;
    for (const file of corpusFiles()) {
      const { document } = readXml(file);
      // Whatever is in it, reading never throws.
      if (document !== null) readBpmn(document);
      const { flows, findings } = bpmnToFlows(file, allowed);
      for (const { code, place } of findings) {
        if (code.startsWith('SUTRA.FLOWS.'))
          assert.ok(place.line !== undefined, `${file.path}: ${code} has no place`);
      }
      const { processes } = compileBpmn(file, { decisions, ...allowed });
      if (flows.length === 0) continue;
      count += 1;
      const made = flows.map(({ text }) => compileFlow(fileOf('p.yaml', text), { decisions }).processes[0]);
      assert.deepEqual(
        made.map((each) => each && behaviourOf(each)),
        processes.map(behaviourOf),
        file.path,
      );
    }
    assert.ok(count >= LEAST_CONVERTED, `${count} of the models became flows`);
  },
);
