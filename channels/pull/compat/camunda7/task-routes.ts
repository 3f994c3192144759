/** The routes of the external-task half. */
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import type { CamundaRoute, PathParams } from './camunda-route.ts';
import { fetchAndLock } from './task-fetch.ts';
import * as queries from './task-queries.ts';
import * as reports from './task-reports.ts';

type Handler = (ports: CompatPorts, request: SurfaceRequest, params: PathParams) => Promise<SurfaceAnswer>;

const ROUTES: readonly (readonly [CamundaRoute['method'], string, Handler])[] = [
  ['POST', 'external-task/fetchAndLock', fetchAndLock],
  ['POST', 'external-task/{id}/complete', reports.complete],
  ['POST', 'external-task/{id}/failure', reports.fail],
  ['POST', 'external-task/{id}/bpmnError', reports.bpmnError],
  ['POST', 'external-task/{id}/lock', reports.lock],
  ['POST', 'external-task/{id}/extendLock', reports.extendLock],
  ['POST', 'external-task/{id}/unlock', reports.unlock],
  ['PUT', 'external-task/{id}/retries', reports.setRetries],
  ['PUT', 'external-task/retries', reports.setRetriesOfMany],
  ['PUT', 'external-task/{id}/priority', reports.setPriority],
  ['GET', 'external-task/{id}/errorDetails', queries.getErrorDetails],
  ['GET', 'external-task/{id}', queries.getTask],
  ['GET', 'external-task', queries.listTasks],
  ['POST', 'external-task', queries.queryTasks],
  ['GET', 'external-task/count', queries.countTasks],
  ['POST', 'external-task/count', queries.queryTaskCount],
  ['GET', 'external-task/topic-names', queries.listTopicNames],
];

export function taskRoutes(ports: CompatPorts): readonly CamundaRoute[] {
  return ROUTES.map(([method, path, handle]) => ({
    method,
    path,
    handle: (request, params) => handle(ports, request, params),
  }));
}
