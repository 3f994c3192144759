/** What is wrong with the options of verbs. */
import { withSteps } from './flow-texts.ts';
import { table } from './fault-table.ts';

table(
  'calls',
  [
    [
      '- ▮call:',
      ['FLOWS.VALUE_INVALID', 'call is empty; write the name of a channel, or registered:<function>.'],
    ],
    ['- call: ▮"a b"', ['FLOWS.VALUE_INVALID', 'call: "a b" is no channel name: write one without spaces.']],
    ['- call: ▮"registered:"', ['FLOWS.VALUE_INVALID', 'call: "registered:" names no function.']],
    [
      '- call: ▮[a]',
      ['FLOWS.VALUE_INVALID', 'call must be the name of a channel, or registered:<function>.'],
    ],
    [
      '- call: a\n  ▮tmeout: PT5M',
      ['FLOWS.KEY_UNKNOWN', '"tmeout" is not a key of call; the nearest is "timeout".'],
    ],
    ['- call: a\n  ▮nam: b', ['FLOWS.KEY_UNKNOWN', '"nam" is not a key of call; the nearest is "name".']],
    [
      '- call: a\n  id: ▮"1"\n  name: ▮5',
      [
        'FLOWS.VALUE_INVALID',
        'id of call is "1"; an id has letters, digits, "-", "_" and ".", begins with a letter or "_", and is at most 255 characters long.',
      ],
      ['FLOWS.VALUE_INVALID', 'name of call must be text: put it in quotes.'],
    ],
    [
      '- call: a\n  input: ▮=b\n  output: ▮1x\n  timeout: ▮5\n  headers: { ▮"a b": =1 }',
      ['FLOWS.VALUE_INVALID', 'input of call must be a mapping of parameters to FEEL expressions.'],
      [
        'FLOWS.VALUE_INVALID',
        'output of call: "1x" is no variable name: letters, digits and _, at most 255, no digit first.',
      ],
      ['FLOWS.VALUE_INVALID', 'timeout of call must be an ISO-8601 duration, as PT5M.'],
      ['FLOWS.VALUE_INVALID', 'a key of headers of call: "a b" is no header name.'],
    ],
    [
      '- call: a\n  timeout: ▮PT0S',
      ['FLOWS.VALUE_INVALID', 'timeout of call: "PT0S" must be longer than PT0S.'],
    ],
    [
      '- call: a\n  retry: ▮{ max-delay: ▮5m, non-retryable-codes: [ ▮"A B" ] }',
      ['FLOWS.KEY_MISSING', 'retry of call needs the key max-attempts: a whole number.'],
      [
        'FLOWS.VALUE_INVALID',
        'max-delay of retry of call: "5m" is not ISO-8601: write a duration as PT30S, PT5M, PT1H30M or P7D.',
      ],
      [
        'FLOWS.VALUE_INVALID',
        'code 1 of non-retryable-codes of retry of call must be a code without spaces.',
      ],
    ],
    [
      '- call: a\n  retry: { max-attempts: ▮0, backoff-coefficient: ▮"2" }',
      ['FLOWS.VALUE_INVALID', 'max-attempts of retry of call: "0" is no whole number from 1 to 999999999.'],
      ['FLOWS.VALUE_INVALID', 'backoff-coefficient of retry of call must be a number of at least 1.'],
    ],
    [
      '- call: a\n  retry: ▮3',
      [
        'FLOWS.VALUE_INVALID',
        'retry of call must be a mapping of max-attempts, initial-delay, backoff-coefficient, max-delay, non-retryable-codes.',
      ],
    ],
    [
      '- call: a\n  throws: ▮{ code: X, when: b }',
      ['FLOWS.VALUE_INVALID', 'throws of call must be a list, each item a mapping of code, when.'],
    ],
    [
      '- call: a\n  throws: [▮{ when: b }, ▮{ code: X }]',
      ['FLOWS.KEY_MISSING', 'item 1 of throws of call needs the key code: a code.'],
      ['FLOWS.KEY_MISSING', 'item 2 of throws of call needs the key when: a FEEL expression.'],
    ],
    [
      '- call: a\n  alias: { k: ▮{ unique: ▮1, on-conflict: ▮rejct } }',
      ['FLOWS.KEY_MISSING', 'k of alias of call needs the key expression: a FEEL expression.'],
      ['FLOWS.VALUE_INVALID', 'unique of k of alias of call must be true or false.'],
      [
        'FLOWS.VALUE_INVALID',
        'on-conflict of k of alias of call is "rejct"; it must be reject or correlate.',
      ],
    ],
    [
      '- call: a\n  response: ▮{ variable: a, ▮merge: true }',
      ['FLOWS.KEY_MISSING', 'response of call needs the key channel: the name of a channel.'],
      [
        'FLOWS.VALUE_INVALID',
        'response of call has variable and merge, of which one excludes the other; keep one.',
      ],
    ],
    [
      '- call: a\n  response: { channel: b, variable: a, ▮merge: true, type: x, ▮type-pattern: y, ▮dedup-key: z }',
      [
        'FLOWS.VALUE_INVALID',
        'response of call has variable and merge, of which one excludes the other; keep one.',
      ],
      [
        'FLOWS.VALUE_INVALID',
        'response of call has type and type-pattern, of which one excludes the other; keep one.',
      ],
      ['FLOWS.KEY_UNKNOWN', '"dedup-key" is not a key of response of call; its keys are .'],
    ],
  ],
  withSteps,
);

