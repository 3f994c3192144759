/**
 * Standard Schema, version 1: what zod, valibot, arktype and others have in common, as types.
 * Source: https://standardschema.dev, `@standard-schema/spec`, which asks to be copied. MIT License, Copyright (c) 2024
 * Colin McDonnell: permission is granted to use, copy, modify and distribute it, provided that this notice is kept; it is
 * provided "as is", without warranty of any kind.
 */

export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': StandardSchemaProps<Input, Output>;
}

export interface StandardSchemaProps<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

export interface StandardSchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const MAX_PATHS_SHOWN = 20;

/**
 * Where a value is wrong, as `items.0.price, country`: the paths alone, because a library's message may quote the
 * value, which is a payload.
 */
export function pathsOf(issues: readonly StandardSchemaIssue[]): string {
  const paths = [...new Set(issues.map(pathOf))];
  const shown = paths.slice(0, MAX_PATHS_SHOWN).join(', ');
  return paths.length > MAX_PATHS_SHOWN ? `${shown} and ${paths.length - MAX_PATHS_SHOWN} more` : shown;
}

function pathOf({ path = [] }: StandardSchemaIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? '(the body itself)' : keys.join('.');
}
