/**
 * Refusals as Camunda 8 words them: problem+json whose `title` is the code of the broker's rejection.
 *
 * R1 What is no more is 404, what cannot be done as things are is 409, what is wrong with the request is 400: there is
 *    no 422 there.
 * R2 A 503 says RESOURCE_EXHAUSTED only when nothing was done: clients repeat such a request by themselves.
 */
import type { Finding } from '../../../../config/engine-error.ts';
import type { SurfaceAnswer, SurfaceProblem } from '../surface.ts';

/** What was refused before anything was done, and may be sent again as it is. */
const SAFE_TO_REPEAT: ReadonlySet<string> = new Set([
  'SUTRA.INTAKE.INSTANCE_BUSY',
  'SUTRA.INTAKE.STOPPING',
  'SUTRA.SHUTTING_DOWN',
  'SUTRA.PERSISTENCE_UNAVAILABLE',
]);

/** Jobs and instances that have ended are unknown there. */
const GONE: ReadonlySet<string> = new Set(['SUTRA.EXTERNAL_TASK.WITHDRAWN', 'SUTRA.CORE.INSTANCE_ENDED']);

const TITLES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'INVALID_STATE',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  504: 'DEADLINE_EXCEEDED',
};

/** Faults of uploaded models that are told one by one; the rest is counted. */
const MAX_FAULTS = 20;

/** `code` is ours, beside the members that there are. */
export function problemAnswer(problem: SurfaceProblem, path: string): SurfaceAnswer {
  const status = statusOf(problem);
  const body = {
    type: 'about:blank',
    title: titleOf(problem, status),
    status,
    detail: detailOf(problem),
    instance: path,
    code: problem.code,
  };
  return {
    status,
    content: { type: 'application/problem+json', bytes: Buffer.from(JSON.stringify(body)) },
  };
}

function statusOf({ status, code }: SurfaceProblem): number {
  if (GONE.has(code)) return 404;
  if (status !== 422) return status;
  return code.split('.')[1] === 'DEPLOYMENT' ? 400 : 409;
}

function titleOf({ code, title, attributes }: SurfaceProblem, status: number): string {
  if (code === 'SUTRA.COMPAT.MESSAGE_EXISTS') return 'ALREADY_EXISTS';
  if (status !== 503) return TITLES[status] ?? title;
  const isUndone = SAFE_TO_REPEAT.has(code) && attributes['outcome'] !== 'unknown';
  return isUndone ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE';
}

/** The faults of a model all together: the clients show the detail and nothing else. */
function detailOf({ code, detail, attributes }: SurfaceProblem): string {
  const { findings } = attributes;
  if (code !== 'SUTRA.DEPLOYMENT.INVALID' || !Array.isArray(findings)) return detail;
  const lines = (findings as readonly Finding[]).slice(0, MAX_FAULTS).map(({ place, message }) => {
    const { file = '', line, elementId } = place;
    const where = [file, line, elementId].filter((part) => part !== undefined && part !== '').join(':');
    return `- ${where}: ${message}`;
  });
  const rest = findings.length - lines.length;
  return [detail, ...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}
