/**
 * A checked package: everything that one deployment brings, compiled and immutable.
 */
import type { Place } from '../config/engine-error.ts';
import type { CompiledExpression } from './feel.ts';
import type { ProcessDefinition } from './model.ts';
import type { PackageFile } from './package-file.ts';

export type { PackageFile } from './package-file.ts';

export interface PackageIdentity {
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
}

export type ChannelDirection = 'inbound' | 'outbound' | 'both';
export type Codec = 'json' | 'xml' | 'yaml' | 'csv' | 'text' | 'bytes';

/** How an HTTP or other transport proves who calls. References only (`env:NAME`), never literals. */
export interface ChannelAuth {
  readonly kind: 'bearer' | 'basic' | 'api-key';
  /** `env:NAME` or `secret:NAME`. */
  readonly reference: string;
  /** For `api-key`: the header's name. For `basic`: the user. */
  readonly name: string | null;
}

/** `task:` of a pull channel. Null fields take the operator's default at parking. */
export interface TaskPolicy {
  readonly lockDurationMs: number | null;
  readonly retries: number | null;
  readonly retryTimeoutMs: number | null;
  readonly priority: CompiledExpression | null;
}

export interface ChannelDefinition {
  readonly name: string;
  readonly transport: string;
  readonly direction: ChannelDirection;
  /** As written or as derived: `POST /channels/x`, an `http(s)` URL, `pull://tenant/module/version/name`, … */
  readonly bind: string;
  /** Null: by the message's content type. */
  readonly codec: Codec | null;
  /** Name of the folder under `schemas/` when the codec is a schema URN, else null. */
  readonly schemaName: string | null;
  readonly ackMode: 'on-persist' | 'on-complete';
  readonly dedupKey: CompiledExpression | null;
  readonly isBroadcast: boolean;
  readonly maxConcurrentInstances: number | null;
  readonly payloadCapBytes: number | null;
  readonly auth: ChannelAuth | null;
  /** A message that is refused for good is kept for a person. */
  readonly keepsDeadLetters: boolean;
  readonly task: TaskPolicy | null;
  readonly place: Place;
}

export interface PackageModel {
  readonly identity: PackageIdentity;
  /** `dep-` and the first 24 hex digits of the SHA-256 over the sorted (path, SHA-256) list. */
  readonly deploymentId: string;
  readonly channels: ReadonlyMap<string, ChannelDefinition>;
  readonly processes: ReadonlyMap<string, ProcessDefinition>;
  /** JSON Schemas by folder name under `schemas/`, then by file name without ending. */
  readonly schemas: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly files: readonly PackageFile[];
}
