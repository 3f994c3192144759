/** Filters of lists as options of commands. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Query } from './client.ts';
import { uuid } from './command.ts';

export interface Filter {
  readonly option: Option;
  /** What the route is asked. */
  readonly query: (value: unknown) => Query;
}

type Options = Readonly<Record<string, unknown>>;

function asked(flags: string, description: string, parameter: string): Filter {
  return { option: new Option(flags, description), query: (value) => ({ [parameter]: String(value) }) };
}

const ofInstance: Filter = {
  ...asked('--instance <id>', 'only of this instance', 'instanceId'),
  option: new Option('--instance <id>', 'only of this instance').argParser(uuid),
};
const ofTenant = asked('--tenant <name>', 'only of this tenant', 'tenant');
const ofModule = asked('--module <name>', 'only of this module', 'module');
const ofDeployment = asked('--deployment <id>', 'only of this deployment', 'deploymentId');
const onChannel = asked('--channel <name>', 'only on this channel', 'channel');
const ofProcess = asked('--process <id>', 'only of this process', 'processId');
const atElement = asked('--element <id>', 'only at this element', 'elementId');

const whichInstances: readonly Filter[] = [
  ofProcess,
  ofDeployment,
  ofTenant,
  ofModule,
  asked('--created-after <instant>', 'only begun after it, such as 2026-03-01T10:00:00Z', 'createdAfter'),
  asked('--created-before <instant>', 'only begun before it', 'createdBefore'),
];

const whichFailed: readonly Filter[] = [
  asked('--code <code>', 'only failed with this code', 'failureCode'),
  asked('--element <id>', 'only failed at this element', 'failureElement'),
];

export const instanceFilters: readonly Filter[] = [
  asked('--status <status>', 'running, completed, terminated or failed', 'status'),
  ...whichFailed,
  ...whichInstances,
  {
    option: new Option('--alias <name=value>', 'only with this alias').argParser(alias),
    query: (value) => {
      const [aliasName, aliasValue] = splitAlias(String(value));
      return { aliasName, aliasValue };
    },
  },
];

/** Of what `sutra retry` runs again. */
export const failedInstanceFilters: readonly Filter[] = [...whichFailed, ...whichInstances];

export const taskFilters: readonly Filter[] = [
  asked('--state <state>', 'open or failed; failed is terminal', 'state'),
  onChannel,
  atElement,
  ofProcess,
  ofInstance,
  ofDeployment,
  { option: new Option('--locked', 'only what a worker has'), query: () => ({ locked: 'true' }) },
  {
    option: new Option('--unlocked', 'only what no worker has').conflicts('locked'),
    query: () => ({ locked: 'false' }),
  },
];

/** Of what `sutra retry-task` gives a new budget. */
export const terminalTaskFilters: readonly Filter[] = [
  onChannel,
  atElement,
  ofProcess,
  ofInstance,
  ofDeployment,
];

export const incidentFilters: readonly Filter[] = [
  asked('--kind <kind>', 'instance-failed, task-terminal, delivery-poisoned or dead-letter', 'kind'),
  asked('--code <code>', 'only with this code', 'code'),
  atElement,
  ofProcess,
  ofInstance,
  ofTenant,
  ofModule,
  asked('--created-after <instant>', 'only raised after it, such as 2026-03-01T10:00:00Z', 'createdAfter'),
  asked('--created-before <instant>', 'only raised before it', 'createdBefore'),
];

export const deliveryFilters: readonly Filter[] = [
  asked('--state <state>', 'open or poisoned', 'state'),
  onChannel,
  atElement,
  ofInstance,
];

/** Of what `sutra requeue-delivery` has tried again. */
export const poisonedDeliveryFilters: readonly Filter[] = [onChannel, atElement, ofInstance];

/** Of what is listed, and of what is replayed or discarded. */
export const deadLetterFilters: readonly Filter[] = [
  asked('--kind <kind>', 'message, signal or timer', 'kind'),
  asked('--code <code>', 'only refused with this code, the last time', 'code'),
  onChannel,
  ofTenant,
  ofModule,
  asked('--created-after <instant>', 'only kept after it, such as 2026-03-01T10:00:00Z', 'createdAfter'),
  asked('--created-before <instant>', 'only kept before it', 'createdBefore'),
];

export function addFilters(command: Command, filters: readonly Filter[]): Command {
  for (const { option } of filters) command.addOption(option);
  return command;
}

function given(filters: readonly Filter[], options: Options): readonly (readonly [Filter, unknown])[] {
  return filters
    .map((filter) => [filter, options[filter.option.attributeName()]] as const)
    .filter(([, value]) => value !== undefined);
}

export function hasFilter(filters: readonly Filter[], options: Options): boolean {
  return given(filters, options).length > 0;
}

export function queryOf(filters: readonly Filter[], options: Options): Query {
  const parts = given(filters, options).map(([{ query }, value]) => query(value));
  return parts.reduce<Query>((all, part) => ({ ...all, ...part }), {});
}

function alias(text: string): string {
  const [name, value] = splitAlias(text);
  if (name !== '' && value !== '') return text;
  throw new InvalidArgumentError('It must be name=value, such as orderId=A-17.');
}

/** A value may have a = in it, a name has none. */
function splitAlias(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
