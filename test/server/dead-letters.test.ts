/** The routes of dead letters, held against the server's own description. What they do: test/intake/dead-letters. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import { encodeValue } from '../../definitions/value-codec.ts';
import type { LetterCorrection } from '../../engine/intake/dead-letters.ts';
import { silentLog, silentMeter } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { insertDeadLetters, type DeadLetterWrite } from '../../engine/store/dead-letters.ts';
import { deadLetterCommands } from '../../server/dead-letter-commands.ts';
import { testDatabases } from '../support/database.ts';
import { adminHeaders, assertProblem, startTestServer, type CallAnswer, type TestServer } from './fixture.ts';

const message = (contentType: string | null, body: string | Buffer): DeadLetterWrite => ({
  ...{ id: randomUUID(), kind: 'message', tenant: 't', module: 'm', channel: 'c', messageKey: null },
  ...{ signalName: null, start: null, headers: { 'x-a': 'b' }, contentType, body: Buffer.from(body) },
  ...{ code: 'SUTRA.CODEC.JSON_INVALID', message: 'it cannot be read' },
});

const start = { deploymentId: 'dep-1', processId: 'p', startEventId: 's', trigger: 0 };
const ofStart = (kind: 'signal' | 'timer', signalName: string | null, body: string): DeadLetterWrite => ({
  ...message(null, body),
  ...{ kind, channel: null, signalName, start, headers: {} },
});

for (const target of testDatabases()) {
  describe(`the routes of dead letters on ${target.name}`, () => {
    let database: Database;
    let server: TestServer;
    const corrections: (LetterCorrection | null)[] = [];
    let refusal: EngineError | null = null;
    const instanceId = randomUUID();
    const letters = [
      message('application/json', '{"a":1.10000000000000000001}'),
      message('application/json; charset=utf-8', '{"a":'),
      message('text/plain', 'words'),
      message('application/octet-stream', Buffer.of(0, 255)),
      message(null, ''),
      ofStart('signal', 'low', encodeValue({ n: 1 })),
      ofStart('timer', null, ''),
    ];
    before(async () => {
      database = await target.open();
      const commands = deadLetterCommands({
        ...{ database, meter: silentMeter, log: silentLog },
        letters: {
          replay: (_id, correction) => {
            corrections.push(correction);
            return refusal === null
              ? Promise.resolve({ instanceId, isDuplicate: false })
              : Promise.reject(refusal);
          },
        },
      });
      server = await startTestServer({ database, deadLetters: commands });
      for (const letter of letters) await insertDeadLetters(database, [letter], 100);
    });
    after(async () => {
      await server.stop();
      await database.close();
    });

    const call = (method: string, path: string, json?: unknown): Promise<CallAnswer> =>
      server.call(method, path, { headers: adminHeaders, json });

    it('show the body as JSON, as text or in base64, and a signal with its payload', async () => {
      const shown = [];
      for (const { id } of letters) {
        const { status, json } = await call('GET', `/admin/dead-letters/${id.toUpperCase()}`);
        assert.equal(status, 200);
        shown.push([json['body'], json['bodyBase64']]);
      }
      assert.deepEqual(shown.slice(1), [
        ['{"a":', undefined],
        ['words', undefined],
        [undefined, 'AP8='],
        ['', undefined],
        [{ n: 1 }, undefined],
        [undefined, undefined],
      ]);
      const exact = await call('GET', `/admin/dead-letters/${letters[0]?.id ?? ''}`);
      assert.match(exact.text, /"body":\{"a":1\.10000000000000000001\}/);
    });

    it('list them without', async () => {
      const { json, text } = await call('GET', '/admin/dead-letters');
      assert.equal((json['deadLetters'] as unknown[]).length, letters.length);
      assert.doesNotMatch(text, /"(?:body|bodyBase64|headers)"/);
      assert.equal((await server.call('GET', '/sutra/incidents?kind=dead-letter')).status, 200);
    });

    it('take a correction as JSON or as bytes', async () => {
      const path = `/admin/dead-letters/${letters[0]?.id ?? ''}/replay`;
      const answer = await call('POST', path);
      assert.deepEqual(answer.json, {
        ...{ deadLetterId: letters[0]?.id, instanceId, duplicate: false, status: 'REPLAYED' },
      });
      await call('POST', path, {});
      await call('POST', path, { body: null });
      await call('POST', path, { body: { a: 1 }, contentType: 'application/cloudevents+json' });
      await call('POST', path, { bodyBase64: 'AP8=' });
      await call('POST', path, { contentType: 'text/plain' });
      assert.deepEqual(corrections, [
        null,
        null,
        { body: Buffer.from('null'), contentType: 'application/json' },
        { body: Buffer.from('{"a":1}'), contentType: 'application/cloudevents+json' },
        { body: Buffer.of(0, 255), contentType: undefined },
        { body: undefined, contentType: 'text/plain' },
      ]);
      for (const [json, code] of [
        [{ body: 1, bodyBase64: 'AP8=' }, 'SUTRA.HTTP.FIELD_INVALID'],
        [{ bodyBase64: 'AP8' }, 'SUTRA.HTTP.FIELD_INVALID'],
        [{ contentType: 1 }, 'SUTRA.HTTP.FIELD_INVALID'],
        [{ headers: {} }, 'SUTRA.HTTP.FIELD_UNKNOWN'],
      ] as const) {
        assertProblem(await call('POST', path, json), 400, code);
      }
    });

    it('answer the refusal of a replay as the message would be refused', async () => {
      const path = `/admin/dead-letters/${letters[0]?.id ?? ''}/replay`;
      for (const [code, status] of [
        ['SUTRA.INBOUND.VALIDATION_FAILED', 422],
        ['SUTRA.CODEC.TOO_DEEP', 400],
        ['SUTRA.INTAKE.INSTANCE_BUSY', 503],
        ['SUTRA.DEAD_LETTER.START_GONE', 409],
      ] as const) {
        refusal = new EngineError(code, 'no');
        assertProblem(await call('POST', path), status, code);
      }
    });

    it('refuse what they cannot read', async () => {
      for (const [method, path, code] of [
        ['GET', '/admin/dead-letters?kind=odd', 'SUTRA.HTTP.QUERY_INVALID'],
        ['GET', '/admin/dead-letters?cursor=abc', 'SUTRA.OPERATE.CURSOR_INVALID'],
        ['GET', '/admin/dead-letters/42', 'SUTRA.OPERATE.ID_INVALID'],
        ['POST', '/admin/dead-letters/42/replay', 'SUTRA.OPERATE.ID_INVALID'],
        ['DELETE', '/admin/dead-letters/42', 'SUTRA.OPERATE.ID_INVALID'],
      ] as const) {
        assertProblem(await call(method, path), 400, code);
      }
    });

    it('discard', async () => {
      const path = `/admin/dead-letters/${letters[1]?.id ?? ''}`;
      assert.deepEqual((await call('DELETE', path)).json, {
        deadLetterId: letters[1]?.id,
        status: 'DISCARDED',
      });
      assertProblem(await call('DELETE', path), 404, 'SUTRA.DEAD_LETTER.NOT_FOUND');
    });

    it('need the admin key, reading too', async () => {
      const path = `/admin/dead-letters/${letters[2]?.id ?? ''}`;
      for (const [method, each] of [
        ['GET', '/admin/dead-letters'],
        ['GET', path],
        ['POST', `${path}/replay`],
        ['DELETE', path],
      ] as const) {
        assertProblem(await server.call(method, each), 401, 'SUTRA.ADMIN.KEY_REQUIRED');
      }
    });
  });
}
