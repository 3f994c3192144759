/** What happens in a scenario is what happens in an engine, and a wrong expectation is found. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ScenarioResult } from '../../../server/scenarios/run-scenarios.ts';
import { call, flows, packageFiles, start } from '../../support/packages.ts';
import { assertPassed, closeDatabase, runAll } from './run.ts';

type Results = ReadonlyMap<string, ScenarioResult>;

after(closeDatabase);

/** One test for each scenario: it passes. */
function allPass(
  packageTexts: Readonly<Record<string, string>>,
  scenarios: Readonly<Record<string, string>>,
): void {
  let results: Results = new Map();
  before(async () => {
    results = await runAll(packageTexts, scenarios);
  });
  for (const name of Object.keys(scenarios))
    it(name.replaceAll('-', ' '), () => assertPassed(results.get(name)));
}

const timeout = (duration: string): string => `<q:timeout duration="${duration}"/>`;

const orderPackage = packageFiles({
  channels: `  - { name: orders, transport: http, bind: "POST /orders", auth: { kind: bearer, reference: "env:NOT_SET" } }
  - { name: work, transport: pull, codec: json, task: { retries: 2, retry-timeout: PT10S } }
  - { name: reviews, transport: local, direction: inbound }
  - { name: wrongs, transport: http, bind: "POST /wrongs" }`,
  definitions: '<error id="wrong-error" errorCode="WRONG"/>',
  processes: {
    wrong: `${start('wrongs')}<endEvent id="wrong-end"><errorEventDefinition errorRef="wrong-error"/></endEvent>${flows('start -> wrong-end')}`,
    order: `${start('orders', '<q:alias name="orderId" expression="payload.id" unique="true"/>')}
${call('work-it', 'work', timeout('PT1H'))}
<receiveTask id="review"><extensionElements><q:source channel="reviews" name="review"/><q:alias name="orderId" expression="review.id"/></extensionElements></receiveTask>
<endEvent id="end"><extensionElements><q:reply body="{ ok: review.ok, n: n }"/></extensionElements></endEvent>
${flows('start -> work-it', 'work-it -> review', 'review -> end')}`,
  },
});

const order = 'send: { channel: orders, body: { id: A-1 } }';
const done = 'workers: { work: { result: { n: 1 } } }';
const review = '- send: { channel: reviews, body: { id: A-1, ok: true } }';

