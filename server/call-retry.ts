/** Whether a failed function is a failed attempt of its call (`q:retry`), for those who run functions. */
import type { PackageModel } from '../definitions/package-model.ts';
import type { ServerCode } from './codes.ts';

/** Of an error that has no code of its own. */
export const FUNCTION_FAILED: ServerCode = 'SUTRA.REGISTERED.FAILED';

export function hasRetry(
  model: PackageModel | undefined,
  { processId, elementId }: { readonly processId: string; readonly elementId: string },
): boolean {
  const node = model?.processes.get(processId)?.nodes.get(elementId);
  return node !== undefined && 'retry' in node && node.retry !== null;
}
