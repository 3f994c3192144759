import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PackageModel } from '../../definitions/package-model.ts';
import type { ProcessDefinition } from '../../definitions/model.ts';
import { encodePart } from '../../engine/core/snapshot-codec.ts';
import type { Part, Snapshot } from '../../engine/core/snapshot.ts';
import type { Database } from '../../engine/store/database.ts';
import { insertParts } from '../../engine/store/instance-parts.ts';
import { testDatabases } from '../support/database.ts';
import { deploymentId, instanceId, seedInstance } from '../store/operate-seed.ts';
import { startTestServer, testDeps, type TestServer } from './fixture.ts';

/** A process that declares these variables sensitive, and others not at all. */
function processWith(id: string, sensitive: readonly string[]): ProcessDefinition {
  const variables = sensitive.map((name) => ({ name, type: null, isSensitive: true, isTransient: false }));
  return {
    id,
    name: null,
    place: { file: 'a.bpmn', line: 1, column: 1 },
    nodes: new Map(),
    flows: new Map(),
    children: [],
    start: [],
    eventSubProcessIds: [],
    variables: new Map(variables.map((variable) => [variable.name, variable])),
  };
}

function modelWith(id: string, process: ProcessDefinition): PackageModel {
  return {
    deploymentId: id,
    identity: { tenant: 'acme', module: 'shop', version: '1.0.0' },
    channels: new Map(),
    processes: new Map([[process.id, process]]),
    schemas: new Map(),
    files: [],
  };
}

const models: Readonly<Record<string, PackageModel>> = {
  [deploymentId(1)]: modelWith(deploymentId(1), processWith('order', ['card'])),
  [deploymentId(2)]: modelWith(deploymentId(2), processWith('payment', ['pin'])),
};

const root = { id: 0, parentId: null, elementId: 'order', ownerTokenId: null };

/** A called process, with a sub-process inside it. */
const calling: Partial<Snapshot> = {
  scopes: [
    { ...root, variables: { card: '4111', amount: 1 } },
    {
      id: 2,
      parentId: 0,
      elementId: 'pay',
      ownerTokenId: 1,
      kind: 'called',
      called: { deploymentId: deploymentId(2), processId: 'payment' },
      variables: { card: '4111', pin: '1234', sum: 2 },
    },
    { id: 4, parentId: 2, elementId: 'inner', ownerTokenId: 3, variables: { pin: '1234', note: 'n' } },
  ],
  tokens: [{ id: 1, scopeId: 0, elementId: 'pay', state: 'waiting', arrivedByFlowId: null }],
  waits: [
    { kind: 'signal', id: 10, tokenId: null, scopeId: 2, elementId: 'news', name: 'market-closed' },
    { kind: 'condition', id: 11, tokenId: 1, elementId: 'low', wasTrue: false },
    { kind: 'ad-hoc', id: 12, tokenId: 1, elementId: 'desk' },
    {
      kind: 'timer',
      id: 13,
      tokenId: 1,
      elementId: 'often',
      dueAtMs: 1_772_359_200_000,
      purpose: 'event',
      cycle: { remaining: null, intervalMs: 5_000 },
    },
  ],
};

/** A multi-instance activity whose runs are parts. */
const wide: Partial<Snapshot> = {
  scopes: [{ ...root, variables: {} }],
  tokens: [
    {
      id: 1,
      scopeId: 0,
      elementId: 'each',
      state: 'waiting',
      arrivedByFlowId: null,
      loop: { total: 251, started: 251, active: 250, completed: 1, isParted: true },
    },
  ],
};

function openPart(id: number): Part {
  const token = {
    id: id + 1,
    scopeId: id,
    elementId: 'each',
    state: 'waiting',
    arrivedByFlowId: null,
  } as const;
  return {
    id,
    ownerTokenId: 1,
    index: id,
    scopes: [
      {
        id,
        parentId: 0,
        elementId: 'each',
        ownerTokenId: 1,
        kind: 'frame',
        index: id,
        variables: { item: id, card: '4222' },
      },
    ],
    tokens: [token],
    waits: [{ kind: 'user-task', id: id + 2, tokenId: id + 1, elementId: 'each' }],
  };
}

type Row = Readonly<Record<string, unknown>>;
const rows = (value: unknown): readonly Row[] => value as readonly Row[];

