/** Error codes of flows in YAML. All are found at deploy time; what a flow becomes has the codes of models besides. */
import type { CodeRow, CodeTable } from '../../config/engine-error.ts';

function row(meaning: string, remedy: string): CodeRow {
  return { httpStatus: 422, retry: 'after-change', meaning, remedy: `Nothing was deployed. ${remedy}` };
}

export const flowsCodes = {
  'SUTRA.FLOWS.YAML_INVALID': row(
    'A flow is not readable YAML, nests too deep, or uses anchors or aliases.',
    'Correct the file at the named line and column. An expression with ": " or " #" in it stands in quotes or in a block.',
  ),
  'SUTRA.FLOWS.KEY_UNKNOWN': row(
    'A flow has a key that does not exist, or that means nothing where it stands.',
    'Use the nearest known key that the finding names, or remove it.',
  ),
  'SUTRA.FLOWS.KEY_MISSING': row('A flow lacks a key that it needs.', 'Add the named key.'),
  'SUTRA.FLOWS.VALUE_INVALID': row(
    'A value in a flow has the wrong type, or is none that its key can have.',
    'Write a value as the finding describes it.',
  ),
  'SUTRA.FLOWS.VERB_MISSING': row(
    'A step of a flow does not say what it does, or says several things.',
    'Give each step exactly one verb; the rest of its keys are options of it.',
  ),
  'SUTRA.FLOWS.ID_NEEDED': row(
    'Two steps of a flow come to the same id, or a step comes to none.',
    'Give one of them an id of its own, as the finding proposes. Leave the one alone that is deployed already: instances wait under its id.',
  ),
  'SUTRA.FLOWS.ID_TAKEN': row(
    'An id in a flow is used twice, or is that of a gateway or an event that another step brings along.',
    'Choose another id.',
  ),
  'SUTRA.FLOWS.UNREACHABLE': row(
    'A step of a flow stands behind one that never goes on.',
    'Remove the step, or let a way lead to it.',
  ),
  'SUTRA.FLOWS.EMPTY': row(
    'A list of a flow is empty, and nothing would happen there.',
    'Write at least one step, or remove the key.',
  ),
  'SUTRA.FLOWS.NOT_CONVERTIBLE': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'A BPMN process holds something that flows have no way to say; or a flow, something that XML cannot carry.',
    remedy:
      'Nothing was written. Change the model as the finding says, or keep it in the notation that it has.',
  },
  'SUTRA.FLOWS.CONVERSION_NOTE': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'A warning: something of a BPMN file is left out of the flow, or has another id or form there, and runs as before.',
    remedy:
      'Nothing, unless instances of the process are running: those keep the version that they were started with.',
  },
} as const satisfies CodeTable;
