/** What a handler's end means, before the engine has been told: a result, a failure, or a BPMN error. */
import { resultFields, type Stringify } from './body.ts';
import { BpmnError, messageOf, NonRetryableError, RetryableError, type Failure } from './errors.ts';
import type { Handler, Task, TaskContext } from './task.ts';
import { pathsOf, type StandardSchemaV1 } from './standard-schema.ts';

/** A call of the surface that ends the task's attempt. */
export type Report =
  | { readonly call: 'complete'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly call: 'bpmn-error'; readonly fields: Readonly<Record<string, unknown>> }
  | {
      readonly call: 'failure';
      readonly fields: Readonly<Record<string, unknown>>;
      readonly error: unknown;
    };

export type Classify = (error: unknown) => Failure | undefined;

export interface OutcomeOptions {
  readonly handler: Handler<never>;
  readonly schema: StandardSchemaV1 | null;
  readonly classify: Classify | null;
  readonly stringify: Stringify | null;
  /** Of this attempt; the same however often it is reported. */
  readonly completionId: string;
  readonly log: (line: string) => void;
}

/** The engine keeps 4,000 characters of a message and 100,000 of details, and marks what it cut. */
const MAX_MESSAGE_LENGTH = 10_000;
const MAX_DETAILS_LENGTH = 200_000;

/** Runs the handler. Never rejects. */
export async function outcomeOf(task: Task, context: TaskContext, options: OutcomeOptions): Promise<Report> {
  const { handler, schema, stringify, completionId } = options;
  try {
    const body = schema === null ? task.body : await validated(task.body, schema);
    const result = await handler({ ...task, body } as Task<never>, context);
    return { call: 'complete', fields: { completionId, ...resultFields(result, stringify) } };
  } catch (error) {
    try {
      return reportOf(error, options);
    } catch (fault) {
      // An error whose own fields are not what they say: without types anything may be thrown.
      const message = `what the handler threw cannot be reported: ${messageOf(fault)}`;
      return { call: 'failure', fields: { errorMessage: message }, error };
    }
  }
}

/** The report of what a handler threw. */
function reportOf(error: unknown, options: OutcomeOptions): Report {
  const failure = failureOf(error, options);
  if (!(failure instanceof BpmnError)) return failureReport(failure, error);
  const { code, errorMessage, variables } = failure;
  const fields = {
    completionId: options.completionId,
    errorCode: code,
    ...(errorMessage === null ? {} : { errorMessage }),
    ...(variables === null ? {} : { variables }),
  };
  try {
    JSON.stringify(fields);
  } catch (unwritable) {
    const why = `the variables of BPMN error ${code} cannot be written as JSON: ${messageOf(unwritable)}`;
    return failureReport(new NonRetryableError(why), error);
  }
  return { call: 'bpmn-error', fields };
}

export function failureReport(failure: RetryableError | NonRetryableError, error: unknown): Report {
  const details = failure.details ?? stackOf(failure) ?? stackOf(error);
  const common = {
    errorMessage: messageOf(failure).slice(0, MAX_MESSAGE_LENGTH),
    ...(details === null || details === '' ? {} : { errorDetails: details.slice(0, MAX_DETAILS_LENGTH) }),
  };
  if (failure instanceof NonRetryableError) {
    return { call: 'failure', fields: { ...common, retries: 0 }, error };
  }
  const { retryAfter, retries } = failure;
  const fields = {
    ...common,
    ...(retries === null ? {} : { retries }),
    ...(retryAfter === null ? {} : { retryTimeout: retryAfter }),
  };
  return { call: 'failure', fields, error };
}

function failureOf(error: unknown, { classify, log }: OutcomeOptions): Failure {
  if (isFailure(error)) return error;
  try {
    const classified: unknown = classify?.(error);
    if (isFailure(classified)) return classified;
  } catch (fault) {
    log(`classify failed: ${messageOf(fault)}`);
  }
  return new RetryableError(messageOf(error), { details: stackOf(error) ?? '', cause: error });
}

function isFailure(error: unknown): error is Failure {
  return error instanceof RetryableError || error instanceof NonRetryableError || error instanceof BpmnError;
}

function stackOf(error: unknown): string | null {
  return error instanceof Error && typeof error.stack === 'string' ? error.stack : null;
}

/** @throws NonRetryableError which names the places that are wrong, and none of the values. */
async function validated(body: unknown, schema: StandardSchemaV1): Promise<unknown> {
  const result = await schema['~standard'].validate(body);
  if (result.issues === undefined) return result.value;
  throw new NonRetryableError(`the body does not fit the handler's schema at ${pathsOf(result.issues)}`, {
    details: '',
  });
}
