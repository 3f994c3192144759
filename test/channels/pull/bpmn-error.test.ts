/** A worker ends its task in a BPMN error: whole engines, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BpmnError } from '../../../server/index.ts';
import { testDatabases } from '../../support/database.ts';
import { TestEngine, type Answer, type InstanceAnswer, type TaskAnswer } from '../../support/engine.ts';
import { call, flows, packageFiles, start } from '../../support/packages.ts';

const errors = ['DECLINED', 'OTHER'].map((code) => `<error id="e-${code}" errorCode="${code}"/>`).join('');

/** `code` null: any error. */
const error = (id: string, code: string | null, caught = 'code="code" message="why"'): string =>
  `<errorEventDefinition id="${id}-error" ${code === null ? '' : `errorRef="e-${code}"`}><extensionElements><q:caught ${caught}/></extensionElements></errorEventDefinition>`;

const catching = (host: string, code: string | null, caught?: string): string =>
  `<boundaryEvent id="caught" attachedToRef="${host}">${error('caught', code, caught)}</boundaryEvent><userTask id="review"/>`;

const caughtFlows = flows('caught -> review', 'review -> end');

/** A start on the channel of the process's own name, one node, an end, and a user task behind the error. */
const around = (id: string, node: string, inside: string): string =>
  `${start(id)}${inside}<endEvent id="end"/>${flows(`start -> ${node}`, `${node} -> end`)}${caughtFlows}`;

const work = (channel: string, more = ''): string => call('work-it', channel, more);
const oneRetry = '<q:timeout duration="PT1H"/><q:retry maxAttempts="3" initialDelay="PT0.01S"/>';
const three = `<serviceTask id="work-it" implementation="channel:each-work"><extensionElements><q:param name="nr" expression="loopCounter"/></extensionElements><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>`;

const http = (name: string): string =>
  `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`;

const files = packageFiles({
  definitions: errors,
  channels: [
    ...['plain', 'uncaught', 'handled', 'outer', 'each', 'retried', 'told', 'function', 'forked'].map(http),
    ...['plain', 'uncaught', 'handled', 'called', 'each', 'retried', 'told', 'forked'].map(
      (name) => `  - { name: ${name}-work, transport: pull }`,
    ),
  ].join('\n'),
  processes: {
    plain: around('plain', 'work-it', work('plain-work') + catching('work-it', 'DECLINED')),
    uncaught: `${start('uncaught')}${work('uncaught-work')}<boundaryEvent id="other" attachedToRef="work-it">${error('other', 'OTHER')}</boundaryEvent><endEvent id="end"/>${flows('start -> work-it', 'work-it -> end', 'other -> end')}`,
    handled: `${start('handled')}${work('handled-work')}<endEvent id="end"/><subProcess id="handler" triggeredByEvent="true"><startEvent id="on-error">${error('on-error', null)}</startEvent><userTask id="review"/><endEvent id="handled-end"/>${flows('on-error -> review', 'review -> handled-end')}</subProcess>${flows('start -> work-it', 'work-it -> end')}`,
    outer: around(
      'outer',
      'calling',
      `<callActivity id="calling" calledElement="called"/>${catching('calling', 'DECLINED')}`,
    ),
    forked: `${start('forked')}<parallelGateway id="fork"/>${work('forked-work')}${catching('work-it', 'DECLINED')}<userTask id="other"/><boundaryEvent id="soon" attachedToRef="other"><timerEventDefinition id="soon-timer"><timeDuration>PT0.01S</timeDuration></timerEventDefinition></boundaryEvent><endEvent id="boom"><errorEventDefinition id="boom-error" errorRef="e-OTHER"/></endEvent><endEvent id="end"/>${flows('start -> fork', 'fork -> work-it', 'fork -> other', 'other -> end', 'soon -> boom', 'work-it -> end')}${caughtFlows}`,
    called: `<startEvent id="begin"/>${work('called-work')}<endEvent id="done"/>${flows('begin -> work-it', 'work-it -> done')}`,
    each: around('each', 'work-it', three + catching('work-it', null)),
    retried: around('retried', 'work-it', work('retried-work', oneRetry) + catching('work-it', 'DECLINED')),
    told: `${start('told')}<sendTask id="tell"><extensionElements><q:send channel="told-work"/></extensionElements></sendTask><endEvent id="end"/>${flows('start -> tell', 'tell -> end')}`,
    function: around(
      'function',
      'work-it',
      `<serviceTask id="work-it" implementation="registered:refuse"/>${catching('work-it', 'DECLINED')}`,
    ),
  },
});

