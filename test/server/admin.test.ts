import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { EngineError } from '../../config/engine-error.ts';
import type { PackageFile } from '../../definitions/package-model.ts';
import { adminAccess } from '../../server/admin-access.ts';
import { packageFromJson, packageFromZip } from '../../server/package-upload.ts';
import {
  adminHeaders,
  assertProblem,
  rawExchange,
  startTestServer,
  testDeps,
  testSettings,
} from './fixture.ts';

const INSTANCE = '018f0000-0000-7000-8000-000000000001';
const RETRY = `/admin/instances/${INSTANCE}/retry`;

const retried = {
  ...testDeps().instances,
  retry: (instanceId: string) => Promise.resolve({ instanceId, status: 'running' as const }),
};
const withAdmin = (apiKey: string | null, isOpen: boolean) => ({
  ...testSettings,
  admin: { apiKey, isOpen },
});

describe('the admin routes', () => {
  it('take the key as a bearer token or as X-Api-Key, and nothing else', async () => {
    const server = await startTestServer({ instances: retried });
    try {
      const cases: readonly [headers: Record<string, string>, status: number, code: string | null][] = [
        [{}, 401, 'SUTRA.ADMIN.KEY_REQUIRED'],
        [{ authorization: 'Basic dGhlLWFkbWluLWtleQ==' }, 401, 'SUTRA.ADMIN.KEY_REQUIRED'],
        [{ authorization: 'Bearer ' }, 401, 'SUTRA.ADMIN.KEY_REQUIRED'],
        [{ authorization: 'Bearer wrong' }, 401, 'SUTRA.ADMIN.KEY_INVALID'],
        [{ authorization: 'Bearer the-admin-key2' }, 401, 'SUTRA.ADMIN.KEY_INVALID'],
        [{ 'x-api-key': 'the-admin-ke' }, 401, 'SUTRA.ADMIN.KEY_INVALID'],
        [{ authorization: 'bearer the-admin-key' }, 200, null],
        [{ 'x-api-key': 'the-admin-key' }, 200, null],
      ];
      for (const [headers, status, code] of cases) {
        const answer = await server.call('POST', RETRY, { headers });
        assert.equal(answer.status, status, JSON.stringify(headers));
        if (code !== null) {
          assertProblem(answer, status, code);
          assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
          assert.doesNotMatch(answer.text, /the-admin-key/);
        }
      }
    } finally {
      await server.stop();
    }
  });

  it('answer 503 when no key is configured', async () => {
    const server = await startTestServer({ instances: retried, settings: withAdmin(null, false) });
    assertProblem(await server.call('POST', RETRY, { headers: adminHeaders }), 503, 'SUTRA.ADMIN.DISABLED');
    await server.stop();
  });

  it('are open to this machine when the operator opened them, and not to web pages', async () => {
    const server = await startTestServer({ instances: retried, settings: withAdmin(null, true) });
    try {
      assert.equal((await server.call('POST', RETRY)).status, 200);
      const request = (headers: string): Promise<string> =>
        rawExchange(
          server.port,
          `POST ${RETRY} HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n${headers}\r\n`,
        );
      assert.match(await request(`Host: localhost:${String(server.port)}\r\n`), /^HTTP\/1\.1 200 /);
      assert.match(await request('Host: localhost\r\nOrigin: http://localhost\r\n'), /^HTTP\/1\.1 200 /);
      for (const headers of [
        'Host: attacker.example\r\n',
        'Host: localhost\r\nOrigin: https://attacker.example\r\n',
        'Host: localhost\r\nOrigin: null\r\n',
        'Host: localhost\r\nSec-Fetch-Site: cross-site\r\n',
      ]) {
        const answer = await request(headers);
        assert.match(answer, /^HTTP\/1\.1 403 /, headers);
        assert.match(answer, /SUTRA\.ADMIN\.ORIGIN_REFUSED/);
      }
    } finally {
      await server.stop();
    }
  });

  it('refuse an open surface to another machine', () => {
    const check = adminAccess({ apiKey: null, isOpen: true });
    assert.throws(
      () => {
        check({ headers: { host: 'localhost' }, remoteAddress: '10.0.0.1' });
      },
      { code: 'SUTRA.ADMIN.ORIGIN_REFUSED' },
    );
  });

  it('check the key before they read the body', async () => {
    const server = await startTestServer();
    const answer = await server.call('POST', '/admin/deployments', {
      body: '{"bro',
      headers: { 'content-type': 'application/json' },
    });
    assertProblem(answer, 401, 'SUTRA.ADMIN.KEY_REQUIRED');
    await server.stop();
  });

  it('deploy a zip and a JSON document, and say which was new', async () => {
    const deployed: { paths: string[]; folderName: string | null }[] = [];
    const server = await startTestServer({
      deployments: {
        ...testDeps().deployments,
        deploy: (files: readonly PackageFile[], folderName) => {
          deployed.push({
            paths: files.map((file) => `${file.path}=${Buffer.from(file.content).toString()}`),
            folderName,
          });
          return Promise.resolve({
            deploymentId: 'dep-000000000000000000000001',
            tenant: 'acme',
            module: 'shop',
            version: '1.0.0',
            isNew: deployed.length === 1,
            warnings: [{ code: 'SUTRA.X', severity: 'warning', message: 'm', place: { line: 1 } }],
          });
        },
      },
    });
    try {
      const zip = zipSync({
        'channels.yaml': strToU8('a'),
        'bpmn/order.bpmn': strToU8('b'),
        'bpmn/': new Uint8Array(),
      });
      const first = await server.call('POST', '/admin/deployments?folderName=acme--shop--1.0.0', {
        body: new Uint8Array(zip),
        headers: { ...adminHeaders, 'content-type': 'application/zip' },
      });
      assert.equal(first.status, 201);
      const second = await server.call('POST', '/admin/deployments', {
        json: {
          files: [
            { path: 'channels.yaml', text: 'a' },
            { path: 'x.bin', base64: 'Yg==' },
          ],
        },
        headers: adminHeaders,
      });
      assert.equal(second.status, 200);
      assert.deepEqual(deployed, [
        { paths: ['bpmn/order.bpmn=b', 'channels.yaml=a'], folderName: 'acme--shop--1.0.0' },
        { paths: ['channels.yaml=a', 'x.bin=b'], folderName: null },
      ]);
      const wrongType = await server.call('POST', '/admin/deployments', {
        body: 'x',
        headers: { ...adminHeaders, 'content-type': 'application/gzip' },
      });
      assertProblem(wrongType, 415, 'SUTRA.HTTP.CONTENT_TYPE_UNSUPPORTED');
    } finally {
      await server.stop();
    }
  });

  it('show the findings of a refused package', async () => {
    const findings = [
      {
        code: 'SUTRA.BPMN.X',
        severity: 'error',
        message: 'm',
        place: { file: 'a.bpmn', line: 3, column: 4 },
      },
    ];
    const server = await startTestServer({
      deployments: {
        ...testDeps().deployments,
        deploy: () =>
          Promise.reject(
            new EngineError('SUTRA.DEPLOYMENT.INVALID', 'one fault', { attributes: { findings } }),
          ),
      },
    });
    const answer = await server.call('POST', '/admin/deployments', {
      json: { files: [{ path: 'a', text: '' }] },
      headers: adminHeaders,
    });
    assertProblem(answer, 422, 'SUTRA.DEPLOYMENT.INVALID');
    assert.deepEqual((answer.json['attributes'] as Record<string, unknown>)['findings'], findings);
    await server.stop();
  });

  it('pass re-arming and discarding on to the pull surface', async () => {
    const seen: unknown[] = [];
    const task = { taskId: INSTANCE, channel: 'score-request', instanceId: INSTANCE };
    const server = await startTestServer({
      pull: {
        ...testDeps().pull,
        rearm: (id, body) => {
          seen.push([id, body]);
          return Promise.resolve({ ...task, retries: 3, status: 'PENDING' });
        },
        discard: (id) => {
          seen.push([id]);
          return Promise.resolve({ ...task, status: 'DISCARDED' });
        },
      },
    });
    const path = `/admin/external-tasks/${INSTANCE}`;
    await server.call('POST', `${path}/retries`, { json: { retries: 3 }, headers: adminHeaders });
    await server.call('POST', `${path}/retries`, { headers: adminHeaders });
    await server.call('DELETE', path, { headers: adminHeaders });
    assert.deepEqual(seen, [[INSTANCE, { retries: 3 }], [INSTANCE, undefined], [INSTANCE]]);
    await server.stop();
  });
});

