import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  changeEach,
  changeSummary,
  resultLine,
  resultsJson,
  type ChangeResult,
} from '../../cli/operate/changes.ts';
import { Refusal } from '../../cli/operate/client.ts';
import {
  failedInstanceFilters,
  hasFilter,
  instanceFilters,
  queryOf,
  taskFilters,
} from '../../cli/operate/filters.ts';
import { formatMigrations } from '../../cli/operate/migrate-view.ts';
import { EngineError } from '../../config/engine-error.ts';

const idsOf = (number: number): string[] =>
  Array.from({ length: number }, (_, index) => `id-${String(index)}`);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('one change to many things', () => {
  it('sends each id once, has a result for each, and never more at once than allowed (B1)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 10 }),
        fc.func(fc.boolean()),
        async (number, concurrency, isRefused) => {
          const sent: string[] = [];
          const results: ChangeResult[] = [];
          let underWay = 0;
          await changeEach(
            idsOf(number),
            concurrency,
            async (id) => {
              sent.push(id);
              underWay += 1;
              assert.ok(underWay <= concurrency);
              await turn();
              underWay -= 1;
              if (isRefused(id)) throw new Refusal(409, 'SUTRA.CORE.NOT_FAILED', 'no');
              return { instanceId: id, status: 'running' };
            },
            (result) => results.push(result),
          );
          assert.deepEqual(sent, idsOf(number));
          assert.deepEqual(results.map(({ id }) => id).sort(), idsOf(number).sort());
          for (const { id, error } of results) assert.equal(error !== null, isRefused(id));
        },
      ),
    );
  });

  const ends: readonly (readonly [what: string, error: Error, resultIds: readonly string[]])[] = [
    [
      'a wrong key',
      new Refusal(401, 'SUTRA.ADMIN.KEY_INVALID', 'no'),
      ['id-0', 'id-1', 'id-2', 'id-3', 'id-5'],
    ],
    [
      'closed routes',
      new Refusal(503, 'SUTRA.ADMIN.DISABLED', 'no'),
      ['id-0', 'id-1', 'id-2', 'id-3', 'id-5'],
    ],
    [
      'an engine that went away, whose last change is unknown',
      new EngineError('SUTRA.CLI.ENGINE_UNREACHABLE', 'gone'),
      ['id-0', 'id-1', 'id-2', 'id-3', 'id-4', 'id-5'],
    ],
  ];
  for (const [what, error, resultIds] of ends) {
    it(`ends with ${what}, and keeps the results of those under way (B2)`, async () => {
      const results: ChangeResult[] = [];
      const run = changeEach(
        idsOf(40),
        2,
        async (id) => {
          await turn();
          if (id === 'id-4') throw error;
          return {};
        },
        (result) => results.push(result),
      );
      await assert.rejects(run, error);
      assert.deepEqual(results.map(({ id }) => id).sort(), resultIds);
    });
  }

  it('keeps the reasons that the engine gives', async () => {
    const reasons = [{ elementId: 'pick', tokenId: 2, message: 'the new model has no pick' }];
    const refusal = new Refusal(409, 'SUTRA.CORE.MIGRATION_REFUSED', 'no', { instanceId: 'i', reasons });
    const results: ChangeResult[] = [];
    await changeEach(
      ['i'],
      1,
      () => Promise.reject(refusal),
      (result) => results.push(result),
    );
    assert.deepEqual(results[0]?.error, { code: refusal.code, detail: 'no', reasons });
  });

  it('does not take a fault of ours for a refusal', async () => {
    const bug = new TypeError('x is not a function');
    await assert.rejects(
      changeEach(
        idsOf(3),
        1,
        () => Promise.reject(bug),
        () => {
          assert.fail('no result');
        },
      ),
      bug,
    );
  });
});

