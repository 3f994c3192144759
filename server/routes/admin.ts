/** What changes the engine: packages in and out, and the repair of what is stuck. All need the admin key. */
import { EngineError } from '../../config/engine-error.ts';
import { jsonAnswer } from '../exchange.ts';
import { requireInstanceId } from '../instance-ids.ts';
import { FieldReader, mediaTypeOf } from '../json-body.ts';
import type { ServerDeps } from '../operations.ts';
import { packageFromJson, packageFromZip, type UploadedPackage } from '../package-upload.ts';
import { defineRoute, jsonDoc, schemaRef, type Route, type RouteRequest } from '../route.ts';
import { requireDeliveryId } from './deliveries.ts';
import { requireDeployment } from './deployments.ts';
import { COMMAND_CODES, commandAnswer, reasonOf } from './instances.ts';
import { migrateRoute } from './migrate.ts';
import { moveRoute } from './move.ts';

type AdminDeps = Pick<ServerDeps, 'database' | 'deliveries' | 'deployments' | 'instances' | 'pull'>;

const ZIP_TYPES = ['application/zip', 'application/x-zip-compressed'] as const;

export function adminRoutes(deps: AdminDeps): readonly Route[] {
  return [
    deployRoute(deps),
    drainRoute(deps),
    ...taskRoutes(deps),
    ...deliveryRoutes(deps),
    retryRoute(deps),
    moveRoute(deps),
    migrateRoute(deps),
  ];
}

function deployRoute({ deployments }: AdminDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/admin/deployments',
    access: 'admin',
    operationId: 'deploy',
    tag: 'admin',
    summary: 'Deploys a package, as a zip archive or as JSON. The same bytes twice are a no-op.',
    query: {
      folderName: {
        kind: 'text',
        description: '`tenant--module--version`, for a zip without labels in its package.yaml.',
      },
    },
    body: {
      isRequired: true,
      content: {
        'application/zip': { type: 'string', format: 'binary' },
        'application/json': schemaRef('DeployRequest'),
      },
    },
    answers: {
      200: jsonDoc('This very package was there already; it is active now.', schemaRef('DeployAnswer')),
      201: jsonDoc('Deployed and active.', schemaRef('DeployAnswer')),
    },
    codes: [
      'SUTRA.PACKAGE.ARCHIVE_INVALID',
      'SUTRA.PACKAGE.TOO_LARGE',
      'SUTRA.PACKAGE.PATH_UNSAFE',
      'SUTRA.PACKAGE.PATH_DUPLICATE',
      'SUTRA.DEPLOYMENT.INVALID',
      'SUTRA.DEPLOYMENT.BIND_CONFLICT',
      'SUTRA.DEPLOYMENT.TRANSPORT_UNKNOWN',
      'SUTRA.DEPLOYMENT.REGISTERED_UNKNOWN',
    ],
    handle: async (request, { folderName }) => {
      const uploaded = await readPackage(request, folderName);
      const { isNew, ...outcome } = await deployments.deploy(uploaded.files, uploaded.folderName);
      return jsonAnswer(isNew ? 201 : 200, { ...outcome, isNew });
    },
  });
}

async function readPackage(request: RouteRequest, folderName: string | null): Promise<UploadedPackage> {
  const mediaType = mediaTypeOf(request.headers['content-type']);
  if (ZIP_TYPES.some((zip) => zip === mediaType)) {
    return packageFromZip((await request.readBytes(ZIP_TYPES)).body, folderName);
  }
  if (folderName !== null) {
    throw new EngineError(
      'SUTRA.HTTP.QUERY_INVALID',
      'folderName is a field of the body when the body is JSON',
      {
        attributes: { parameter: 'folderName' },
      },
    );
  }
  return packageFromJson(await request.readJson());
}

function drainRoute(deps: AdminDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/admin/deployments/{id}',
    access: 'admin',
    operationId: 'drainDeployment',
    tag: 'admin',
    summary: 'Drains a deployment: it starts no more instances and retires when nothing of it is left.',
    answers: { 200: jsonDoc('It drains, or has retired.', schemaRef('Deployment')) },
    codes: ['SUTRA.DEPLOYMENT.NOT_FOUND', 'SUTRA.OPERATE.ID_INVALID'],
    handle: async ({ params }) => {
      const before = await requireDeployment(deps, params['id'] ?? '');
      // What drains or has retired already is what was asked for.
      if (before.state !== 'active') return jsonAnswer(200, before);
      await deps.deployments.drain(before.id);
      return jsonAnswer(200, await requireDeployment(deps, before.id));
    },
  });
}

