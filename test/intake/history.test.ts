/** What an instance's history says: by what each turn was caused, in both directions, and which payloads. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type TimelineAnswer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const audit = (payload: boolean): string => `<q:audit payload="${payload}"/>`;
const variables = (names: string): string =>
  `<q:variables>${names.replaceAll(/(\S+)/g, '<q:variable name="$1" sensitive="true"/>')}</q:variables>`;
const extensions = (inside: string): string => `<extensionElements>${inside}</extensionElements>`;

const channels = `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: notes, transport: http, bind: "POST /channels/notes", ack-mode: on-persist }
  - { name: secrets, transport: http, bind: "POST /channels/secrets", ack-mode: on-persist, dedup-key: "payload.card" }
  - { name: work, transport: pull }
  - { name: out, transport: pull, direction: outbound }`;

const path = flows('start -> work-it', 'work-it -> ask', 'ask -> tell', 'tell -> end');
const steps = `${call('work-it', 'work')}<userTask id="ask"/><sendTask id="tell">${extensions('<q:send channel="out"/>')}</sendTask><endEvent id="end"/>`;

function processes(): Record<string, string> {
  const card = extensions(audit(true) + variables('card'));
  return {
    plain: `${start('orders', '', 'name="order"')}${steps}${path}`,
    audited: `${card}${start('notes', '', 'merge="true"')}${steps}${path}`,
    secret: `${card}${start('secrets', '', 'name="card"')}${call('work-it', 'work', '<q:param name="number" expression="card"/><q:param name="open" expression="1"/>')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`,
  };
}

/** Facts whose values no test can know are only named. */
const unknown = new Set([
  'taskId',
  'idempotencyKey',
  'key',
  'parkedAt',
  'lockedAt',
  'lockExpiresAt',
  'dedupKey',
]);

function told({ event, elementId, detail }: TimelineAnswer): string {
  const facts = Object.entries(detail).map(([name, value]) =>
    unknown.has(name) && value !== null ? name : `${name}=${JSON.stringify(value)}`,
  );
  return [event, elementId ?? '-', ...facts.sort()].join(' ');
}

