import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFlow } from '../../../definitions/flows/read/read-flow.ts';
import { writeYaml } from '../../../definitions/flows/convert/write-yaml.ts';
import { call, choose, end, flow, set } from '../../support/flow-builder.ts';

/** The text of the flow that `text` is. */
function written(text: string): string {
  const { flow: read, findings } = readFlow({ path: 'p.yaml', content: new TextEncoder().encode(text) });
  assert.ok(read !== null, JSON.stringify(findings));
  return writeYaml(read);
}

/** Texts as a person would write them: they come out as they went in. */
const texts: readonly (readonly [name: string, text: string])[] = [
  [
    'a call with all its options',
    `id: p
name: A process
audit: true
variables:
  order: context
  card:
    type: text
    sensitive: true
    transient: true
steps:
  - start: orders
    audit: false
    variable: order
    type: order.placed
    dedup-key: =order.id
    alias:
      order-id: =order.id
      customer:
        expression: =order.customer
        message: =payload.customer
        unique: true
        on-conflict: correlate
  - call: score-request
    id: score
    name: Score the order
    input:
      customer: =order.customer
      two words: =order.amount
    output: score
    headers:
      x-priority: =order.priority
    timeout: PT5M
    retry:
      max-attempts: 3
      initial-delay: PT1S
      backoff-coefficient: 2.5
      max-delay: PT5M
      non-retryable-codes:
        - A
        - B
    response:
      channel: score-answers
      type: scored
    throws:
      - code: REJECTED
        when: =score.value < 0
`,
  ],
  [
    'what is waited for',
    `id: p
steps:
  - start:
      - channel: orders
        id: begin
      - timer: R/PT1H
  - wait: payments
    merge: true
    type-pattern: paid.*
  - wait:
      timer: PT5M
  - wait:
      timer:
        after: =duration("PT1M")
  - wait:
      signal: news
      variable: heard
  - wait:
      condition: =stock > 0
  - id: first
    wait:
      - channel: answers
        variable: answer
        steps:
          - call: thank
      - timer: P3D
        id: too-late
`,
  ],
  [
    'branches, loops and handlers',
    `id: p
steps:
  - choose:
      - when: =a
        name: good
        steps:
          - send: out
            body: =a
            headers:
              h: ="1"
            content-type: application/json
      - when: =b
        steps: []
      - else:
          - end
  - parallel:
      - - call: a
      - name: second
        steps:
          - call: b
  - id: race
    parallel:
      any:
        - - call: c
        - - call: d
  - for-each: line
    in: =order.lines
    one-by-one: true
    until: =numberOfCompletedInstances >= 2
    collect:
      results: result
    steps:
      - call: pick
  - repeat:
      while: =more
      at-most: 10
    steps:
      - call: poll
  - id: reserve
    try:
      - decide: Interest Rate
        input:
          x: =1
        output: rate
    on-error:
      - code: REJECTED
        code-variable: c
        message-variable: m
        steps:
          - fail: LOST
      - steps:
          - reply: =1
    on-timeout:
      after: PT5M
      continue: true
      steps:
        - signal: news
          body: =order
    on-escalation:
      code: LATE
      continue: true
    compensate:
      - set:
          total: =sum(order.lines.price)
          order.state: ="free"
  - compensate: reserve
  - compensate: all
  - escalate: LATE
  - flow: score-order
    input:
      x: =1
    output:
      y: =2
  - end: approved
    reply:
      body: =score
      headers:
        x-a: ="a"
    send: confirmations
    terminate: true
`,
  ],
  [
    'an expression of several lines',
    `id: p
steps:
  - set:
      a: |-
        =if b
        then 1
        else 2
`,
  ],
];

describe('a flow as YAML', () => {
  for (const [name, text] of texts) {
    it(`writes ${name}`, () => {
      assert.equal(written(text), text);
    });
  }

  it('writes expressions with a sign, and texts that YAML would take for something else in quotes', () => {
    const text = `id: p\nsteps: [ { set: { a: 1, b: 'x: y', c: true } }, { call: "123", name: "yes: no" } ]`;
    const lines = written(text.replace("'x: y'", `'{x: y}'`)).split('\n');
    assert.deepEqual(lines.slice(2), [
      '  - set:',
      '      a: =1',
      '      b: "={x: y}"',
      '      c: =true',
      '  - call: "123"',
      '    name: "yes: no"',
      '',
    ]);
  });

  it('leaves out an id that the step would have anyhow, and writes any other', () => {
    const steps = [call('call-a', 'a'), call('mine', 'b'), set('set-x', { x: '=1' })];
    assert.equal(
      writeYaml(flow('p', steps)),
      'id: p\nsteps:\n  - call: a\n  - call: b\n    id: mine\n  - set:\n      x: =1\n',
    );
  });

  it('writes the ids of ends without a name unless they are counted so', () => {
    const ends = (first: string, second: string): string =>
      writeYaml(
        flow('p', [
          choose(
            'c',
            [
              ['=x', end(first)],
              ['=y', end(second)],
            ],
            [end('other')],
          ),
        ]),
      );
    assert.match(ends('end', 'end-2'), /- end\n[^]*- end\n[^]*id: other/);
    assert.match(ends('end-2', 'end'), /id: end-2\n[^]*id: end\n/);
  });
});
