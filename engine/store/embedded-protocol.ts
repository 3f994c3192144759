/** What the embedded database's thread and the engine's thread say to each other. */

export interface EmbeddedWorkerData {
  /** The PostgreSQL data directory, or null: in memory. */
  readonly directory: string | null;
  /** A data directory as a tar file to begin with, or null: initialise an empty one. */
  readonly snapshotFile: string | null;
}

export type ToWorker =
  /** A connection begins: what the previous one left in the session is dropped. */
  | { readonly kind: 'connect'; readonly settings: string }
  /** Whole messages of PostgreSQL's frontend protocol. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'dump' }
  /** From here on the database's clock stands at this instant. */
  | { readonly kind: 'clock'; readonly nowMs: number }
  | { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'connected' }
  /** Whole messages of the backend protocol. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'dumped'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'clockSet' }
  | { readonly kind: 'closed' };
