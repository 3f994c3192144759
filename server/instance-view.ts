/**
 * How an instance is shown to operators.
 *
 * S1 A variable that the model declares sensitive is named but never shown, in whatever scope it is: that of the
 *    process and of its sub-processes, and, by the same name, those of the processes that it calls.
 * S2 Without the model nobody knows which those are, so no variable is shown; in a called process, without
 *    those of the process and of all that led to it.
 */
import type { ProcessDefinition } from '../definitions/model.ts';
import type { Context } from '../definitions/value.ts';
import type { Scope, Snapshot, Token, Wait } from '../engine/core/snapshot.ts';
import type { InstanceSummary } from '../engine/store/operate-instances.ts';

export function summaryView(row: InstanceSummary): Record<string, unknown> {
  const { failureCode, failureMessage, failureElement, ...rest } = row;
  const failure =
    failureCode === null ? null : { code: failureCode, message: failureMessage, elementId: failureElement };
  return { ...rest, failure };
}

/** Null: the deployment's model cannot be read here. */
export type ProcessOf = (deploymentId: string, processId: string) => ProcessDefinition | null;

export interface SnapshotView {
  /** Of the process itself. Null: withheld. */
  readonly variables: Context | null;
  readonly hiddenVariables: readonly string[];
  readonly areVariablesWithheld: boolean;
  readonly tokens: readonly Record<string, unknown>[];
  readonly scopes: readonly ScopeView[];
  readonly waits: readonly Record<string, unknown>[];
}

/** `snapshot` with the parts that are to be shown. */
export function snapshotView(snapshot: Snapshot, processOf: ProcessOf): SnapshotView {
  const parts = snapshot.parts ?? [];
  const allScopes = [...snapshot.scopes, ...parts.flatMap((part) => part.scopes)];
  const sensitive = new SensitiveNames(snapshot, allScopes, processOf);
  const viewOf = (partId: number | null) => (scope: Scope) => scopeView(scope, partId, sensitive.of(scope));
  const root = snapshot.scopes.filter((scope) => scope.parentId === null).map(viewOf(null))[0];
  const inner = snapshot.scopes.filter((scope) => scope.parentId !== null).map(viewOf(null));
  return {
    variables: root?.variables ?? null,
    hiddenVariables: root?.hiddenVariables ?? [],
    areVariablesWithheld: root === undefined || root.variables === null,
    tokens: [
      ...snapshot.tokens.map((token) => tokenView(token, null)),
      ...parts.flatMap(({ id, tokens }) => tokens.map((token) => tokenView(token, id))),
    ],
    scopes: [...inner, ...parts.flatMap(({ id, scopes }) => scopes.map(viewOf(id)))],
    waits: [
      ...snapshot.waits.map((wait) => waitView(wait, null)),
      ...parts.flatMap(({ id, waits }) => waits.map((wait) => waitView(wait, id))),
    ],
  };
}

/** The deployments whose processes run in the instance, called ones included. */
export function deploymentsIn(snapshot: Snapshot): readonly string[] {
  const scopes = [...snapshot.scopes, ...(snapshot.parts ?? []).flatMap((part) => part.scopes)];
  const called = scopes.flatMap((scope) => (scope.called === undefined ? [] : [scope.called.deploymentId]));
  return [...new Set([snapshot.deploymentId, ...called])];
}

/** Which names are sensitive in which scope. */
class SensitiveNames {
  readonly #scopes: ReadonlyMap<number, Scope>;
  readonly #processOf: ProcessOf;
  readonly #root: ReadonlySet<string> | null;
  readonly #known = new Map<number, ReadonlySet<string> | null>();

  constructor({ deploymentId, processId }: Snapshot, scopes: readonly Scope[], processOf: ProcessOf) {
    this.#scopes = new Map(scopes.map((scope) => [scope.id, scope]));
    this.#processOf = processOf;
    this.#root = sensitiveNames(processOf(deploymentId, processId));
  }

  /** Null: not known, so everything is. */
  of(scope: Scope): ReadonlySet<string> | null {
    let names = this.#known.get(scope.id);
    if (names === undefined) {
      names = this.#find(scope);
      this.#known.set(scope.id, names);
    }
    return names;
  }

  #find({ parentId, called }: Scope): ReadonlySet<string> | null {
    if (parentId === null) return this.#root;
    const parent = this.#scopes.get(parentId);
    const outer = parent === undefined ? null : this.of(parent);
    if (called === undefined || outer === null) return outer;
    const own = sensitiveNames(this.#processOf(called.deploymentId, called.processId));
    return own === null ? null : new Set([...outer, ...own]);
  }
}

function sensitiveNames(process: ProcessDefinition | null): ReadonlySet<string> | null {
  if (process === null) return null;
  const inside = [...process.nodes.values()].flatMap((node) =>
    node.kind === 'subProcess' ? [...node.variables.values()] : [],
  );
  const declared = [...process.variables.values(), ...inside];
  return new Set(declared.filter((variable) => variable.isSensitive).map((variable) => variable.name));
}

function tokenView(token: Token, partId: number | null): Record<string, unknown> {
  const { id, scopeId, elementId, state, loop } = token;
  const { total, started, active, completed } = loop ?? {};
  return {
    id,
    scopeId,
    elementId,
    state,
    partId,
    loop: loop === undefined ? null : { total, started, active, completed },
  };
}

export interface ScopeView {
  readonly id: number;
  readonly parentId: number | null;
  readonly elementId: string;
  readonly kind: NonNullable<Scope['kind']> | null;
  /** Of a run of a loop: which one. */
  readonly index: number | null;
  readonly called: NonNullable<Scope['called']> | null;
  readonly partId: number | null;
  /** Null: withheld. */
  readonly variables: Context | null;
  readonly hiddenVariables: readonly string[];
}

function scopeView(scope: Scope, partId: number | null, sensitive: ReadonlySet<string> | null): ScopeView {
  const { id, parentId, elementId, kind = null, index = null, called = null } = scope;
  const view = { id, parentId, elementId, kind, index, called, partId };
  if (sensitive === null) return { ...view, variables: null, hiddenVariables: [] };
  const entries = Object.entries(scope.variables);
  return {
    ...view,
    variables: Object.fromEntries(entries.filter(([name]) => !sensitive.has(name))),
    hiddenVariables: entries.map(([name]) => name).filter((name) => sensitive.has(name)),
  };
}

function waitView(wait: Wait, partId: number | null): Record<string, unknown> {
  const { id, tokenId, scopeId = null, elementId, kind } = wait;
  const common = { id, tokenId, scopeId, elementId, partId, kind };
  switch (wait.kind) {
    case 'timer':
      return {
        ...common,
        dueAt: new Date(wait.dueAtMs),
        purpose: wait.purpose,
        cycle: wait.cycle ?? null,
      };
    case 'message':
      return { ...common, channel: wait.channel, aliases: wait.aliases };
    case 'call':
      return {
        ...common,
        channel: wait.channel,
        requestChannel: wait.requestChannel,
        idempotencyKey: wait.idempotencyKey,
        attempt: wait.attempt,
        aliases: wait.aliases,
      };
    case 'signal':
      return { ...common, name: wait.name };
    case 'user-task':
    case 'condition':
    case 'ad-hoc':
      return common;
  }
}
