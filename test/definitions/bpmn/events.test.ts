/** What events wait for and throw. BPMN 2.0.2 §10.5. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FlowNode } from '../../../definitions/model.ts';
import { definitions, extensions, processWith } from './marked-file.ts';
import { nodeIn, nodeOf, onlyProcess } from './model-of.ts';

const source = (channel: string): string => extensions(`<q:source channel="${channel}"/>`);
const send = (channel: string): string => extensions(`<q:send channel="${channel}"/>`);

const ROOTS = `<error id="e" errorCode="E1"/><error id="e0" errorCode=""/><escalation id="c" escalationCode="C1"/>
  <escalation id="c0"/><signal id="g" name="Alarm"/><message id="m" name="Order"/><signalEventDefinition id="root" signalRef="t:g"/>`;

/** Without places, and expressions as their text. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => {
      const text = inner !== null && typeof inner === 'object' && 'text' in inner ? inner.text : inner;
      return key === 'place' ? undefined : text;
    }),
  );
}

const plainSource = (channel: string): unknown => ({
  channel,
  variable: 'payload',
  messageType: { kind: 'any' },
  dedupKey: null,
  ack: null,
  dataClass: null,
  mergesPayload: false,
});
const message = (channel: string): unknown => ({
  kind: 'message',
  source: plainSource(channel),
  aliases: [],
});
const plainSend = (channel: string): unknown => ({
  kind: 'message',
  send: { channel, destination: null, contentType: null, body: null, headers: [] },
});
const signal = (name: string, variable: string | null = null): unknown => ({
  kind: 'signal',
  name,
  variable,
});
const timer = (seconds: number): unknown => ({
  kind: 'timer',
  timer: { kind: 'duration', expression: null, durationMs: seconds * 1_000 },
});

const TIMER = '<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>';
const SIGNAL = '<signalEventDefinition signalRef="g"/>';
const CONDITION =
  '<conditionalEventDefinition><condition>=stock &lt; 3</condition></conditionalEventDefinition>';

type Row = readonly [title: string, inside: string, expected: readonly unknown[]];

/** What every event that catches may wait for. */
const everywhere: readonly Row[] = [
  ['a message', `${source('in')}<messageEventDefinition messageRef="m"/>`, [message('in')]],
  ['a message by its source alone', source('in'), [message('in')]],
  [
    'a message by the source of its definition',
    `<messageEventDefinition>${source('own')}</messageEventDefinition>`,
    [message('own')],
  ],
  ['a timer', TIMER, [timer(1)]],
  ['a signal', SIGNAL, [signal('Alarm')]],
  ['a signal beside the processes', '<eventDefinitionRef>t:root</eventDefinitionRef>', [signal('Alarm')]],
  [
    'a signal with a variable',
    `${extensions('<q:output variable="alarm"/>')}${SIGNAL}`,
    [signal('Alarm', 'alarm')],
  ],
  [
    'a signal with a variable of its own',
    `<signalEventDefinition signalRef="g">${extensions('<q:output variable="alarm"/>')}</signalEventDefinition>`,
    [signal('Alarm', 'alarm')],
  ],
  ['a condition', CONDITION, [{ kind: 'conditional', condition: 'stock < 3' }]],
  [
    'one of several',
    `${source('in')}<messageEventDefinition/>${TIMER}<messageEventDefinition>${source('own')}</messageEventDefinition><eventDefinitionRef>root</eventDefinitionRef>`,
    [message('in'), timer(1), message('own'), signal('Alarm')],
  ],
];

const errors = (errorCode: string | null): unknown => ({
  kind: 'error',
  errorCode,
  codeVariable: null,
  messageVariable: null,
});
const escalations = (escalationCode: string | null): unknown => ({
  kind: 'escalation',
  escalationCode,
  codeVariable: null,
});

/** What occurs in an activity or a scope. */
const inside: readonly Row[] = [
  ['an error', '<errorEventDefinition errorRef="e"/>', [errors('E1')]],
  ['every error', '<errorEventDefinition/>', [errors(null)]],
  ['every error, by one without a code', '<errorEventDefinition errorRef="e0"/>', [errors(null)]],
  ['an escalation', '<escalationEventDefinition escalationRef="c"/>', [escalations('C1')]],
  ['every escalation', '<escalationEventDefinition/>', [escalations(null)]],
  [
    'every escalation, by one without a code',
    '<escalationEventDefinition escalationRef="c0"/>',
    [escalations(null)],
  ],
  [
    'an error or an escalation',
    '<errorEventDefinition errorRef="e"/><escalationEventDefinition escalationRef="c"/>',
    [errors('E1'), escalations('C1')],
  ],
];

const PARALLEL = `${source('in')}<messageEventDefinition/>${TIMER}${SIGNAL}${CONDITION}`;

