import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ConfigError, loadSettings } from '../../config/load.ts';
import type { LoadedSettings, LoadOptions } from '../../config/load.ts';
import { environmentName, settingKeys } from '../../config/schema.ts';

const dir = mkdtempSync(join(tmpdir(), 'sutra-config-'));
after(() => rmSync(dir, { recursive: true, force: true }));

let fileCount = 0;
/** A working folder of its own, with this `sutra.yaml`. */
function folderWith(yaml: string | Uint8Array | null): string {
  fileCount += 1;
  const cwd = join(dir, String(fileCount));
  mkdirSync(cwd);
  if (yaml !== null) {
    writeFileSync(join(cwd, 'sutra.yaml'), yaml);
  }
  return cwd;
}

function load(yaml: string | Uint8Array | null, env: Readonly<Record<string, string>> = {}): LoadedSettings {
  return loadSettings({ cwd: folderWith(yaml), env });
}

/** Every fault as `CONDITION line:column message`, or without a position. */
function faultsOf(options: LoadOptions): string[] {
  try {
    loadSettings(options);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.code, 'SUTRA.CONFIG.INVALID');
    return error.faults.map(({ code, message, place }) => {
      const position = place.line === undefined ? '' : ` ${place.line}:${place.column ?? ''}`;
      return `${code.replace('SUTRA.CONFIG.', '')}${position} ${message}`;
    });
  }
  return [];
}

describe('settings from their sources', () => {
  test('without file and environment every key has its default', () => {
    const cwd = folderWith(null);
    const { settings, entries, file } = loadSettings({ cwd, env: { HOME: '/', PATH: '/bin' } });
    assert.equal(file, null);
    assert.deepEqual(settings, {
      http: { port: 8080, host: '127.0.0.1', maxHoldMs: 30_000 },
      datasource: { url: null, poolMax: 10 },
      dataDir: join(cwd, '.sutra/data'),
      deployments: { dir: null, pollIntervalMs: 2_000 },
      externalTask: {
        defaultLockDurationMs: 30_000,
        maxAttempts: null,
        maxLockDurationMs: 3_600_000,
        maxAsyncResponseTimeoutMs: 30_000,
        maxTasks: 100,
        retries: 3,
        maxRetries: 1_000,
        retryTimeoutMs: 10_000,
        maxRetryTimeoutMs: 86_400_000,
      },
      outbox: {
        tickIntervalMs: 1_000,
        retry: { baseDelayMs: 1_000, maxDelayMs: 300_000, jitter: true, maxAttempts: null },
      },
      inbox: { retentionMs: 604_800_000 },
      instance: { retentionMs: 604_800_000, retentionSweepIntervalMs: 3_600_000 },
      history: { retentionMs: 604_800_000, maxPayloadBytes: 16_384 },
      deadLetter: { maxCount: 10_000, retentionMs: 2_592_000_000 },
      intake: { maxInFlight: 10_000, maxWaitMs: 2_000 },
      feel: {
        turnUnits: 12_000_000,
        evaluationUnits: 5_000_000,
        iterations: 100_000,
        listSize: 1_000_000,
        depth: 256,
      },
      codec: { maxPayloadBytes: 10_485_760 },
      admin: { apiKey: null, isOpen: false },
      compat: { camunda7: false, camunda8: false },
    });
    assert.deepEqual(
      entries.map((entry) => [entry.key, entry.source]),
      settingKeys.map((key) => [key, 'default']),
    );
  });

  test('the environment wins over the file, and the file over the default', () => {
    const yaml = 'sutra:\n  http: {port: 1001, host: localhost}\n';
    const { settings, entries } = load(yaml, { SUTRA_HTTP_PORT: '1002' });
    assert.deepEqual(settings.http, { port: 1002, host: 'localhost', maxHoldMs: 30_000 });
    assert.deepEqual(
      entries.slice(0, 3).map((entry) => entry.source),
      ['environment', 'file', 'default'],
    );
  });

  for (const [name, yaml] of Object.entries({
    nested: 'sutra:\n  external-task:\n    max-tasks: 7\n',
    dotted: 'sutra.external-task.max-tasks: 7\n',
    mixed: 'sutra.external-task:\n  max-tasks: "7"\n',
    'with a byte order mark': '\uFEFFsutra: {external-task.max-tasks: 7}',
  })) {
    test(`a file may be ${name}`, () => {
      assert.equal(load(yaml).settings.externalTask.maxTasks, 7);
    });
  }

  for (const [name, yaml] of Object.entries({
    empty: '',
    'only a comment': '# nothing\n',
    'a group without keys': 'sutra:\n  http:\n  intake: {}\n',
  })) {
    test(`a file that is ${name} sets nothing`, () => {
      assert.ok(load(yaml).entries.every((entry) => entry.source === 'default'));
    });
  }

  test('each key has its own environment variable, and reads it', () => {
    assert.equal(new Set(settingKeys.map(environmentName)).size, settingKeys.length);
    assert.equal(environmentName('sutra.external-task.max-tasks'), 'SUTRA_EXTERNAL_TASK_MAX_TASKS');
    for (const key of settingKeys) {
      assert.match(
        faultsOf({ cwd: dir, env: { [environmentName(key)]: '' } })[0] ?? '',
        /^VALUE_INVALID .*is empty/,
      );
    }
  });

  test('SUTRA_CONFIG and the command line name another file, the command line winning', () => {
    const cwd = folderWith('sutra.http.port: 1');
    writeFileSync(join(cwd, 'two.yaml'), 'sutra.http.port: 2');
    writeFileSync(join(cwd, 'three.yaml'), 'sutra.http.port: 3');
    const env = { SUTRA_CONFIG: 'two.yaml' };
    assert.equal(loadSettings({ cwd, env }).settings.http.port, 2);
    const { settings, file } = loadSettings({ cwd, env, configFile: join(cwd, 'three.yaml') });
    assert.equal(settings.http.port, 3);
    assert.equal(file, join(cwd, 'three.yaml'));
  });

  test('relative paths start at the working folder, and memory: is left alone', () => {
    const cwd = folderWith(null);
    const env = { SUTRA_DATA_DIR: 'memory:', SUTRA_DEPLOYMENTS_DIR: 'packages' };
    const { settings } = loadSettings({ cwd, env });
    assert.equal(settings.dataDir, 'memory:');
    assert.equal(settings.deployments.dir, join(cwd, 'packages'));
  });

  test('settings are frozen to the leaves', () => {
    const { settings } = load(null);
    assert.throws(() => Object.assign(settings.outbox.retry, { jitter: false }), TypeError);
    assert.throws(() => Object.assign(settings, { dataDir: '' }), TypeError);
  });
});