for (const target of testDatabases()) {
  describe(`the history on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(packageFiles({ channels, processes: processes() }));
    });
    after(() => engine.stop());

    async function history(id: string, query = ''): Promise<readonly TimelineAnswer[]> {
      const { status, body } = await engine.get(`/sutra/instances/${id}/history${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.entries;
    }

    /** The entries of these events, in words. */
    async function toldOf(id: string, events: string): Promise<readonly string[]> {
      const wanted = events.split(' ');
      return (await history(id)).filter(({ event }) => wanted.includes(event)).map(told);
    }

    async function startAt(channel: string, body: unknown, headers = {}): Promise<string> {
      const answer = await engine.post(`/channels/${channel}`, body, headers);
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      return answer.body.instanceId;
    }

    /** To its end: the call answered, the user task completed. */
    async function runOn(
      id: string,
      result: unknown,
      given: Readonly<Record<string, unknown>>,
    ): Promise<void> {
      const task = await engine.fetchTask('work');
      assert.equal(task.instanceId, id);
      assert.equal((await engine.complete(task, result)).status, 200);
      const { body } = await engine.get(`/sutra/instances/${id}`);
      const [token] = (body as unknown as { tokens: { id: number }[] }).tokens;
      const done = await engine.post(`/sutra/instances/${id}/user-tasks/${token?.id ?? 0}/complete`, {
        variables: given,
      });
      assert.equal(done.body.status, 'completed');
    }

    it('says of each turn by which message, worker or command it was caused, and no payload', async () => {
      const id = await startAt(
        'orders',
        { amount: 1 },
        { 'idempotency-key': 'k-1', 'ce-id': 'e-1', 'ce-type': 'placed', 'ce-source': 's' },
      );
      await runOn(id, { price: 2 }, { note: 'n' });
      assert.deepEqual(await toldOf(id, 'messageReceived taskCompleted commandReceived variablesSet sent'), [
        'messageReceived start channel="orders" dedupKey eventId="e-1" messageType="placed"',
        'sent work-it channel="work" idempotencyKey',
        'taskCompleted work-it attempts=1 channel="work" lockedAt parkedAt taskId workerId="worker-1"',
        'messageReceived work-it channel="work" dedupKey key messageType=null',
        'commandReceived - command="completeUserTask" reason=null',
        'sent tell channel="out" idempotencyKey',
      ]);
    });

    it('says why an operator did what, and which completion it was', async () => {
      const id = await startAt('orders', {});
      await engine.post(`/sutra/instances/${id}/variables`, { variables: { a: 1 }, reason: 'a was lost' });
      const task = await engine.fetchTask('work');
      await engine.complete(task, {}, { completionId: 'c-1' });
      await engine.post(`/sutra/instances/${id}/cancel`, { reason: 'ordered twice' });
      assert.deepEqual(await toldOf(id, 'commandReceived variablesSet taskCompleted cancelled'), [
        'commandReceived - command="setVariables" reason="a was lost"',
        'variablesSet - names="a"',
        'taskCompleted work-it attempts=1 channel="work" completionId="c-1" lockedAt parkedAt taskId workerId="worker-1"',
        'commandReceived - command="cancel" reason="ordered twice"',
        'cancelled - reason="ordered twice"',
      ]);
    });

    it('says what the last attempt before reported, while the task is open and after', async () => {
      const id = await startAt('orders', {});
      const first = await engine.fetchTask('work');
      const failure = { workerId: 'worker-1', errorMessage: `x${'y'.repeat(600)}`, retryTimeout: 'PT0S' };
      await engine.post(`/sutra/external-tasks/${first.id}/failure`, failure);
      const [parked] = (await history(id)).filter(({ event }) => event === 'taskParked');
      assert.equal(String(parked?.detail['lastError']).length, 500);
      await engine.complete(await engine.fetchTask('work'), {});
      const [completed] = (await history(id)).filter(({ event }) => event === 'taskCompleted');
      assert.deepEqual(
        [completed?.detail['attempts'], String(completed?.detail['lastError']).length],
        [2, 500],
      );
      await engine.post(`/sutra/instances/${id}/cancel`, {});
    });

    it('says when a task was given up, and when that was over', async () => {
      const id = await startAt('orders', {});
      const task = await engine.fetchTask('work');
      const failure = { workerId: 'worker-1', errorMessage: 'no stock', retries: 0 };
      await engine.post(`/sutra/external-tasks/${task.id}/failure`, failure);
      const failed = 'taskFailed work-it code="SUTRA.EXTERNAL_TASK.TERMINAL" lastError="no stock" taskId';
      assert.deepEqual(await toldOf(id, 'taskFailed incidentResolved'), [failed]);
      assert.equal((await engine.post(`/admin/external-tasks/${task.id}/retries`, {})).status, 200);
      assert.deepEqual(await toldOf(id, 'taskFailed incidentResolved'), [
        failed,
        'incidentResolved work-it kind="task-terminal" taskId',
      ]);
      await engine.post(`/sutra/instances/${id}/cancel`, {});
    });

    it('is the same from both ends, whatever the pages', async () => {
      const id = await startAt('orders', {});
      const task = await engine.fetchTask('work');
      await engine.post(`/sutra/external-tasks/${task.id}/failure`, {
        ...{ workerId: 'worker-1', errorMessage: 'no stock', retries: 0 },
      });
      for (const name of ['a', 'b', 'c', 'd']) {
        await engine.post(`/sutra/instances/${id}/variables`, { variables: { [name]: 1 } });
      }
      const whole = await history(id);
      assert.ok(whole.some(({ event }) => event === 'taskFailed'));
      for (const limit of [1, 2, 4]) {
        for (const order of ['oldest', 'newest']) {
          const pages: TimelineAnswer[] = [];
          let query: string | null = `?limit=${limit}&order=${order}`;
          while (query !== null) {
            const { body } = await engine.get(`/sutra/instances/${id}/history${query}`);
            pages.push(...body.entries);
            query =
              body.nextCursor === null ? null : `?limit=${limit}&order=${order}&cursor=${body.nextCursor}`;
          }
          assert.deepEqual(order === 'oldest' ? pages : pages.reverse(), whole, `${order}, ${limit}`);
        }
      }
      const { body } = await engine.get(`/sutra/instances/${id}/history?limit=1`);
      const mixed = await engine.get(
        `/sutra/instances/${id}/history?order=newest&cursor=${body.nextCursor ?? ''}`,
      );
      assert.equal(mixed.body.code, 'SUTRA.OPERATE.CURSOR_INVALID');
      await engine.post(`/sutra/instances/${id}/cancel`, {});
    });

    it('has the payloads of audited elements, but for what is sensitive', async () => {
      const id = await startAt('notes', {
        card: '4111-1111',
        memo: 'pays with 4111',
        order: { card: 1, n: 12.5 },
      });
      await runOn(id, { price: 2, card: '5222-2222' }, { note: 'n', card: 'x' });
      const withheld = { withheld: 'card' };
      const entries = (await history(id)).filter(({ detail }) => 'payload' in detail);
      assert.deepEqual(
        entries.map(({ event, elementId, detail }) => [event, elementId, detail['payload']]),
        [
          [
            'messageReceived',
            'start',
            { card: withheld, memo: 'pays with 4111', order: { card: withheld, n: 12.5 } },
          ],
          ['sent', 'work-it', { card: withheld, memo: 'pays with 4111', order: { card: withheld, n: 12.5 } }],
          ['messageReceived', 'work-it', { price: 2, card: withheld }],
          ['variablesSet', 'ask', { note: 'n', card: withheld }],
          [
            'sent',
            'tell',
            {
              card: withheld,
              memo: 'pays with 4111',
              order: { card: withheld, n: 12.5 },
              price: 2,
              note: 'n',
            },
          ],
        ],
      );
    });

    it('withholds what goes to a sensitive variable, comes from one, or shows its value or key', async () => {
      const id = await startAt('secrets', { card: '4111-1111' });
      const task = await engine.fetchTask('work');
      await engine.complete(task, { echo: 'was 4111-1111', number: 1 });
      const entries = (await history(id)).filter(({ event }) => ['messageReceived', 'sent'].includes(event));
      assert.deepEqual(
        entries.map(({ detail }) => [detail['payload'], detail['isDedupKeyWithheld'] ?? false]),
        [
          [{ withheld: 'card' }, true],
          [{ number: { withheld: 'number' }, open: 1 }, false],
          [{ withheld: 'card' }, false],
        ],
      );
      assert.doesNotMatch(JSON.stringify(await history(id)), /4111/);
    });

    it('says of a payload that is too large, or that no row could hold, only how large it is', async () => {
      const large = await startAt('notes', { text: 'x'.repeat(20_000) });
      const [received] = (await history(large)).filter(({ event }) => event === 'messageReceived');
      assert.deepEqual(received?.detail['payload'], { omitted: 20_011 });
      await engine.post(`/sutra/instances/${large}/cancel`, {});
    });

    it('keeps the digits of numbers', async () => {
      const answer = await fetch(`${engine.url}/channels/notes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"n":12345678901234567890.10}',
      });
      const { instanceId } = (await answer.json()) as { instanceId: string };
      const text = await (await fetch(`${engine.url}/sutra/instances/${instanceId}/history`)).text();
      assert.match(text, /"payload":\{"n":12345678901234567890\.1\}/);
      await engine.post(`/sutra/instances/${instanceId}/cancel`, {});
    });
  });
}
