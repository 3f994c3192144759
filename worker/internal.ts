/** What tests of the parts reach; no part of the public face. */
export { Backoff, retryAfterMs } from './backoff.ts';
export { decodeBase64, encodeBase64 } from './body.ts';
export { formatDuration, parseDuration } from './duration.ts';
export { PollLoop, type Poll, type PollOutcome } from './poll-loop.ts';
export { Slots } from './slots.ts';
export { Watchdog } from './watchdog.ts';
