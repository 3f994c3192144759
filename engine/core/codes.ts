/** The codes that `advance` puts into refusals and failures. */

/** The shape of a row of `CodeTable`; written out because the core imports nothing but the model. */
interface CoreCodeRow {
  readonly httpStatus: number;
  readonly retry: 'safe' | 'never' | 'after-change';
  readonly meaning: string;
  readonly remedy: string;
}

export const coreCodes = {
  'SUTRA.INBOUND.NOT_CORRELATED': {
    httpStatus: 422,
    retry: 'never',
    meaning: 'The instance does not wait for this message: the wait is over, or there never was one.',
    remedy:
      'Nothing was changed. Compare the key or the aliases of the message with the waits of the instance.',
  },
  'SUTRA.INBOUND.INSTANCE_FAILED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'The instance has failed and takes nothing in until it is repaired.',
    remedy: 'Nothing was changed. Remove the cause, retry the instance, then send the message again.',
  },
  'SUTRA.CORE.WAIT_GONE': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'The timer or the user task is no longer open.',
    remedy: 'Nothing was changed, and nothing is to be done: another event ended the wait first.',
  },
  'SUTRA.CORE.NOT_FAILED': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'Only a failed instance can be retried, and this one has not failed.',
    remedy: 'Nothing was changed. Read the status of the instance.',
  },
  'SUTRA.CORE.INSTANCE_ENDED': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'The instance has ended.',
    remedy: 'Nothing was changed, and nothing is to be done.',
  },
  'SUTRA.CORE.EXPRESSION_FAILED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'An expression of the model could not be evaluated over the variables of the instance.',
    remedy:
      'The instance is kept at the element. Correct the variables and retry it, or deploy a corrected model.',
  },
  'SUTRA.CORE.CONDITION_NOT_BOOLEAN': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'The condition of a sequence flow gave something else than true, false or null.',
    remedy:
      'The instance is kept at the element. Correct the variables and retry it, or deploy a corrected model.',
  },
  'SUTRA.CORE.NO_FLOW_TAKEN': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'No outgoing sequence flow has a condition that holds, and there is no default flow.',
    remedy:
      'The instance is kept at the element. Correct the variables and retry it, or give the model a default flow.',
  },
  'SUTRA.CORE.ALIAS_VALUE_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'The value of a q:alias is not a string, number or boolean of at most 512 well-formed characters.',
    remedy:
      'A start was refused; a running instance is kept at the element. Let the expression yield one key.',
  },
  'SUTRA.CORE.TIMER_VALUE_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'A timer expression gave neither an ISO-8601 duration without years and months nor an instant with offset.',
    remedy:
      'The instance is kept at the element. Correct the variables and retry it, or deploy a corrected model.',
  },
  'SUTRA.CORE.ALIAS_TAKEN': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'An element registers a unique alias whose value belongs to another instance.',
    remedy: 'Retry the instance once the other one has ended, or correct the alias.',
  },
  'SUTRA.CORE.CHANNEL_UNKNOWN': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A computed destination names a channel that the package does not declare, or that is inbound.',
    remedy:
      'The element has sent nothing. Correct the expression, or deploy a package that declares the channel.',
  },
  'SUTRA.CORE.DESTINATION_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'The destination expression of a q:send did not give the name of a channel.',
    remedy: 'The instance is kept at the element, nothing was sent. Correct the variables and retry it.',
  },
  'SUTRA.CORE.HEADER_VALUE_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'The value of a q:header is a list or context, or holds a line break or another control character.',
    remedy: 'The instance is kept at the element, nothing was sent. Correct the variables and retry it.',
  },
  'SUTRA.CORE.ASSIGNMENT_TARGET_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'An assignment names a property of a variable that is not a context.',
    remedy:
      'The instance is kept at the element. Correct the variables and retry it, or deploy a corrected model.',
  },
  'SUTRA.CORE.STEP_LIMIT': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'One turn executed 10,000 flow nodes without coming to rest: most likely a loop without a wait.',
    remedy:
      'The instance is kept where it was stopped. A retry goes on for as many again; correct the model otherwise.',
  },
  'SUTRA.CORE.JOIN_STUCK': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'All that is left of the instance waits at joining gateways for tokens that can never come.',
    remedy:
      'The instance is kept. The model joins branches that are not all taken: correct it, then cancel this instance.',
  },
  'SUTRA.BPMN_ERROR.UNCAUGHT': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A BPMN error was thrown and no boundary event around it catches its code.',
    remedy:
      'The instance is kept at the throwing element. Add a boundary error event, or remove the cause and retry.',
  },
  'SUTRA.CALL.TIMEOUT': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'No answer came to a channel call within its q:timeout, and no boundary event catches this code.',
    remedy:
      'The request was withdrawn. Look at the workers or the peer of the channel; a retry sends a fresh request.',
  },
} as const satisfies Readonly<Record<string, CoreCodeRow>>;

export type CoreCode = keyof typeof coreCodes;
