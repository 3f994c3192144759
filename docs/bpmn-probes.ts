/**
 * Small models that ask the compiler what it does: with each event at each position, and with attributes that
 * readers restrict. The reference page shows the answers, so it cannot say anything else than the compiler.
 */
import { bpmnCodes } from '../definitions/bpmn/codes.ts';
import { compileBpmn } from '../definitions/bpmn/compile.ts';

export type Outcome =
  { readonly isExecuted: true } | { readonly isExecuted: false; readonly code: keyof typeof bpmnCodes };

export interface EventProbe {
  /** The element that holds the event definitions. */
  readonly event: string;
  readonly position: string;
  /** `timer`; `none`, `multiple` and `parallel multiple` as BPMN calls them. */
  readonly kind: string;
  readonly isInBpmn: boolean;
  readonly outcome: Outcome;
}

const SOURCE = '<extensionElements><q:source channel="in"/></extensionElements>';
const SEND = '<extensionElements><q:send channel="out"/></extensionElements>';
const ROOTS = `<signal id="signal" name="signal"/><error id="error" errorCode="error"/>
  <escalation id="escalation" escalationCode="escalation"/>`;

/** What stands inside an event of each kind, after its extension elements. */
const DEFINITIONS = {
  none: '',
  message: '<messageEventDefinition/>',
  timer: '<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>',
  signal: '<signalEventDefinition signalRef="signal"/>',
  conditional: '<conditionalEventDefinition><condition>a</condition></conditionalEventDefinition>',
  error: '<errorEventDefinition errorRef="error"/>',
  escalation: '<escalationEventDefinition escalationRef="escalation"/>',
  compensation: '<compensateEventDefinition/>',
  cancel: '<cancelEventDefinition/>',
  link: '<linkEventDefinition name="link"/>',
  terminate: '<terminateEventDefinition/>',
} as const;

type Kind = keyof typeof DEFINITIONS | 'multiple' | 'parallel multiple';

const KINDS: readonly Kind[] = [
  'none',
  'message',
  'timer',
  'signal',
  'conditional',
  'error',
  'escalation',
  'compensation',
  'cancel',
  'link',
  'terminate',
  'multiple',
  'parallel multiple',
];

/** Triggers that can stand wherever something waits. */
const TRIGGERS: readonly Kind[] = [
  'message',
  'timer',
  'signal',
  'conditional',
  'multiple',
  'parallel multiple',
];
/** Two kinds that make a multiple event. */
const SEVERAL = ['message', 'signal'] as const;

interface Position {
  readonly event: string;
  readonly position: string;
  /** Kinds that BPMN 2.0.2 has there, by table 10.93. */
  readonly inBpmn: readonly Kind[];
  /** The inside of a process around the event; `write` writes it with the given attributes. */
  readonly around: (write: (attributes?: string) => string, kind: Kind) => string;
}

const flow = (id: string, from: string, to: string): string =>
  `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}"/>`;
const START = '<startEvent id="begin"/>';
const eventSubProcess = (start: string): string =>
  `${START}<subProcess id="inner">${START.replace('begin', 'inside')}<subProcess id="handler" triggeredByEvent="true">${start}</subProcess></subProcess>${flow('f', 'begin', 'inner')}`;

/** A boundary event on the activity that it is meant for. */
const boundary = (event: string, kind: Kind): string =>
  `${START}${flow('f', 'begin', 'host')}
   <transaction id="host">${START.replace('begin', 'inside')}</transaction>${event}
   ${kind === 'compensation' ? '<task id="undo" isForCompensation="true"/><association id="a" sourceRef="n" targetRef="undo"/>' : ''}`;

