/** Error codes of BPMN files and the q: vocabulary. All are found at deploy time. */
import type { CodeRow, CodeTable } from '../../config/engine-error.ts';

/** Every row: the package is refused whole, and nothing that runs is touched. */
function row(meaning: string, remedy: string): CodeRow {
  return { httpStatus: 422, retry: 'after-change', meaning, remedy: `Nothing was deployed. ${remedy}` };
}

const CORRECT = 'Correct the file at the reported line and column, then deploy again.';
const NOT_YET = 'Remodel it with what is executed; the message of the finding says with what.';

export const bpmnCodes = {
  // The file as a whole.
  'SUTRA.BPMN.ROOT_INVALID': row('The root of a BPMN file is not bpmn:definitions of BPMN 2.0.', CORRECT),
  'SUTRA.BPMN.PROCESS_MISSING': row(
    'A BPMN file has no process.',
    'Add a process or take the file out of the package.',
  ),
  'SUTRA.BPMN.PROCESS_NOT_EXECUTABLE': row(
    'A warning: a process says isExecutable="false", so it is documentation and was not compiled.',
    'To run it, set isExecutable="true".',
  ),
  'SUTRA.BPMN.TOO_MANY_FINDINGS': row(
    'A file has more faults than are listed.',
    'Correct the listed ones first.',
  ),
  'SUTRA.BPMN.TOO_MANY_EXPRESSIONS': row(
    'A file has more expressions than are compiled.',
    'Split the model into several files.',
  ),

  // What is recognised and not executed.
  'SUTRA.BPMN.ELEMENT_NOT_EXECUTED': row('A BPMN element is recognised but not executed.', NOT_YET),
  'SUTRA.BPMN.EVENT_NOT_EXECUTED': row(
    'A kind of event is recognised but not executed at this place.',
    NOT_YET,
  ),
  'SUTRA.BPMN.EVENT_SUB_PROCESS_NOT_EXECUTED': row(
    'A transaction or an ad hoc sub-process is triggered by an event.',
    'Put it into an event sub-process.',
  ),
  'SUTRA.BPMN.EVENT_COMBINATION_NOT_EXECUTED': row(
    'An event has several definitions that are not executed together.',
    'Use one event for each; the message of the finding says for which.',
  ),
  'SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED': row('An attribute asks for behaviour that is not executed.', NOT_YET),
  'SUTRA.BPMN.ASSIGNMENT_NOT_EXECUTED': row(
    'A data association stands on an event, which runs none.',
    'Move it to an activity before or after the event.',
  ),

  // What is not BPMN.
  'SUTRA.BPMN.ELEMENT_UNKNOWN': row('An element of the BPMN namespace does not exist in BPMN 2.0.', CORRECT),
  'SUTRA.BPMN.ELEMENT_MISPLACED': row('A BPMN element stands where BPMN does not allow it.', CORRECT),
  'SUTRA.BPMN.ELEMENT_REPEATED': row('A BPMN element that may occur once occurs twice.', CORRECT),
  'SUTRA.BPMN.ATTRIBUTE_UNKNOWN': row('A BPMN element has an attribute that BPMN does not know.', CORRECT),
  'SUTRA.BPMN.ATTRIBUTE_MISSING': row('A BPMN element lacks an attribute that it must have.', CORRECT),
  'SUTRA.BPMN.VALUE_INVALID': row('An attribute has a value that its type does not allow.', CORRECT),
  'SUTRA.BPMN.TEXT_UNEXPECTED': row('Text stands between elements, where nothing reads it.', CORRECT),
  'SUTRA.BPMN.NAMESPACE_INVALID': row(
    'An element has no namespace, or one that only resembles that of BPMN 2.0.',
    'Declare xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" or use its prefix.',
  ),
  'SUTRA.BPMN.ID_MISSING': row('A process, flow node or definition that needs an id has none.', CORRECT),
  'SUTRA.BPMN.ID_INVALID': row('An id is longer than 255 characters or not an XML name.', CORRECT),
  'SUTRA.BPMN.ID_DUPLICATE': row('Two elements of a file have the same id.', CORRECT),
  'SUTRA.BPMN.REFERENCE_DANGLING': row('An element refers to an id that does not exist there.', CORRECT),

  // What an element needs in order to run.
  'SUTRA.BPMN.IMPLEMENTATION_MISSING': row(
    'A service task or business rule task says in no way we know what it does.',
    'Set implementation="channel:<name>" or "registered:<name>", of a business rule task also "decision:<id or name>", or give it data associations.',
  ),
  'SUTRA.BPMN.IMPLEMENTATION_UNSUPPORTED': row(
    'The implementation of a task is of no kind that is executed there.',
    'Use "channel:<name>" or "registered:<name>", or of a business rule task "decision:<id or name>".',
  ),
  'SUTRA.BPMN.DECISION_UNKNOWN': row(
    'A business rule task names a decision that no decision model in rules/ has, or a business knowledge model.',
    'Add the decision, or use the nearest id or name that the finding shows.',
  ),
  'SUTRA.BPMN.DECISION_AMBIGUOUS': row(
    'Several decisions of the package have the id or name that a business rule task names.',
    'Name the decision by an id or a name that only one has, or rename one.',
  ),
  'SUTRA.BPMN.DECISION_INPUT_UNKNOWN': row(
    'A q:param of a business rule task is named as no input of its decision.',
    'Use the name of an input, or remove the q:param.',
  ),
  'SUTRA.BPMN.SOURCE_MISSING': row(
    'A message is awaited, but no q:source says on which channel.',
    'Add q:source.',
  ),
  'SUTRA.BPMN.SEND_MISSING': row('A message is thrown, but no q:send says on which channel.', 'Add q:send.'),
  'SUTRA.BPMN.SCRIPT_MISSING': row('A script task has no script.', CORRECT),
  'SUTRA.BPMN.EXPRESSION_LANGUAGE_UNSUPPORTED': row(
    'An expression or a script is written in a language other than FEEL.',
    'Write it in FEEL, and take the language or scriptFormat attribute away or set it to FEEL.',
  ),
  'SUTRA.BPMN.ASSIGNMENT_INVALID': row(
    'A data assignment lacks from or to, or to is no variable name or dotted path.',
    CORRECT,
  ),
  'SUTRA.BPMN.DATA_ASSOCIATION_INVALID': row(
    'A data association does not say clearly what it moves, or reads or writes at the wrong end of its activity.',
    CORRECT,
  ),
  'SUTRA.BPMN.DATA_ASSOCIATION_DRAWN': row(
    'A warning: a data association names no source or no target, so it is a drawing and moves nothing.',
    'To move data, give it sourceRef and targetRef, or an assignment.',
  ),
  'SUTRA.BPMN.DATA_NAME_INVALID': row(
    'A data object, a data input or output, a property or a data store that is used has a name that cannot be read: a variable is letters, digits and _, and no word of FEEL.',
    'Rename it.',
  ),
  'SUTRA.BPMN.STORE_MISSING': row(
    'A data association reads or writes a data store reference that names no record.',
    'Add q:store with a key to the reference, or take the association away.',
  ),
  'SUTRA.BPMN.LOOP_INVALID': row(
    'The loop characteristics of an activity do not say how often it runs, or say it in two ways.',
    CORRECT,
  ),
  'SUTRA.BPMN.CALLED_ELEMENT_MISSING': row(
    'A call activity does not say which process it calls.',
    'Set calledElement to the id of a process, or add q:dispatch with a q:case.',
  ),
  'SUTRA.BPMN.CALLED_ELEMENT_INVALID': row(
    'What a call activity calls is no id of a process, is a global task, or is said twice.',
    CORRECT,
  ),
  'SUTRA.BPMN.ERROR_CODE_MISSING': row(
    'An error end event refers to no error with an errorCode.',
    'Set errorRef to a bpmn:error and give that an errorCode.',
  ),
  'SUTRA.BPMN.ERROR_CATCH_DUPLICATE': row(
    'Two boundary events of one activity catch the same error.',
    CORRECT,
  ),
  'SUTRA.BPMN.ERROR_CATCH_NOT_INTERRUPTING': row(
    'A boundary event catches an error without interrupting, which BPMN does not allow.',
    'Set cancelActivity="true" or leave it out.',
  ),
  'SUTRA.BPMN.CATCH_NOT_INTERRUPTING': row(
    'An event catches a cancellation, or compensation in an event sub-process, without interrupting, which BPMN does not allow.',
    'Set cancelActivity or isInterrupting to "true" or leave it out.',
  ),
  'SUTRA.BPMN.CATCH_DUPLICATE': row(
    'Two boundary events of one activity, or two event sub-processes of one scope, catch the same escalation, cancellation or compensation.',
    CORRECT,
  ),
  'SUTRA.BPMN.TIMER_MISSING': row('A timer has not exactly one duration, date or cycle.', CORRECT),
  'SUTRA.BPMN.TIMER_INVALID': row(
    'The duration, date or cycle of a timer is not ISO-8601 that is supported.',
    'Write a duration as PT5M, a date with an offset as 2026-05-01T09:30:00Z, a cycle as R3/PT10S, or FEEL after "=".',
  ),
  'SUTRA.BPMN.SIGNAL_MISSING': row(
    'A signal event refers to no signal with a name.',
    'Set signalRef to a bpmn:signal and give that a name.',
  ),
  'SUTRA.BPMN.EVENT_CONDITION_MISSING': row('A conditional event has no condition.', CORRECT),
  'SUTRA.BPMN.NAME_NOT_LITERAL': row(
    'The name of a signal, or the code of an error or an escalation, is written as an expression, and none is evaluated there.',
    'Write the name itself.',
  ),
  'SUTRA.BPMN.LINK_TARGET_MISSING': row(
    'A link event throws to a name that no link event of its scope catches.',
    CORRECT,
  ),
  'SUTRA.BPMN.LINK_DUPLICATE': row('Two link events of one scope catch the same name.', CORRECT),
  'SUTRA.BPMN.LINK_FLOW_INVALID': row(
    'A sequence flow leads into a catching link event or out of a throwing one.',
    'A link replaces the sequence flow: remove it.',
  ),
  'SUTRA.BPMN.CANCEL_MISPLACED': row(
    'A cancel event stands elsewhere than on the border of a transaction or, as its end event, directly inside one.',
    'Make the sub-process a transaction, or use an error.',
  ),
  'SUTRA.BPMN.CANCEL_UNCAUGHT': row(
    'A transaction has a cancel end event and no cancel boundary event: after it nothing would go on.',
    'Attach a cancel boundary event to the transaction.',
  ),
  'SUTRA.BPMN.COMPENSATION_HANDLER_MISSING': row(
    'No association leads from a compensation boundary event to an activity.',
    'Draw an association to the activity that undoes, and give that isForCompensation="true".',
  ),
  'SUTRA.BPMN.COMPENSATION_HANDLER_INVALID': row(
    'What is associated with a compensation boundary event is not one activity with isForCompensation in the same scope.',
    CORRECT,
  ),
  'SUTRA.BPMN.COMPENSATION_HANDLER_UNUSED': row(
    'A warning: an activity with isForCompensation is associated with no compensation boundary event, so it never runs.',
    'Draw the association or remove the activity.',
  ),
  'SUTRA.BPMN.COMPENSATION_FLOW_INVALID': row(
    'A sequence flow or a boundary event is joined to an activity with isForCompensation, or a sequence flow to a compensation boundary event.',
    'Join a compensation boundary event and its activity by an association only.',
  ),
  'SUTRA.BPMN.COMPENSATION_ACTIVITY_INVALID': row(
    'activityRef of a compensation event names no activity that the event can compensate.',
    'Name an activity of the same scope or, in an event sub-process, of the scope around it.',
  ),
  'SUTRA.BPMN.EVENT_DEFINITION_MISSING': row('An event does not say what it waits for.', CORRECT),
  'SUTRA.BPMN.EVENT_DEFINITION_REPEATED': row(
    'Two message definitions of one event share its q:source or q:send.',
    'Give each definition its own in its extensionElements.',
  ),

  // The graph.
  'SUTRA.BPMN.START_MISSING': row(
    'A process has no start event and nothing to which no sequence flow leads, so it can never begin.',
    CORRECT,
  ),
  'SUTRA.BPMN.START_AMBIGUOUS': row(
    'A process has several start events without a trigger: which one begins would be a guess.',
    'Keep one, or give the others a trigger.',
  ),
  'SUTRA.BPMN.SUB_PROCESS_START_INVALID': row(
    'A sub-process has several start events, one with a trigger, or nothing to begin with.',
    'Give it one start event without a trigger, or none and an activity to which no sequence flow leads.',
  ),
  'SUTRA.BPMN.EVENT_SUB_PROCESS_START_INVALID': row(
    'An event sub-process has not exactly one start event with a trigger.',
    CORRECT,
  ),
  'SUTRA.BPMN.EVENT_SUB_PROCESS_JOINED': row(
    'A sequence flow, a boundary event, a loop or isForCompensation is on an event sub-process, which only its start event runs.',
    'Remove it, or make it an embedded sub-process.',
  ),
  'SUTRA.BPMN.AD_HOC_CONTENT_INVALID': row(
    'An ad hoc sub-process holds a start or end event, or no activity that can be launched.',
    CORRECT,
  ),
  'SUTRA.BPMN.INSTANTIATE_INVALID': row(
    'A receive task or an event-based gateway instantiates where it cannot: inside a sub-process, with an incoming sequence flow, in a loop, as compensation or with boundary events; or a gateway is parallel without instantiating.',
    'Put a message start event before it, or correct the place.',
  ),
  'SUTRA.BPMN.ACTIVATION_CONDITION_MISSING': row(
    'A complex gateway with several incoming sequence flows has no activationCondition.',
    'Say when it fires, as =activationCount >= 2.',
  ),
  'SUTRA.BPMN.START_EVENT_INCOMING': row('A sequence flow leads into a start event.', CORRECT),
  'SUTRA.BPMN.END_EVENT_OUTGOING': row('A sequence flow leaves an end event.', CORRECT),
  'SUTRA.BPMN.BOUNDARY_EVENT_INCOMING': row('A sequence flow leads into a boundary event.', CORRECT),
  'SUTRA.BPMN.BOUNDARY_EVENT_HOST_INVALID': row(
    'A boundary event is attached to something that is no activity of its own scope.',
    CORRECT,
  ),
  'SUTRA.BPMN.FLOW_CROSSES_BORDER': row(
    'A sequence flow crosses the border of a sub-process.',
    'Lead the flow to the sub-process itself, or out of its boundary or end.',
  ),
  'SUTRA.BPMN.FLOW_LISTING_MISMATCH': row(
    'A warning: incoming or outgoing of a flow node lists a sequence flow that does not join it. Only sourceRef and targetRef count.',
    'Export the model again.',
  ),
  'SUTRA.BPMN.DEFAULT_FLOW_INVALID': row('default names no outgoing sequence flow of its element.', CORRECT),
  'SUTRA.BPMN.DEFAULT_FLOW_CONDITION': row(
    'A default flow has a condition, which would never be evaluated.',
    'Take the condition or the default away.',
  ),
  'SUTRA.BPMN.CONDITION_MISSING': row(
    'An exclusive, inclusive or complex gateway with several outgoing flows has one without a condition that is not its default.',
    'Add a condition or make the flow the default.',
  ),
  'SUTRA.BPMN.CONDITION_MISPLACED': row(
    'A sequence flow has a condition where BPMN evaluates none.',
    'Put an exclusive or inclusive gateway before it.',
  ),
  'SUTRA.BPMN.EVENT_GATEWAY_TARGET_INVALID': row(
    'An event-based gateway leads to something other than a receive task or an event that catches a message, a timer, a signal or a condition, or that has another incoming flow.',
    CORRECT,
  ),
  'SUTRA.BPMN.EVENT_GATEWAY_OUTGOING_MISSING': row(
    'An event-based gateway has no outgoing flow: a token would wait there for ever.',
    CORRECT,
  ),
  'SUTRA.BPMN.NODE_UNREACHABLE': row(
    'A warning: no sequence of flows leads from a start event to a flow node.',
    'Connect or remove it.',
  ),

  // The q: vocabulary.
  'SUTRA.Q.NAMESPACE_UNKNOWN': row(
    'A namespace starts with urn:sutra: but is none that is read.',
    'Declare xmlns:q="urn:sutra:q:1.0".',
  ),
  'SUTRA.Q.ELEMENT_UNKNOWN': row('An element of the q namespace does not exist.', CORRECT),
  'SUTRA.Q.ELEMENT_MISPLACED': row('A q element stands where it has no meaning.', CORRECT),
  'SUTRA.Q.ELEMENT_REPEATED': row('A q element that may occur once occurs twice.', CORRECT),
  'SUTRA.Q.ELEMENT_NOT_EXECUTED': row('A q element is recognised but not executed.', 'Take it out.'),
  'SUTRA.Q.ATTRIBUTE_UNKNOWN': row(
    'An attribute of a q element, or in the q namespace, does not exist.',
    CORRECT,
  ),
  'SUTRA.Q.ATTRIBUTE_MISSING': row('A q element lacks an attribute that it must have.', CORRECT),
  'SUTRA.Q.ATTRIBUTE_NOT_EXECUTED': row(
    'An attribute of a q element is recognised but not executed.',
    'Take it out.',
  ),
  'SUTRA.Q.ATTRIBUTES_EXCLUSIVE': row(
    'Two attributes of a q element exclude each other.',
    'Keep one of them.',
  ),
  'SUTRA.Q.VALUE_INVALID': row(
    'An attribute of a q element has a value that its type does not allow.',
    CORRECT,
  ),
  'SUTRA.Q.NAME_DUPLICATE': row('Two q elements of one element have the same name.', CORRECT),
  'SUTRA.Q.RETRY_CONTRADICTORY': row(
    'A q:retry contradicts itself: it allows one attempt, or its longest delay is shorter than its first.',
    CORRECT,
  ),
  'SUTRA.Q.HEADER_RESERVED': row(
    'A warning: a header with a reserved name has no effect.',
    'Choose a name that does not start with sutra-park-.',
  ),
} as const satisfies CodeTable;

export type BpmnCode = keyof typeof bpmnCodes;
