/** What the models of one package need of each other and of its channels. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Finding } from '../../config/engine-error.ts';
import { compilePackage } from '../../definitions/package.ts';

const channels = `channels:
  - { name: orders, transport: http, bind: 'POST /channels/orders' }
  - { name: other, transport: http, bind: 'POST /channels/other' }
  - { name: work, transport: pull }
  - { name: notify, transport: http, bind: 'https://example.com/notify' }
  - { name: news, transport: local, broadcast: true }
`;

const q = (inside: string): string => `<extensionElements>${inside}</extensionElements>`;
const flow = (id: string, from: string, to: string): string =>
  `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}"/>`;
const message = (inside: string): string => `<messageEventDefinition>${q(inside)}</messageEventDefinition>`;
const messageStart = (id: string, channel: string): string =>
  `<startEvent id="${id}">${q(`<q:source channel="${channel}"/>`)}<messageEventDefinition/></startEvent>`;

/** A model with one process for each of `insides`, called p0, p1, … */
function findingsOf(...insides: readonly string[]): readonly Finding[] {
  const processes = insides.map((inside, index) => `<process id="p${index}">\n${inside}\n</process>`);
  const model = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:q="urn:sutra:q:1.0" targetNamespace="x">
    <signal id="sig" name="alarm"/><error id="late" errorCode="SUTRA.CALL.TIMEOUT"/>${processes.join('\n')}</definitions>`;
  const contents = {
    'package.yaml': 'labels: { tenant: acme, module: scoring, version: "1.0.0" }\n',
    'channels.yaml': channels,
    'bpmn/model.bpmn': model,
  };
  const encoder = new TextEncoder();
  const files = Object.entries(contents).map(([path, content]) => ({
    path,
    content: encoder.encode(content),
  }));
  return compilePackage(files).findings;
}

const codesOf = (findings: readonly Finding[]): readonly string[] => findings.map(({ code }) => code);

/** A process that starts by itself and goes to `inside`, whose node is `n`. */
const begin = (inside: string): string => `<startEvent id="s"/>${flow('f', 's', 'n')}${inside}`;

describe('q:retry of a package', () => {
  const timeout = '<q:timeout duration="PT1M"/>';
  const late =
    '<boundaryEvent id="b" attachedToRef="n"><errorEventDefinition errorRef="late"/></boundaryEvent>';
  const callTo = (channel: string, inside: string, after = ''): string =>
    begin(`<serviceTask id="n" implementation="channel:${channel}">${q(inside)}</serviceTask>${after}`);
  const rows: readonly (readonly [title: string, inside: string, isUsed: boolean])[] = [
    ['of a pull channel with a timeout', callTo('work', `<q:retry maxAttempts="3"/>${timeout}`), true],
    ['of a pull channel without a timeout', callTo('work', '<q:retry maxAttempts="3"/>'), false],
    [
      'of a pull channel whose timeout is final',
      callTo('work', `<q:retry maxAttempts="3" nonRetryableCodes="SUTRA.CALL.TIMEOUT"/>${timeout}`),
      false,
    ],
    ['of a peer that may refuse', callTo('notify', '<q:retry maxAttempts="3"/>'), true],
    [
      'of a function',
      begin(
        `<serviceTask id="n" implementation="registered:f">${q('<q:retry maxAttempts="3"/>')}</serviceTask>`,
      ),
      true,
    ],
  ];
  for (const [title, inside, isUsed] of rows) {
    test(`${title} ${isUsed ? 'is taken' : 'is refused'}`, () => {
      const codes = codesOf(findingsOf(inside)).filter((code) => code !== 'SUTRA.PACKAGE.CHANNEL_DIRECTION');
      assert.deepEqual(codes, isUsed ? [] : ['SUTRA.PACKAGE.RETRY_UNUSED']);
    });
  }

  test('of a pull channel whose timeout has a way of its own is refused', () => {
    const inside = callTo('work', `<q:retry maxAttempts="3"/>${timeout}`, late);
    assert.deepEqual(codesOf(findingsOf(inside)), ['SUTRA.PACKAGE.RETRY_UNUSED']);
  });
});

describe('the channels of a package', () => {
  const uses: readonly (readonly [title: string, inside: string, codes: readonly string[]])[] = [
    [
      'of every message that an event waits for',
      `<intermediateCatchEvent id="n">${message('<q:source channel="orders"/>')}${message('<q:source channel="gone"/>')}${message('<q:source channel="notify"/>')}</intermediateCatchEvent>`,
      ['SUTRA.PACKAGE.CHANNEL_UNKNOWN', 'SUTRA.PACKAGE.CHANNEL_DIRECTION'],
    ],
    [
      'of every message that an event throws',
      `<endEvent id="n">${message('<q:send channel="notify"/>')}${message('<q:send channel="gone"/>')}${message('<q:send channel="orders"/>')}</endEvent>`,
      ['SUTRA.PACKAGE.CHANNEL_UNKNOWN', 'SUTRA.PACKAGE.CHANNEL_DIRECTION'],
    ],
    [
      'of the start of an event sub-process',
      `<task id="n"/><subProcess id="e" triggeredByEvent="true">${messageStart('es', 'gone')}</subProcess>`,
      ['SUTRA.PACKAGE.CHANNEL_UNKNOWN'],
    ],
    [
      'of a business rule task',
      '<businessRuleTask id="n" implementation="channel:gone"/>',
      ['SUTRA.PACKAGE.CHANNEL_UNKNOWN'],
    ],
    [
      'on which a business rule task waits for its answer',
      `<businessRuleTask id="n" implementation="channel:work">${q('<q:source channel="notify"/>')}</businessRuleTask>`,
      ['SUTRA.PACKAGE.CHANNEL_DIRECTION'],
    ],
  ];
  for (const [title, inside, codes] of uses) {
    test(`are checked: that ${title}`, () => {
      assert.deepEqual(codesOf(findingsOf(begin(inside))), codes);
    });
  }

  test('are not needed for signals', () => {
    const definition = '<signalEventDefinition signalRef="sig"/>';
    assert.deepEqual(
      findingsOf(
        begin(`<intermediateThrowEvent id="n">${definition}</intermediateThrowEvent>`),
        `<startEvent id="x">${definition}</startEvent>`,
      ),
      [],
    );
  });
});

describe('messages that start processes', () => {
  const receive = `<receiveTask id="r" instantiate="true">${q('<q:source channel="orders"/>')}</receiveTask>`;
  const gateway = `<eventBasedGateway id="g" instantiate="true"/>${flow('g1', 'g', 'c1')}${flow('g2', 'g', 'c2')}
    <intermediateCatchEvent id="c1">${message('<q:source channel="other"/>')}</intermediateCatchEvent>
    <receiveTask id="c2">${q('<q:source channel="orders"/>')}</receiveTask>`;
  const multiple = `<startEvent id="m">${message('<q:source channel="other"/>')}${message('<q:source channel="orders"/>')}</startEvent>`;
  const starts: readonly (readonly [title: string, start: string, nodeId: string])[] = [
    ['a start event', messageStart('s', 'orders'), 's'],
    ['one of several definitions', multiple, 'm'],
    ['a receive task that instantiates', receive, 'r'],
    ['what stands behind a gateway that instantiates', gateway, 'c2'],
  ];
  for (const [title, start, nodeId] of starts) {
    test(`may not start two processes: ${title}`, () => {
      const [finding, ...more] = findingsOf(messageStart('first', 'orders'), start);
      assert.deepEqual(more, []);
      assert.equal(finding?.code, 'SUTRA.PACKAGE.START_AMBIGUOUS');
      assert.match(finding.message, new RegExp(`"first" of process "p0" and "${nodeId}" of process "p1"`));
    });

    test(`may start one process: ${title}`, () => {
      assert.deepEqual(findingsOf(start, messageStart('second', 'work')), []);
    });
  }

  test('may not start one process in two places', () => {
    assert.deepEqual(codesOf(findingsOf(messageStart('a', 'orders') + messageStart('b', 'orders'))), [
      'SUTRA.PACKAGE.START_AMBIGUOUS',
    ]);
  });

  test('may start several where the channel is a broadcast, or where one only waits', () => {
    assert.deepEqual(findingsOf(messageStart('a', 'news'), messageStart('b', 'news')), []);
    const waits = begin(`<receiveTask id="n">${q('<q:source channel="orders"/>')}</receiveTask>
      <subProcess id="e" triggeredByEvent="true">${messageStart('es', 'orders')}</subProcess>`);
    assert.deepEqual(findingsOf(messageStart('a', 'orders'), waits), []);
  });
});

describe('processes that are called', () => {
  const call = (attributes: string, inside = ''): string =>
    begin(`<callActivity id="n" ${attributes}>${inside}</callActivity>`);

  test('may be in the package, be named when they are called, or call themselves', () => {
    const other = '<startEvent id="x"/>';
    assert.deepEqual(findingsOf(call('calledElement="p1"'), other), []);
    assert.deepEqual(findingsOf(call('calledElement="p0"')), []);
    assert.deepEqual(findingsOf(call('calledElement="=which"')), []);
  });

  test('may be of another package, with a warning at the call', () => {
    const [finding, ...more] = findingsOf(call('calledElement="p9"'));
    assert.deepEqual(more, []);
    assert.equal(finding?.code, 'SUTRA.PACKAGE.CALLED_PROCESS_ELSEWHERE');
    assert.equal(finding.severity, 'warning');
    assert.equal(finding.place.elementId, 'n');
    assert.match(finding.message, /no process "p9".*the nearest is "p0"/);
  });

  test('are looked for in every case of a dispatch, once each', () => {
    const cases = ['p0', 'a', 'b', 'a'].map((id) => `<q:case when="x" calledElement="${id}"/>`).join('');
    const findings = findingsOf(call('', q(`<q:dispatch default="c">${cases}</q:dispatch>`)));
    assert.deepEqual(
      findings.map(({ code, message: text }) => [code, /no process "(\w)"/.exec(text)?.[1]]),
      ['a', 'b', 'c'].map((id) => ['SUTRA.PACKAGE.CALLED_PROCESS_ELSEWHERE', id]),
    );
  });
});