describe('what became of a change', () => {
  const done: ChangeResult = { id: 'a', answer: { taskId: 'a', status: 'PENDING' }, error: null };
  const again: ChangeResult = { id: 'b', answer: { instanceId: 'b', status: 'failed' }, error: null };
  const refused: ChangeResult = { id: 'c', answer: null, error: { code: 'SUTRA.X', detail: 'no\nway' } };
  const unknown: ChangeResult = {
    id: 'd',
    answer: null,
    error: { code: 'SUTRA.CLI.ENGINE_UNREACHABLE', detail: 'gone' },
  };

  it('is done, where a failed instance was not to be helped', () => {
    const migrated: ChangeResult = { ...again, done: 'migrated' };
    assert.equal(resultLine(migrated), 'b  migrated, failed');
    assert.equal(changeSummary([migrated], 'instance'), '1 instance: 1 done');
  });

  it('is a line each', () => {
    assert.deepEqual([done, again, refused, unknown].map(resultLine), [
      'a  pending',
      'b  failed again: sutra instance b',
      'c  refused: no way [SUTRA.X]',
      'd  unknown: gone [SUTRA.CLI.ENGINE_UNREACHABLE]',
    ]);
  });

  const rows: readonly (readonly [results: readonly ChangeResult[], noun: string, summary: string])[] = [
    [[], 'task', '0 tasks: 0 done'],
    [[done], 'delivery', '1 delivery: 1 done'],
    [[done, again], 'instance', '2 instances: 1 done, 1 failed again'],
    [
      [done, again, refused, refused, unknown],
      'delivery',
      '5 deliveries: 1 done, 1 failed again, 2 refused, 1 unknown',
    ],
  ];
  for (const [results, noun, summary] of rows) {
    it(`is ${summary} in short`, () => {
      assert.equal(changeSummary(results, noun), summary);
    });
  }

  it('is the answer of the engine for programs, with an error or null', () => {
    assert.deepEqual(resultsJson([again, refused], 'instanceId'), {
      isDryRun: false,
      doneCount: 0,
      notDoneCount: 2,
      results: [
        { instanceId: 'b', status: 'failed', error: null },
        { instanceId: 'c', error: { code: 'SUTRA.X', detail: 'no\nway' } },
      ],
    });
  });
});

describe('what would become of a migration', () => {
  it('is a line, or one for each reason against it', () => {
    const preview = {
      failure: { code: 'SUTRA.CORE.NO_FLOW_TAKEN', elementId: 'choose' },
      newWaits: [
        { kind: 'timer', elementId: 'late' },
        { kind: 'message', elementId: 'stop' },
      ],
      endedWaits: [{ kind: 'timer', elementId: 'slow' }],
      sends: [{ channel: 'notify', elementId: 'tell' }],
    };
    const reasons = [
      { elementId: 'pick', tokenId: 2, message: 'pick is gone' },
      { elementId: null, tokenId: null, message: 'and 7 more reasons' },
    ];
    const lines = formatMigrations(
      [
        { id: 'a', answer: { preview }, error: null },
        { id: 'b', answer: { preview: {} }, error: null },
        { id: 'c', answer: null, error: { code: 'SUTRA.X', detail: 'no', reasons } },
        { id: 'd', answer: null, error: { code: 'SUTRA.X', detail: 'ended' } },
        { id: 'e', answer: null, error: { code: 'SUTRA.CLI.ENGINE_UNREACHABLE', detail: 'gone' } },
      ],
      null,
    ).split('\n');
    assert.deepEqual(
      lines.map((line) => line.split(/ {2,}/)),
      [
        ['ID', 'RESULT', 'ELEMENT', 'WHAT'],
        [
          'a',
          'would migrate',
          'failed at choose: SUTRA.CORE.NO_FLOW_TAKEN; waits from then on for timer at late, message at stop; waits no more for timer at slow; sends notify at tell',
        ],
        ['b', 'would migrate'],
        ['c', 'refused', 'pick', 'pick is gone'],
        ['c', 'refused', 'and 7 more reasons'],
        ['d', 'refused', 'ended [SUTRA.X]'],
        ['e', 'unknown', 'gone [SUTRA.CLI.ENGINE_UNREACHABLE]'],
      ],
    );
  });
});

describe('filters', () => {
  it('are what the route is asked', () => {
    const options = {
      status: 'failed',
      createdAfter: '2026-03-01T10:00:00Z',
      alias: 'orderId=a=b',
      limit: 5,
    };
    assert.deepEqual(queryOf(instanceFilters, options), {
      status: 'failed',
      createdAfter: '2026-03-01T10:00:00Z',
      aliasName: 'orderId',
      aliasValue: 'a=b',
    });
    assert.deepEqual(queryOf(taskFilters, { unlocked: true, instance: 'i' }), {
      instanceId: 'i',
      locked: 'false',
    });
    assert.deepEqual(queryOf(failedInstanceFilters, { code: 'X', element: 'y', process: 'p' }), {
      failureCode: 'X',
      failureElement: 'y',
      processId: 'p',
    });
  });

  it('are there or not', () => {
    assert.equal(hasFilter(failedInstanceFilters, { all: true, json: true }), false);
    assert.equal(hasFilter(failedInstanceFilters, { tenant: 'acme' }), true);
  });
});
