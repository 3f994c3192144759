/** Codes of the facades' own refusals: what they cannot take, whatever the engine would say. */
import type { CodeTable } from '../../../config/engine-error.ts';

export const compatCodes = {
  'SUTRA.COMPAT.REQUEST_INVALID': {
    httpStatus: 400,
    retry: 'after-change',
    meaning:
      'A field or a query parameter of a request to a facade is missing, of the wrong type, malformed or not supported.',
    remedy: 'Nothing was changed. The message names the field, the value and what is taken.',
  },
  'SUTRA.COMPAT.ROUTE_UNKNOWN': {
    httpStatus: 404,
    retry: 'never',
    meaning: 'The facade does not serve this path of the other system.',
    remedy: 'docs/camunda7.md lists what is served. What is not has a counterpart below /sutra or none.',
  },
  'SUTRA.COMPAT.METHOD_NOT_ALLOWED': {
    httpStatus: 405,
    retry: 'never',
    meaning: 'The facade serves this path, but not for this method.',
    remedy: 'Use one of the methods that the message names.',
  },
  'SUTRA.COMPAT.MEDIA_TYPE': {
    httpStatus: 415,
    retry: 'after-change',
    meaning: 'The content type of the request is not the one that this route of the facade takes.',
    remedy: 'Nothing was changed. Send the content type that the message names.',
  },
  'SUTRA.COMPAT.NOT_FOUND': {
    httpStatus: 404,
    retry: 'never',
    meaning: 'There is no such instance, variable, definition or deployment.',
    remedy: 'Compare the id with the list; instances that have ended are not found here.',
  },
  'SUTRA.COMPAT.MULTIPART_INVALID': {
    httpStatus: 400,
    retry: 'after-change',
    meaning:
      'The body is not the multipart/form-data that its content type announces, or has too many or too large parts.',
    remedy: 'Nothing was deployed. The message says at which byte; send what RFC 7578 says.',
  },
  'SUTRA.COMPAT.UPLOAD_REFUSED': {
    httpStatus: 400,
    retry: 'after-change',
    meaning:
      'The files of a deployment cannot be made a package: none is a model, or one has a name that no package can hold.',
    remedy:
      'Nothing was deployed. The message names the file; .bpmn, .bpmn20.xml, .dmn and .dmn11.xml are taken.',
  },
  'SUTRA.COMPAT.PROCESS_SHARED': {
    httpStatus: 400,
    retry: 'after-change',
    meaning:
      'A process of the upload is already in an active package that also has processes which the upload has not.',
    remedy:
      'Nothing was deployed: two packages would start the same process. Upload all files of that package together, or drain it first (DELETE /admin/deployments/{id}).',
  },
  'SUTRA.COMPAT.MESSAGE_MISMATCH': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'A message that must reach exactly one receiver fits none, or more than one.',
    remedy:
      'Nothing was changed. The message says how many were found; name the instance by its id or its business key, or send to all.',
  },
  'SUTRA.COMPAT.SEARCH_TOO_WIDE': {
    httpStatus: 400,
    retry: 'after-change',
    meaning:
      'Finding the receivers of a message by variables alone would mean reading more instances than is allowed.',
    remedy:
      'Nothing was changed. Send the business key, which is indexed, or the id of the process instance.',
  },
  'SUTRA.COMPAT.MESSAGE_EXISTS': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'A message with this id was published before, within the time for which such ids are kept.',
    remedy: 'Nothing was done again. If it is another message, give it another messageId.',
  },
  'SUTRA.COMPAT.MESSAGE_UNCLAIMED': {
    httpStatus: 404,
    retry: 'safe',
    meaning: 'Nobody waits now for the message that was to be correlated, or to be kept until somebody does.',
    remedy:
      'Nothing was kept: messages are not buffered. Publish it again once the process waits for it; compare its name, correlation key and tenant with the wait.',
  },
  'SUTRA.COMPAT.COMPLETION_TIMEOUT': {
    httpStatus: 504,
    retry: 'never',
    meaning: 'The process instance was started, and has not completed within the time of the request.',
    remedy: 'It goes on. Read it by the key that the message names; do not start it again.',
  },
  'SUTRA.COMPAT.NOT_COMPLETED': {
    httpStatus: 409,
    retry: 'never',
    meaning:
      'The process instance that was started has failed, was terminated, or has ended without leaving its variables.',
    remedy:
      'See GET /sutra/instances/{id} and its incidents; a failed one can be repaired and retried. Do not start it again without looking.',
  },
} as const satisfies CodeTable;

export type CompatCode = keyof typeof compatCodes;
