import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCycles, findForbiddenImports, zoneOf } from './import-check.ts';
import { importRules } from './import-rules.ts';
import { findEmptyNames, findEnvironmentReads, findImpurities } from './source-check.ts';
import { folderExists, readSources } from './source-files.ts';
import type { Sources } from './source-files.ts';

const sources = readSources();

describe('the sources keep the rules', () => {
  test('every import is allowed by the table', () => {
    assert.deepEqual(findForbiddenImports(sources), []);
  });

  test('no files import each other in a circle', () => {
    assert.deepEqual(findCycles(sources), []);
  });

  test('the pure core reaches no clock, chance, queue or outside', () => {
    assert.deepEqual(findImpurities(sources), []);
  });

  test('only config/load.ts reads the environment', () => {
    assert.deepEqual(findEnvironmentReads(sources), []);
  });

  test('every file is named for what it holds', () => {
    assert.deepEqual(findEmptyNames(sources), []);
  });
});

describe('the rules are held against something', () => {
  for (const [zone, rule] of Object.entries(importRules)) {
    test(`${zone} ${rule.isPlanned === true ? 'is planned, or else has files' : 'exists and has files'}`, () => {
      const count = [...sources.keys()].filter((path) => zoneOf(path) === zone).length;
      assert.equal(rule.isPlanned === true ? folderExists(zone) : count === 0, false, `${count} files`);
    });
  }

  test('every source belongs to a zone of the table', () => {
    assert.deepEqual(
      [...sources.keys()].filter((path) => zoneOf(path) === null),
      [],
    );
  });

  test('what the table names exists', () => {
    const named = Object.values(importRules).flatMap((rule) => rule.ours.filter((own) => own !== '*'));
    const planned = Object.keys(importRules).filter((zone) => importRules[zone]?.isPlanned === true);
    const absent = named.filter((own) => !folderExists(own) && !planned.some((zone) => own.startsWith(zone)));
    assert.deepEqual(absent, []);
  });
});

