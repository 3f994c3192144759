/** `--header 'Authorization: Bearer env:NAME'`: what the engine, or a proxy before it, wants to see of each call. */
import { InvalidArgumentError } from 'commander';
import { EngineError } from '../../config/engine-error.ts';
import type { SecretSource } from '../../config/secrets.ts';
import type { CliCode } from '../codes.ts';

export interface HeaderOption {
  readonly name: string;
  /** Before the secret, as `Bearer `; the whole value when there is none. */
  readonly text: string;
  /** `env:NAME` or `secret:NAME`; null: the value is the text. */
  readonly reference: string | null;
}

const SHAPE = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)[ \t]*$/;
const REFERENCE = /^((?:[A-Za-z]+ )?)((?:env|secret):[\w.-]+)$/;
const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
]);
/** The client's own. */
const ownHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'transfer-encoding',
  'connection',
  'host',
]);

/** For each `--header`. */
export function readHeader(text: string, before: readonly HeaderOption[] = []): readonly HeaderOption[] {
  const [, name = '', value = ''] = SHAPE.exec(text) ?? [];
  const lowerName = name.toLowerCase();
  // The value is in no message: it may be what should have been a reference.
  if (name === '') throw new InvalidArgumentError("It must be 'Name: value'.");
  if (ownHeaders.has(lowerName)) throw new InvalidArgumentError(`${name} is set by the client itself.`);
  if (before.some((header) => header.name === lowerName))
    throw new InvalidArgumentError(`${name} is there twice.`);
  const [, prefix = '', reference = null] = REFERENCE.exec(value) ?? [];
  if (reference === null && secretHeaders.has(lowerName)) {
    throw new InvalidArgumentError(
      `${name} must be a reference, such as '${name}: Bearer env:NAME': a command line can be seen by others.`,
    );
  }
  return [...before, { name: lowerName, text: reference === null ? value : prefix, reference }];
}

/** Reads the secrets anew each time: they rotate. @throws EngineError SUTRA.CLI.CREDENTIAL_MISSING */
export function resolveHeaders(
  headers: readonly HeaderOption[],
  secrets: SecretSource,
): Record<string, string> {
  return Object.fromEntries(
    headers.map(({ name, text, reference }) => {
      if (reference === null) return [name, text];
      const found = secrets.resolve(reference);
      if (found.ok) return [name, `${text}${found.secret.trim()}`];
      const code: CliCode = 'SUTRA.CLI.CREDENTIAL_MISSING';
      throw new EngineError(code, `the header ${name} has no value: ${found.message}`);
    }),
  );
}

/** The variables that hold secrets of this process. */
export function credentialVariables(headers: readonly HeaderOption[]): readonly string[] {
  return headers.flatMap(({ reference }) =>
    reference?.startsWith('env:') === true ? [reference.slice('env:'.length)] : [],
  );
}
