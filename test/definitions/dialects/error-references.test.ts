/** An `errorRef` that names no error is the code itself, in files of Camunda 7 and its forks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import { compileVendor, node, vendorFile, vendorProcess, zeebeFile } from './vendor-file.ts';

const thrown = (reference: string): string =>
  node('endEvent', '', '', `<bpmn:errorEventDefinition errorRef="${reference}"/>`);

const caught = (reference: string): string =>
  `${node('userTask', '')}<bpmn:boundaryEvent id="b" attachedToRef="n"><bpmn:errorEventDefinition errorRef="${reference}"/></bpmn:boundaryEvent>`;

const started = (reference: string): string =>
  `${node('userTask', '')}<bpmn:subProcess id="e" triggeredByEvent="true"><bpmn:startEvent id="b"><bpmn:errorEventDefinition errorRef="${reference}"/></bpmn:startEvent></bpmn:subProcess>`;

/** The codes that the process throws at `n` and catches at `b`. */
function codesOf(process: ProcessDefinition): readonly (string | null)[] {
  return [...process.nodes.values()].flatMap((each) => {
    const events =
      each.kind === 'endEvent'
        ? each.results
        : each.kind === 'boundaryEvent' || each.kind === 'startEvent'
          ? each.triggers
          : [];
    return events.flatMap((event) => (event.kind === 'error' ? [event.errorCode] : []));
  });
}

describe('a reference to an error that the file does not have', () => {
  const rows: readonly (readonly [what: string, inside: string, roots: string, codes: readonly string[]])[] =
    [
      ['is what is thrown', thrown('bad'), '', ['bad']],
      ['is what a boundary event catches', caught('bad'), '', ['bad']],
      ['is what starts an event sub-process', started('bad'), '', ['bad']],
      ['may be the id of a signal', thrown('x'), '<bpmn:signal id="x" name="X"/>', ['x']],
      ['may be the id of a message', caught('x'), '<bpmn:message id="x" name="X"/>', ['x']],
      ['may be the id of the very event', thrown('n'), '', ['n']],
      [
        'may be an id that is made for another',
        `${thrown('n')}${started('error-1')}`.replace('<bpmn:userTask id="n" ></bpmn:userTask>', ''),
        '',
        ['n', 'error-1'],
      ],
      ['need be no name', thrown('404 not found'), '', ['404 not found']],
      ['may be the name of a Java class', caught('org.example.Bad'), '', ['org.example.Bad']],
      [
        'says the same wherever it stands',
        `${caught('7')}<bpmn:sequenceFlow id="g" sourceRef="n" targetRef="end"/><bpmn:endEvent id="end"><bpmn:errorEventDefinition errorRef="7"/></bpmn:endEvent>`,
        '',
        ['7', '7'],
      ],
    ];
  for (const [what, inside, roots, codes] of rows) {
    test(what, () => {
      const process = vendorProcess(vendorFile(inside, roots));
      assert.deepEqual(codesOf(process), codes);
    });
  }

  test('is a code on a definition beside the processes', () => {
    const end = node('endEvent', '', '', '<bpmn:eventDefinitionRef>d</bpmn:eventDefinitionRef>');
    const root = '<bpmn:errorEventDefinition id="d" errorRef="bad"/>';
    assert.deepEqual(codesOf(vendorProcess(vendorFile(end, root))), ['bad']);
  });

  test('is none where the file has that error', () => {
    const error = '<bpmn:error id="bad" errorCode="E1"/>';
    assert.deepEqual(codesOf(vendorProcess(vendorFile(thrown('bad'), error))), ['E1']);
    const prefixed = vendorFile(thrown('t:bad'), error).replace(
      'targetNamespace',
      'xmlns:t="urn:test" targetNamespace',
    );
    assert.deepEqual(codesOf(vendorProcess(prefixed)), ['E1']);
  });

  const codesFound = (text: string): readonly string[] =>
    compileVendor(text).findings.map(({ code }) => code);

  test('is a fault in any other file', () => {
    assert.deepEqual(codesFound(zeebeFile(thrown('bad'))), ['SUTRA.BPMN.REFERENCE_DANGLING']);
    const ours = vendorFile(thrown('bad')).replace(
      'targetNamespace',
      'xmlns:q="urn:sutra:q:1.0" targetNamespace',
    );
    assert.deepEqual(codesFound(ours), ['SUTRA.BPMN.REFERENCE_DANGLING']);
  });

  test('is not taken for a code where a signal or a message is meant', () => {
    const signal = node('endEvent', '', '', '<bpmn:signalEventDefinition signalRef="bad"/>');
    assert.ok(codesFound(vendorFile(signal)).includes('SUTRA.BPMN.REFERENCE_DANGLING'));
    const message = node('intermediateCatchEvent', '', '', '<bpmn:messageEventDefinition messageRef="bad"/>');
    assert.ok(codesFound(vendorFile(message)).includes('SUTRA.BPMN.SOURCE_MISSING'));
  });
});

describe('a file without a namespace of Camunda 7', () => {
  const plain = (inside: string): string => zeebeFile(inside).replace(/\s*xmlns:zeebe="[^"]*"/, '');
  const condition =
    '<bpmn:sequenceFlow id="g" sourceRef="a" targetRef="n"><bpmn:conditionExpression>${ok}</bpmn:conditionExpression></bpmn:sequenceFlow><bpmn:task id="a"/>';
  const platform = (text: string, value: string): string =>
    text.replace(
      'targetNamespace',
      `xmlns:m="http://camunda.org/schema/modeler/1.0" m:executionPlatform="${value}" targetNamespace`,
    );
  const target = (text: string, value: string): string => text.replace('"urn:test"', `"${value}"`);
  const end = thrown('bad');
  const rows: readonly (readonly [what: string, text: string, isMade: boolean])[] = [
    ['says nothing', plain(end), false],
    ['has a condition in JUEL', plain(`${condition}${end}`), true],
    ['has that and Zeebe', zeebeFile(`${condition}${end}`), false],
    ['is for Camunda Platform', platform(plain(end), 'Camunda Platform'), true],
    ['is for Camunda Cloud', platform(plain(end), 'Camunda Cloud'), false],
    ['has a target of Flowable', target(plain(end), 'http://flowable.org/test'), true],
    ['has a target of Activiti', target(plain(end), 'http://www.activiti.org/processdef'), true],
    ['has a target of somebody else', target(plain(end), 'http://example.org/activiti.org/'), false],
  ];
  for (const [what, text, isMade] of rows) {
    test(`that ${what} is ${isMade ? 'one' : 'none'} of theirs`, () => {
      const codes = compileVendor(text).findings.map(({ code }) => code);
      assert.equal(codes.includes('SUTRA.BPMN.REFERENCE_DANGLING'), !isMade, JSON.stringify(codes));
    });
  }
});
