/** Starts by signals and timers that are refused: nobody else hears of them. Through a whole engine. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type Answer } from '../support/engine.ts';
import { flows, packageFiles } from '../support/packages.ts';

/** Waits under a value that only one instance may have: a second start is refused until the first is gone. */
const waits = (value: string): string =>
  `<receiveTask id="wait"><extensionElements><q:source channel="asked"/>
    <q:alias name="what" expression='${value}' unique="true"/></extensionElements></receiveTask><endEvent id="end"/>
    ${flows('start -> wait', 'wait -> end')}`;

function stockPackage(version: string, hasStarts = true): Record<string, string> {
  const plain = `<startEvent id="start"/><endEvent id="end"/>${flows('start -> end')}`;
  return packageFiles({
    module: 'stock',
    version,
    channels: `  - { name: asked, transport: http, bind: "POST /channels/asked", ack-mode: on-persist }`,
    definitions: '<signal id="low-signal" name="low"/>',
    processes: hasStarts
      ? {
          refill: `<startEvent id="start"><extensionElements><q:output variable="item"/></extensionElements>
            <signalEventDefinition id="low" signalRef="low-signal"/></startEvent>${waits('item.id')}`,
          count: `<startEvent id="start"><timerEventDefinition id="timer"><timeCycle>R/PT1S</timeCycle></timerEventDefinition>
            </startEvent>${waits('"count"')}`,
        }
      : { refill: plain, count: plain },
  });
}

interface Letter {
  readonly id: string;
  readonly kind: string;
  readonly attempts: number;
}

for (const target of testDatabases()) {
  describe(`dead letters of starts on ${target.name}`, () => {
    let database: Database;
    let engine: TestEngine;
    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database, env: { SUTRA_DEAD_LETTER_MAX_COUNT: '3' } });
      await engine.deploy(stockPackage('1.0.0'));
    });
    after(() => engine.stop());

    const list = async (kind: string): Promise<readonly Letter[]> => {
      const { body } = await engine.get(`/admin/dead-letters?kind=${kind}`);
      return (body as unknown as { deadLetters: Letter[] }).deadLetters;
    };
    const until = async (what: string, isReached: () => Promise<boolean>): Promise<void> => {
      const deadline = performance.now() + 20_000;
      while (!(await isReached())) {
        assert.ok(performance.now() < deadline, `${what}, in time`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const firstOf = async (kind: string): Promise<string> => {
      await until(`a dead ${kind}`, async () => (await list(kind)).length > 0);
      return (await list(kind))[0]?.id ?? '';
    };
    const replay = (id: string, correction?: unknown): Promise<Answer> =>
      engine.call('POST', `/admin/dead-letters/${id}/replay`, correction);
    const running = async (processId: string): Promise<readonly string[]> =>
      (await engine.get(`/sutra/instances?status=running&processId=${processId}`)).body.instances.map(
        ({ id }) => id,
      );
    const cancelAll = async (processId: string): Promise<void> => {
      for (const id of await running(processId)) await engine.post(`/sutra/instances/${id}/cancel`, {});
    };
    const subjects = async (): Promise<readonly unknown[]> => {
      const { incidents } = (await engine.get('/sutra/incidents?kind=dead-letter')).body;
      return incidents.map((incident) => (incident as { subjectId: string }).subjectId);
    };

    it('keep a signal with its payload, and start with it once that is possible', async () => {
      const payload = '{"id":7,"sum":0.10000000000000000000000001}';
      for (let number = 0; number < 2; number += 1) {
        assert.equal((await engine.post('/sutra/signals/low', payload)).status, 202);
        if (number === 0) await until('the first one', async () => (await running('refill')).length > 0);
      }
      const id = await firstOf('signal');
      const shown = await fetch(`${engine.url}/admin/dead-letters/${id}`);
      const text = await shown.text();
      assert.match(text, /"sum":0\.10000000000000000000000001\b/);
      const letter = JSON.parse(text) as Readonly<Record<string, unknown>>;
      assert.deepEqual(
        ['signalName', 'processId', 'startEventId', 'code', 'attempts', 'channel'].map(
          (name) => letter[name],
        ),
        ['low', 'refill', 'start', 'SUTRA.INBOUND.ALIAS_TAKEN', 1, null],
      );
      const [incident] = (await engine.get('/sutra/incidents?kind=dead-letter&processId=refill')).body
        .incidents;
      assert.deepEqual(
        ['subjectId', 'instanceId', 'elementId'].map((name) => (incident as Record<string, unknown>)[name]),
        [id, null, 'start'],
      );
      assert.equal((await replay(id, { body: {} })).body.code, 'SUTRA.DEAD_LETTER.NOT_A_MESSAGE');
      assert.equal((await replay(id)).body.code, 'SUTRA.INBOUND.ALIAS_TAKEN');
      assert.equal((await list('signal'))[0]?.attempts, 2);
      await cancelAll('refill');
      const replayed = await replay(id);
      assert.equal(replayed.status, 200, JSON.stringify(replayed.body));
      assert.deepEqual(await running('refill'), [replayed.body.instanceId]);
      assert.deepEqual(await list('signal'), []);
      assert.ok(!(await subjects()).includes(id));
    });

    it('keep a timer, up to the limit, and its timer goes on', async () => {
      const id = await firstOf('timer');
      await cancelAll('count');
      const answers = await Promise.all([replay(id), replay(id)]);
      // The timer itself may be faster than both: then they are refused, and the letter stays.
      for (const { status, body } of answers) {
        assert.ok(
          status === 200 || ['SUTRA.DEAD_LETTER.NOT_FOUND', 'SUTRA.INBOUND.ALIAS_TAKEN'].includes(body.code),
          JSON.stringify(body),
        );
      }
      assert.ok(answers.filter(({ status }) => status === 200).length <= 1);
      assert.equal((await running('count')).length, 1);
      await until('as many as there is room for', async () => (await list('timer')).length === 3);
      await until('one more', async () => {
        const metrics = await (await fetch(`${engine.url}/metrics`)).text();
        return /^sutra_dead_letters_dropped_total\{kind="timer"\} [1-9]/m.test(metrics);
      });
      assert.equal((await list('timer')).length, 3);
    });

    it('are refused when the active deployment has no such start any more', async () => {
      const id = await firstOf('timer');
      await engine.deploy(stockPackage('2.0.0', false));
      const gone = await replay(id);
      assert.deepEqual([gone.status, gone.body.code], [409, 'SUTRA.DEAD_LETTER.START_GONE']);
      const letter = (await engine.get(`/admin/dead-letters/${id}`)).body;
      assert.equal(letter.code, 'SUTRA.DEAD_LETTER.START_GONE');
      for (const { id: other } of await list('timer')) {
        assert.equal((await engine.call('DELETE', `/admin/dead-letters/${other}`)).status, 200);
      }
      assert.deepEqual(await subjects(), []);
    });
  });
}
