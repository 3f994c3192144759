import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Finding } from '../../config/engine-error.ts';
import { compilePackage, type CompileOptions } from '../../definitions/package.ts';
import type { PackageFile } from '../../definitions/package-model.ts';

const encoder = new TextEncoder();

function files(contents: Readonly<Record<string, string>>): PackageFile[] {
  return Object.entries(contents).map(([path, content]) => ({ path, content: encoder.encode(content) }));
}

/** Lines 1 to 3 open the process; `body` begins at line 4. */
function model(body: string, processId = 'order'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:q="urn:sutra:q:1.0" targetNamespace="x">
<process id="${processId}" isExecutable="true">
${body}
</process></definitions>`;
}

const start = (source: string, id = 'start'): string =>
  `<startEvent id="${id}"><extensionElements><q:source ${source}/></extensionElements></startEvent>`;
const flow = (id: string, from: string, to: string): string =>
  `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}"/>`;

const orderModel = model(
  [
    start('channel="orders"'),
    flow('f1', 'start', 'score'),
    '<serviceTask id="score" implementation="channel:score-request"/>',
    flow('f2', 'score', 'end'),
    '<endEvent id="end"/>',
  ].join('\n'),
);

const labels = 'labels:\n  tenant: acme\n  module: scoring\n  version: "1.0.0"\n';
const channels = `channels:
  - name: orders
    transport: http
  - name: score-request
    transport: pull
  - name: notify
    transport: http
    bind: https://example.com/notify
  - name: fire
    transport: pull
    direction: outbound
  - name: news
    transport: local
    broadcast: true
`;
const good = { 'package.yaml': labels, 'channels.yaml': channels, 'bpmn/order.bpmn': orderModel };

function findingsOf(
  contents: Readonly<Record<string, string>>,
  options: CompileOptions = {},
): readonly Finding[] {
  return compilePackage(files(contents), options).findings;
}

/** A package whose only model has `body`. */
const withBody = (body: string): Record<string, string> => ({ ...good, 'bpmn/order.bpmn': model(body) });

/** A model of one task between a start on `orders` and an end. The task stands at line 5. */
const withTask = (task: string): Record<string, string> =>
  withBody(
    [
      `${start('channel="orders"')}${flow('f1', 'start', 'task')}`,
      task,
      `${flow('f2', 'task', 'end')}<endEvent id="end"/>`,
    ].join('\n'),
  );

