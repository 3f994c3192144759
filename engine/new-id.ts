/**
 * Ids of rows: UUIDs of version 7, so that what is made later is stored behind what was made before (RFC 9562 §5.7).
 *
 * I1 Within a process they rise, also within a millisecond and when the clock goes back.
 */
import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const RANDOM_BYTES = 16;
/** Drawn at once: a draw costs more than its bytes. */
const pool = new Uint8Array(RANDOM_BYTES * 256);
let used = pool.length;
let lastMs = -Infinity;
/** 32 bits, of which the first is free for what follows within the millisecond. */
let sequence = 0;

export function newId(): string {
  const random = drawRandom();
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    sequence = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
  } else {
    sequence += 1;
  }
  return v7({ random, msecs: lastMs, seq: sequence });
}

function drawRandom(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += RANDOM_BYTES;
  return pool.subarray(used - RANDOM_BYTES, used);
}
