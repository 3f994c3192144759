/**
 * A folder of packages, watched: each sub-folder is a package.
 *
 * F1 A package is deployed when this replica first sees it and its id is not known yet, and whenever it
 *    changes afterwards. A restart, or a file that is only touched, never turns an older version active again.
 * F2 Files that are being copied are left alone until two looks in a row see them the same.
 * F3 A package with faults is reported once for each state of its files; the others go on, also when one
 *    cannot even be read.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../../config/engine-error.ts';
import { packageIdOf } from '../../definitions/package.ts';
import { readPackageFolder } from '../../definitions/package-folder.ts';
import { packageLimits } from '../../definitions/package-layout.ts';
import type { Log } from '../observe.ts';
import type { Service } from '../transport.ts';
import type { DeploymentCode } from './codes.ts';
import type { Deployer } from './deployer.ts';
import { compareVersions } from './version-order.ts';

export interface FolderWatchOptions {
  readonly dir: string;
  readonly pollIntervalMs: number;
  readonly deployer: Deployer;
  /** Was a deployment of this id ever stored, in whatever state? */
  readonly isKnown: (deploymentId: string) => Promise<boolean>;
  readonly log: Log;
}

interface SeenPackage {
  signature: string;
  /** The signature that was last acted upon, deployed or reported. */
  handled: string | null;
  /** What was last deployed from here, or was known when it was first seen. */
  deploymentId: string | null;
}

export class FolderWatch implements Service {
  readonly #options: FolderWatchOptions;
  readonly #seen = new Map<string, SeenPackage>();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #isStopped = true;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /** Deploys what is there, before anything is served. @throws EngineError SUTRA.DEPLOYMENT.DIR_UNREADABLE */
  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#look(true);
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#looking?.catch(() => undefined);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look(false)
        .catch((error: unknown) => {
          this.#options.log.warn('deployments-folder-failed', {
            error: error instanceof Error ? error.message : String(error),
          });
        })
        .finally(() => {
          this.#looking = null;
          this.#schedule();
        });
    }, this.#options.pollIntervalMs);
    this.#timer.unref();
  }

  async #look(isFirst: boolean): Promise<void> {
    const names = await packageNames(this.#options.dir);
    const due: string[] = [];
    for (const name of names) {
      const signature = await folderSignature(join(this.#options.dir, name));
      const seen = this.#seen.get(name) ?? { signature: '', handled: null, deploymentId: null };
      const isStable = isFirst || seen.signature === signature;
      seen.signature = signature;
      this.#seen.set(name, seen);
      if (isStable && seen.handled !== signature) due.push(name);
    }
    for (const name of this.#seen.keys()) if (!names.includes(name)) this.#seen.delete(name);
    // Older versions first, so that the newest is deployed last and stays the active one.
    for (const name of due.sort(compareVersions)) await this.#deploy(name);
  }

  async #deploy(name: string): Promise<void> {
    const seen = this.#seen.get(name);
    if (seen === undefined) return;
    const isFirstSight = seen.handled === null;
    seen.handled = seen.signature;
    try {
      const files = await readPackageFolder(join(this.#options.dir, name));
      const id = packageIdOf(files, name);
      if (id !== null && (id === seen.deploymentId || (isFirstSight && (await this.#options.isKnown(id))))) {
        seen.deploymentId = id;
        return;
      }
      const { deploymentId } = await this.#options.deployer.deploy(files, name);
      seen.deploymentId = deploymentId;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.code === 'SUTRA.PERSISTENCE_UNAVAILABLE') {
        seen.handled = isFirstSight ? null : '';
        throw error;
      }
      this.#options.log.error('deployment-refused', {
        package: name,
        code: error.code,
        message: error.message,
        findings: error.attributes['findings'],
      });
    }
  }
}

/** Sub-folders, and links to folders: a mounted volume often consists of them. */
async function packageNames(dir: string): Promise<string[]> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
      .map((entry) => entry.name);
  } catch (cause) {
    const code: DeploymentCode = 'SUTRA.DEPLOYMENT.DIR_UNREADABLE';
    throw new EngineError(
      code,
      `sutra.deployments.dir ${JSON.stringify(dir)} cannot be read: ${reasonOf(cause)}.`,
      { cause },
    );
  }
}

/**
 * Paths, sizes and times of the files that are part of the package: cheap to take, and different after any
 * edit. What cannot be read has a signature too, so that it is reported once like any other fault.
 */
async function folderSignature(dir: string): Promise<string> {
  const parts: string[] = [];
  try {
    await describeFiles(dir, '', 1, parts);
  } catch (error) {
    return `unreadable: ${reasonOf(error)}`;
  }
  return parts.join('\n');
}

async function describeFiles(dir: string, path: string, depth: number, parts: string[]): Promise<void> {
  if (depth > packageLimits.maxFolderDepth) return;
  for (const name of (await readdir(join(dir, path))).sort()) {
    if (name.startsWith('.')) continue;
    if (parts.length > packageLimits.maxFiles) return;
    const child = join(path, name);
    const found = await stat(join(dir, child));
    parts.push(`${child}:${String(found.size)}:${String(found.mtimeMs)}:${String(found.ctimeMs)}`);
    if (found.isDirectory()) await describeFiles(dir, child, depth + 1, parts);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
