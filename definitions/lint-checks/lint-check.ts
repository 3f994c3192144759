/** What every check of this folder is: a function of the compiled package that says only what it is sure of. */
import type { Finding, Place } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { FlowNode, ProcessDefinition } from '../model.ts';
import type { PackageModel } from '../package-model.ts';
import type { LintCode } from './codes.ts';

/** What the operator of the engine that the package is meant for has set. */
export interface OperatorLimits {
  readonly defaultLockDurationMs: number;
  readonly maxLockDurationMs: number;
  readonly retries: number;
  readonly maxRetries: number;
  readonly retryTimeoutMs: number;
  readonly maxRetryTimeoutMs: number;
  readonly maxPayloadBytes: number;
}

export interface LintContext {
  /** Null: not known, and then nothing is held against it. */
  readonly operator: OperatorLimits | null;
}

/** In no order. */
export type LintCheck = (model: PackageModel, context: LintContext) => readonly Finding[];

/** What a process shows by itself, whatever else is in its package. */
export type ProcessCheck = (process: ProcessDefinition) => readonly Finding[];

/** @param message one sentence without its end, that says what to do */
export function warning(code: LintCode, place: Place, message: string): Finding {
  return { code, severity: 'warning', message: `${message}.`, place };
}

/** As in `receiveTask "await-payment"`. */
export function labelOf({ kind, id }: Pick<FlowNode, 'kind' | 'id'>): string {
  return `${kind} ${quoteText(id)}`;
}
