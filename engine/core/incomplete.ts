/** How the core says that a turn was given too little: never leaves it, `advance` turns it into `incomplete`. */
import type { RecordKey } from './effect.ts';

/** All parts of the instance are needed. */
export class NeedsParts extends Error {
  constructor() {
    super('the turn needs all parts of the instance');
    this.name = 'NeedsParts';
  }
}

/** A record of a data store is needed. */
export class NeedsRecord extends Error {
  readonly key: RecordKey;

  constructor(key: RecordKey) {
    super(`the turn needs a record of the data store ${key.store}`);
    this.name = 'NeedsRecord';
    this.key = key;
  }
}