describe('faults of keys and values', () => {
  /** `[what, yaml, environment, every expected fault]` */
  const rows: readonly (readonly [string, string | null, Record<string, string>, readonly RegExp[]])[] = [
    [
      'an unknown key names the nearest',
      'sutra:\n  http:\n    prot: 1\n',
      {},
      [/^KEY_UNKNOWN 3:11 "sutra.http.prot" is not a known key; the nearest is sutra.http.port$/],
    ],
    ['a key outside sutra is unknown too', 'http:\n  port: 1\n', {}, [/^KEY_UNKNOWN 2:9 "http.port"/]],
    ['an unknown group', 'sutra: {htpp: {}}', {}, [/^KEY_UNKNOWN 1:9 "sutra.htpp"/]],
    [
      'a key of the prototype',
      '__proto__:\n  a: 1\nconstructor: 2\n',
      {},
      [/^KEY_UNKNOWN 2:6 "__proto__.a"/, /^KEY_UNKNOWN 3:14 "constructor"/],
    ],
    [
      'a very long key is shown shortened',
      `${'k'.repeat(900)}: 1`,
      {},
      [/^KEY_UNKNOWN 1:\d+ "k{60}…" is not/],
    ],
    [
      'an unknown variable names the nearest',
      null,
      { SUTRA_HTTP_PROT: '1' },
      [
        /^KEY_UNKNOWN the environment variable "SUTRA_HTTP_PROT" is not known; the nearest is SUTRA_HTTP_PORT$/,
      ],
    ],
    ['variables of the tests are not ours', null, { SUTRA_TEST_ANYTHING: '1', SUTRA: '2', sutra_x: '3' }, []],
    [
      'one key twice, nested and dotted',
      'sutra:\n  http:\n    port: 1\nsutra.http.port: 2\n',
      {},
      [/^KEY_DUPLICATE 4:18 "sutra.http.port" is set twice: first in line 3$/],
    ],
    ['one key twice in one map', 'sutra.http.port: 1\nsutra.http.port: 1\n', {}, [/^KEY_DUPLICATE 2:18/]],
    [
      'one group twice in one map',
      'sutra: {http: {port: 1}}\nsutra: {intake: {}}\n',
      {},
      [/^FILE_MALFORMED 2:1 "sutra" appears twice in one map/],
    ],
    ['a key without a value', 'sutra.http.port:\n', {}, [/^VALUE_INVALID 1:1 sutra.http.port has no value/]],
    [
      'a map where a value belongs',
      'sutra.http.port: {}\n',
      {},
      [/^VALUE_INVALID 1:1 sutra.http.port is a map/],
    ],
    [
      'a value where a group belongs',
      'sutra:\n  http: 1\n',
      {},
      [/^VALUE_INVALID 2:9 sutra.http is a group/],
    ],
    ['a list where a value belongs', 'sutra.http.port: [1]\n', {}, [/^FILE_MALFORMED 1:18 .*is a list/]],
    ['an empty value in the file', 'sutra.http.port: ""\n', {}, [/^VALUE_INVALID 1:18 .*is empty/]],
    [
      'a wrong value in the file that the environment hides',
      'sutra.http.port: x\n',
      { SUTRA_HTTP_PORT: '1' },
      [/^VALUE_INVALID 1:18 sutra.http.port must be a whole number/],
    ],
    [
      'faults of all sources at once',
      'sutra.http.port: x\nsutra.nothing: 1\n',
      { SUTRA_HTTP_HOST: 'a b', SUTRA_X: '' },
      [
        /^KEY_UNKNOWN 2:16/,
        /^KEY_UNKNOWN the environment variable "SUTRA_X"/,
        /^VALUE_INVALID 1:18/,
        /^VALUE_INVALID sutra.http.host \(SUTRA_HTTP_HOST\)/,
      ],
    ],
  ];
  for (const [name, yaml, env, expected] of rows) {
    test(name, () => {
      const faults = faultsOf({ cwd: folderWith(yaml), env });
      assert.equal(faults.length, expected.length, faults.join('\n'));
      for (const [index, pattern] of expected.entries()) {
        assert.match(faults[index] ?? '', pattern);
      }
    });
  }

  /** `[variable, value, null when accepted or what the message says]` */
  const values: readonly (readonly [string, string, RegExp | null])[] = [
    ['SUTRA_HTTP_PORT', '0', null],
    ['SUTRA_HTTP_PORT', '65535', null],
    ['SUTRA_HTTP_PORT', '65536', /must be from 0 to 65535, not 65536/],
    ['SUTRA_HTTP_PORT', '-1', /must be from 0 to 65535, not -1/],
    ['SUTRA_HTTP_PORT', '8_080', /plain digits/],
    ['SUTRA_HTTP_PORT', '08080', /plain digits/],
    ['SUTRA_HTTP_PORT', '0x1F90', /plain digits/],
    ['SUTRA_HTTP_PORT', '8e3', /plain digits/],
    ['SUTRA_HTTP_PORT', '80.5', /plain digits/],
    ['SUTRA_HTTP_PORT', ' 80', /plain digits/],
    ['SUTRA_HTTP_PORT', '99999999999999999999', /plain digits/],
    ['SUTRA_HTTP_PORT', '80\n', /control character/],
    ['SUTRA_HTTP_HOST', '::1', null],
    ['SUTRA_HTTP_HOST', '0.0.0.0', null],
    ['SUTRA_HTTP_HOST', 'engine.example.org', null],
    ['SUTRA_HTTP_HOST', 'http://x', /without a port/],
    ['SUTRA_HTTP_HOST', 'x:80y', /without a port/],
    ['SUTRA_DATASOURCE_POOL_MAX', '200', null],
    ['SUTRA_DATASOURCE_POOL_MAX', '201', /from 1 to 200/],
    ['SUTRA_DATASOURCE_POOL_MAX', '0', /from 1 to 200/],
    ['SUTRA_DATASOURCE_URL', 'postgres://u:p@h:5432/db', null],
    ['SUTRA_DATASOURCE_URL', 'postgresql://h/db?sslmode=require', null],
    ['SUTRA_DATASOURCE_URL', 'mysql://h/db', /must be a URL/],
    ['SUTRA_DATASOURCE_URL', 'h/db', /must be a URL/],
    ['SUTRA_DATASOURCE_URL', 'postgres://h:99999/db', /must be a URL/],
    ['SUTRA_EXTERNAL_TASK_MAX_TASKS', '1', null],
    ['SUTRA_EXTERNAL_TASK_MAX_TASKS', '1000', null],
    ['SUTRA_EXTERNAL_TASK_MAX_TASKS', '1001', /from 1 to 1000/],
    ['SUTRA_EXTERNAL_TASK_MAX_TASKS', '0', /from 1 to 1000/],
    ['SUTRA_EXTERNAL_TASK_DEFAULT_LOCK_DURATION', 'PT0S', /longer than PT0S/],
    ['SUTRA_EXTERNAL_TASK_DEFAULT_LOCK_DURATION', 'PT1H', null],
    ['SUTRA_EXTERNAL_TASK_MAX_LOCK_DURATION', '30', /no unit/],
    ['SUTRA_EXTERNAL_TASK_MAX_LOCK_DURATION', 'P1M', /years or months/],
    ['SUTRA_EXTERNAL_TASK_MAX_LOCK_DURATION', 'P36500D', null],
    ['SUTRA_EXTERNAL_TASK_MAX_LOCK_DURATION', 'P36501D', /at most P36500D/],
    ['SUTRA_EXTERNAL_TASK_MAX_ASYNC_RESPONSE_TIMEOUT', 'PT0S', /longer than PT0S/],
    ['SUTRA_OUTBOX_TICK_INTERVAL', 'P24D', null],
    ['SUTRA_OUTBOX_TICK_INTERVAL', 'P24DT0.001S', /at most P24D/],
    ['SUTRA_OUTBOX_RETRY_JITTER', 'false', null],
    ['SUTRA_OUTBOX_RETRY_JITTER', 'yes', /true or false/],
    ['SUTRA_OUTBOX_RETRY_JITTER', 'TRUE', /true or false/],
    ['SUTRA_OUTBOX_RETRY_MAX_ATTEMPTS', '1', null],
    ['SUTRA_OUTBOX_RETRY_MAX_ATTEMPTS', '0', /from 1 to/],
    ['SUTRA_INSTANCE_RETENTION', 'PT0S', null],
    ['SUTRA_INBOX_RETENTION', 'PT0S', /longer than PT0S/],
    ['SUTRA_DEAD_LETTER_RETENTION', 'PT0S', /longer than PT0S/],
    ['SUTRA_DEAD_LETTER_MAX_COUNT', '0', null],
    ['SUTRA_DEAD_LETTER_MAX_COUNT', '1000001', /1000000/],
    ['SUTRA_DATA_DIR', ' x', /must be a path/],
    ['SUTRA_DATA_DIR', 'a\0b', /control character/],
  ];
  for (const [variable, value, refusal] of values) {
    test(`${variable}=${JSON.stringify(value)} is ${refusal === null ? 'accepted' : 'refused'}`, () => {
      const faults = faultsOf({ cwd: dir, env: { [variable]: value } });
      if (refusal === null) {
        assert.deepEqual(faults, []);
      } else {
        assert.equal(faults.length, 1, faults.join('\n'));
        assert.match(faults[0] ?? '', refusal);
      }
    });
  }
});