describe('a package', () => {
  it('that is right becomes a model', () => {
    const { model: compiled, findings } = compilePackage(files(good));
    assert.deepStrictEqual(findings, []);
    assert.deepStrictEqual(compiled?.identity, { tenant: 'acme', module: 'scoring', version: '1.0.0' });
    assert.deepStrictEqual(
      [...compiled.channels.keys()],
      ['orders', 'score-request', 'notify', 'fire', 'news'],
    );
    assert.deepStrictEqual([...compiled.processes.keys()], ['order']);
    assert.deepStrictEqual(
      compiled.files.map(({ path }) => path),
      ['bpmn/order.bpmn', 'channels.yaml', 'package.yaml'],
    );
  });

  it('has an id made of its sorted paths and digests', () => {
    const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
    const list = Object.entries(good)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([path, content]) => `${path}\n${digest(content)}\n`)
      .join('');
    const { model: compiled } = compilePackage(files(good));
    assert.equal(compiled?.deploymentId, `dep-${digest(list).slice(0, 24)}`);
    assert.equal(compilePackage(files(good).reverse()).model?.deploymentId, compiled.deploymentId);
    const changed = compilePackage(files({ ...good, 'README.md': 'hello' })).model;
    assert.notEqual(changed?.deploymentId, compiled.deploymentId);
  });

  it('takes its labels from the folder when it has no package.yaml, and keeps them among its files', () => {
    const { 'package.yaml': _, ...rest } = good;
    const { model: compiled } = compilePackage(files(rest), { folderName: 'acme--scoring--1.0.0' });
    assert.ok(compiled !== null);
    assert.deepStrictEqual(compiled.identity, { tenant: 'acme', module: 'scoring', version: '1.0.0' });
    const again = compilePackage(compiled.files);
    assert.deepStrictEqual(again.findings, []);
    assert.equal(again.model?.deploymentId, compiled.deploymentId);
    const elsewhere = compilePackage(files(rest), { folderName: 'other--scoring--1.0.0' });
    assert.notEqual(elsewhere.model?.deploymentId, compiled.deploymentId);
  });

  it('reads its schemas by folder and name', () => {
    const { model: compiled, findings } = compilePackage(
      files({
        ...good,
        'channels.yaml': channels.replace('transport: http\n', 'transport: http\n    codec: urn:order-v1\n'),
        'schemas/order-v1/default.json': '{"type":"object","required":["id"]}',
        'schemas/order-v1/order.cancelled.json': 'true',
      }),
    );
    assert.deepStrictEqual(findings, []);
    assert.deepStrictEqual(
      [...(compiled?.schemas.get('order-v1')?.keys() ?? [])],
      ['default', 'order.cancelled'],
    );
  });

  it('may use a channel in every way that its direction allows', () => {
    const tasks = [
      '<serviceTask id="task" implementation="channel:notify"/>',
      '<serviceTask id="task" implementation="channel:news"/>',
      '<serviceTask id="task" implementation="channel:fire"><extensionElements><q:source channel="orders"/></extensionElements></serviceTask>',
      '<sendTask id="task"><extensionElements><q:send channel="fire"/></extensionElements></sendTask>',
      '<sendTask id="task"><extensionElements><q:send destination="payload.channel"/></extensionElements></sendTask>',
      '<receiveTask id="task"><extensionElements><q:source channel="score-request"/></extensionElements></receiveTask>',
    ];
    for (const task of tasks) assert.deepStrictEqual(findingsOf(withTask(task)), [], task);
  });

  it('may start several processes where message types or a broadcast tell them apart', () => {
    const starts = (...sources: readonly string[]): Record<string, string> => ({
      ...good,
      ...Object.fromEntries(
        sources.map((source, index) => [
          `bpmn/${index}.bpmn`,
          model(`${start(source)}${flow('f', 'start', 'end')}<endEvent id="end"/>`, `p${index}`),
        ]),
      ),
      'bpmn/order.bpmn': model(`${start('channel="news"')}${flow('f', 'start', 'end')}<endEvent id="end"/>`),
    });
    const apart = [
      ['channel="orders" messageTypeValue="a"', 'channel="orders" messageTypeValue="b"', 'channel="orders"'],
      ['channel="orders" messageTypeValue="order.new"', 'channel="orders" messageTypePattern="order.*"'],
      ['channel="orders" messageTypePattern="order.*"', 'channel="orders" messageTypePattern="invoice.*"'],
      ['channel="news"', 'channel="news"'],
    ];
    for (const sources of apart) assert.deepStrictEqual(findingsOf(starts(...sources)), [], sources.join());
    const competing = [
      ['channel="orders"', 'channel="orders"'],
      ['channel="orders" messageTypeValue="a"', 'channel="orders" messageTypeValue="a"'],
      ['channel="orders" messageTypePattern="order.*"', 'channel="orders" messageTypePattern="*.new"'],
    ];
    for (const sources of competing) {
      const found = findingsOf(starts(...sources));
      assert.deepStrictEqual(
        found.map(({ code, place }) => [code, place.file, place.line]),
        [['SUTRA.PACKAGE.START_AMBIGUOUS', 'bpmn/1.bpmn', 4]],
      );
      assert.match(found[0]?.message ?? '', /"start" of process "p0" and "start" of process "p1"/);
    }
  });
});

type Row = readonly [
  name: string,
  contents: Readonly<Record<string, string>>,
  code: string,
  place: Finding['place'],
  message: RegExp,
];