describe('an uploaded package', () => {
  const refusesJson: readonly [title: string, body: unknown, code: string][] = [
    ['no object', [], 'SUTRA.HTTP.FIELD_INVALID'],
    ['an unknown field', { files: [], name: 'x' }, 'SUTRA.HTTP.FIELD_UNKNOWN'],
    ['no files', { files: [] }, 'SUTRA.HTTP.FIELD_INVALID'],
    ['files that are no array', { files: {} }, 'SUTRA.HTTP.FIELD_INVALID'],
    ['a file without content', { files: [{ path: 'a' }] }, 'SUTRA.HTTP.FIELD_INVALID'],
    [
      'a file with two contents',
      { files: [{ path: 'a', text: '', base64: '' }] },
      'SUTRA.HTTP.FIELD_INVALID',
    ],
    ['content that is no string', { files: [{ path: 'a', text: 1 }] }, 'SUTRA.HTTP.FIELD_INVALID'],
    ['broken base64', { files: [{ path: 'a', base64: 'a' }] }, 'SUTRA.HTTP.FIELD_INVALID'],
    ['an unknown field of a file', { files: [{ path: 'a', text: '', mode: 1 }] }, 'SUTRA.HTTP.FIELD_UNKNOWN'],
  ];
  for (const [title, body, code] of refusesJson) {
    it(`is refused with ${title}`, () => {
      assert.throws(() => packageFromJson(body), { code });
    });
  }

  it('is read from a zip, whose wrapping folder names it unless the request does', () => {
    const zip = zipSync({
      'acme--shop--1.0.0/channels.yaml': strToU8('a'),
      'acme--shop--1.0.0/bpmn/o.bpmn': strToU8('b'),
    });
    const wrapped = packageFromZip(zip, null);
    assert.deepEqual(
      wrapped.files.map((file) => file.path),
      ['bpmn/o.bpmn', 'channels.yaml'],
    );
    assert.equal(wrapped.folderName, 'acme--shop--1.0.0');
    assert.equal(packageFromZip(zip, 'other--shop--1.0.0').folderName, 'other--shop--1.0.0');
  });

  const refusesZip: readonly [title: string, bytes: Uint8Array<ArrayBuffer>, code: string][] = [
    ['bytes that are no zip', new Uint8Array([1, 2, 3]), 'SUTRA.PACKAGE.ARCHIVE_INVALID'],
    ['an empty archive', new Uint8Array(zipSync({})), 'SUTRA.PACKAGE.ARCHIVE_INVALID'],
    [
      'a path out of the package',
      new Uint8Array(zipSync({ '../../x': strToU8('x') })),
      'SUTRA.PACKAGE.PATH_UNSAFE',
    ],
    [
      'a bomb',
      new Uint8Array(zipSync({ 'bomb.txt': new Uint8Array(70 * 1024 * 1024) }, { level: 1 })),
      'SUTRA.PACKAGE.TOO_LARGE',
    ],
  ];
  for (const [title, body, code] of refusesZip) {
    it(`is refused over HTTP with ${title}`, async () => {
      const server = await startTestServer();
      const answer = await server.call('POST', '/admin/deployments', {
        body,
        headers: { ...adminHeaders, 'content-type': 'application/zip' },
      });
      assertProblem(answer, undefined, code);
      await server.stop();
    });
  }
});
