/** `schemas/<folder>/<name>.json`: read exactly, and compiled once to see that each can be. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Finding } from '../config/engine-error.ts';
import { defaultJsonLimits, parseExactJson } from './exact-json.ts';
import type { PackageLayout } from './package-layout.ts';
import type { PackageModel } from './package-model.ts';

// The package is CommonJS: its typings wrap the function once more than Node does.
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => Ajv2020;

export interface SchemasReading {
  readonly schemas: PackageModel['schemas'];
  readonly findings: readonly Finding[];
}

export function readSchemas(files: PackageLayout['schemas']): SchemasReading {
  const schemas = new Map<string, Map<string, unknown>>();
  const findings: Finding[] = [];
  for (const { folder, name, file } of files) {
    // A folder with a broken schema still exists: its channels are not reported as well.
    const ofFolder = schemas.get(folder) ?? new Map<string, unknown>();
    schemas.set(folder, ofFolder);
    const note = (message: string, line: number, column: number): void => {
      const place = { file: file.path, line, column };
      findings.push({
        code: 'SUTRA.PACKAGE.SCHEMA_INVALID',
        severity: 'error',
        message: `${message}.`,
        place,
      });
    };
    const parsed = parseExactJson(file.content, { ...defaultJsonLimits, numbers: 'doubles' });
    if (!parsed.ok) {
      note(`The schema cannot be read: ${parsed.message}`, parsed.line, parsed.column);
      continue;
    }
    const fault = schemaFault(parsed.value);
    if (fault === null) ofFolder.set(name, parsed.value);
    else note(`The schema cannot be used: ${fault}`, 1, 1);
  }
  return { schemas, findings };
}

function schemaFault(schema: unknown): string | null {
  if (
    typeof schema !== 'boolean' &&
    (typeof schema !== 'object' || schema === null || Array.isArray(schema))
  ) {
    return 'it must be an object or a boolean';
  }
  // An asynchronous validator answers a promise, which would pass for "valid".
  if (typeof schema === 'object' && Object.hasOwn(schema, '$async')) return '$async is not supported';
  try {
    addFormats(new Ajv2020({ strict: false, logger: false })).compile(schema);
    return null;
  } catch (error) {
    return error instanceof Error
      ? (error.message.split('\n')[0] ?? '').slice(0, 300)
      : 'it cannot be compiled';
  }
}
