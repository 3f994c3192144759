/**
 * How an instance is shown to operators.
 *
 * S1 A variable that the model declares sensitive is named but never shown, in whatever scope it is.
 * S2 Without the model nobody knows which those are, so no variable is shown.
 */
import type { ProcessDefinition } from '../definitions/model.ts';
import type { Context } from '../definitions/value.ts';
import type { Scope, Snapshot, Wait } from '../engine/core/snapshot.ts';
import type { InstanceSummary } from '../engine/store/operate-instances.ts';

export function summaryView(row: InstanceSummary): Record<string, unknown> {
  const { failureCode, failureMessage, failureElement, ...rest } = row;
  const failure =
    failureCode === null ? null : { code: failureCode, message: failureMessage, elementId: failureElement };
  return { ...rest, failure };
}

/** `process` null: the deployment's model cannot be read here. */
export function snapshotView(snapshot: Snapshot, process: ProcessDefinition | null): Record<string, unknown> {
  const scopes = snapshot.scopes.map((scope) => scopeView(scope, process));
  const root = scopes.find((scope) => scope.parentId === null);
  return {
    variables: root?.variables ?? null,
    hiddenVariables: root?.hiddenVariables ?? [],
    areVariablesWithheld: process === null,
    tokens: snapshot.tokens.map((token) => ({
      id: token.id,
      scopeId: token.scopeId,
      elementId: token.elementId,
      state: token.state,
    })),
    scopes: scopes.filter((scope) => scope.parentId !== null),
    waits: snapshot.waits.map(waitView),
  };
}

interface ScopeView {
  readonly id: number;
  readonly parentId: number | null;
  readonly elementId: string;
  /** Null: withheld. */
  readonly variables: Context | null;
  readonly hiddenVariables: readonly string[];
}

function scopeView(scope: Scope, process: ProcessDefinition | null): ScopeView {
  const { id, parentId, elementId } = scope;
  if (process === null) return { id, parentId, elementId, variables: null, hiddenVariables: [] };
  const isHidden = (name: string): boolean => process.variables.get(name)?.isSensitive === true;
  const entries = Object.entries(scope.variables);
  return {
    id,
    parentId,
    elementId,
    variables: Object.fromEntries(entries.filter(([name]) => !isHidden(name))),
    hiddenVariables: entries.map(([name]) => name).filter(isHidden),
  };
}

function waitView(wait: Wait): Record<string, unknown> {
  const common = { id: wait.id, tokenId: wait.tokenId, elementId: wait.elementId, kind: wait.kind };
  switch (wait.kind) {
    case 'timer':
      return { ...common, dueAt: new Date(wait.dueAtMs), purpose: wait.purpose };
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
    case 'user-task':
      return common;
  }
}
