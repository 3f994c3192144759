/** `--header`: values are references, and no message shows one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { secretSource } from '../../config/secrets.ts';
import { credentialVariables, readHeader, resolveHeaders } from '../../cli/work/credentials.ts';

const secrets = secretSource({ TOKEN: 'hunter2\n', EMPTY: '' });

const good: readonly (readonly [text: string, headers: Readonly<Record<string, string>>])[] = [
  ['Authorization: Bearer env:TOKEN', { authorization: 'Bearer hunter2' }],
  ['authorization:env:TOKEN', { authorization: 'hunter2' }],
  ['X-Api-Key: env:TOKEN', { 'x-api-key': 'hunter2' }],
  ['X-Tenant: acme corp', { 'x-tenant': 'acme corp' }],
  ['X-Note: see env:TOKEN for more', { 'x-note': 'see env:TOKEN for more' }],
];

const bad: readonly (readonly [text: string, said: RegExp])[] = [
  ['Authorization', /'Name: value'/],
  ['Author ization: x', /'Name: value'/],
  ['X-A: ', /'Name: value'/],
  ['X-A: a\nb', /'Name: value'/],
  ['X-A: é', /'Name: value'/],
  ['Authorization: Bearer opensesame', /must be a reference/],
  ['Cookie: opensesame', /must be a reference/],
  ['Host: opensesame', /set by the client itself/],
  ['Content-Type: opensesame', /set by the client itself/],
];

describe('--header', () => {
  for (const [text, headers] of good) {
    it(`takes ${text}`, () => assert.deepEqual(resolveHeaders(readHeader(text), secrets), headers));
  }
  for (const [text, said] of bad) {
    it(`refuses ${JSON.stringify(text)}, without showing its value`, () => {
      assert.throws(
        () => readHeader(text),
        (error: unknown) =>
          error instanceof InvalidArgumentError &&
          said.test(error.message) &&
          !error.message.includes('opensesame'),
      );
    });
  }

  it('may be there for several names, each once', () => {
    const headers = readHeader('X-B: 2', readHeader('X-A: env:TOKEN'));
    assert.deepEqual(resolveHeaders(headers, secrets), { 'x-a': 'hunter2', 'x-b': '2' });
    assert.deepEqual(credentialVariables(headers), ['TOKEN']);
    assert.throws(() => readHeader('x-a: 1', headers), /there twice/);
  });

  it('says which variable lacks', () => {
    for (const name of ['EMPTY', 'MISSING']) {
      assert.throws(() => resolveHeaders(readHeader(`Authorization: env:${name}`), secrets), {
        code: 'SUTRA.CLI.CREDENTIAL_MISSING',
        message: new RegExp(name),
      });
    }
  });
});