for (const target of testDatabases()) {
  describe(`the view of an instance on ${target.name}`, () => {
    let database: Database;
    let server: TestServer;
    before(async () => {
      database = await target.open();
      const deployments = {
        ...testDeps().deployments,
        model: (id: string) => Promise.resolve(models[id] ?? null),
      };
      server = await startTestServer({ database, deployments });
      await seedInstance(database, { number: 1, snapshot: calling });
      await seedInstance(database, { number: 2, snapshot: wide });
      const unread = { deploymentId: deploymentId(9), processId: 'payment' };
      const scopes = (calling.scopes ?? []).map((scope) =>
        scope.called === undefined ? scope : { ...scope, called: unread },
      );
      await seedInstance(database, { number: 3, snapshot: { ...calling, scopes } });
      const parts = Array.from({ length: 250 }, (_, index) => openPart((index + 1) * 10));
      const done = { id: 5, ownerTokenId: 1, index: 0, scopes: [], tokens: [], waits: [], output: 'x' };
      await insertParts(
        database,
        [done, ...parts].map((part) => ({
          instanceId: instanceId(2),
          partId: part.id,
          isOpen: part.tokens.length > 0,
          data: encodePart(part),
        })),
      );
    });
    after(async () => {
      await server.stop();
      await database.close();
    });

    it('S1: hides in a called process what it and its callers call sensitive', async () => {
      const { json, text } = await server.call('GET', `/sutra/instances/${instanceId(1)}`);
      assert.deepEqual(json['variables'], { amount: 1 });
      const shown = rows(json['scopes']).map(({ id, kind, called, variables, hiddenVariables }) => ({
        id,
        kind,
        called,
        variables,
        hiddenVariables,
      }));
      const called = { deploymentId: deploymentId(2), processId: 'payment' };
      assert.deepEqual(shown, [
        { id: 2, kind: 'called', called, variables: { sum: 2 }, hiddenVariables: ['card', 'pin'] },
        { id: 4, kind: null, called: null, variables: { note: 'n' }, hiddenVariables: ['pin'] },
      ]);
      assert.doesNotMatch(text, /4111|1234/);
    });

    it('shows what the instance waits for, and where', async () => {
      const { json } = await server.call('GET', `/sutra/instances/${instanceId(1)}`);
      const common = { tokenId: 1, scopeId: null, partId: null };
      assert.deepEqual(json['waits'], [
        {
          ...common,
          id: 10,
          tokenId: null,
          scopeId: 2,
          elementId: 'news',
          kind: 'signal',
          name: 'market-closed',
        },
        { ...common, id: 11, elementId: 'low', kind: 'condition' },
        { ...common, id: 12, elementId: 'desk', kind: 'ad-hoc' },
        {
          ...common,
          id: 13,
          elementId: 'often',
          kind: 'timer',
          dueAt: '2026-03-01T10:00:00.000Z',
          purpose: 'event',
          cycle: { remaining: null, intervalMs: 5_000 },
        },
      ]);
    });

    it('S2: withholds all that is inside a called process whose model is not there', async () => {
      const { json, text } = await server.call('GET', `/sutra/instances/${instanceId(3)}`);
      assert.deepEqual(json['variables'], { amount: 1 });
      assert.equal(json['areVariablesWithheld'], false);
      assert.deepEqual(
        rows(json['scopes']).map(({ variables }) => variables),
        [null, null],
      );
      assert.doesNotMatch(text, /4111|1234/);
    });

    it('shows what is in parts, a bounded number at a time, and how many there are', async () => {
      const seen: unknown[] = [];
      let after: unknown = 0;
      const listed: unknown[] = [];
      for (let page = 0; page < 3; page += 1) {
        const path = `/sutra/instances/${instanceId(2)}?partsAfter=${String(after)}`;
        const { json, text } = await server.call('GET', path);
        const parts = json['parts'] as Row;
        assert.equal(parts['open'], 250);
        listed.push(parts['listed']);
        after = parts['next'];
        const tokens = rows(json['tokens']);
        assert.deepEqual(tokens[0]?.['loop'], { total: 251, started: 251, active: 250, completed: 1 });
        const inParts = tokens.filter((token) => token['partId'] !== null);
        assert.equal(inParts.length, parts['listed']);
        assert.deepEqual(
          rows(json['waits']).map((wait) => wait['partId']),
          inParts.map((token) => token['partId']),
        );
        for (const { partId, variables, hiddenVariables } of rows(json['scopes'])) {
          assert.deepEqual(
            { variables, hiddenVariables },
            { variables: { item: partId }, hiddenVariables: ['card'] },
          );
        }
        assert.doesNotMatch(text, /4222/);
        seen.push(...inParts.map((token) => token['partId']));
      }
      assert.deepEqual(listed, [100, 100, 50]);
      assert.equal(after, null);
      assert.deepEqual(
        seen,
        Array.from({ length: 250 }, (_, index) => (index + 1) * 10),
      );
    });

    it('says of an instance without parts that there are none', async () => {
      const { json } = await server.call('GET', `/sutra/instances/${instanceId(1)}`);
      assert.deepEqual(json['parts'], { open: 0, listed: 0, next: null });
    });
  });
}
