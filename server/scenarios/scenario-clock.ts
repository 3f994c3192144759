/**
 * The time of a scenario: the embedded database's own clock, stopped and moved. So due times, locks and `now()` are
 * reckoned as in production, and only ever by the clock that decides there.
 */
import type { EmbeddedDatabase } from '../../engine/store/embedded-database.ts';

export class ScenarioClock {
  readonly #database: EmbeddedDatabase;
  #nowMs = 0;

  constructor(database: EmbeddedDatabase) {
    this.#database = database;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Due times have microseconds, the clock whole milliseconds: rounded up, what is due at `atMs` is due. */
  async set(atMs: number): Promise<void> {
    this.#nowMs = Math.ceil(atMs);
    await this.#database.setClock(this.#nowMs);
  }
}