table(
  'messages',
  [
    ['- ▮send:', ['FLOWS.KEY_MISSING', 'send needs one of the keys channel, destination.']],
    ['- send: ▮[a]', ['FLOWS.VALUE_INVALID', 'send must be text, or a mapping of keys.']],
    [
      '- send: { channel: a, ▮destination: b }',
      ['FLOWS.VALUE_INVALID', 'send has channel and destination, of which one excludes the other; keep one.'],
    ],
    [
      '- send: { ▮chanel: a }',
      ['FLOWS.KEY_UNKNOWN', '"chanel" is not a key of send; the nearest is "channel".'],
    ],
    [
      '- send: a\n  body: =1\n  content-type: ▮json',
      ['FLOWS.VALUE_INVALID', 'content-type of send: "json" is no media type: write it as application/json.'],
    ],
    [
      '- send: { channel: a, ▮body: 1 }\n  body: 2',
      [
        'FLOWS.VALUE_INVALID',
        '"body" of send is written twice, beside the step\'s verb and under it; keep one.',
      ],
    ],
    [
      '- send: a\n  ▮destination: =b',
      ['FLOWS.KEY_UNKNOWN', '"destination" stands under the verb: send: { destination: … }.'],
    ],
    [
      '- reply: { ▮content: 1 }',
      [
        'FLOWS.KEY_UNKNOWN',
        '"content" is not a key of reply; its keys are body, headers, content-type, continue, id, name, audit.',
      ],
    ],
    [
      '- reply: =1\n  ▮bdy: 2',
      [
        'FLOWS.KEY_UNKNOWN',
        '"bdy" is not a key of reply; its keys are headers, content-type, continue, id, name, audit.',
      ],
    ],
    [
      '- signal: news\n  ▮variable: x',
      ['FLOWS.KEY_UNKNOWN', '"variable" is not a key of signal; its keys are body, id, name, audit.'],
    ],
    ['- ▮escalate:', ['FLOWS.VALUE_INVALID', 'escalate is empty; write a code.']],
    ['- fail: ▮5', ['FLOWS.VALUE_INVALID', 'fail must be a code: put it in quotes.']],
    ['- decide: ▮[a]', ['FLOWS.VALUE_INVALID', 'decide must be text.']],
    ['- flow: =▮', ['FEEL.SYNTAX_INVALID', 'flow: "=" is no FEEL expression: the expression is empty.']],
    [
      '- flow: a\n  output: ▮b',
      ['FLOWS.VALUE_INVALID', 'output of flow must be a mapping of variables to FEEL expressions.'],
    ],
    ['- set: ▮{}', ['FLOWS.EMPTY', 'set sets nothing.']],
    [
      '- set: { ▮a.1: 1, ▮"b c": 2, ▮c: }',
      ['FLOWS.VALUE_INVALID', 'a key of set is "a.1"; write a variable or a dotted path, as order.total.'],
      ['FLOWS.VALUE_INVALID', 'a key of set is "b c"; write a variable or a dotted path, as order.total.'],
      ['FLOWS.VALUE_INVALID', 'c of set is empty; write a FEEL expression, for null: =null.'],
    ],
    ['- set: ▮a', ['FLOWS.VALUE_INVALID', 'set must be a mapping of variables to FEEL expressions.']],
    ['- end: ▮5', ['FLOWS.VALUE_INVALID', 'name of end must be text: put it in quotes.']],
    [
      '- end: ▮a\n  name: b',
      [
        'FLOWS.VALUE_INVALID',
        '"name" of end is written twice, beside the step\'s verb and under it; keep one.',
      ],
    ],
    [
      '- end: a\n  terminate: ▮"yes"\n  send: ▮{ body: 1 }\n  reply: ▮[a]',
      ['FLOWS.VALUE_INVALID', 'terminate of end must be true or false.'],
      ['FLOWS.KEY_MISSING', 'send of end needs one of the keys channel, destination.'],
      [
        'FLOWS.VALUE_INVALID',
        'reply of end must be a FEEL expression, or a mapping of body, headers, content-type, continue.',
      ],
    ],
    [
      '- call: a\n- compensate: ▮tri',
      [
        'FLOWS.VALUE_INVALID',
        'compensate names "tri", which is no id of a try with compensate; no try of this flow has compensate.',
      ],
    ],
    [
      '- try: [ call: a ]\n  id: reserve\n  compensate: [ call: b ]\n- compensate: ▮resrve',
      [
        'FLOWS.VALUE_INVALID',
        'compensate names "resrve", which is no id of a try with compensate; the nearest is "reserve".',
      ],
    ],
  ],
  withSteps,
);

