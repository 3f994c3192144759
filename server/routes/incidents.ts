/** Everything that waits for a person. */
import {
  INCIDENT_KINDS,
  listOpenIncidents,
  summarizeOpenIncidents,
} from '../../engine/store/operate-incidents.ts';
import { jsonAnswer } from '../exchange.ts';
import type { ServerDeps } from '../operations.ts';
import { pagingParameters, type QueryParameters } from '../query-parameters.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';

const filters = {
  kind: { kind: 'choice', values: INCIDENT_KINDS, description: 'Only of this kind.' },
  tenant: { kind: 'text', description: 'Only of this tenant.' },
  module: { kind: 'text', description: 'Only of this module.' },
  processId: { kind: 'text', description: 'Only of this process.' },
  elementId: { kind: 'text', description: 'Only at this element.' },
  instanceId: { kind: 'uuid', description: 'Only of this instance.' },
  code: { kind: 'text', description: 'Only with this code.' },
  createdAfter: { kind: 'instant', description: 'Only those raised after it.' },
  createdBefore: { kind: 'instant', description: 'Only those raised before it.' },
} as const satisfies QueryParameters;

export function incidentRoutes({ database }: Pick<ServerDeps, 'database'>): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/sutra/incidents',
      operationId: 'listIncidents',
      tag: 'incidents',
      summary:
        'Open incidents, oldest first: failed instances, terminal tasks, poisoned deliveries, dead letters.',
      query: { ...filters, ...pagingParameters },
      answers: { 200: jsonDoc('A page of incidents.', schemaRef('IncidentPage')) },
      codes: ['SUTRA.OPERATE.CURSOR_INVALID'],
      handle: async (_request, { limit, cursor, ...filter }) => {
        const page = await listOpenIncidents(database, filter, { limit, cursor });
        return jsonAnswer(200, { incidents: page.rows, nextCursor: page.nextCursor });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/sutra/incidents/summary',
      operationId: 'summarizeIncidents',
      tag: 'incidents',
      summary:
        'How many open incidents there are by kind, code, process and element, most first; 200 groups at most.',
      query: filters,
      answers: { 200: jsonDoc('The groups.', schemaRef('IncidentSummary')) },
      handle: async (_request, filter) => jsonAnswer(200, await summarizeOpenIncidents(database, filter)),
    }),
  ];
}
