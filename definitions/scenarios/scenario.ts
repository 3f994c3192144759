/** A scenario as it was written: what comes in, what workers answer, what must be true in the end. */
import type { Place } from '../../config/engine-error.ts';
import type { CompiledExpression } from '../feel.ts';
import type { Context, Value } from '../value.ts';

export interface Scenario {
  /** The path inside the package. */
  readonly file: string;
  readonly name: string;
  readonly place: Place;
  /** What the clock shows when it begins. */
  readonly startsAtMs: number;
  readonly steps: readonly ScenarioStep[];
  /** By channel, in the order in which they are tried. */
  readonly answers: ReadonlyMap<string, ChannelAnswers>;
  readonly expect: Expectations;
}

// --- steps -------------------------------------------------------------------------------------

export type ScenarioStep = SendStep | StartStep | SignalStep | CompleteStep | AfterStep;

export interface SendStep {
  readonly kind: 'send';
  readonly channel: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What becomes of it: a code means that it is refused with it. */
  readonly becomes: 'accepted' | 'duplicate' | { readonly refused: string };
  readonly place: Place;
}

export interface StartStep {
  readonly kind: 'start';
  readonly process: string;
  readonly variables: Context;
  readonly place: Place;
}

export interface SignalStep {
  readonly kind: 'signal';
  readonly name: string;
  readonly payload: Value;
  readonly place: Place;
}

/** A person completes a user task. */
export interface CompleteStep {
  readonly kind: 'complete';
  readonly element: string;
  readonly variables: Context;
  readonly place: Place;
}

export interface AfterStep {
  readonly kind: 'after';
  readonly durationMs: number;
  readonly place: Place;
}

// --- answers -----------------------------------------------------------------------------------

export interface ChannelAnswers {
  readonly answers: readonly Answer[];
  readonly place: Place;
}

export interface Answer {
  /** Over `body`, `headers`, `attempt` and `element`. Null: always. */
  readonly when: CompiledExpression | null;
  /** How many tasks or calls it answers; null: any number. */
  readonly times: number | null;
  readonly outcome: AnswerOutcome;
  readonly place: Place;
}

export type AnswerOutcome =
  | { readonly kind: 'result'; readonly result: AnswerResult; readonly status: number | null }
  | {
      readonly kind: 'failure';
      readonly message: string;
      /** The budget that is left; null: one less. */
      readonly retries: number | null;
      /** ISO-8601; null: as the channel says. */
      readonly retryAfter: string | null;
      /** Of what a registered function throws; null: as one without a code. */
      readonly code: string | null;
    }
  | BpmnErrorOutcome
  | { readonly kind: 'left-open' };

/** The work has ended in an error that the model knows. */
export interface BpmnErrorOutcome {
  readonly kind: 'bpmn-error';
  /** 1 to 255 characters. */
  readonly code: string;
  readonly codePlace: Place;
  /** Null: nothing is said but the code. */
  readonly message: string | null;
  /** Null: none are written. */
  readonly variables: Context | null;
}

export type AnswerResult =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'expression'; readonly expression: CompiledExpression }
  | { readonly kind: 'text'; readonly text: string }
  /** An HTTP answer without a body. */
  | { readonly kind: 'nothing' };

// --- expectations ------------------------------------------------------------------------------

export const instanceStatuses = ['running', 'completed', 'terminated', 'failed'] as const;
export type ExpectedStatus = (typeof instanceStatuses)[number];

/** What was written under a key, and where. */
export interface Expected<Value> {
  readonly value: Value;
  readonly place: Place;
}

/** What must be true of one instance; what is null is not looked at. */
export interface InstanceExpectations {
  readonly status: Expected<ExpectedStatus> | null;
  readonly failure: Expected<string> | null;
  readonly waitingAt: readonly Expected<string>[] | null;
  readonly path: readonly Expected<string>[] | null;
  readonly notPassed: readonly Expected<string>[];
  readonly variables: ReadonlyMap<string, Expected<Value>>;
  readonly place: Place;
}

export interface Expectations extends InstanceExpectations {
  /** Of which process the instance is. Null: the first that was started. */
  readonly process: Expected<string> | null;
  /** How many instances were started in all. */
  readonly instances: Expected<number> | null;
  readonly sent: readonly ExpectedDelivery[];
  readonly notSent: readonly Expected<string>[];
  readonly reply: ExpectedReply | null;
  readonly others: readonly OtherInstance[];
}

/** Of another instance: the first of that process that no entry before it was about. */
export interface OtherInstance extends InstanceExpectations {
  readonly process: Expected<string>;
}

export interface ExpectedDelivery {
  readonly channel: string;
  readonly body: Expected<Value> | null;
  readonly text: Expected<string> | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly place: Place;
}

/** What the sender of the first message on an HTTP channel got. */
export interface ExpectedReply {
  readonly status: Expected<number> | null;
  readonly body: Expected<Value> | null;
  readonly text: Expected<string> | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly place: Place;
}
