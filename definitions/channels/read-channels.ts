/**
 * `channels.yaml` to checked channel definitions.
 *
 * H1 Every fault of the file is reported, each with line and column; one does not hide the others.
 * H2 A channel whose name and transport are right is in the result even when other keys are wrong, so that
 *    a model that names it is not reported as well. A result with error findings is never deployed.
 * H3 No message shows what stands under `auth`, nor a URL.
 */
import type { Finding, Place } from '../../config/engine-error.ts';
import { nearest } from '../../config/nearest.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { ChannelExpression } from '../expression-check/expression-use.ts';
import { messageNames } from '../expression-check/payload-types.ts';
import type { CompiledExpression } from '../feel.ts';
import { checkExpression } from '../feel/check/check-expression.ts';
import { anyType } from '../feel/check/static-type.ts';
import type { ChannelDefinition, Codec, PackageFile, PackageIdentity } from '../package-model.ts';
import { YamlFile, type YamlCodes, type YamlEntry } from '../yaml-reader.ts';
import { readAuth } from './auth.ts';
import { resolveBind, transports, type TransportName } from './bind.ts';
import { readTaskPolicy, type TaskCeilings } from './task-policy.ts';

export type { TaskCeilings } from './task-policy.ts';

export interface ChannelsReading {
  readonly channels: ReadonlyMap<string, ChannelDefinition>;
  readonly findings: readonly Finding[];
  /** False when the file declares a channel that could not be read: then models cannot be held against it. */
  readonly isComplete: boolean;
  /** Of the channels, with their places. */
  readonly expressions: readonly ChannelExpression[];
}

const yamlCodes: YamlCodes = {
  yamlInvalid: 'SUTRA.CHANNELS.YAML_INVALID',
  keyUnknown: 'SUTRA.CHANNELS.KEY_UNKNOWN',
  keyMissing: 'SUTRA.CHANNELS.KEY_MISSING',
  valueInvalid: 'SUTRA.CHANNELS.VALUE_INVALID',
};

const channelKeys = [
  'name',
  'transport',
  'direction',
  'bind',
  'codec',
  'ack-mode',
  'dedup-key',
  'broadcast',
  'max-concurrent-instances',
  'payload-cap-bytes',
  'auth',
  'dead-letters',
  'task',
] as const;

/** Transports of the protocol that this build does not contain. */
const notBuiltInTransports = ['file', 'amqp', 'mqtt', 'nats', 'kafka', 'jms', 'stomp', 'redis'];
const codecs = ['json', 'yaml', 'text', 'bytes', 'xml', 'csv'] as const satisfies readonly Codec[];
/** Known to the protocol; the engine has no decoder for them. */
const notBuiltInCodecs: readonly string[] = ['xml', 'csv'];
const CODEC_URN = 'urn:sutra:codec:';

const MAX_CHANNELS = 1_000;
export const MAX_CHANNEL_NAME_LENGTH = 255;
const MAX_INSTANCES = 1_000_000_000;
const MAX_PAYLOAD_CAP_BYTES = 1_073_741_824;

/** Reads `file`. Without `ceilings` the task policies are checked for their own sense only. */
export function readChannels(
  file: PackageFile,
  identity: PackageIdentity,
  ceilings: TaskCeilings | null = null,
): ChannelsReading {
  const yaml = new YamlFile(file, yamlCodes);
  const channels = new Map<string, ChannelDefinition>();
  const root = yaml.root('channels.yaml');
  if (root === null) return { channels, findings: yaml.findings, isComplete: false, expressions: [] };
  root.refuseUnknownKeys(['channels']);
  if (!root.has('channels')) root.missing('channels');
  const findingCount = yaml.findings.length;
  const entries = root.entries('channels', (index) => `channel ${index + 1}`) ?? [];
  let isComplete = root.has('channels') && yaml.findings.length === findingCount;
  if (entries.length > MAX_CHANNELS) {
    root.error(
      yamlCodes.valueInvalid,
      `there are ${entries.length} channels; the limit is ${MAX_CHANNELS}`,
      'channels',
    );
    return { channels, findings: yaml.findings, isComplete: false, expressions: [] };
  }
  const expressions: ChannelExpression[] = [];
  for (const entry of entries) {
    const channel = new ChannelReader(entry, identity, ceilings).read();
    if (channel === null) {
      isComplete = false;
      continue;
    }
    if (channels.has(channel.name)) {
      const message = `the channel name ${quoteText(channel.name)} is used twice`;
      entry.error('SUTRA.CHANNELS.NAME_DUPLICATE', message, 'name');
      continue;
    }
    refuseSharedBind(entry, channel, channels);
    channels.set(channel.name, channel);
    expressions.push(...expressionsOf(entry, channel));
  }
  return { channels, findings: yaml.findings, isComplete, expressions };
}