const label = (lines: string): Record<string, string> => ({ ...good, 'package.yaml': lines });
const schema = (text: string): Record<string, string> => ({ ...good, 'schemas/order/default.json': text });
const yamlPlace = (line: number, column: number): Finding['place'] => ({
  file: 'package.yaml',
  line,
  column,
});
const schemaPlace = (line: number, column: number): Finding['place'] => ({
  file: 'schemas/order/default.json',
  line,
  column,
});
const extra = (path: string): Record<string, string> => ({ ...good, [path]: '' });

const errors: readonly Row[] = [
  ['broken package.yaml', label('labels: {'), 'YAML_INVALID', yamlPlace(1, 10), /cannot be read/],
  ['empty package.yaml', label(''), 'VALUE_INVALID', yamlPlace(1, 1), /must be a mapping/],
  ['package.yaml without labels', label('{}'), 'LABEL_MISSING', yamlPlace(1, 1), /needs the key labels/],
  ['an unknown key', label(`${labels}owner: me\n`), 'KEY_UNKNOWN', yamlPlace(5, 1), /"owner"/],
  ['an unknown label', label(`${labels}  team: x\n`), 'KEY_UNKNOWN', yamlPlace(5, 3), /"team"/],
  [
    'a missing label',
    label(labels.replace(/ {2}module.*\n/, '')),
    'LABEL_MISSING',
    yamlPlace(2, 3),
    /needs the key module/,
  ],
  [
    'a number for a label',
    label(labels.replace('"1.0.0"', '1.0')),
    'VALUE_INVALID',
    yamlPlace(4, 12),
    /in quotes/,
  ],
  [
    'a label with a slash',
    label(labels.replace('acme', 'a/b')),
    'LABEL_INVALID',
    yamlPlace(2, 11),
    /"a\/b"; it must be/,
  ],
  [
    'a label with two dashes',
    label(labels.replace('acme', 'a--b')),
    'LABEL_INVALID',
    yamlPlace(2, 11),
    /without "--"/,
  ],
  [
    'a long label',
    label(labels.replace('acme', 'a'.repeat(64))),
    'LABEL_INVALID',
    yamlPlace(2, 11),
    /1 to 63/,
  ],
  ['no model', { 'package.yaml': labels }, 'MODEL_MISSING', {}, /no \.bpmn file .* no \.yaml file/],
  ['a path upwards', extra('../a'), 'PATH_UNSAFE', { file: '"../a"' }, /"\.\." segment/],
  ['an absolute path', extra('/etc/passwd'), 'PATH_UNSAFE', { file: '"/etc/passwd"' }, /absolute/],
  ['a drive', extra('C:/a'), 'PATH_UNSAFE', { file: '"C:/a"' }, /absolute/],
  ['a backslash', extra('bpmn\\a.bpmn'), 'PATH_UNSAFE', { file: '"bpmn\\\\a.bpmn"' }, /backslash/],
  ['a NUL in a path', extra('a\0'), 'PATH_UNSAFE', { file: '"a\\u0000"' }, /control character/],
  ['an empty segment', extra('bpmn//a.bpmn'), 'PATH_UNSAFE', { file: '"bpmn//a.bpmn"' }, /empty/],
  ['a broken schema', schema('{"type": \n nonsense}'), 'SCHEMA_INVALID', schemaPlace(2, 2), /cannot be read/],
  ['a schema of no type', schema('{"type":"orders"}'), 'SCHEMA_INVALID', schemaPlace(1, 1), /cannot be used/],
  [
    'a schema that refers outside',
    schema('{"$ref":"https://x.example/s"}'),
    'SCHEMA_INVALID',
    schemaPlace(1, 1),
    /cannot be used/,
  ],
  ['a list for a schema', schema('[]'), 'SCHEMA_INVALID', schemaPlace(1, 1), /an object or a boolean/],
  ['an asynchronous schema', schema('{"$async":true}'), 'SCHEMA_INVALID', schemaPlace(1, 1), /\$async/],
  [
    'a channel with an unknown schema',
    { ...good, 'channels.yaml': channels.replace('http\n', 'http\n    codec: urn:nothing\n') },
    'SCHEMA_UNKNOWN',
    { file: 'channels.yaml', line: 2, column: 5 },
    /schemas\/nothing/,
  ],
];

