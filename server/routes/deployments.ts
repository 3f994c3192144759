/** What is deployed: which channels listen where, which processes there are, what still keeps a drained one. */
import { EngineError } from '../../config/engine-error.ts';
import type { ChannelDefinition, PackageModel } from '../../definitions/package-model.ts';
import { startPointsOf, type ProcessDefinition } from '../../definitions/model.ts';
import {
  DEPLOYMENT_STATES,
  isDeploymentId,
  listDeployments,
  readDeployment,
  readDeploymentLoad,
  type DeploymentRow,
} from '../../engine/store/operate-deployments.ts';
import { readStartTimers } from '../../engine/store/start-timers.ts';
import { jsonAnswer } from '../exchange.ts';
import type { ServerDeps } from '../operations.ts';
import { pagingParameters } from '../query-parameters.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';

export function deploymentRoutes(deps: Pick<ServerDeps, 'database' | 'deployments'>): readonly Route[] {
  const { database } = deps;
  return [
    defineRoute({
      method: 'GET',
      path: '/sutra/deployments',
      operationId: 'listDeployments',
      tag: 'deployments',
      summary: 'Deployments, newest first.',
      query: {
        state: { kind: 'choice', values: DEPLOYMENT_STATES, description: 'Only in this state.' },
        tenant: { kind: 'text', description: 'Only of this tenant.' },
        module: { kind: 'text', description: 'Only of this module.' },
        ...pagingParameters,
      },
      answers: { 200: jsonDoc('A page of deployments.', schemaRef('DeploymentPage')) },
      codes: ['SUTRA.OPERATE.CURSOR_INVALID'],
      handle: async (_request, { limit, cursor, ...filter }) => {
        const page = await listDeployments(database, filter, { limit, cursor });
        return jsonAnswer(200, { deployments: page.rows, nextCursor: page.nextCursor });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/sutra/deployments/{id}',
      operationId: 'getDeployment',
      tag: 'deployments',
      summary: 'One deployment with its channels, its processes and what still runs under it.',
      answers: { 200: jsonDoc('The deployment.', schemaRef('DeploymentDetail')) },
      codes: ['SUTRA.DEPLOYMENT.NOT_FOUND', 'SUTRA.OPERATE.ID_INVALID'],
      handle: async ({ params }) => {
        const deployment = await requireDeployment(deps, params['id'] ?? '');
        const [load, startTimers, model] = await Promise.all([
          readDeploymentLoad(database, deployment.id),
          readStartTimers(database, deployment.id),
          deps.deployments.model(deployment.id),
        ]);
        return jsonAnswer(200, { ...deployment, load, startTimers, ...modelView(model) });
      },
    }),
  ];
}

/** @throws EngineError SUTRA.OPERATE.ID_INVALID, SUTRA.DEPLOYMENT.NOT_FOUND. */
export async function requireDeployment(
  deps: Pick<ServerDeps, 'database'>,
  id: string,
): Promise<DeploymentRow> {
  if (!isDeploymentId(id)) {
    const shown = JSON.stringify(id.slice(0, 100));
    throw new EngineError(
      'SUTRA.OPERATE.ID_INVALID',
      `${shown} is not a deployment id: "dep-" and 24 hexadecimal digits`,
    );
  }
  const deployment = await readDeployment(deps.database, id);
  if (deployment !== null) return deployment;
  throw new EngineError('SUTRA.DEPLOYMENT.NOT_FOUND', `there is no deployment ${id}`, {
    attributes: { deploymentId: id },
  });
}

/** Nulls when this replica cannot read the package any more. */
function modelView(model: PackageModel | null): { channels: unknown; processes: unknown } {
  if (model === null) return { channels: null, processes: null };
  return {
    channels: [...model.channels.values()].map(channelView),
    processes: [...model.processes.values()].map(processView),
  };
}

function channelView(channel: ChannelDefinition): Record<string, unknown> {
  return {
    name: channel.name,
    transport: channel.transport,
    direction: channel.direction,
    bind: publicBind(channel.bind),
    ackMode: channel.ackMode,
    codec: channel.codec,
    isBroadcast: channel.isBroadcast,
    payloadCapBytes: channel.payloadCapBytes,
  };
}

/** A URL without what may be a secret in it: user, password, query and fragment. */
function publicBind(bind: string): string {
  if (!/^https?:/i.test(bind) || !URL.canParse(bind)) return bind;
  const { origin, pathname } = new URL(bind);
  return `${origin}${pathname}`;
}

function processView(process: ProcessDefinition): Record<string, unknown> {
  const starts = startPointsOf(process).flatMap(({ event }) =>
    event.kind === 'message' ? [event.source.channel] : [],
  );
  const { id, name, start } = process;
  return { id, name, startChannels: [...new Set(starts)], startsById: start.length > 0 };
}