table(
  'waits',
  [
    [
      '- wait: ▮PT5M',
      ['FLOWS.VALUE_INVALID', 'channel of wait names the channel "PT5M"; a time is { timer: PT5M }.'],
    ],
    ['- ▮wait:', ['FLOWS.KEY_MISSING', 'wait needs one of the keys channel, timer, signal, condition.']],
    ['- wait:\n  ▮timer: PT5M', ['FLOWS.KEY_UNKNOWN', '"timer" stands under the verb: wait: { timer: … }.']],
    ['- ▮wait: {}', ['FLOWS.KEY_MISSING', 'wait needs one of the keys channel, timer, signal, condition.']],
    [
      '- wait: { timer: ▮PT5, ▮signal: x }',
      [
        'FLOWS.VALUE_INVALID',
        'timer of wait is "PT5": "PT5" is not ISO-8601: write a duration as PT30S, PT5M, PT1H30M or P7D; write a time, as PT5M, R/PT1H or 2030-01-31T09:00:00Z, or FEEL as { after: =expression }, { at: … } or { every: … }.',
      ],
      ['FLOWS.VALUE_INVALID', 'wait has timer and signal, of which one excludes the other; keep one.'],
    ],
    [
      '- wait: { timer: ▮5 }',
      ['FLOWS.VALUE_INVALID', 'timer of wait must be a time, as PT5M, R/PT1H or 2030-01-31T09:00:00Z.'],
    ],
    [
      '- wait: { timer: ▮2030-01-31 }',
      [
        'FLOWS.VALUE_INVALID',
        'timer of wait is "2030-01-31": "2030-01-31" names no instant without a time and an offset: add a time and Z or as +02:00; write a time, as PT5M, R/PT1H or 2030-01-31T09:00:00Z, or FEEL as { after: =expression }, { at: … } or { every: … }.',
      ],
    ],
    [
      '- wait: { timer: ▮R3/PT }',
      [
        'FLOWS.VALUE_INVALID',
        'timer of wait is "R3/PT": "PT" is not ISO-8601: write a duration as PT30S, PT5M, PT1H30M or P7D; write a time, as PT5M, R/PT1H or 2030-01-31T09:00:00Z, or FEEL as { after: =expression }, { at: … } or { every: … }.',
      ],
    ],
    [
      '- wait: { timer: { after: =a b c (▮ } }',
      [
        'FEEL.SYNTAX_INVALID',
        'after of timer of wait: "=a b c (" is no FEEL expression: the expression is not complete; a \'(\' is not closed.',
      ],
    ],
    [
      '- wait: { timer: { after: PT5M, ▮at: x } }',
      ['FLOWS.VALUE_INVALID', 'timer of wait has after and at, of which one excludes the other; keep one.'],
    ],
    [
      '- wait: { timer: ▮{} }',
      ['FLOWS.KEY_MISSING', 'timer of wait needs one of the keys after, at, every.'],
    ],
    [
      '- wait: { timer: { every: ▮5 } }',
      ['FLOWS.VALUE_INVALID', 'every of timer of wait must be a time or a FEEL expression.'],
    ],
    [
      '- wait: { timer: PT5M }\n  ▮variable: x\n  ▮alias: { k: a }',
      ['FLOWS.KEY_UNKNOWN', '"variable" of wait is of messages and signals alone; remove it.'],
      ['FLOWS.KEY_UNKNOWN', '"alias" of wait is of messages alone; remove it.'],
    ],
    [
      '- wait: { signal: a }\n  ▮merge: true',
      ['FLOWS.KEY_UNKNOWN', '"merge" of wait is of messages alone; remove it.'],
    ],
    [
      '- wait: a\n  variable: x\n  ▮merge: true',
      ['FLOWS.VALUE_INVALID', 'wait has variable and merge, of which one excludes the other; keep one.'],
    ],
    [
      '- wait: a\n  ▮dedup-key: b',
      [
        'FLOWS.KEY_UNKNOWN',
        '"dedup-key" is not a key of wait; its keys are timer, signal, condition, variable, merge, type, type-pattern, alias, id, name, audit.',
      ],
    ],
    ['- wait: ▮[ { channel: a } ]', ['FLOWS.VALUE_INVALID', 'wait has only 1 item; it needs at least 2.']],
    [
      '- wait: [ ▮a, ▮b ]',
      ['FLOWS.VALUE_INVALID', 'item 1 of wait must be a mapping of channel, timer, signal or condition.'],
      ['FLOWS.VALUE_INVALID', 'item 2 of wait must be a mapping of channel, timer, signal or condition.'],
    ],
    [
      '- wait:\n    - { channel: a }\n    - { timer: PT5M }\n  ▮variable: x',
      ['FLOWS.KEY_UNKNOWN', '"variable" is not a key of wait; it belongs to one of the things in the list.'],
    ],
    [
      '- wait:\n    - { channel: a, ▮call: b }\n    - { ▮timr: PT5M }',
      ['FLOWS.KEY_UNKNOWN', '"call" is not a key of item 1 of wait; put steps into a list under steps.'],
      ['FLOWS.KEY_UNKNOWN', '"timr" is not a key of item 2 of wait; the nearest is "timer".'],
    ],
    [
      '- wait: { ▮condition: }',
      ['FLOWS.VALUE_INVALID', 'condition of wait is empty; write a FEEL expression, for null: =null.'],
    ],
  ],
  withSteps,
);

