/** What becomes a dead letter, what does not, and what replay, discard and the limits do, through a whole engine. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { deadLettersExist } from '../../engine/store/dead-letters.ts';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { collectingLog, TestEngine, type Answer } from '../support/engine.ts';
import { flows, packageFiles, start } from '../support/packages.ts';

interface Letter {
  readonly id: string;
  readonly kind: string;
  readonly channel: string | null;
  readonly messageKey: string | null;
  readonly signalName: string | null;
  readonly processId: string | null;
  readonly startEventId: string | null;
  readonly contentType: string | null;
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bodyBase64?: string;
}

const SECRET = 'the-channel-secret';
const unique = '<q:alias name="orderId" expression="payload.id" unique="true"/>';
const person = '<userTask id="look"/><endEvent id="end"/>';
const inbound = (name: string, more = ''): string =>
  `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist${more} }`;

/** `version` 2 listens for the messages that version 1 does not know. */
function shop(version: string): Record<string, string> {
  const isNewer = version !== '1';
  return packageFiles({
    version: `${version}.0.0`,
    channels: [
      inbound('orders', `, dead-letters: true, codec: "urn:order", dedup-key: payload.id`),
      inbound(
        'keyed',
        ', dead-letters: true, auth: { kind: api-key, reference: "env:CHANNEL_SECRET", name: X-Key }',
      ),
      inbound('raw', ', dead-letters: true, codec: text'),
      inbound('small', ', dead-letters: true, payload-cap-bytes: 20'),
      inbound('paid', ', dead-letters: true'),
      inbound('unmarked', ', codec: json'),
    ].join('\n'),
    files: {
      'schemas/order/default.json': JSON.stringify({
        type: 'object',
        required: ['id', 'sum'],
        properties: { sum: { type: 'number' } },
      }),
    },
    definitions: '<signal id="stock" name="stock"/>',
    processes: {
      order: `${start('orders', unique)}${person}${flows('start -> look', 'look -> end')}`,
      keyed: `${start('keyed', '', isNewer ? '' : 'messageTypeValue="known"')}${person}${flows('start -> look', 'look -> end')}`,
      unmarked: `${start('unmarked')}${person}${flows('start -> look', 'look -> end')}`,
      small: `${start('small')}${person}${flows('start -> look', 'look -> end')}`,
      payment: `<startEvent id="start"/><receiveTask id="wait"><extensionElements>
        <q:source channel="paid"/><q:alias name="paymentId" expression="payload.id"/></extensionElements></receiveTask>
        <endEvent id="end"/>${flows('start -> wait', 'wait -> end')}`,
    },
  });
}

