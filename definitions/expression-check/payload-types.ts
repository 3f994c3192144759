/** What is known of messages: the types of their payloads, by the schemas of their channels, and the names that they have. */
import { openContext, anyType, type StaticType } from '../feel/check/static-type.ts';
import type { SourceDefinition } from '../model.ts';
import type { PackageModel } from '../package-model.ts';
import { payloadTypeOf } from '../schema-types.ts';

/** Each schema is read once, for however many places. */
export class PayloadTypes {
  readonly #channels: PackageModel['channels'];
  readonly #schemas: PackageModel['schemas'];
  readonly #known = new Map<string, StaticType>();

  constructor(channels: PackageModel['channels'], schemas: PackageModel['schemas']) {
    this.#channels = channels;
    this.#schemas = schemas;
  }

  /** Of messages that the source takes. */
  ofSource({ channel, messageType }: SourceDefinition): StaticType {
    return this.of(channel, messageType.kind === 'exact' ? messageType.value : null);
  }

  /** @param messageType null: any */
  of(channelName: string, messageType: string | null): StaticType {
    const schemaName = this.#channels.get(channelName)?.schemaName ?? null;
    const folder = schemaName === null ? undefined : this.#schemas.get(schemaName);
    if (folder === undefined) return anyType;
    const key = JSON.stringify([schemaName, messageType]);
    const known = this.#known.get(key) ?? payloadTypeOf(folder, messageType);
    this.#known.set(key, known);
    return known;
  }
}

/** Names that stand for a message where one has come. Headers, and attributes of events, are as senders like them. */
export function messageNames(payload: StaticType, payloadName = 'payload'): Map<string, StaticType> {
  return new Map([
    ['payload', payload],
    [payloadName, payload],
    ['header', openContext],
    ['event', openContext],
  ]);
}
