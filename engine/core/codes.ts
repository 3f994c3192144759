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
  'SUTRA.CORE.TASK_PRIORITY_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      "The priority of a channel (task: priority), or that of a vendor's file, gave the task of an element no whole number of 32 bits.",
    remedy:
      'The instance is kept at the element, and nothing was sent. Correct what the expression reads and retry it, or deploy a package in which it always gives a number.',
  },
  'SUTRA.CORE.EXPRESSION_FAILED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'An expression of the model could not be evaluated over the variables of the instance.',
    remedy:
      'The instance is kept at the element. Correct the variables and retry it, or deploy a corrected model.',
  },
  'SUTRA.CORE.DECISION_FAILED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'The decision of a business rule task gives no result for the variables of the instance: its hit policy is violated, a value is not of its type or not allowed, or the result is a range or a function.',
    remedy:
      'The instance is kept at the element; the message names the place in the decision model. Correct the variables and retry it, or deploy a corrected model.',
  },
  'SUTRA.CORE.VALUE_TOO_LARGE': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'An expression gave a value larger than 10,485,760: the characters of its strings, and 3 for each value in it.',
    remedy:
      'The instance is kept at the element. Most likely a loop lets a variable grow without end: correct the model.',
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
  'SUTRA.CORE.LOOP_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'The cardinality of a multi-instance activity is not a whole number from 0 to 100,000, or its collection is not a list of at most that many.',
    remedy: 'The instance is kept at the element, no run was started. Correct the variables and retry it.',
  },
  'SUTRA.CORE.CALLED_PROCESS_UNKNOWN': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A call activity names a process that no active package has, or its expression names none.',
    remedy: 'The instance is kept at the element. Deploy the package with that process, then retry it.',
  },
  'SUTRA.CORE.CALLED_PROCESS_NOT_STARTABLE': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'The called process has no none start event, so only messages or timers can start it.',
    remedy: 'The instance is kept at the element. Give the called process a none start event, then retry.',
  },
  'SUTRA.CORE.CALL_TOO_DEEP': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'Call activities are nested more than 50 deep: most likely a process calls itself without end.',
    remedy: 'The instance is kept at the innermost call. Correct the model, then cancel this instance.',
  },
  'SUTRA.CORE.DISPATCH_NO_MATCH': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'No case of a q:dispatch holds, and it has no default.',
    remedy: 'The instance is kept at the element. Correct the variables and retry it, or add a default.',
  },
  'SUTRA.CORE.CANCEL_UNCAUGHT': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A transaction was cancelled and compensated, but no cancel boundary event leads on from it.',
    remedy: 'The instance is kept at the cancel end event. Deploy a model with a cancel boundary event.',
  },
  'SUTRA.CORE.ACTIVITY_NOT_LAUNCHABLE': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'The ad hoc sub-process has no such activity that can be launched.',
    remedy: 'Nothing was changed. Launch an activity inside it that has no incoming sequence flow.',
  },
  'SUTRA.CORE.AD_HOC_BUSY': {
    httpStatus: 409,
    retry: 'safe',
    meaning:
      'The ad hoc sub-process runs its activities one at a time and one is running, or it was to be completed while activities run.',
    remedy: 'Nothing was changed. Complete the running activities first.',
  },
  'SUTRA.CORE.RECORD_KEY_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'The key of a q:store is not a string, number or boolean of at most 512 well-formed characters.',
    remedy: 'The instance is kept at the element. Correct the variables and retry it.',
  },
  'SUTRA.CORE.RECORD_FIELD_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A q:store names a field of a record that is not a context.',
    remedy: 'The instance is kept at the element. Correct the record or the model, then retry it.',
  },
  'SUTRA.CORE.RECORD_UNEXPECTED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A record of a data store does not have the value that q:store expects, so it was not written.',
    remedy:
      'The instance is kept at the element. Read the record again in the model, or correct it, then retry.',
  },
  'SUTRA.CORE.MOVE_TOKEN_MISSING': {
    httpStatus: 409,
    retry: 'never',
    meaning:
      'There is no token at the element from which one was to be moved, or not the one that was named.',
    remedy: 'Nothing was changed. Read the tokens of the instance: it may have gone on meanwhile.',
  },
  'SUTRA.CORE.MOVE_TOKEN_AMBIGUOUS': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'Several tokens are at the element from which one was to be moved.',
    remedy: 'Nothing was changed. Name the one that is meant by its tokenId.',
  },
  'SUTRA.CORE.MOVE_TOKEN_COMPENSATES': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'The token runs compensation, or is at a compensation handler: it has no way on in the flow.',
    remedy: 'Nothing was changed. Repair or retry the handler, or move a token inside it.',
  },
  'SUTRA.CORE.MOVE_OVERLAP': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'Two moves of one command concern the same token, or one of them a token inside the other.',
    remedy:
      'Nothing was changed. Name each token once; what is inside an activity ends when its token moves.',
  },
  'SUTRA.CORE.MOVE_TARGET_UNKNOWN': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'The process has no flow node with the id to which a token was to be moved.',
    remedy: 'Nothing was changed. Give the id of an activity, event or gateway; a sequence flow is none.',
  },
  'SUTRA.CORE.MOVE_SCOPE_DIFFERS': {
    httpStatus: 409,
    retry: 'after-change',
    meaning:
      'The target is not in the same process or sub-process as the token. The message names the scope of the token.',
    remedy:
      'Nothing was changed. Move to an element of that scope, or move the token of the sub-process itself.',
  },
  'SUTRA.CORE.MOVE_TARGET_INVALID': {
    httpStatus: 409,
    retry: 'after-change',
    meaning:
      'No token can be put at a boundary event, a start event, an event sub-process or a compensation handler.',
    remedy: 'Nothing was changed. Move to what follows it.',
  },
  'SUTRA.CORE.STILL_FAILED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'Several elements of the instance had failed, and the token of the one that was shown has been moved away.',
    remedy:
      'The instance is kept at the element; the history has the code of its failure. Retry the instance, or move that token too.',
  },
  'SUTRA.CORE.MIGRATION_REFUSED': {
    httpStatus: 409,
    retry: 'after-change',
    meaning:
      'The instance cannot go on with the model of the other deployment as it is: `reasons` says what is in the way, element by element.',
    remedy:
      'Nothing was changed. Map the elements that have other ids, move the tokens that have no place there, or correct the new model.',
  },
  'SUTRA.CORE.SIGNAL_UNHEARD': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'The instance does not wait for this signal.',
    remedy: 'Nothing was changed, and nothing is to be done.',
  },
  'SUTRA.CORE.STEP_LIMIT': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'One turn executed 10,000 flow nodes, and 10 more for each parallel instance that it began, without coming to rest: most likely a loop without a wait.',
    remedy:
      'The instance is kept where it was stopped. A retry goes on for as many again; correct the model otherwise.',
  },
  'SUTRA.CORE.COST_LIMIT': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'One turn did more work than it may: its expressions go through too much data, or too many nodes were executed.',
    remedy:
      'The instance is kept where it was stopped. A retry has as much again; otherwise put a wait into the loop, or let the expressions go through less.',
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
  'SUTRA.CORE.CALL_NOT_RETRIED': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'An attempt of a call was reported as failed, and the call has no q:retry.',
    remedy: 'Nothing was changed. Repair the cause and retry the task or the delivery, which is kept.',
  },
  'SUTRA.CALL.FAILED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'A call could not be delivered, or its function threw, as often as its q:retry allows, and no boundary event catches that.',
    remedy:
      'The message says why the last attempt failed. Remove the cause and retry the instance: it begins with a first attempt.',
  },
  'SUTRA.DISPATCH.CHANNEL_CALL.RETRY_PENDING': {
    httpStatus: 422,
    retry: 'never',
    meaning: 'The answer is to an attempt of a call that has failed; another one is or will be made.',
    remedy: 'Nothing was changed. Answer the later attempt, which has a key of its own.',
  },
} as const satisfies Readonly<Record<string, CoreCodeRow>>;

export type CoreCode = keyof typeof coreCodes;
