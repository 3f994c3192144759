import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import {
  CamundaRest,
  camundaModel,
  catchMessage,
  externalTask,
  inARow,
  messageStart,
  type Typed,
} from './camunda7-engine-rest.ts';

const MISMATCH = 'MismatchingMessageCorrelationException';
const PAID = '<bpmn:message id="paid" name="payment received"/>';
/** Waits for the payment, then for a worker. */
const PAYMENT = camundaModel(
  { payment: inARow({ wait: catchMessage('wait', 'paid'), work: externalTask('work', 'paid') }) },
  PAID,
);
/** Begins with a message of its own, and then waits for the same again. */
const ORDER = camundaModel(
  {
    order: inARow(
      { again: catchMessage('again', 'placed'), work: externalTask('work', 'placed') },
      messageStart('placed'),
    ),
  },
  '<bpmn:message id="placed" name="orderPlaced"/>',
);

interface Result {
  readonly resultType: string;
  readonly execution: {
    readonly id: string;
    readonly processInstanceId: string;
    readonly ended: boolean;
  } | null;
  readonly processInstance: { readonly id: string; readonly businessKey: string | null } | null;
  readonly variables?: Typed;
}

for (const target of testDatabases()) {
  describe(`messages of Camunda 7 on ${target.name}`, () => {
    let database: Database;
    let engine: TestEngine;
    let rest: CamundaRest;
    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA7: 'true' } });
      rest = new CamundaRest(engine);
      await rest.deploy({ 'payment.bpmn': PAYMENT });
      await rest.deploy({ 'order.bpmn': ORDER });
    });
    after(async () => {
      await engine.stop();
      await database.close();
    });

    const payment = async (businessKey: string | null, variables: Typed = {}): Promise<string> =>
      (await rest.start('payment', { businessKey, variables })).id;
    const message = (body: Readonly<Record<string, unknown>>): Promise<null> =>
      rest.post('message', body, 204);
    const paid = { messageName: 'payment received' };
    const placeOf = async (id: string): Promise<readonly string[]> =>
      (await engine.instance(id)).tokens.map(({ elementId }) => elementId);

    it('reach the instance of their business key, and bring variables', async () => {
      const mine = await payment('key-1');
      const other = await payment('key-2');
      await message({
        ...paid,
        businessKey: 'key-1',
        processVariables: { amount: { value: 5, type: 'Long' } },
      });
      assert.deepEqual(await placeOf(mine), ['work']);
      assert.deepEqual(await placeOf(other), ['wait']);
      const task = await rest.fetchTask('paid');
      assert.deepEqual([task.processInstanceId, task.businessKey], [mine, 'key-1']);
      assert.deepEqual(task.variables['amount'], { type: 'Long', value: 5, valueInfo: {} });
      await rest.complete(task);
      assert.equal((await engine.ended(mine)).status, 'completed');
    });

    it('reach the instance whose variables are equal to their correlation keys', async () => {
      const variables = { invoice: { value: 'i-1' }, amount: { value: 12, type: 'Integer' } };
      const mine = await payment(null, variables);
      await payment(null, { ...variables, amount: { value: 13 } });
      const keys = { invoice: { value: 'i-1' }, amount: { value: 12, type: 'Long' } };
      await message({ ...paid, correlationKeys: keys });
      assert.deepEqual(await placeOf(mine), ['work']);
      assert.deepEqual(Object.keys((await engine.instance(mine)).variables).sort(), ['amount', 'invoice']);
      await rest.complete(await rest.fetchTask('paid'));
    });

    it('reach the instance that they name', async () => {
      await payment('same');
      const mine = await payment('same');
      const body = { ...paid, processInstanceId: mine, resultEnabled: true, variablesInResultEnabled: true };
      const [result, ...others] = await rest.post<readonly Result[]>('message', body);
      assert.deepEqual(others, []);
      assert.deepEqual(result, {
        resultType: 'Execution',
        execution: { id: mine, processInstanceId: mine, ended: false, tenantId: null },
        processInstance: null,
        variables: { businessKey: { type: 'String', value: 'same', valueInfo: {} } },
      });
      assert.deepEqual(await placeOf(mine), ['work']);
      await rest.complete(await rest.fetchTask('paid'));
    });

    it('are refused when none or several fit, and change nothing then', async () => {
      const two = [await payment('twice'), await payment('twice')];
      const bodies: readonly (readonly [body: Readonly<Record<string, unknown>>, message: RegExp])[] = [
        [{ ...paid, businessKey: 'twice' }, /2 executions match/],
        [{ ...paid, businessKey: 'nobody' }, /No process definition or execution matches/],
        [{ ...paid, businessKey: 'twice', correlationKeys: { x: { value: 1 } } }, /No process definition/],
        [{ ...paid, businessKey: 'twice', tenantId: 'acme' }, /No process definition/],
        [{ ...paid, processInstanceId: '00000000-0000-4000-8000-000000000000' }, /No process definition/],
        [{ ...paid, processInstanceId: 'nonsense' }, /No process definition/],
        [{ messageName: 'no such message' }, /Cannot correlate message "no such message"/],
        [{ messageName: 'waiting', businessKey: 'twice' }, /No process definition/],
      ];
      for (const [body, text] of bodies) {
        const refused = await rest.refused('POST', 'message', body);
        assert.deepEqual([refused.status, refused.type], [400, MISMATCH], JSON.stringify(body));
        assert.match(refused.message, text);
      }
      for (const id of two) assert.deepEqual(await placeOf(id), ['wait']);
    });

    it('for all reach each that fits, and none is none', async () => {
      const three = [await payment('crowd'), await payment('crowd'), await payment('crowd')];
      const body = { ...paid, businessKey: 'crowd', all: true, resultEnabled: true };
      const results = await rest.post<readonly Result[]>('message', body);
      assert.deepEqual(results.map(({ execution }) => execution?.id).sort(), [...three].sort());
      for (const id of three) assert.deepEqual(await placeOf(id), ['work']);
      assert.deepEqual(await rest.post('message', body), []);
      for (const id of three) await rest.call('DELETE', `process-instance/${id}`);
    });

    it('start a process, with what they are correlated by, unless somebody waits', async () => {
      const placed = { messageName: 'orderPlaced', businessKey: 'o-1', resultEnabled: true };
      const body = {
        ...placed,
        correlationKeys: { region: { value: 'north' } },
        processVariables: { goods: { value: '["pear"]', type: 'Json' } },
      };
      const [started] = await rest.post<readonly Result[]>('message', body);
      const id = started?.processInstance?.id ?? '';
      assert.deepEqual(
        [started?.resultType, started?.execution, started?.processInstance?.businessKey],
        ['ProcessDefinition', null, 'o-1'],
      );
      const { variables } = await engine.instance(id);
      assert.deepEqual(variables, { region: 'north', goods: ['pear'], businessKey: 'o-1' });
      assert.deepEqual(await placeOf(id), ['again']);
      const [resumed] = await rest.post<readonly Result[]>('message', placed);
      assert.deepEqual([resumed?.resultType, resumed?.execution?.id], ['Execution', id]);
      assert.deepEqual(await placeOf(id), ['work']);
      const [second] = await rest.post<readonly Result[]>('message', placed);
      assert.equal(second?.resultType, 'ProcessDefinition', 'nobody waits any more');
      const listed = await rest.get<readonly unknown[]>('process-instance?businessKey=o-1');
      assert.equal(listed.length, 2);
      const only = { ...placed, processInstanceId: id };
      assert.equal(
        (await rest.refused('POST', 'message', only)).type,
        MISMATCH,
        'an instance that is named is meant',
      );
    });

    it('are taken once under one idempotency key', async () => {
      const init = {
        headers: { 'content-type': 'application/json', 'idempotency-key': 'order-key' },
        body: JSON.stringify({
          messageName: 'orderPlaced',
          businessKey: 'once',
          correlationKeys: { a: { value: 1 } },
        }),
      };
      await rest.call('POST', 'message', init);
      const [instance] = await rest.get<readonly { id: string }[]>('process-instance?businessKey=once');
      await rest.call('DELETE', `process-instance/${instance?.id ?? ''}`);
      await rest.call('POST', 'message', init);
      assert.deepEqual(await rest.get('process-instance?businessKey=once'), []);
    });

    it('find two waits of one instance ambiguous, and reach both for all', async () => {
      const both = `<bpmn:startEvent id="start"/><bpmn:parallelGateway id="fork"/>${catchMessage('one', 'both-message')}${catchMessage('two', 'both-message')}<bpmn:endEvent id="end"/>${[
        ['start', 'fork'],
        ['fork', 'one'],
        ['fork', 'two'],
        ['one', 'end'],
        ['two', 'end'],
      ]
        .map(
          ([from = '', to = '']) =>
            `<bpmn:sequenceFlow id="${from}-${to}" sourceRef="${from}" targetRef="${to}"/>`,
        )
        .join('')}`;
      await rest.deploy({
        'both.bpmn': camundaModel({ both }, '<bpmn:message id="both-message" name="both"/>'),
      });
      const { id } = await rest.start('both');
      const body = { messageName: 'both', processInstanceId: id };
      assert.match((await rest.refused('POST', 'message', body)).message, /2 executions match/);
      await message({ ...body, all: true });
      assert.equal((await engine.ended(id)).status, 'completed');
    });

    it('find the waits of a parallel multi-instance activity', async () => {
      const each = `<bpmn:subProcess id="each"><bpmn:multiInstanceLoopCharacteristics camunda:collection="items" camunda:elementVariable="item"/><bpmn:startEvent id="in"/>${catchMessage('wait', 'each-message')}<bpmn:endEvent id="out"/><bpmn:sequenceFlow id="in-wait" sourceRef="in" targetRef="wait"/><bpmn:sequenceFlow id="wait-out" sourceRef="wait" targetRef="out"/></bpmn:subProcess>`;
      const model = camundaModel({ loop: inARow({ each }) }, '<bpmn:message id="each-message" name="each"/>');
      await rest.deploy({ 'loop.bpmn': model });
      const items = { value: '[1,2,3]', type: 'Json' };
      const { id } = await rest.start('loop', { variables: { items }, businessKey: 'loop' });
      const body = { messageName: 'each', businessKey: 'loop' };
      assert.match((await rest.refused('POST', 'message', body)).message, /3 executions match/);
      const results = await rest.post<readonly Result[]>('message', {
        ...body,
        all: true,
        resultEnabled: true,
      });
      assert.equal(results.length, 3);
      assert.equal((await engine.ended(id)).status, 'completed');
    });

    it('of the client in Python, which says that it has no tenant', async () => {
      const id = await payment('python');
      const body = {
        messageName: 'payment received',
        resultEnabled: true,
        withoutTenantId: true,
        businessKey: 'python',
        processVariables: { amount: { value: 5 } },
      };
      const [result] = await rest.post<readonly Result[]>('message', body);
      assert.equal(result?.execution?.processInstanceId, id);
      assert.equal((await engine.instance(id)).variables['amount'], 5);
      await rest.call('DELETE', `process-instance/${id}`);
    });

    it('reach an event sub-process, and a process that is called', async () => {
      const stop = `<bpmn:subProcess id="aside" triggeredByEvent="true"><bpmn:startEvent id="stopped" isInterrupting="true"><bpmn:messageEventDefinition id="stop-definition" messageRef="stop"/></bpmn:startEvent><bpmn:endEvent id="stop-end"/><bpmn:sequenceFlow id="stop-flow" sourceRef="stopped" targetRef="stop-end"/></bpmn:subProcess>`;
      const inner = camundaModel(
        { inner: inARow({ wait: catchMessage('wait', 'called') }) },
        '<bpmn:message id="called" name="called"/>',
      );
      const call = '<bpmn:callActivity id="call" calledElement="inner"/>';
      const outer = camundaModel(
        { outer: `${inARow({ call })}${stop}` },
        '<bpmn:message id="stop" name="stop"/>',
      );
      await rest.deploy({ 'inner.bpmn': inner });
      await rest.deploy({ 'outer.bpmn': outer });
      const [first, second] = [await rest.start('outer', { businessKey: 'c-1' }), await rest.start('outer')];
      await message({ messageName: 'called', businessKey: 'c-1' });
      assert.equal((await engine.ended(first.id)).status, 'completed');
      await message({ messageName: 'stop', processInstanceId: second.id });
      assert.equal((await engine.ended(second.id)).status, 'completed');
    });

    it('that race for one wait are taken once', async () => {
      const id = await payment('race');
      const body = { ...paid, businessKey: 'race', processVariables: { taken: { value: true } } };
      const answers = await Promise.all(Array.from({ length: 10 }, () => rest.send('POST', 'message', body)));
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [204, ...Array.from({ length: 9 }, () => 400)]);
      assert.deepEqual(await placeOf(id), ['work']);
      await rest.call('DELETE', `process-instance/${id}`);
    });

    it('are refused when they ask for what is not supported', async () => {
      const bodies: readonly (readonly [body: unknown, message: RegExp])[] = [
        [{}, /messageName is required/],
        [{ messageName: '' }, /messageName is empty/],
        [{ ...paid, name: 'x' }, /"name" is not supported/],
        [{ ...paid, tenantId: 'a', withoutTenantId: true }, /together with tenantId/],
        [{ ...paid, localCorrelationKeys: { a: { value: 1 } } }, /localCorrelationKeys/],
        [{ ...paid, processVariablesLocal: { a: { value: 1 } } }, /processVariablesLocal/],
        [{ ...paid, variablesInResultEnabled: true }, /needs resultEnabled/],
        [{ ...paid, processVariables: { a: { value: 'x', type: 'Long' } } }, /whole number/],
        [{ ...paid, all: 'yes' }, /all must be true or false/],
      ];
      for (const [body, text] of bodies) {
        const refused = await rest.refused('POST', 'message', body);
        assert.deepEqual(
          [refused.status, refused.type],
          [400, 'InvalidRequestException'],
          JSON.stringify(body),
        );
        assert.match(refused.message, text);
      }
    });

    it('that would have to look at too many instances say so', async () => {
      const crowd = camundaModel(
        { many: inARow({ wait: catchMessage('wait', 'many-message') }) },
        '<bpmn:message id="many-message" name="many"/>',
      );
      await rest.deploy({ 'many.bpmn': crowd });
      const starts = Array.from({ length: 501 }, (_, index) =>
        rest.start('many', { businessKey: `m-${String(index)}` }),
      );
      await Promise.all(starts);
      const wide = await rest.refused('POST', 'message', {
        messageName: 'many',
        correlationKeys: { a: { value: 1 } },
      });
      assert.deepEqual([wide.status, wide.type], [400, 'InvalidRequestException']);
      assert.match(wide.message, /more than 500 process instances may wait.*businessKey/);
      await message({ messageName: 'many', businessKey: 'm-7' });
      const { count } = await rest.get<{ count: number }>('process-instance/count?processDefinitionKey=many');
      assert.equal(count, 500);
    });
  });
}