table(
  'parts',
  [
    [
      '- choose: ▮a',
      ['FLOWS.VALUE_INVALID', 'choose must be a list, each item a mapping of when and steps, or of else.'],
    ],
    ['- choose: ▮[]', ['FLOWS.EMPTY', 'choose is an empty list.']],
    ['- choose: ▮[ { else: [] } ]', ['FLOWS.EMPTY', 'choose has no case with when.']],
    [
      '- choose: [ ▮{ else: [] }, { when: a } ]',
      ['FLOWS.VALUE_INVALID', 'this else of choose is not its last case; write it once, at the end.'],
    ],
    [
      '- choose: [ { when: a }, ▮{ else: [] }, { else: [] } ]',
      ['FLOWS.VALUE_INVALID', 'this else of choose is not its last case; write it once, at the end.'],
    ],
    [
      '- choose: [ { when: ▮{a: 1}, steps: [] } ]',
      [
        'FLOWS.VALUE_INVALID',
        'when of case 1 of choose must be a FEEL expression; put one that begins with "{" in quotes.',
      ],
    ],
    [
      '- choose: [ { when: a, ▮call: b } ]',
      ['FLOWS.KEY_UNKNOWN', '"call" is not a key of case 1 of choose; put steps into a list under steps.'],
    ],
    [
      '- choose: [ ▮{ ▮if: a } ]',
      ['FLOWS.KEY_MISSING', 'case 1 of choose needs the key when: a FEEL expression.'],
      ['FLOWS.KEY_UNKNOWN', '"if" is not a key of case 1 of choose; its key is when.'],
    ],
    [
      '- choose: [ { when: a, ▮else: [] } ]',
      ['FLOWS.KEY_UNKNOWN', '"else" is not a key of case 1 of choose; else is a case of its own, the last.'],
    ],
    [
      '- choose: [ { when: a, steps: [ ▮cal: x ] }, { ▮when: , steps: ▮{ call: x } } ]',
      ['FLOWS.VERB_MISSING', 'the step has no verb; "cal" is none, the nearest is "call".'],
      ['FLOWS.VALUE_INVALID', 'when of case 2 of choose is empty; write a FEEL expression, for null: =null.'],
      ['FLOWS.VALUE_INVALID', 'steps of case 2 of choose must be a list of steps: begin each with "- ".'],
    ],
    [
      '- choose: [ ▮a ]',
      ['FLOWS.VALUE_INVALID', 'case 1 of choose must be a mapping of when and steps, or of else.'],
    ],
    [
      '- parallel: ▮[ [ call: a ] ]',
      ['FLOWS.VALUE_INVALID', 'parallel has only 1 branch; it needs at least 2.'],
    ],
    [
      '- parallel: [ [ call: a ], ▮[] ]',
      ['FLOWS.EMPTY', 'branch 2 of parallel has no steps; write at least one.'],
    ],
    [
      '- parallel: [ ▮{ ▮call: a }, ▮{ ▮call: b } ]',
      ['FLOWS.KEY_MISSING', 'branch 1 of parallel needs the key steps: a list of steps.'],
      [
        'FLOWS.KEY_UNKNOWN',
        '"call" is not a key of branch 1 of parallel; put steps into a list under steps.',
      ],
      ['FLOWS.KEY_MISSING', 'branch 2 of parallel needs the key steps: a list of steps.'],
      [
        'FLOWS.KEY_UNKNOWN',
        '"call" is not a key of branch 2 of parallel; put steps into a list under steps.',
      ],
    ],
    [
      '- parallel: { all: [ [ call: a ], [ call: b ] ], ▮any: ▮[] }',
      ['FLOWS.VALUE_INVALID', 'parallel has all and any, of which one excludes the other; keep one.'],
      ['FLOWS.EMPTY', 'any of parallel is an empty list.'],
    ],
    ['- parallel: ▮{}', ['FLOWS.KEY_MISSING', 'parallel needs one of the keys all, any.']],
    [
      '- parallel: ▮{ ▮first: [] }',
      ['FLOWS.KEY_MISSING', 'parallel needs one of the keys all, any.'],
      ['FLOWS.KEY_UNKNOWN', '"first" is not a key of parallel; its keys are all, any.'],
    ],
    [
      '- parallel: ▮a',
      ['FLOWS.VALUE_INVALID', 'parallel must be a list of branches, or a mapping of all or any.'],
    ],
    [
      '- parallel: [ ▮a, ▮b ]',
      [
        'FLOWS.VALUE_INVALID',
        'branch 1 of parallel must be a list of steps, or a mapping of name and steps.',
      ],
      [
        'FLOWS.VALUE_INVALID',
        'branch 2 of parallel must be a list of steps, or a mapping of name and steps.',
      ],
    ],
    [
      '- ▮▮for-each: x',
      ['FLOWS.KEY_MISSING', 'for-each needs the key in: a FEEL expression.'],
      ['FLOWS.KEY_MISSING', 'for-each needs the key steps: a list of steps.'],
    ],
    [
      '- for-each: ▮1x\n  in: =a\n  one-by-one: ▮1\n  collect: ▮{ a: b, c: d }\n  steps: ▮[]',
      [
        'FLOWS.VALUE_INVALID',
        'for-each: "1x" is no variable name: letters, digits and _, at most 255, no digit first.',
      ],
      ['FLOWS.VALUE_INVALID', 'one-by-one of for-each must be true or false.'],
      ['FLOWS.VALUE_INVALID', 'collect of for-each has 2 keys; it must have one.'],
      ['FLOWS.EMPTY', 'steps of for-each has no steps; write at least one.'],
    ],
    [
      '- for-each: x\n  in: ▮[1, 2]\n  collect: ▮b\n  steps: [ end ]',
      [
        'FLOWS.VALUE_INVALID',
        'in of for-each must be a FEEL expression; put one that begins with "[" in quotes.',
      ],
      ['FLOWS.VALUE_INVALID', 'collect of for-each must be a mapping of a list to a variable.'],
    ],
    [
      '- repeat: ▮{}\n  steps: [ end ]',
      ['FLOWS.KEY_MISSING', 'repeat needs at least one of the keys while, until, at-most.'],
    ],
    [
      '- repeat: { while: a, ▮until: b }\n  steps: [ end ]',
      ['FLOWS.VALUE_INVALID', 'repeat has while and until, of which one excludes the other; keep one.'],
    ],
    [
      '- ▮repeat: { at-most: ▮0 }',
      ['FLOWS.KEY_MISSING', 'repeat needs the key steps: a list of steps.'],
      ['FLOWS.VALUE_INVALID', 'at-most of repeat: "0" is no whole number from 1 to 999999999.'],
    ],
    [
      '- repeat: ▮3\n  steps: [ end ]',
      ['FLOWS.VALUE_INVALID', 'repeat must be a mapping of while, until, at-most.'],
    ],
    [
      '- repeat: { until: =▮ }\n  steps: [ end ]',
      ['FEEL.SYNTAX_INVALID', 'until of repeat: "=" is no FEEL expression: the expression is empty.'],
    ],
  ],
  withSteps,
);

