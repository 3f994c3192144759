import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readChannels, type ChannelsReading } from '../../../definitions/channels/read-channels.ts';

const identity = { tenant: 'acme', module: 'scoring', version: '1.0.0' };
const ceilings = { maxLockDurationMs: 3_600_000, maxRetries: 1_000, maxRetryTimeoutMs: 86_400_000 };

function read(text: string): ChannelsReading {
  return readChannels({ path: 'channels.yaml', content: new TextEncoder().encode(text) }, identity, ceilings);
}

/** One channel, its keys given as lines. The first line stands at line 2, its key at column 5. */
function channel(...lines: readonly string[]): string {
  return `channels:\n${lines.map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`).join('\n')}\n`;
}

describe('channels that are right', () => {
  it('have the documented defaults on http', () => {
    const { channels, findings } = read(channel('name: orders', 'transport: http'));
    assert.deepStrictEqual(findings, []);
    assert.deepStrictEqual(channels.get('orders'), {
      name: 'orders',
      transport: 'http',
      direction: 'inbound',
      bind: 'POST /channels/acme/scoring/orders',
      codec: null,
      schemaName: null,
      ackMode: 'on-complete',
      dedupKey: null,
      isBroadcast: false,
      maxConcurrentInstances: null,
      payloadCapBytes: null,
      auth: null,
      keepsDeadLetters: false,
      task: null,
      place: { file: 'channels.yaml', line: 2, column: 5 },
    });
  });

  it('have the documented defaults on pull and local', () => {
    for (const transport of ['pull', 'local']) {
      const { channels, findings } = read(channel('name: score-request', `transport: ${transport}`));
      assert.deepStrictEqual(findings, []);
      const { direction, bind, ackMode } = channels.get('score-request') ?? {};
      assert.deepStrictEqual(
        { direction, bind, ackMode },
        { direction: 'both', bind: `${transport}://acme/scoring/1.0.0/score-request`, ackMode: 'on-persist' },
      );
    }
  });

  it('keep every key as written', () => {
    const { channels, findings } = read(`channels:
  - name: score-request
    transport: pull
    direction: both
    bind: "pull://acme/scoring/1.0.0/score-request"
    codec: urn:sutra:codec:json
    ack-mode: on-complete
    dedup-key: header.id
    broadcast: true
    payload-cap-bytes: 1024
    task: {lock-duration: PT1H, retries: 1000, retry-timeout: P1D, priority: payload.vip}
  - name: notify
    transport: http
    bind: https://example.com/hook?x=1
    codec: urn:order-v1
    auth: {kind: api-key, reference: "env:KEY", name: X-Api-Key}
  - name: in
    transport: http
    bind: POST /channels/in
    auth: {kind: bearer, reference: "secret:token"}
  - name: basic
    transport: http
    bind: POST /channels/basic
    auth: {kind: basic, reference: env:PASSWORD, name: user}
`);
    assert.deepStrictEqual(findings, []);
    const score = channels.get('score-request');
    assert.equal(score?.codec, 'json');
    assert.equal(score.ackMode, 'on-complete');
    assert.equal(score.isBroadcast, true);
    assert.equal(score.dedupKey?.text, 'header.id');
    assert.equal(score.maxConcurrentInstances, null);
    assert.equal(score.payloadCapBytes, 1024);
    const { priority, ...limits } = score.task ?? { priority: null };
    assert.deepStrictEqual(limits, { lockDurationMs: 3_600_000, retries: 1_000, retryTimeoutMs: 86_400_000 });
    assert.equal(priority?.text, 'payload.vip');
    const notify = channels.get('notify');
    assert.deepStrictEqual(
      [notify?.direction, notify?.codec, notify?.schemaName],
      ['outbound', null, 'order-v1'],
    );
    assert.deepStrictEqual(notify?.auth, { kind: 'api-key', reference: 'env:KEY', name: 'X-Api-Key' });
    assert.deepStrictEqual(channels.get('in')?.auth, {
      kind: 'bearer',
      reference: 'secret:token',
      name: null,
    });
    assert.deepStrictEqual(channels.get('basic')?.auth, {
      kind: 'basic',
      reference: 'env:PASSWORD',
      name: 'user',
    });
  });

  it('may have any name that can be addressed', () => {
    const name = 'Größe / 90% ?'.padEnd(255, 'x');
    const { channels, findings } = read(channel(`name: "${name}"`, 'transport: pull'));
    assert.deepStrictEqual(findings, []);
    assert.equal(channels.get(name)?.bind, `pull://acme/scoring/1.0.0/${encodeURIComponent(name)}`);
  });
});

