/**
 * The words in which the rows of EXPECTED.md are written down as data: what is done, and what is then so.
 * `run-scenario.ts` gives them their meaning.
 */
import type { Context } from '../../../definitions/value.ts';

export interface Scenario {
  /** The row of EXPECTED.md. */
  readonly number: number;
  /** Deployed together, as paths inside the corpus. */
  readonly files: readonly string[];
  readonly steps: readonly Step[];
}

export interface Step {
  /** The step of the row; several of ours may make up one of its. */
  readonly number: number;
  readonly actions: readonly Action[];
  readonly expected: Expected;
}

/** Names are element ids. Each is about the instance that was started last, unless it says otherwise. */
export type Action =
  | { readonly kind: 'deploy' }
  /** By the id of a process; null: of the first one. */
  | { readonly kind: 'start'; readonly process: string | null; readonly variables: Context }
  | { readonly kind: 'startByMessage'; readonly message: string }
  /** Starts an instance at every conditional start event whose condition holds. */
  | { readonly kind: 'evaluateStarts'; readonly variables: Context }
  | { readonly kind: 'complete'; readonly task: string; readonly variables: Context }
  | { readonly kind: 'trigger'; readonly task: string }
  | { readonly kind: 'send'; readonly message: string }
  /** To each iteration of a multi-instance activity that waits for it. */
  | { readonly kind: 'sendToEach'; readonly message: string }
  /** To all instances that wait, and to start events. */
  | { readonly kind: 'broadcast'; readonly signal: string }
  /** To the one instance, whether it waits or not. */
  | { readonly kind: 'signal'; readonly signal: string }
  /** The earliest timer of the instance becomes due and is run. */
  | { readonly kind: 'fireTimer' }
  /** So much time passes; then all due timers are run. */
  | { readonly kind: 'pass'; readonly duration: string }
  /** As seen from the user task; null: from the instance. */
  | { readonly kind: 'set'; readonly task: string | null; readonly variables: Context }
  | { readonly kind: 'launch'; readonly adHoc: string; readonly activity: string }
  | { readonly kind: 'completeAdHoc'; readonly adHoc: string }
  | { readonly kind: 'completeJob'; readonly task: string }
  | { readonly kind: 'failJob'; readonly task: string; readonly code: string }
  | { readonly kind: 'cancel' };

/** What is not named here was not said. Lists of ids are compared as multisets. */
export interface Expected {
  /** Where something is waited for: tasks, catch events, calls. */
  readonly active?: readonly string[];
  /** Open user tasks alone. */
  readonly tasks?: readonly string[];
  /** As `active`, of all instances. */
  readonly activeAnywhere?: readonly string[];
  /** Tokens that wait at a join. */
  readonly joining?: readonly string[];
  /** Open message, signal and condition listeners. */
  readonly subscriptions?: number;
  /** The elements that listen. */
  readonly listening?: readonly string[];
  readonly conditions?: number;
  readonly signals?: number;
  readonly timers?: number;
  readonly jobs?: number;
  /** What can still be compensated: runs of activities, by id. */
  readonly pending?: Readonly<Record<string, number>>;
  /** How often elements were entered since the beginning, by all instances. */
  readonly entered?: Readonly<Record<string, number>>;
  /** Elements that were interrupted since the beginning. */
  readonly interrupted?: readonly string[];
  /** Whom the user tasks of an element are assigned to. */
  readonly assigned?: Readonly<Record<string, readonly string[]>>;
  /** The sub-process or process that directly contains each token that waits at an element. */
  readonly inside?: Readonly<Record<string, readonly string[]>>;
  readonly launchable?: readonly string[];
  /** Listeners of the deployed processes by kind of event, and timers that are to start instances. */
  readonly starts?: { readonly conditional?: number; readonly signal?: number; readonly timers?: number };
  /** Instances that are not over, called processes among them. */
  readonly instances?: number;
  /** `running` when not given. */
  readonly ended?: true;
  readonly failed?: { readonly code: string; readonly at: string };
  /** The last action was refused and changed nothing; the code says why. */
  readonly refused?: string;
}

export function row(number: number, files: string | readonly string[], ...steps: readonly Step[]): Scenario {
  return { number, files: typeof files === 'string' ? [files] : files, steps };
}

export function step(number: number, actions: Action | readonly Action[], expected: Expected): Step {
  return { number, actions: 'kind' in actions ? [actions] : actions, expected };
}

export function times(count: number, action: Action): readonly Action[] {
  return Array.from({ length: count }, () => action);
}

export const ENDED: Expected = { active: [], ended: true };

export const deploy: Action = { kind: 'deploy' };
export const cancel: Action = { kind: 'cancel' };
export const fireTimer: Action = { kind: 'fireTimer' };

export function start(variables: Context = {}): Action {
  return { kind: 'start', process: null, variables };
}

export function startProcess(process: string, variables: Context = {}): Action {
  return { kind: 'start', process, variables };
}

export const startByMessage = (message: string): Action => ({ kind: 'startByMessage', message });
export const evaluateStarts = (variables: Context): Action => ({ kind: 'evaluateStarts', variables });
export const complete = (task: string, variables: Context = {}): Action => ({
  kind: 'complete',
  task,
  variables,
});
export const trigger = (task: string): Action => ({ kind: 'trigger', task });
export const send = (message: string): Action => ({ kind: 'send', message });
export const sendToEach = (message: string): Action => ({ kind: 'sendToEach', message });
export const broadcast = (signal: string): Action => ({ kind: 'broadcast', signal });
export const signalInstance = (signal: string): Action => ({ kind: 'signal', signal });
export const pass = (duration: string): Action => ({ kind: 'pass', duration });
export const set = (variables: Context): Action => ({ kind: 'set', task: null, variables });
export const setAt = (task: string, variables: Context): Action => ({ kind: 'set', task, variables });
export const launch = (adHoc: string, activity: string): Action => ({ kind: 'launch', adHoc, activity });
export const completeAdHoc = (adHoc: string): Action => ({ kind: 'completeAdHoc', adHoc });
export const completeJob = (task: string): Action => ({ kind: 'completeJob', task });
export const failJob = (task: string, code: string): Action => ({ kind: 'failJob', task, code });
