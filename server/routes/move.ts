/** An operator moves tokens of an instance, or asks what that would do. */
import type { Context } from '../../definitions/value.ts';
import type { Move } from '../../engine/core/stimulus.ts';
import { jsonAnswer } from '../exchange.ts';
import { requireInstanceId } from '../instance-ids.ts';
import { FieldReader } from '../json-body.ts';
import type { ServerDeps } from '../operations.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';
import { COMMAND_CODES, reasonOf } from './instances.ts';

/** Moves of one command: a guess at more than anybody writes by hand. */
export const MAX_MOVES = 100;
/** As for names elsewhere. */
const MAX_ID_CHARACTERS = 255;

export function moveRoute({ instances }: Pick<ServerDeps, 'instances'>): Route {
  return defineRoute({
    method: 'POST',
    path: '/admin/instances/{id}/move',
    access: 'admin',
    operationId: 'moveTokens',
    tag: 'admin',
    summary:
      'Moves tokens to other elements of their scopes, all or none; with `dryRun` it only says what would happen.',
    body: { isRequired: true, content: { 'application/json': schemaRef('MoveRequest') } },
    answers: {
      200: jsonDoc('Moved, or what a move would do; the status says how it went.', schemaRef('MoveAnswer')),
    },
    codes: [
      ...COMMAND_CODES,
      'SUTRA.CORE.MOVE_TOKEN_MISSING',
      'SUTRA.CORE.MOVE_TOKEN_AMBIGUOUS',
      'SUTRA.CORE.MOVE_TOKEN_COMPENSATES',
      'SUTRA.CORE.MOVE_OVERLAP',
      'SUTRA.CORE.MOVE_TARGET_UNKNOWN',
      'SUTRA.CORE.MOVE_TARGET_INVALID',
      'SUTRA.CORE.MOVE_SCOPE_DIFFERS',
    ],
    handle: async (request) => {
      const id = requireInstanceId(request.params['id'] ?? '');
      const fields = new FieldReader(await request.readJson(), ['moves', 'variables', 'dryRun', 'reason']);
      const moves = movesOf(fields);
      // What an exact JSON reader accepts is a context of plain values.
      const variables = fields.has('variables') ? (fields.object('variables') as Context) : {};
      const reason = reasonOf(fields);
      if (isDryRun(fields)) {
        const { instanceId, status, ...preview } = await instances.previewMove(id, moves, variables);
        return jsonAnswer(200, { instanceId, status, isDryRun: true, preview });
      }
      const { instanceId, status } = await instances.move(id, moves, variables, reason);
      return jsonAnswer(200, { instanceId, status, isDryRun: false });
    },
  });
}

function movesOf(fields: FieldReader): readonly Move[] {
  const list = fields.list('moves');
  if (list.length === 0 || list.length > MAX_MOVES) {
    throw fields.refuse(
      'moves',
      `has ${String(list.length)} items; from 1 to ${String(MAX_MOVES)} are taken`,
    );
  }
  return list.map((item, index) => {
    const move = new FieldReader(item, ['from', 'tokenId', 'to'], `moves[${String(index)}]`);
    const from = move.text('from', MAX_ID_CHARACTERS);
    return { from, tokenId: tokenOf(move), to: move.text('to', MAX_ID_CHARACTERS) };
  });
}

function tokenOf(move: FieldReader): number | null {
  if (!move.has('tokenId')) return null;
  const tokenId = move.raw('tokenId');
  if (typeof tokenId === 'number' && Number.isSafeInteger(tokenId) && tokenId >= 0) return tokenId;
  throw move.refuse('tokenId', 'must be the number of a token of GET /sutra/instances/{id}');
}

export function isDryRun(fields: FieldReader): boolean {
  if (!fields.has('dryRun')) return false;
  const value = fields.raw('dryRun');
  if (typeof value === 'boolean') return value;
  throw fields.refuse('dryRun', 'must be true or false');
}
