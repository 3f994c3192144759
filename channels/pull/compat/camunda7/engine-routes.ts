/** The routes of the engine half: deploying, starting, messages, instances and their variables. */
import type { CompatPorts } from '../ports.ts';
import { CamundaFields, jsonAnswer } from './camunda-request.ts';
import type { CamundaRoute } from './camunda-route.ts';
import { definitionRoutes } from './engine-definitions.ts';
import { deploymentRoutes } from './engine-deployments.ts';
import { instanceRoutes } from './engine-instances.ts';
import { messageRoutes } from './engine-messages.ts';
import { variableRoutes } from './engine-variables.ts';

/** Clients ask whether the server is new enough for them. What is served here is served so since then. */
const CAMUNDA_VERSION = '7.22.0';

export function engineRoutes(ports: CompatPorts): readonly CamundaRoute[] {
  return [
    {
      method: 'GET',
      path: 'version',
      handle: (request) => constant(ports, request, { version: CAMUNDA_VERSION }),
    },
    { method: 'GET', path: 'engine', handle: (request) => constant(ports, request, [{ name: 'default' }]) },
    ...deploymentRoutes(ports),
    ...definitionRoutes(ports),
    ...messageRoutes(ports),
    ...instanceRoutes(ports),
    ...variableRoutes(ports),
  ];
}

function constant(
  { writeJson }: CompatPorts,
  { query }: Parameters<CamundaRoute['handle']>[0],
  value: unknown,
): ReturnType<CamundaRoute['handle']> {
  CamundaFields.ofQuery(query, []);
  return Promise.resolve(jsonAnswer(writeJson, value));
}
