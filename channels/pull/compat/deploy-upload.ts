/**
 * Deploys what a client of another system uploads. There a process of a newer deployment takes the place of the older
 * one, whatever the deployments are called; here a package takes the place of those of its module.
 *
 * L1 After an upload no process of it is in another active package of the tenant: packages that have no process which
 *    the upload has not are drained, and an upload that shares a process with another kind of package is refused.
 * L2 A crash between the two leaves both active; uploading again ends it.
 */
import { EngineError } from '../../../config/engine-error.ts';
import { quoteText } from '../../../config/quote-text.ts';
import type { PackageModel } from '../../../definitions/package-model.ts';
import { listLiveDeployments } from '../../../engine/store/deployments.ts';
import type { CompatCode } from './codes.ts';
import { packageOfFiles, type LeftOutFile, type PackageWish } from './package-of-files.ts';
import type { CompatPorts, DeployedPackage } from './ports.ts';

export interface DeployedUpload {
  readonly deployed: DeployedPackage;
  readonly model: PackageModel;
  readonly leftOut: readonly LeftOutFile[];
}

type DeployPorts = Pick<CompatPorts, 'database' | 'deploy' | 'drain' | 'model' | 'log'>;

/** @throws EngineError SUTRA.COMPAT.UPLOAD_REFUSED, SUTRA.COMPAT.PROCESS_SHARED, SUTRA.DEPLOYMENT.* */
export async function deployUpload(ports: DeployPorts, wish: PackageWish): Promise<DeployedUpload> {
  const { files, folderName, model: compiled, leftOut } = packageOfFiles(wish);
  const superseded = compiled === null ? [] : await supersededBy(ports, compiled);
  const deployed = await ports.deploy(files, folderName);
  for (const id of superseded) await drain(ports, id, deployed.deploymentId);
  const model = compiled ?? (await ports.model(deployed.deploymentId));
  if (model === null)
    throw new Error(`the deployment ${deployed.deploymentId} was stored and cannot be read`);
  return { deployed, model, leftOut };
}

/** The active deployments of other modules that the upload leaves nothing to start. @throws EngineError (L1) */
async function supersededBy(
  ports: DeployPorts,
  { identity, processes }: PackageModel,
): Promise<readonly string[]> {
  const superseded: string[] = [];
  for (const { id, tenant, module, state } of await listLiveDeployments(ports.database)) {
    if (state !== 'active' || tenant !== identity.tenant || module === identity.module) continue;
    const others = [...((await ports.model(id))?.processes.keys() ?? [])];
    const shared = others.filter((processId) => processes.has(processId));
    if (shared.length === 0) continue;
    if (shared.length < others.length) throw processShared(shared, others, module);
    superseded.push(id);
  }
  return superseded;
}

async function drain(ports: DeployPorts, deploymentId: string, supersededBy: string): Promise<void> {
  try {
    await ports.drain(deploymentId);
    ports.log.info('compat.superseded', { deploymentId, supersededBy });
  } catch (error) {
    // Another upload was faster, or it has retired meanwhile: it starts nothing either way.
    if (!(error instanceof EngineError) || error.code !== 'SUTRA.DEPLOYMENT.NOT_FOUND') throw error;
  }
}

function processShared(shared: readonly string[], others: readonly string[], module: string): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.PROCESS_SHARED';
  const rest = others.filter((id) => !shared.includes(id));
  const list = (ids: readonly string[]): string => ids.slice(0, 5).map(quoteText).join(', ');
  return new EngineError(
    code,
    `the process ${list(shared)} of the upload is already in the module ${quoteText(module)}, which also has ${list(rest)}; upload them together`,
    { attributes: { module, shared, missing: rest } },
  );
}
