/**
 * Refusals as Camunda 7 words them: `{"type", "message", "code"}`, and the statuses that its clients tell apart.
 *
 * C1 A task that there is no more is 404, one that is another's is 400, and a process that could not go on is 500: so the
 *    clients choose between "gone", "lost" and "failed".
 * C2 Our own code goes along in the header `sutra-code`.
 */
import type { SurfaceAnswer, SurfaceProblem } from '../surface.ts';
import { camundaTypes, parseDetails } from './engine-errors.ts';

interface Wording {
  readonly status: number;
  readonly type: string;
}

const taken: Wording = { status: 400, type: 'RestException' };
const gone: Wording = { status: 404, type: 'RestException' };

/** Source: Camunda 7, REST API reference, External Task; what its clients' own tests expect. */
const taskWordings: Readonly<Record<string, Wording>> = {
  'SUTRA.EXTERNAL_TASK.REQUEST_INVALID': { status: 400, type: 'InvalidRequestException' },
  'SUTRA.EXTERNAL_TASK.NOT_FOUND': gone,
  'SUTRA.EXTERNAL_TASK.WITHDRAWN': gone,
  'SUTRA.EXTERNAL_TASK.LOCK_LOST': taken,
  'SUTRA.EXTERNAL_TASK.LOCK_HELD': taken,
  'SUTRA.EXTERNAL_TASK.TERMINAL': taken,
  'SUTRA.EXTERNAL_TASK.NOT_TERMINAL': taken,
  'SUTRA.EXTERNAL_TASK.COMPLETION_CONFLICT': taken,
  'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED': { status: 500, type: 'ProcessEngineException' },
};

const typesOfStatuses: Readonly<Record<number, string>> = {
  401: 'AuthenticationException',
  403: 'AuthorizationException',
};

/** Exceptions of the engine itself have a number beside their type: 0 is that of all that have none of their own. */
const ENGINE_EXCEPTIONS: ReadonlySet<string> = new Set(['RestException', 'ProcessEngineException']);

export function camundaProblem(problem: SurfaceProblem): SurfaceAnswer {
  const { status, type } = taskWordings[problem.code] ?? {
    status: statusOf(problem),
    type: typeOf(problem),
  };
  const details = parseDetails(problem);
  const body = {
    type,
    message: problem.detail,
    code: ENGINE_EXCEPTIONS.has(type) ? 0 : null,
    ...(details === null ? {} : { details }),
  };
  return {
    status,
    content: { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) },
    headers: { 'sutra-code': problem.code },
  };
}

/** Camunda has one status for what is refused as it is: clients know no 409 and no 422. */
function statusOf({ status }: SurfaceProblem): number {
  return status === 409 || status === 422 ? 400 : status;
}

function typeOf({ code, status }: SurfaceProblem): string {
  const own = camundaTypes[code] ?? typesOfStatuses[status];
  return own ?? (status >= 500 ? 'ProcessEngineException' : 'RestException');
}