interface Host {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly text: (attributes: string, inside: string) => string;
}

const hosts: readonly Host[] = [
  {
    title: 'the start event of a process waits for',
    rows: everywhere,
    text: (attributes, within) =>
      definitions(
        `${ROOTS}<process id="p"><startEvent id="n" ${attributes}>${within}</startEvent></process>`,
      ),
  },
  {
    title: 'the start event of an event sub-process waits for',
    rows: [
      ...everywhere,
      ...inside,
      ['compensation', '<compensateEventDefinition/>', [{ kind: 'compensation', handlerId: null }]],
    ],
    text: (attributes, within) =>
      definitions(`${ROOTS}<process id="p"><startEvent id="s"/>
        <subProcess id="sub" triggeredByEvent="true"><startEvent id="n" ${attributes}>${within}</startEvent></subProcess></process>`),
  },
  {
    title: 'an intermediate event waits for',
    rows: everywhere,
    text: (attributes, within) =>
      processWith(`<intermediateCatchEvent id="n" ${attributes}>${within}</intermediateCatchEvent>`, ROOTS),
  },
  {
    title: 'a boundary event waits for',
    rows: [...everywhere, ...inside],
    text: (attributes, within) =>
      processWith(
        `<task id="n0"/><boundaryEvent id="n" attachedToRef="n0" ${attributes}>${within}</boundaryEvent>`,
        ROOTS,
      ).replace('targetRef="n"', 'targetRef="n0"'),
  },
];

type Catching = Extract<FlowNode, { readonly triggers: unknown }>;

function catching(text: string): Catching {
  const node = onlyProcess(text).nodes.get('n');
  assert.ok(node !== undefined && 'triggers' in node);
  return node;
}

for (const { title, rows, text } of hosts) {
  describe(title, () => {
    for (const [trigger, within, expected] of rows) {
      test(trigger, () => {
        const node = catching(text('', within));
        assert.deepEqual(plain(node.triggers), expected);
        assert.equal(node.isParallelMultiple, false);
      });
    }
  });
}

describe('boundary events of one activity', () => {
  test('may each catch another error, however alike their codes begin, and one all the others', () => {
    const code = 'E'.repeat(200);
    const process = onlyProcess(
      processWith(
        `<task id="n"/>${['1', '2', '']
          .map(
            (id) =>
              `<boundaryEvent id="b${id}" attachedToRef="n"><errorEventDefinition ${id === '' ? '' : `errorRef="e${id}"`}/></boundaryEvent>`,
          )
          .join('')}`,
        `<error id="e1" errorCode="${code}1"/><error id="e2" errorCode="${code}2"/>`,
      ),
    );
    assert.deepEqual(nodeOf(process, 'n', 'task').boundaryEventIds, ['b1', 'b2', 'b']);
    assert.equal(nodeOf(process, 'b', 'boundaryEvent').attachedToId, 'n');
  });
});

describe('an event with parallelMultiple', () => {
  for (const { title, text } of hosts.slice(1)) {
    test(`waits for all its triggers: ${title}`, () => {
      const node = catching(text('parallelMultiple="true"', PARALLEL));
      assert.deepEqual([node.triggers.length, node.isParallelMultiple], [4, true]);
    });
  }

  test('waits for its one trigger when it has only one', () => {
    const node = nodeIn(
      'intermediateCatchEvent',
      `<intermediateCatchEvent id="n" parallelMultiple="1">${TIMER}</intermediateCatchEvent>`,
    );
    assert.equal(node.isParallelMultiple, false);
  });
});

describe('a trigger', () => {
  test('knows its place', () => {
    const { triggers } = nodeIn(
      'intermediateCatchEvent',
      `<intermediateCatchEvent id="n">\n${SIGNAL}\n<conditionalEventDefinition>\n<condition>a</condition></conditionalEventDefinition></intermediateCatchEvent>`,
      ROOTS,
    );
    const lines = triggers.map((trigger) => ('place' in trigger ? trigger.place : null));
    assert.deepEqual(
      lines.map((place) => [place?.elementId, place?.column]),
      [
        ['n', 1],
        ['n', 1],
      ],
    );
    assert.equal((lines[1]?.line ?? 0) - (lines[0]?.line ?? 0), 2);
  });

  test('interrupts or does not', () => {
    const [, sub, , boundary] = hosts;
    assert.ok(sub !== undefined && boundary !== undefined);
    for (const [value, expected] of [
      ['true', true],
      ['1', true],
      ['false', false],
      ['0', false],
    ] as const) {
      for (const [host, attribute] of [
        [sub, 'isInterrupting'],
        [boundary, 'cancelActivity'],
      ] as const) {
        const node = catching(host.text(`${attribute}="${value}"`, TIMER));
        assert.ok(node.kind !== 'intermediateCatchEvent');
        assert.equal(node.isInterrupting, expected);
      }
    }
  });

  test('interrupts when nothing is said, and isInterrupting is ignored on the start event of a process', () => {
    const [start, sub, , boundary] = hosts;
    for (const text of [
      start?.text('isInterrupting="false"', TIMER),
      sub?.text('', TIMER),
      boundary?.text('', TIMER),
    ]) {
      const node = catching(text ?? '');
      assert.ok(node.kind !== 'intermediateCatchEvent' && node.isInterrupting);
    }
  });
});

