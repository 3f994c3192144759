/** What is wrong with a flow as a whole, with its verbs, starts, expressions and ids. */
import { withSteps } from './flow-texts.ts';
import { table } from './fault-table.ts';

table('the file', [
  ['▮', ['FLOWS.VALUE_INVALID', 'a flow must be a mapping of keys.']],
  ['▮- call: a', ['FLOWS.VALUE_INVALID', 'a flow must be a mapping of keys.']],
  ['▮id: p', ['FLOWS.KEY_MISSING', 'the flow needs the key steps: a list of steps.']],
  [
    '▮nme: p\nsteps: [ end ]',
    ['FLOWS.KEY_UNKNOWN', '"nme" is not a key of the flow; the nearest is "name".'],
  ],
  [
    '▮zzzzzzzz: p\nsteps: [ end ]',
    ['FLOWS.KEY_UNKNOWN', '"zzzzzzzz" is not a key of the flow; its keys are id, name, audit, variables.'],
  ],
  ['steps: ▮[]', ['FLOWS.EMPTY', 'steps of the flow has no steps; write at least one.']],
  [
    'steps: ▮call',
    ['FLOWS.VALUE_INVALID', 'steps of the flow must be a list of steps: begin each with "- ".'],
  ],
  [
    'steps:\n  ▮call: a',
    ['FLOWS.VALUE_INVALID', 'steps of the flow must be a list of steps: begin each with "- ".'],
  ],
  [
    '▮steps:',
    ['FLOWS.VALUE_INVALID', 'steps of the flow is empty; write a list of steps: begin each with "- ".'],
  ],
  [
    'id: ▮a b\nsteps: [ end ]',
    [
      'FLOWS.VALUE_INVALID',
      'id of the flow is "a b"; an id has letters, digits, "-", "_" and ".", begins with a letter or "_", and is at most 255 characters long.',
    ],
  ],
  ['id: ▮5\nsteps: [ end ]', ['FLOWS.VALUE_INVALID', 'id of the flow must be an id.']],
  [
    'variables: { a: ▮5, ▮1b: text, c: { ▮typ: text } }\nsteps: [ end ]',
    ['FLOWS.VALUE_INVALID', 'a of variables of the flow must be text: put it in quotes.'],
    [
      'FLOWS.VALUE_INVALID',
      'a key of variables of the flow: "1b" is no variable name: letters, digits and _, at most 255, no digit first.',
    ],
    ['FLOWS.KEY_UNKNOWN', '"typ" is not a key of c of variables of the flow; the nearest is "type".'],
  ],
  [
    'steps:\n  - call: a\n    ▮call: b',
    ['FLOWS.YAML_INVALID', 'the file cannot be read: a key occurs twice in this mapping.'],
  ],
  [
    'steps:\n  - call: &a ▮x\n  - call: ▮*a',
    ['FLOWS.YAML_INVALID', 'the file cannot be read: anchors are not allowed.'],
    ['FLOWS.YAML_INVALID', 'the file cannot be read: aliases are not allowed; write the value itself.'],
  ],
  [
    `steps: ${'['.repeat(63)}▮[`,
    ['FLOWS.YAML_INVALID', 'the file cannot be read: it nests deeper than 64 levels.'],
  ],
]);

table(
  'steps and verbs',
  [
    ['- ▮cal: a', ['FLOWS.VERB_MISSING', 'the step has no verb; "cal" is none, the nearest is "call".']],
    [
      '- ▮zzzzzzz: a',
      [
        'FLOWS.VERB_MISSING',
        'the step has no verb; its verbs are start, call, send, wait, choose, parallel, for-each, repeat, decide, set, try, compensate, flow, reply, signal, escalate, end, fail.',
      ],
    ],
    [
      '- call: a\n  ▮send: b',
      ['FLOWS.VERB_MISSING', 'the step has several verbs: call, send; begin a step for each with "- ".'],
    ],
    [
      '- ▮foo',
      ['FLOWS.VERB_MISSING', 'a step is a mapping with a verb; write - and a verb, as - call: a-channel.'],
    ],
    ['- ▮call', ['FLOWS.VERB_MISSING', 'a step is a mapping with a verb; write - call: and what it means.']],
    [
      '- ▮5',
      ['FLOWS.VERB_MISSING', 'a step is a mapping with a verb; write - and a verb, as - call: a-channel.'],
    ],
    [
      '- ▮- call: a',
      ['FLOWS.VERB_MISSING', 'a step is a mapping with a verb; write - and a verb, as - call: a-channel.'],
    ],
    [
      '-▮',
      ['FLOWS.VERB_MISSING', 'a step is a mapping with a verb; write - and a verb, as - call: a-channel.'],
    ],
    [
      '- call: a\n- ▮start: b',
      [
        'FLOWS.VALUE_INVALID',
        'start stands once, as the first step of the flow; what comes later is a wait.',
      ],
    ],
    [
      '- choose: [ { when: a, steps: [ ▮start: b ] } ]',
      [
        'FLOWS.VALUE_INVALID',
        'start stands once, as the first step of the flow; what comes later is a wait.',
      ],
    ],
    ['- call: a\n  ? ▮[b]\n  : c', ['FLOWS.KEY_UNKNOWN', 'a key of the step must be plain text.']],
    [
      '- try: [ end ]\n  ▮choose: []',
      ['FLOWS.VERB_MISSING', 'the step has several verbs: try, choose; begin a step for each with "- ".'],
    ],
    [
      '- compensate: all\n  ▮reply: 1',
      [
        'FLOWS.VERB_MISSING',
        'the step has several verbs: compensate, reply; begin a step for each with "- ".',
      ],
    ],
  ],
  withSteps,
);

