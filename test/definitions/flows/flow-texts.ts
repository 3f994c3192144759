/** Flows that are right, one for each thing that the notation can say: the reader takes them, and so does the schema. */
import type { FlowReading } from '../../../definitions/flows/read/read-flow.ts';
import { readFlow } from '../../../definitions/flows/read/read-flow.ts';

export function read(text: string, path = 'flows/test.yaml'): FlowReading {
  return readFlow({ path, content: new TextEncoder().encode(text) });
}

/** A flow of these steps. */
export function withSteps(steps: string): string {
  return `steps:\n${steps.replaceAll(/^/gm, '  ')}\n`;
}

/** Steps, and what they are read as: see `shownSteps` in read-steps.test.ts. */
export const rightSteps: readonly (readonly [steps: string, shown: string])[] = [
  ['- call: score', 'call-score: call(target: score)'],
  [
    `- call: score
  id: s
  name: Score it
  input: { a: =b, "two words": 1, c: true }
  output: score
  headers: { x-priority: ="high" }
  timeout: PT5M
  retry: { max-attempts: 3, initial-delay: PT1S, backoff-coefficient: 1.50, max-delay: PT5M, non-retryable-codes: [A, B] }
  alias: { order-id: =order.id, customer: { expression: =c, message: =payload.c, unique: true, on-conflict: correlate, multi: false } }
  response: answers
  throws: [{ code: REJECTED, when: =score < 0 }]`,
    's "Score it": call(target: score, input: [a = =b, two words = 1, c = true], output: score, headers: [x-priority = ="high"], timeout: PT5M, retry: (maxAttempts: 3, initialDelay: PT1S, backoffCoefficient: 1.50, maxDelay: PT5M, nonRetryableCodes: A B), aliases: [(name: order-id, expression: =order.id), (name: customer, expression: =c, message: =payload.c, isUnique, onConflict: correlate)], response: (channel: answers), throws: [(code: REJECTED, when: =score < 0)])',
  ],
  [
    '- call: registered:convert\n  response: { channel: answers, variable: a, type: t }',
    'call-registered-convert: call(target: registered:convert, response: (channel: answers, variable: a, type: t))',
  ],
  ['- send: out', 'send-out: send(message: (channel: out))'],
  ['- send: out\n  audit: true', 'send-out: send(audit: true, message: (channel: out))'],
  ['- send: { channel: out, audit: false }', 'send-out: send(audit: false, message: (channel: out))'],
  [
    '- send: out\n  body: =order\n  headers: { x: =1 }\n  content-type: application/json',
    'send-out: send(message: (channel: out, contentType: application/json, body: =order, headers: [x = =1]))',
  ],
  [
    '- send: { destination: ="a" }\n  body: =order',
    'send-a: send(message: (destination: ="a", body: =order))',
  ],
  ['- send: { channel: out, body: 5, id: s }', 's: send(message: (channel: out, body: 5))'],
  ['- wait: payments', 'wait-payments: wait(trigger: (message, source: (channel: payments)))'],
  [
    '- wait: payments\n  variable: p\n  type-pattern: "paid.*"\n  alias: { k: =a.k }',
    'wait-payments: wait(trigger: (message, source: (channel: payments, variable: p, typePattern: paid.*), aliases: [(name: k, expression: =a.k)]))',
  ],
  [
    '- wait: { channel: payments, merge: true, type: paid }',
    'wait-payments: wait(trigger: (message, source: (channel: payments, isMerged, type: paid)))',
  ],
  ['- wait: { timer: PT5M }', 'wait-pt5m: wait(trigger: (timer, timer: (after, value: PT5M)))'],
  ['- wait: { timer: R3/PT5M }', 'wait-r3-pt5m: wait(trigger: (timer, timer: (every, value: R3/PT5M)))'],
  [
    '- wait: { timer: 2030-01-31T09:00:00Z }',
    'wait-2030-01-31t09-00-00z: wait(trigger: (timer, timer: (at, value: 2030-01-31T09:00:00Z)))',
  ],
  [
    '- wait: { timer: { after: =delay } }',
    'wait-delay: wait(trigger: (timer, timer: (after, value: =delay)))',
  ],
  ['- wait: { timer: { at: due } }', 'wait-due: wait(trigger: (timer, timer: (at, value: due)))'],
  [
    '- wait: { timer: { every: R/PT1H } }',
    'wait-r-pt1h: wait(trigger: (timer, timer: (every, value: R/PT1H)))',
  ],
  [
    '- wait: { signal: News }\n  variable: n',
    'wait-signal-news: wait(trigger: (signal, signal: News, variable: n))',
  ],
  [
    '- wait: { condition: =stock > 0 }',
    'wait-condition-stock-0: wait(trigger: (condition, condition: =stock > 0))',
  ],
  [
    `- wait:
    - channel: payments
      variable: payment
      steps: [ call: book ]
    - { timer: P3D, id: late, name: Too late }
    - signal: stop
      steps: []`,
    'wait-first-payments: wait-first(alternatives: [(wait-payments, trigger: (message, source: (channel: payments, variable: payment)), steps: {call-book: call(target: book)}), (late "Too late", trigger: (timer, timer: (after, value: P3D)), steps: {}), (wait-signal-stop, trigger: (signal, signal: stop), steps: {})])',
  ],
  [
    `- choose:
    - when: =score > 700
      name: good
      steps: [ call: a ]
    - when: false
    - else: [ end ]`,
    'choose-score-700: choose(cases: [(when: =score > 700, name: good, steps: {call-a: call(target: a)}), (when: false, steps: {})], otherwise: {end-2: end()})',
  ],
  ['- choose: [ { when: a, steps: [] } ]', 'choose-a: choose(cases: [(when: a, steps: {})])'],
  [
    '- parallel:\n    - - call: a\n    - name: second\n      steps: [ call: b ]',
    'parallel: parallel(until: all, branches: [(steps: {call-a: call(target: a)}), (name: second, steps: {call-b: call(target: b)})])',
  ],
  [
    '- parallel: { any: [ [ call: a ], [ call: b ] ] }',
    'parallel: parallel(until: any, branches: [(steps: {call-a: call(target: a)}), (steps: {call-b: call(target: b)})])',
  ],
  [
    '- parallel: { all: [ [ call: a ], [ call: b ] ] }',
    'parallel: parallel(until: all, branches: [(steps: {call-a: call(target: a)}), (steps: {call-b: call(target: b)})])',
  ],
  [
    '- for-each: line\n  in: =order.lines\n  steps: [ call: a ]',
    'for-each-line: for-each(item: line, collection: =order.lines, isParallel, steps: {call-a: call(target: a)})',
  ],
  [
    `- for-each: line
  in: =order.lines
  one-by-one: true
  until: =numberOfCompletedInstances >= 2
  collect: { results: result }
  steps: [ call: a ]`,
    'for-each-line: for-each(item: line, collection: =order.lines, until: =numberOfCompletedInstances >= 2, collect: (list: results, value: result), steps: {call-a: call(target: a)})',
  ],
  [
    '- repeat: { until: =done, at-most: 10 }\n  steps: [ call: a ]',
    'repeat: repeat(condition: (until, expression: =done), atMost: 10, steps: {call-a: call(target: a)})',
  ],
  [
    '- repeat: { while: =todo }\n  steps: [ call: a ]',
    'repeat: repeat(condition: (while, expression: =todo), steps: {call-a: call(target: a)})',
  ],
  [
    '- repeat: { at-most: 3 }\n  steps: [ call: a ]',
    'repeat: repeat(atMost: 3, steps: {call-a: call(target: a)})',
  ],
  [
    '- decide: Interest Rate\n  input: { Credit Score: =score }\n  output: rate',
    'decide-interest-rate: decide(decision: Interest Rate, input: [Credit Score = =score], output: rate)',
  ],
  [
    '- set: { total: =sum(order.prices), order.state: ="paid" }',
    'set-total: set(assignments: [total = =sum(order.prices), order.state = ="paid"])',
  ],
  [
    `- try: [ call: a ]
  on-error:
    - { code: REJECTED, code-variable: c, message-variable: m, steps: [ end ] }
    - {}
  on-timeout: { after: PT5M, continue: true, steps: [ call: b ] }
  on-escalation: [{ code: LATE, continue: true, code-variable: c, id: late }]
  compensate: [ call: undo ]
- compensate: try
- compensate: all`,
    'try: try(steps: {call-a: call(target: a)}, handlers: [(try-on-error-rejected, error, code: REJECTED, codeVariable: c, messageVariable: m, steps: {end-2: end()}), (try-on-error, error, steps: {}), (try-on-timeout, timeout, timer: (after, value: PT5M), steps: {call-b: call(target: b)}), (late, escalation, code: LATE, codeVariable: c, steps: {})], compensation: (steps: {call-undo: call(target: undo)})); compensate-try: compensate(target: try); compensate-all: compensate()',
  ],
  [
    '- try: [ call: a ]\n  name: Reserve\n  on-timeout: { every: =often, name: Remind }',
    'reserve "Reserve": try(steps: {call-a: call(target: a)}, handlers: [(remind "Remind", timeout, timer: (every, value: =often), isInterrupting, steps: {})])',
  ],
  [
    '- flow: score-order\n  input: { a: =b }\n  output: { score: =result.score }',
    'flow-score-order: flow(process: score-order, input: [a = =b], output: [score = =result.score])',
  ],
  ['- flow: ="p-" + n', 'flow-p-n: flow(process: ="p-" + n)'],
  ['- reply: =score', 'reply: reply(reply: (body: =score))'],
  [
    '- reply: { body: =score, content-type: text/plain, headers: { x: =1 }, continue: true }',
    'reply: reply(reply: (contentType: text/plain, body: =score, headers: [x = =1], isContinued))',
  ],
  ['- reply: =score\n  headers: { x: =1 }', 'reply: reply(reply: (body: =score, headers: [x = =1]))'],
  ['- signal: news\n  body: =order', 'signal-news: signal(signal: news, body: =order)'],
  ['- escalate: LATE', 'escalate-late: escalate(code: LATE)'],
  ['- fail: REJECTED', 'fail-rejected: fail(code: REJECTED)'],
  ['- end', 'end: end()'],
  ['- end: approved', 'end-approved "approved": end()'],
  ['- end:\n  name: approved\n  id: e', 'e "approved": end()'],
  ['- end: approved\n  terminate: true', 'end-approved "approved": end(isTerminating)'],
  [
    '- end: approved\n  reply: { body: =score }\n  send: { channel: out, body: =order }',
    'end-approved "approved": end(message: (channel: out, body: =order), reply: (body: =score))',
  ],
  [
    '- end: approved\n  reply: =score\n  send: out',
    'end-approved "approved": end(message: (channel: out), reply: (body: =score))',
  ],
];

