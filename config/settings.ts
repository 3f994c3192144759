/** The checked, frozen settings. One field a key of `schema.ts`; durations are milliseconds. */
export interface Settings {
  readonly http: { readonly port: number; readonly host: string; readonly maxHoldMs: number };
  readonly datasource: { readonly url: string | null; readonly poolMax: number };
  /** The embedded database's directory, or `memory:`. */
  readonly dataDir: string;
  readonly deployments: { readonly dir: string | null; readonly pollIntervalMs: number };
  readonly externalTask: {
    readonly defaultLockDurationMs: number;
    readonly maxLockDurationMs: number;
    readonly maxAsyncResponseTimeoutMs: number;
    readonly maxTasks: number;
    readonly retries: number;
    readonly maxRetries: number;
    readonly retryTimeoutMs: number;
    readonly maxRetryTimeoutMs: number;
    /** Locks in a row that ran out without an outcome. Null: as many as there are. */
    readonly maxAttempts: number | null;
  };
  readonly outbox: {
    readonly tickIntervalMs: number;
    readonly retry: {
      readonly baseDelayMs: number;
      readonly maxDelayMs: number;
      readonly jitter: boolean;
      /** Null: for ever. */
      readonly maxAttempts: number | null;
    };
  };
  readonly inbox: { readonly retentionMs: number };
  readonly instance: { readonly retentionMs: number; readonly retentionSweepIntervalMs: number };
  /** `retentionMs` is never less than that of instances. */
  readonly history: { readonly retentionMs: number; readonly maxPayloadBytes: number };
  readonly deadLetter: { readonly maxCount: number; readonly retentionMs: number };
  readonly intake: { readonly maxInFlight: number; readonly maxWaitMs: number };
  /** What expressions may cost; as `CostLimits` of definitions/feel. */
  readonly feel: {
    readonly turnUnits: number;
    readonly evaluationUnits: number;
    readonly iterations: number;
    readonly listSize: number;
    readonly depth: number;
  };
  readonly codec: { readonly maxPayloadBytes: number };
  readonly admin: {
    /** The resolved key, or null. Never printed. */
    readonly apiKey: string | null;
    readonly isOpen: boolean;
  };
  /** Which facades of other systems are served. */
  readonly compat: { readonly camunda7: boolean; readonly camunda8: boolean };
}
