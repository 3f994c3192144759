/**
 * What starts instances beside messages: timers, signals, conditions, and a process's id. Pure functions over
 * what is deployed. BPMN 2.0.2 §13.2.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { CompiledExpression } from '../../definitions/feel.ts';
import { startPointsOf, type CatchDefinition, type StartPoint } from '../../definitions/model.ts';
import type { PackageModel } from '../../definitions/package-model.ts';
import type { StartTriggersAt } from '../store/deployments.ts';
import type { LiveDeployment } from './routing.ts';
import { firstTimes } from './start-timer-times.ts';

/** What the store arms when the package becomes active. */
export function startTriggersOf(model: PackageModel): StartTriggersAt {
  const { deploymentId } = model;
  return (nowMs) => ({
    timers: pointsOf(model, 'timer').map(({ processId, point, event }) => ({
      ...keyOf(processId, point),
      deploymentId,
      ...firstTimes(event.timer, nowMs),
    })),
    signals: pointsOf(model, 'signal').map(({ processId, point, event }) => ({
      ...keyOf(processId, point),
      name: event.name,
    })),
  });
}

function keyOf(
  processId: string,
  { nodeId, trigger }: StartPoint,
): { readonly processId: string; readonly startEventId: string; readonly trigger: number } {
  return { processId, startEventId: nodeId, trigger };
}

interface PointOf<Kind extends CatchDefinition['kind']> {
  readonly processId: string;
  readonly point: StartPoint;
  readonly event: Extract<CatchDefinition, { readonly kind: Kind }>;
}

function pointsOf<Kind extends CatchDefinition['kind']>(model: PackageModel, kind: Kind): PointOf<Kind>[] {
  return [...model.processes.values()].flatMap((process) =>
    startPointsOf(process).flatMap((point) =>
      isOf(point.event, kind) ? [{ processId: process.id, point, event: point.event }] : [],
    ),
  );
}

function isOf<Kind extends CatchDefinition['kind']>(
  event: CatchDefinition,
  kind: Kind,
): event is Extract<CatchDefinition, { readonly kind: Kind }> {
  return event.kind === kind;
}

/** Where one process of an active deployment can be started. */
export interface ProcessAddress {
  readonly tenant: string;
  readonly module: string;
  readonly deploymentId: string;
  readonly processId: string;
}

export interface ConditionalStart extends ProcessAddress {
  readonly startEventId: string;
  readonly trigger: number;
  readonly condition: CompiledExpression;
}

/** The conditional start events of a tenant's active deployments. */
export function conditionalStartsOf(
  deployments: readonly LiveDeployment[],
  tenant: string,
): readonly ConditionalStart[] {
  return active(deployments)
    .filter(({ model }) => model.identity.tenant === tenant)
    .flatMap((deployment) =>
      pointsOf(deployment.model, 'conditional').map(({ processId, point, event }) => ({
        ...addressOf(deployment, processId),
        startEventId: point.nodeId,
        trigger: point.trigger,
        condition: event.condition,
      })),
    );
}

/** A start event at which a signal, or a timer, starts a process. */
export interface StartOfTrigger {
  readonly tenant: string;
  readonly module: string;
  readonly processId: string;
  readonly startEventId: string;
  readonly trigger: number;
  /** Null: a timer. */
  readonly signalName: string | null;
}

/** The same start in the active deployment of its module, whatever deployment it was of; null: there is none. */
export function sameStart(
  deployments: readonly LiveDeployment[],
  { tenant, module, processId, startEventId, trigger, signalName }: StartOfTrigger,
): (ProcessAddress & { readonly startEventId: string; readonly trigger: number }) | null {
  const deployment = active(deployments).find(
    ({ model: { identity } }) => identity.tenant === tenant && identity.module === module,
  );
  if (deployment === undefined) return null;
  const { model } = deployment;
  const points =
    signalName === null
      ? pointsOf(model, 'timer').filter(({ point }) => point.trigger === trigger)
      : pointsOf(model, 'signal').filter(({ event }) => event.name === signalName);
  const found = points.find((each) => each.processId === processId && each.point.nodeId === startEventId);
  if (found === undefined) return null;
  return { ...addressOf(deployment, processId), startEventId, trigger: found.point.trigger };
}

export interface ProcessWish {
  readonly processId: string;
  /** Null: whatever there is, if there is only one. */
  readonly tenant: string | null;
  readonly module: string | null;
}

/**
 * The process of that id in an active deployment.
 * @throws EngineError SUTRA.PROCESS.NOT_FOUND, SUTRA.PROCESS.AMBIGUOUS, SUTRA.PROCESS.NO_START
 */
export function processToStart(deployments: readonly LiveDeployment[], wish: ProcessWish): ProcessAddress {
  const { processId, tenant, module } = wish;
  const found = active(deployments).filter(
    ({ model }) =>
      model.processes.has(processId) &&
      (tenant === null || model.identity.tenant === tenant) &&
      (module === null || model.identity.module === module),
  );
  const [first] = found;
  if (first === undefined) {
    throw new EngineError(
      'SUTRA.PROCESS.NOT_FOUND',
      `No active deployment${module === null ? '' : ` of module ${module}`}${tenant === null ? '' : ` of tenant ${tenant}`} has a process ${processId}.`,
      { attributes: { processId } },
    );
  }
  if (found.length > 1) {
    const modules = found.map(({ model }) => `${model.identity.tenant}/${model.identity.module}`).sort();
    throw new EngineError(
      'SUTRA.PROCESS.AMBIGUOUS',
      `The process ${processId} is in ${modules.join(', ')}; say which one with the query parameters module and tenant.`,
      { attributes: { processId, modules } },
    );
  }
  if (first.model.processes.get(processId)?.start.length === 0) {
    throw new EngineError(
      'SUTRA.PROCESS.NO_START',
      `The process ${processId} begins only with a message, a timer, a signal or a condition.`,
      { attributes: { processId } },
    );
  }
  return addressOf(first, processId);
}

/**
 * The tenant that a request means: the one it names, else the only one there is; null: nothing is deployed.
 * @throws EngineError SUTRA.TENANT.AMBIGUOUS
 */
export function tenantOf(deployments: readonly LiveDeployment[], named: string | null): string | null {
  if (named !== null) return named;
  const tenants = [...new Set(deployments.map(({ model }) => model.identity.tenant))].sort();
  if (tenants.length <= 1) return tenants[0] ?? null;
  throw new EngineError(
    'SUTRA.TENANT.AMBIGUOUS',
    `Packages of several tenants are deployed; say which one with the query parameter tenant: ${tenants.slice(0, 10).join(', ')}.`,
  );
}

function active(deployments: readonly LiveDeployment[]): readonly LiveDeployment[] {
  return deployments.filter(({ state }) => state === 'active');
}

function addressOf({ id, model }: LiveDeployment, processId: string): ProcessAddress {
  const { tenant, module } = model.identity;
  return { tenant, module, deploymentId: id, processId };
}