table(
  'tries',
  [
    ['- try: ▮[]', ['FLOWS.EMPTY', 'try has no steps; write at least one.']],
    ['- try: ▮a', ['FLOWS.VALUE_INVALID', 'try must be a list of steps: begin each with "- ".']],
    [
      '- try: [ call: a ]\n  on-error: [ ▮call: x ]',
      [
        'FLOWS.KEY_UNKNOWN',
        '"call" is not a key of handler 1 of on-error of try; put steps into a list under steps.',
      ],
    ],
    [
      '- try: [ call: a ]\n  on-error: ▮x',
      [
        'FLOWS.VALUE_INVALID',
        'on-error of try must be a mapping of id, name, audit, code, code-variable, message-variable, steps.',
      ],
    ],
    ['- try: [ call: a ]\n  on-error: ▮[]', ['FLOWS.EMPTY', 'on-error of try is an empty list.']],
    [
      '- try: [ call: a ]\n  on-error: { code: ▮5, code-variable: ▮1, ▮message: m, ▮continue: true }',
      ['FLOWS.VALUE_INVALID', 'code of on-error of try must be a code: put it in quotes.'],
      ['FLOWS.VALUE_INVALID', 'code-variable of on-error of try must be the name of a variable.'],
      [
        'FLOWS.KEY_UNKNOWN',
        '"message" is not a key of on-error of try; its keys are message-variable, steps, id, name, audit.',
      ],
      [
        'FLOWS.KEY_UNKNOWN',
        '"continue" is not a key of on-error of try; its keys are message-variable, steps, id, name, audit.',
      ],
    ],
    [
      '- try: [ call: a ]\n  on-timeout: ▮PT5M',
      [
        'FLOWS.VALUE_INVALID',
        'on-timeout of try must be a mapping of id, name, audit, after, at, every, continue, steps.',
      ],
    ],
    [
      '- try: [ call: a ]\n  on-timeout: ▮{ steps: [] }',
      ['FLOWS.KEY_MISSING', 'on-timeout of try needs one of the keys after, at, every.'],
    ],
    [
      '- try: [ call: a ]\n  on-timeout: { after: PT5M, ▮at: x }',
      [
        'FLOWS.VALUE_INVALID',
        'on-timeout of try has after and at, of which one excludes the other; keep one.',
      ],
    ],
    [
      '- try: [ call: a ]\n  on-escalation: { continue: ▮no }',
      ['FLOWS.VALUE_INVALID', 'continue of on-escalation of try must be true or false.'],
    ],
    [
      '- try: [ call: a ]\n  compensate: ▮b',
      ['FLOWS.VALUE_INVALID', 'compensate of try must be a list of steps: begin each with "- ".'],
    ],
    [
      '- try: [ call: a ]\n  compensate: ▮[]',
      ['FLOWS.EMPTY', 'compensate of try has no steps; write at least one.'],
    ],
    [
      '- try: [ call: a ]\n  ▮on-eror: {}',
      ['FLOWS.KEY_UNKNOWN', '"on-eror" is not a key of try; the nearest is "on-error".'],
    ],
  ],
  withSteps,
);
