/** What a worker says of a task that it has done: its fields, and the result as the bytes of a message. */
import { isUtf8 } from 'node:buffer';
import type { TaskCompletion } from '../../engine/transport.ts';
import { bodyFormOf } from './media-type.ts';
import { invalidRequest, MAX_ID_LENGTH, type RequestFields } from './request-fields.ts';

/** Beside the worker's id. */
export const COMPLETION_FIELDS = [
  'lockToken',
  'result',
  'resultBase64',
  'contentType',
  'completionId',
] as const;

/** A result as JSON: its numbers may be such as the runtime's own writer does not know. */
export type WriteJson = (result: unknown) => string;

/** @throws EngineError REQUEST_INVALID, or what `writeJson` throws. */
export function readCompletion(
  taskId: string,
  workerId: string,
  fields: RequestFields,
  writeJson: WriteJson,
): TaskCompletion {
  return {
    taskId,
    workerId,
    lockToken: fields.optionalText('lockToken', MAX_ID_LENGTH),
    completionId: fields.optionalText('completionId', MAX_ID_LENGTH),
    result: readResult(fields, writeJson),
  };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function readResult(fields: RequestFields, writeJson: WriteJson): TaskCompletion['result'] {
  const contentType = readContentType(fields);
  const hasResult = fields.has('result');
  if (fields.has('resultBase64')) {
    if (hasResult) {
      throw invalidRequest('resultBase64', 'result and resultBase64 exclude each other; send one of them');
    }
    const text = fields.anyText('resultBase64');
    const body = Buffer.from(text, 'base64');
    // Re-encoded, because the alphabet alone does not show stray bits in the last character.
    if (!BASE64.test(text) || body.toString('base64') !== text) {
      throw invalidRequest('resultBase64', 'resultBase64 is not base64 in its standard, padded form');
    }
    checkBytes(contentType, body);
    return { contentType: contentType ?? 'application/octet-stream', body };
  }
  if (!hasResult) {
    if (contentType !== null) {
      throw invalidRequest('contentType', 'contentType is given without result or resultBase64');
    }
    return null;
  }
  return encodeResult(fields.raw('result'), contentType ?? 'application/json', writeJson);
}

function readContentType(fields: RequestFields): string | null {
  const contentType = fields.optionalText('contentType', MAX_ID_LENGTH);
  if (contentType !== null && bodyFormOf(contentType) === null) {
    throw invalidRequest('contentType', 'contentType is not a media type such as application/json');
  }
  return contentType;
}

/** `result` is a JSON value under a JSON content type, and a string under a text one. */
function encodeResult(result: unknown, contentType: string, writeJson: WriteJson): TaskCompletion['result'] {
  switch (bodyFormOf(contentType)) {
    case 'json':
      return { contentType, body: Buffer.from(writeJson(result)) };
    case 'text':
      if (typeof result !== 'string') {
        throw invalidRequest('result', 'result must be a string when contentType is text');
      }
      if (!result.isWellFormed()) {
        throw invalidRequest(
          'result',
          'result has half of a surrogate pair, which cannot be written as UTF-8',
        );
      }
      return { contentType, body: Buffer.from(result) };
    default:
      throw invalidRequest(
        'contentType',
        'result takes a JSON or text contentType in UTF-8; use resultBase64',
      );
  }
}

/** Bytes that claim to be JSON or text must be UTF-8; whether they are valid JSON is the codec's question. */
function checkBytes(contentType: string | null, body: Buffer): void {
  const form = contentType === null ? 'bytes' : bodyFormOf(contentType);
  if (form !== 'bytes' && !isUtf8(body)) {
    throw invalidRequest('resultBase64', 'resultBase64 does not hold UTF-8, as its contentType says');
  }
}