table(
  'starts',
  [
    [
      '- start: ▮PT5M\n- end',
      ['FLOWS.VALUE_INVALID', 'channel of start names the channel "PT5M"; a time is { timer: PT5M }.'],
    ],
    [
      '- ▮start: { id: a }\n- end',
      ['FLOWS.KEY_MISSING', 'start needs one of the keys channel, timer, signal, condition.'],
    ],
    [
      '- start: [ { channel: a }, ▮{ id: b } ]\n- end',
      ['FLOWS.KEY_MISSING', 'item 2 of start needs one of the keys channel, timer, signal, condition.'],
    ],
    ['- start: ▮[]\n- end', ['FLOWS.EMPTY', 'start is an empty list.']],
    [
      '- start: { timer: R/PT1H, ▮signal: a }\n- end',
      ['FLOWS.VALUE_INVALID', 'start has timer and signal, of which one excludes the other; keep one.'],
    ],
    [
      '- start: a\n  ▮variabel: b\n- end',
      ['FLOWS.KEY_UNKNOWN', '"variabel" is not a key of start; the nearest is "variable".'],
    ],
    [
      '- start:\n  ▮variable: b\n- end',
      ['FLOWS.KEY_UNKNOWN', '"variable" is not a key of start; its keys are alias, id, name, audit.'],
    ],
    [
      '- start: [ { channel: a }, ▮b ]\n- end',
      ['FLOWS.VALUE_INVALID', 'item 2 of start must be a mapping of channel, timer, signal or condition.'],
    ],
    [
      '- start: [ { channel: a } ]\n  ▮id: b\n- end',
      ['FLOWS.KEY_UNKNOWN', '"id" is not a key of start; it belongs to one of the things in the list.'],
    ],
    [
      '- start: { timer: PT5M }\n  ▮dedup-key: a\n- end',
      ['FLOWS.KEY_UNKNOWN', '"dedup-key" of start is of messages alone; remove it.'],
    ],
    [
      '- start: a\n- ▮start: b\n- end',
      [
        'FLOWS.VALUE_INVALID',
        'start stands once, as the first step of the flow; what comes later is a wait.',
      ],
    ],
  ],
  withSteps,
);

