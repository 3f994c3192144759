import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isSignalDue } from '../../engine/store/signals.ts';
import { becomes } from '../deployments/states.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { begin, nothingOn, signalPackage, toldOn } from './signal-package.ts';

interface Reach {
  readonly instances: number;
  readonly starts: number;
  readonly duplicate: boolean;
}

for (const target of testDatabases()) {
  describe(`signals on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(signalPackage());
    });
    after(() => engine.stop());

    const allDelivered = (): Promise<void> => becomes(() => isSignalDue(engine.engine.database), false);

    const throwFromOutside = async (body?: unknown, key?: string): Promise<Reach> => {
      const headers = key === undefined ? {} : { 'idempotency-key': key };
      const answer = await engine.call('POST', '/sutra/signals/alarm', body, headers);
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      return answer.body as unknown as Reach;
    };

    it('reach everyone who waits for that name, with the payload, and start one instance', async () => {
      const waiting = await Promise.all(Array.from({ length: 5 }, (_, n) => begin(engine, 'wait', { n })));
      const calm = await begin(engine, 'calm');
      await begin(engine, 'throw', { cause: 'smoke' });
      const told = await toldOn(engine, 'heard', 5);
      assert.deepEqual([...told.keys()].sort(), waiting.sort());
      for (const body of told.values()) assert.deepEqual(body['got'], { cause: 'smoke' });
      const [started] = [...(await toldOn(engine, 'started', 1)).values()];
      assert.deepEqual(started, { cause: { cause: 'smoke' } });
      await allDelivered();
      assert.ok(await nothingOn(engine, 'heard'));
      assert.ok(await nothingOn(engine, 'started'));
      assert.equal((await engine.instance(calm)).status, 'running');
      for (const id of waiting) assert.equal((await engine.instance(id)).status, 'completed');
    });

    it('are heard by nobody who begins to wait afterwards', async () => {
      const late = await begin(engine, 'wait');
      await engine.post(`/sutra/instances/${late}/cancel`, {});
      assert.deepEqual(await throwFromOutside(), { instances: 0, starts: 1, duplicate: false });
      await toldOn(engine, 'started', 1);
      const later = await begin(engine, 'wait');
      await allDelivered();
      const { status, tokens } = await engine.instance(later);
      assert.equal(status, 'running');
      assert.equal(tokens[0]?.elementId, 'wait');
      await engine.post(`/sutra/instances/${later}/cancel`, {});
    });

    it('come from outside, and a repetition under the same key throws nothing', async () => {
      const instanceId = await begin(engine, 'wait');
      const first = await throwFromOutside({ level: 3 }, 'fire-1');
      assert.deepEqual(first, { instances: 1, starts: 1, duplicate: false });
      assert.deepEqual(await throwFromOutside({ level: 3 }, 'fire-1'), { ...first, duplicate: true });
      const told = await toldOn(engine, 'heard', 1);
      assert.deepEqual(told.get(instanceId)?.['got'], { level: 3 });
      await toldOn(engine, 'started', 1);
      await allDelivered();
      assert.ok(await nothingOn(engine, 'started'));
    });

    it('that are thrown twice reach an instance that waits twice, in their order', async () => {
      const instanceId = await begin(engine, 'twice');
      await throwFromOutside({ n: 1 });
      await throwFromOutside({ n: 2 });
      const { status, variables } = await engine.ended(instanceId);
      assert.equal(status, 'completed');
      assert.deepEqual(variables['got'], { n: 1 });
      assert.deepEqual(variables['gotAgain'], { n: 2 });
      await toldOn(engine, 'started', 2);
    });

    it('are held for a failed instance, and delivered once it is repaired', async () => {
      const instanceId = await begin(engine, 'risky');
      const person = (await engine.instance(instanceId)).tokens.find(
        ({ elementId }) => elementId === 'person',
      );
      await engine.post(`/sutra/instances/${instanceId}/user-tasks/${String(person?.id)}/complete`, {});
      assert.equal((await engine.instance(instanceId)).status, 'failed');
      assert.equal((await throwFromOutside([1, 'meanwhile'])).instances, 1);
      await toldOn(engine, 'started', 1);
      await allDelivered();
      assert.equal((await engine.instance(instanceId)).variables['got'], undefined);
      const written = await engine.post(`/sutra/instances/${instanceId}/variables`, {
        variables: { isFine: true },
      });
      assert.equal(written.status, 200, JSON.stringify(written.body));
      assert.equal((await engine.post(`/admin/instances/${instanceId}/retry`, {})).status, 200);
      const { status, variables } = await engine.until(instanceId, (found) => found.status === 'completed');
      assert.equal(status, 'completed');
      assert.deepEqual(variables['got'], [1, 'meanwhile']);
    });

    it('are dropped without a trace when their instance does not wait any more', async () => {
      const instanceId = await begin(engine, 'risky');
      await engine.engine.database.run(
        {
          name: 'test_stray_signal',
          text: `INSERT INTO signal_delivery (tenant, name, payload, instance_id)
                 VALUES ('test', 'calm', 'null', $1::uuid), ('test', 'calm', 'null', gen_random_uuid())`,
        },
        [instanceId],
      );
      await throwFromOutside();
      await toldOn(engine, 'started', 1);
      await engine.until(instanceId, ({ tokens }) => tokens.length === 1);
      await allDelivered();
      assert.equal((await engine.instance(instanceId)).status, 'running');
      await engine.post(`/sutra/instances/${instanceId}/cancel`, {});
    });

    it('start instances of the active version alone', async () => {
      const old = await begin(engine, 'wait');
      const id = await engine.deploy(signalPackage('2.0.0'));
      assert.deepEqual(await throwFromOutside(), { instances: 1, starts: 1, duplicate: false });
      assert.ok((await toldOn(engine, 'heard', 1)).has(old), 'who waits in the old version is reached');
      const [instanceId = ''] = (await toldOn(engine, 'started', 1)).keys();
      assert.equal((await engine.instance(instanceId)).deploymentId, id);
      await engine.call('DELETE', `/admin/deployments/${id}`);
      assert.deepEqual(await throwFromOutside(), { instances: 0, starts: 0, duplicate: false });
      await engine.deploy(signalPackage());
      assert.equal((await throwFromOutside()).starts, 1);
      await toldOn(engine, 'started', 1);
    });

    it('refuse what is not a name, a body or a key', async () => {
      const cases: readonly [string, unknown, Record<string, string>, number, string][] = [
        ['/sutra/signals/%00', undefined, {}, 400, 'SUTRA.OPERATE.ID_INVALID'],
        ['/sutra/signals/alarm?module=x', undefined, {}, 400, 'SUTRA.HTTP.QUERY_INVALID'],
        ['/sutra/signals/alarm', '{', {}, 400, 'SUTRA.CODEC.JSON_INVALID'],
        ['/sutra/signals/alarm', {}, { 'idempotency-key': ' ' }, 400, 'SUTRA.INBOUND.DEDUP_KEY_INVALID'],
      ];
      for (const [path, body, headers, status, code] of cases) {
        const answer = await engine.call('POST', path, body, headers);
        assert.equal(answer.body.code, code, path);
        assert.equal(answer.status, status);
      }
    });

    it('count what was delivered, dropped and held', async () => {
      const text = (await engine.get('/metrics')).body as unknown as string;
      for (const outcome of ['done', 'dropped', 'held']) {
        assert.match(text, new RegExp(`sutra_signal_deliveries_total\\{outcome="${outcome}"\\} [1-9]`));
      }
      assert.match(text, /sutra_signal_lag_seconds_count [1-9]/);
    });
  });
}