describe('a start event that waits for nothing', () => {
  test('may register a key', () => {
    const alias = extensions('<q:alias name="order" expression="order.id"/>');
    const process = onlyProcess(
      definitions(`<process id="p"><startEvent id="s">${alias}</startEvent></process>`),
    );
    const { triggers, aliases } = nodeOf(process, 's', 'startEvent');
    assert.deepEqual(triggers, []);
    assert.equal(aliases[0]?.expression.text, 'order.id');
  });
});

const COMPENSATE = '<compensateEventDefinition activityRef="t:done"';
const compensation = (activityId: string | null, waitsForCompletion = true): unknown => ({
  kind: 'compensation',
  activityId,
  waitsForCompletion,
});

/** What every event that throws may throw. */
const thrown: readonly Row[] = [
  ['nothing', '', []],
  ['a message', `${send('out')}<messageEventDefinition/>`, [plainSend('out')]],
  ['a message by its send alone', send('out'), [plainSend('out')]],
  [
    'a message by the send of its definition',
    `<messageEventDefinition>${send('own')}</messageEventDefinition>`,
    [plainSend('own')],
  ],
  ['a signal', SIGNAL, [{ kind: 'signal', name: 'Alarm', body: null }]],
  [
    'a signal with a payload',
    `${extensions('<q:signal body="={level: 3}"/>')}${SIGNAL}`,
    [{ kind: 'signal', name: 'Alarm', body: '{level: 3}' }],
  ],
  [
    'a signal with a payload of its own',
    `<signalEventDefinition signalRef="g">${extensions('<q:signal body="=1"/>')}</signalEventDefinition>`,
    [{ kind: 'signal', name: 'Alarm', body: '1' }],
  ],
  [
    'an escalation',
    '<escalationEventDefinition escalationRef="c"/>',
    [{ kind: 'escalation', escalationCode: 'C1' }],
  ],
  [
    'an escalation without a code',
    '<escalationEventDefinition/>',
    [{ kind: 'escalation', escalationCode: null }],
  ],
  ['compensation of its scope', '<compensateEventDefinition/>', [compensation(null)]],
  ['compensation of an activity', `${COMPENSATE}/>`, [compensation('done')]],
  [
    'compensation without waiting for it',
    `${COMPENSATE} waitForCompletion="false"/>`,
    [compensation('done', false)],
  ],
  [
    'several, in the order of the file',
    `${SIGNAL}${send('out')}<messageEventDefinition/><compensateEventDefinition/>`,
    [{ kind: 'signal', name: 'Alarm', body: null }, plainSend('out'), compensation(null)],
  ],
];

const ended: readonly Row[] = [
  ['an error', '<errorEventDefinition errorRef="e"/>', [{ kind: 'error', errorCode: 'E1' }]],
  ['terminate', '<terminateEventDefinition/>', [{ kind: 'terminate' }]],
  [
    'a message and an error',
    `${send('out')}<messageEventDefinition/><errorEventDefinition errorRef="e"/>`,
    [plainSend('out'), { kind: 'error', errorCode: 'E1' }],
  ],
];

const DONE = `<task id="n0"/><sequenceFlow id="fn" sourceRef="n0" targetRef="done"/><subProcess id="done"><task id="t"/></subProcess>
  <sequenceFlow id="fe" sourceRef="done" targetRef="n"/>`;

for (const [kind, rows] of [
  ['intermediateThrowEvent', thrown],
  ['endEvent', [...thrown, ...ended]],
] as const) {
  describe(`an ${kind} throws`, () => {
    for (const [title, within, expected] of rows) {
      test(title, () => {
        const text = processWith(`${DONE}<${kind} id="n">${within}</${kind}>`, ROOTS);
        const process = onlyProcess(text.replace('targetRef="n"', 'targetRef="n0"'));
        const node = nodeOf(process, 'n', kind);
        assert.deepEqual(plain(node.results), expected);
      });
    }
  });
}

