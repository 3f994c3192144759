/**
 * Waits that no message can end, and starts that no message can reach.
 *
 * W1 To a `pull` or `local` channel nothing comes but what processes of the module send. What workers answer to a call
 *    on a pull channel goes to that call alone.
 * W2 A wait is found by an alias that has a value there, or by the key of something that the instance sent. Called
 *    processes are of the same instance. Where one of another package is called nothing is said; that one of
 *    another package calls, and sends first, is not thought of.
 * W3 An alias has a value at a wait when its expression gives one, or when the instance has registered one before
 *    under that name.
 */
import type { Finding } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import { PayloadTypes } from '../expression-check/payload-types.ts';
import { variablesOf } from '../expression-check/process-variables.ts';
import type { AliasDefinition, ProcessDefinition } from '../model.ts';
import type { PackageModel } from '../package-model.ts';
import {
  channelUsesOf,
  messageWaitsOf,
  sendsOf,
  type ChannelUses,
  type MessageWait,
} from './channel-uses.ts';
import { familyOf } from './called-processes.ts';
import { valueOfNothing } from './constant-values.ts';
import { labelOf, warning, type LintCheck } from './lint-check.ts';
import { registeredAliasesOf } from './registered-aliases.ts';
import { writesOf } from './variable-writes.ts';

export const checkMessageWaits: LintCheck = (model) => {
  const uses = channelUsesOf(model);
  return [...model.processes.values()].flatMap((process) =>
    messageWaitsOf(process).flatMap((wait) => findingAt(model, process, wait, uses) ?? []),
  );
};

function findingAt(
  model: PackageModel,
  process: ProcessDefinition,
  wait: MessageWait,
  uses: ChannelUses,
): Finding | null {
  const { node, source, isStart } = wait;
  const silence = silenceOf(model, source.channel, uses);
  if (silence !== null) {
    const what = isStart ? 'is started by' : 'waits for';
    const message = `${labelOf(node)} ${what} messages on channel ${quoteText(source.channel)}, and ${silence}`;
    return warning('SUTRA.LINT.NOTHING_ARRIVES', source.place, message);
  }
  if (isStart) return null;
  const fault = keyFaultOf(model, process, wait);
  return fault === null
    ? null
    : warning('SUTRA.LINT.WAIT_WITHOUT_KEY', node.place, `No message finds ${labelOf(node)}: ${fault}`);
}

/** Why nothing comes on the channel, and what to do; null when something may. */
function silenceOf({ channels }: PackageModel, name: string, uses: ChannelUses): string | null {
  const channel = channels.get(name);
  const isInternal = channel?.transport === 'pull' || channel?.transport === 'local';
  if (channel === undefined || !isInternal || uses.isOpen || uses.told.has(name)) return null;
  if (!uses.asked.has(name)) {
    return `nothing in the package sends to this ${channel.transport} channel; send to it, or take the messages from one that others reach`;
  }
  return channel.transport === 'pull'
    ? 'the package only makes calls on it, whose answers the calls themselves take; send the request by a send task, or drop this wait'
    : null;
}

function keyFaultOf(model: PackageModel, process: ProcessDefinition, wait: MessageWait): string | null {
  const family = familyOf(model, process);
  if (family === null || family.some(sendsAnything)) return null;
  const { aliases } = wait;
  if (aliases.length === 0) {
    return 'it has no q:alias, and the instance sends nothing whose key a message could echo; give it a q:alias';
  }
  const hasValue = (alias: AliasDefinition): boolean =>
    mayHaveValue(model, process, wait, alias) ||
    family.some((member) => isRegisteredElsewhere(member, wait, alias));
  if (aliases.some(hasValue)) return null;
  const [{ name } = { name: '' }] = aliases;
  return `q:alias ${quoteText(name)} has no value when the instance comes there, since its expression reads the message alone and nothing registers one before; register it at the start event`;
}

function sendsAnything({ nodes }: ProcessDefinition): boolean {
  return [...nodes.values()].some((node) => sendsOf(node).length > 0);
}

function isRegisteredElsewhere(
  process: ProcessDefinition,
  { node }: MessageWait,
  { name }: AliasDefinition,
): boolean {
  return registeredAliasesOf(process).some(({ alias, node: other }) => alias.name === name && other !== node);
}

/** Whether the expression may give something at the wait, where there is no message yet. */
function mayHaveValue(
  { channels, schemas }: PackageModel,
  process: ProcessDefinition,
  { node }: MessageWait,
  { expression }: AliasDefinition,
): boolean {
  if (valueOfNothing(expression) !== null) return true;
  if (!variablesOf(process, new PayloadTypes(channels, schemas)).isComplete) return true;
  return [...process.nodes.values()].some((other) => {
    // What the wait itself writes is there only after it.
    if (other === node) return false;
    const { before, after, isOpen } = writesOf(other);
    return isOpen || expression.names.some((name) => before.includes(name) || after.includes(name));
  });
}
