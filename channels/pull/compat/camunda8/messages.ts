/**
 * Messages: to the channel of the message's name, in every module of the tenant that has it.
 *
 * M1 A message starts or resumes what there is now, or nothing: none is kept for who comes later. So a publication with
 *    `timeToLive` that nobody takes is refused; without, it is lost there as here, and the answer is the same.
 * M2 `messageId` is the dedup key of the message, for as long as the engine keeps such keys, whatever `timeToLive` is.
 * M3 The correlation key goes as a header beside the variables: how models for Zeebe find their instance by it is with
 *    the translation of their subscriptions (definitions/dialects/messages.ts).
 */
import { EngineError } from '../../../../config/engine-error.ts';
import { quoteText } from '../../../../config/quote-text.ts';
import { newId } from '../../../../engine/new-id.ts';
import { listLiveDeployments } from '../../../../engine/store/deployments.ts';
import type { InboundDelivery, InboundOutcome } from '../../../../engine/transport.ts';
import type { CompatCode } from '../codes.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer } from '../surface.ts';
import { jsonAnswer, type Camunda8Route } from './camunda8-route.ts';
import { keyOf } from './keys.ts';
import { readBody, type RequestBody } from './request-body.ts';
import { tenantIdOf, tenantOfRequest } from './tenants.ts';

/** Nobody takes the message: no such channel, no start and no wait on it, or no instance with that key. */
const UNCLAIMED: ReadonlySet<string> = new Set([
  'SUTRA.INBOUND.CHANNEL_UNKNOWN',
  'SUTRA.INBOUND.NO_SUBSCRIBER',
  'SUTRA.INBOUND.NOT_CORRELATED',
]);

interface Message {
  readonly name: string;
  readonly correlationKey: string;
  readonly tenant: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export function messageRoutes(ports: CompatPorts): readonly Camunda8Route[] {
  return [
    {
      method: 'POST',
      path: 'messages/publication',
      handle: async (request) => {
        const fields = ['name', 'correlationKey', 'timeToLive', 'messageId', 'variables', 'tenantId'];
        return publish(ports, await readBody(request, fields));
      },
    },
    {
      method: 'POST',
      path: 'messages/correlation',
      handle: async (request) => {
        const fields = ['name', 'correlationKey', 'variables', 'tenantId'];
        return correlate(ports, await readBody(request, fields));
      },
    },
  ];
}

async function publish(ports: CompatPorts, body: RequestBody): Promise<SurfaceAnswer> {
  const timeToLiveMs = body.optionalInteger('timeToLive') ?? 0;
  if (timeToLiveMs < 0) throw body.refusal('timeToLive', `is ${timeToLiveMs}, but must not be negative`);
  const messageId = body.optionalText('messageId') ?? '';
  const message = messageOf(ports, body, messageId);
  const outcomes = await deliver(ports, message);
  if (outcomes.length === 0 && timeToLiveMs > 0) throw unclaimed(message, 'and none is kept for later here');
  // A repetition after some modules had taken it is news for the others.
  const isKnown = outcomes.length > 0 && outcomes.every(({ isDuplicate }) => isDuplicate);
  if (isKnown) throw published(message, messageId);
  return answer(ports, message, {});
}

async function correlate(ports: CompatPorts, body: RequestBody): Promise<SurfaceAnswer> {
  const message = messageOf(ports, body, '');
  const [first] = await deliver(ports, message);
  if (first === undefined) throw unclaimed(message, 'so nothing was correlated');
  return answer(ports, message, { processInstanceKey: keyOf(first.instanceId) });
}

function messageOf({ writeJson }: CompatPorts, body: RequestBody, messageId: string): Message {
  const correlationKey = body.optionalText('correlationKey') ?? '';
  return {
    name: body.text('name'),
    correlationKey,
    tenant: tenantOfRequest(body.optionalText('tenantId')),
    headers: {
      // Models without Zeebe's subscription find theirs by a business key.
      ...(correlationKey === '' ? {} : { 'correlation-key': correlationKey, 'business-key': correlationKey }),
      ...(messageId === '' ? {} : { 'idempotency-key': messageId }),
    },
    body: Buffer.from(writeJson(body.variables())),
  };
}

/** Into each module one after the other; those that took it. */
async function deliver(ports: CompatPorts, message: Message): Promise<readonly InboundOutcome[]> {
  const outcomes: InboundOutcome[] = [];
  for (const delivery of await deliveriesOf(ports, message)) {
    try {
      outcomes.push(await ports.deliver(delivery));
    } catch (error) {
      if (!(error instanceof EngineError) || !UNCLAIMED.has(error.code)) throw error;
    }
  }
  return outcomes;
}

async function deliveriesOf(
  ports: CompatPorts,
  { name, tenant, headers, body }: Message,
): Promise<readonly InboundDelivery[]> {
  // As the dialect names a message's channel.
  const channel = name.trim().replace(/\s+/g, '-');
  const modules = new Set<string>();
  for (const { id, tenant: owner, module } of await listLiveDeployments(ports.database)) {
    if (owner === tenant && (await ports.model(id))?.channels.has(channel) === true) modules.add(module);
  }
  return [...modules].map((module) => ({
    ...{ tenant, module, channel, headers, body },
    contentType: 'application/json',
  }));
}

function unclaimed({ name, correlationKey }: Message, so: string): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.MESSAGE_UNCLAIMED';
  return new EngineError(
    code,
    `Nobody waits now for a message ${quoteText(name)} with correlation key ${quoteText(correlationKey)}, ${so}.`,
  );
}

function published({ name }: Message, messageId: string): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.MESSAGE_EXISTS';
  return new EngineError(
    code,
    `A message ${quoteText(name)} with id ${quoteText(messageId)} was published before; nothing was done again.`,
  );
}

/** The key of a message names nothing that could be asked for. */
function answer({ writeJson }: CompatPorts, { tenant }: Message, more: object): SurfaceAnswer {
  return jsonAnswer(writeJson({ messageKey: keyOf(newId()), tenantId: tenantIdOf(tenant), ...more }));
}
