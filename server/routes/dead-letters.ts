/** What could not be processed at all: read, replayed, discarded. All behind the admin key: bodies may hold anything. */
import { isUtf8 } from 'node:buffer';
import { bodyFormOf } from '../../channels/pull/media-type.ts';
import { EngineError } from '../../config/engine-error.ts';
import { parseExactJson } from '../../definitions/exact-json.ts';
import { toPlainJson } from '../../definitions/plain-json.ts';
import { parseWithValues } from '../../definitions/value-codec.ts';
import type { LetterCorrection } from '../../engine/intake/dead-letters.ts';
import { DEAD_LETTER_KINDS } from '../../engine/store/dead-letters.ts';
import {
  listDeadLetters,
  readDeadLetter,
  type DeadLetterRow,
} from '../../engine/store/operate-dead-letters.ts';
import { jsonAnswer } from '../exchange.ts';
import { FieldReader } from '../json-body.ts';
import type { ServerDeps } from '../operations.ts';
import { isUuid, pagingParameters } from '../query-parameters.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';

type DeadLetterDeps = Pick<ServerDeps, 'database' | 'deadLetters'>;

export function deadLetterRoutes(deps: DeadLetterDeps): readonly Route[] {
  return [listRoute(deps), getRoute(deps), replayRoute(deps), discardRoute(deps)];
}

function listRoute({ database }: DeadLetterDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/admin/dead-letters',
    access: 'admin',
    operationId: 'listDeadLetters',
    tag: 'dead letters',
    summary: 'What could not be processed at all, oldest first, without headers and bodies.',
    query: {
      kind: { kind: 'choice', values: DEAD_LETTER_KINDS, description: 'Only of this kind.' },
      tenant: { kind: 'text', description: 'Only of this tenant.' },
      module: { kind: 'text', description: 'Only of this module.' },
      channel: { kind: 'text', description: 'Only messages on this channel.' },
      code: { kind: 'text', description: 'Only refused with this code, the last time.' },
      createdAfter: { kind: 'instant', description: 'Only those kept after it.' },
      createdBefore: { kind: 'instant', description: 'Only those kept before it.' },
      ...pagingParameters,
    },
    answers: { 200: jsonDoc('A page of dead letters.', schemaRef('DeadLetterPage')) },
    codes: ['SUTRA.OPERATE.CURSOR_INVALID'],
    handle: async (_request, { limit, cursor, ...filter }) => {
      const page = await listDeadLetters(database, filter, { limit, cursor });
      return jsonAnswer(200, { deadLetters: page.rows, nextCursor: page.nextCursor });
    },
  });
}

function getRoute({ database }: DeadLetterDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/admin/dead-letters/{id}',
    access: 'admin',
    operationId: 'getDeadLetter',
    tag: 'dead letters',
    summary: 'One dead letter with its headers and its body.',
    answers: { 200: jsonDoc('The dead letter.', schemaRef('DeadLetterDetail')) },
    codes: ['SUTRA.DEAD_LETTER.NOT_FOUND', 'SUTRA.OPERATE.ID_INVALID'],
    handle: async ({ params }) => {
      const deadLetterId = requireDeadLetterId(params['id'] ?? '');
      const letter = await readDeadLetter(database, deadLetterId);
      if (letter !== null) return jsonAnswer(200, letterView(letter));
      throw new EngineError('SUTRA.DEAD_LETTER.NOT_FOUND', `there is no dead letter ${deadLetterId}`, {
        attributes: { deadLetterId },
      });
    },
  });
}

/** What the inbound path refuses a message for. */
const REFUSALS = [
  'SUTRA.INBOUND.CHANNEL_UNKNOWN',
  'SUTRA.INBOUND.NO_SUBSCRIBER',
  'SUTRA.INBOUND.NOT_CORRELATED',
  'SUTRA.INBOUND.AMBIGUOUS',
  'SUTRA.INBOUND.ALIAS_TAKEN',
  'SUTRA.INBOUND.INSTANCE_FAILED',
  'SUTRA.INBOUND.DEDUP_KEY_INVALID',
  'SUTRA.INBOUND.VALIDATION_FAILED',
  'SUTRA.INBOUND.EXPRESSION_FAILED',
  'SUTRA.CODEC.CONTENT_TYPE_UNSUPPORTED',
  'SUTRA.CODEC.PAYLOAD_INVALID',
  'SUTRA.CODEC.JSON_INVALID',
  'SUTRA.CODEC.KEY_DUPLICATE',
  'SUTRA.CODEC.NUMBER_INEXACT',
  'SUTRA.CODEC.TEXT_INVALID',
  'SUTRA.CODEC.TOO_DEEP',
  'SUTRA.CODEC.PAYLOAD_TOO_LARGE',
  'SUTRA.INTAKE.CAPACITY',
  'SUTRA.INTAKE.STOPPING',
  'SUTRA.INTAKE.INSTANCE_BUSY',
  'SUTRA.INTAKE.TURN_FAILED',
] as const;