describe('values that contradict each other', () => {
  const rows: readonly (readonly [string, Record<string, string>, readonly RegExp[]])[] = [
    [
      'default lock over its ceiling',
      { SUTRA_EXTERNAL_TASK_MAX_LOCK_DURATION: 'PT10S' },
      [
        /^CONTRADICTION .*default-lock-duration PT30S exceeds .*max-lock-duration PT10S: .*from default, .*from environment/,
      ],
    ],
    ['default lock at its ceiling', { SUTRA_EXTERNAL_TASK_MAX_LOCK_DURATION: 'PT30S' }, []],
    [
      'retries over their ceiling',
      { SUTRA_EXTERNAL_TASK_RETRIES: '1001' },
      [/retries 1001 exceeds .*max-retries 1000/],
    ],
    [
      'retry timeout over its ceiling',
      { SUTRA_EXTERNAL_TASK_RETRY_TIMEOUT: 'P2D' },
      [/retry-timeout P2D exceeds/],
    ],
    ['base delay over max delay', { SUTRA_OUTBOX_RETRY_BASE_DELAY: 'PT6M' }, [/base-delay PT6M exceeds/]],
    [
      'history that goes before its instance',
      { SUTRA_HISTORY_RETENTION: 'P6D' },
      [/^CONTRADICTION sutra\.history\.retention P6D is less than sutra\.instance\.retention P7D: /],
    ],
    ['history as long as its instance', { SUTRA_HISTORY_RETENTION: 'P7D' }, []],
    ['history of instances that are not kept', { SUTRA_INSTANCE_RETENTION: 'PT0S' }, []],
    [
      'open admin on an open host',
      { SUTRA_ADMIN_OPEN: 'true', SUTRA_HTTP_HOST: '0.0.0.0' },
      [/other machines/],
    ],
    ['open admin on a loopback host', { SUTRA_ADMIN_OPEN: 'true', SUTRA_HTTP_HOST: '127.1.2.3' }, []],
    ['open admin on localhost', { SUTRA_ADMIN_OPEN: 'true', SUTRA_HTTP_HOST: 'localhost' }, []],
    [
      'a name that only begins like loopback',
      { SUTRA_ADMIN_OPEN: 'true', SUTRA_HTTP_HOST: '127.0.0.1.example' },
      [/other machines/],
    ],
    [
      'open admin with a key',
      { SUTRA_ADMIN_OPEN: 'true', SUTRA_ADMIN_API_KEY: 'env:KEY', KEY: 'k' },
      [/the key would protect nothing/],
    ],
    [
      'a wrong value is not judged again',
      { SUTRA_EXTERNAL_TASK_MAX_LOCK_DURATION: 'PT' },
      [/^VALUE_INVALID/],
    ],
  ];
  for (const [name, env, expected] of rows) {
    test(name, () => {
      const faults = faultsOf({ cwd: dir, env });
      assert.equal(faults.length, expected.length, faults.join('\n'));
      for (const [index, pattern] of expected.entries()) {
        assert.match(faults[index] ?? '', pattern);
      }
    });
  }

  test('a contradiction of the file is shown at its place', () => {
    const cwd = folderWith('sutra:\n  external-task:\n    max-retries: 2\n');
    assert.match(faultsOf({ cwd, env: {} })[0] ?? '', /^CONTRADICTION 3:18/);
  });
});

