/**
 * Secrets by reference: `env:NAME` is an environment variable, `secret:NAME` the file
 * `/run/secrets/NAME`, where container platforms mount them.
 *
 * A resolved secret is never part of a message, and a reference never leaves the secrets folder.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoteText } from './quote-text.ts';

export type SecretResult =
  { readonly ok: true; readonly secret: string } | { readonly ok: false; readonly message: string };

/** Resolves references of the configuration and of channels. Reads at every call: secrets rotate. */
export interface SecretSource {
  resolve(reference: string): SecretResult;
}

export const DEFAULT_SECRETS_DIR = '/run/secrets';

const MAX_SECRET_BYTES = 65_536;

export function secretSource(
  environment: Readonly<Record<string, string | undefined>>,
  secretsDir: string = DEFAULT_SECRETS_DIR,
): SecretSource {
  return {
    resolve: (reference) => {
      const [, kind, name] = /^(env|secret):(.*)$/s.exec(reference) ?? [];
      if (kind === undefined || name === undefined) {
        // Not quoted: it may be the secret itself.
        return refuse('a secret must be a reference, env:NAME or secret:NAME');
      }
      return kind === 'env' ? fromEnvironment(environment, name) : fromFile(secretsDir, name);
    },
  };
}

function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): SecretResult {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,254}$/.test(name)) {
    return refuse(`env:${quoteText(name)} is not the name of an environment variable`);
  }
  if (name.startsWith('SUTRA_')) {
    return refuse(
      `env:${name} names a setting: give the variable of a secret a name that does not begin with SUTRA_`,
    );
  }
  const secret = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return secret === undefined || secret === ''
    ? refuse(`the environment variable ${name} is ${secret === undefined ? 'not set' : 'empty'}`)
    : { ok: true, secret };
}

function fromFile(secretsDir: string, name: string): SecretResult {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/.test(name)) {
    return refuse(`secret:${quoteText(name)} is not the plain name of a file`);
  }
  const path = join(secretsDir, name);
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return refuse(`${path} cannot be read (${code})`);
  }
  if (content.byteLength > MAX_SECRET_BYTES) {
    return refuse(`${path} has more than ${MAX_SECRET_BYTES} bytes`);
  }
  // Editors and `echo` end a file with a newline; it is not part of the secret.
  const secret = content.toString('utf8').replace(/\r?\n$/, '');
  return secret === '' ? refuse(`${path} is empty`) : { ok: true, secret };
}

function refuse(message: string): SecretResult {
  return { ok: false, message };
}
