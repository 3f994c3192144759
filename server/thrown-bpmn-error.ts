/** How a `registered:` function says that its work has ended in a BPMN error of the process, which is no failure. */

/**
 * To be thrown by a registered function: the call throws the BPMN error `bpmnErrorCode`. Any object with a
 * `bpmnErrorCode` does the same, so that a function needs not import this class.
 */
export class BpmnError extends Error {
  override readonly name = 'BpmnError';
  /** As the error events of the model name it; 1 to 255 characters. */
  readonly bpmnErrorCode: string;
  /** Written from the call's scope before the error is thrown. */
  readonly variables: Readonly<Record<string, unknown>>;

  constructor(bpmnErrorCode: string, variables: Readonly<Record<string, unknown>> = {}, message = '') {
    super(message);
    this.bpmnErrorCode = bpmnErrorCode;
    this.variables = variables;
  }
}

/** The fields of the call that reports it, beside who reports; null: what was thrown is no BPMN error. */
export function bpmnErrorFields(thrown: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof thrown !== 'object' || thrown === null || !('bpmnErrorCode' in thrown)) return null;
  const message = 'message' in thrown ? thrown.message : '';
  const variables = 'variables' in thrown ? thrown.variables : null;
  return {
    errorCode: thrown.bpmnErrorCode,
    ...(typeof message === 'string' && message !== '' ? { errorMessage: message } : {}),
    ...(variables === null || variables === undefined ? {} : { variables }),
  };
}
