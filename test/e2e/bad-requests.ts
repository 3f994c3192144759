/** Requests that must be refused, as data: what is sent, and the status and code that answer it. */
import type { RawRequest } from './raw-client.ts';

export interface BadRequest extends RawRequest {
  readonly name: string;
  readonly status: number;
  readonly code: string;
}

/** No task has this id. */
export const noTask = '01a22a60-e956-7622-8e89-a9e125b7b5af';
const fetchPath = '/sutra/external-tasks/fetch-and-lock';
const completePath = `/sutra/external-tasks/${noTask}/complete`;
const failurePath = `/sutra/external-tasks/${noTask}/failure`;
const completeManyPath = '/sutra/external-tasks/complete';
const failManyPath = '/sutra/external-tasks/failure';
const json = { 'content-type': 'application/json' };
const yaml = { 'content-type': 'application/yaml' };

type Bytes = string | Uint8Array;
type Row = readonly [name: string, body: Bytes, code: string, status?: number];

const deepJson = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const CODEC = 'SUTRA.CODEC';

/** What is wrong with a JSON body wherever one is taken. */
const badJson: readonly Row[] = [
  ['text that ends too early', '{"a":', `${CODEC}.JSON_INVALID`],
  ['a trailing comma', '[1,]', `${CODEC}.JSON_INVALID`],
  ['keys without quotes', '{a: 1}', `${CODEC}.JSON_INVALID`],
  ['single quotes', "{'a': 1}", `${CODEC}.JSON_INVALID`],
  ['text after the value', '{} {}', `${CODEC}.JSON_INVALID`],
  ['a number with a leading zero', '{"a": 01}', `${CODEC}.JSON_INVALID`],
  ['NaN', '{"a": NaN}', `${CODEC}.JSON_INVALID`],
  ['a raw line break in a string', '{"a": "\n"}', `${CODEC}.JSON_INVALID`],
  ['nothing but white space', '  \n', `${CODEC}.JSON_INVALID`],
  ['a key that occurs twice', '{"a": 1, "\\u0061": 2}', `${CODEC}.KEY_DUPLICATE`],
  ['__proto__ twice', '{"__proto__": {"polluted": 1}, "__proto__": {}}', `${CODEC}.KEY_DUPLICATE`],
  ['an integer of 35 digits', `{"a": ${'9'.repeat(35)}}`, `${CODEC}.NUMBER_INEXACT`],
  ['a fraction that would be rounded', `{"a": 0.${'3'.repeat(35)}}`, `${CODEC}.NUMBER_INEXACT`],
  ['a number beyond all others', '{"a": 1e6145}', `${CODEC}.NUMBER_INEXACT`],
  ['a number below all others', '{"a": 1e-6177}', `${CODEC}.NUMBER_INEXACT`],
  ['an escaped NUL', '{"a": "\\u0000"}', `${CODEC}.TEXT_INVALID`],
  ['a raw NUL', '{"a": "\u0000"}', `${CODEC}.JSON_INVALID`],
  ['a NUL in a key', '{"\\u0000": 1}', `${CODEC}.TEXT_INVALID`],
  ['half of a surrogate pair', '{"a": "\\ud800"}', `${CODEC}.TEXT_INVALID`],
  ['the halves of a pair in the wrong order', '{"a": "\\ude00\\ud83d"}', `${CODEC}.TEXT_INVALID`],
  ['bytes that are not UTF-8', Buffer.from('{"a": "\xff"}', 'latin1'), `${CODEC}.TEXT_INVALID`],
  ['UTF-16', Buffer.from('{"a": 1}', 'utf16le'), `${CODEC}.JSON_INVALID`],
  ['201 levels', deepJson(201), `${CODEC}.TOO_DEEP`],
  ['1,000 levels', deepJson(1_000), `${CODEC}.TOO_DEEP`],
  ['100,000 levels', deepJson(100_000), `${CODEC}.TOO_DEEP`],
  ['100,000 objects in each other', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000), `${CODEC}.TOO_DEEP`],
  ['100,000 brackets that nobody closes', '['.repeat(100_000), `${CODEC}.TOO_DEEP`],
];

/** 500 levels of block mappings, with a list in each: within the size that is read at all. */
const deepYamlBlock = Array.from({ length: 500 }, (_, level) => `${' '.repeat(level)}- a:`).join('\n');
const yamlBomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
  .concat(
    'bcdefghi'.split('').map(
      (name, at) =>
        `${name}: &${name} [${Array(9)
          .fill(`*${'abcdefgh'[at] ?? ''}`)
          .join(', ')}]`,
    ),
  )
  .join('\n');

