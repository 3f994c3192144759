/** The client of a running engine, against a server that answers what the test says. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { EngineClient, Refusal } from '../../cli/operate/client.ts';
import { exitCodeOf } from '../../cli/operate/command.ts';
import { formatJson } from '../../cli/decision-output.ts';
import { incidentList, readPages, readRows } from '../../cli/operate/pages.ts';
import { EngineError } from '../../config/engine-error.ts';

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ok: Reply = { status: 200, body: '{}' };
const problem = (status: number, code: string): Reply => ({
  status,
  body: JSON.stringify({ code, detail: `because of ${code}` }),
  headers: { 'retry-after': '3' },
});

describe('the client of an engine', () => {
  const seen: IncomingMessage[] = [];
  let answer: (request: IncomingMessage) => Reply = () => ok;
  let server: Server;
  let url: URL;
  before(async () => {
    server = createServer((request, response) => {
      seen.push(request);
      const { status, body, headers } = answer(request);
      request.resume();
      response.writeHead(status, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  });
  afterEach(() => {
    seen.length = 0;
    answer = () => ok;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const slept: number[] = [];
  const client = (key?: string): EngineClient =>
    new EngineClient({
      url,
      key,
      sleep: (ms) => {
        slept.push(ms);
        return Promise.resolve();
      },
    });

  it('shows the key to admin routes alone (C1)', async () => {
    await client('opensesame').get('/sutra/instances', { status: 'failed', tenant: undefined });
    await client('opensesame').post('/admin/instances/x/retry');
    await client().delete('/admin/deliveries/x');
    assert.deepEqual(
      seen.map(({ method, url: path, headers }) => [method, path, headers.authorization]),
      [
        ['GET', '/sutra/instances?status=failed', undefined],
        ['POST', '/admin/instances/x/retry', 'Bearer opensesame'],
        ['DELETE', '/admin/deliveries/x', undefined],
      ],
    );
  });

  it('keeps all digits of a number', async () => {
    const body = '{"n":0.1234567890123456789012345678901234}';
    answer = () => ({ status: 200, body });
    assert.equal(formatJson(await client().get('/x')).replace(/\s/g, ''), body);
  });

  const rows: readonly (readonly [reply: Reply, code: string, exitCode: number])[] = [
    [problem(404, 'SUTRA.INSTANCE.NOT_FOUND'), 'SUTRA.INSTANCE.NOT_FOUND', 1],
    [problem(409, 'SUTRA.CORE.NOT_FAILED'), 'SUTRA.CORE.NOT_FAILED', 1],
    [problem(401, 'SUTRA.ADMIN.KEY_INVALID'), 'SUTRA.ADMIN.KEY_INVALID', 1],
    [problem(503, 'SUTRA.PERSISTENCE_UNAVAILABLE'), 'SUTRA.PERSISTENCE_UNAVAILABLE', 1],
    [problem(400, 'SUTRA.HTTP.QUERY_INVALID'), 'SUTRA.HTTP.QUERY_INVALID', 2],
    [{ status: 200, body: '<html>' }, 'SUTRA.CLI.ANSWER_UNEXPECTED', 3],
    [{ status: 200, body: '[]' }, 'SUTRA.CLI.ANSWER_UNEXPECTED', 3],
    [{ status: 502, body: '{"error":"bad gateway"}' }, 'SUTRA.CLI.ANSWER_UNEXPECTED', 3],
    [
      { status: 307, body: '', headers: { location: 'http://127.0.0.1:1/' } },
      'SUTRA.CLI.ANSWER_UNEXPECTED',
      3,
    ],
  ];
  for (const [reply, code, exitCode] of rows) {
    it(`ends with ${String(exitCode)} for ${String(reply.status)} ${reply.body.slice(0, 40)} (C2)`, async () => {
      answer = () => reply;
      const error: unknown = await client('opensesame')
        .post('/admin/x')
        .then(() => null)
        .catch((thrown: unknown) => thrown);
      assert.ok(error instanceof EngineError);
      assert.equal(error.code, code);
      assert.equal(exitCodeOf(error), exitCode);
      assert.doesNotMatch(error.message, /opensesame/);
      assert.equal(seen.length, 1);
    });
  }

  it('ends with 3 when nobody is there, and with our own fault for what is no coded error (C2)', async () => {
    const nobody = new EngineClient({ url: new URL('http://127.0.0.1:9'), key: undefined });
    await assert.rejects(nobody.get('/x'), { code: 'SUTRA.CLI.ENGINE_UNREACHABLE' });
    assert.equal(exitCodeOf(new EngineError('SUTRA.CLI.ENGINE_UNREACHABLE', '')), 3);
    assert.equal(exitCodeOf(new EngineError('SUTRA.CLI.KEY_MISSING', '')), 2);
    assert.equal(exitCodeOf(new TypeError('x')), null);
  });

  it('sends again what there was no capacity for, and only so often (C3)', async () => {
    slept.length = 0;
    answer = () => (seen.length < 3 ? problem(429, 'SUTRA.INTAKE.CAPACITY') : ok);
    assert.deepEqual(await client().post('/x'), {});
    assert.equal(seen.length, 3);
    assert.deepEqual(slept, [3000, 3000]);
    seen.length = 0;
    answer = () => problem(429, 'SUTRA.INTAKE.CAPACITY');
    await assert.rejects(client().post('/x'), Refusal);
    assert.equal(seen.length, 6);
  });

  describe('reading a list', () => {
    /** Rows 1 to `total`; the cursor is the last row that was given. */
    const listOf =
      (total: number) =>
      ({ url: path = '' }: IncomingMessage): Reply => {
        const { searchParams } = new URL(path, url);
        const from = Number(searchParams.get('cursor') ?? '0');
        const to = Math.min(total, from + Number(searchParams.get('limit')));
        const incidents = Array.from({ length: to - from }, (_, index) => ({ id: String(from + index + 1) }));
        return {
          status: 200,
          body: JSON.stringify({ incidents, nextCursor: to < total ? String(to) : null }),
        };
      };
    const cases: readonly (readonly [
      total: number,
      limit: number | null,
      rowCount: number,
      next: string | null,
      pages: number,
    ])[] = [
      [0, 50, 0, null, 1],
      [50, 50, 50, null, 1],
      [51, 50, 50, '50', 1],
      [450, 450, 450, null, 3],
      [451, 450, 450, '450', 3],
      [1000, null, 1000, null, 5],
    ];
    for (const [total, limit, rowCount, next, pages] of cases) {
      it(`of ${String(total)} rows gives ${String(rowCount)} for a limit of ${String(limit)}`, async () => {
        answer = listOf(total);
        const { rows, nextCursor } = await readRows(client(), incidentList, { kind: 'task-terminal' }, limit);
        assert.equal(rows.length, rowCount);
        assert.equal(nextCursor, next);
        assert.equal(seen.length, pages);
        assert.ok(seen.every(({ url: path }) => path?.includes('kind=task-terminal') === true));
      });
    }

    it('page by page reads each page once, and no page before it is wanted', async () => {
      answer = listOf(500);
      const sizes: number[] = [];
      for await (const page of readPages(client(), incidentList, {})) {
        sizes.push(page.length);
        assert.equal(seen.length, sizes.length);
      }
      assert.deepEqual(sizes, [200, 200, 100]);
    });
  });
});
