/** What somebody does inside a running instance, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type Answer, type InstanceAnswer } from '../support/engine.ts';
import { flows, packageFiles } from '../support/packages.ts';

const adHoc = (attributes: string, condition = ''): string =>
  `<startEvent id="start"/>
   <adHocSubProcess id="case" ${attributes}><userTask id="call-back"/><userTask id="refund"/>${condition}</adHocSubProcess>
   <endEvent id="end"/>${flows('start -> case', 'case -> end')}`;

const files = packageFiles({
  channels: '  - { name: unused, transport: pull }',
  processes: {
    loose: adHoc('ordering="Parallel" cancelRemainingInstances="false"'),
    strict: adHoc('ordering="Sequential"', '<completionCondition>isDone = true</completionCondition>'),
    conditional: `<startEvent id="start"/>
      <subProcess id="inner"><startEvent id="inner-start"/><userTask id="work"/><endEvent id="inner-end"/>
        ${flows('inner-start -> work', 'work -> inner-end')}</subProcess>
      <boundaryEvent id="late" attachedToRef="inner"><conditionalEventDefinition id="c"><condition>days &gt; 3</condition></conditionalEventDefinition></boundaryEvent>
      <endEvent id="end"/><userTask id="escalate"/><endEvent id="escalated"/>
      ${flows('start -> inner', 'inner -> end', 'late -> escalate', 'escalate -> escalated')}`,
  },
});

for (const target of testDatabases()) {
  describe(`commands inside an instance on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    const begin = async (processId: string, variables: unknown = {}): Promise<string> => {
      const answer = await engine.post(`/sutra/processes/${processId}/start`, { variables });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.instanceId;
    };
    const tokenAt = async (id: string, elementId: string): Promise<number> => {
      const { tokens } = await engine.instance(id);
      const token = tokens.find((candidate) => candidate.elementId === elementId);
      assert.ok(token !== undefined, `${elementId} is not active: ${JSON.stringify(tokens)}`);
      return token.id;
    };
    const active = async (id: string): Promise<string[]> =>
      (await engine.instance(id)).tokens.map(({ elementId }) => elementId).sort();
    const launch = async (id: string, elementId: string, body?: unknown): Promise<Answer> =>
      engine.call(
        'POST',
        `/sutra/instances/${id}/ad-hoc/${String(await tokenAt(id, 'case'))}/activities/${elementId}`,
        body,
      );
    const complete = async (id: string, elementId: string, variables: unknown = {}): Promise<Answer> => {
      const tokenId = await tokenAt(id, elementId);
      return engine.post(`/sutra/instances/${id}/user-tasks/${String(tokenId)}/complete`, { variables });
    };
    const finish = async (id: string): Promise<Answer> =>
      engine.call('POST', `/sutra/instances/${id}/ad-hoc/${String(await tokenAt(id, 'case'))}/complete`);

    it('launch activities of an ad hoc sub-process, as often as one likes, until it is completed', async () => {
      const id = await begin('loose');
      const { waits } = (await engine.instance(id)) as InstanceAnswer & {
        readonly waits: readonly { readonly kind: string; readonly elementId: string }[];
      };
      assert.deepEqual(
        waits.map(({ kind, elementId }) => [kind, elementId]),
        [['ad-hoc', 'case']],
      );
      assert.equal((await launch(id, 'refund', { variables: { amount: 5 } })).status, 200);
      assert.equal((await launch(id, 'refund')).status, 200);
      assert.equal((await launch(id, 'call-back')).body.status, 'running');
      assert.deepEqual(await active(id), ['call-back', 'case', 'refund', 'refund']);
      const early = await finish(id);
      assert.equal(early.status, 409);
      assert.equal(early.body.code, 'SUTRA.CORE.AD_HOC_BUSY');
      for (const elementId of ['refund', 'refund', 'call-back']) await complete(id, elementId);
      assert.deepEqual(await active(id), ['case']);
      assert.equal((await finish(id)).body.status, 'completed');
    });

    it('keep the order of a sequential one, and its completion condition', async () => {
      const id = await begin('strict');
      await launch(id, 'refund');
      const second = await launch(id, 'call-back');
      assert.equal(second.body.code, 'SUTRA.CORE.AD_HOC_BUSY');
      await complete(id, 'refund');
      await launch(id, 'call-back');
      assert.equal((await complete(id, 'call-back', { isDone: true })).body.status, 'completed');
    });

    it('write variables, on which conditions fire', async () => {
      const id = await begin('conditional', { days: 1 });
      const write = (body: unknown): Promise<Answer> => engine.post(`/sutra/instances/${id}/variables`, body);
      assert.equal((await write({ variables: { days: 2, note: 'soon' } })).status, 200);
      assert.deepEqual(await active(id), ['inner', 'work']);
      const tokenId = await tokenAt(id, 'work');
      assert.equal((await write({ variables: { days: 4 }, tokenId })).status, 200);
      assert.deepEqual(await active(id), ['escalate']);
      const { variables } = await engine.instance(id);
      assert.deepEqual(variables, { days: 4, note: 'soon' });
      const gone = await write({ variables: {}, tokenId });
      assert.equal(gone.status, 409);
      assert.equal(gone.body.code, 'SUTRA.CORE.WAIT_GONE');
    });

    it('are refused as other commands are', async () => {
      const id = await begin('loose');
      const none = '00000000-0000-7000-8000-000000000000';
      const at = (path: string, of = id): string => `/sutra/instances/${of}/${path}`;
      const rows: readonly [string, unknown, number, string][] = [
        [at('ad-hoc/99/complete'), undefined, 409, 'SUTRA.CORE.WAIT_GONE'],
        [at('ad-hoc/x/complete'), undefined, 400, 'SUTRA.OPERATE.ID_INVALID'],
        [at('ad-hoc/1/complete', none), undefined, 404, 'SUTRA.INSTANCE.NOT_FOUND'],
        [at('ad-hoc/1/activities/a', 'x'), undefined, 400, 'SUTRA.OPERATE.ID_INVALID'],
        [at('ad-hoc/1/activities/a'), { more: 1 }, 400, 'SUTRA.HTTP.FIELD_UNKNOWN'],
        [at('variables'), undefined, 400, 'SUTRA.HTTP.BODY_REQUIRED'],
        [at('variables'), {}, 400, 'SUTRA.HTTP.FIELD_INVALID'],
        [at('variables'), { variables: [] }, 400, 'SUTRA.HTTP.FIELD_INVALID'],
        [at('variables'), { variables: {}, tokenId: '1' }, 400, 'SUTRA.HTTP.FIELD_INVALID'],
        [at('variables'), { variables: {}, tokenId: -1 }, 400, 'SUTRA.HTTP.FIELD_INVALID'],
        [at('variables'), { variables: {}, tokenID: 1 }, 400, 'SUTRA.HTTP.FIELD_UNKNOWN'],
        [at('variables', none), { variables: {} }, 404, 'SUTRA.INSTANCE.NOT_FOUND'],
      ];
      for (const [path, body, status, code] of rows) {
        const answer = await engine.call('POST', path, body);
        assert.equal(answer.body.code, code, `${path} ${JSON.stringify(answer.body)}`);
        assert.equal(answer.status, status);
      }
      const unknown = await launch(id, 'nothing');
      assert.equal(unknown.body.code, 'SUTRA.CORE.ACTIVITY_NOT_LAUNCHABLE');
      await engine.post(at('cancel'), {});
      const ended = await engine.post(at('variables'), { variables: {} });
      assert.equal(ended.body.code, 'SUTRA.CORE.INSTANCE_ENDED');
    });
  });
}
