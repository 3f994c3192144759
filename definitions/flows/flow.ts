/**
 * A flow: a process as a list of steps that is read from top to bottom (docs/flows.md).
 *
 * F1 It is what the author wrote, with places, and nothing else: what BPMN needs besides (gateways, sequence flows, the
 *    start and end events of parts) is made from it by build/document.ts, and found again by convert/read-bpmn.ts.
 * F2 Every step has an id. One that was not given is derived from the step itself, never from where it stands
 *    (step-ids.ts).
 * F3 Expressions are FEEL texts here, with or without `=`; they are compiled as those of BPMN files are.
 */
import type { PlaceSource } from '../xml/translated-document.ts';
import type { Written } from '../written.ts';

export interface Flow {
  /** The id of the process. */
  readonly id: Written;
  readonly name: Written | null;
  readonly place: PlaceSource;
  readonly audit?: Audit;
  readonly variables: readonly FlowVariable[];
  /** At least one. Several: each begins an instance, at the first step. */
  readonly starts: readonly Start[];
  readonly steps: Steps;
}

/** `true` or `false`: whether the history has the payloads. BPMN: `q:audit`. */
export type Audit = Written;

/** In the order in which they run. Empty only where the author may leave them out. */
export type Steps = readonly Step[];

/** `variables: { order: { type: context, sensitive: true } }`. BPMN: `q:variable`. */
export interface FlowVariable {
  readonly name: Written;
  readonly type: Written | null;
  readonly isSensitive: boolean;
  readonly isTransient: boolean;
}

/** `name: =expression`. */
export interface Pair {
  readonly name: Written;
  readonly value: Written;
}

/** BPMN: `q:alias`. */
export interface FlowAlias {
  readonly name: Written;
  readonly expression: Written;
  readonly message: Written | null;
  readonly isUnique: boolean;
  /** `reject` or `correlate`. */
  readonly onConflict: Written | null;
  readonly isMulti: boolean;
}

/** BPMN: `q:source`. At most one of `type` and `typePattern`, and of `variable` and `isMerged`, is set. */
export interface FlowSource {
  readonly channel: Written;
  readonly variable: Written | null;
  readonly isMerged: boolean;
  readonly type: Written | null;
  readonly typePattern: Written | null;
  readonly dedupKey: Written | null;
}

/** `PT5M`, or `{ after: … }`, `{ at: … }`, `{ every: … }`. BPMN: timeDuration, timeDate, timeCycle. */
export interface FlowTimer {
  readonly kind: 'after' | 'at' | 'every';
  readonly value: Written;
}

/** What is waited for. */
export type Trigger =
  | { readonly kind: 'message'; readonly source: FlowSource; readonly aliases: readonly FlowAlias[] }
  | { readonly kind: 'timer'; readonly timer: FlowTimer }
  | { readonly kind: 'signal'; readonly signal: Written; readonly variable: Written | null }
  | { readonly kind: 'condition'; readonly condition: Written };

/** BPMN: start event. Without a trigger it is the start by id; it is the only one then. */
export interface Start {
  readonly id: Written;
  readonly name: Written | null;
  readonly place: PlaceSource;
  readonly audit?: Audit;
  readonly trigger: Trigger | null;
  /** Of a start without a trigger; those of messages are in the trigger. */
  readonly aliases: readonly FlowAlias[];
}

interface StepBase {
  readonly id: Written;
  /** Whether the author wrote it. */
  readonly isIdGiven: boolean;
  readonly name: Written | null;
  readonly place: PlaceSource;
  readonly audit?: Audit;
}

/** BPMN: service task on a channel, or on a function of the embedding program. */
export interface CallStep extends StepBase {
  readonly verb: 'call';
  /** Of a channel its name; of a function `registered:<name>`. */
  readonly target: Written;
  readonly input: readonly Pair[];
  readonly output: Written | null;
  readonly headers: readonly Pair[];
  readonly timeout: Written | null;
  readonly retry: FlowRetry | null;
  readonly aliases: readonly FlowAlias[];
  /** Where the answer comes, when it is another channel. */
  readonly response: FlowSource | null;
  readonly throws: readonly { readonly code: Written; readonly when: Written }[];
}

/** BPMN: `q:retry`. */
export interface FlowRetry {
  readonly place: PlaceSource;
  readonly maxAttempts: Written;
  readonly initialDelay: Written | null;
  readonly backoffCoefficient: Written | null;
  readonly maxDelay: Written | null;
  /** Separated by spaces, as `q:retry` has them. */
  readonly nonRetryableCodes: Written | null;
}

/** BPMN: `q:send`. Exactly one of `channel` and `destination` is set. */
export interface FlowMessage {
  readonly channel: Written | null;
  readonly destination: Written | null;
  readonly contentType: Written | null;
  readonly body: Written | null;
  readonly headers: readonly Pair[];
}

/** BPMN: intermediate message throw event. */
export interface SendStep extends StepBase {
  readonly verb: 'send';
  readonly message: FlowMessage;
}

/** BPMN: `q:reply`. */
export interface FlowReply {
  readonly contentType: Written | null;
  readonly body: Written | null;
  readonly headers: readonly Pair[];
  readonly isContinued: boolean;
}

/** BPMN: intermediate throw event without a definition, with `q:reply`. */
export interface ReplyStep extends StepBase {
  readonly verb: 'reply';
  readonly reply: FlowReply;
}

