/** `try`: steps, and what is done when they fail, take too long, escalate or are undone. */
import type { Handler } from '../flow.ts';
import { mapped, oneOrMore, optional, readForm, type FieldValues, type Fields, type Form } from './forms.ts';
import { code, flag, steps, stepsOrNone, variable, type Kind } from './kinds.ts';
import { timeFields, timeRules, timerOf } from './triggers.ts';
import { BASE_KEYS, baseOf, verb, withBase, type StepBase } from './verb.ts';

const handlerSteps = optional(stepsOrNone, 'What is done then.');
const codeField = optional(code, 'The code; without it any.');
const codeVariable = optional(variable, 'The variable that takes the code.');
const goesOn = optional(flag, 'Whether the steps go on meanwhile.');

const errorForm = {
  fields: {
    code: codeField,
    'code-variable': codeVariable,
    'message-variable': optional(variable, 'The variable that takes the message.'),
    steps: handlerSteps,
  },
  rules: {},
} as const;

const timeoutForm = {
  fields: { ...timeFields, continue: goesOn, steps: handlerSteps },
  rules: timeRules,
} as const;

const escalationForm = {
  fields: { code: codeField, 'code-variable': codeVariable, continue: goesOn, steps: handlerSteps },
  rules: {},
} as const;

/** One handler, or a list of them. */
function handlers<const Of extends Fields>(
  handlerForm: Form<Of>,
  build: (base: StepBase, values: FieldValues<Of>) => Handler | null,
): Kind<readonly Handler[]> {
  const what = `a mapping of ${[...BASE_KEYS, ...Object.keys(handlerForm.fields)].join(', ')}`;
  return oneOrMore<Handler>(
    {
      what,
      schema: withBase(handlerForm),
      read: (value, reader) => {
        const mapping = value.mapping(value.what);
        if (mapping === null) return value.mustBe(what);
        const base = baseOf(mapping, reader);
        const values = readForm(mapping, handlerForm, reader, BASE_KEYS);
        return values === null ? null : build(base, values);
      },
    },
    'handler',
  );
}

const onError = handlers(errorForm, (base, values) => ({
  ...base,
  kind: 'error',
  code: values.code,
  codeVariable: values['code-variable'],
  messageVariable: values['message-variable'],
  steps: values.steps ?? [],
}));

const onTimeout = handlers(timeoutForm, (base, values) => {
  const timer = timerOf(values);
  if (timer === null) return null;
  return {
    ...base,
    kind: 'timeout',
    timer,
    isInterrupting: values.continue !== true,
    steps: values.steps ?? [],
  };
});

const onEscalation = handlers(escalationForm, (base, values) => ({
  ...base,
  kind: 'escalation',
  code: values.code,
  codeVariable: values['code-variable'],
  isInterrupting: values.continue !== true,
  steps: values.steps ?? [],
}));

const undo = mapped(steps, (inside, value) => ({ place: value.place, steps: inside }));

export const tryVerb = verb({
  verb: 'try',
  about: 'Does its steps, and says what is done when they fail, take too long, escalate or are to be undone.',
  value: steps,
  options: {
    'on-error': optional(onError, 'BPMN errors: those of fail, of throws, SUTRA.CALL.TIMEOUT.'),
    'on-timeout': optional(onTimeout, 'When the steps are not done in time.'),
    'on-escalation': optional(onEscalation, 'Escalations of the steps.'),
    compensate: optional(undo, 'What undoes the steps, once they are done, when compensate asks for it.'),
  },
  build: (base, inside, options) => ({
    ...base,
    verb: 'try',
    steps: inside,
    handlers: [
      ...(options['on-error'] ?? []),
      ...(options['on-timeout'] ?? []),
      ...(options['on-escalation'] ?? []),
    ],
    compensation: options.compensate,
  }),
});
