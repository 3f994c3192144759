/** Liveness and readiness. */
import { EngineError } from '../../config/engine-error.ts';
import { probeDatabase } from '../../engine/store/operate-deployments.ts';
import type { Database } from '../../engine/store/database.ts';
import { jsonAnswer } from '../exchange.ts';
import type { ServerDeps } from '../operations.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';

/** An orchestrator asks every few seconds and gives up soon; a database that takes longer is not ready. */
const PROBE_LIMIT_MS = 2_000;

export function healthRoutes(deps: Pick<ServerDeps, 'database' | 'isReady'>): readonly Route[] {
  const probe = new DatabaseProbe(deps.database);
  return [
    defineRoute({
      method: 'GET',
      path: '/sutra/health/live',
      operationId: 'getLive',
      tag: 'health',
      summary: 'Does the process run? Asks nothing of the database.',
      answers: { 200: jsonDoc('It runs.', schemaRef('Live')) },
      handle: () => Promise.resolve(jsonAnswer(200, { status: 'live' })),
    }),
    defineRoute({
      method: 'GET',
      path: '/sutra/health/ready',
      operationId: 'getReady',
      tag: 'health',
      summary: 'Can this replica take work now? Probes the database.',
      answers: { 200: jsonDoc('It can.', schemaRef('Ready')) },
      codes: ['SUTRA.HEALTH.NOT_READY'],
      handle: async () => {
        if (!deps.isReady()) throw notReady('starting-or-stopping', 'this replica is starting or stopping');
        if (!(await probe.answers(PROBE_LIMIT_MS))) {
          throw notReady('database', `the database did not answer within ${String(PROBE_LIMIT_MS)} ms`);
        }
        return jsonAnswer(200, { status: 'ready', database: deps.database.kind });
      },
    }),
  ];
}

function notReady(reason: string, message: string): EngineError {
  return new EngineError('SUTRA.HEALTH.NOT_READY', message, { attributes: { reason } });
}

/** One probe at a time, however often readiness is asked: a database that hangs must not collect probes. */
class DatabaseProbe {
  readonly #database: Database;
  #running: Promise<boolean> | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  async answers(limitMs: number): Promise<boolean> {
    this.#running ??= probeDatabase(this.#database)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#running = null;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        resolve(false);
      }, limitMs);
      timer.unref();
    });
    try {
      return await Promise.race([this.#running, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
