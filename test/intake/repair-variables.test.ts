/** An instance that has failed over its data is repaired by writing variables and a retry, wherever they are. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type InstanceAnswer } from '../support/engine.ts';
import { call, flows, packageFiles } from '../support/packages.ts';

/** Fails unless `condition` holds. */
const gate = (id: string, condition: string, to: string): string =>
  `<exclusiveGateway id="${id}"/><sequenceFlow id="${id}-to-${to}" sourceRef="${id}" targetRef="${to}"><conditionExpression>${condition}</conditionExpression></sequenceFlow>`;

const gated = (condition: string): string =>
  `<startEvent id="in"/>${gate('gate', condition, 'out')}<endEvent id="out"/>${flows('in -> gate')}`;

const each = (isSequential: boolean): string =>
  `<subProcess id="each">
     <multiInstanceLoopCharacteristics isSequential="${String(isSequential)}"><extensionElements><q:loop collection="=items" item="item" output="done" outputItem="item"/></extensionElements></multiInstanceLoopCharacteristics>
     <startEvent id="in"/><userTask id="check"/>${gate('gate', 'item = "good"', 'out')}<endEvent id="out"/>${flows('in -> check', 'check -> gate')}
   </subProcess>`;

const around = (id: string, element: string): string =>
  `<startEvent id="start"/>${element}<endEvent id="end"/>${flows(`start -> ${id}`, `${id} -> end`)}`;

const dataInput = (name: string, source: string): string =>
  `<ioSpecification><dataInput id="in-${name}" name="${name}"/><inputSet/><outputSet/></ioSpecification>
   <dataInputAssociation><sourceRef>${source}</sourceRef><targetRef>in-${name}</targetRef></dataInputAssociation>`;

const timer = (id: string): string =>
  `<intermediateCatchEvent id="${id}"><timerEventDefinition id="t"><timeDuration>=delay</timeDuration></timerEventDefinition></intermediateCatchEvent>`;

const PACKAGE = packageFiles({
  channels: '  - { name: work, transport: pull }',
  processes: {
    plain: around('sub', `<subProcess id="sub">${gated('way = "a"')}</subProcess>`),
    own: around(
      'sub',
      `<subProcess id="sub"><dataObject id="d" name="way"/><startEvent id="in"/>${gate('gate', 'way = "a"', 'look')}
         <manualTask id="look">${dataInput('seen', 'd')}</manualTask><endEvent id="out"/>${flows('in -> gate', 'look -> out')}</subProcess>`,
    ),
    caller: around('sub', '<callActivity id="sub" calledElement="called"/>'),
    called: gated('way = "a"'),
    parallel: around('each', each(false)),
    sequential: around('each', each(true)),
    paused: around('pause', timer('pause')),
    watched: `${around('ask', '<userTask id="ask"/>')}
      <boundaryEvent id="late" attachedToRef="ask"><conditionalEventDefinition id="c"><condition>=late</condition></conditionalEventDefinition></boundaryEvent>
      <endEvent id="overdue"/>${flows('late -> overdue')}`,
    given: around(
      'ask',
      call('ask', 'work', '<q:header name="x-to" value="to"/>').replace(
        '</serviceTask>',
        `${dataInput('to', 'address')}</serviceTask>`,
      ),
    ).replace('<startEvent', '<dataObject id="address"/><startEvent'),
  },
});

interface Failed {
  readonly processId: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly code: string;
  /** Where it fails; a variable is written as seen from there when `isAtToken`. */
  readonly elementId: string;
  readonly isAtToken?: true;
  readonly write: Readonly<Record<string, unknown>>;
  /** Of the process, in the end. */
  readonly after: Readonly<Record<string, unknown>>;
  readonly status?: string;
}

const NO_FLOW = { code: 'SUTRA.CORE.NO_FLOW_TAKEN', elementId: 'gate' } as const;

const repaired: readonly (readonly [title: string, failed: Failed])[] = [
  [
    'of the process',
    { ...NO_FLOW, processId: 'plain', variables: { way: 'z' }, write: { way: 'a' }, after: { way: 'a' } },
  ],
  [
    'of the process, as seen from inside a sub-process',
    {
      ...NO_FLOW,
      processId: 'plain',
      variables: { way: 'z' },
      isAtToken: true,
      write: { way: 'a' },
      after: { way: 'a' },
    },
  ],
  [
    'of a sub-process, which hides that of the process',
    {
      ...NO_FLOW,
      processId: 'own',
      variables: { way: 'z' },
      isAtToken: true,
      write: { way: 'a' },
      after: { way: 'z' },
    },
  ],
  [
    'of a called process, which gives it to its caller',
    {
      ...NO_FLOW,
      processId: 'caller',
      variables: { way: 'z' },
      isAtToken: true,
      write: { way: 'a' },
      after: { way: 'a' },
    },
  ],
  [
    'that a timer is made of',
    {
      processId: 'paused',
      variables: { delay: 'soon' },
      code: 'SUTRA.CORE.TIMER_VALUE_INVALID',
      elementId: 'pause',
      write: { delay: 'PT0S' },
      after: { delay: 'PT0S' },
    },
  ],
  [
    'that a condition looks at',
    {
      processId: 'watched',
      variables: { late: 'very' },
      code: 'SUTRA.CORE.CONDITION_NOT_BOOLEAN',
      elementId: 'late',
      write: { late: true },
      after: { late: true },
    },
  ],
  [
    'that a data input is read from',
    {
      processId: 'given',
      variables: { address: ['a', 'b'] },
      code: 'SUTRA.CORE.HEADER_VALUE_INVALID',
      elementId: 'ask',
      write: { address: 'a' },
      after: { address: 'a' },
      status: 'running',
    },
  ],
];