describe('faults of a package', () => {
  for (const [name, contents, code, place, message] of errors) {
    it(`are placed: ${name}`, () => {
      const { model: compiled, findings } = compilePackage(files(contents));
      assert.equal(compiled, null);
      assert.equal(findings.length, 1, JSON.stringify(findings, null, 1));
      assert.equal(findings[0]?.code, `SUTRA.PACKAGE.${code}`);
      assert.match(findings[0].message, message);
      assert.deepStrictEqual(findings[0].place, place);
    });
  }

  it('include a package without labels anywhere', () => {
    const { 'package.yaml': _, ...rest } = good;
    for (const folderName of [undefined, 'orders', 'a--b', 'a--b--c--d', 'a--b--..', 'a--b--']) {
      const [finding, ...more] = findingsOf(rest, folderName === undefined ? {} : { folderName });
      assert.equal(finding?.code, 'SUTRA.PACKAGE.LABEL_MISSING');
      assert.deepStrictEqual(more, []);
    }
  });

  it('include the same path twice', () => {
    const twice = [...files(good), ...files({ 'channels.yaml': 'channels: []' })];
    const found = compilePackage(twice).findings.map(({ code }) => code);
    assert.ok(found.includes('SUTRA.PACKAGE.PATH_DUPLICATE'));
  });

  it('include a process id that two files share, at the second', () => {
    const [finding, ...more] = findingsOf({
      ...good,
      'bpmn/x.bpmn': orderModel.replace('"orders"', '"news"'),
    });
    assert.deepStrictEqual(more, []);
    assert.equal(finding?.code, 'SUTRA.PACKAGE.PROCESS_DUPLICATE');
    assert.deepStrictEqual([finding.place.file, finding.place.line], ['bpmn/x.bpmn', 3]);
    assert.match(finding.message, /already in bpmn\/order\.bpmn/);
  });

  const uses: readonly (readonly [task: string, code: string, message: RegExp])[] = [
    ['<serviceTask id="task" implementation="channel:score"/>', 'CHANNEL_UNKNOWN', /"score"; the nearest is/],
    [
      '<serviceTask id="task" implementation="channel:orders"/>',
      'CHANNEL_DIRECTION',
      /sends to channel "orders", which is inbound/,
    ],
    ['<serviceTask id="task" implementation="channel:fire"/>', 'CHANNEL_DIRECTION', /No answer can come/],
    [
      '<serviceTask id="task" implementation="channel:fire"><extensionElements><q:source channel="notify"/></extensionElements></serviceTask>',
      'CHANNEL_DIRECTION',
      /takes messages from channel "notify", which is outbound/,
    ],
    [
      '<sendTask id="task"><extensionElements><q:send channel="nowhere"/></extensionElements></sendTask>',
      'CHANNEL_UNKNOWN',
      /"nowhere"/,
    ],
    [
      '<sendTask id="task"><extensionElements><q:send destination="&quot;orders&quot;"/></extensionElements></sendTask>',
      'CHANNEL_DIRECTION',
      /"orders"/,
    ],
    [
      '<receiveTask id="task"><extensionElements><q:source channel="notify"/></extensionElements></receiveTask>',
      'CHANNEL_DIRECTION',
      /"notify"/,
    ],
    [
      '<userTask id="task"><extensionElements><q:source channel="nobody"/></extensionElements></userTask>',
      'CHANNEL_UNKNOWN',
      /"nobody"/,
    ],
  ];
  for (const [task, code, message] of uses) {
    it(`include ${code} at ${task.slice(0, 70)}`, () => {
      const findings = findingsOf(withTask(task));
      assert.deepStrictEqual(
        findings.map((finding) => [finding.code, finding.place.file, finding.place.line]),
        [[`SUTRA.PACKAGE.${code}`, 'bpmn/order.bpmn', 5]],
      );
      assert.match(findings[0]?.message ?? '', message);
    });
  }

  it('of channels.yaml do not make its channels unknown to the models', () => {
    const found = findingsOf({
      ...good,
      'channels.yaml': channels.replace('transport: pull', 'transport: pull\n    broadcast: 1'),
    });
    assert.deepStrictEqual(
      found.map(({ code }) => code),
      ['SUTRA.CHANNELS.VALUE_INVALID'],
    );
    const broken = findingsOf({ ...good, 'channels.yaml': 'channels: [' });
    assert.deepStrictEqual(
      broken.map(({ code }) => code),
      ['SUTRA.CHANNELS.YAML_INVALID'],
    );
  });

  it('of all files are reported together', () => {
    const found = findingsOf({
      'package.yaml': 'labels: {tenant: "?"}',
      'channels.yaml': channels.replace(
        'transport: pull\n',
        'transport: pull\n    bind: pull://a/b/c/d\n    broadcast: 1\n',
      ),
      'bpmn/order.bpmn': '<nonsense',
      'schemas/a/b.json': '{',
    }).map(({ code }) => code);
    for (const code of [
      'PACKAGE.LABEL_INVALID',
      'PACKAGE.LABEL_MISSING',
      'CHANNELS.VALUE_INVALID',
      'PACKAGE.SCHEMA_INVALID',
    ]) {
      assert.ok(found.includes(`SUTRA.${code}`), `${code} of ${found.join()}`);
    }
    assert.ok(
      found.some((code) => code.startsWith('SUTRA.XML.')),
      found.join(),
    );
  });

  it('include a task policy over the ceilings, when these are given', () => {
    const contents = {
      ...good,
      'channels.yaml': channels.replace('pull\n', 'pull\n    task: {retries: 4}\n'),
    };
    assert.deepStrictEqual(findingsOf(contents), []);
    const ceilings = { maxLockDurationMs: 1, maxRetries: 3, maxRetryTimeoutMs: 1 };
    assert.deepStrictEqual(
      findingsOf(contents, { ceilings }).map(({ code }) => code),
      ['SUTRA.CHANNELS.CEILING_EXCEEDED'],
    );
  });
});