describe('an event that throws', () => {
  test('may reply as well', () => {
    const node = nodeIn(
      'endEvent',
      `<endEvent id="n">${extensions('<q:send channel="out"/><q:reply body="1"/>')}</endEvent>`,
    );
    assert.deepEqual([node.results.length, node.reply?.body?.text], [1, '1']);
  });

  test('several at once, each message with its own send', () => {
    const node = nodeIn(
      'endEvent',
      `<endEvent id="n"><messageEventDefinition>${send('a')}</messageEventDefinition><messageEventDefinition>${send('b')}</messageEventDefinition></endEvent>`,
    );
    assert.deepEqual(plain(node.results), [plainSend('a'), plainSend('b')]);
  });
});

describe('link events', () => {
  test('meet by their name within their scope, several to one, and nothing there is unreachable', () => {
    const link = (name: string, children = ''): string =>
      `<linkEventDefinition name="${name}" id="${name}_${String(children.length)}">${children}</linkEventDefinition>`;
    const process = onlyProcess(
      processWith(`<parallelGateway id="n"/><sequenceFlow id="f1" sourceRef="n" targetRef="a"/><sequenceFlow id="f2" sourceRef="n" targetRef="b"/>
      <intermediateThrowEvent id="a"><linkEventDefinition name="L" id="la"><target>lc</target></linkEventDefinition></intermediateThrowEvent>
      <intermediateThrowEvent id="b">${link('L', ' ')}</intermediateThrowEvent>
      <intermediateCatchEvent id="c"><linkEventDefinition name="L" id="lc"><source>t:la</source></linkEventDefinition></intermediateCatchEvent>
      <sequenceFlow id="f3" sourceRef="c" targetRef="sub"/>
      <subProcess id="sub"><startEvent id="ss"/><sequenceFlow id="f4" sourceRef="ss" targetRef="d"/>
      <intermediateThrowEvent id="d">${link('L', '  ')}</intermediateThrowEvent><intermediateCatchEvent id="e">${link('L')}</intermediateCatchEvent></subProcess>`),
    );
    const targets = ['a', 'b', 'd'].map((id) => nodeOf(process, id, 'intermediateThrowEvent').results);
    assert.deepEqual(targets, [
      [{ kind: 'link', targetId: 'c' }],
      [{ kind: 'link', targetId: 'c' }],
      [{ kind: 'link', targetId: 'e' }],
    ]);
    assert.deepEqual(nodeOf(process, 'c', 'intermediateCatchEvent').triggers, [{ kind: 'link', name: 'L' }]);
  });
});

describe('a timer', () => {
  const times: readonly (readonly [string, string, Record<string, unknown>])[] = [
    [
      'a written duration',
      '<timeDuration>\n PT1H30M </timeDuration>',
      { kind: 'duration', durationMs: 5_400_000, expression: null },
    ],
    [
      'no time at all',
      '<timeDuration>PT0S</timeDuration>',
      { kind: 'duration', durationMs: 0, expression: null },
    ],
    [
      'a duration in FEEL',
      '<timeDuration>=duration("PT1S")</timeDuration>',
      { kind: 'duration', durationMs: null, expression: 'duration("PT1S")' },
    ],
    [
      'a duration of a variable that starts with P',
      '<timeDuration>Pause.time</timeDuration>',
      { kind: 'duration', durationMs: null, expression: 'Pause.time' },
    ],
    [
      'a written date',
      '<timeDate>2026-05-01T02:00:00+02:00</timeDate>',
      { kind: 'date', dueAtMs: Date.UTC(2026, 4, 1), expression: null },
    ],
    [
      'a date in FEEL',
      '<timeDate>order.due</timeDate>',
      { kind: 'date', dueAtMs: null, expression: 'order.due' },
    ],
    [
      'a written cycle',
      '<timeCycle>\nR3/PT10S</timeCycle>',
      { kind: 'cycle', cycle: { repetitions: 3, intervalMs: 10_000 }, expression: null },
    ],
    [
      'a cycle without end',
      '<timeCycle>R/PT1M</timeCycle>',
      { kind: 'cycle', cycle: { repetitions: null, intervalMs: 60_000 }, expression: null },
    ],
    [
      'a cycle in FEEL',
      '<timeCycle>="R3/" + interval</timeCycle>',
      { kind: 'cycle', cycle: null, expression: '"R3/" + interval' },
    ],
    [
      'a cycle of a variable that starts with R',
      '<timeCycle>Repeat.time</timeCycle>',
      { kind: 'cycle', cycle: null, expression: 'Repeat.time' },
    ],
  ];
  for (const [title, time, expected] of times) {
    test(`may have ${title}`, () => {
      const node = nodeIn(
        'intermediateCatchEvent',
        `<intermediateCatchEvent id="n"><timerEventDefinition>${time}</timerEventDefinition></intermediateCatchEvent>`,
      );
      const [trigger] = node.triggers;
      assert.ok(trigger?.kind === 'timer');
      assert.deepEqual(plain(trigger.timer), expected);
      assert.equal(trigger.timer.place.elementId, 'n');
    });
  }
});
