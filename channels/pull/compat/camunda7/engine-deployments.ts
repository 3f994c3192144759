/** `deployment`: uploads, and what is deployed. */
import {
  isDeploymentId,
  readDeployment,
  type DeploymentRow,
} from '../../../../engine/store/operate-deployments.ts';
import { deployUpload, type DeployedUpload } from '../deploy-upload.ts';
import { allDeployments, liveDefinitions } from '../live-definitions.ts';
import { readMultipart, textOf, type FormPart } from '../multipart.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { CamundaFields, jsonAnswer, notFound, requestInvalid } from './camunda-request.ts';
import type { CamundaRoute, PathParams } from './camunda-route.ts';
import { definitionView } from './definition-view.ts';
import { camundaDate, hrefOf, tenantIdOf, tenantOf } from './engine-ids.ts';
import {
  pageOf,
  PAGE_PARAMETERS,
  SORT_PARAMETERS,
  sorted,
  tenantsOf,
  TENANT_PARAMETERS,
} from './engine-queries.ts';

const FIELDS = [
  'deployment-name',
  'enable-duplicate-filtering',
  'deploy-changed-only',
  'deployment-source',
  'deployment-activation-time',
  'tenant-id',
] as const;
type Field = (typeof FIELDS)[number];

/** As long as names of packages may be. A guess. */
const MAX_FIELD_CHARACTERS = 255;

export function deploymentRoutes(ports: CompatPorts): readonly CamundaRoute[] {
  return [
    { method: 'POST', path: 'deployment/create', handle: (request) => create(ports, request) },
    { method: 'GET', path: 'deployment', handle: (request) => list(ports, request) },
    { method: 'GET', path: 'deployment/count', handle: (request) => count(ports, request) },
    { method: 'GET', path: 'deployment/{id}', handle: (request, params) => get(ports, request, params) },
  ];
}

async function create(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  request.checkAdmin();
  const parts = readMultipart(request.headers['content-type'], await request.readBody());
  const fields = new UploadFields(parts);
  const name = fields.text('deployment-name');
  const source = fields.text('deployment-source');
  const isFiltering = fields.flag('enable-duplicate-filtering') || fields.flag('deploy-changed-only');
  if (fields.text('deployment-activation-time') !== null) {
    throw requestInvalid(
      'deployment-activation-time',
      'is not supported: a deployment is active when it is stored',
    );
  }
  const upload = await deployUpload(ports, {
    files: fields.files,
    tenant: tenantOf(fields.text('tenant-id')),
    deploymentName: name,
  });
  return jsonAnswer(
    ports.writeJson,
    await createdView(ports, request, upload, { name, source, isFiltering }),
  );
}

