/**
 * Channels that models use by the names of messages, topics and job types, and that `channels.yaml` does not declare.
 *
 * | used by                      | becomes                                                          |
 * |------------------------------|------------------------------------------------------------------|
 * | a task that workers do       | `pull`                                                           |
 * | messages that come in        | `http`, at `POST /channels/<tenant>/<module>/<name>`, `on-persist` |
 * | messages that go out         | `pull`: a worker takes them to whom they are for                 |
 * | messages that do both        | `local`: from process to process of the module                   |
 */
import type { Finding } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { ChannelWish } from '../dialects/dialect-context.ts';
import { compileExpression } from '../feel.ts';
import type { ChannelDefinition, PackageIdentity, PackageModel, TaskPolicy } from '../package-model.ts';
import { PRIORITY_OF_HEADER } from '../task-priority.ts';
import { resolveBind, type TransportName } from './bind.ts';

/** Of tasks whose elements say it in a file of another engine; the others have none. */
const priorityOfHeader: TaskPolicy = {
  lockDurationMs: null,
  retries: null,
  retryTimeoutMs: null,
  priority: compileExpression(PRIORITY_OF_HEADER),
};

type Channels = PackageModel['channels'];

/** The declared channels and the wished ones, each of these with a finding that says what it is. */
export function addWishedChannels(
  declared: Channels,
  wishes: readonly ChannelWish[],
  identity: PackageIdentity,
): { readonly channels: Channels; readonly findings: readonly Finding[] } {
  const channels = new Map(declared);
  const findings: Finding[] = [];
  for (const [name, uses] of usesByName(wishes)) {
    const [first] = uses;
    const own = declared.get(name);
    if (own !== undefined) channels.set(name, withPriority(own, uses));
    if (own !== undefined || first === undefined) continue;
    const channel = wishedChannel(name, uses, first, identity);
    channels.set(name, channel);
    const what = channel.transport === 'http' ? `http at ${channel.bind}` : channel.transport;
    findings.push({
      code: 'SUTRA.PACKAGE.CHANNEL_ADDED',
      severity: 'warning',
      message: `The channel ${quoteText(name)} is not in channels.yaml and is added as ${what}.`,
      place: first.place,
    });
  }
  return { channels, findings };
}

/** What the author of the channel says of its tasks wins over what the file of a model says. */
function withPriority(channel: ChannelDefinition, uses: readonly ChannelWish[]): ChannelDefinition {
  const { task, transport } = channel;
  if (!saysPriority(uses) || transport !== 'pull' || (task?.priority ?? null) !== null) return channel;
  return { ...channel, task: { ...(task ?? priorityOfHeader), priority: priorityOfHeader.priority } };
}

function saysPriority(uses: readonly ChannelWish[]): boolean {
  return uses.some(({ hasPriority }) => hasPriority === true);
}

function usesByName(wishes: readonly ChannelWish[]): ReadonlyMap<string, readonly ChannelWish[]> {
  const byName = new Map<string, ChannelWish[]>();
  for (const wish of wishes) {
    const uses = byName.get(wish.name);
    if (uses === undefined) byName.set(wish.name, [wish]);
    else uses.push(wish);
  }
  return byName;
}

function transportOf(uses: readonly ChannelWish[]): TransportName {
  const isUsed = (use: ChannelWish['use']): boolean => uses.some((wish) => wish.use === use);
  if (isUsed('work')) return 'pull';
  if (!isUsed('catch')) return 'pull';
  return isUsed('throw') ? 'local' : 'http';
}

function wishedChannel(
  name: string,
  uses: readonly ChannelWish[],
  { place }: ChannelWish,
  identity: PackageIdentity,
): ChannelDefinition {
  const transport = transportOf(uses);
  const bound = resolveBind({ transport, name, bind: undefined, direction: undefined }, identity);
  return {
    name,
    transport,
    ...(bound.ok ? { bind: bound.bind, direction: bound.direction } : { bind: '', direction: 'both' }),
    codec: null,
    schemaName: null,
    ackMode: 'on-persist',
    dedupKey: null,
    isBroadcast: false,
    maxConcurrentInstances: null,
    payloadCapBytes: null,
    auth: null,
    keepsDeadLetters: false,
    task: saysPriority(uses) ? priorityOfHeader : null,
    place,
  };
}