describe('seeded violations are reported', () => {
  const one = (path: string, text: string): Sources => new Map([[path, text]]);

  const forbidden: readonly (readonly [string, string])[] = [
    ['config/a.ts', "import { x } from '../engine/core/x.ts';"],
    ['config/a.ts', "import { x } from 'express';"],
    ['config/a.ts', "import { x } from 'node:http';"],
    ['definitions/a.ts', "import { x } from '../config/load.ts';"],
    ['engine/core/a.ts', "import { x } from '../../config/engine-error.ts';"],
    ['engine/core/a.ts', "import type { X } from '../store/x.ts';"],
    ['engine/core/a.ts', "import { createHash } from 'node:crypto';"],
    ['engine/core/a.ts', "import { v7 } from 'uuid';"],
    ['engine/core/a.ts', "type X = import('../store/x.ts').X;"],
    ['engine/transport.ts', "import type { X } from '../config/engine-error.ts';"],
    ['engine/observe.ts', "import type { X } from './transport.ts';"],
    ['engine/store/a.ts', "import { x } from '../intake/x.ts';"],
    ['engine/store/a.ts', "import { x } from '../../definitions/model.ts';"],
    ['engine/intake/a.ts', "import { x } from '../relay/x.ts';"],
    ['engine/intake/a.ts', "import { x } from '../../channels/pull/x.ts';"],
    ['engine/relay/a.ts', "import { x } from '../intake/turn-queue.ts';"],
    ['engine/deployments/a.ts', "export { x } from '../intake/x.ts';"],
    ['channels/http/a.ts', "import { x } from '../../engine/store/x.ts';"],
    ['channels/http/a.ts', "import { x } from '../pull/x.ts';"],
    ['channels/pull/a.ts', "const x = await import('../../engine/intake/x.ts');"],
    ['channels/http/a.ts', "import { x } from '../../server/x.ts';"],
    ['server/a.ts', "import { x } from '../cli/x.ts';"],
    ['server/a.ts', "import { x } from '../test/x.ts';"],
    ['server/a.ts', "import pg from 'pg';"],
    ['cli/a.ts', "import { x } from '../engine/store/x.ts';"],
    ['examples/a.ts', "import { x } from '../server/engine.ts';"],
    ['examples/a.ts', "import express from 'express';"],
    ['elsewhere/a.ts', "import { x } from '../config/load.ts';"],
    ['server/a.ts', "import { x } from '../elsewhere/x.ts';"],
  ];
  for (const [path, text] of forbidden) {
    test(`${path}: ${text}`, () => {
      assert.equal(findForbiddenImports(one(path, text)).length, 1);
    });
  }

  const allowed: readonly (readonly [string, string])[] = [
    ['engine/store/a.ts', "import { x } from '../../config/engine-error.ts';"],
    ['engine/core/behaviour/a.ts', "import { x } from '../snapshot.ts';"],
    ['server/a.ts', "import { x } from '../channels/pull/x.ts';"],
    ['test/store/a.ts', "import { x } from '../../engine/store/x.ts'; import fc from 'fast-check';"],
    ['engine/core/a.ts', "// import { x } from 'node:fs';\nexport const text = \"import('node:fs')\";"],
  ];
  for (const [path, text] of allowed) {
    test(`allowed: ${path}: ${text}`, () => {
      assert.deepEqual(findForbiddenImports(one(path, text)), []);
    });
  }

  test('a circle of two files and one through a type import', () => {
    const circle = new Map([
      ['config/a.ts', "import { b } from './b.ts';"],
      ['config/b.ts', "import type { C } from './c.ts';"],
      ['config/c.ts', "import { a } from './a.ts';"],
      ['config/d.ts', "export * from './a.ts';"],
    ]);
    assert.deepEqual(findCycles(circle), ['config/a.ts -> config/b.ts -> config/c.ts -> config/a.ts']);
  });

  const impure: readonly string[] = [
    'Date.now()',
    'new Date()',
    'new Date',
    'Date()',
    'Math.random()',
    'setTimeout(f, 1)',
    'queueMicrotask(f)',
    'fetch("x")',
    'console.log(1)',
    'process.env',
    'process.hrtime()',
    'performance.now()',
    'crypto.randomUUID()',
    'globalThis.x',
    'async () => {}',
  ];
  for (const expression of impure) {
    test(`in the core: ${expression}`, () => {
      assert.notDeepEqual(findImpurities(one('engine/core/x/a.ts', `export const x = ${expression};`)), []);
    });
  }

  test('in the core, a process definition and a date of given milliseconds are fine', () => {
    const text = `export function f(process: P, ms: number) { return [process.id, new Date(ms), { fetch: 1 }.fetch]; }`;
    assert.deepEqual(findImpurities(one('engine/core/a.ts', text)), []);
    const hidden = `export function f(process: P) { return process.nextTick; }`;
    assert.equal(findImpurities(one('engine/core/a.ts', hidden)).length, 1);
  });

  test('reads of the environment', () => {
    for (const text of [
      'process.env.HOME;',
      'const { env } = process;',
      "import { env } from 'node:process';",
    ]) {
      assert.equal(findEnvironmentReads(one('server/a.ts', text)).length, 1, text);
      assert.equal(findEnvironmentReads(one('config/secrets.ts', text)).length, 1, text);
      assert.equal(findEnvironmentReads(one('config/load.ts', text)).length, 0, text);
      assert.equal(findEnvironmentReads(one('test/a.ts', text)).length, 0, text);
    }
  });

  test('names that say nothing', () => {
    for (const name of ['utils', 'helpers', 'common', 'types', 'lib', 'main', 'myFile', 'My-file']) {
      assert.equal(findEmptyNames(one(`server/${name}.ts`, '')).length, 1, name);
    }
    assert.deepEqual(findEmptyNames(one('server/node-types.ts', '')), []);
  });
});
