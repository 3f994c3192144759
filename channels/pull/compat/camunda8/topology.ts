/** `GET /v2/topology`: what clients ask to see whether somebody is there. Replicas do not know of each other. */
import type { SurfaceAnswer } from '../surface.ts';
import { jsonAnswer, type Camunda8Route } from './camunda8-route.ts';

/** Whose REST API this is; clients choose by it what they may ask for. */
const API_VERSION = '8.8.0';

const BODY = {
  brokers: [
    {
      nodeId: 0,
      host: 'localhost',
      port: 26501,
      partitions: [{ partitionId: 1, role: 'leader', health: 'healthy' }],
      version: API_VERSION,
    },
  ],
  clusterSize: 1,
  partitionsCount: 1,
  replicationFactor: 1,
  gatewayVersion: API_VERSION,
  lastCompletedChangeId: '0',
} as const;

export const topologyRoute: Camunda8Route = {
  method: 'GET',
  path: 'topology',
  handle: (): Promise<SurfaceAnswer> => Promise.resolve(jsonAnswer(JSON.stringify(BODY))),
};
