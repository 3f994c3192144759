/** What a worker says of a task whose work has ended in a BPMN error. */
import type { TaskBpmnError } from '../../engine/transport.ts';
import type { WriteJson } from './completion-request.ts';
import { invalidRequest, MAX_ID_LENGTH, type RequestFields } from './request-fields.ts';

/** Of a message. It is data of the process, not a diagnostic: a longer one is refused, not cut. */
const MAX_MESSAGE_LENGTH = 4_000;

/** Beside the worker's id. */
export const BPMN_ERROR_FIELDS = [
  'lockToken',
  'errorCode',
  'errorMessage',
  'variables',
  'completionId',
] as const;

/** @throws EngineError REQUEST_INVALID, or what `writeJson` throws. */
export function readBpmnError(
  taskId: string,
  workerId: string,
  fields: RequestFields,
  writeJson: WriteJson,
): TaskBpmnError {
  return {
    taskId,
    workerId,
    lockToken: fields.optionalText('lockToken', MAX_ID_LENGTH),
    completionId: fields.optionalText('completionId', MAX_ID_LENGTH),
    code: fields.text('errorCode', MAX_ID_LENGTH),
    message: readMessage(fields),
    variables: readVariables(fields, writeJson),
  };
}

/** An empty one is a message too: an event that catches the error may keep it in a variable. */
function readMessage(fields: RequestFields): string | null {
  if (!fields.has('errorMessage')) return null;
  const message = fields.anyText('errorMessage');
  if (message.length > MAX_MESSAGE_LENGTH) {
    throw invalidRequest(
      'errorMessage',
      `errorMessage has ${message.length} characters; at most ${MAX_MESSAGE_LENGTH} are taken, because it becomes data of the process`,
      { value: message.length, limit: MAX_MESSAGE_LENGTH },
    );
  }
  if (message.includes('\u0000') || !message.isWellFormed()) {
    throw invalidRequest(
      'errorMessage',
      'errorMessage has a NUL or half of a surrogate pair, which cannot be stored',
    );
  }
  return message;
}

function readVariables(fields: RequestFields, writeJson: WriteJson): Uint8Array | null {
  return fields.has('variables') ? Buffer.from(writeJson(fields.object('variables'))) : null;
}
