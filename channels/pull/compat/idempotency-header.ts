/** The `Idempotency-Key` of a request: the clients of other systems know none, but whoever can send one is served by it. */
import type { IncomingHttpHeaders } from 'node:http';
import { EngineError } from '../../../config/engine-error.ts';
import type { CompatCode } from './codes.ts';

const MAX_CHARACTERS = 255;

/** Null: there is none. @throws EngineError SUTRA.COMPAT.REQUEST_INVALID */
export function idempotencyHeaderOf(headers: IncomingHttpHeaders): string | null {
  const header = headers['idempotency-key'];
  if (header === undefined) return null;
  const code: CompatCode = 'SUTRA.COMPAT.REQUEST_INVALID';
  if (typeof header === 'string' && header.trim() !== '' && header.length <= MAX_CHARACTERS) return header;
  throw new EngineError(
    code,
    `the header Idempotency-Key must have 1 to ${String(MAX_CHARACTERS)} characters`,
  );
}
