/**
 * Implicit correlation keys: the idempotency keys of calls and sends, which an answer echoes.
 * `<instance id>:[<part id>.]<sequence>` of a send, `<instance id>:[<part id>.]call-<sequence>[.<attempt>]` of a call
 */
import { MAX_PART_ID } from '../store/instance-parts.ts';

const implicitKey =
  /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):(?:(\d{1,10})\.)?(?:\d{1,16}|call-\d{1,16}(?:\.[1-9]\d{0,8})?)$/;

/** The instance that the key names, or null. */
export function instanceOfKey(key: string): string | null {
  return implicitKey.exec(key)?.[1] ?? null;
}

/** The part of the instance's snapshot from which the key's call or send came; null: none. */
export function partOfKey(key: string): number | null {
  const digits = implicitKey.exec(key)?.[2];
  const partId = digits === undefined ? null : Number(digits);
  return partId !== null && partId <= MAX_PART_ID ? partId : null;
}