const badYaml: readonly Row[] = [
  ['1,000 levels of brackets', deepJson(1_000), `${CODEC}.PAYLOAD_INVALID`],
  ['1,000 levels of indentation and lists', deepYamlBlock, `${CODEC}.PAYLOAD_INVALID`],
  ['100,000 levels of brackets', '['.repeat(100_000), `${CODEC}.PAYLOAD_INVALID`],
  ['an alias bomb', yamlBomb, `${CODEC}.PAYLOAD_INVALID`],
  ['an anchor alone', 'a: &a 1', `${CODEC}.PAYLOAD_INVALID`],
  ['an unknown tag', 'a: !!js/function "return 1"', `${CODEC}.PAYLOAD_INVALID`],
  ['a tag that makes bytes', 'a: !!binary aGk=', `${CODEC}.PAYLOAD_INVALID`],
  ['two documents', '--- 1\n--- 2\n', `${CODEC}.PAYLOAD_INVALID`],
  ['a key that occurs twice', 'a: 1\na: 2\n', `${CODEC}.PAYLOAD_INVALID`],
  ['two keys that become one', '1: a\n"1": b\n', `${CODEC}.PAYLOAD_INVALID`],
  ['a list as a key', '[a]: b', `${CODEC}.PAYLOAD_INVALID`],
  ['an integer of 35 digits', `a: ${'9'.repeat(35)}`, `${CODEC}.NUMBER_INEXACT`],
  ['a hexadecimal integer of 39 digits', `a: 0x${'f'.repeat(32)}`, `${CODEC}.NUMBER_INEXACT`],
  ['a hexadecimal integer of 200,000 digits', `a: 0x${'f'.repeat(200_000)}`, `${CODEC}.NUMBER_INEXACT`],
  ['a fraction that would be rounded', `a: 0.${'3'.repeat(35)}`, `${CODEC}.NUMBER_INEXACT`],
  ['infinity', 'a: .inf', `${CODEC}.NUMBER_INEXACT`],
  ['not a number', 'a: .nan', `${CODEC}.NUMBER_INEXACT`],
  ['a NUL', 'a: "\\0"', `${CODEC}.TEXT_INVALID`],
  ['half of a surrogate pair', 'a: "\\uD800"', `${CODEC}.TEXT_INVALID`],
  ['bytes that are not UTF-8', Buffer.from('a: \xff', 'latin1'), `${CODEC}.PAYLOAD_INVALID`],
  ['more than 256 KiB', `a: ${'x'.repeat(262_144)}`, `${CODEC}.PAYLOAD_TOO_LARGE`, 413],
];

const KEY = 'SUTRA.INBOUND.DEDUP_KEY_INVALID';
const TYPE = 'SUTRA.CODEC.CONTENT_TYPE_UNSUPPORTED';

