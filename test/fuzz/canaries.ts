/** Which input of `canary-child.ts` fails in which way. */
export const CANARIES = {
  throws: 3,
  hangs: 5,
  exits: 8,
  hoards: 10,
  slow: 12,
  /** Not when it is run again: no failure. */
  slowOnce: 14,
  /** The first one after which the process holds more than the tests allow. */
  grows: 26,
} as const;