describe('warnings', () => {
  const paths = ['notes.txt', 'order.bpmn', 'src/a.ts', 'bpmn/a.xml', 'schemas/a.json', 'schemas/a/b/c.json'];
  for (const path of [...paths, 'rules/a.txt', 'price.dmn', 'flows/a.txt', '__proto__/a', 'constructor/a']) {
    it(`say that nothing reads ${path}`, () => {
      const { model: compiled, findings } = compilePackage(files(extra(path)));
      assert.ok(compiled !== null);
      assert.deepStrictEqual(
        findings.map(({ code, severity, place }) => [code, severity, place.file]),
        [['SUTRA.PACKAGE.FILE_UNUSED', 'warning', path]],
      );
    });
  }

  it('are not given for what people read', () => {
    for (const path of ['README.md', 'LICENSE', 'CHANGELOG.md'])
      assert.deepStrictEqual(findingsOf(extra(path)), []);
  });

  it('say that templates are not used', () => {
    const [finding] = findingsOf(extra('templates/a.yaml'));
    assert.deepStrictEqual([finding?.code, finding?.severity], ['SUTRA.PACKAGE.NOT_EXECUTED', 'warning']);
  });

  it('say when the folder contradicts the labels', () => {
    const { model: compiled, findings } = compilePackage(files(good), { folderName: 'acme--scoring--2.0.0' });
    assert.equal(compiled?.identity.version, '1.0.0');
    assert.deepStrictEqual(
      findings.map(({ code, severity }) => [code, severity]),
      [['SUTRA.PACKAGE.LABEL_MISMATCH', 'warning']],
    );
    assert.deepStrictEqual(findingsOf(good, { folderName: 'upload' }), []);
  });
});
