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
  'SUTRA.BPMN.EVENT_SUB_PROCESS_NOT_EXECUTED': row('A sub-process is triggered by an event.', NOT_YET),
  'SUTRA.BPMN.LOOP_NOT_EXECUTED': row('An activity has loop or multi-instance characteristics.', NOT_YET),
  'SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED': row('An attribute asks for behaviour that is not executed.', NOT_YET),
  'SUTRA.BPMN.ASSIGNMENT_NOT_EXECUTED': row(
    'A data assignment stands on an element that runs none.',
    'Move it to a task, user task, manual task or service task.',
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
    'A service task says in no way we know what it does.',
    'Set implementation="channel:<name>" or "registered:<name>", or give it data assignments.',
  ),
  'SUTRA.BPMN.IMPLEMENTATION_UNSUPPORTED': row(
    'The implementation of a service task is of no kind that is executed.',
    'Use "channel:<name>" or "registered:<name>".',
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
  'SUTRA.BPMN.TIMER_MISSING': row('A timer has neither a duration nor a date, or both.', CORRECT),
  'SUTRA.BPMN.TIMER_INVALID': row(
    'The duration or date of a timer is not ISO-8601 that is supported.',
    'Write a duration as PT5M, a date with an offset as 2026-05-01T09:30:00Z, or FEEL after "=".',
  ),
  'SUTRA.BPMN.EVENT_DEFINITION_MISSING': row('An event does not say what it waits for.', CORRECT),
  'SUTRA.BPMN.EVENT_DEFINITION_REPEATED': row('An event has several event definitions.', NOT_YET),

  // The graph.
  'SUTRA.BPMN.START_MISSING': row('A process has no start event.', CORRECT),
  'SUTRA.BPMN.SUB_PROCESS_START_INVALID': row('A sub-process has not exactly one none start event.', CORRECT),
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
    'An exclusive or inclusive gateway with several outgoing flows has one without a condition that is not its default.',
    'Add a condition or make the flow the default.',
  ),
  'SUTRA.BPMN.CONDITION_MISPLACED': row(
    'A sequence flow has a condition where BPMN evaluates none.',
    'Put an exclusive or inclusive gateway before it.',
  ),
  'SUTRA.BPMN.EVENT_GATEWAY_TARGET_INVALID': row(
    'An event-based gateway leads to something other than a message catch, a timer catch or a receive task, or that has another incoming flow.',
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
  'SUTRA.Q.HEADER_RESERVED': row(
    'A warning: a header with a reserved name has no effect.',
    'Choose a name that does not start with sutra-park-.',
  ),
} as const satisfies CodeTable;

export type BpmnCode = keyof typeof bpmnCodes;