describe('messages, tasks and replies in a scenario', () => {
  allPass(orderPackage, {
    'a-reply-comes-back-to-the-first-sender': `${order}\n${done}\nlater:\n  ${review}
expect:
  status: completed
  path: [start, work-it, review, end]
  variables: { n: 1, review: { ok: true } }
  sent: [{ channel: work }]
  reply: { status: 200, body: { ok: true, n: 1 } }`,
    'a-sender-is-held-no-longer-than-an-engine-holds-it': `${order}\n${done}\nlater:\n  - after: PT30S\n  ${review}
expect: { status: completed, reply: { status: 202, body: { status: running } } }`,
    'a-failed-instance-is-a-problem-to-its-sender': `send: { channel: wrongs, body: {} }
expect: { status: failed, failure: SUTRA.BPMN_ERROR.UNCAUGHT, path: [start, wrong-end], reply: { status: 422, body: { code: SUTRA.BPMN_ERROR.UNCAUGHT } } }`,
    'what-is-left-open-once-is-not-taken-again': `send:
  - { channel: orders, body: { id: A-1 } }
  - { channel: orders, body: { id: A-2 } }
workers: { work: [{ left-open: true }, { result: { n: 2 } }, { result: { n: 3 } }] }
later: [{ after: PT59M }]
expect: { waiting-at: [work-it], others: [{ process: order, waiting-at: [review], variables: { n: 2 } }] }`,
    'a-task-without-an-answer-stays-open': `${order}\nexpect: { status: running, waiting-at: [work-it], not-passed: [review] }`,
    'a-task-that-is-left-open-times-out': `${order}\nworkers: { work: { left-open: true } }\nlater: [{ after: PT59M }, { after: PT1M }]
expect: { status: failed, failure: SUTRA.CALL.TIMEOUT, reply: { status: 202 } }`,
    'a-minute-earlier-it-has-not-timed-out': `${order}\nlater: [{ after: PT59M }]\nexpect: { status: running, waiting-at: [work-it] }`,
    'a-failed-task-comes-back-after-its-time': `${order}
workers:
  work: [{ failure: down }, { result: { n: 2 } }]
later:
  - after: PT10S
  ${review}
expect: { status: completed, variables: { n: 2 } }`,
    'and-not-before': `${order}\nworkers: { work: [{ failure: down }, { result: { n: 2 } }] }\nlater: [{ after: PT9.999S }]
expect: { waiting-at: [work-it] }`,
    'a-retry-after-of-nothing-needs-no-time': `${order}
workers: { work: [{ failure: down, retry-after: PT0S, retries: 5, times: 3 }, { result-expression: "={ n: attempt }" }] }
expect: { waiting-at: [review], variables: { n: 4 } }`,
    'a-task-whose-budget-is-spent-is-never-fetched-again': `${order}
workers: { work: [{ failure: down, retries: 0 }, { result: { n: 2 } }] }
later: [{ after: PT30M }]
expect: { status: running, waiting-at: [work-it] }`,
    'an-unknown-key-is-refused-as-in-an-engine': `${order}\n${done}
later:
  - send: { channel: reviews, body: { id: B-2 }, refused: SUTRA.INBOUND.NOT_CORRELATED }
expect: { waiting-at: [review], instances: 1 }`,
    'a-message-before-its-wait-is-refused': `send: { channel: reviews, body: { id: A-1 }, refused: SUTRA.INBOUND.NOT_CORRELATED }
expect: { instances: 0 }`,
    'a-first-message-that-is-refused-has-a-problem-as-its-reply': `send:
  - { channel: orders, body: { id: A-1 } }
  - { channel: orders, body: { id: A-1 }, refused: SUTRA.INBOUND.ALIAS_TAKEN }
expect: { instances: 1 }`,
    'the-same-key-is-a-duplicate': `send:
  - { channel: orders, body: { id: A-1 }, headers: { Idempotency-Key: one } }
  - { channel: orders, body: { id: A-1 }, headers: { Idempotency-Key: one }, duplicate: true }
expect: { instances: 1 }`,
    'no-scenario-sees-the-one-before': `send: { channel: orders, body: { id: A-1 }, headers: { Idempotency-Key: one } }\nexpect: { instances: 1 }`,
    'what-an-answer-fits-is-its-own': `send:
  - { channel: orders, body: { id: A-1, sum: 5 } }
  - { channel: orders, body: { id: A-2, sum: 50 } }
workers:
  work:
    - { when: "=body.payload.sum > 10", result: { n: big } }
    - { result: { n: small } }
expect:
  variables: { n: small }
  others: [{ process: order, variables: { n: big } }]`,
    'what-does-not-fit-stays-open': `${order}\nworkers: { work: { when: "=body.payload.id = null", result: { n: 1 } } }
expect: { waiting-at: [work-it] }`,
  });
});

describe('time in a scenario', () => {
  const timer = (kind: string, value: string): string =>
    `<timerEventDefinition><${kind} xsi:type="tFormalExpression">${value}</${kind}></timerEventDefinition>`;
  const timerPackage = packageFiles({
    channels: `  - { name: go, transport: local }`,
    processes: {
      chain: `${start('go')}
<intermediateCatchEvent id="first">${timer('timeDuration', 'PT1M')}</intermediateCatchEvent>
<scriptTask id="stamp" scriptFormat="feel"><extensionElements><q:output variable="at"/></extensionElements><script>string(now())</script></scriptTask>
<intermediateCatchEvent id="second">${timer('timeDuration', 'PT2M')}</intermediateCatchEvent>
<intermediateCatchEvent id="third">${timer('timeDate', '2030-01-07T10:00:00Z')}</intermediateCatchEvent>
<endEvent id="end"/>${flows('start -> first', 'first -> stamp', 'stamp -> second', 'second -> third', 'third -> end')}`,
      hourly: `<startEvent id="tick">${timer('timeCycle', 'R/PT1H')}</startEvent><endEvent id="ticked"/>${flows('tick -> ticked')}`,
    },
  });
  allPass(timerPackage, {
    'each-timer-is-fired-at-its-own-time': `send: { channel: go, body: {} }\nlater: [{ after: PT3M }]
expect: { process: chain, path: [first, second], waiting-at: [third], variables: { at: "2030-01-07T09:01:00Z" } }`,
    'a-moment-earlier-the-last-is-not-due': `send: { channel: go, body: {} }\nlater: [{ after: PT2M59.999S }]
expect: { process: chain, waiting-at: [second] }`,
    'an-instant-is-reached-by-the-clock': `send: { channel: go, body: {} }\nlater: [{ after: PT1H }]
expect: { process: chain, status: completed, instances: 2 }`,
    'the-clock-begins-where-the-scenario-says': `at: 2030-01-07T09:59:59+00:00\nsend: { channel: go, body: {} }\nlater: [{ after: PT3M }]
expect: { process: chain, status: completed, variables: { at: "2030-01-07T10:00:59Z" } }`,
    'start-timers-start': `later: [{ after: PT3H30M }]\nexpect: { process: hourly, instances: 3, status: completed }`,
  });
});

