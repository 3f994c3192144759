/** `POST /v2/deployments`: the uploaded models become a package of their own. */
import { EngineError } from '../../../../config/engine-error.ts';
import { quoteText } from '../../../../config/quote-text.ts';
import type { CompatCode } from '../codes.ts';
import { deployUpload } from '../deploy-upload.ts';
import { readMultipart, textOf } from '../multipart.ts';
import { packagePathOf, type UploadedFile } from '../package-of-files.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { jsonAnswer, type Camunda8Route } from './camunda8-route.ts';
import type { Definitions } from './definitions.ts';
import { deploymentKeyOf } from './keys.ts';
import { invalidRequest } from './request-body.ts';
import { tenantIdOf, tenantOfRequest } from './tenants.ts';

export function deploymentsRoute(ports: CompatPorts, definitions: Definitions): Camunda8Route {
  return {
    method: 'POST',
    path: 'deployments',
    handle: (request) => deploy(ports, definitions, request),
  };
}

interface Upload {
  readonly files: readonly UploadedFile[];
  readonly tenant: string;
}

async function deploy(
  ports: CompatPorts,
  definitions: Definitions,
  request: SurfaceRequest,
): Promise<SurfaceAnswer> {
  // As of every deployment.
  request.checkAdmin();
  const { files, tenant } = readUpload(request.headers['content-type'], await request.readBody());
  const { deployed, model } = await deployUpload(ports, { files, tenant, deploymentName: null });
  const byPath = new Map(files.map(({ fileName }) => [packagePathOf(fileName), fileName]));
  const deployments = (await definitions.in(model)).map((definition) => {
    const file = model.processes.get(definition.processDefinitionId)?.place.file ?? '';
    return { processDefinition: { ...definition, resourceName: byPath.get(file) ?? file } };
  });
  const { deploymentId } = deployed;
  const answer = { deploymentKey: deploymentKeyOf(deploymentId), tenantId: tenantIdOf(tenant), deployments };
  return jsonAnswer(ports.writeJson(answer));
}

/** @throws SUTRA.COMPAT.MEDIA_TYPE, MULTIPART_INVALID, REQUEST_INVALID, UPLOAD_REFUSED */
function readUpload(contentType: string | undefined, body: Uint8Array): Upload {
  const files: UploadedFile[] = [];
  let tenantId: string | null = null;
  for (const part of readMultipart(contentType, body)) {
    if (part.name === 'tenantId' && tenantId === null) {
      tenantId = textOf(part);
    } else if (part.name === 'resources') {
      files.push({ fileName: fileNameOf(part.fileName), content: part.content });
    } else {
      const name = quoteText(part.name);
      throw invalidRequest(
        'body',
        `The part ${name} is unknown or comes twice; known are resources and one tenantId.`,
      );
    }
  }
  if (files.length === 0) throw invalidRequest('resources', 'At least one part resources is required.');
  return { files, tenant: tenantOfRequest(tenantId) };
}

/** Forms are left out, as whoever lists user tasks shows them; anything else would be missed. */
function fileNameOf(fileName: string | null): string {
  if (fileName === null || fileName === '') {
    throw invalidRequest('resources', 'A part resources has no file name.');
  }
  if (packagePathOf(fileName) === null && !fileName.toLowerCase().endsWith('.form')) {
    const code: CompatCode = 'SUTRA.COMPAT.UPLOAD_REFUSED';
    throw new EngineError(code, `The file ${quoteText(fileName)} is no model of BPMN or DMN, and no form.`);
  }
  return fileName;
}
