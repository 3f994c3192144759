/** What events wait for, as event definitions and what belongs to them. */
import type { XmlElement } from '../../xml/document.ts';
import { made, type BuildContext } from './context.ts';
import { aliasesOf, outputOf, sourceOf } from './vocabulary.ts';
import type { FlowTimer, Trigger } from '../flow.ts';

export interface TriggerParts {
  /** Of the event. */
  readonly extensions: readonly XmlElement[];
  readonly definition: XmlElement;
}

const TIMES = { after: 'timeDuration', at: 'timeDate', every: 'timeCycle' } as const;

export function timerOf({ make }: BuildContext, { kind, value }: FlowTimer): XmlElement {
  return make.bpmn('timerEventDefinition', value, {}, [make.bpmnText(TIMES[kind], value)]);
}

export function triggerOf(context: BuildContext, trigger: Trigger): TriggerParts {
  const { make, roots } = context;
  switch (trigger.kind) {
    case 'message': {
      const { source, aliases } = trigger;
      return {
        extensions: [sourceOf(make, source), ...aliasesOf(make, aliases)],
        definition: make.bpmn('messageEventDefinition', made(source.channel.place)),
      };
    }
    case 'timer':
      return { extensions: [], definition: timerOf(context, trigger.timer) };
    case 'signal': {
      const signalRef = roots.reference('signal', trigger.signal);
      return {
        extensions: outputOf(make, trigger.variable),
        definition: make.bpmn('signalEventDefinition', trigger.signal, { signalRef }),
      };
    }
    case 'condition': {
      const condition = make.bpmnText('condition', trigger.condition);
      return {
        extensions: [],
        definition: make.bpmn('conditionalEventDefinition', trigger.condition, {}, [condition]),
      };
    }
  }
}
