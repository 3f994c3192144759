/** What became of a task, whoever did the work: a command or an endpoint. */

export type Outcome = Completed | BpmnErrorRaised | Failed;

export interface Completed {
  readonly kind: 'completed';
  /** Null: no result. */
  readonly result: TaskResult | null;
}

/** The bytes go to the engine as they are, so that a number keeps all its digits. */
export interface TaskResult {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

export interface BpmnErrorRaised {
  readonly kind: 'bpmn-error';
  readonly code: string;
  readonly message: string | null;
  readonly variables: Readonly<Record<string, unknown>> | null;
}

export interface Failed {
  readonly kind: 'failed';
  /** One line for a list of incidents. */
  readonly message: string;
  /** What helps to find the cause, or empty. */
  readonly details: string;
  /** False: the task turns terminal at once, whatever it has left. True: one retry is spent. */
  readonly isRetryable: boolean;
  /** Null: the time that the channel has for it. */
  readonly retryAfterMs: number | null;
}

export function failed(message: string, more: Partial<Omit<Failed, 'kind' | 'message'>> = {}): Failed {
  return { kind: 'failed', message, details: '', isRetryable: true, retryAfterMs: null, ...more };
}
