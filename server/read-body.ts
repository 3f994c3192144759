/**
 * Reading a request's body within its bounds.
 *
 * B1 At most `maxBytes` are ever held in memory; a body over the cap is refused as soon as that is known.
 * B2 Every answer leaves the connection usable or closed: what a client still sends is discarded up to a
 *    bound, and beyond it the connection is closed after the answer.
 * B3 A client that goes away rejects the read with `ClientGoneError`; nothing waits for it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EngineError } from '../config/engine-error.ts';
import type { ServerCode } from './codes.ts';

/** The client closed the connection: there is nobody to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/**
 * How much of an unwanted body is read and thrown away so that the client, which may read only after it
 * has sent everything, gets its answer. Guesses: several times the usual cap, and a person's patience.
 */
const DRAIN_LIMIT_BYTES = 64 * 1024 * 1024;
const DRAIN_LIMIT_MS = 2_000;

function refusal(code: ServerCode, message: string, attributes: Record<string, unknown> = {}): EngineError {
  return new EngineError(code, message, { attributes });
}

/** The announced length, or null. Node's parser has already refused what is not a number. */
function announcedBytes(request: IncomingMessage): number | null {
  const header = request.headers['content-length'];
  return header === undefined ? null : Number(header);
}

export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (announcedBytes(request) ?? 0) > 0;
}

function tooLarge(maxBytes: number): EngineError {
  return refusal('SUTRA.HTTP.BODY_TOO_LARGE', `the body exceeds the cap of ${String(maxBytes)} bytes`, {
    limitBytes: maxBytes,
  });
}

/** @throws EngineError SUTRA.HTTP.BODY_TOO_LARGE, SUTRA.HTTP.CONTENT_ENCODING_UNSUPPORTED; ClientGoneError. */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw refusal(
      'SUTRA.HTTP.CONTENT_ENCODING_UNSUPPORTED',
      `content-encoding ${JSON.stringify(encoding.slice(0, 40))} is not supported; send the body as it is`,
    );
  }
  const announced = announcedBytes(request);
  if (announced !== null && announced > maxBytes) throw tooLarge(maxBytes);
  if (!hasBody(request)) return Buffer.alloc(0);
  if (isContinueExpected(request)) response.writeContinue();
  return collect(request, maxBytes);
}

function isContinueExpected(request: IncomingMessage): boolean {
  return request.headers.expect?.toLowerCase() === '100-continue';
}

function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (finish: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      finish();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      settle(() => {
        reject(tooLarge(maxBytes));
      });
    };
    const onEnd = (): void => {
      settle(() => {
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
      });
    };
    const onGone = (): void => {
      settle(() => {
        reject(new ClientGoneError('the client closed the connection while sending'));
      });
    };
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
    if (request.destroyed && !request.readableEnded) onGone();
  });
}

/**
 * Called before an answer is written while the body may not have been read. True: the connection can go
 * on; false: it must be closed after the answer (B2).
 */
export async function discardBody(request: IncomingMessage): Promise<boolean> {
  if (request.complete || !hasBody(request)) return true;
  // A client that waits for "100 Continue" has sent nothing, and may or may not send after a refusal.
  if (isContinueExpected(request)) return false;
  if ((announcedBytes(request) ?? 0) > DRAIN_LIMIT_BYTES) return false;
  return new Promise((resolve) => {
    let left = DRAIN_LIMIT_BYTES;
    const timer = setTimeout(() => {
      finish(false);
    }, DRAIN_LIMIT_MS);
    timer.unref();
    const finish = (isDrained: boolean): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      if (!isDrained) request.pause();
      resolve(isDrained);
    };
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) finish(false);
    };
    const onEnd = (): void => {
      finish(true);
    };
    const onGone = (): void => {
      finish(false);
    };
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
    request.resume();
  });
}