function replayRoute({ deadLetters }: DeadLetterDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/admin/dead-letters/{id}/replay',
    access: 'admin',
    operationId: 'replayDeadLetter',
    tag: 'dead letters',
    summary: 'Takes a dead letter in as if it came now, a message with a corrected body if one is given.',
    body: { isRequired: false, content: { 'application/json': schemaRef('ReplayDeadLetterRequest') } },
    answers: { 200: jsonDoc('Taken; the letter is gone.', schemaRef('ReplayDeadLetterAnswer')) },
    codes: [
      'SUTRA.DEAD_LETTER.NOT_FOUND',
      'SUTRA.DEAD_LETTER.NOT_A_MESSAGE',
      'SUTRA.DEAD_LETTER.START_GONE',
      'SUTRA.OPERATE.ID_INVALID',
      ...REFUSALS,
    ],
    handle: async (request) => {
      const deadLetterId = requireDeadLetterId(request.params['id'] ?? '');
      const correction = correctionOf(await request.readOptionalJson());
      const { instanceId, isDuplicate } = await deadLetters.replay(deadLetterId, correction);
      return jsonAnswer(200, { deadLetterId, instanceId, duplicate: isDuplicate, status: 'REPLAYED' });
    },
  });
}

function discardRoute({ deadLetters }: DeadLetterDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/admin/dead-letters/{id}',
    access: 'admin',
    operationId: 'discardDeadLetter',
    tag: 'dead letters',
    summary: 'Removes a dead letter for good.',
    answers: { 200: jsonDoc('Removed.', schemaRef('DiscardDeadLetterAnswer')) },
    codes: ['SUTRA.DEAD_LETTER.NOT_FOUND', 'SUTRA.OPERATE.ID_INVALID'],
    handle: async ({ params }) => {
      const deadLetterId = requireDeadLetterId(params['id'] ?? '');
      await deadLetters.discard(deadLetterId);
      return jsonAnswer(200, { deadLetterId, status: 'DISCARDED' });
    },
  });
}

function requireDeadLetterId(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  const shown = JSON.stringify(text.slice(0, 100));
  throw new EngineError('SUTRA.OPERATE.ID_INVALID', `${shown} is not a dead letter's id, which is a UUID`);
}

/** As for the header of a message that comes in. */
const MAX_CONTENT_TYPE_CHARACTERS = 1_000;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Null: nothing is corrected. */
function correctionOf(body: unknown): LetterCorrection | null {
  if (body === undefined) return null;
  const fields = new FieldReader(body, ['body', 'bodyBase64', 'contentType']);
  if (fields.has('body') && fields.has('bodyBase64')) {
    throw fields.refuse('bodyBase64', 'is for what is not JSON; there is a body already');
  }
  const contentType = fields.optionalText('contentType', MAX_CONTENT_TYPE_CHARACTERS) ?? undefined;
  if (fields.has('body')) {
    const bytes = Buffer.from(toPlainJson(fields.raw('body')), 'utf8');
    return { body: bytes, contentType: contentType ?? 'application/json' };
  }
  if (!fields.has('bodyBase64')) {
    return contentType === undefined ? null : { body: undefined, contentType };
  }
  const text = fields.raw('bodyBase64');
  if (typeof text !== 'string' || !BASE64.test(text)) throw fields.refuse('bodyBase64', 'must be base64');
  return { body: Buffer.from(text, 'base64'), contentType };
}

/** The body as a JSON value, a text, or base64; of a signal the payload. Without the index of the trigger, which is ours. */
function letterView({ body, trigger: _trigger, ...letter }: DeadLetterRow): Record<string, unknown> {
  if (letter.kind === 'signal') return { ...letter, body: parseWithValues(body.toString('utf8')) };
  if (letter.kind === 'timer') return letter;
  const form = bodyFormOf(letter.contentType ?? 'application/json');
  if (form === 'json') {
    const parsed = parseExactJson(body);
    if (parsed.ok) return { ...letter, body: parsed.value };
  }
  if (form !== 'bytes' && isUtf8(body)) return { ...letter, body: body.toString('utf8') };
  return { ...letter, bodyBase64: body.toString('base64') };
}