describe('what else an engine does, in a scenario', () => {
  const morePackage = packageFiles({
    channels: `  - { name: bank, transport: http, bind: "https://bank.example/pay" }
  - { name: note, transport: http, bind: "https://mail.example/hook", auth: { kind: api-key, name: X-Key, reference: "secret:none" } }
  - { name: handover, transport: local }`,
    definitions: '<signal id="stop-signal" name="stop"/>',
    processes: {
      payment: `<startEvent id="begin"/>${call('pay', 'bank', '<q:param name="sum" expression="sum"/>')}
<sendTask id="tell"><extensionElements><q:send channel="note" body="{ paid: receipt }"/></extensionElements></sendTask>
<endEvent id="paid"/>${flows('begin -> pay', 'pay -> tell', 'tell -> paid')}`,
      people: `<startEvent id="here"/><userTask id="approve"/><serviceTask id="print" implementation="registered:print"/>
<intermediateThrowEvent id="hand"><extensionElements><q:send channel="handover" body="{ by: who }"/></extensionElements><messageEventDefinition/></intermediateThrowEvent>
<endEvent id="approved"/>${flows('here -> approve', 'approve -> print', 'print -> hand', 'hand -> approved')}`,
      tried: `<startEvent id="try"/><serviceTask id="ship" implementation="registered:ship"><extensionElements>
<q:retry maxAttempts="3" initialDelay="PT5S" nonRetryableCodes="NO_ADDRESS"/></extensionElements></serviceTask><endEvent id="shipped"/>
${flows('try -> ship', 'ship -> shipped')}`,
      taker: `<startEvent id="taken"><extensionElements><q:source channel="handover" name="given"/></extensionElements><messageEventDefinition/></startEvent>
<intermediateCatchEvent id="until-stop"><signalEventDefinition signalRef="stop-signal"/></intermediateCatchEvent><endEvent id="stopped"/>
${flows('taken -> until-stop', 'until-stop -> stopped')}`,
    },
  });
  const pay = 'start: { process: payment, variables: { sum: 12.50 }, business-key: B-1 }';
  const people = `start: { process: people }\nworkers: { "registered:print": { result: { pages: 2 } } }`;
  allPass(morePackage, {
    'a-peer-answers-a-call': `${pay}\nworkers: { bank: { result: { receipt: R-1 } } }
expect:
  status: completed
  variables: { receipt: R-1, businessKey: B-1 }
  sent: [{ channel: bank, body: { sum: 12.5 } }, { channel: note, body: { paid: R-1 } }]`,
    'a-peer-that-is-down-is-dialled-again': `${pay}
workers: { bank: [{ status: 503 }, { failure: away }, { result: { receipt: R-2 } }] }
later: [{ after: PT10S }]
expect: { status: completed, variables: { receipt: R-2 } }`,
    'and-not-at-once': `${pay}\nworkers: { bank: [{ status: 503 }, { result: { receipt: R-2 } }] }\nexpect: { waiting-at: [pay], not-sent: [note] }`,
    'a-peer-that-says-nothing-leaves-the-call-waiting': `${pay}\nlater: [{ after: PT1M }]\nexpect: { waiting-at: [pay], sent: [{ channel: bank }] }`,
    'people-functions-local-channels-and-signals': `${people}
later:
  - complete: { element: approve, variables: { who: Ann } }
  - signal: { name: stop }
expect:
  process: people
  status: completed
  variables: { who: Ann, pages: 2 }
  sent: [{ channel: "registered:print" }, { channel: handover, body: { by: Ann } }]
  others: [{ process: taker, status: completed, path: [taken, until-stop, stopped], variables: { given: { by: Ann } } }]`,
    'a-function-that-fails-fails-an-attempt-of-its-call': `start: { process: tried }
workers: { "registered:ship": [{ failure: no van }, { result: { parcel: P-1 } }] }
later: [{ after: PT5S }]
expect: { status: completed, variables: { parcel: P-1 }, sent: [{ channel: "registered:ship" }, { channel: "registered:ship" }] }`,
    'and-with-a-code-that-is-not-retried-its-instance': `start: { process: tried }
workers: { "registered:ship": [{ failure: no address, code: NO_ADDRESS }, { result: { parcel: P-1 } }] }
expect: { status: failed, failure: SUTRA.CALL.FAILED }`,
    'a-signal-before-anybody-waits-is-lost': `${people}
later:
  - signal: { name: stop }
  - complete: { element: approve, variables: { who: Ann } }
expect: { process: taker, waiting-at: [until-stop] }`,
  });
});