/** Names are sensitive in a whole package. */
const secretFiles = packageFiles({
  module: 'secrets',
  definitions: errors,
  channels: `${http('secret')}\n  - { name: secret-work, transport: pull }`,
  processes: {
    secret: `<extensionElements><q:audit payload="true"/><q:variables><q:variable name="pin" sensitive="true"/><q:variable name="why" sensitive="true"/></q:variables></extensionElements>${around('secret', 'work-it', work('secret-work') + catching('work-it', 'DECLINED'))}`,
  },
});

/** A worker's report, as it is when nothing about it matters. */
const declined = { errorCode: 'DECLINED', errorMessage: 'no credit' };

for (const target of testDatabases()) {
  describe(`a worker's BPMN error on ${target.name}`, { timeout: 120_000 }, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({
        database: await target.open(),
        registered: {
          refuse: (input) => {
            const { kind } = input as { readonly kind: string };
            if (kind === 'class') throw new BpmnError('DECLINED', { limit: 5 }, 'no credit');
            // eslint-disable-next-line @typescript-eslint/only-throw-error -- what is documented is its shape
            throw { bpmnErrorCode: 'DECLINED', message: 'no credit', variables: { limit: 5 } };
          },
        },
      });
      await engine.deploy(files);
      await engine.deploy(secretFiles);
    });
    after(() => engine.stop());

    const begin = async (name: string, payload: unknown = {}): Promise<TaskAnswer> => {
      const started = await engine.post(`/channels/${name}`, payload);
      assert.equal(started.status, 202, JSON.stringify(started.body));
      return engine.fetchTask(`${name === 'outer' ? 'called' : name}-work`);
    };
    const report = (task: TaskAnswer, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> =>
      engine.post(`/sutra/external-tasks/${task.id}/bpmn-error`, {
        workerId: 'worker-1',
        lockToken: task.lockToken,
        ...declined,
        ...more,
      });
    const accepted = (answer: Answer): void => {
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual([answer.body.status, answer.body.outcome], ['BPMN_ERROR', 'ACCEPTED']);
    };
    const refused = (answer: Answer, status: number, code: string): void => {
      assert.deepEqual(
        [answer.status, answer.body.code],
        [status, `SUTRA.EXTERNAL_TASK.${code}`],
        JSON.stringify(answer.body),
      );
    };
    /** The instance waits in the user task that only the error leads to, and nothing else is left of the call. */
    const reviewed = async (task: TaskAnswer): Promise<InstanceAnswer> => {
      const instance = await engine.instance(task.instanceId);
      assert.deepEqual(
        instance.tokens.map(({ elementId }) => elementId).filter((id) => id === 'review'),
        ['review'],
      );
      assert.equal(
        (await engine.get(`/sutra/external-tasks?instanceId=${task.instanceId}`)).body.tasks.length,
        0,
      );
      return instance;
    };

    it('goes to the boundary event of its code, with code, message and variables', async () => {
      const task = await begin('plain', { amount: 1 });
      const answer = await report(task, { variables: { amount: 2, deep: { why: ['x'] } } });
      accepted(answer);
      assert.deepEqual(answer.body, {
        taskId: task.id,
        channel: 'plain-work',
        instanceId: task.instanceId,
        status: 'BPMN_ERROR',
        outcome: 'ACCEPTED',
      });
      const { variables } = await reviewed(task);
      assert.equal(variables['code'], 'DECLINED');
      assert.equal(variables['why'], 'no credit');
      assert.deepEqual(variables['deep'], { why: ['x'] });
      assert.equal(variables['amount'], 2);
    });

    it('has null for a message that it has not, and keeps an empty one', async () => {
      const silent = await begin('plain');
      accepted(await report(silent, { errorMessage: undefined }));
      assert.equal((await reviewed(silent)).variables['why'], null);
      const empty = await begin('plain');
      accepted(await report(empty, { errorMessage: '' }));
      assert.equal((await reviewed(empty)).variables['why'], '');
    });

    it('keeps all digits of the numbers in its variables', async () => {
      const task = await begin('plain');
      const lock = `"workerId":"worker-1","lockToken":"${task.lockToken}"`;
      const sent = `{${lock},"errorCode":"DECLINED","variables":{"id":12345678901234567890}}`;
      accepted(await engine.post(`/sutra/external-tasks/${task.id}/bpmn-error`, sent));
      const response = await fetch(`${engine.url}/sutra/instances/${task.instanceId}`);
      assert.match(await response.text(), /"id":12345678901234567890[,}]/);
    });

    for (const [name, what] of [
      ['handled', 'an event sub-process'],
      ['outer', 'the boundary event of the call activity around a called process'],
      ['retried', 'the boundary event, and is no failed attempt of a call with q:retry'],
    ] as const) {
      it(`goes to ${what}`, async () => {
        const task = await begin(name);
        accepted(await report(task));
        await reviewed(task);
        const { entries } = (await engine.get(`/sutra/instances/${task.instanceId}/history`)).body;
        assert.equal(entries.filter(({ event }) => event === 'attemptFailed').length, 0);
      });
    }

    it('of one instance of a multi-instance call ends them all, and withdraws their tasks', async () => {
      await engine.post('/channels/each', {});
      const tasks: TaskAnswer[] = [];
      while (tasks.length < 3) tasks.push(...(await engine.fetchTasks('each-work')));
      const [first, second, third] = tasks;
      assert.ok(first && second && third);
      assert.equal((await engine.complete(second, { ok: true })).status, 200);
      accepted(await report(first, { variables: { from: first.body['nr'] } }));
      const { variables } = await reviewed(first);
      assert.equal(variables['from'], first.body['nr']);
      refused(await engine.complete(third, { ok: true }), 409, 'WITHDRAWN');
      refused(await report(third), 409, 'WITHDRAWN');
    });

    it('that nobody catches is accepted, fails the instance, and the call is made anew by a retry', async () => {
      const task = await begin('uncaught');
      accepted(await report(task, { variables: { kept: 1 }, completionId: 'c' }));
      const failed = await engine.instance(task.instanceId);
      assert.deepEqual(
        [failed.status, failed.failure?.code, failed.failure?.elementId],
        ['failed', 'SUTRA.BPMN_ERROR.UNCAUGHT', 'work-it'],
      );
      assert.equal(failed.variables['kept'], 1);
      const again = await report(task, { variables: { kept: 1 }, completionId: 'c' });
      assert.deepEqual([again.status, again.body.outcome], [200, 'ACCEPTED']);
      const retried = await engine.post(`/admin/instances/${task.instanceId}/retry`, {});
      assert.equal(retried.status, 200, JSON.stringify(retried.body));
      const next = await engine.fetchTask('uncaught-work');
      assert.notEqual(next.id, task.id);
      assert.equal((await engine.complete(next, {})).status, 200);
      assert.equal((await engine.ended(task.instanceId)).status, 'completed');
    });

    it('for an instance that has failed elsewhere is refused for the time being, and accepted after the repair', async () => {
      const task = await begin('forked');
      const { failure } = await engine.ended(task.instanceId);
      assert.equal(failure?.elementId, 'boom');
      const early = await report(task, { completionId: 'c' });
      refused(early, 422, 'COMPLETION_REJECTED');
      assert.deepEqual(
        [early.body.attributes['causeCode'], early.body.attributes['retryable']],
        ['SUTRA.INBOUND.INSTANCE_FAILED', true],
      );
      const moves = [{ from: 'boom', to: 'end' }];
      const moved = await engine.post(`/admin/instances/${task.instanceId}/move`, { moves });
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
      accepted(await report(task, { completionId: 'c' }));
      await reviewed(task);
    });

    it('for a task of a sent message is refused, and the task can be completed', async () => {
      const task = await begin('told');
      const answer = await report(task);
      refused(answer, 422, 'COMPLETION_REJECTED');
      assert.equal(answer.body.attributes['causeCode'], 'SUTRA.EXTERNAL_TASK.NOT_A_CALL');
      assert.equal(answer.body.attributes['retryable'], false);
      assert.equal((await engine.complete(task, {})).status, 200);
    });

    it('is answered the same again under its completionId, and as a duplicate without one', async () => {
      const task = await begin('plain');
      const outcome = { completionId: 'once', variables: { a: 1 } };
      const first = await report(task, outcome);
      accepted(first);
      const again = await report(task, outcome);
      assert.deepEqual([again.status, again.body], [first.status, first.body]);
      const unnamed = await report(task, { variables: { a: 1 } });
      assert.deepEqual([unnamed.status, unnamed.body.outcome], [200, 'DUPLICATE']);
      for (const other of [
        { completionId: 'once', variables: { a: 2 } },
        { completionId: 'once' },
        { ...outcome, errorCode: 'OTHER' },
        { ...outcome, errorMessage: 'something else' },
        { ...outcome, errorMessage: undefined },
      ]) {
        refused(await report(task, other), 409, 'COMPLETION_CONFLICT');
      }
      refused(await report(task, { ...outcome, workerId: 'worker-2' }), 404, 'NOT_FOUND');
      await reviewed(task);
    });

    it('and a completion exclude each other, whichever was first', async () => {
      const thrown = await begin('plain');
      accepted(await report(thrown, { completionId: 'c' }));
      refused(await engine.complete(thrown, { ok: true }, { completionId: 'c' }), 409, 'COMPLETION_CONFLICT');
      refused(await engine.complete(thrown, { ok: true }), 409, 'COMPLETION_CONFLICT');
      await reviewed(thrown);
      const done = await begin('plain');
      assert.equal((await engine.complete(done, { ok: true }, { completionId: 'c' })).status, 200);
      refused(await report(done, { completionId: 'c' }), 409, 'COMPLETION_CONFLICT');
      assert.equal((await engine.instance(done.instanceId)).status, 'completed');
    });

    it('of two reports at the same time one is accepted, and the instance gets one', async () => {
      const task = await begin('plain');
      const answers = await Promise.all([
        report(task, { completionId: 'a', variables: { by: 'a' } }),
        engine.complete(task, { by: 'b' }, { completionId: 'b' }),
        report(task, { completionId: 'a', variables: { by: 'a' } }),
      ]);
      const { status, variables } = await engine.instance(task.instanceId);
      const isThrown = status === 'running';
      assert.equal(variables['by'], isThrown ? 'a' : 'b');
      assert.deepEqual(
        answers.map((answer) => answer.status),
        isThrown ? [200, 409, 200] : [409, 200, 409],
        JSON.stringify(answers.map(({ body }) => body)),
      );
    });

    it('needs the lock', async () => {
      const task = await begin('plain');
      refused(await report(task, { workerId: 'worker-2' }), 409, 'LOCK_HELD');
      refused(await report(task, { lockToken: 'another' }), 409, 'LOCK_HELD');
      refused(await report({ ...task, id: '00000000-0000-4000-8000-000000000000' }), 404, 'NOT_FOUND');
      const failed = await engine.post(`/sutra/external-tasks/${task.id}/failure`, {
        ...{ workerId: 'worker-1', lockToken: task.lockToken, errorMessage: 'm', retryTimeout: 'PT1H' },
      });
      assert.equal(failed.status, 200);
      refused(await report(task), 409, 'LOCK_LOST');
    });

    it('is refused when a field is wrong, and then nothing has happened', async () => {
      const task = await begin('plain');
      for (const [more, words] of [
        [{ errorCode: undefined }, /errorCode is required/],
        [{ errorCode: ' ' }, /errorCode must not be blank/],
        [{ errorCode: 'x'.repeat(256) }, /errorCode has 256 characters; at most 255/],
        [{ errorCode: 7 }, /errorCode is the number 7, not a string/],
        [{ errorMessage: null }, /errorMessage is null, not a string/],
        [{ errorMessage: 'x'.repeat(4_001) }, /errorMessage has 4001 characters; at most 4000/],
        [{ variables: [] }, /variables is an array, not an object/],
        [{ variables: null }, /variables is null, not an object/],
        [{ variables: 'x' }, /variables is a string, not an object/],
        [{ completionId: '' }, /completionId must not be blank/],
        [{ result: {} }, /field "result" is unknown/],
      ] as const) {
        const answer = await report(task, more);
        refused(answer, 400, 'REQUEST_INVALID');
        assert.match(answer.body.detail, words);
      }
      accepted(await report(task));
    });

    it('is in the history: who reported it, its code and message', async () => {
      const task = await begin('plain');
      accepted(await report(task, { completionId: 'c-9' }));
      const { entries } = (await engine.get(`/sutra/instances/${task.instanceId}/history`)).body;
      const told = entries.filter(({ event }) => /^task|^errorThrown$|^interrupted$/.test(event));
      assert.deepEqual(
        told.map(({ event, elementId }) => `${event} ${elementId ?? ''}`),
        [
          'taskParked work-it',
          'taskLocked work-it',
          'taskBpmnError work-it',
          'errorThrown work-it',
          'interrupted work-it',
        ],
      );
      const [, , reported] = told;
      assert.deepEqual(
        ['workerId', 'code', 'completionId'].map((name) => reported?.detail[name]),
        ['worker-1', 'DECLINED', 'c-9'],
      );
      assert.deepEqual(told[3]?.detail, { code: 'DECLINED', message: 'no credit' });
    });

    it('shows nothing in the history of what is sensitive', async () => {
      const task = await begin('secret', { pin: 'canary-one' });
      const message = 'the card canary-two was refused';
      accepted(
        await report(task, { errorMessage: message, variables: { pin: 'canary-three', seen: 'yes' } }),
      );
      const { variables } = await reviewed(task);
      assert.equal(variables['why'], undefined, 'an answer withholds it as well');
      const { entries } = (await engine.get(`/sutra/instances/${task.instanceId}/history`)).body;
      const text = JSON.stringify(entries);
      assert.doesNotMatch(text, /canary/);
      assert.match(text, /"seen":"yes"/, 'what is not sensitive is audited');
      assert.deepEqual(entries.find(({ event }) => event === 'errorThrown')?.detail, { code: 'DECLINED' });
    });

    for (const kind of ['class', 'shape']) {
      it(`of a registered function goes to the boundary event, as a ${kind}`, async () => {
        const { body } = await engine.post('/channels/function', { kind });
        const { variables } = await engine.until(body.instanceId, ({ tokens, status }) => {
          assert.notEqual(status, 'completed');
          return tokens.some(({ elementId }) => elementId === 'review');
        });
        assert.deepEqual(
          [variables['code'], variables['why'], variables['limit']],
          ['DECLINED', 'no credit', 5],
        );
      });
    }
  });
}
