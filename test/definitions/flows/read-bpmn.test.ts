/** Which processes are flows, as YAML; and which are not, with all reasons. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bpmnToFlows } from '../../../definitions/flows/convert/convert.ts';

/** `a>b` is a sequence flow; a word behind it a condition, `!` the default flow. */
function flows(...joins: readonly string[]): string {
  return joins
    .map((join, index) => {
      const [, source = '', target = '', condition] = /^([\w-]+)>([\w-]+)(?: (.*))?$/.exec(join) ?? [];
      const inside =
        condition === undefined || condition === '!'
          ? ''
          : `<conditionExpression>=${condition}</conditionExpression>`;
      return `<sequenceFlow id="f${source}${target}" sourceRef="${source}" targetRef="${target}">${inside}</sequenceFlow>`.replace(
        '>',
        ` name="flow ${index}">`,
      );
    })
    .join('')
    .replaceAll(/ name="flow \d+"/g, '');
}

const task = (id: string): string => `<serviceTask id="${id}" implementation="channel:${id}"/>`;
const tasks = (...ids: readonly string[]): string => ids.map(task).join('');
const gateway = (kind: string, id: string, more = ''): string => `<${kind}Gateway id="${id}"${more}/>`;
const start = '<startEvent id="start"/>';
const ends = (...ids: readonly string[]): string => ids.map((id) => `<endEvent id="${id}"/>`).join('');
const part = (id: string, inside: string, attributes = ''): string =>
  `<subProcess id="${id}"${attributes}><startEvent id="${id}-start"/>${inside}</subProcess>`;
const border = (id: string, host: string, definition: string, attributes = ''): string =>
  `<boundaryEvent id="${id}" attachedToRef="${host}"${attributes}>${definition}</boundaryEvent>`;
const timer = '<timerEventDefinition><timeDuration>PT5M</timeDuration></timerEventDefinition>';
const ERROR = '<error id="e" errorCode="BAD"/>';

