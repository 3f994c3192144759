/**
 * What a topic of a poll says of processes, versions and tenants: kept when it chooses all of the topic's tasks or none of
 * them, refused when it would have to choose among them.
 *
 * A claim is made for channels, and workers choose by topic. So a filter is decided before the claim, by the live
 * definitions that can send to the topic:
 *
 *   all of them match   the filter changes nothing: the poll is made as without it
 *   none of them does   nothing can come of this topic now: the poll is made without it, and waits as long as it asked for
 *   some of them do     refused: locking the others and letting them go again would take them from those they are for
 *
 * T1 A task that does not match never reaches the client, also when a deployment becomes live while the poll waits: such
 *    a task is unlocked at once.
 */
import { quoteText } from '../../../../config/quote-text.ts';
import { TurnBudget } from '../../../../definitions/feel.ts';
import type { FlowNode, ProcessDefinition, SendDefinition } from '../../../../definitions/model.ts';
import { liveDefinitions } from '../live-definitions.ts';
import type { CompatPorts } from '../ports.ts';
import type { CamundaFields } from './camunda-request.ts';
import { NO_TENANT, definitionIdOf } from './engine-ids.ts';

/** Where a task, or a definition that can make one, is from. */
export interface TaskOrigin {
  readonly tenant: string;
  readonly version: string;
  readonly deploymentId: string;
  readonly processId: string;
}

/** Null: not filtered by. Each that is not must match. */
export interface TopicFilter {
  readonly tenants: readonly string[] | null;
  readonly definitionIds: readonly string[] | null;
  readonly processIds: readonly string[] | null;
  readonly version: string | null;
}

/** What says nothing about where a task is from. Cannot be decided before the claim. */
const OF_INSTANCES = ['businessKey', 'processVariables'] as const;

export const TOPIC_FILTERS = [
  ...OF_INSTANCES,
  ...['processDefinitionId', 'processDefinitionIdIn', 'processDefinitionKey', 'processDefinitionKeyIn'],
  ...['processDefinitionVersionTag', 'tenantIdIn', 'withoutTenantId'],
] as const;

/** Null: the topic has no filter. @throws EngineError SUTRA.COMPAT.REQUEST_INVALID for one that cannot be kept. */
export function readTopicFilter(fields: CamundaFields): TopicFilter | null {
  for (const name of OF_INSTANCES) {
    if (isNothing(fields.raw(name))) continue;
    throw fields.refuse(
      name,
      'is not supported: workers choose by topic, and the tasks of a topic are not told apart by what their instances hold',
    );
  }
  const filter: TopicFilter = {
    tenants: tenantsOf(fields),
    definitionIds: either(fields, 'processDefinitionId', 'processDefinitionIdIn'),
    processIds: either(fields, 'processDefinitionKey', 'processDefinitionKeyIn'),
    version: textOf(fields, 'processDefinitionVersionTag'),
  };
  return Object.values(filter).every((part) => part === null) ? null : filter;
}

export function isMatch(filter: TopicFilter | null, origin: TaskOrigin): boolean {
  if (filter === null) return true;
  const { tenants, definitionIds, processIds, version } = filter;
  return (
    (tenants === null || tenants.includes(origin.tenant)) &&
    (definitionIds === null || definitionIds.includes(definitionIdOf(origin, origin))) &&
    (processIds === null || processIds.includes(origin.processId)) &&
    (version === null || version === origin.version)
  );
}

export interface FilteredTopic {
  readonly topicName: string;
  /** Names it in messages: `topics[0].`. */
  readonly fields: CamundaFields;
  readonly filter: TopicFilter;
}

/** The topics of which nothing can come now. @throws EngineError SUTRA.COMPAT.REQUEST_INVALID when some of it could. */
export async function findBarren(
  ports: CompatPorts,
  topics: readonly FilteredTopic[],
): Promise<ReadonlySet<string>> {
  const barren = new Set<string>();
  if (topics.length === 0) return barren;
  const definitions = await liveDefinitions(ports);
  for (const { topicName, fields, filter } of topics) {
    const origins = definitions
      .filter(({ process }) => canSendTo(process, topicName))
      .map(({ process, deployment: { id, tenant, version } }): TaskOrigin => ({
        ...{ tenant, version, deploymentId: id, processId: process.id },
      }));
    const others = origins.filter((origin) => !isMatch(filter, origin));
    if (others.length === origins.length) barren.add(topicName);
    else if (others[0] !== undefined) {
      const other = definitionIdOf(others[0], others[0]);
      throw fields.refuse(
        'topicName',
        `${quoteText(topicName)} has tasks that this topic's filters leave out (of ${other}): workers choose by topic here, so give them a topic of their own`,
      );
    }
  }
  return barren;
}

/** Whether the process has a task or an event that may send to the channel: one that says so, or that says so when it is run. */
function canSendTo(process: ProcessDefinition, channel: string): boolean {
  for (const node of process.nodes.values()) {
    for (const target of targetsOf(node)) if (target === null || target === channel) return true;
  }
  return false;
}

/** Null: known when it is run. */
function targetsOf(node: FlowNode): readonly (string | null)[] {
  switch (node.kind) {
    case 'serviceTask':
    case 'businessRuleTask':
      return node.implementation.kind === 'channel' ? [node.implementation.channel] : [];
    case 'sendTask':
      return [targetOf(node.send)];
    case 'intermediateThrowEvent':
    case 'endEvent':
      return node.results.flatMap((result) => (result.kind === 'message' ? [targetOf(result.send)] : []));
    default:
      return [];
  }
}

function targetOf({ channel, destination }: SendDefinition): string | null {
  if (channel !== null || destination === null || destination.names.length > 0) return channel;
  const value = destination.evaluate(() => undefined, new TurnBudget(0));
  return typeof value === 'string' ? value : null;
}

function tenantsOf(fields: CamundaFields): readonly string[] | null {
  const tenants = listOf(fields, 'tenantIdIn');
  if (fields.flag('withoutTenantId') !== true) return tenants;
  if (tenants !== null) throw fields.refuse('withoutTenantId', 'cannot be given together with tenantIdIn');
  return [NO_TENANT];
}

function either(fields: CamundaFields, name: string, listName: string): readonly string[] | null {
  const [one, list] = [textOf(fields, name), listOf(fields, listName)];
  if (one === null) return list;
  return list === null || list.includes(one) ? [one] : [];
}

/** An empty text or list is how clients leave it out. */
function textOf(fields: CamundaFields, name: string): string | null {
  return isNothing(fields.raw(name)) ? null : fields.text(name);
}

function listOf(fields: CamundaFields, name: string): readonly string[] | null {
  return isNothing(fields.raw(name)) ? null : fields.texts(name);
}

/** What clients send when they ask for nothing. */
function isNothing(value: unknown): boolean {
  if (value === null || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