function expressionsOf(entry: YamlEntry, { name, dedupKey, task }: ChannelDefinition): ChannelExpression[] {
  const placed: ChannelExpression[] = [];
  const place = (
    role: ChannelExpression['role'],
    expression: CompiledExpression | null,
    from: YamlEntry | undefined,
    key: string,
  ): void => {
    if (expression === null || from === undefined) return;
    const placeAt = (offset: number): Place => from.placeInExpression(key, expression, offset);
    placed.push({ role, channel: name, expression, placeAt });
  };
  place('dedupKey', dedupKey, entry, 'dedup-key');
  if (task !== null) place('priority', task.priority, entry.entry('task', 'task'), 'priority');
  return placed;
}

function refuseSharedBind(
  entry: YamlEntry,
  channel: ChannelDefinition,
  channels: ReadonlyMap<string, ChannelDefinition>,
): void {
  if (channel.direction === 'outbound') return;
  for (const other of channels.values()) {
    if (other.direction === 'outbound' || other.bind !== channel.bind || other.bind === '') continue;
    const message = `the channels ${quoteText(other.name)} and ${quoteText(channel.name)} are both bound to ${quoteText(other.bind)}`;
    entry.error('SUTRA.CHANNELS.BIND_DUPLICATE', message, 'bind');
  }
}

/** What is wrong with a channel's name, or null. */
function nameFault(name: string): string | null {
  if (name.trim() === '') return 'a channel name must not be blank';
  if (name.length > MAX_CHANNEL_NAME_LENGTH) {
    return `a channel name has ${name.length} characters; the limit is ${MAX_CHANNEL_NAME_LENGTH}`;
  }
  if (name !== name.trim()) return `the channel name ${quoteText(name)} begins or ends with white space`;
  if (/[\p{Cc}\p{Surrogate}]/u.test(name))
    return `the channel name ${quoteText(name)} holds a control character`;
  return null;
}

class ChannelReader {
  readonly #entry: YamlEntry;
  readonly #identity: PackageIdentity;
  readonly #ceilings: TaskCeilings | null;

  constructor(entry: YamlEntry, identity: PackageIdentity, ceilings: TaskCeilings | null) {
    this.#entry = entry;
    this.#identity = identity;
    this.#ceilings = ceilings;
  }

  /** Null when the name or the transport is wrong; the rest of its keys is checked all the same. */
  read(): ChannelDefinition | null {
    const entry = this.#entry;
    entry.refuseUnknownKeys(channelKeys);
    const name = this.#name();
    const transport = this.#transport();
    const bound = this.#bind(name, transport);
    const { codec, schemaName } = this.#codec();
    const defaultAck = transport === 'http' ? 'on-complete' : 'on-persist';
    const channel = {
      direction: bound.direction,
      bind: bound.bind,
      codec,
      schemaName,
      ackMode: entry.choice('ack-mode', ['on-persist', 'on-complete'] as const) ?? defaultAck,
      dedupKey: this.#dedupKey(),
      isBroadcast: entry.boolean('broadcast') ?? false,
      maxConcurrentInstances: entry.integer('max-concurrent-instances', 1, MAX_INSTANCES) ?? null,
      payloadCapBytes: entry.integer('payload-cap-bytes', 1, MAX_PAYLOAD_CAP_BYTES) ?? null,
      auth: readAuth(entry),
      keepsDeadLetters: entry.boolean('dead-letters') ?? false,
      task: readTaskPolicy(entry, this.#ceilings),
      place: entry.place,
    } satisfies Omit<ChannelDefinition, 'name' | 'transport'>;
    if (channel.maxConcurrentInstances !== null) {
      const message = 'max-concurrent-instances is not enforced by this version';
      entry.error('SUTRA.CHANNELS.KEY_NOT_EXECUTED', message, 'max-concurrent-instances');
    }
    if (transport !== null) this.#refuseMisplacedKeys(transport, bound.direction);
    return name === null || transport === null ? null : { name, transport, ...channel };
  }

  #name(): string | null {
    const entry = this.#entry;
    if (!entry.has('name')) entry.missing('name');
    const name = entry.text('name');
    if (name === undefined) return null;
    const fault = nameFault(name);
    if (fault === null) return name;
    entry.error('SUTRA.CHANNELS.NAME_INVALID', fault, 'name');
    return null;
  }

