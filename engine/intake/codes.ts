import type { CodeTable } from '../../config/engine-error.ts';

export const intakeCodes = {
  'SUTRA.INBOUND.CHANNEL_UNKNOWN': {
    httpStatus: 404,
    retry: 'after-change',
    meaning: 'No live deployment of this tenant and module declares the channel; nothing was kept.',
    remedy: 'Deploy a package that declares it, or correct the name.',
  },
  'SUTRA.INBOUND.NO_SUBSCRIBER': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'Nothing is started by this message type and no wait listens on the channel; nothing was kept.',
    remedy: 'Deploy a process with a matching q:source, or send to another channel.',
  },
  'SUTRA.INBOUND.AMBIGUOUS': {
    httpStatus: 422,
    retry: 'after-change',
    meaning:
      'The correlation value matches several waiting instances and the alias is not multi; nothing was kept.',
    remedy: 'Use a value that is unique among waiting instances, or declare the alias multi="true".',
  },
  'SUTRA.INBOUND.ALIAS_TAKEN': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A unique alias value already belongs to another instance; the message was refused.',
    remedy:
      'The work is already under way in attributes.instanceId. Use another value, or onConflict="correlate".',
  },
  'SUTRA.INBOUND.DEDUP_KEY_INVALID': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'The dedup key is no text of 1 to 255 storable characters; nothing was kept.',
    remedy: 'Send a shorter Idempotency-Key, or correct the dedup-key expression.',
  },
  'SUTRA.INBOUND.VALIDATION_FAILED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'The payload does not satisfy the JSON Schema of the channel; nothing was kept.',
    remedy: 'Correct the payload at the path that the detail names.',
  },
  'SUTRA.INBOUND.EXPRESSION_FAILED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A dedup-key or alias expression failed over this message; nothing was kept.',
    remedy: 'Correct the expression, or send the fields that it reads.',
  },
  'SUTRA.CODEC.CONTENT_TYPE_UNSUPPORTED': {
    httpStatus: 415,
    retry: 'after-change',
    meaning: 'The channel has no codec for this content type; nothing was kept.',
    remedy: 'Send one of the supported content types, or declare the codec of the channel.',
  },
  'SUTRA.CODEC.PAYLOAD_TOO_LARGE': {
    httpStatus: 413,
    retry: 'after-change',
    meaning: 'The body is over the cap of the channel or the server; nothing was kept.',
    remedy: 'Send less, or raise payload-cap-bytes or sutra.codec.max-payload-bytes.',
  },
  'SUTRA.CODEC.PAYLOAD_INVALID': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'The body is not what its content type says; nothing was kept.',
    remedy: 'Correct the body as the detail says.',
  },
  'SUTRA.EXTERNAL_TASK.NOT_A_CALL': {
    httpStatus: 422,
    retry: 'never',
    meaning:
      'A BPMN error for a task that comes from a sent message: no call waits for it, so nothing can throw.',
    remedy: 'The task is kept. Complete it or report a failure; make it a channel call if its errors matter.',
  },
  'SUTRA.INTAKE.CAPACITY': {
    httpStatus: 429,
    retry: 'safe',
    meaning:
      'As many messages as sutra.intake.max-in-flight allows are under way, or this one would have waited longer than sutra.intake.max-wait; attributes.ceiling says which. It was not taken.',
    remedy: 'Send again after Retry-After. If it lasts, the database or the hardware is the limit.',
  },
  'SUTRA.INTAKE.STOPPING': {
    httpStatus: 503,
    retry: 'safe',
    meaning: 'The server is shutting down; the message was not taken.',
    remedy: 'Send again, to another replica or after the restart.',
  },
  'SUTRA.INTAKE.INSTANCE_BUSY': {
    httpStatus: 503,
    retry: 'safe',
    meaning:
      'The instance, or a record that it needs of a data store, was locked by other work for too long; nothing was changed.',
    remedy: 'Send again. If it lasts, look for a long transaction on the instance table or on data_record.',
  },
  'SUTRA.INTAKE.TURN_FAILED': {
    httpStatus: 500,
    retry: 'safe',
    meaning: 'A bug of the engine or an unexpected answer of the database; this message changed nothing.',
    remedy: 'Look for the error in the log and report it. Other work goes on.',
  },
  'SUTRA.DEAD_LETTER.NOT_FOUND': {
    httpStatus: 404,
    retry: 'never',
    meaning: 'There is no dead letter of that id: it was replayed or discarded, or its retention has passed.',
    remedy: 'Nothing was changed. List them with GET /admin/dead-letters.',
  },
  'SUTRA.DEAD_LETTER.NOT_A_MESSAGE': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'The replay brought a correction, and the dead letter is a signal or a timer.',
    remedy: 'Nothing was changed. Replay it without a correction, once the cause is gone.',
  },
  'SUTRA.DEAD_LETTER.START_GONE': {
    httpStatus: 409,
    retry: 'after-change',
    meaning:
      'No active deployment of the module has the start event that the signal or the timer was for; the letter is kept.',
    remedy: 'Deploy a version that has it and replay again, or discard the letter.',
  },
  'SUTRA.INSTANCE.NOT_FOUND': {
    httpStatus: 404,
    retry: 'never',
    meaning: 'There is no instance of that id: it never existed, or its retention has passed.',
    remedy: 'List the instances with GET /sutra/instances.',
  },
} as const satisfies CodeTable;