/** What HTTP and the channel refuse around the body. */
const badMessages: readonly BadRequest[] = [
  {
    name: 'an idempotency key of 256 characters',
    ...order({ 'idempotency-key': 'k'.repeat(256) }),
    status: 400,
    code: KEY,
  },
  { name: 'a blank idempotency key', ...order({ 'idempotency-key': ' ' }), status: 400, code: KEY },
  { name: 'an empty idempotency key', ...order({ 'idempotency-key': '' }), status: 400, code: KEY },
  {
    name: 'an idempotency key that fills the headers',
    ...order({ 'idempotency-key': 'k'.repeat(17_000) }),
    status: 431,
    code: 'SUTRA.HTTP.HEADERS_TOO_LARGE',
  },
  { name: 'XML', ...order({ 'content-type': 'application/xml' }, '<a/>'), status: 415, code: TYPE },
  {
    name: 'a form',
    ...order({ 'content-type': 'application/x-www-form-urlencoded' }, 'a=1'),
    status: 415,
    code: TYPE,
  },
  { name: 'a content type that is none', ...order({ 'content-type': 'json' }), status: 415, code: TYPE },
  {
    name: 'a compressed body',
    ...order({ 'content-encoding': 'gzip' }),
    status: 415,
    code: 'SUTRA.HTTP.CONTENT_ENCODING_UNSUPPORTED',
  },
  {
    name: '11 MB',
    ...order({}, `"${'x'.repeat(11_000_000)}"`),
    status: 413,
    code: 'SUTRA.HTTP.BODY_TOO_LARGE',
  },
  {
    name: '11 MB in chunks',
    ...order({}, `"${'x'.repeat(11_000_000)}"`),
    isChunked: true,
    status: 413,
    code: 'SUTRA.HTTP.BODY_TOO_LARGE',
  },
  {
    name: 'one byte over the cap of the channel',
    path: '/channels/small',
    headers: json,
    body: `"${'x'.repeat(99)}"`,
    status: 413,
    code: 'SUTRA.HTTP.BODY_TOO_LARGE',
  },
  {
    name: 'a dedup key that is null',
    path: '/channels/keyed',
    headers: json,
    body: '{"id": null}',
    status: 400,
    code: KEY,
  },
  {
    name: 'a dedup key that is a list',
    path: '/channels/keyed',
    headers: json,
    body: '{"id": [1]}',
    status: 400,
    code: KEY,
  },
  {
    name: 'a dedup key of 256 characters',
    path: '/channels/keyed',
    headers: json,
    body: JSON.stringify({ id: 'k'.repeat(256) }),
    status: 400,
    code: KEY,
  },
  {
    name: 'a CloudEvent that is none',
    ...order({ 'content-type': 'application/cloudevents+json' }, '[]'),
    status: 400,
    code: `${CODEC}.PAYLOAD_INVALID`,
  },
  {
    name: 'text with a NUL',
    path: '/channels/orders',
    headers: { 'content-type': 'text/plain' },
    body: 'a\u0000b',
    status: 400,
    code: `${CODEC}.PAYLOAD_INVALID`,
  },
  {
    name: 'text that is not UTF-8',
    path: '/channels/orders',
    headers: { 'content-type': 'text/plain' },
    body: Buffer.from('\xff', 'latin1'),
    status: 400,
    code: `${CODEC}.PAYLOAD_INVALID`,
  },
  {
    name: 'a payload against the schema',
    path: '/channels/strict',
    headers: json,
    body: '{"n": "1"}',
    status: 422,
    code: 'SUTRA.INBOUND.VALIDATION_FAILED',
  },
  {
    name: '__proto__ instead of the field that the schema wants',
    path: '/channels/strict',
    headers: json,
    body: '{"__proto__": {"n": 1}}',
    status: 422,
    code: 'SUTRA.INBOUND.VALIDATION_FAILED',
  },
  {
    name: 'a message that nobody waits for',
    path: '/channels/paid',
    headers: json,
    body: '{"orderId": "nobody"}',
    status: 422,
    code: 'SUTRA.INBOUND.NOT_CORRELATED',
  },
  {
    name: 'a correlation value of 100,000 characters',
    path: '/channels/paid',
    headers: json,
    body: JSON.stringify({ orderId: 'x'.repeat(100_000) }),
    status: 422,
    code: 'SUTRA.INBOUND.NOT_CORRELATED',
  },
  {
    name: 'a correlation id of an instance that is not there',
    path: '/channels/paid',
    headers: { ...json, 'correlation-id': `${noTask}:1` },
    body: '{}',
    status: 422,
    code: 'SUTRA.INBOUND.NOT_CORRELATED',
  },
  {
    name: 'a start whose alias is a list',
    path: '/channels/aliased',
    headers: json,
    body: '{"id": [1]}',
    status: 422,
    code: 'SUTRA.CORE.ALIAS_VALUE_INVALID',
  },
  {
    name: 'a start whose alias has 513 characters',
    path: '/channels/aliased',
    headers: json,
    body: JSON.stringify({ id: 'x'.repeat(513) }),
    status: 422,
    code: 'SUTRA.CORE.ALIAS_VALUE_INVALID',
  },
  {
    name: 'a channel that is not there',
    path: '/channels/nowhere',
    headers: json,
    body: '{}',
    status: 404,
    code: 'SUTRA.HTTP.ROUTE_UNKNOWN',
  },
  {
    name: 'a path that is not UTF-8',
    path: '/sutra/instances/%ff',
    method: 'GET',
    status: 400,
    code: 'SUTRA.HTTP.URL_INVALID',
  },
  {
    name: 'GET on a channel',
    path: '/channels/orders',
    method: 'GET',
    status: 405,
    code: 'SUTRA.HTTP.METHOD_NOT_ALLOWED',
  },
];

function order(
  headers: Readonly<Record<string, string>>,
  body: Bytes = '{}',
): Pick<BadRequest, 'path' | 'headers' | 'body'> {
  return { path: '/channels/orders', headers: { ...json, ...headers }, body };
}