table(
  'expressions',
  [
    [
      '- set: { a: =b +▮ }',
      ['FEEL.SYNTAX_INVALID', 'a of set: "=b +" is no FEEL expression: the expression is not complete.'],
    ],
    [
      '- set: { a: "=b +▮ " }',
      ['FEEL.SYNTAX_INVALID', 'a of set: "=b +" is no FEEL expression: the expression is not complete.'],
    ],
    [
      '- set:\n    a: |\n      =b\n        + ▮) c',
      ['FEEL.SYNTAX_INVALID', 'a of set: "=b\\n  + ) c" is no FEEL expression: unexpected \')\'.'],
    ],
    [
      '- set: { a: "=b\\t\\u0041 + ▮)" }',
      ['FEEL.SYNTAX_INVALID', 'a of set: "=b\\tA + )" is no FEEL expression: unexpected \')\'.'],
    ],
    [
      '- set: { a: ▮[1] }',
      ['FLOWS.VALUE_INVALID', 'a of set must be a FEEL expression; put one that begins with "[" in quotes.'],
    ],
    [
      '- set: { a: ▮{b: 1} }',
      ['FLOWS.VALUE_INVALID', 'a of set must be a FEEL expression; put one that begins with "{" in quotes.'],
    ],
    [
      '- set: { ▮a: }',
      ['FLOWS.VALUE_INVALID', 'a of set is empty; write a FEEL expression, for null: =null.'],
    ],
    [
      '- set: { a: ▮null }',
      ['FLOWS.VALUE_INVALID', 'a of set is empty; write a FEEL expression, for null: =null.'],
    ],
    [
      '- set: { a: ▮~ }',
      ['FLOWS.VALUE_INVALID', 'a of set is empty; write a FEEL expression, for null: =null.'],
    ],
    ['- set: { a: ▮" " }', ['FLOWS.VALUE_INVALID', 'a of set is blank; write a FEEL expression.']],
    [
      '- set: { a: ▮0x1F, b: ▮.inf, c: ▮+5, d: ▮.nan }',
      ['FLOWS.VALUE_INVALID', 'a of set is "0x1F", which is no number of FEEL; write it in decimal digits.'],
      ['FLOWS.VALUE_INVALID', 'b of set is ".inf", which is no number of FEEL; write it in decimal digits.'],
      ['FLOWS.VALUE_INVALID', 'c of set is "+5", which is no number of FEEL; write it in decimal digits.'],
      ['FLOWS.VALUE_INVALID', 'd of set is ".nan", which is no number of FEEL; write it in decimal digits.'],
    ],
    [
      '- set:\n    a: ▮${b}\n    c: ▮"#{d}"',
      [
        'FLOWS.VALUE_INVALID',
        'a of set is "${b}", the syntax of another engine; write FEEL, as =amount > 100.',
      ],
      [
        'FLOWS.VALUE_INVALID',
        'c of set is "#{d}", the syntax of another engine; write FEEL, as =amount > 100.',
      ],
    ],
    [
      '- set: { a: =▮nothere(1) }',
      [
        'FEEL.SYNTAX_INVALID',
        'a of set: "=nothere(1)" is no FEEL expression: there is no function \'nothere\'.',
      ],
    ],
    [
      '- set: { a: =▮ }',
      ['FEEL.SYNTAX_INVALID', 'a of set: "=" is no FEEL expression: the expression is empty.'],
    ],
  ],
  withSteps,
);

table(
  'ids',
  [
    [
      '- call: a\n- ▮call: a',
      [
        'FLOWS.ID_NEEDED',
        'this step would have the id "call-a", as the step in line 2 has; give one of the two an id of its own, as id: call-a-2.',
      ],
    ],
    [
      '- call: a\n- call: b\n  id: ▮call-a',
      ['FLOWS.ID_TAKEN', 'the step in line 2 has the id "call-a" already; choose another.'],
    ],
    [
      '- call: a\n  id: x\n- call: b\n  id: ▮x',
      ['FLOWS.ID_TAKEN', 'the step in line 3 has the id "x" already; choose another.'],
    ],
    [
      '- parallel: [ [ call: a ], [ ▮call: a ] ]',
      [
        'FLOWS.ID_NEEDED',
        'this step would have the id "call-a", as the step in line 2 has; give one of the two an id of its own, as id: call-a-2.',
      ],
    ],
    [
      '- repeat: { at-most: 2 }\n  steps: [ ▮{ repeat: { at-most: 2 }, steps: [ end ] } ]',
      [
        'FLOWS.ID_NEEDED',
        'this step would have the id "repeat", as the step in line 2 has; give one of the two an id of its own, as id: repeat-2.',
      ],
    ],
    ['- call: a\n  id: ▮test', ['FLOWS.ID_TAKEN', 'the process has the id "test" already; choose another.']],
    ['- call: a\n  id: ▮start', ['FLOWS.ID_TAKEN', 'the start has the id "start" already; choose another.']],
    [
      '- call: a\n- ▮call: a\n- ▮call: a',
      [
        'FLOWS.ID_NEEDED',
        'this step would have the id "call-a", as the step in line 2 has; give one of the two an id of its own, as id: call-a-2.',
      ],
      [
        'FLOWS.ID_NEEDED',
        'this step would have the id "call-a", as the step in line 2 has; give one of the two an id of its own, as id: call-a-3.',
      ],
    ],
    [
      '- call: a\n- ▮call: a\n  name: Call a',
      [
        'FLOWS.ID_NEEDED',
        'this step would have the id "call-a", as the step in line 2 has; give one of the two an id of its own, as id: call-a-2.',
      ],
    ],
    [
      '- try: [ call: a ]\n  on-timeout: [ { after: PT1M }, ▮{ after: PT5M } ]',
      [
        'FLOWS.ID_NEEDED',
        'this step would have the id "try-on-timeout", as the step in line 3 has; give one of the two an id of its own, as id: try-on-timeout-2.',
      ],
    ],
    [
      '- call: a\n- ▮call: a\n- call: b\n  id: call-a-2',
      [
        'FLOWS.ID_NEEDED',
        'this step would have the id "call-a", as the step in line 2 has; give one of the two an id of its own, as id: call-a-2.',
      ],
    ],
  ],
  withSteps,
);