function taskRoutes({ pull }: AdminDeps): readonly Route[] {
  const codes = [
    'SUTRA.EXTERNAL_TASK.REQUEST_INVALID',
    'SUTRA.EXTERNAL_TASK.NOT_FOUND',
    'SUTRA.EXTERNAL_TASK.WITHDRAWN',
    'SUTRA.EXTERNAL_TASK.NOT_TERMINAL',
  ];
  return [
    defineRoute({
      method: 'POST',
      path: '/admin/external-tasks/{id}/retries',
      access: 'admin',
      operationId: 'rearmTask',
      tag: 'admin',
      summary: 'Gives a terminal task a new failure budget, so that workers fetch it again.',
      body: { isRequired: false, content: { 'application/json': schemaRef('RearmRequest') } },
      answers: { 200: jsonDoc('Fetchable again.', schemaRef('RearmAnswer')) },
      codes,
      handle: async (request) =>
        jsonAnswer(200, await pull.rearm(request.params['id'] ?? '', await request.readOptionalJson())),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/admin/external-tasks/{id}',
      access: 'admin',
      operationId: 'discardTask',
      tag: 'admin',
      summary: 'Removes a task for good, whatever its state; its instance keeps waiting.',
      answers: { 200: jsonDoc('Removed.', schemaRef('DiscardAnswer')) },
      codes,
      handle: async ({ params }) => jsonAnswer(200, await pull.discard(params['id'] ?? '')),
    }),
  ];
}

function deliveryRoutes({ deliveries }: AdminDeps): readonly Route[] {
  const codes = ['SUTRA.DELIVERY.NOT_FOUND', 'SUTRA.DELIVERY.NOT_POISONED', 'SUTRA.OPERATE.ID_INVALID'];
  return [
    defineRoute({
      method: 'POST',
      path: '/admin/deliveries/{id}/requeue',
      access: 'admin',
      operationId: 'requeueDelivery',
      tag: 'admin',
      summary: 'Has a poisoned delivery tried again at once, under the same idempotency key.',
      answers: { 200: jsonDoc('On its way again.', schemaRef('RequeueDeliveryAnswer')) },
      codes,
      handle: async ({ params }) => {
        const { id, ...rest } = await deliveries.requeue(requireDeliveryId(params['id'] ?? ''));
        return jsonAnswer(200, { deliveryId: id, ...rest, status: 'OPEN' });
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/admin/deliveries/{id}',
      access: 'admin',
      operationId: 'discardDelivery',
      tag: 'admin',
      summary: 'Removes a poisoned delivery for good; an instance that waits for its answer keeps waiting.',
      answers: { 200: jsonDoc('Removed.', schemaRef('DiscardDeliveryAnswer')) },
      codes,
      handle: async ({ params }) => {
        const { id, ...rest } = await deliveries.discard(requireDeliveryId(params['id'] ?? ''));
        return jsonAnswer(200, { deliveryId: id, ...rest, status: 'DISCARDED' });
      },
    }),
  ];
}

function retryRoute(deps: AdminDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/admin/instances/{id}/retry',
    access: 'admin',
    operationId: 'retryInstance',
    tag: 'admin',
    summary: 'Runs the failed elements of a failed instance again, after the cause is gone.',
    body: { isRequired: false, content: { 'application/json': schemaRef('RetryRequest') } },
    answers: { 200: jsonDoc('Run again; the status says how it went.', schemaRef('CommandAnswer')) },
    codes: COMMAND_CODES,
    handle: async (request) => {
      const id = requireInstanceId(request.params['id'] ?? '');
      const body = await request.readOptionalJson();
      const reason = body === undefined ? null : reasonOf(new FieldReader(body, ['reason']));
      return commandAnswer(await deps.instances.retry(id, reason));
    },
  });
}
