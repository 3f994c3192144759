import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EngineError } from '../../config/engine-error.ts';
import { pagingParameters, parseQuery } from '../../server/query-parameters.ts';

const parameters = {
  ...pagingParameters,
  status: { kind: 'choice', values: ['running', 'failed'], description: '' },
  since: { kind: 'instant', description: '' },
  locked: { kind: 'flag', description: '' },
  instanceId: { kind: 'uuid', description: '' },
  name: { kind: 'text', description: '' },
} as const;

const parse = (query: string): unknown => parseQuery(parameters, new URLSearchParams(query));

function refusal(query: string): EngineError {
  try {
    parse(query);
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
  throw new Error(`${query} was accepted`);
}

describe('query parameters', () => {
  it('have their documented initial values when nothing is given', () => {
    assert.deepEqual(parse(''), {
      limit: 50,
      cursor: null,
      status: null,
      since: null,
      locked: null,
      instanceId: null,
      name: null,
    });
  });

  it('arrive typed', () => {
    const id = '018F0000-0000-7000-8000-000000000001';
    const query = `limit=200&status=failed&since=2026-03-01T10:00:00%2B01:00&locked=false&instanceId=${id}&name=a+b`;
    assert.deepEqual(parse(query), {
      limit: 200,
      cursor: null,
      status: 'failed',
      since: new Date('2026-03-01T09:00:00Z'),
      locked: false,
      instanceId: id.toLowerCase(),
      name: 'a b',
    });
  });

  const refused = [
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=1e2',
    'limit=%2010',
    'limit=',
    'limit=99999999999999999999',
    'status=paused',
    'status=Running',
    'since=2026-03-01',
    'since=2026-03-01T10:00:00',
    'since=2026-02-30T10:00:00Z',
    'since=2026-03-01T25:00:00Z',
    'since=yesterday',
    'locked=yes',
    'instanceId=42',
    'name=a%00b',
    `name=${'x'.repeat(1001)}`,
    'limit=1&limit=2',
    'Limit=1',
    'unknown=1',
    '__proto__=1',
    'constructor=1',
  ];
  for (const query of refused) {
    it(`refuse ${query.slice(0, 40)} and name the parameter`, () => {
      const error = refusal(query);
      assert.equal(error.code, 'SUTRA.HTTP.QUERY_INVALID');
      assert.ok(error.message.includes(JSON.stringify(query.split('=')[0])), error.message);
    });
  }

  it('list the known names when one is unknown', () => {
    assert.match(refusal('stauts=running').message, /known are limit, cursor, status/);
  });

  it('never fail with anything but their own refusal', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...Object.keys(parameters), 'x'), fc.string())),
        (pairs) => {
          try {
            parseQuery(parameters, new URLSearchParams(pairs));
          } catch (error) {
            assert.ok(error instanceof EngineError);
          }
        },
      ),
    );
  });
});
