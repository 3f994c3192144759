/** The codes of scenario files, and of what a scenario finds when it runs. */
import type { CodeTable } from '../../config/engine-error.ts';

const refused = { httpStatus: 422, retry: 'after-change' } as const;

export const scenarioCodes = {
  'SUTRA.SCENARIO.YAML_INVALID': {
    ...refused,
    meaning: 'A scenario is not readable YAML, nests too deep, or uses anchors or aliases.',
    remedy: 'Correct the file at the named line and column.',
  },
  'SUTRA.SCENARIO.KEY_UNKNOWN': {
    ...refused,
    meaning: 'A scenario has a key that does not exist.',
    remedy: 'Use the nearest known key that the finding names, or remove it.',
  },
  'SUTRA.SCENARIO.KEY_MISSING': {
    ...refused,
    meaning: 'A scenario lacks a key that it needs.',
    remedy: 'Add the named key; docs/scenarios.md has all of them.',
  },
  'SUTRA.SCENARIO.KEY_CONFLICT': {
    ...refused,
    meaning: 'A scenario has two keys of which only one can hold, or one that means nothing there.',
    remedy: 'Keep the key that is meant.',
  },
  'SUTRA.SCENARIO.VALUE_INVALID': {
    ...refused,
    meaning: 'A value in a scenario has the wrong type or is out of its range.',
    remedy: 'Write a value as the finding describes it.',
  },
  'SUTRA.SCENARIO.NAME_UNKNOWN': {
    ...refused,
    meaning:
      'A scenario names a channel, process or element that the package does not have, or a BPMN error that nothing in it catches.',
    remedy: 'Use the nearest name that the finding shows, or correct the package.',
  },
  'SUTRA.SCENARIO.NONE_FOUND': {
    ...refused,
    meaning: 'The package has no scenario, or none of the name that was asked for.',
    remedy: 'Put one into scenarios/ as docs/scenarios.md shows, or correct --scenario.',
  },
  'SUTRA.SCENARIO.MESSAGE_REFUSED': {
    ...refused,
    meaning: 'A step of the scenario was refused by the engine as it would be in production.',
    remedy:
      'The message has the code of the refusal. Correct the step or the model, or expect it: `refused: <code>`.',
  },
  'SUTRA.SCENARIO.MESSAGE_ACCEPTED': {
    ...refused,
    meaning: 'A message was accepted that the scenario expects to be refused, or to be a duplicate.',
    remedy: 'Correct the expectation, or what makes the engine take the message.',
  },
  'SUTRA.SCENARIO.ANSWER_REFUSED': {
    ...refused,
    meaning: 'The engine refused what the scenario has a worker answer.',
    remedy: 'Correct the answer: the message has the code of the refusal and what it says.',
  },
  'SUTRA.SCENARIO.NOT_WAITING': {
    ...refused,
    meaning: 'A step completes a user task at which the instance does not wait.',
    remedy: 'See the path that was taken; send what leads to the task first.',
  },
  'SUTRA.SCENARIO.NEVER_AT_REST': {
    ...refused,
    meaning: 'The engine went on and on, or a timer came due more often than a scenario may see.',
    remedy: 'Look for a loop in the model or in the answers, or let less time pass.',
  },
  'SUTRA.SCENARIO.EXPECTATION_FAILED': {
    ...refused,
    meaning: 'Something is not as the scenario expects it.',
    remedy: 'Compare what was expected with what was found, and the path that was taken.',
  },
} as const satisfies CodeTable;

export type ScenarioCode = keyof typeof scenarioCodes;