describe('files that cannot be settings', () => {
  const rows: Readonly<Record<string, readonly [string | Uint8Array, RegExp]>> = {
    'a thousand levels of maps': [
      Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:`)
        .slice(0, 600)
        .join('\n'),
      /^FILE_MALFORMED \d+:\d+ the file nests deeper than 16 levels/,
    ],
    'a hundred thousand brackets': [
      '['.repeat(50_000) + ']'.repeat(50_000),
      /^FILE_MALFORMED 1:\d+ .*deeper than 16/,
    ],
    'many aliases of aliases': [
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n',
      /^FILE_MALFORMED 1:7 "a" is a list/,
    ],
    'an alias': [
      'sutra.http.host: &h localhost\nsutra.data-dir: *h\n',
      /^FILE_MALFORMED 2:17 .*is a YAML alias/,
    ],
    'a merge key': ['a: &a {b: 1}\nsutra:\n  <<: *a\n', /^FILE_MALFORMED 3:7 .*is a YAML alias/],
    'a list': ['- a\n- b\n', /^FILE_MALFORMED 1:1 the file must be a map/],
    'a text': ['hello', /^FILE_MALFORMED 1:1 the file must be a map/],
    'a syntax fault': ['sutra: {http: {port: 1}\n', /^FILE_MALFORMED \d:\d+ the file is not valid YAML/],
    'a tab as indentation': ['sutra:\n\thttp: 1\n', /^FILE_MALFORMED 2:\d the file is not valid YAML/],
    'two documents': ['sutra: {}\n---\nsutra: {}\n', /^FILE_MALFORMED 2:1 .*more than one/],
    'an unknown tag': ['sutra.http.host: !run rm\n', /^FILE_MALFORMED 1:18 the file is not valid YAML/],
    'a map as key': ['{a: 1}: 2\n', /^FILE_MALFORMED 1:1 a key must be plain text/],
    'not UTF-8': [Uint8Array.of(0x73, 0xff, 0xfe), /^FILE_MALFORMED 1:1 the file is not UTF-8/],
    'too large': ['#'.repeat(262_145), /^FILE_MALFORMED 1:1 the file has 262145 bytes; the limit is 262144/],
  };
  for (const [name, [yaml, expected]] of Object.entries(rows)) {
    test(`${name}: refused, with its place`, () => {
      assert.match(faultsOf({ cwd: folderWith(yaml), env: {} })[0] ?? '', expected);
    });
  }

  test('a file that was named must exist; the default one need not', () => {
    const cwd = folderWith(null);
    assert.match(
      faultsOf({ cwd, env: { SUTRA_CONFIG: 'no.yaml' } })[0] ?? '',
      /^FILE_UNREADABLE .*no.yaml.*ENOENT/,
    );
    assert.match(
      faultsOf({ cwd, env: { SUTRA_CONFIG: '' } })[0] ?? '',
      /^FILE_UNREADABLE SUTRA_CONFIG is empty/,
    );
    assert.match(faultsOf({ cwd, env: {}, configFile: cwd })[0] ?? '', /^FILE_UNREADABLE .*EISDIR/);
  });
});

describe('secrets', () => {
  const secretsDir = join(dir, 'secrets');
  mkdirSync(secretsDir);
  writeFileSync(join(secretsDir, 'admin-key'), 'from-file\n');
  writeFileSync(join(secretsDir, 'blank'), '\n');
  const loadKey = (reference: string, env: Record<string, string> = {}): string[] =>
    faultsOf({ cwd: dir, secretsDir, env: { SUTRA_ADMIN_API_KEY: reference, ...env } });

  test('references lead to an environment variable or a file', () => {
    const env = { SUTRA_ADMIN_API_KEY: 'env:KEY', KEY: 'from-env' };
    assert.equal(loadSettings({ cwd: dir, env }).settings.admin.apiKey, 'from-env');
    const fileEnv = { SUTRA_ADMIN_API_KEY: 'secret:admin-key' };
    assert.equal(loadSettings({ cwd: dir, secretsDir, env: fileEnv }).settings.admin.apiKey, 'from-file');
  });

  const rows: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['env:KEY', {}, /^SECRET_UNRESOLVED .*variable KEY is not set/],
    ['env:KEY', { KEY: '' }, /^SECRET_UNRESOLVED .*variable KEY is empty/],
    ['env:toString', {}, /^SECRET_UNRESOLVED .*toString is not set/],
    ['env:A B', {}, /^SECRET_UNRESOLVED .*not the name of an environment variable/],
    ['env:SUTRA_HTTP_HOST', { SUTRA_HTTP_HOST: 'localhost' }, /^SECRET_UNRESOLVED .*names a setting/],
    ['secret:absent', {}, /^SECRET_UNRESOLVED .*absent cannot be read \(ENOENT\)/],
    ['secret:blank', {}, /^SECRET_UNRESOLVED .*blank is empty/],
    ['secret:../load', {}, /^SECRET_UNRESOLVED .*not the plain name of a file/],
    ['secret:.', {}, /^SECRET_UNRESOLVED .*not the plain name of a file/],
    ['secret:', {}, /^SECRET_UNRESOLVED .*not the plain name of a file/],
  ];
  for (const [reference, env, expected] of rows) {
    test(`${reference} with ${JSON.stringify(env)} is a fault`, () => {
      assert.match(loadKey(reference, env)[0] ?? '', expected);
    });
  }

  test('a literal secret is refused and never shown', () => {
    const faults = loadKey('hunter2-literal');
    assert.match(faults[0] ?? '', /^VALUE_INVALID .*must be a reference/);
    assert.ok(!faults.join().includes('hunter2'));
  });

  test('a refused database URL does not show its password', () => {
    const faults = faultsOf({ cwd: dir, env: { SUTRA_DATASOURCE_URL: 'mysql://u:hunter2@h/db' } });
    assert.ok(faults.length === 1 && !faults.join().includes('hunter2'));
  });

  test('the references of channels are resolved by the same rules', () => {
    const { secrets } = loadSettings({ cwd: dir, secretsDir, env: { TOKEN: 't' } });
    assert.deepEqual(secrets.resolve('env:TOKEN'), { ok: true, secret: 't' });
    assert.deepEqual(secrets.resolve('secret:admin-key'), { ok: true, secret: 'from-file' });
    const literal = secrets.resolve('hunter2');
    assert.ok(!literal.ok && !literal.message.includes('hunter2'));
  });
});
