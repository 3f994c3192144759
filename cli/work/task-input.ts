/** A task as the program that does it gets it, whichever way that is. */
export interface TaskInput {
  readonly id: string;
  readonly channel: string;
  readonly instanceId: string;
  /** The same for all attempts. */
  readonly idempotencyKey: string;
  /** This one included: the first is 1. */
  readonly attempts: number;
  /** Failures that it can still report before it is terminal. */
  readonly retries: number;
  /** RFC 3339; null: none. */
  readonly deadline: string | null;
  readonly contentType: string;
  /** As the author or the sender set them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