type Row = readonly [text: string, code: string, line: number, column: number, message: RegExp];

const http = (...lines: readonly string[]): string => channel('name: a', 'transport: http', ...lines);
const pull = (...lines: readonly string[]): string => channel('name: a', 'transport: pull', ...lines);

const faults: readonly Row[] = [
  ['channels: [', 'YAML_INVALID', 1, 12, /cannot be read/],
  ['channels: &x []', 'YAML_INVALID', 1, 14, /anchors/],
  [`channels: ${'['.repeat(1_000)}`, 'YAML_INVALID', 1, 26, /deeper than 16/],
  [`# ${'x'.repeat(262_144)}`, 'YAML_INVALID', 1, 1, /the limit is 262144/],
  ['', 'VALUE_INVALID', 1, 1, /must be a mapping/],
  ['- a', 'VALUE_INVALID', 1, 1, /must be a mapping/],
  ['{}', 'KEY_MISSING', 1, 1, /needs the key channels/],
  ['channels:', 'VALUE_INVALID', 1, 10, /must be a list/],
  ['channels: {}', 'VALUE_INVALID', 1, 11, /must be a list/],
  ['channels:\n  - orders', 'VALUE_INVALID', 2, 5, /channel 1 must be a mapping/],
  ['channels: []\nchanels: []', 'KEY_UNKNOWN', 2, 1, /"chanels".*nearest is channels/],
  [http('ack_mode: on-persist'), 'KEY_UNKNOWN', 4, 5, /"ack_mode".*nearest is ack-mode/],
  [http('__proto__: 1'), 'KEY_UNKNOWN', 4, 5, /"__proto__"/],
  [http('<<: {broadcast: true}'), 'KEY_UNKNOWN', 4, 5, /"<<"/],
  [http('? [x]\n    : 1'), 'KEY_UNKNOWN', 4, 7, /must be plain text/],
  [channel('transport: http'), 'KEY_MISSING', 2, 5, /needs the key name/],
  [channel('name: a'), 'KEY_MISSING', 2, 5, /needs the key transport/],
  [channel('name: 5', 'transport: http'), 'VALUE_INVALID', 2, 11, /name of channel 1 must be text/],
  [channel('name: ""', 'transport: http'), 'NAME_INVALID', 2, 11, /blank/],
  [channel('name: "  "', 'transport: http'), 'NAME_INVALID', 2, 11, /blank/],
  [channel('name: " a"', 'transport: http'), 'NAME_INVALID', 2, 11, /white space/],
  [channel('name: "a\\0b"', 'transport: http'), 'NAME_INVALID', 2, 11, /control character/],
  [channel('name: "\\uD800"', 'transport: http'), 'NAME_INVALID', 2, 11, /control character/],
  [
    channel(`name: ${'x'.repeat(256)}`, 'transport: http'),
    'NAME_INVALID',
    2,
    11,
    /256 characters; the limit is 255/,
  ],
  [`${pull()}  - name: a\n    transport: pull\n`, 'NAME_DUPLICATE', 4, 11, /"a" is used twice/],
  [channel('name: a', 'transport: htp'), 'TRANSPORT_UNKNOWN', 3, 16, /"htp"; the nearest is http/],
  [channel('name: a', 'transport: file'), 'TRANSPORT_NOT_BUILT_IN', 3, 16, /not built in yet/],
  [channel('name: a', 'transport: kafka'), 'TRANSPORT_NOT_BUILT_IN', 3, 16, /not built in yet/],
  [http('direction: in'), 'VALUE_INVALID', 4, 16, /must be one of inbound, outbound, both/],
  [http('direction: both'), 'DIRECTION_INVALID', 4, 16, /inbound or outbound/],
  [http('direction: outbound', 'bind: POST /x'), 'DIRECTION_INVALID', 4, 16, /bound to a path is inbound/],
  [
    http('direction: inbound', 'bind: http://x.example'),
    'DIRECTION_INVALID',
    4,
    16,
    /bound to a URL is outbound/,
  ],
  [http('direction: outbound'), 'KEY_MISSING', 2, 5, /needs a URL/],
  [pull('direction: inbound'), 'DIRECTION_INVALID', 4, 16, /cannot be inbound only/],
  [
    pull('bind: pull://acme/scoring/2.0.0/a'),
    'BIND_INVALID',
    4,
    11,
    /must be "pull:\/\/acme\/scoring\/1.0.0\/a"/,
  ],
  [http('bind: GET /channels/x'), 'BIND_INVALID', 4, 11, /must use POST/],
  [http('bind: /channels/x'), 'BIND_INVALID', 4, 11, /must be POST and a path/],
  [http('bind: ftp://x.example/'), 'BIND_INVALID', 4, 11, /must be POST and a path, or an http/],
  [http('bind: POST /a/../b'), 'BIND_INVALID', 4, 11, /plain segments/],
  [http('bind: POST /a//b'), 'BIND_INVALID', 4, 11, /plain segments/],
  [http('bind: POST /a?b=c'), 'BIND_INVALID', 4, 11, /plain segments/],
  [http('bind: POST /sutra/instances'), 'BIND_INVALID', 4, 11, /belongs to the engine \(\/sutra\)/],
  [http('bind: "http://"'), 'BIND_INVALID', 4, 11, /not a valid URL/],
  [http('bind: "https://x.example/#a"'), 'BIND_INVALID', 4, 11, /fragment/],
  [http('bind: https://me:hunter2@x.example'), 'BIND_INVALID', 4, 11, /holds credentials/],
  [http(`bind: https://x.example/${'x'.repeat(2_048)}`), 'BIND_INVALID', 4, 11, /longer than 2048/],
  [
    `${http('bind: POST /x')}  - name: b\n    transport: http\n    bind: POST /x\n`,
    'BIND_DUPLICATE',
    7,
    11,
    /"a" and "b" are both bound to "POST \/x"/,
  ],
  [http('codec: jsn'), 'CODEC_UNKNOWN', 4, 12, /"jsn"; the nearest is json/],
  [http('codec: urn:sutra:codec:yml'), 'CODEC_UNKNOWN', 4, 12, /nearest is yaml/],
  [http('codec: urn:../secrets'), 'CODEC_UNKNOWN', 4, 12, /there is no codec/],
  [http('codec: xml'), 'CODEC_NOT_BUILT_IN', 4, 12, /xml is not built in/],
  [http('codec: [json]'), 'VALUE_INVALID', 4, 12, /codec of channel 1 must be text/],
  [http('ack-mode: later'), 'VALUE_INVALID', 4, 15, /"later"/],
  [http('broadcast: yes'), 'VALUE_INVALID', 4, 16, /true or false/],
  [http('max-concurrent-instances: 0'), 'VALUE_INVALID', 4, 31, /is 0; it must be 1 to/],
  [http('max-concurrent-instances: 5'), 'KEY_NOT_EXECUTED', 4, 31, /not enforced/],
  [http('max-concurrent-instances: 1.5'), 'VALUE_INVALID', 4, 31, /whole number/],
  [http('payload-cap-bytes: "10"'), 'VALUE_INVALID', 4, 24, /whole number/],
  [http('payload-cap-bytes: 1073741825'), 'VALUE_INVALID', 4, 24, /1 to 1073741824/],
  [http('dedup-key: payload.id +'), 'FEEL', 4, 28, /not complete/],
  [http('dedup-key: "payload.id ++"'), 'FEEL', 4, 30, /not complete/],
  [http('dedup-key: |', '  payload.id +'), 'FEEL', 5, 19, /not complete/],
  [http("dedup-key: 'payload.id ) 1'"), 'FEEL', 4, 28, /unexpected/],
  [http('dedup-key: payload.id + order'), 'DEDUP_KEY_INVALID', 4, 29, /names "order"/],
  [http('dedup-key: \'"always"\''), 'DEDUP_KEY_INVALID', 4, 16, /same for every message/],
  [http('dedup-key: true'), 'VALUE_INVALID', 4, 16, /FEEL expression/],
  [http('auth: hunter2'), 'VALUE_INVALID', 4, 11, /auth of channel 1 must be a mapping/],
  [
    http('auth: {kind: hunter2, reference: env:X}'),
    'VALUE_INVALID',
    4,
    18,
    /must be one of bearer, basic, api-key/,
  ],
  [http('auth: {kind: bearer, reference: hunter2}'), 'SECRET_LITERAL', 4, 37, /env:NAME or secret:NAME/],
  [http('auth: {kind: bearer, reference: "env:"}'), 'SECRET_LITERAL', 4, 37, /env:NAME/],
  [http('auth: {kind: bearer}'), 'KEY_MISSING', 4, 11, /auth needs the key reference/],
  [http('auth: {reference: env:X}'), 'KEY_MISSING', 4, 11, /auth needs the key kind/],
  [http('auth: {kind: basic, reference: env:X}'), 'KEY_MISSING', 4, 11, /auth needs the key name/],
  [
    http('auth: {kind: bearer, reference: env:X, name: y}'),
    'KEY_NOT_APPLICABLE',
    4,
    50,
    /for basic and api-key/,
  ],
  [http('auth: {kind: api-key, reference: env:X, name: a b}'), 'VALUE_INVALID', 4, 51, /header name/],
  [http('auth: {kind: bearer, reference: env:X, token: hunter2}'), 'KEY_UNKNOWN', 4, 44, /"token"/],
  [pull('auth: {kind: bearer, reference: env:X}'), 'KEY_NOT_APPLICABLE', 4, 11, /for http channels/],
  [http('task: {retries: 1}'), 'KEY_NOT_APPLICABLE', 4, 11, /for pull channels/],
  [http('bind: http://x.example', 'broadcast: true'), 'KEY_NOT_APPLICABLE', 5, 16, /take messages in/],
  [http('bind: http://x.example', 'dead-letters: true'), 'KEY_NOT_APPLICABLE', 5, 19, /this one is outbound/],
  [pull('dead-letters: true'), 'KEY_NOT_APPLICABLE', 4, 19, /over http; this one is pull/],
  [http('dead-letters: 1'), 'VALUE_INVALID', 4, 19, /true or false/],
  [pull('task: []'), 'VALUE_INVALID', 4, 11, /must be a mapping/],
  [pull('task: {retry: 1}'), 'KEY_UNKNOWN', 4, 12, /nearest is retries/],
  [pull('task: {lock-duration: 5m}'), 'VALUE_INVALID', 4, 27, /5m/],
  [pull('task: {lock-duration: 30}'), 'VALUE_INVALID', 4, 27, /must be text/],
  [pull('task: {lock-duration: PT0S}'), 'VALUE_INVALID', 4, 27, /longer than PT0S/],
  [pull('task: {lock-duration: PT1H0.001S}'), 'CEILING_EXCEEDED', 4, 27, /ceiling is PT1H/],
  [pull('task: {retry-timeout: P1DT1S}'), 'CEILING_EXCEEDED', 4, 27, /ceiling is P1D/],
  [pull('task: {retry-timeout: P1M}'), 'VALUE_INVALID', 4, 27, /P1M/],
  [pull('task: {retries: 0}'), 'VALUE_INVALID', 4, 21, /is 0; it must be 1 to/],
  [pull('task: {retries: 1001}'), 'CEILING_EXCEEDED', 4, 21, /is 1001; the operator's ceiling is 1000/],
  [pull('task: {priority: "a +"}'), 'FEEL', 4, 26, /not complete/],
  [pull('task: {priority: 1.5}'), 'VALUE_INVALID', 4, 22, /priority of task is a number that is not whole/],
  [pull('task: {priority: 2147483648}'), 'VALUE_INVALID', 4, 22, /out of range; .* to 2147483647/],
  [pull(`task: {priority: '"high"'}`), 'VALUE_INVALID', 4, 22, /is a string; it must be a whole number/],
  [pull('task: {priority: "=null"}'), 'VALUE_INVALID', 4, 22, /is null/],
];

describe('faults of channels.yaml', () => {
  for (const [index, [text, code, line, column, message]] of faults.entries()) {
    it(`${index + 1}: ${code} at ${line}:${column} for ${JSON.stringify(text.slice(-60))}`, () => {
      const { findings } = read(text);
      assert.equal(findings.length, 1, JSON.stringify(findings, null, 1));
      const [finding] = findings;
      assert.equal(finding?.code, code === 'FEEL' ? 'SUTRA.FEEL.SYNTAX_INVALID' : `SUTRA.CHANNELS.${code}`);
      assert.equal(finding.severity, 'error');
      assert.match(finding.message, message);
      assert.deepStrictEqual(finding.place, { file: 'channels.yaml', line, column });
    });
  }

  it('are all reported, not the first', () => {
    const { findings } = read(`channels:
  - name: a
    transport: pull
    bind: POST /x
    broadcast: 1
    task: {retries: -1, lock-duration: 5m}
  - transport: htp
    codec: jsn
`);
    assert.deepStrictEqual(
      findings.map(
        ({ code, place }) =>
          `${code.replace('SUTRA.CHANNELS.', '')} ${String(place.line)}:${String(place.column)}`,
      ),
      [
        'BIND_INVALID 4:11',
        'VALUE_INVALID 5:16',
        'VALUE_INVALID 6:40',
        'VALUE_INVALID 6:21',
        'KEY_MISSING 7:5',
        'TRANSPORT_UNKNOWN 7:16',
        'CODEC_UNKNOWN 8:12',
      ],
    );
  });

  it('never repeat a secret', () => {
    for (const [text] of faults) {
      for (const { message } of read(text).findings) assert.ok(!message.includes('hunter2'), message);
    }
  });

  it('say whether all declared channels are known', () => {
    assert.equal(read(pull('broadcast: 1')).isComplete, true);
    assert.equal(read('channels: []').isComplete, true);
    for (const text of [
      '',
      'channels: {}',
      'channels: [x]',
      channel('name: a'),
      channel('transport: pull'),
    ]) {
      assert.equal(read(text).isComplete, false, text);
    }
  });

  it('include a file that is not UTF-8', () => {
    const { findings } = readChannels({ path: 'channels.yaml', content: new Uint8Array([0xff]) }, identity);
    assert.match(findings[0]?.message ?? '', /not UTF-8/);
  });

  it('include more channels than are allowed', () => {
    const many = Array.from({ length: 1_001 }, (_, n) => `  - {name: c${n}, transport: pull}`).join('\n');
    assert.match(read(`channels:\n${many}`).findings[0]?.message ?? '', /1001 channels; the limit is 1000/);
  });
});