/** Where it is written, the element does not see it: the retry fails as before. */
const inVain: readonly (readonly [title: string, failed: Omit<Failed, 'after'>])[] = [
  [
    'of the process, hidden by that of a sub-process',
    { ...NO_FLOW, processId: 'own', variables: {}, write: { way: 'a' } },
  ],
  ['of the caller of a process', { ...NO_FLOW, processId: 'caller', variables: {}, write: { way: 'a' } }],
  [
    'that is a data input, which is read again from outside',
    {
      processId: 'given',
      variables: { address: ['a', 'b'] },
      code: 'SUTRA.CORE.HEADER_VALUE_INVALID',
      elementId: 'ask',
      isAtToken: true,
      write: { to: 'a' },
    },
  ],
];

for (const target of testDatabases()) {
  describe(`variables of failed instances on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(PACKAGE);
    });
    after(() => engine.stop());

    const begin = async (processId: string, variables: unknown): Promise<string> =>
      (await engine.post(`/sutra/processes/${processId}/start`, { variables })).body.instanceId;
    const tokensAt = ({ tokens }: InstanceAnswer, elementId: string): number[] =>
      tokens.filter((token) => token.elementId === elementId).map(({ id }) => id);
    const retry = async (id: string): Promise<string> =>
      (await engine.post(`/admin/instances/${id}/retry`, {})).body.status;
    const incidentCount = async (id: string): Promise<number> =>
      (await engine.get(`/sutra/incidents?instanceId=${id}`)).body.incidents.length;

    const failAndWrite = async ({
      processId,
      variables,
      code,
      elementId,
      isAtToken,
      write,
    }: Omit<Failed, 'after'>): Promise<string> => {
      const id = await begin(processId, variables);
      const failed = await engine.instance(id);
      assert.deepEqual([failed.failure?.code, failed.failure?.elementId], [code, elementId]);
      const tokenId = isAtToken === true ? tokensAt(failed, elementId).at(-1) : undefined;
      const written = await engine.post(`/sutra/instances/${id}/variables`, { variables: write, tokenId });
      assert.deepEqual([written.status, written.body.status], [200, 'failed']);
      assert.equal(await incidentCount(id), 1);
      return id;
    };

    for (const [title, failed] of repaired) {
      it(`repair: one ${title}`, async () => {
        const id = await failAndWrite(failed);
        assert.notEqual(await retry(id), 'failed');
        const status = failed.status ?? 'completed';
        const ended = await engine.until(id, (instance) => instance.status === status);
        assert.deepEqual(ended.variables, failed.after);
        assert.equal(await incidentCount(id), 0);
      });
    }

    for (const [title, failed] of inVain) {
      it(`do not repair: one ${title}`, async () => {
        const id = await failAndWrite(failed);
        assert.equal(await retry(id), 'failed');
        assert.equal((await engine.instance(id)).failure?.code, failed.code);
        assert.equal(await incidentCount(id), 1);
      });
    }

    for (const processId of ['parallel', 'sequential']) {
      it(`repair one run of a ${processId} activity, and leave its others as they are`, async () => {
        const id = await begin(processId, { items: ['good', 'bad', 'good'] });
        const check = async (tokenId: number | undefined): Promise<string> => {
          const path = `/sutra/instances/${id}/user-tasks/${String(tokenId)}/complete`;
          return (await engine.post(path, {})).body.status;
        };
        if (processId === 'sequential') await check(tokensAt(await engine.instance(id), 'check')[0]);
        const waiting = tokensAt(await engine.instance(id), 'check');
        assert.equal(await check(waiting[processId === 'parallel' ? 1 : 0]), 'failed');
        const [failedToken] = tokensAt(await engine.instance(id), 'gate');
        for (const item of ['worse', 'good']) {
          assert.equal(await retry(id), 'failed');
          const body = { variables: { item }, tokenId: failedToken };
          assert.equal((await engine.post(`/sutra/instances/${id}/variables`, body)).status, 200);
        }
        assert.equal(await retry(id), 'running');
        for (const tokenId of tokensAt(await engine.instance(id), 'check')) await check(tokenId);
        const { status, variables } = await engine.instance(id);
        assert.equal(status, 'completed');
        assert.deepEqual(variables['done'], ['good', 'good', 'good']);
      });
    }

    it('are named in the history, without their values', async () => {
      const id = await begin('plain', { way: 'z' });
      await engine.post(`/sutra/instances/${id}/variables`, { variables: { way: 'very secret', note: 1 } });
      const { body } = await engine.get(`/sutra/instances/${id}/history`);
      const text = JSON.stringify(body);
      assert.match(text, /"variablesSet".*"names":"way, note"/);
      assert.doesNotMatch(text, /very secret/);
    });
  });
}
