/**
 * Messages of BPMN whose file names no channel: they come and go on the channel of the message's name.
 *
 * A caught message finds its instance by the key that Zeebe's subscription says, else by the variable `businessKey`.
 * The message brings the key in a header, or else in its payload; the rest of its payload becomes variables.
 */
import { attributeOf, type XmlElement } from '../xml/document.ts';
import { type DialectContext, made, wishFor } from './dialect-context.ts';
import type { ElementDraft } from './element-draft.ts';
import { ownAttribute, zeebeElement } from './vendor-settings.ts';
import { type Written, writtenAttribute } from '../written.ts';
import { feelOfZeebe } from './zeebe-nodes.ts';

/** The variable that holds the business key, and the alias by which an instance is found. */
const BUSINESS_KEY = 'businessKey';

/** The channel of a message: its name, with `-` for spaces; without a name its id. */
function channelOf(context: DialectContext, message: XmlElement): Written | null {
  const attribute = message.attributes.find(
    ({ namespace, localName, value }) => namespace === '' && localName === 'name' && value.trim() !== '',
  );
  const id = attributeOf(message, 'id');
  if (attribute === undefined) return id === null ? null : made(context, message, id);
  const written = writtenAttribute(context.document, message, attribute);
  return { ...written, text: attribute.value.trim().replace(/\s+/g, '-') };
}

/** The message that a `messageRef` names. */
export function messageOf({ roots }: DialectContext, holder: XmlElement): XmlElement | null {
  const reference = (attributeOf(holder, 'messageRef') ?? '').trim().replace(/^[^:]*:/, '');
  const message = roots.get(reference);
  return message?.localName === 'message' ? message : null;
}

/** Lets the holder (a definition or a receive task) wait on the channel of its message. */
export function waitOnChannel(
  context: DialectContext,
  draft: ElementDraft,
  message: XmlElement,
  isStart: boolean,
): void {
  const name = channelOf(context, message);
  const channel = name === null ? null : wishFor(context, name, 'catch');
  if (channel === null) return;
  const { make } = context;
  const at = made(context, draft.base, '');
  draft.addExtension(make.q('source', at, { channel, merge: { ...at, text: 'true' } }));
  if (!isStart) draft.addExtension(make.q('alias', at, keyOf(context, draft, message, channel)));
  else if (context.isCamunda7) registerBusinessKey(context, draft, brought('business-key', BUSINESS_KEY));
}

/**
 * In Camunda 7 an instance has its business key from the start on, also before it waits for a message: the alias lets
 * it be found by. Without a business key there is no alias.
 */
export function registerBusinessKey(context: DialectContext, draft: ElementDraft, feel = BUSINESS_KEY): void {
  if (draft.hasQ('alias')) return;
  const name = made(context, draft.base, BUSINESS_KEY);
  draft.addExtension(context.make.q('alias', name, { name, expression: { ...name, text: feel } }));
}

function keyOf(
  context: DialectContext,
  draft: ElementDraft,
  message: XmlElement,
  channel: Written,
): Readonly<Record<string, Written>> {
  const subscription = zeebeElement(message, 'subscription');
  const key = subscription === null ? null : ownAttribute(context, subscription, 'correlationKey');
  return key === null
    ? {
        name: made(context, draft.base, BUSINESS_KEY),
        expression: made(context, draft.base, BUSINESS_KEY),
        message: made(context, draft.base, brought('business-key', BUSINESS_KEY)),
      }
    : {
        name: channel,
        expression: feelOfZeebe(key),
        message: made(context, draft.base, brought('correlation-key', 'correlationKey')),
      };
}

function brought(header: string, variable: string): string {
  const inHeader = `get value(header, "${header}")`;
  return `if ${inHeader} != null then ${inHeader} else payload.${variable}`;
}

/** Lets the holder (a definition or a send task) send its message on the channel of its name. */
export function sendOnChannel(context: DialectContext, draft: ElementDraft, message: XmlElement): void {
  const name = channelOf(context, message);
  const channel = name === null ? null : wishFor(context, name, 'throw');
  if (channel === null) return;
  draft.addExtension(context.make.q('send', made(context, draft.base, ''), { channel }));
}