  #transport(): TransportName | null {
    const entry = this.#entry;
    if (!entry.has('transport')) entry.missing('transport');
    const text = entry.text('transport');
    if (text === undefined) return null;
    const transport = transports.find((candidate) => candidate === text);
    if (transport !== undefined) return transport;
    if (notBuiltInTransports.includes(text)) {
      const message = `the transport ${text} is not built in yet; use ${transports.join(', ')}`;
      entry.error('SUTRA.CHANNELS.TRANSPORT_NOT_BUILT_IN', message, 'transport');
    } else {
      const message = `there is no transport ${quoteText(text)}; the nearest is ${nearest(text, transports) ?? ''}`;
      entry.error('SUTRA.CHANNELS.TRANSPORT_UNKNOWN', message, 'transport');
    }
    return null;
  }

  #bind(name: string | null, transport: TransportName | null): Pick<ChannelDefinition, 'bind' | 'direction'> {
    const entry = this.#entry;
    const direction = entry.choice('direction', ['inbound', 'outbound', 'both'] as const);
    const bind = entry.text('bind');
    const unknown = { bind: '', direction: direction ?? 'both' } as const;
    if (name === null || transport === null || (entry.has('bind') && bind === undefined)) return unknown;
    const result = resolveBind({ transport, name, bind, direction }, this.#identity);
    if (result.ok) return result;
    if (result.fault === 'direction') {
      entry.error('SUTRA.CHANNELS.DIRECTION_INVALID', result.message, 'direction');
    } else if (result.fault === 'missing') {
      entry.error('SUTRA.CHANNELS.KEY_MISSING', result.message);
    } else {
      entry.error('SUTRA.CHANNELS.BIND_INVALID', result.message, 'bind');
    }
    return unknown;
  }

  #codec(): Pick<ChannelDefinition, 'codec' | 'schemaName'> {
    const entry = this.#entry;
    const none = { codec: null, schemaName: null };
    const text = entry.text('codec');
    if (text === undefined) return none;
    const name = text.startsWith(CODEC_URN) ? text.slice(CODEC_URN.length) : text;
    const codec = codecs.find((candidate) => candidate === name);
    if (codec !== undefined) {
      if (!notBuiltInCodecs.includes(codec)) return { codec, schemaName: null };
      entry.error('SUTRA.CHANNELS.CODEC_NOT_BUILT_IN', `the codec ${codec} is not built in yet`, 'codec');
      return none;
    }
    const schemaName = /^urn:([A-Za-z0-9][A-Za-z0-9._-]{0,99})$/.exec(text)?.[1];
    if (schemaName !== undefined) return { codec: null, schemaName };
    const message = `there is no codec ${quoteText(text)}; the nearest is ${nearest(name, codecs) ?? ''}`;
    entry.error('SUTRA.CHANNELS.CODEC_UNKNOWN', message, 'codec');
    return none;
  }

  #dedupKey(): CompiledExpression | null {
    const entry = this.#entry;
    const expression = entry.expression('dedup-key');
    if (expression === undefined) return null;
    const scope = { names: messageNames(anyType), unknownNames: 'error' } as const;
    const stranger = checkExpression(expression.tree, scope).findings.find(
      ({ code }) => code === 'SUTRA.FEEL.NAME_UNKNOWN',
    );
    if (stranger !== undefined) {
      const name = expression.text.slice(stranger.from, stranger.to);
      const message = `dedup-key names ${quoteText(name)}; it sees only header, payload, event`;
      const place = entry.placeInExpression('dedup-key', expression, stranger.from);
      entry.file.error('SUTRA.CHANNELS.DEDUP_KEY_INVALID', message, place);
      return null;
    }
    if (expression.names.length === 0) {
      const message = 'dedup-key is the same for every message, so only the first would ever be taken';
      entry.error('SUTRA.CHANNELS.DEDUP_KEY_INVALID', message, 'dedup-key');
    }
    return expression;
  }

  #refuseMisplacedKeys(transport: TransportName, direction: ChannelDefinition['direction']): void {
    const entry = this.#entry;
    const refuse = (key: string, reason: string): void => {
      if (entry.has(key)) entry.error('SUTRA.CHANNELS.KEY_NOT_APPLICABLE', `${key} ${reason}`, key);
    };
    if (transport !== 'pull') refuse('task', `is for pull channels; this one is ${transport}`);
    if (transport !== 'http') {
      refuse('auth', `is for http channels; this one is ${transport}`);
      refuse('dead-letters', `is for channels that take messages in over http; this one is ${transport}`);
    }
    if (direction !== 'outbound') return;
    refuse('broadcast', 'is for channels that take messages in; this one is outbound');
    if (transport === 'http') {
      refuse('dead-letters', 'is for channels that take messages in; this one is outbound');
    }
  }
}