/** BPMN: intermediate signal throw event. */
export interface SignalStep extends StepBase {
  readonly verb: 'signal';
  readonly signal: Written;
  readonly body: Written | null;
}

/** BPMN: intermediate escalation throw event. */
export interface EscalateStep extends StepBase {
  readonly verb: 'escalate';
  readonly code: Written;
}

/** BPMN: intermediate compensation throw event. */
export interface CompensateStep extends StepBase {
  readonly verb: 'compensate';
  /** The id of a `try`; null: `all` that is done and can be undone. */
  readonly target: Written | null;
}

/** For one thing. BPMN: intermediate catch event. */
export interface WaitStep extends StepBase {
  readonly verb: 'wait';
  readonly trigger: Trigger;
}

/** BPMN: event-based gateway, a catch event for each, and a join. */
export interface WaitFirstStep extends StepBase {
  readonly verb: 'wait-first';
  /** At least two. */
  readonly alternatives: readonly (StepBase & { readonly trigger: Trigger; readonly steps: Steps })[];
}

/** BPMN: exclusive gateway and a join. */
export interface ChooseStep extends StepBase {
  readonly verb: 'choose';
  /** At least one; the first that holds is taken. */
  readonly cases: readonly {
    readonly when: Written;
    readonly name: Written | null;
    readonly steps: Steps;
    readonly place: PlaceSource;
  }[];
  /** Null: without a case that holds the flow goes on behind the step. */
  readonly otherwise: Steps | null;
}

export interface Branch {
  readonly name: Written | null;
  readonly place: PlaceSource;
  readonly steps: Steps;
}

/** BPMN: `all`: parallel gateways; `any`: a sub-process, which the first branch that is through terminates. */
export interface ParallelStep extends StepBase {
  readonly verb: 'parallel';
  readonly until: 'all' | 'any';
  /** At least two. */
  readonly branches: readonly Branch[];
}

/** BPMN: sub-process with multi-instance loop characteristics. */
export interface ForEachStep extends StepBase {
  readonly verb: 'for-each';
  readonly item: Written;
  readonly collection: Written;
  readonly isParallel: boolean;
  /** Asked after each: true ends the rest. */
  readonly until: Written | null;
  /** `collect: { results: result }`: what `value` is in the end in each goes into the list `list`. */
  readonly collect: { readonly list: Written; readonly value: Written } | null;
  readonly steps: Steps;
}

/** BPMN: sub-process with standard loop characteristics. At least one of `condition` and `atMost` is set. */
export interface RepeatStep extends StepBase {
  readonly verb: 'repeat';
  /** `while` is asked before each run, `until` after it. */
  readonly condition: { readonly kind: 'while' | 'until'; readonly expression: Written } | null;
  readonly atMost: Written | null;
  readonly steps: Steps;
}

/** BPMN: business rule task with a decision of the package. */
export interface DecideStep extends StepBase {
  readonly verb: 'decide';
  readonly decision: Written;
  readonly input: readonly Pair[];
  readonly output: Written | null;
}

/** Variables or dotted paths, in order. BPMN: service task without implementation, with an output assignment for each. */
export interface SetStep extends StepBase {
  readonly verb: 'set';
  readonly assignments: readonly Pair[];
}

/** A boundary event and what follows it. */
export type Handler = {
  readonly id: Written;
  readonly isIdGiven: boolean;
  readonly name: Written | null;
  readonly place: PlaceSource;
  readonly audit?: Audit;
  readonly steps: Steps;
} & (
  | {
      readonly kind: 'error';
      /** Null: any. */
      readonly code: Written | null;
      readonly codeVariable: Written | null;
      readonly messageVariable: Written | null;
    }
  | { readonly kind: 'timeout'; readonly timer: FlowTimer; readonly isInterrupting: boolean }
  | {
      readonly kind: 'escalation';
      readonly code: Written | null;
      readonly codeVariable: Written | null;
      readonly isInterrupting: boolean;
    }
);

/** BPMN: sub-process with boundary events. */
export interface TryStep extends StepBase {
  readonly verb: 'try';
  readonly steps: Steps;
  readonly handlers: readonly Handler[];
  /** BPMN: a compensation boundary event and, as its handler, a sub-process of these steps. */
  readonly compensation: { readonly place: PlaceSource; readonly steps: Steps } | null;
}

/** Calls another process. BPMN: call activity. */
export interface FlowStep extends StepBase {
  readonly verb: 'flow';
  /** A process id, or FEEL after `=`. */
  readonly process: Written;
  readonly input: readonly Pair[];
  /** Each a variable here and an expression over the called process's variables. */
  readonly output: readonly Pair[];
}

/** BPMN: end event. It ends the path that it stands in; inside a part, the part goes on behind it. */
export interface EndStep extends StepBase {
  readonly verb: 'end';
  /** Everything else in the same scope ends too. */
  readonly isTerminating: boolean;
  readonly message: FlowMessage | null;
  readonly reply: FlowReply | null;
}

/** BPMN: error end event. */
export interface FailStep extends StepBase {
  readonly verb: 'fail';
  readonly code: Written;
}

export type Step =
  | CallStep
  | SendStep
  | ReplyStep
  | SignalStep
  | EscalateStep
  | CompensateStep
  | WaitStep
  | WaitFirstStep
  | ChooseStep
  | ParallelStep
  | ForEachStep
  | RepeatStep
  | DecideStep
  | SetStep
  | TryStep
  | FlowStep
  | EndStep
  | FailStep;

export type Verb = Step['verb'];