/** Starts, and what they are read as. */
export const rightStarts: readonly (readonly [start: string, shown: string])[] = [
  ['', '(start)'],
  ['- start', '(start)'],
  ['- start:\n  id: begin\n  alias: { k: =a }', '(begin, aliases: [(name: k, expression: =a)])'],
  ['- start: orders', '(start, trigger: (message, source: (channel: orders)))'],
  [
    '- start: orders\n  variable: order\n  type: placed\n  dedup-key: =order.id\n  alias: { k: =order.id }\n  name: Ordered',
    '(ordered "Ordered", trigger: (message, source: (channel: orders, variable: order, type: placed, dedupKey: =order.id), aliases: [(name: k, expression: =order.id)]))',
  ],
  ['- start: { timer: R/PT1H }', '(start, trigger: (timer, timer: (every, value: R/PT1H)))'],
  ['- start: { signal: news, variable: n }', '(start, trigger: (signal, signal: news, variable: n))'],
  ['- start: { condition: =low }', '(start, trigger: (condition, condition: =low))'],
  [
    '- start:\n    - { channel: orders, variable: order }\n    - { timer: P1D, id: daily }\n    - signal: news',
    '(start-orders, trigger: (message, source: (channel: orders, variable: order))), (daily, trigger: (timer, timer: (after, value: P1D))), (start-signal-news, trigger: (signal, signal: news))',
  ],
];

/** Whole files. */
export const rightFlows: readonly string[] = [
  ...rightSteps.map(([steps]) => withSteps(steps)),
  ...rightStarts.map(([start]) => withSteps(`${start}\n- call: work`.trim())),
  'id: order\nname: Order scoring\nvariables:\n  order: context\n  card: { type: text, sensitive: true, transient: true }\n  free: {}\nsteps: [ end ]\n',
];