describe('BPMN errors that workers report, in a scenario', () => {
  const card = (attributes = ''): string => `<boundaryEvent id="declined" attachedToRef="charge">
<errorEventDefinition errorRef="declined-error"><extensionElements><q:caught code="why" message="said"/></extensionElements></errorEventDefinition></boundaryEvent>
<endEvent id="refused"${attributes}/>`;
  const cardPackage = packageFiles({
    channels:
      '  - { name: charges, transport: pull, task: { retries: 2, retry-timeout: PT10S } }\n  - { name: notes, transport: pull }',
    definitions: '<error id="declined-error" errorCode="DECLINED"/>',
    processes: {
      card: `<startEvent id="begin"/>${call('charge', 'charges')}${card()}<endEvent id="paid"/>
${flows('begin -> charge', 'charge -> paid', 'declined -> refused')}`,
      printed: `<startEvent id="begin2"/><serviceTask id="print" implementation="registered:print"><extensionElements><q:retry maxAttempts="3" initialDelay="PT5S"/></extensionElements></serviceTask>
<boundaryEvent id="jammed" attachedToRef="print"><errorEventDefinition errorRef="declined-error"/></boundaryEvent>
<endEvent id="printed-it"/><endEvent id="gave-up"/>${flows('begin2 -> print', 'print -> printed-it', 'jammed -> gave-up')}`,
      noted: `<startEvent id="begin3"/><sendTask id="note"><extensionElements><q:send channel="notes" body="{ a: 1 }"/></extensionElements></sendTask>
<receiveTask id="later"><extensionElements><q:source channel="never" name="m"/></extensionElements></receiveTask><endEvent id="end3"/>${flows('begin3 -> note', 'note -> later', 'later -> end3')}`,
    },
  });
  const withNever = Object.fromEntries(
    Object.entries(cardPackage).map(([path, text]) => [
      path,
      text.replace(
        '  - { name: notes,',
        '  - { name: never, transport: local, direction: inbound }\n  - { name: notes,',
      ),
    ]),
  );
  const begin = 'start: { process: card }';
  allPass(withNever, {
    'the-event-that-catches-it-has-code-message-and-variables': `${begin}
workers: { charges: { bpmn-error: { code: DECLINED, message: no cover, variables: { balance: 12.50 } } } }
expect:
  status: completed
  path: [charge, declined, refused]
  not-passed: [paid]
  variables: { why: DECLINED, said: no cover, balance: 12.5 }`,
    'a-message-that-is-not-said-is-null': `${begin}
workers: { charges: { bpmn-error: { code: DECLINED } } }
expect: { status: completed, variables: { why: DECLINED, said: null } }`,
    'it-comes-after-a-failure-and-spends-no-retry': `${begin}
workers: { charges: [{ failure: down }, { bpmn-error: { code: DECLINED } }] }
later: [{ after: PT10S }]
expect: { status: completed, path: [declined, refused], sent: [{ channel: charges }] }`,
    'one-that-nothing-catches-fails-the-instance': `${begin}
workers: { charges: { bpmn-error: { code: STOLEN, message: call them, variables: { seen: true } } } }
expect: { failure: SUTRA.BPMN_ERROR.UNCAUGHT, not-passed: [paid, refused], variables: { seen: true } }`,
    'a-function-may-throw-one-and-is-not-called-again': `start: { process: printed }
workers: { "registered:print": [{ bpmn-error: { code: DECLINED } }, { result: { pages: 2 } }] }
later: [{ after: PT1M }]
expect: { status: completed, path: [print, jammed, gave-up], not-passed: [printed-it] }`,
  });

  it('of a message that was sent is refused as by an engine', async () => {
    const text = `start: { process: noted }\nworkers: { notes: { bpmn-error: { code: DECLINED } } }\nexpect: { waiting-at: [later] }`;
    const [found] = (await runAll(withNever, { sent: text })).get('sent')?.mismatches ?? [];
    assert.equal(found?.code, 'SUTRA.SCENARIO.ANSWER_REFUSED');
    assert.match(found.message, /SUTRA\.EXTERNAL_TASK\.NOT_A_CALL/);
    assert.equal(found.place.line, 3);
  });
});

