/** How refusals of the engine half are named in Camunda's errors. What is not here is a `RestException`. */
import type { SurfaceProblem } from '../surface.ts';

/** The exception of Camunda by our code. */
export const camundaTypes: Readonly<Record<string, string>> = {
  'SUTRA.COMPAT.REQUEST_INVALID': 'InvalidRequestException',
  'SUTRA.COMPAT.MULTIPART_INVALID': 'InvalidRequestException',
  'SUTRA.COMPAT.UPLOAD_REFUSED': 'InvalidRequestException',
  'SUTRA.COMPAT.SEARCH_TOO_WIDE': 'InvalidRequestException',
  'SUTRA.COMPAT.NOT_FOUND': 'InvalidRequestException',
  'SUTRA.COMPAT.ROUTE_UNKNOWN': 'NotFoundException',
  'SUTRA.COMPAT.METHOD_NOT_ALLOWED': 'NotAllowedException',
  'SUTRA.COMPAT.MEDIA_TYPE': 'NotSupportedException',
  'SUTRA.COMPAT.PROCESS_SHARED': 'ProcessEngineException',
  'SUTRA.COMPAT.MESSAGE_MISMATCH': 'MismatchingMessageCorrelationException',
  'SUTRA.DEPLOYMENT.INVALID': 'ParseException',
  'SUTRA.INSTANCE.NOT_FOUND': 'InvalidRequestException',
  'SUTRA.OPERATE.ID_INVALID': 'InvalidRequestException',
};

interface ResourceReport {
  readonly errors: readonly unknown[];
  readonly warnings: readonly unknown[];
}

/**
 * The `details` of a `ParseException`: by file, what is wrong where. Null: the problem is no refused deployment.
 * Source: the findings of `SUTRA.DEPLOYMENT.INVALID`.
 */
export function parseDetails({
  code,
  attributes,
}: SurfaceProblem): Readonly<Record<string, ResourceReport>> | null {
  const { findings } = attributes;
  if (code !== 'SUTRA.DEPLOYMENT.INVALID' || !Array.isArray(findings)) return null;
  const byFile = new Map<string, unknown[]>();
  for (const finding of findings as readonly unknown[]) {
    const read = readFinding(finding);
    if (read === null) continue;
    const found = byFile.get(read.file);
    if (found === undefined) byFile.set(read.file, [read.error]);
    else found.push(read.error);
  }
  return Object.fromEntries([...byFile].map(([file, errors]) => [file, { errors, warnings: [] }]));
}

function readFinding(finding: unknown): { readonly file: string; readonly error: unknown } | null {
  if (!isRecord(finding)) return null;
  const place = isRecord(finding['place']) ? finding['place'] : {};
  const elementId = typeof place['elementId'] === 'string' ? place['elementId'] : null;
  return {
    file: typeof place['file'] === 'string' ? place['file'].replace(/^(?:bpmn|rules)\//, '') : 'package',
    error: {
      message: `${String(finding['code'])}: ${String(finding['message'])}`,
      line: place['line'] ?? 0,
      column: place['column'] ?? 0,
      mainElementId: elementId,
      elementIds: elementId === null ? [] : [elementId],
    },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
