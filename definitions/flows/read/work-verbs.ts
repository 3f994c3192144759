/** Verbs that do one thing: call, send, decide, set and the like, and those that end a path. */
import { form, list, mapped, optional, pairs, required } from './forms.ts';
import { code, duration, expression, flag, name, path, textOf, type Kind } from './kinds.ts';
import {
  aliases,
  callFields,
  message,
  messageFields,
  messageOf,
  messageRules,
  reply,
  replyFields,
  replyOf,
  requestFields,
  retry,
  source,
} from './messages.ts';
import { channelNameFault } from '../../bpmn/q-values.ts';
import { shown } from '../../xml/shown.ts';
import type { Written } from '../../written.ts';
import { formVerb, verb } from './verb.ts';

/** A channel, or `registered:` and the name of a function. */
const target: Kind<Written> = {
  what: 'the name of a channel, or registered:<function>',
  schema: { type: 'string', pattern: '^\\S+$', maxLength: 300 },
  read: (value) => {
    const text = textOf(value, target.what);
    if (text === null) return null;
    const called = /^registered:(.*)$/s.exec(text.text)?.[1];
    if (called?.trim() === '') return value.invalid(`${value.what}: ${shown(text.text)} names no function`);
    const fault = channelNameFault(called ?? text.text);
    return fault === null ? text : value.invalid(`${value.what}: ${shown(text.text)} ${fault}`);
  },
};

const throws = list(
  form({
    code: required(code, 'The code of the BPMN error.'),
    when: required(expression, 'FEEL over the answer and the variables.'),
  }),
  'item',
);

export const call = verb({
  verb: 'call',
  about: 'Sends a request on a channel and waits for the answer; or calls a function, as registered:<name>.',
  value: target,
  options: {
    ...callFields,
    ...requestFields,
    timeout: optional(duration, 'When the call is given up: the error SUTRA.CALL.TIMEOUT.'),
    retry: optional(retry, 'How failures are repeated.'),
    alias: optional(aliases, 'Keys under which the answer finds the instance, besides that of the request.'),
    response: optional(source, 'The channel on which the answer comes, when it is another.'),
    throws: optional(throws, 'Answers that are BPMN errors.'),
  },
  build: (base, to, options) => ({
    ...base,
    verb: 'call',
    target: to,
    input: options.input ?? [],
    output: options.output,
    headers: options.headers ?? [],
    timeout: options.timeout,
    retry: options.retry,
    aliases: options.alias ?? [],
    response: options.response,
    throws: options.throws ?? [],
  }),
});

export const send = formVerb({
  verb: 'send',
  about: 'Sends a message on a channel and goes on.',
  main: 'channel',
  fields: messageFields,
  rules: messageRules,
  build: (base, values) => ({ ...base, verb: 'send', message: messageOf(values) }),
});

export const replyVerb = formVerb({
  verb: 'reply',
  about: 'Answers the request that started the instance: the body, as FEEL.',
  main: 'body',
  fields: replyFields,
  build: (base, values) => ({ ...base, verb: 'reply', reply: replyOf(values) }),
});

export const signal = verb({
  verb: 'signal',
  about: 'Throws a signal to all who wait for it.',
  value: name,
  options: { body: optional(expression, 'The payload.') },
  build: (base, thrown, { body }) => ({ ...base, verb: 'signal', signal: thrown, body }),
});

export const escalate = verb({
  verb: 'escalate',
  about: 'Throws an escalation, which on-escalation of a try around it catches.',
  value: code,
  options: {},
  build: (base, thrown) => ({ ...base, verb: 'escalate', code: thrown }),
});

export const compensate = verb({
  verb: 'compensate',
  about: 'Undoes what is done: the id of a try that has compensate, or all.',
  value: name,
  options: {},
  build: (base, undone) => ({ ...base, verb: 'compensate', target: undone.text === 'all' ? null : undone }),
});

export const decide = verb({
  verb: 'decide',
  about: 'Makes a decision of the package: its id or name.',
  value: name,
  options: callFields,
  build: (base, decision, { input, output }) => ({
    ...base,
    verb: 'decide',
    decision,
    input: input ?? [],
    output,
  }),
});

export const set = verb({
  verb: 'set',
  about: 'Writes variables, or properties of them by a dotted path, in order.',
  value: mapped(pairs('a mapping of variables to FEEL expressions', path), (assignments, value) =>
    assignments.length > 0 ? assignments : value.error('SUTRA.FLOWS.EMPTY', `${value.what} sets nothing`),
  ),
  options: {},
  build: (base, assignments) => ({ ...base, verb: 'set', assignments }),
});

/** A process, or FEEL that gives its id. */
const process: Kind<Written> = {
  what: 'the id of a process, or FEEL that begins with =',
  schema: { type: 'string', minLength: 1 },
  read: (value, reader) => {
    const isFeel = value.scalarKind === 'text' && value.written?.text.trimStart().startsWith('=') === true;
    return (isFeel ? expression : name).read(value, reader);
  },
};

export const flow = verb({
  verb: 'flow',
  about: 'Calls another process and waits until it is done.',
  value: process,
  options: {
    input: optional(
      pairs('a mapping of variables to FEEL expressions', name),
      'The variables of the called process; without it all visible ones.',
    ),
    output: optional(
      pairs('a mapping of variables to FEEL expressions', name),
      'Variables here, from FEEL over those of the called process.',
    ),
  },
  build: (base, called, { input, output }) => ({
    ...base,
    verb: 'flow',
    process: called,
    input: input ?? [],
    output: output ?? [],
  }),
});

export const fail = verb({
  verb: 'fail',
  about: 'Ends the path with a BPMN error, which on-error of a try around it catches.',
  value: code,
  options: {},
  build: (base, thrown) => ({ ...base, verb: 'fail', code: thrown }),
});

const endFields = {
  reply: optional(reply, 'Answers the request that started the instance.'),
  send: optional(message, 'A message that is sent at the end.'),
  terminate: optional(flag, 'Whether everything else in the same part ends too.'),
} as const;

export const end = formVerb({
  verb: 'end',
  about: 'Ends the path; its value is a name.',
  main: 'name',
  fields: endFields,
  build: (base, values) => ({
    ...base,
    verb: 'end',
    isTerminating: values.terminate === true,
    message: values.send,
    reply: values.reply,
  }),
});
