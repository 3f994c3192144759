/** An operator lets an instance go on with another deployment of its module, or asks what that would do. */
import { isDeploymentId } from '../../engine/store/operate-deployments.ts';
import { jsonAnswer } from '../exchange.ts';
import { requireInstanceId } from '../instance-ids.ts';
import { FieldReader } from '../json-body.ts';
import type { ServerDeps } from '../operations.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';
import { COMMAND_CODES, reasonOf } from './instances.ts';
import { isDryRun } from './move.ts';

/** As many as a large process has elements; a guess. */
export const MAX_MAPPED_ELEMENTS = 1_000;
/** As for names elsewhere. */
const MAX_ID_CHARACTERS = 255;

export function migrateRoute({ instances }: Pick<ServerDeps, 'instances'>): Route {
  return defineRoute({
    method: 'POST',
    path: '/admin/instances/{id}/migrate',
    access: 'admin',
    operationId: 'migrateInstance',
    tag: 'admin',
    summary:
      'Lets an instance go on with another deployment of its module, tasks included, or refuses with all reasons; with `dryRun` it only says which.',
    body: { isRequired: true, content: { 'application/json': schemaRef('MigrateRequest') } },
    answers: {
      200: jsonDoc(
        'Migrated, or what a migration would do; the status says how it went.',
        schemaRef('MigrateAnswer'),
      ),
    },
    codes: [...COMMAND_CODES, 'SUTRA.CORE.MIGRATION_REFUSED', 'SUTRA.DEPLOYMENT.TARGET_INVALID'],
    handle: async (request) => {
      const id = requireInstanceId(request.params['id'] ?? '');
      const fields = new FieldReader(await request.readJson(), [
        'deploymentId',
        'elements',
        'dryRun',
        'reason',
      ]);
      const deploymentId = deploymentOf(fields);
      const elements = elementsOf(fields);
      const reason = reasonOf(fields);
      if (isDryRun(fields)) {
        const preview = await instances.previewMigration(id, deploymentId, elements);
        const { instanceId, status, ...rest } = preview;
        return jsonAnswer(200, { instanceId, status, deploymentId, isDryRun: true, preview: rest });
      }
      const { instanceId, status } = await instances.migrate(id, deploymentId, elements, reason);
      return jsonAnswer(200, { instanceId, status, deploymentId, isDryRun: false });
    },
  });
}

function deploymentOf(fields: FieldReader): string {
  const id = fields.text('deploymentId', MAX_ID_CHARACTERS);
  if (isDeploymentId(id)) return id;
  throw fields.refuse(
    'deploymentId',
    'must be an id of GET /sutra/deployments: "dep-" and 24 hexadecimal digits',
  );
}

function elementsOf(fields: FieldReader): Readonly<Record<string, string>> {
  if (!fields.has('elements')) return {};
  const given = fields.object('elements');
  const ids = Object.keys(given);
  if (ids.length > MAX_MAPPED_ELEMENTS) {
    const most = String(MAX_MAPPED_ELEMENTS);
    throw fields.refuse('elements', `has ${String(ids.length)} entries; at most ${most} are taken`);
  }
  const element = new FieldReader(given, ids, 'elements');
  return Object.fromEntries(ids.map((id) => [id, element.text(id, MAX_ID_CHARACTERS)]));
}