async function createdView(
  ports: CompatPorts,
  request: SurfaceRequest,
  { deployed, leftOut }: DeployedUpload,
  {
    name,
    source,
    isFiltering,
  }: { readonly name: string | null; readonly source: string | null; readonly isFiltering: boolean },
): Promise<Record<string, unknown>> {
  const row = await requireDeployment(ports, deployed.deploymentId);
  const definitions = (await liveDefinitions(ports)).filter(({ deployment }) => deployment.id === row.id);
  // As there: what a filter has found to be deployed already is not deployed by this request.
  const isNothingNew = isFiltering && !deployed.isNew;
  const views = definitions.map((definition) => definitionView(definition));
  const warnings = [
    ...leftOut.map(({ fileName, reason }) => `${fileName} ${reason}; it was left out`),
    ...deployed.warnings.map(({ code, message }) => `${code}: ${message}`),
  ];
  return {
    links: [{ method: 'GET', href: hrefOf(request, `deployment/${row.id}`), rel: 'self' }],
    ...deploymentView(row),
    name: name ?? row.module,
    source,
    deployedProcessDefinitions: isNothingNew
      ? null
      : Object.fromEntries(views.map((view) => [view.id, view])),
    deployedCaseDefinitions: null,
    deployedDecisionDefinitions: null,
    deployedDecisionRequirementsDefinitions: null,
    // Not of Camunda's answer, whose readers pass it over.
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** The name that a client gave is not kept: a deployment is what it holds. */
function deploymentView({ id, module, deployedAt, tenant }: DeploymentRow): Record<string, unknown> {
  return {
    id,
    name: module,
    source: null,
    deploymentTime: camundaDate(deployedAt),
    tenantId: tenantIdOf(tenant),
  };
}

const FILTERS = ['id', 'name', ...TENANT_PARAMETERS];

async function matching({ database }: CompatPorts, fields: CamundaFields): Promise<readonly DeploymentRow[]> {
  const [id, name, tenants] = [fields.text('id'), fields.text('name'), tenantsOf(fields)];
  return (await allDeployments(database)).filter(
    (row) =>
      (id === null || row.id === id) &&
      (name === null || row.module === name) &&
      (tenants === null || tenants.includes(row.tenant)),
  );
}

async function list(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  const fields = CamundaFields.ofQuery(request.query, [...FILTERS, ...PAGE_PARAMETERS, ...SORT_PARAMETERS]);
  const rows = sorted(fields, await matching(ports, fields), {
    id: (row) => row.id,
    name: (row) => row.module,
    deploymentTime: (row) => row.deployedAt.getTime(),
    tenantId: (row) => row.tenant,
  });
  return jsonAnswer(ports.writeJson, pageOf(fields, rows).map(deploymentView));
}

async function count(ports: CompatPorts, request: SurfaceRequest): Promise<SurfaceAnswer> {
  const rows = await matching(ports, CamundaFields.ofQuery(request.query, FILTERS));
  return jsonAnswer(ports.writeJson, { count: rows.length });
}

async function get(ports: CompatPorts, request: SurfaceRequest, params: PathParams): Promise<SurfaceAnswer> {
  const { id = '' } = params;
  const row = await requireDeployment(ports, id);
  const links = [{ method: 'GET', href: hrefOf(request, `deployment/${id}`), rel: 'self' }];
  return jsonAnswer(ports.writeJson, { links, ...deploymentView(row) });
}

async function requireDeployment({ database }: CompatPorts, id: string): Promise<DeploymentRow> {
  const row = isDeploymentId(id) ? await readDeployment(database, id) : null;
  if (row !== null) return row;
  throw notFound(`Deployment with id '${id.slice(0, 100)}' does not exist`);
}

/** The fields and the files of an upload. */
class UploadFields {
  readonly files: readonly { readonly fileName: string; readonly content: Uint8Array }[];
  readonly #texts = new Map<Field, string>();

  constructor(parts: readonly FormPart[]) {
    const files: { fileName: string; content: Uint8Array }[] = [];
    for (const part of parts) {
      const field = FIELDS.find((name) => name === part.name);
      if (field !== undefined) this.#take(field, part);
      else if (part.fileName === null || part.fileName === '') {
        throw requestInvalid(
          part.name.slice(0, 100),
          'is neither a field of a deployment nor a file: it has no file name',
        );
      } else files.push({ fileName: part.fileName, content: part.content });
    }
    this.files = files;
  }

  /** Null: absent, or left empty, as forms do. */
  text(field: Field): string | null {
    return this.#texts.get(field) ?? null;
  }

  flag(field: Field): boolean {
    const text = this.text(field);
    if (text === null || text.toLowerCase() === 'false') return false;
    if (text.toLowerCase() === 'true') return true;
    throw requestInvalid(field, 'must be true or false');
  }

  #take(field: Field, part: FormPart): void {
    if (this.#texts.has(field)) throw requestInvalid(field, 'is given more than once');
    const text = textOf(part).trim();
    if (text.length > MAX_FIELD_CHARACTERS) {
      throw requestInvalid(field, `has more than ${String(MAX_FIELD_CHARACTERS)} characters`);
    }
    if (text !== '') this.#texts.set(field, text);
  }
}
