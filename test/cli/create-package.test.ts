import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createPackage, type Notation } from '../../cli/create-package.ts';
import { lintPackage } from '../../definitions/lint.ts';
import { readPackageFolder } from '../../definitions/package-folder.ts';
import { compilePackage } from '../../definitions/package.ts';
import type { PackageModel } from '../../definitions/package-model.ts';

const models = { flow: 'flows/orders.yaml', bpmn: 'bpmn/orders.bpmn' } as const;
const notations: readonly Notation[] = ['flow', 'bpmn'];

async function modelOf(folder: string): Promise<PackageModel> {
  const { model, findings } = compilePackage(await readPackageFolder(folder));
  assert.deepEqual(findings, []);
  assert.ok(model !== null);
  return model;
}

describe('a package that is created', () => {
  let root = '';
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'sutra-create-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  let count = 0;
  /** A new one. */
  const create = async (
    name: string,
    notation: Notation = 'flow',
    tenant = 'acme',
  ): Promise<{ readonly folder: string; readonly paths: readonly string[] }> => {
    count += 1;
    const folder = join(root, String(count), name);
    return { folder, paths: await createPackage(folder, { tenant, notation }) };
  };
  const wantsCode = (code: string, said: RegExp) => (error: unknown) => {
    assert.ok(error instanceof Error && 'code' in error);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, said);
    return true;
  };

  for (const notation of notations) {
    describe(`with its process as ${notation}`, () => {
      it('has the files that it says it has, and no others', async () => {
        const { folder, paths } = await create('orders', notation);
        assert.deepEqual(paths, [
          ...(notation === 'bpmn' ? ['README.md', models.bpmn] : ['README.md']),
          'channels.yaml',
          ...(notation === 'flow' ? [models.flow] : []),
          'package.yaml',
          'scenarios/orders.yaml',
          'schemas/request/default.json',
        ]);
        const files = await readPackageFolder(folder);
        assert.deepEqual(
          files.map(({ path }) => path),
          paths,
        );
      });

      it('lints clean and compiles, with the names that were asked for', async () => {
        const { folder } = await create('orders', notation);
        assert.deepEqual(await lintPackage(folder), []);
        const { identity, processes, channels } = await modelOf(folder);
        assert.deepEqual(identity, { tenant: 'acme', module: 'orders', version: '1.0.0' });
        assert.deepEqual([...processes.keys()], ['orders']);
        assert.equal(channels.get('requests')?.bind, 'POST /channels/orders/requests');
      });

      it('has nothing of the template left in it', async () => {
        const { folder } = await create('orders', notation);
        for (const { path, content } of await readPackageFolder(folder)) {
          assert.doesNotMatch(path + new TextDecoder().decode(content), /my-(?:package|tenant)/, path);
        }
      });

      it('has a page that names its files and no others', async () => {
        const { folder, paths } = await create('orders', notation);
        const readme = await readFile(join(folder, 'README.md'), 'utf8');
        const named = [...readme.matchAll(/^\| `([^`]+)`/gm)].map(([, path = '']) => path);
        assert.ok(named.length >= 5);
        for (const name of named)
          assert.ok(
            paths.some((path) => path.startsWith(name)),
            name,
          );
        for (const path of paths.filter((one) => one !== 'README.md')) {
          assert.ok(
            named.some((name) => path.startsWith(name)),
            path,
          );
        }
      });

      it('may be called by a word that YAML reads as something else', async () => {
        for (const name of ['null', 'true', 'no', 'e1', 'my-tenant', 'my-package', 'a-1-b']) {
          const { folder } = await create(name, notation, '1.0');
          const { identity, processes } = await modelOf(folder);
          assert.deepEqual([identity.module, identity.tenant, ...processes.keys()], [name, '1.0', name]);
        }
      });

      it('cannot have the name of an element of its process (C2)', async () => {
        for (const name of ['check', 'decide', 'start', 'end-accepted']) {
          await assert.rejects(
            create(name, notation),
            wantsCode(
              'SUTRA.CLI.NAME_INVALID',
              new RegExp(`^a package cannot be made with the name "${name}"`),
            ),
          );
          assert.deepEqual(await readdir(root).then((names) => names.includes(String(count))), false);
        }
      });
    });
  }

  it('is the same process in both notations', async () => {
    const [flow, bpmn] = await Promise.all(
      notations.map(async (notation) => {
        const { folder } = await create('orders', notation);
        const process = (await modelOf(folder)).processes.get('orders');
        assert.ok(process !== undefined);
        return {
          name: process.name,
          nodes: [...process.nodes.values()].map(({ id, kind, name, outgoing }) => [
            id,
            kind,
            name,
            outgoing,
          ]),
          conditions: [...process.flows.values()].map(({ id, condition }) => [id, condition?.text]),
        };
      }),
    );
    assert.deepEqual(flow, bpmn);
  });

  it('goes into a folder that is there and empty, and into no other (C1)', async () => {
    const empty = join(root, 'empty');
    await mkdir(empty);
    assert.equal((await createPackage(empty, { tenant: 'a', notation: 'bpmn' })).length, 6);
    const full = join(root, 'full');
    await mkdir(full);
    await writeFile(join(full, '.hidden'), '');
    for (const folder of [full, empty]) {
      const before = await readdir(folder);
      await assert.rejects(
        createPackage(folder, { tenant: 'a', notation: 'flow' }),
        wantsCode('SUTRA.CLI.FOLDER_NOT_EMPTY', /is not empty$/),
      );
      assert.deepEqual(await readdir(folder), before);
    }
  });

  it('is not written where it cannot be', async () => {
    const file = join(root, 'file');
    await writeFile(file, '');
    for (const folder of [file, join(file, 'orders')]) {
      await assert.rejects(
        createPackage(folder, { tenant: 'a', notation: 'bpmn' }),
        wantsCode('SUTRA.CLI.FOLDER_UNWRITABLE', /ENOTDIR$/),
      );
    }
  });

  const names = ['Orders', '1st', 'a_b', 'a--b', 'a-', '-a', 'a b', 'ä', 'a.b', 'a'.repeat(51), 'x\u001b'];
  for (const name of names) {
    it(`is not called ${JSON.stringify(name)}`, async () => {
      await assert.rejects(create(name), wantsCode('SUTRA.CLI.NAME_INVALID', /^the name "/));
    });
  }

  it('is for a tenant whose label can be in an address', async () => {
    for (const tenant of ['', 'a b', 'a--b', '-', "'", 'a'.repeat(64)]) {
      await assert.rejects(
        create('orders', 'bpmn', tenant),
        wantsCode('SUTRA.CLI.NAME_INVALID', /^the tenant "/),
      );
    }
  });
});