for (const target of testDatabases()) {
  describe(`dead letters on ${target.name}`, () => {
    let database: Database;
    let engine: TestEngine;
    const log = collectingLog();
    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({
        database,
        log,
        env: { CHANNEL_SECRET: SECRET, SUTRA_DEAD_LETTER_MAX_COUNT: '10' },
      });
      await engine.deploy(shop('1'));
    });
    after(() => engine.stop());

    const list = async (query = ''): Promise<readonly Letter[]> => {
      const { status, body } = await engine.get(`/admin/dead-letters${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return (body as unknown as { deadLetters: Letter[] }).deadLetters;
    };
    const letter = async (id: string): Promise<Letter> =>
      (await engine.get(`/admin/dead-letters/${id}`)).body as unknown as Letter;
    const incidents = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
      (await engine.get('/sutra/incidents?kind=dead-letter')).body.incidents as Readonly<
        Record<string, unknown>
      >[];
    const replay = (id: string, correction?: unknown): Promise<Answer> =>
      engine.call('POST', `/admin/dead-letters/${id}/replay`, correction);
    const discard = (id: string): Promise<Answer> => engine.call('DELETE', `/admin/dead-letters/${id}`);
    /** The letter's id of a refusal. */
    const letterOf = ({ status, body }: Answer, code: string): string => {
      assert.equal(body.code, code, JSON.stringify(body));
      assert.ok(status >= 400);
      const id = body.attributes['deadLetterId'];
      assert.ok(typeof id === 'string', JSON.stringify(body));
      return id;
    };

    it('keep what the channel refuses for good, with all that a replay needs, and raise an incident', async () => {
      const refused = await engine.post(
        '/channels/orders',
        { id: 'K-1' },
        { 'x-trace': 'abc', authorization: 'Bearer s' },
      );
      const id = letterOf(refused, 'SUTRA.INBOUND.VALIDATION_FAILED');
      const kept = await letter(id);
      assert.deepEqual(
        [kept.kind, kept.channel, kept.messageKey, kept.contentType, kept.code, kept.attempts],
        ['message', 'orders', 'K-1', 'application/json', 'SUTRA.INBOUND.VALIDATION_FAILED', 1],
      );
      assert.deepEqual([kept.body, kept.message], [{ id: 'K-1' }, refused.body.detail]);
      assert.equal(kept.headers['x-trace'], 'abc');
      assert.equal(kept.headers['authorization'], undefined);
      const [listed = {}] = await list();
      assert.ok(!('body' in listed) && !('headers' in listed));
      const [{ createdAt: _createdAt, ...incident } = {}] = await incidents();
      assert.deepEqual(incident, {
        ...{ id, subjectId: id, kind: 'dead-letter', tenant: 'test', module: 'main', instanceId: null },
        ...{ processId: null, elementId: null, code: kept.code, message: kept.message },
      });
      await discard(id);
    });

    it('are one for a message that comes again, by the key that its sender knows it by', async () => {
      const rows: readonly (readonly [
        string,
        unknown,
        Readonly<Record<string, string>>,
        string,
        string | null,
      ])[] = [
        ['orders', { id: 'A-1', sum: 'x' }, {}, 'SUTRA.INBOUND.VALIDATION_FAILED', 'A-1'],
        ['orders', '{"id":', { 'idempotency-key': 'by-header' }, 'SUTRA.CODEC.JSON_INVALID', 'by-header'],
        ['orders', '{"id":', { 'ce-id': '7', 'ce-source': '/s' }, 'SUTRA.CODEC.JSON_INVALID', '/s 7'],
        ['raw', 'text', {}, 'SUTRA.INBOUND.NO_SUBSCRIBER', null],
      ];
      for (const [channel, body, headers, code, key] of rows) {
        const first = letterOf(await engine.post(`/channels/${channel}`, body, headers), code);
        const again = letterOf(await engine.post(`/channels/${channel}`, body, headers), code);
        const kept = await letter(again);
        assert.equal(kept.messageKey, key, code);
        assert.deepEqual([first === again, kept.attempts], key === null ? [false, 1] : [true, 2], code);
        for (const id of new Set([first, again])) assert.equal((await discard(id)).status, 200);
      }
      assert.deepEqual([await list(), await incidents()], [[], []]);
    });

    it('keep the body and the reason of the last time', async () => {
      const id = letterOf(
        await engine.post('/channels/orders', { id: 'B-1' }),
        'SUTRA.INBOUND.VALIDATION_FAILED',
      );
      const before = await letter(id);
      await engine.post('/channels/orders', { id: 'B-1', sum: 'x' });
      const now = await letter(id);
      assert.deepEqual(now.body, { id: 'B-1', sum: 'x' });
      assert.notEqual(now.message, before.message);
      assert.deepEqual(
        (await incidents()).map(({ message }) => message),
        [now.message],
      );
      await discard(id);
    });

    it('are not what another time may take, nor what is too large, nor what nobody may send, nor of other channels', async () => {
      const { instanceId } = (await engine.post('/sutra/processes/payment/start', {})).body;
      const answers: readonly (readonly [Answer, string])[] = [
        [await engine.post('/channels/small', { text: 'x'.repeat(30) }), 'SUTRA.HTTP.BODY_TOO_LARGE'],
        [
          await engine.post('/channels/keyed', {}, { 'x-key': 'wrong' }),
          'SUTRA.HTTP_CHANNEL.CREDENTIALS_INVALID',
        ],
        [await engine.post('/channels/unmarked', '{"id":'), 'SUTRA.CODEC.JSON_INVALID'],
      ];
      for (const [{ body }, code] of answers) {
        assert.equal(body.code, code, JSON.stringify(body));
        assert.equal(body.attributes['deadLetterId'], undefined);
      }
      assert.deepEqual(await list(), []);
      await engine.post(`/sutra/instances/${instanceId}/cancel`, {});
    });

    it('hold no credential of the channel', async () => {
      const answer = await engine.post('/channels/keyed', {}, { 'x-key': SECRET, 'x-kept': 'yes' });
      const id = letterOf(answer, 'SUTRA.INBOUND.NO_SUBSCRIBER');
      const { headers } = await letter(id);
      assert.deepEqual([headers['x-kept'], headers['x-key']], ['yes', undefined]);
      assert.ok(!JSON.stringify(headers).includes(SECRET));
      await discard(id);
    });

    it('are replayed once the cause is gone, each once, and then gone with their incident', async () => {
      const id = letterOf(
        await engine.post('/channels/keyed', { n: 1 }, { 'x-key': SECRET }),
        'SUTRA.INBOUND.NO_SUBSCRIBER',
      );
      const refused = await replay(id);
      assert.equal(letterOf(refused, 'SUTRA.INBOUND.NO_SUBSCRIBER'), id);
      assert.equal((await letter(id)).attempts, 2);
      await engine.deploy(shop('2'));
      const answers = await Promise.all([1, 2, 3, 4].map(() => replay(id)));
      const done = answers.filter(({ status }) => status === 200);
      assert.equal(done.length, 1, JSON.stringify(answers.map(({ body }) => body)));
      for (const { status, body } of answers) {
        if (status !== 200) assert.deepEqual([status, body.code], [404, 'SUTRA.DEAD_LETTER.NOT_FOUND']);
      }
      const [{ body } = { body: {} as Answer['body'] }] = done;
      assert.deepEqual(body, {
        deadLetterId: id,
        instanceId: body.instanceId,
        duplicate: false,
        status: 'REPLAYED',
      });
      assert.deepEqual((await engine.instance(body.instanceId)).variables['payload'], { n: 1 });
      const started = await engine.get('/sutra/instances?processId=keyed');
      assert.equal(started.body.instances.length, 1);
      assert.deepEqual([await list(), await incidents()], [[], []]);
    });

    it('take a corrected body, and stay as they are when that is refused too', async () => {
      const id = letterOf(
        await engine.post('/channels/orders', { id: 'C-1' }),
        'SUTRA.INBOUND.VALIDATION_FAILED',
      );
      const worse = await replay(id, { bodyBase64: Buffer.from('{').toString('base64') });
      letterOf(worse, 'SUTRA.CODEC.JSON_INVALID');
      const kept = await letter(id);
      assert.deepEqual([kept.code, kept.attempts, kept.body], ['SUTRA.CODEC.JSON_INVALID', 2, { id: 'C-1' }]);
      assert.equal((await incidents())[0]?.['code'], 'SUTRA.CODEC.JSON_INVALID');
      const text = await replay(id, {
        bodyBase64: Buffer.from('{"id":"C-1","sum":0.10000000000000000000000001}').toString('base64'),
      });
      assert.equal(text.status, 200, JSON.stringify(text.body));
      assert.match(
        await (await fetch(`${engine.url}/sutra/instances/${text.body.instanceId}`)).text(),
        /"sum":0\.10000000000000000000000001\b/,
      );
      for (const wrong of [
        { body: 1, bodyBase64: 'MQ==' },
        { bodyBase64: 'not base64' },
        { headers: {} },
        [1],
      ]) {
        assert.equal((await replay(id, wrong)).status, 400, JSON.stringify(wrong));
      }
    });

    it('are settled by a replay of what was taken meanwhile', async () => {
      const id = letterOf(
        await engine.post('/channels/orders', { id: 'D-1' }),
        'SUTRA.INBOUND.VALIDATION_FAILED',
      );
      const sent = await engine.post('/channels/orders', { id: 'D-1', sum: 1 });
      const replayed = await replay(id, { body: { id: 'D-1', sum: 2 } });
      assert.deepEqual(
        [replayed.status, replayed.body.duplicate, replayed.body.instanceId],
        [200, true, sent.body.instanceId],
      );
      assert.deepEqual(await list(), []);
    });

    it('go to the instance that waits for them when they are replayed', async () => {
      const id = letterOf(await engine.post('/channels/paid', { id: 'P-1' }), 'SUTRA.INBOUND.NOT_CORRELATED');
      const { instanceId } = (
        await engine.post('/sutra/processes/payment/start', { variables: { payload: { id: 'P-1' } } })
      ).body;
      const replayed = await replay(id);
      assert.deepEqual([replayed.status, replayed.body.instanceId], [200, instanceId]);
      assert.equal((await engine.ended(instanceId)).status, 'completed');
    });

    it('are discarded once, and what is no letter is said to be none', async () => {
      const id = letterOf(await engine.post('/channels/orders', '{'), 'SUTRA.CODEC.JSON_INVALID');
      assert.deepEqual((await discard(id)).body, { deadLetterId: id, status: 'DISCARDED' });
      for (const answer of [
        await discard(id),
        await replay(id),
        await engine.get(`/admin/dead-letters/${id}`),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [404, 'SUTRA.DEAD_LETTER.NOT_FOUND']);
      }
      assert.equal((await discard('x')).body.code, 'SUTRA.OPERATE.ID_INVALID');
    });

    it('are found by their filters, a page at a time', async () => {
      const ids: string[] = [];
      for (const body of ['{', '{"id":"F-1"}', '{']) {
        const answer = await engine.post('/channels/orders', body);
        ids.push(letterOf(answer, answer.body.code));
      }
      const rows: readonly (readonly [string, readonly number[]])[] = [
        ['', [0, 1, 2]],
        ['?code=SUTRA.INBOUND.VALIDATION_FAILED', [1]],
        ['?kind=message&channel=orders&tenant=test&module=main', [0, 1, 2]],
        ['?kind=signal', []],
        ['?channel=raw', []],
        ['?createdBefore=2020-01-01T00:00:00Z', []],
        ['?createdAfter=2020-01-01T00:00:00Z&limit=2', [0, 1]],
      ];
      for (const [query, numbers] of rows) {
        assert.deepEqual(
          (await list(query)).map(({ id }) => id),
          numbers.map((number) => ids[number]),
          query,
        );
      }
      const { body } = await engine.get('/admin/dead-letters?limit=2');
      const rest = await list(`?cursor=${(body as unknown as { nextCursor: string }).nextCursor}`);
      assert.deepEqual(
        rest.map(({ id }) => id),
        [ids[2]],
      );
      for (const id of ids) await discard(id);
    });

    it('that cannot be kept leave the refusal as it is, and the log says so without what was sent', async () => {
      await database.knex.raw('ALTER TABLE dead_letter RENAME TO dead_letter_away');
      try {
        const { body } = await engine.post('/channels/orders', { id: 'X-1', text: 'not for the log' });
        assert.equal(body.code, 'SUTRA.INBOUND.VALIDATION_FAILED');
        assert.equal(body.attributes['deadLetterId'], undefined);
      } finally {
        await database.knex.raw('ALTER TABLE dead_letter_away RENAME TO dead_letter');
      }
      const said = log.lines.filter((line) => line.includes('dead-letter.not-kept'));
      assert.equal(said.length, 1, said.join('\n'));
      assert.match(said[0] ?? '', /"channel":"orders","code":"SUTRA\.INBOUND\.VALIDATION_FAILED"/);
      assert.doesNotMatch(said[0] ?? '', /X-1|not for the log/);
    });

    it('are as many as there may be, and it is said when there would be more', async () => {
      const ids: string[] = [];
      for (let number = 0; number < 10; number += 1) {
        const answer = await engine.post('/channels/orders', { id: `M-${String(number)}` });
        ids.push(letterOf(answer, 'SUTRA.INBOUND.VALIDATION_FAILED'));
      }
      for (const id of ['M-11', 'M-12']) {
        const answer = await engine.post('/channels/orders', { id });
        assert.equal(answer.body.code, 'SUTRA.INBOUND.VALIDATION_FAILED');
        assert.equal(answer.body.attributes['deadLetterId'], undefined);
      }
      const again = await engine.post('/channels/orders', { id: 'M-0' });
      assert.equal(letterOf(again, 'SUTRA.INBOUND.VALIDATION_FAILED'), ids[0]);
      assert.equal((await list()).length, 10);
      const metrics = await (await fetch(`${engine.url}/metrics`)).text();
      assert.match(metrics, /^sutra_dead_letters_dropped_total\{kind="message"\} 2$/m);
      const said = log.lines.filter((line) => line.includes('dead-letter.limit-reached'));
      assert.deepEqual(said, ['error dead-letter.limit-reached {"maxCount":10,"droppedCount":1}']);
      const keys = ids.map((id, index) => ({ id, attempts: index === 0 ? 2 : 1 }));
      assert.equal((await deadLettersExist(database, keys)).length, 10);
      for (const id of ids) await discard(id);
      for (const line of log.lines) assert.doesNotMatch(line, /M-1\d|K-1|"sum"/);
    });
  });
}
