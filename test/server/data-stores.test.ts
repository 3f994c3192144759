import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Temporal } from '../../definitions/value.ts';
import { encodeValue } from '../../definitions/value-codec.ts';
import type { Database } from '../../engine/store/database.ts';
import { putDataRecord } from '../../engine/store/operate-records.ts';
import { testDatabases } from '../support/database.ts';
import { adminHeaders, assertProblem, startTestServer, type CallAnswer, type TestServer } from './fixture.ts';

const STORE = '/admin/data-stores/stock/records';

for (const target of testDatabases()) {
  describe(`the records of data stores on ${target.name}`, () => {
    let database: Database;
    let server: TestServer;
    before(async () => {
      database = await target.open();
      server = await startTestServer({ database });
    });
    after(async () => {
      await server.stop();
      await database.close();
    });

    const call = (method: string, path: string, json?: unknown): Promise<CallAnswer> =>
      server.call(method, path, { headers: adminHeaders, ...(json === undefined ? {} : { json }) });

    it('are put, read and removed under any key that a process can have', async () => {
      for (const key of ['tea', 'a/b', 'ä 1 ?&"', '\u{1f600}']) {
        const path = `${STORE}/${encodeURIComponent(key)}?tenant=acme`;
        const put = await call('PUT', path, { value: { left: 3 } });
        assert.equal(put.status, 200, put.text);
        assert.deepEqual(put.json['value'], { left: 3 });
        assert.equal(put.json['key'], key);
        assert.deepEqual((await call('GET', path)).json, put.json);
        const removed = await call('DELETE', path);
        assert.deepEqual(removed.json, { tenant: 'acme', store: 'stock', key });
        assertProblem(await call('GET', path), 404, 'SUTRA.RECORD.NOT_FOUND');
        assertProblem(await call('DELETE', path), 404, 'SUTRA.RECORD.NOT_FOUND');
      }
    });

    it('are listed by key without what they hold, those of the tenant alone', async () => {
      for (const key of ['c', 'a', 'b'])
        await call('PUT', `${STORE}/${key}?tenant=acme`, { value: 'secret' });
      await call('PUT', `${STORE}/z?tenant=other`, { value: 1 });
      const page = await call('GET', `${STORE}?tenant=acme&limit=2`);
      const rest = await call(
        'GET',
        `${STORE}?tenant=acme&limit=2&cursor=${String(page.json['nextCursor'])}`,
      );
      const keys = [page, rest].flatMap(({ json }) =>
        (json['records'] as { key: string }[]).map(({ key }) => key),
      );
      assert.deepEqual(keys, ['a', 'b', 'c']);
      assert.equal(rest.json['nextCursor'], null);
      assert.doesNotMatch(page.text, /secret/);
    });

    it('show dates as their ISO text', async () => {
      const value = encodeValue({ due: new Temporal('date', '2026-03-01') });
      await putDataRecord(database, { tenant: 'acme', store: 'stock', key: 'dated' }, value);
      const { json } = await call('GET', `${STORE}/dated?tenant=acme`);
      assert.deepEqual(json['value'], { due: '2026-03-01' });
    });

    const refused: readonly [method: string, path: string, json: unknown, status: number, code: string][] = [
      ['GET', STORE, undefined, 400, 'SUTRA.HTTP.QUERY_INVALID'],
      ['GET', `${STORE}?tenant=acme&cursor=abc`, undefined, 400, 'SUTRA.OPERATE.CURSOR_INVALID'],
      ['GET', `${STORE}/a`, undefined, 400, 'SUTRA.HTTP.QUERY_INVALID'],
      ['GET', `${STORE}/%00?tenant=acme`, undefined, 400, 'SUTRA.OPERATE.ID_INVALID'],
      ['GET', `${STORE}/${'k'.repeat(513)}?tenant=acme`, undefined, 400, 'SUTRA.OPERATE.ID_INVALID'],
      ['PUT', `${STORE}/a?tenant=acme`, undefined, 400, 'SUTRA.HTTP.BODY_REQUIRED'],
      ['PUT', `${STORE}/a?tenant=acme`, {}, 400, 'SUTRA.HTTP.FIELD_INVALID'],
      ['PUT', `${STORE}/a?tenant=acme`, { value: null }, 400, 'SUTRA.HTTP.FIELD_INVALID'],
      ['PUT', `${STORE}/a?tenant=acme`, { value: 1, more: 1 }, 400, 'SUTRA.HTTP.FIELD_UNKNOWN'],
      ['POST', `${STORE}/a?tenant=acme`, { value: 1 }, 405, 'SUTRA.HTTP.METHOD_NOT_ALLOWED'],
    ];
    for (const [method, path, json, status, code] of refused) {
      it(`refuse ${method} ${path.slice(0, 60)} ${JSON.stringify(json) ?? 'without a body'} with ${code}`, async () => {
        assertProblem(await call(method, path, json), status, code);
      });
    }

    it('need the admin key', async () => {
      assertProblem(await server.call('GET', `${STORE}/a?tenant=acme`), 401, 'SUTRA.ADMIN.KEY_REQUIRED');
    });
  });
}