const POSITIONS: readonly Position[] = [
  {
    event: 'startEvent',
    position: 'start of a process',
    inBpmn: ['none', ...TRIGGERS],
    around: (write) => write(),
  },
  {
    event: 'startEvent',
    position: 'start of an embedded sub-process',
    inBpmn: ['none'],
    around: (write) => `${START}${flow('f', 'begin', 'inner')}<subProcess id="inner">${write()}</subProcess>`,
  },
  {
    event: 'startEvent',
    position: 'start of an event sub-process',
    inBpmn: [...TRIGGERS, 'error', 'escalation', 'compensation'],
    around: (write) => eventSubProcess(write()),
  },
  {
    event: 'startEvent',
    position: 'start of an event sub-process, not interrupting',
    inBpmn: [...TRIGGERS, 'escalation'],
    around: (write) => eventSubProcess(write('isInterrupting="false"')),
  },
  {
    event: 'intermediateCatchEvent',
    position: 'in a sequence flow',
    inBpmn: [...TRIGGERS, 'link'],
    around: (write, kind) =>
      kind === 'link'
        ? `${START}${flow('f', 'begin', 'throw')}<intermediateThrowEvent id="throw"><linkEventDefinition name="link"/></intermediateThrowEvent>${write()}`
        : `${START}${flow('f', 'begin', 'n')}${write()}`,
  },
  {
    event: 'intermediateCatchEvent',
    position: 'behind an event-based gateway',
    inBpmn: TRIGGERS,
    around: (write) =>
      `${START}<eventBasedGateway id="gateway"/>${flow('f', 'begin', 'gateway')}${flow('g', 'gateway', 'n')}${write()}`,
  },
  {
    event: 'boundaryEvent',
    position: 'interrupting',
    inBpmn: [...TRIGGERS, 'error', 'escalation', 'compensation', 'cancel'],
    around: (write, kind) => boundary(write('attachedToRef="host"'), kind),
  },
  {
    event: 'boundaryEvent',
    position: 'not interrupting',
    inBpmn: [...TRIGGERS, 'escalation'],
    around: (write, kind) => boundary(write('attachedToRef="host" cancelActivity="false"'), kind),
  },
  {
    event: 'intermediateThrowEvent',
    position: 'in a sequence flow',
    inBpmn: ['none', 'message', 'signal', 'escalation', 'compensation', 'link', 'multiple'],
    around: (write, kind) =>
      `${START}${flow('f', 'begin', 'n')}${write()}${
        kind === 'link'
          ? '<intermediateCatchEvent id="catch"><linkEventDefinition name="link"/></intermediateCatchEvent>'
          : ''
      }`,
  },
  {
    event: 'endEvent',
    position: 'end',
    inBpmn: [
      ...[
        'none',
        'message',
        'signal',
        'error',
        'escalation',
        'compensation',
        'cancel',
        'terminate',
        'multiple',
      ],
    ] as const,
    around: (write, kind) =>
      kind === 'cancel'
        ? `${START}${flow('f', 'begin', 'inner')}<transaction id="inner">${write()}</transaction><boundaryEvent id="b" attachedToRef="inner"><cancelEventDefinition/></boundaryEvent>`
        : `${START}${flow('f', 'begin', 'n')}${write()}`,
  },
];

/** Every kind of event at every position. */
export function probeEvents(): readonly EventProbe[] {
  return POSITIONS.flatMap((position) =>
    KINDS.map((kind) => ({
      event: position.event,
      position: position.position,
      kind,
      isInBpmn: position.inBpmn.includes(kind),
      outcome: probeProcess(position.around((attributes) => written(position, kind, attributes), kind)),
    })),
  );
}

function written({ event }: Position, kind: Kind, attributes = ''): string {
  const kinds = kind === 'multiple' || kind === 'parallel multiple' ? SEVERAL : [kind];
  const isThrown = event === 'endEvent' || event === 'intermediateThrowEvent';
  const extension = kinds.includes('message') ? (isThrown ? SEND : SOURCE) : '';
  const parallel = kind === 'parallel multiple' ? 'parallelMultiple="true"' : '';
  const definitions = kinds.map((each) => DEFINITIONS[each]).join('');
  return `<${event} id="n" ${attributes} ${parallel}>${extension}${definitions}</${event}>`;
}

/** What the compiler does with a process of the given inside. */
export function probeProcess(inside: string): Outcome {
  const text = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:q="urn:sutra:q:1.0"
    targetNamespace="urn:probe">${ROOTS}<process id="p">${inside}</process></definitions>`;
  const { findings } = compileBpmn({ path: 'probe.bpmn', content: new TextEncoder().encode(text) });
  const fault = findings.find(({ severity }) => severity === 'error');
  if (fault === undefined) {
    return { isExecuted: true };
  }
  if (!isBpmnCode(fault.code)) {
    throw new Error(`a probe is no good model: ${fault.code} ${fault.message}\n${inside}`);
  }
  return { isExecuted: false, code: fault.code };
}

function isBpmnCode(code: string): code is keyof typeof bpmnCodes {
  return Object.hasOwn(bpmnCodes, code);
}