const goodFetch = { workerId: 'w', channels: ['work'], asyncResponseTimeout: 'PT0S' };
const goodComplete = { workerId: 'w', result: {} };
const goodFailure = { workerId: 'w', errorMessage: 'm' };
type Fields = Readonly<Record<string, unknown>>;

/** Each value in the field, in an otherwise good request. */
function fields(
  path: string,
  good: Fields,
  name: string,
  ...values: readonly unknown[]
): readonly BadRequest[] {
  return values.map((value) => ({
    name: `${path.split('/').at(-1) ?? ''}: ${name} ${value === undefined ? 'missing' : shown(value)}`,
    path,
    headers: json,
    body: JSON.stringify({ ...good, [name]: value }),
    status: 400,
    code: 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID',
  }));
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 40 ? text : `${text.slice(0, 40)}… (${String(text.length)} characters)`;
}

const noText = [null, 1, true, [], {}] as const;
const noId = [...noText, '', '  ', '\t\n', 'x'.repeat(256)] as const;
const noDuration = [
  null,
  30,
  true,
  ['PT1S'],
  '',
  'soon',
  '30',
  '5m',
  'PT',
  'P1Y',
  'P1M',
  '-PT1S',
  'PT1S ',
] as const;
const noCount = [null, '1', 1.5, true, [1], {}] as const;

const badManyRequests: readonly BadRequest[] = [completeManyPath, failManyPath].flatMap((path) => {
  const good = { workerId: 'w', tasks: [{ id: noTask }] };
  const tooMany = Array.from({ length: 101 }, () => ({}));
  const twice = [{ id: noTask }, { id: noTask.toUpperCase() }];
  return [
    ...fields(path, good, 'workerId', undefined, ...noId),
    ...fields(path, good, 'tasks', undefined, null, 1, 'x', true, {}, [], tooMany, twice),
    ...fields(path, good, 'id', noTask),
  ];
});

const badTaskRequests: readonly BadRequest[] = [
  ...fields(fetchPath, goodFetch, 'workerId', undefined, ...noId),
  ...fields(
    fetchPath,
    goodFetch,
    'channels',
    undefined,
    null,
    'work',
    {},
    [],
    [1],
    [null],
    [''],
    ['  '],
    ['x'.repeat(256)],
    ['x'.repeat(300)],
    [['work']],
    Array(101).fill('work'),
  ),
  ...fields(fetchPath, goodFetch, 'lockDuration', ...noDuration, 'PT0S', 'PT1H0.001S', 'PT2H'),
  ...fields(fetchPath, goodFetch, 'maxTasks', ...noCount, 0, -1, 101, 1e300),
  ...fields(fetchPath, goodFetch, 'asyncResponseTimeout', ...noDuration, 'PT0.101S', 'PT1H'),
  ...fields(fetchPath, goodFetch, 'topics', ['work']),
  ...fields(fetchPath, goodFetch, '__proto', {}),
  ...fields(completePath, goodComplete, 'workerId', undefined, ...noId),
  ...fields(completePath, goodComplete, 'lockToken', ...noId),
  ...fields(completePath, goodComplete, 'completionId', ...noId),
  ...fields(completePath, goodComplete, 'resultBase64', 'aGk='),
  ...fields(completePath, { workerId: 'w' }, 'resultBase64', null, 1, {}, 'aGk', 'aGk=\n', 'a-_=', 'aGl='),
  ...fields(
    completePath,
    goodComplete,
    'contentType',
    null,
    1,
    '',
    'json',
    'application/json; charset=latin1',
    'image/png',
  ),
  ...fields(completePath, { workerId: 'w' }, 'contentType', 'application/json'),
  ...fields(completePath, { workerId: 'w', contentType: 'text/plain' }, 'result', {}, 1, null),
  ...fields(completePath, goodComplete, 'variables', {}),
  ...fields(failurePath, goodFailure, 'workerId', undefined, ...noId),
  ...fields(failurePath, goodFailure, 'lockToken', ...noId),
  ...fields(failurePath, goodFailure, 'errorMessage', undefined, ...noText),
  ...fields(failurePath, goodFailure, 'errorDetails', ...noText),
  ...fields(failurePath, goodFailure, 'retries', ...noCount, -1, 1001),
  ...fields(failurePath, goodFailure, 'retryTimeout', ...noDuration, 'P1DT0.001S', 'P2D'),
  ...fields(failurePath, goodFailure, 'error', 'e'),
  ...[fetchPath, completePath, failurePath].flatMap((path): BadRequest[] => [
    ...['[]', '"x"', '1', 'null'].map((body) => ({
      name: `${path}: ${body}`,
      path,
      headers: json,
      body,
      status: 400,
      code: 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID',
    })),
    {
      name: `${path}: __proto__ as a field`,
      path,
      headers: json,
      body: '{"__proto__": {"workerId": "w"}}',
      status: 400,
      code: 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID',
    },
    { name: `${path}: no body`, path, status: 400, code: 'SUTRA.HTTP.BODY_REQUIRED' },
    {
      name: `${path}: text`,
      path,
      headers: { 'content-type': 'text/plain' },
      body: '{}',
      status: 415,
      code: 'SUTRA.HTTP.CONTENT_TYPE_UNSUPPORTED',
    },
    {
      name: `${path}: no content type`,
      path,
      body: '{}',
      status: 415,
      code: 'SUTRA.HTTP.CONTENT_TYPE_UNSUPPORTED',
    },
    {
      name: `${path}: 11 MB`,
      path,
      headers: json,
      body: `"${'x'.repeat(11_000_000)}"`,
      status: 413,
      code: 'SUTRA.HTTP.BODY_TOO_LARGE',
    },
  ]),
];

