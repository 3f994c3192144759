/** Codes of the HTTP server and the operate and admin routes. */
import type { CodeTable } from '../config/engine-error.ts';

export const serverCodes = {
  'SUTRA.INTERNAL': {
    httpStatus: 500,
    retry: 'safe',
    meaning: 'The engine met a fault of its own. What the request asked was rolled back.',
    remedy: 'Find the log line with the errorId of the answer and report it.',
  },
  'SUTRA.SHUTTING_DOWN': {
    httpStatus: 503,
    retry: 'safe',
    meaning: 'This replica is stopping and takes no more requests. Nothing of this one was kept.',
    remedy: 'Repeat the request; another replica, or this one after its restart, answers it.',
  },
  'SUTRA.HTTP.LISTEN_FAILED': {
    httpStatus: 500,
    retry: 'after-change',
    meaning: 'The server could not listen on its address; the engine did not start.',
    remedy:
      'EADDRINUSE: another process has the port. Otherwise correct sutra.http.host and sutra.http.port.',
  },
  'SUTRA.HTTP.ROUTE_UNKNOWN': {
    httpStatus: 404,
    retry: 'after-change',
    meaning: 'No route and no HTTP channel of a live deployment has this path.',
    remedy: 'Compare the path with GET /openapi.json and with the channels in GET /sutra/deployments.',
  },
  'SUTRA.HTTP.METHOD_NOT_ALLOWED': {
    httpStatus: 405,
    retry: 'never',
    meaning: 'The path exists, but not for this method.',
    remedy: 'Use a method of the Allow header.',
  },
  'SUTRA.HTTP.URL_INVALID': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'The request target is not a valid path, for example a broken percent escape.',
    remedy: 'Encode the path as RFC 3986 says.',
  },
  'SUTRA.HTTP.REQUEST_MALFORMED': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'The bytes on the connection are not a valid HTTP request. The connection is closed.',
    remedy: 'Check the client and every proxy between; a missing Host header counts as malformed.',
  },
  'SUTRA.HTTP.HEADERS_TOO_LARGE': {
    httpStatus: 431,
    retry: 'never',
    meaning: 'The request line and headers are longer than the server reads.',
    remedy: 'Send fewer or shorter headers; large data belongs in the body.',
  },
  'SUTRA.HTTP.REQUEST_TIMEOUT': {
    httpStatus: 408,
    retry: 'safe',
    meaning: 'The request did not arrive whole in time. Nothing of it was kept.',
    remedy: 'Repeat it; if it happens again, look at the network or at a client that sends slowly.',
  },
  'SUTRA.HTTP.EXPECTATION_FAILED': {
    httpStatus: 417,
    retry: 'never',
    meaning: 'The Expect header asks for something other than 100-continue.',
    remedy: 'Remove the Expect header.',
  },
  'SUTRA.HTTP.PIPELINE_TOO_DEEP': {
    httpStatus: 429,
    retry: 'safe',
    meaning: 'Too many requests of one connection wait for their answers. Nothing of this one was kept.',
    remedy: 'Wait for answers before sending more on the connection, or use more connections.',
  },
  'SUTRA.HTTP.BODY_TOO_LARGE': {
    httpStatus: 413,
    retry: 'never',
    meaning: 'The body is over the cap that holds for this route or channel. Nothing was kept.',
    remedy: 'Send less, or raise sutra.codec.max-payload-bytes or the payload-cap-bytes of the channel.',
  },
  'SUTRA.HTTP.BODY_REQUIRED': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'The route needs a body and got none.',
    remedy: 'Send the JSON document that GET /openapi.json describes.',
  },
  'SUTRA.HTTP.CONTENT_TYPE_UNSUPPORTED': {
    httpStatus: 415,
    retry: 'never',
    meaning: 'The route does not take this content type.',
    remedy: 'Send application/json (or another +json type) in UTF-8, or what the detail names.',
  },
  'SUTRA.HTTP.CONTENT_ENCODING_UNSUPPORTED': {
    httpStatus: 415,
    retry: 'never',
    meaning: 'The body is compressed; the server takes bodies as they are.',
    remedy: 'Send the body without Content-Encoding.',
  },
  'SUTRA.HTTP.FIELD_UNKNOWN': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'The JSON body has a field that the route does not know. Nothing was done.',
    remedy: 'Remove or rename the field; GET /openapi.json lists the known ones.',
  },
  'SUTRA.HTTP.FIELD_INVALID': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'A field of the JSON body is missing, of the wrong type, or out of its bounds.',
    remedy: 'Correct the field that the detail names.',
  },
  'SUTRA.HTTP.QUERY_INVALID': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'A query parameter is unknown, repeated, or has a value out of its bounds.',
    remedy: 'Correct the parameter that the detail names.',
  },
  'SUTRA.OPERATE.ID_INVALID': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'The id in the path does not have the form of such an id.',
    remedy: 'Take the id from a list or from the answer that named it.',
  },
  'SUTRA.OPERATE.CURSOR_INVALID': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'The cursor is not one that this list gave out.',
    remedy: 'Use nextCursor of the page before, or start again without a cursor.',
  },
  'SUTRA.DELIVERY.NOT_FOUND': {
    httpStatus: 404,
    retry: 'never',
    meaning: 'There is no delivery of that id: it has left, or was withdrawn or discarded.',
    remedy: 'Nothing was changed. List what is on its way with GET /sutra/deliveries.',
  },
  'SUTRA.DELIVERY.NOT_POISONED': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'Only a poisoned delivery can be requeued or discarded, and this one is still being tried.',
    remedy:
      'Nothing was changed. It leaves without help once its receiver takes it; to give it up before, cancel the instance.',
  },
  'SUTRA.RECORD.NOT_FOUND': {
    httpStatus: 404,
    retry: 'never',
    meaning: 'The data store of that tenant has no record under that key.',
    remedy: 'Nothing was changed. List the records with GET /admin/data-stores/{store}/records.',
  },
  'SUTRA.HEALTH.NOT_READY': {
    httpStatus: 503,
    retry: 'safe',
    meaning: 'This replica does not take work now: it is starting or stopping, or its database is away.',
    remedy: 'Nothing, if it is starting; otherwise look at the database named by sutra.datasource.url.',
  },
  'SUTRA.ADMIN.DISABLED': {
    httpStatus: 503,
    retry: 'after-change',
    meaning: 'The admin routes are off, because no admin key is configured.',
    remedy: 'Set sutra.admin.api-key to an env: or secret: reference and restart.',
  },
  'SUTRA.ADMIN.KEY_REQUIRED': {
    httpStatus: 401,
    retry: 'after-change',
    meaning: 'The admin routes need the admin key and the request brought none.',
    remedy: 'Send it as "Authorization: Bearer <key>" or as X-Api-Key.',
  },
  'SUTRA.ADMIN.KEY_INVALID': {
    httpStatus: 401,
    retry: 'after-change',
    meaning: 'The admin key of the request is not the configured one.',
    remedy: 'Use the value behind sutra.admin.api-key.',
  },
  'SUTRA.REGISTERED.FAILED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A registered function threw, and its error has no code of its own.',
    remedy: 'Read the message, and repair the function. Under q:retry the call makes another attempt.',
  },
  'SUTRA.ADMIN.ORIGIN_REFUSED': {
    httpStatus: 403,
    retry: 'after-change',
    meaning: 'An open admin surface answers only programs on this machine, not web pages of other origins.',
    remedy: 'Call it from the machine itself by its loopback name, or configure sutra.admin.api-key.',
  },
} as const satisfies CodeTable;

export type ServerCode = keyof typeof serverCodes;
