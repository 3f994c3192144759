/** Everything that waits for a person. */
import { INCIDENT_KINDS, listOpenIncidents } from '../../engine/store/operate-incidents.ts';
import { jsonAnswer } from '../exchange.ts';
import type { ServerDeps } from '../operations.ts';
import { pagingParameters } from '../query-parameters.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';

export function incidentRoutes({ database }: Pick<ServerDeps, 'database'>): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/sutra/incidents',
      operationId: 'listIncidents',
      tag: 'incidents',
      summary: 'Open incidents, oldest first: failed instances, terminal tasks, poisoned deliveries.',
      query: {
        kind: { kind: 'choice', values: INCIDENT_KINDS, description: 'Only of this kind.' },
        tenant: { kind: 'text', description: 'Only of this tenant.' },
        module: { kind: 'text', description: 'Only of this module.' },
        instanceId: { kind: 'uuid', description: 'Only of this instance.' },
        code: { kind: 'text', description: 'Only with this code.' },
        ...pagingParameters,
      },
      answers: { 200: jsonDoc('A page of incidents.', schemaRef('IncidentPage')) },
      codes: ['SUTRA.OPERATE.CURSOR_INVALID'],
      handle: async (_request, { limit, cursor, ...filter }) => {
        const page = await listOpenIncidents(database, filter, { limit, cursor });
        return jsonAnswer(200, { incidents: page.rows, nextCursor: page.nextCursor });
      },
    }),
  ];
}
