/**
 * Who may use the admin routes.
 *
 * A1 Without a configured key they answer 503, except on a surface that the operator opened on loopback.
 * A2 The open surface serves only this machine, addressed by a loopback name, and no web page of another
 *    origin: a browser on the machine must not become the attacker's hand (DNS rebinding, cross-site posts).
 * A3 The key is compared in constant time and appears in no answer and no log.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { EngineError } from '../config/engine-error.ts';
import type { Settings } from '../config/settings.ts';

interface Caller {
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | null;
}

const LOOPBACK_ADDRESS = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_NAME = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

/** @returns a check that throws EngineError SUTRA.ADMIN.DISABLED, KEY_REQUIRED, KEY_INVALID, ORIGIN_REFUSED. */
export function adminAccess(settings: Settings['admin']): (caller: Caller) => void {
  if (settings.apiKey !== null) {
    const expected = digest(Buffer.from(settings.apiKey, 'utf8'));
    return (caller) => {
      checkKey(caller.headers, expected);
    };
  }
  if (settings.isOpen) return checkLocalCaller;
  return () => {
    throw new EngineError('SUTRA.ADMIN.DISABLED', 'the admin routes are off: sutra.admin.api-key is not set');
  };
}

function checkKey(headers: IncomingHttpHeaders, expected: Buffer): void {
  const given = givenKey(headers);
  if (given === null) {
    throw new EngineError(
      'SUTRA.ADMIN.KEY_REQUIRED',
      'send the admin key as "Authorization: Bearer <key>" or as X-Api-Key',
    );
  }
  if (!timingSafeEqual(digest(Buffer.from(given, 'latin1')), expected)) {
    throw new EngineError(
      'SUTRA.ADMIN.KEY_INVALID',
      'the admin key of this request is not the configured one',
    );
  }
}

function givenKey(headers: IncomingHttpHeaders): string | null {
  const bearer = /^bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const apiKey = headers['x-api-key'];
  return typeof apiKey === 'string' && apiKey !== '' ? apiKey : null;
}

/** Equal lengths for the comparison, whatever was sent. Node reads header values as Latin-1. */
function digest(key: Buffer): Buffer {
  return createHash('sha256').update(key).digest();
}

function checkLocalCaller({ headers, remoteAddress }: Caller): void {
  const isLocal =
    LOOPBACK_ADDRESS.test(remoteAddress ?? '') &&
    (headers.host === undefined || LOOPBACK_NAME.test(headers.host));
  const isOtherOrigin = headers.origin !== undefined && headers.origin !== `http://${headers.host ?? ''}`;
  const site = headers['sec-fetch-site'];
  const isCrossSite = typeof site === 'string' && site !== 'same-origin' && site !== 'none';
  if (isLocal && !isOtherOrigin && !isCrossSite) return;
  throw new EngineError(
    'SUTRA.ADMIN.ORIGIN_REFUSED',
    'the open admin surface answers only programs on this machine that call it by a loopback name',
  );
}
