/** Steps that are one event of BPMN. */
import type { XmlElement } from '../../xml/document.ts';
import type { Written } from '../../written.ts';
import { made } from './context.ts';
import { nodeOf, through, type NodeExtras, type Outcome, type Site, type StepBuilder } from './site.ts';
import { triggerOf } from './triggers.ts';
import { replyOf, sendOf } from './vocabulary.ts';
import type { FlowMessage, FlowReply, Trigger } from '../flow.ts';
import type { PlaceSource } from '../../xml/translated-document.ts';

const THROW = 'intermediateThrowEvent';

export const buildSend: StepBuilder<'send'> = (site, step, from) =>
  through(site, nodeOf(step, THROW, messageOf(site, step.message, step.place)), from);

export const buildReply: StepBuilder<'reply'> = (site, step, from) =>
  through(
    site,
    nodeOf(step, THROW, { extensions: [replyOf(site.context.make, step.reply, step.place)] }),
    from,
  );

export const buildSignal: StepBuilder<'signal'> = (site, step, from) => {
  const { make, roots } = site.context;
  const { signal, body } = step;
  const definition = make.bpmn('signalEventDefinition', signal, {
    signalRef: roots.reference('signal', signal),
  });
  const extensions = body === null ? [] : [make.q('signal', body, { body })];
  return through(site, nodeOf(step, THROW, { extensions, children: [definition] }), from);
};

export const buildEscalate: StepBuilder<'escalate'> = (site, step, from) => {
  const { make, roots } = site.context;
  const definition = make.bpmn('escalationEventDefinition', step.code, {
    escalationRef: roots.reference('escalation', step.code),
  });
  return through(site, nodeOf(step, THROW, { children: [definition] }), from);
};

export const buildCompensate: StepBuilder<'compensate'> = (site, step, from) => {
  const { target, place } = step;
  const definition = site.context.make.bpmn('compensateEventDefinition', made(place), {
    activityRef: target,
  });
  return through(site, nodeOf(step, THROW, { children: [definition] }), from);
};

export const buildWait: StepBuilder<'wait'> = (site, step, from) =>
  through(site, nodeOf(step, 'intermediateCatchEvent', catching(site, step.trigger)), from);

/** What an event needs to wait for the trigger. */
export function catching(site: Site, trigger: Trigger): NodeExtras {
  const { extensions, definition } = triggerOf(site.context, trigger);
  return { extensions, children: [definition] };
}

export const buildEnd: StepBuilder<'end'> = (site, step, from) => {
  const { make } = site.context;
  const { message, reply, isTerminating, place } = step;
  const sent = message === null ? {} : messageOf(site, message, place);
  const replied = repliedBy(site, reply, place);
  const terminated = isTerminating ? [make.bpmn('terminateEventDefinition', made(place))] : [];
  const node = nodeOf(step, 'endEvent', {
    extensions: [...(sent.extensions ?? []), ...replied],
    children: [...(sent.children ?? []), ...terminated],
  });
  site.scope.add(node, [from]);
  return ended(!isTerminating);
};

/** Whatever catches the error goes on, and everything beside it has ended with it. */
export const buildFail: StepBuilder<'fail'> = (site, step, from) => {
  const { make, roots } = site.context;
  const definition = make.bpmn('errorEventDefinition', step.code, {
    errorRef: roots.reference('error', step.code),
  });
  site.scope.add(nodeOf(step, 'endEvent', { children: [definition] }), [from]);
  return ended(false);
};

/** `mayEnd`: the token alone ends, and not all of its scope. */
function ended(mayEnd: boolean): Outcome {
  return { open: null, mayEnd };
}

function messageOf({ context }: Site, message: FlowMessage, place: PlaceSource): NodeExtras {
  const at: Written = message.channel ?? message.destination ?? made(place);
  return {
    extensions: [sendOf(context.make, message, place)],
    children: [context.make.bpmn('messageEventDefinition', made(at.place))],
  };
}

function repliedBy({ context }: Site, reply: FlowReply | null, place: PlaceSource): readonly XmlElement[] {
  return reply === null ? [] : [replyOf(context.make, reply, place)];
}