function convert(process: string, beside = ''): ReturnType<typeof bpmnToFlows> {
  const text = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:q="urn:sutra:q:1.0">${beside}<process id="p" isExecutable="true">${process}</process></definitions>`;
  return bpmnToFlows({ path: 'p.bpmn', content: new TextEncoder().encode(text) });
}

/** The steps, without what stands before them. */
function stepsOf(process: string, beside = ''): string {
  const { flows: texts, findings } = convert(process, beside);
  const [first] = texts;
  assert.ok(first !== undefined, JSON.stringify(findings));
  return first.text.replace(/^id: p\nsteps:\n/, '').replaceAll(/^ {2}/gm, '');
}

const accepted: readonly (readonly [name: string, process: string, steps: string, beside?: string])[] = [
  [
    'a row of tasks',
    start + tasks('a', 'b') + flows('start>a', 'a>b'),
    '- call: a\n  id: a\n- call: b\n  id: b\n',
  ],
  [
    'an exclusive gateway with its join',
    start +
      gateway('exclusive', 'g', ' default="fgb"') +
      tasks('a', 'b', 'c') +
      gateway('exclusive', 'j') +
      flows('start>g', 'g>a x', 'g>b !', 'a>j', 'b>j', 'j>c'),
    '- id: g\n  choose:\n    - when: =x\n      steps:\n        - call: a\n          id: a\n    - else:\n        - call: b\n          id: b\n- call: c\n  id: c\n',
  ],
  [
    'paths that come together without a gateway',
    start +
      gateway('exclusive', 'g', ' default="fgc"') +
      tasks('a', 'c') +
      flows('start>g', 'g>a x', 'g>c !', 'a>c'),
    '- id: g\n  choose:\n    - when: =x\n      steps:\n        - call: a\n          id: a\n- call: c\n  id: c\n',
  ],
  [
    'a gateway that joins and splits',
    start +
      gateway('exclusive', 'g', ' default="fgh"') +
      tasks('a', 'b') +
      gateway('exclusive', 'h', ' default="fhz"') +
      ends('z') +
      flows('start>g', 'g>a x', 'g>h !', 'a>h', 'h>b y', 'h>z !'),
    '- id: g\n  choose:\n    - when: =x\n      steps:\n        - call: a\n          id: a\n- id: h\n  choose:\n    - when: =y\n      steps:\n        - call: b\n          id: b\n        - end\n    - else:\n        - end:\n          id: z\n',
  ],
  [
    'an inner split that leads straight to the outer join',
    start +
      gateway('exclusive', 'g', ' default="fgh"') +
      gateway('exclusive', 'h', ' default="fhj"') +
      tasks('a', 'b') +
      gateway('exclusive', 'j') +
      flows('start>g', 'g>a x', 'g>h !', 'a>j', 'h>b y', 'h>j !', 'b>j'),
    '- id: g\n  choose:\n    - when: =x\n      steps:\n        - call: a\n          id: a\n    - else:\n        - id: h\n          choose:\n            - when: =y\n              steps:\n                - call: b\n                  id: b\n',
  ],
  [
    'exceptions that end, and what the flow goes on with',
    start +
      gateway('exclusive', 'g', ' default="fga"') +
      tasks('a', 'b', 'c') +
      ends('refused') +
      flows('start>g', 'g>refused x', 'g>a !', 'a>b', 'b>c'),
    '- id: g\n  choose:\n    - when: =x\n      steps:\n        - end:\n          id: refused\n- call: a\n  id: a\n- call: b\n  id: b\n- call: c\n  id: c\n',
  ],
  [
    'parallel paths',
    start +
      gateway('parallel', 'g') +
      tasks('a', 'b', 'c') +
      gateway('parallel', 'j') +
      flows('start>g', 'g>a', 'g>b', 'a>j', 'b>j', 'j>c'),
    '- id: g\n  parallel:\n    - - call: a\n        id: a\n    - - call: b\n        id: b\n- call: c\n  id: c\n',
  ],
  [
    'an event-based gateway',
    start +
      gateway('eventBased', 'g') +
      tasks('a') +
      `<intermediateCatchEvent id="t">${timer}</intermediateCatchEvent><intermediateCatchEvent id="m"><extensionElements><q:source channel="news" name="n"/></extensionElements><messageEventDefinition/></intermediateCatchEvent>` +
      flows('start>g', 'g>m', 'g>t', 'm>a', 't>a'),
    '- id: g\n  wait:\n    - channel: news\n      id: m\n      variable: n\n    - timer: PT5M\n      id: t\n- call: a\n  id: a\n',
  ],
  [
    'a sub-process with boundary events, one of which comes back',
    start +
      part('s', task('a') + flows('s-start>a')) +
      border('late', 's', timer, ' cancelActivity="false"') +
      border('bad', 's', '<errorEventDefinition errorRef="e"/>') +
      tasks('b', 'c', 'd') +
      gateway('exclusive', 'j') +
      flows('start>s', 's>j', 'bad>b', 'b>j', 'j>c', 'late>d'),
    '- id: s\n  try:\n    - call: a\n      id: a\n  on-error:\n    id: bad\n    code: BAD\n    steps:\n      - call: b\n        id: b\n  on-timeout:\n    id: late\n    after: PT5M\n    continue: true\n    steps:\n      - call: d\n        id: d\n- call: c\n  id: c\n',
    ERROR,
  ],
  [
    'compensation',
    start +
      part('s', task('a') + flows('s-start>a')) +
      border('undo-event', 's', '<compensateEventDefinition/>') +
      part('undo', task('b') + flows('undo-start>b'), ' isForCompensation="true"') +
      '<association id="x" sourceRef="undo-event" targetRef="undo"/>' +
      '<intermediateThrowEvent id="t"><compensateEventDefinition activityRef="s"/></intermediateThrowEvent>' +
      flows('start>s', 's>t'),
    '- id: s\n  try:\n    - call: a\n      id: a\n  compensate:\n    - call: b\n      id: b\n- compensate: s\n  id: t\n',
  ],
  [
    'loops',
    start +
      part(
        'each',
        `<multiInstanceLoopCharacteristics isSequential="true"><extensionElements><q:loop collection="list" item="one"/></extensionElements></multiInstanceLoopCharacteristics>${task('a')}${flows('each-start>a')}`,
      ) +
      part(
        'again',
        `<standardLoopCharacteristics loopMaximum="3"><loopCondition>more</loopCondition></standardLoopCharacteristics>${task('b')}${flows('again-start>b')}`,
      ) +
      flows('start>each', 'each>again'),
    '- for-each: one\n  id: each\n  in: =list\n  one-by-one: true\n  steps:\n    - call: a\n      id: a\n- repeat:\n    until: =(more) != true\n    at-most: 3\n  id: again\n  steps:\n    - call: b\n      id: b\n',
  ],
  [
    'timers in FEEL without a sign',
    start +
      '<intermediateCatchEvent id="t"><timerEventDefinition><timeDate>due</timeDate></timerEventDefinition></intermediateCatchEvent>' +
      flows('start>t'),
    '- wait:\n    timer:\n      at: =due\n  id: t\n',
  ],
  [
    'gateways that only pass a path on',
    start + gateway('exclusive', 'g') + gateway('parallel', 'h') + task('a') + flows('start>g', 'g>h', 'h>a'),
    '- call: a\n  id: a\n',
  ],
];

/** Each with the elements that are reported, and a part of what is said of them, in the order of the file. */
const refused: readonly (readonly [
  name: string,
  process: string,
  findings: readonly (readonly [id: string, said: string])[],
  beside?: string,
])[] = [
  [
    'kinds for which there is no step, all at once',
    start +
      '<userTask id="u"/><scriptTask id="s"><script>1</script></scriptTask><task id="t"/>' +
      flows('start>u', 'u>s', 's>t'),
    [
      ['u', 'no user tasks'],
      ['s', 'no script tasks'],
      ['t', 'do nothing'],
    ],
  ],
  [
    'a flow that leads back',
    start +
      gateway('exclusive', 'm') +
      task('a') +
      gateway('exclusive', 'g', ' default="fgm"') +
      ends('z') +
      flows('start>m', 'm>a', 'a>g', 'g>z x', 'g>m !'),
    [['g', 'leads back to "m"']],
  ],
  [
    'a gateway without a default flow',
    start + gateway('exclusive', 'g') + tasks('a', 'b') + flows('start>g', 'g>a x', 'g>b y'),
    [['g', 'no default flow']],
  ],
  [
    'parallel paths that come together in a task',
    start + gateway('parallel', 'g') + tasks('a', 'b', 'c') + flows('start>g', 'g>a', 'g>b', 'a>c', 'b>c'),
    [['c', 'would run once for each path of "g"']],
  ],
  [
    'a choice that comes together in a parallel gateway',
    start +
      gateway('exclusive', 'g', ' default="fgb"') +
      tasks('a', 'b') +
      gateway('parallel', 'j') +
      flows('start>g', 'g>a x', 'g>b !', 'a>j', 'b>j'),
    [['j', 'waits for all its paths']],
  ],
  [
    'a parallel join that waits for a path which may end',
    start +
      gateway('parallel', 'g') +
      tasks('a', 'b') +
      gateway('exclusive', 'h', ' default="fhb"') +
      ends('z') +
      gateway('parallel', 'j') +
      flows('start>g', 'g>a', 'g>h', 'h>z x', 'h>b !', 'a>j', 'b>j'),
    [['j', 'of which one may end before']],
  ],
  [
    'paths that come together in two places',
    start +
      gateway('exclusive', 'g', ' default="fgc"') +
      tasks('a', 'b', 'c', 'd', 'e') +
      gateway('exclusive', 'i', ' default="fie"') +
      flows('start>g', 'g>a x', 'g>b y', 'g>c !', 'a>d', 'b>d', 'c>i', 'i>d z', 'i>e !', 'd>e'),
    [['i', 'come together at "d" and "e"']],
  ],
  [
    'several outgoing flows of a task',
    start + tasks('a', 'b', 'c') + flows('start>a', 'a>b', 'a>c'),
    [['a', 'several outgoing sequence flows']],
  ],
  [
    'a boundary event of a task, and of a loop',
    start +
      task('a') +
      border('b', 'a', timer) +
      part('s', '<standardLoopCharacteristics loopMaximum="2"/>') +
      border('c', 's', timer) +
      ends('y', 'z') +
      flows('start>a', 'a>s', 'b>y', 'c>z'),
    [
      ['b', 'is attached to serviceTask "a"'],
      ['c', 'is attached to subProcess "s"'],
    ],
  ],
  [
    'a boundary event that catches what a try does not',
    start +
      part('s', task('a') + flows('s-start>a')) +
      border('b', 's', '<signalEventDefinition signalRef="n"/>') +
      ends('z') +
      flows('start>s', 'b>z'),
    [['b', 'catches a signal at a border']],
    '<signal id="n" name="news"/>',
  ],
  [
    'a handler that comes back elsewhere',
    start +
      part('s', task('a') + flows('s-start>a')) +
      border('b', 's', timer) +
      tasks('c', 'd') +
      flows('start>s', 's>c', 'c>d', 'b>d'),
    [['s', 'does not come back right behind it']],
  ],
  [
    'options that no step has',
    start +
      '<serviceTask id="a" implementation="channel:a"><extensionElements><q:reply body="1"/></extensionElements></serviceTask>' +
      '<callActivity id="c" calledElement="other"><extensionElements><q:call binding="latest"/><q:output variable="x"/></extensionElements></callActivity>' +
      '<intermediateCatchEvent id="w"><extensionElements><q:source channel="in" dedupKey="1"/></extensionElements></intermediateCatchEvent>' +
      flows('start>a', 'a>c', 'c>w'),
    [
      ['a', 'q:reply'],
      ['c', 'q:call'],
      ['w', 'dedupKey'],
    ],
  ],
  [
    'an event sub-process',
    start +
      task('a') +
      flows('start>a') +
      `<subProcess id="s" triggeredByEvent="true"><startEvent id="b">${timer}</startEvent></subProcess>`,
    [['s', 'is begun by an event']],
  ],
  [
    'end events that throw what an end cannot',
    start + '<endEvent id="z"><escalationEventDefinition escalationRef="l"/></endEvent>' + flows('start>z'),
    [['z', 'ends with escalation']],
    '<escalation id="l" escalationCode="LATE"/>',
  ],
  [
    'a start by id beside others',
    start + `<startEvent id="t">${timer}</startEvent>` + task('a') + flows('start>a', 't>a'),
    [['start', 'it is the only one']],
  ],
  [
    'an id that a step brings along',
    start +
      gateway('exclusive', 'g', ' default="fgb"') +
      tasks('a', 'b') +
      gateway('exclusive', 'x') +
      task('g-join') +
      flows('start>g', 'g>a y', 'g>b !', 'a>x', 'b>x', 'x>g-join'),
    [['p', 'the join of "g"']],
  ],
];

describe('a BPMN process as a flow', () => {
  for (const [name, process, steps, beside] of accepted) {
    it(`reads ${name}`, () => {
      assert.equal(stepsOf(process, beside), steps);
    });
  }

  for (const [name, process, expected, beside] of refused) {
    it(`refuses ${name}`, () => {
      const { flows: texts, findings } = convert(process, beside);
      assert.deepEqual(texts, []);
      const errors = findings.filter(({ severity }) => severity === 'error');
      assert.deepEqual(
        errors.map(({ code, place }) => [code, place.elementId, place.file]),
        expected.map(([id]) => ['SUTRA.FLOWS.NOT_CONVERTIBLE', id, 'p.bpmn']),
        JSON.stringify(errors),
      );
      expected.forEach(([, said], index) => {
        assert.ok(errors[index]?.message.includes(said), errors[index]?.message);
      });
    });
  }

  it('notes what has another id in the flow, what is left out, and the names that nothing takes', () => {
    const process =
      `${start}<documentation>Text.</documentation>${gateway('exclusive', 'g', ' default="fgb"')}${tasks('a', 'b')}<exclusiveGateway id="j" name="Together"/>`.replace(
        /(<startEvent.*?\/>)(<documentation>.*?<\/documentation>)/,
        '$2$1',
      ) +
      flows('start>g', 'g>a x', 'g>b !', 'a>j', 'b>j', 'j>z').replace(
        'id="fgb"',
        'id="fgb" name="otherwise"',
      ) +
      ends('z');
    const { findings } = convert(process);
    const notes = findings.filter(({ code }) => code === 'SUTRA.FLOWS.CONVERSION_NOTE');
    const said = notes.map(({ message }) => message).join('\n');
    assert.match(said, /the id of exclusiveGateway "j", and its name "Together" is not kept/);
    assert.match(said, /the id of endEvent "z" is not kept/);
    assert.match(said, /the name "otherwise" of sequenceFlow "fgb" is not kept/);
    assert.match(said, /6 of 6 sequence flows get other ids/);
    assert.match(said, /1 documentation/);
  });

  it('keeps the priorities of another engine, and says what the channel needs for them', () => {
    const text = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
      <process id="p" isExecutable="true"><startEvent id="s"/>${['a', 'b']
        .map(
          (id) =>
            `<serviceTask id="${id}" camunda:type="external" camunda:topic="${id}-work" ${id === 'a' ? 'camunda:taskPriority="${rank}"' : ''}/>`,
        )
        .join(
          '',
        )}<sequenceFlow id="f" sourceRef="s" targetRef="a"/><sequenceFlow id="g" sourceRef="a" targetRef="b"/></process></definitions>`;
    const { flows: texts, findings } = bpmnToFlows({
      path: 'p.bpmn',
      content: new TextEncoder().encode(text),
    });
    assert.match(texts[0]?.text ?? '', /priority: .*rank/);
    const said = findings.map(({ message }) => message);
    assert.ok(
      said.some((each) => /"a-work" .*declare it .*task: \{ priority: "if header\.priority/.test(each)),
    );
    assert.ok(said.some((each) => /"b-work" by its name; declare it in channels\.yaml$/.test(each)));
  });

  it('makes a flow of each executable process', () => {
    const text = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">${['one', 'two', 'drawn']
      .map((id) => {
        const isExecutable = id === 'drawn' ? 'false' : 'true';
        return `<process id="${id}" isExecutable="${isExecutable}"><startEvent id="s-${id}"/><serviceTask id="t-${id}" implementation="channel:a"/><sequenceFlow id="f-${id}" sourceRef="s-${id}" targetRef="t-${id}"/></process>`;
      })
      .join('')}</definitions>`;
    const { flows: texts } = bpmnToFlows({ path: 'p.bpmn', content: new TextEncoder().encode(text) });
    assert.deepEqual(
      texts.map(({ id }) => id),
      ['one', 'two'],
    );
  });

  it('hands on the faults of a file that does not compile', () => {
    const { flows: texts, findings } = convert('<startEvent id="s"/><serviceTask id="a"/>');
    assert.deepEqual(texts, []);
    assert.ok(findings.some(({ code }) => code === 'SUTRA.BPMN.IMPLEMENTATION_MISSING'));
  });
});
