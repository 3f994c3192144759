/** Moving tokens over HTTP: dry and for real, of running and of failed instances. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type Answer } from '../support/engine.ts';
import { call, flows, packageFiles } from '../support/packages.ts';

const files = packageFiles({
  channels: '  - { name: work, transport: pull }',
  processes: {
    order: `<startEvent id="start"/><exclusiveGateway id="choose"/>${call('score', 'work', '<q:timeout duration="PT1H"/>')}
      <userTask id="review"/><endEvent id="end"/>
      ${flows('start -> choose', 'score -> review', 'review -> end')}
      <sequenceFlow id="to-score" sourceRef="choose" targetRef="score"><conditionExpression>amount &gt; 0</conditionExpression></sequenceFlow>`,
    many: `<startEvent id="start"/>
      <subProcess id="each"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics>
        <startEvent id="in"/>${call('send', 'work')}<userTask id="check"/>${flows('in -> send', 'send -> check')}</subProcess>
      <endEvent id="end"/>${flows('start -> each', 'each -> end')}`,
  },
});

interface Preview {
  readonly isDryRun: boolean;
  readonly preview?: {
    readonly failure: { readonly code: string } | null;
    readonly tokens: readonly { readonly elementId: string }[];
    readonly waits: readonly { readonly kind: string; readonly elementId: string }[];
    readonly endedWaits: readonly { readonly kind: string; readonly elementId: string }[];
    readonly sends: unknown;
  };
}

for (const target of testDatabases()) {
  describe(`moves on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    const begin = async (processId: string, variables: unknown): Promise<string> => {
      const answer = await engine.post(`/sutra/processes/${processId}/start`, { variables });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.instanceId;
    };
    const move = (id: string, body: unknown): Promise<Answer> =>
      engine.post(`/admin/instances/${id}/move`, body);
    const active = async (id: string): Promise<string[]> =>
      (await engine.instance(id)).tokens.map(({ elementId }) => elementId).sort();
    const places = (list: readonly { readonly kind: string; readonly elementId: string }[]): string[] =>
      list.map(({ kind, elementId }) => `${kind}:${elementId}`).sort();
    const everything = async (id: string): Promise<unknown> => [
      await engine.instance(id),
      (await engine.get(`/sutra/instances/${id}/history`)).body,
    ];
    const openIncidents = async (id: string): Promise<number> =>
      (await engine.get(`/sutra/incidents`)).body.incidents.filter((incident) =>
        JSON.stringify(incident).includes(id),
      ).length;

    it('say what they would do, write nothing of it, and then do just that', async () => {
      const id = await begin('order', { amount: 5 });
      const task = await engine.fetchTask('work');
      const tokenId = (await engine.instance(id)).tokens[0]?.id;
      const before = await everything(id);
      const body = { moves: [{ from: 'score', to: 'review' }] };
      const dry = await move(id, { ...body, dryRun: true });
      assert.equal(dry.status, 200, JSON.stringify(dry.body));
      const { preview, isDryRun } = dry.body as unknown as Preview;
      assert.ok(isDryRun && preview !== undefined);
      assert.deepEqual(
        preview.tokens.map(({ elementId }) => elementId),
        ['review'],
      );
      assert.deepEqual(places(preview.waits), ['user-task:review']);
      assert.deepEqual(places(preview.endedWaits), ['call:score', 'timer:score']);
      assert.deepEqual(await everything(id), before);

      assert.deepEqual((await move(id, body)).body, { instanceId: id, status: 'running', isDryRun: false });
      assert.deepEqual(await active(id), ['review']);
      const late = await engine.post(`/sutra/external-tasks/${task.id}/complete`, {
        workerId: 'worker-1',
        lockToken: task.lockToken,
      });
      assert.equal(late.body.code, 'SUTRA.EXTERNAL_TASK.WITHDRAWN');
      const { entries } = (await engine.get(`/sutra/instances/${id}/history`)).body as unknown as {
        readonly entries: readonly {
          readonly event: string;
          readonly elementId: string;
          readonly detail: unknown;
        }[];
      };
      const entry = entries.find(({ event }) => event === 'moved');
      assert.deepEqual(
        [entry?.elementId, entry?.detail],
        ['score', { from: 'score', to: 'review', tokenId }],
      );
      const end = await move(id, { moves: [{ from: 'review', to: 'end' }], dryRun: true });
      assert.equal(end.body.status, 'completed');
    });

    it('say what a dry run would send, and park no task for it', async () => {
      const id = await begin('order', { amount: 0 });
      await engine.until(id, ({ status }) => status === 'failed');
      const body = { moves: [{ from: 'choose', to: 'score' }], variables: { amount: 7 } };
      const { preview } = (await move(id, { ...body, dryRun: true })).body as unknown as Preview;
      assert.deepEqual(preview?.sends, [{ elementId: 'score', channel: 'work' }]);
      assert.equal((await engine.fetchTasks('work', { asyncResponseTimeout: 'PT0S' })).length, 0);
      const failing = { moves: [{ from: 'choose', to: 'choose' }], dryRun: true };
      const again = (await move(id, failing)).body as unknown as Preview;
      assert.equal(again.preview?.failure?.code, 'SUTRA.CORE.NO_FLOW_TAKEN');

      assert.equal(await openIncidents(id), 1);
      assert.equal((await move(id, body)).body.status, 'running');
      assert.equal(await openIncidents(id), 0);
      const task = await engine.fetchTask('work');
      assert.equal(task.instanceId, id);
      assert.deepEqual((await engine.instance(id)).variables, { amount: 7 });
    });

    it('reach into one instance of a parallel multi-instance activity', async () => {
      const id = await begin('many', {});
      const { tokens } = await engine.instance(id);
      const [, tokenId] = tokens.filter(({ elementId }) => elementId === 'send').map((token) => token.id);
      const unclear = await move(id, { moves: [{ from: 'send', to: 'check' }] });
      assert.equal(unclear.body.code, 'SUTRA.CORE.MOVE_TOKEN_AMBIGUOUS');
      const body = { moves: [{ from: 'send', tokenId, to: 'check' }] };
      const { preview } = (await move(id, { ...body, dryRun: true })).body as unknown as Preview;
      assert.deepEqual(places(preview?.waits ?? []), ['call:send', 'call:send', 'user-task:check']);
      assert.equal((await move(id, body)).status, 200);
      assert.deepEqual(
        (await active(id)).filter((elementId) => elementId !== 'each'),
        ['check', 'send', 'send'],
      );
      assert.equal((await move(id, { moves: [{ from: 'each', to: 'end' }] })).body.status, 'completed');
    });

    it('are refused with a reason, and change nothing', async () => {
      const id = await begin('order', { amount: 1 });
      // Nothing is on its way any more that would change what is shown.
      await move(id, { moves: [{ from: 'score', to: 'review' }] });
      const none = '00000000-0000-7000-8000-000000000000';
      const before = await everything(id);
      const moves = (...list: readonly unknown[]): unknown => ({ moves: list });
      const good = { from: 'review', to: 'score' };
      const rows: readonly [string, unknown, number, string][] = [
        [id, moves({ from: 'score', to: 'end' }), 409, 'SUTRA.CORE.MOVE_TOKEN_MISSING'],
        [id, moves({ from: 'review', to: 'start' }), 409, 'SUTRA.CORE.MOVE_TARGET_INVALID'],
        [id, moves({ from: 'review', to: 'nowhere' }), 409, 'SUTRA.CORE.MOVE_TARGET_UNKNOWN'],
        [id, moves(good, good), 409, 'SUTRA.CORE.MOVE_OVERLAP'],
        [none, moves(good), 404, 'SUTRA.INSTANCE.NOT_FOUND'],
        ['x', moves(good), 400, 'SUTRA.OPERATE.ID_INVALID'],
        [id, moves(), 400, 'SUTRA.HTTP.FIELD_INVALID'],
        [id, {}, 400, 'SUTRA.HTTP.FIELD_INVALID'],
        [id, undefined, 400, 'SUTRA.HTTP.BODY_REQUIRED'],
        [id, moves({ ...good, tokenId: 'one' }), 400, 'SUTRA.HTTP.FIELD_INVALID'],
        [id, moves({ ...good, at: 1 }), 400, 'SUTRA.HTTP.FIELD_UNKNOWN'],
        [id, { moves: [good], dryRun: 'yes' }, 400, 'SUTRA.HTTP.FIELD_INVALID'],
      ];
      for (const [of, body, status, code] of rows) {
        const answer = await engine.call('POST', `/admin/instances/${of}/move`, body);
        assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(body));
        if (status !== 409) continue;
        const dry = await move(of, { ...(body as object), dryRun: true });
        assert.equal(dry.body.code, code, 'a dry run is refused as the move would be');
      }
      assert.deepEqual(await everything(id), before);
      await engine.post(`/sutra/instances/${id}/cancel`, {});
      assert.equal((await move(id, moves(good))).body.code, 'SUTRA.CORE.INSTANCE_ENDED');
    });
  });
}
