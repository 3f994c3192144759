/** Where processes and sub-processes begin, what their variants mean, and gateways. BPMN 2.0.2 §10.3.5, §10.6, §13. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startPointsOf } from '../../../definitions/model.ts';
import { definitions, extensions, processWith } from './marked-file.ts';
import { nodeIn, nodeOf, onlyProcess } from './model-of.ts';

const source = extensions('<q:source channel="in"/>');
const TIMER = '<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>';
const flow = (id: string, from: string, to: string, inside = ''): string =>
  `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}">${inside}</sequenceFlow>`;
const process = (inside: string): string => definitions(`<process id="p">${inside}</process>`);
const condition = (text: string): string => `<conditionExpression>${text}</conditionExpression>`;

describe('a process begins', () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ['at its start event', '<startEvent id="s"/>', ['s']],
    [
      'at the start event that waits for nothing',
      `<startEvent id="m">${source}</startEvent><startEvent id="s"/><startEvent id="t">${TIMER}</startEvent>`,
      ['s'],
    ],
    ['not by itself, when all start events wait', `<startEvent id="m">${source}</startEvent>`, []],
    [
      'without a start event, at everything to which no flow leads',
      `<task id="a"/>${flow('f', 'a', 'z')}<task id="z"/><subProcess id="b"><task id="x"/></subProcess><exclusiveGateway id="g"/>
      <intermediateCatchEvent id="c">${TIMER}</intermediateCatchEvent><intermediateThrowEvent id="d"/><endEvent id="e"/>`,
      ['a', 'b', 'g', 'c', 'd', 'e'],
    ],
    [
      'not at boundary events, event sub-processes, compensation activities and link targets',
      `<task id="a"/><boundaryEvent id="b" attachedToRef="a"><compensateEventDefinition/></boundaryEvent><task id="u" isForCompensation="true"/>
      <association id="as" sourceRef="b" targetRef="u"/>${flow('f', 'a', 'l')}<intermediateThrowEvent id="l"><linkEventDefinition name="L"/></intermediateThrowEvent>
      <intermediateCatchEvent id="k"><linkEventDefinition name="L"/></intermediateCatchEvent>
      <subProcess id="v" triggeredByEvent="true"><startEvent id="vs">${TIMER}</startEvent></subProcess>`,
      ['a'],
    ],
    [
      'not at what a message brings to life',
      `<receiveTask id="r" instantiate="true">${source}</receiveTask><eventBasedGateway id="g" instantiate="true"/>${flow('f', 'g', 'c')}
      <intermediateCatchEvent id="c">${source}</intermediateCatchEvent>`,
      [],
    ],
  ];
  for (const [title, inside, expected] of rows) {
    test(title, () => assert.deepEqual(onlyProcess(process(inside)).start, expected));
  }

  test('from outside at every trigger of its start events, its receive tasks and behind its gateways', () => {
    const model = onlyProcess(
      process(`<startEvent id="s"/><startEvent id="m">${source}<messageEventDefinition/>${TIMER}</startEvent>
      <receiveTask id="r" instantiate="true">${source}</receiveTask><receiveTask id="not">${source}</receiveTask>${flow('x', 's', 'not')}
      <eventBasedGateway id="g" instantiate="true" eventGatewayType="Parallel"/>${flow('f', 'g', 'c')}${flow('h', 'g', 'd')}
      <intermediateCatchEvent id="c">${source}</intermediateCatchEvent><receiveTask id="d">${source}</receiveTask>`),
    );
    assert.deepEqual(
      startPointsOf(model).map(({ nodeId, trigger, event }) => [nodeId, trigger, event.kind]),
      [
        ['m', 0, 'message'],
        ['m', 1, 'timer'],
        ['r', 0, 'message'],
        ['c', 0, 'message'],
        ['d', 0, 'message'],
      ],
    );
    const gateway = nodeOf(model, 'g', 'eventBasedGateway');
    assert.deepEqual([gateway.instantiates, gateway.isParallel], [true, true]);
    assert.equal(nodeOf(model, 'not', 'receiveTask').instantiates, false);
  });
});

describe('a sub-process', () => {
  test('holds its nodes', () => {
    const model = onlyProcess(
      processWith(
        `<subProcess id="n"><startEvent id="a"/>${flow('g', 'a', 'b')}<subProcess id="b"><startEvent id="c"/></subProcess></subProcess>`,
      ),
    );
    const outer = nodeOf(model, 'n', 'subProcess');
    assert.deepEqual([outer.parentId, outer.children, outer.start], ['p', ['a', 'b'], ['a']]);
    assert.deepEqual(outer.variant, { kind: 'embedded' });
    assert.deepEqual(model.children, ['s', 'n']);
    assert.equal(model.nodes.get('c')?.parentId, 'b');
    assert.equal(model.flows.get('g')?.targetId, 'b');
  });

  test('without a start event begins at everything to which no flow leads', () => {
    const inner = nodeIn('subProcess', '<subProcess id="n"><task id="a"/><task id="b"/></subProcess>');
    assert.deepEqual(inner.start, ['a', 'b']);
  });

  test('is a transaction by its element, with the method that is the default', () => {
    for (const method of ['', 'method="##Compensate"']) {
      const model = onlyProcess(
        processWith(`<transaction id="n" ${method}><startEvent id="a"/>${flow('g', 'a', 'b')}
        <endEvent id="b"><cancelEventDefinition/></endEvent></transaction>
        <boundaryEvent id="c" attachedToRef="n"><cancelEventDefinition/></boundaryEvent>`),
      );
      const { variant, start } = nodeOf(model, 'n', 'subProcess');
      assert.deepEqual([variant, start], [{ kind: 'transaction' }, ['a']]);
      assert.deepEqual(nodeOf(model, 'b', 'endEvent').results, [{ kind: 'cancel' }]);
      assert.deepEqual(nodeOf(model, 'c', 'boundaryEvent').triggers, [{ kind: 'cancel' }]);
    }
  });

  test('of an event is begun by its start event only, in whatever scope it stands', () => {
    const inner = (id: string): string =>
      `<subProcess id="${id}" triggeredByEvent="true"><startEvent id="${id}s"><errorEventDefinition/></startEvent></subProcess>`;
    const model = onlyProcess(
      processWith(`<subProcess id="n"><startEvent id="a"/>${inner('x')}</subProcess>${inner('y')}
      <subProcess id="z" triggeredByEvent="1" isForCompensation="true"><startEvent id="zs"><compensateEventDefinition/></startEvent></subProcess>`),
    );
    assert.deepEqual(model.eventSubProcessIds, ['y', 'z']);
    assert.deepEqual(nodeOf(model, 'n', 'subProcess').eventSubProcessIds, ['x']);
    const { variant, start, isForCompensation } = nodeOf(model, 'z', 'subProcess');
    assert.deepEqual([variant, start], [{ kind: 'event', startEventId: 'zs' }, []]);
    assert.equal(isForCompensation, false);
    assert.deepEqual(model.start, ['s']);
  });

  test('that is ad hoc names what can be launched', () => {
    const inside = `<task id="a"/><task id="b"/><task id="c"/>${flow('g', 'b', 'c')}<task id="u" isForCompensation="true"/>
      <boundaryEvent id="e" attachedToRef="a"><compensateEventDefinition/></boundaryEvent><association id="as" sourceRef="u" targetRef="e"/>`;
    const plain = nodeIn('subProcess', `<adHocSubProcess id="n">${inside}</adHocSubProcess>`);
    assert.deepEqual(plain.variant, {
      kind: 'adHoc',
      launchableIds: ['a', 'b'],
      isSequential: false,
      completionCondition: null,
      cancelsRemaining: true,
    });
    assert.deepEqual(plain.start, []);
    const { variant } = nodeIn(
      'subProcess',
      `<adHocSubProcess id="n" ordering="Sequential" cancelRemainingInstances="false">${inside}<completionCondition>=done</completionCondition></adHocSubProcess>`,
    );
    assert.ok(variant.kind === 'adHoc');
    assert.deepEqual([variant.isSequential, variant.cancelsRemaining], [true, false]);
    assert.equal(variant.completionCondition?.text, 'done');
  });
});

describe('a compensation activity', () => {
  test('is found through an association of either direction, on whatever activity', () => {
    const ends: readonly (readonly [string, string, string])[] = [
      ['b', 'u', 'userTask'],
      ['u', 'b', 'task'],
    ];
    for (const [from, to, kind] of ends) {
      const model = onlyProcess(
        processWith(`<task id="n"/><boundaryEvent id="b" attachedToRef="n"><compensateEventDefinition waitForCompletion="true"/></boundaryEvent>
        <association id="a2" sourceRef="u" targetRef="b"/><textAnnotation id="t"><text>x</text></textAnnotation><association id="a0" sourceRef="b" targetRef="t"/>
        <${kind} id="u" isForCompensation="true"/><association id="a1" associationDirection="One" sourceRef="${from}" targetRef="${to}"/>`),
      );
      assert.deepEqual(nodeOf(model, 'b', 'boundaryEvent').triggers, [
        { kind: 'compensation', handlerId: 'u' },
      ]);
      const activity = model.nodes.get('u');
      assert.ok(activity !== undefined && 'isForCompensation' in activity && activity.isForCompensation);
    }
  });

  test('may undo several activities, and its association may stand beside the participants', () => {
    const model = onlyProcess(
      processWith(
        `<task id="n"/><boundaryEvent id="b" attachedToRef="n"><compensateEventDefinition/></boundaryEvent>${flow('g', 'n', 'm')}
        <task id="m"/><boundaryEvent id="c" attachedToRef="m"><compensateEventDefinition activityRef="m"/></boundaryEvent>
        <subProcess id="u" isForCompensation="true"><task id="x"/></subProcess><association id="a1" sourceRef="b" targetRef="u"/>`,
        '<collaboration id="k"><participant id="k1" processRef="p"/><association id="a2" sourceRef="c" targetRef="u"/></collaboration>',
      ),
    );
    for (const id of ['b', 'c']) {
      assert.deepEqual(nodeOf(model, id, 'boundaryEvent').triggers, [
        { kind: 'compensation', handlerId: 'u' },
      ]);
    }
  });

  test('is thrown for an activity of the same scope, or of the scope around an event sub-process', () => {
    const model = onlyProcess(
      processWith(`<subProcess id="n"><task id="a"/></subProcess>
      <subProcess id="v" triggeredByEvent="true"><startEvent id="vs"><errorEventDefinition/></startEvent>${flow('g', 'vs', 'w')}
      <intermediateThrowEvent id="w"><compensateEventDefinition activityRef="n"/></intermediateThrowEvent></subProcess>`),
    );
    assert.deepEqual(nodeOf(model, 'w', 'intermediateThrowEvent').results, [
      { kind: 'compensation', activityId: 'n', waitsForCompletion: true },
    ]);
  });
});

describe('a gateway', () => {
  test('that is complex keeps its condition and its default', () => {
    const gateway = nodeIn(
      'complexGateway',
      `<complexGateway id="n" default="h"><activationCondition>=activationCount >= 2</activationCondition></complexGateway>
      <task id="t"/>${flow('g', 'n', 't', condition('a'))}${flow('h', 'n', 't')}${flow('i', 't', 'n')}`,
    );
    assert.equal(gateway.activationCondition?.text, 'activationCount >= 2');
    assert.equal(gateway.defaultFlowId, 'h');
    assert.deepEqual(gateway.incoming, ['f', 'i']);
  });

  test('that is complex needs no condition to split', () => {
    const gateway = nodeIn('complexGateway', `<complexGateway id="n"/><task id="t"/>${flow('g', 'n', 't')}`);
    assert.equal(gateway.activationCondition, null);
  });

  test('that waits for events may wait for every kind of them', () => {
    const model = onlyProcess(
      processWith(
        `<eventBasedGateway id="n"/>${['a', 'b', 'c', 'd', 'e'].map((id) => flow(`f${id}`, 'n', id)).join('')}
      <intermediateCatchEvent id="a">${source}</intermediateCatchEvent><intermediateCatchEvent id="b">${TIMER}</intermediateCatchEvent>
      <intermediateCatchEvent id="c"><signalEventDefinition signalRef="g"/></intermediateCatchEvent><receiveTask id="d">${source}</receiveTask>
      <intermediateCatchEvent id="e"><conditionalEventDefinition><condition>x</condition></conditionalEventDefinition>${TIMER}</intermediateCatchEvent>`,
        '<signal id="g" name="G"/>',
      ),
    );
    const gateway = nodeOf(model, 'n', 'eventBasedGateway');
    assert.deepEqual([gateway.outgoing.length, gateway.instantiates, gateway.isParallel], [5, false, false]);
  });
});

describe('a condition', () => {
  test('may stand on the flows that leave an event or a start event', () => {
    const model = onlyProcess(
      process(`<startEvent id="s"/>${flow('f', 's', 't', condition('a'))}${flow('g', 's', 't', condition('b'))}<task id="t"/>
      <boundaryEvent id="b" attachedToRef="t">${TIMER}</boundaryEvent>${flow('h', 'b', 'i', condition('c'))}<intermediateThrowEvent id="i"/>
      ${flow('j', 'i', 'e', condition('d'))}<endEvent id="e"/>`),
    );
    assert.deepEqual(
      [...model.flows.values()].map((each) => each.condition?.text),
      ['a', 'b', 'c', 'd'],
    );
  });
});