describe('what is not as expected', () => {
  let results: Results = new Map();
  const scenarios = {
    status: `${order}\n${done}\nexpect: { status: completed }`,
    failure: `${order}\nlater: [{ after: PT1H }]\nexpect: { failure: SUTRA.OTHER }`,
    path: `${order}\n${done}\nexpect: { path: [work-it, start] }`,
    'not-passed': `${order}\n${done}\nexpect: { not-passed: [review] }`,
    variables: `${order}\n${done}\nexpect: { variables: { n: 2, m: 1, payload: { id: A-1 } } }`,
    sent: `${order}\nexpect: { sent: [{ channel: work, body: { payload: { id: B-2 } } }] }`,
    'not-sent': `${order}\nexpect: { not-sent: [work] }`,
    reply: `${order}\n${done}\nexpect: { reply: { status: 200, body: { ok: true } } }`,
    instances: `${order}\nexpect: { instances: 2 }`,
    others: `${order}\nexpect: { others: [{ process: order }, { process: order }] }`,
    'no-instance': `send: { channel: reviews, body: {}, refused: SUTRA.INBOUND.NOT_CORRELATED }\nexpect: { status: completed }`,
    refused: `send: { channel: reviews, body: { id: A-1 } }\nexpect: { status: completed }`,
    'refused-otherwise': `send: { channel: reviews, body: { id: A-1 }, refused: SUTRA.OTHER }\nexpect: { instances: 0 }`,
    accepted: `send: { channel: orders, body: { id: A-1 }, refused: SUTRA.INBOUND.ALIAS_TAKEN }\nexpect: { instances: 0 }`,
    'no-duplicate': `send: { channel: orders, body: { id: A-1 }, duplicate: true }\nexpect: { instances: 1 }`,
    'not-json': `send: { channel: orders, text: '{', content-type: application/json }\nexpect: { instances: 1 }`,
    'an-answer': `${order}\nworkers: { work: { text: "{", when: "=true" } }\nexpect: { waiting-at: [review] }`,
    ceiling: `${order}\nworkers: { work: { failure: down, retry-after: P400D } }\nexpect: { waiting-at: [work-it] }`,
  };
  before(async () => {
    results = await runAll(orderPackage, scenarios);
  });
  const expectation = 'SUTRA.SCENARIO.EXPECTATION_FAILED';
  /** Name, code, message, what was found, and how many mismatches there are. */
  const rows: readonly (readonly [keyof typeof scenarios, string, RegExp, RegExp | null, number])[] = [
    ['status', expectation, /another status/, /^running, waiting at review$/, 1],
    ['failure', expectation, /not failed with that code/, /^failed: SUTRA\.CALL\.TIMEOUT at work-it: /, 1],
    ['path', expectation, /^start was not passed after work-it\.$/, /^start → work-it → review$/, 1],
    ['not-passed', expectation, /^review was passed\.$/, /review/, 1],
    ['variables', expectation, /variable n is another/, /^1$/, 2],
    ['sent', expectation, /was not sent/, /^work \{.*A-1/, 1],
    ['not-sent', expectation, /something was sent on work/, /^1$/, 1],
    ['reply', expectation, /reply's status is another/, /^202$/, 2],
    ['instances', expectation, /number of instances/, /^1: order$/, 1],
    ['others', expectation, /^no other instance of order was started\.$/, null, 1],
    ['no-instance', expectation, /^no instance was started\.$/, null, 1],
    ['refused', 'SUTRA.SCENARIO.MESSAGE_REFUSED', /\[SUTRA\.INBOUND\.NOT_CORRELATED\]/, /NOT_CORRELATED/, 1],
    ['refused-otherwise', 'SUTRA.SCENARIO.MESSAGE_REFUSED', /NOT_CORRELATED/, /NOT_CORRELATED/, 1],
    ['accepted', 'SUTRA.SCENARIO.MESSAGE_ACCEPTED', /became something else/, /^accepted$/, 1],
    ['no-duplicate', 'SUTRA.SCENARIO.MESSAGE_ACCEPTED', /became something else/, /^accepted$/, 1],
    ['not-json', 'SUTRA.SCENARIO.MESSAGE_REFUSED', /\[SUTRA\.CODEC\.JSON_INVALID\]/, /JSON_INVALID/, 1],
    [
      'an-answer',
      'SUTRA.SCENARIO.ANSWER_REFUSED',
      /the answer to work-it on work was refused: .*\[SUTRA\.CODEC\.[A-Z_]+\]/,
      null,
      1,
    ],
    [
      'ceiling',
      'SUTRA.SCENARIO.ANSWER_REFUSED',
      /max-retry-timeout.*\[SUTRA\.EXTERNAL_TASK\.REQUEST_INVALID\]/,
      null,
      1,
    ],
  ];
  for (const [name, code, message, found, count] of rows) {
    it(name.replaceAll('-', ' '), () => {
      const { isPassed, mismatches } = results.get(name) ?? {};
      assert.equal(isPassed, false);
      const [first] = mismatches ?? [];
      assert.ok(first !== undefined);
      assert.equal(first.code, code, first.message);
      assert.match(first.message, message);
      if (found !== null) assert.match(first.found ?? '', found);
      assert.equal(mismatches?.length, count);
      assert.equal(first.place.file, `scenarios/${name}.yaml`);
      assert.ok((first.place.line ?? 0) >= 2, 'a line of the scenario');
    });
  }
});

describe('the same scenario', () => {
  it('comes out the same each time', async () => {
    const text = `${order}\n${done}\nlater: [{ after: PT1H }]\nexpect: { status: completed, instances: 7, sent: [{ channel: orders }] }`;
    const results = await runAll(orderPackage, { one: text, two: text.replace('one', 'two') });
    const [one, two] = [...results.values()].map(({ mismatches, instance }) => ({
      mismatches: mismatches.map(({ place: _, ...mismatch }) => mismatch),
      instance,
    }));
    assert.equal(one?.mismatches.length, 3);
    assert.deepEqual(one, two);
  });
});

describe('a scenario that does not end', () => {
  it('is ended, and says so', async () => {
    const again = packageFiles({
      channels: '  - { name: work, transport: pull }',
      processes: {
        loop: `<startEvent id="begin"/><exclusiveGateway id="again"/>${call('work-it', 'work')}${flows('begin -> again', 'again -> work-it', 'work-it -> again')}`,
      },
    });
    const results = await runAll(
      again,
      {
        endless: 'start: { process: loop }\nworkers: { work: { result: {} } }\nexpect: { status: completed }',
      },
      { maxRounds: 20 },
    );
    assert.equal(results.get('endless')?.mismatches[0]?.code, 'SUTRA.SCENARIO.NEVER_AT_REST');
  });
});