const noUuid = [
  'x',
  '123',
  `${noTask}0`,
  noTask.slice(1),
  '00000000-0000-0000-0000-00000000000g',
  '%00',
  "'; DROP TABLE instance; --",
];
const badIds: readonly BadRequest[] = noUuid.flatMap((text) => {
  const id = text.startsWith('%') ? text : encodeURIComponent(text);
  const task = 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID';
  const operate = 'SUTRA.OPERATE.ID_INVALID';
  const rows: readonly [string, string, unknown, string][] = [
    ['POST', `/sutra/external-tasks/${id}/complete`, goodComplete, task],
    ['POST', `/sutra/external-tasks/${id}/failure`, goodFailure, task],
    ['POST', `/admin/external-tasks/${id}/retries`, {}, task],
    ['DELETE', `/admin/external-tasks/${id}`, undefined, task],
    ['GET', `/sutra/external-tasks/${id}`, undefined, operate],
    ['GET', `/sutra/instances/${id}`, undefined, operate],
    ['GET', `/sutra/instances/${id}/history`, undefined, operate],
    ['POST', `/sutra/instances/${id}/cancel`, {}, operate],
    ['POST', `/sutra/instances/${id}/user-tasks/1/complete`, { variables: {} }, operate],
    ['POST', `/admin/instances/${id}/retry`, undefined, operate],
    ['GET', `/sutra/deployments/${id}`, undefined, operate],
    ['DELETE', `/admin/deployments/${id}`, undefined, operate],
  ];
  return rows.map(([method, path, body, code]) => ({
    name: `${method} ${path}`,
    method,
    path,
    ...(body === undefined ? {} : { headers: json, body: JSON.stringify(body) }),
    status: 400,
    code,
  }));
});

function bodies(path: string, headers: Readonly<Record<string, string>>, rows: readonly Row[]): BadRequest[] {
  return rows.map(([name, body, code, status = 400]) => ({
    name: `${path}: ${name}`,
    path,
    headers,
    body,
    status,
    code,
  }));
}

export const badRequests: readonly BadRequest[] = [
  ...bodies('/channels/orders', json, badJson),
  ...bodies(fetchPath, json, badJson),
  ...bodies(completePath, json, badJson),
  ...bodies(completeManyPath, json, badJson),
  ...bodies('/channels/orders', yaml, badYaml),
  ...badMessages,
  ...badTaskRequests,
  ...badManyRequests,
  ...badIds,
];

/** Results that only the inbound path can refuse: content type, bytes, and the code of the cause. */
export const badResults: readonly (readonly [contentType: string, body: string, causeCode: string])[] = [
  ['application/json', '{"a":', `${CODEC}.JSON_INVALID`],
  ['application/json', '{"a": 1e6145}', `${CODEC}.NUMBER_INEXACT`],
  ['application/json', '{"a": "\\u0000"}', `${CODEC}.TEXT_INVALID`],
  ['application/json', '{"a": "\\ud800"}', `${CODEC}.TEXT_INVALID`],
  ['application/json', deepJson(100_000), `${CODEC}.TOO_DEEP`],
  ['application/yaml', yamlBomb, `${CODEC}.PAYLOAD_INVALID`],
  ['text/plain', 'a\u0000b', `${CODEC}.PAYLOAD_INVALID`],
  ['application/xml', '<a/>', TYPE],
];
