/** What somebody does inside a running instance: launch ad hoc activities, complete them, write variables. */
import type { Context } from '../../definitions/value.ts';
import { requireInstanceId, requireTokenId } from '../instance-ids.ts';
import { FieldReader } from '../json-body.ts';
import type { ServerDeps } from '../operations.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';
import { COMMAND_CODES, commandAnswer, reasonOf } from './instances.ts';

type CommandDeps = Pick<ServerDeps, 'instances'>;

export function instanceCommandRoutes(deps: CommandDeps): readonly Route[] {
  return [launchRoute(deps), completeAdHocRoute(deps), variablesRoute(deps)];
}

function launchRoute({ instances }: CommandDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/sutra/instances/{id}/ad-hoc/{tokenId}/activities/{elementId}',
    operationId: 'launchActivity',
    tag: 'instances',
    summary:
      'Starts an activity of the ad hoc sub-process at which the token waits; `variables` are written to its scope first.',
    body: { isRequired: false, content: { 'application/json': schemaRef('LaunchActivityRequest') } },
    answers: { 200: jsonDoc('Launched.', schemaRef('CommandAnswer')) },
    codes: [...COMMAND_CODES, 'SUTRA.CORE.ACTIVITY_NOT_LAUNCHABLE', 'SUTRA.CORE.AD_HOC_BUSY'],
    handle: async (request) => {
      const { id = '', tokenId = '', elementId = '' } = request.params;
      const [instanceId, token] = [requireInstanceId(id), requireTokenId(tokenId)];
      const body = await request.readOptionalJson();
      const variables = body === undefined ? {} : variablesOf(new FieldReader(body, ['variables']));
      return commandAnswer(await instances.launchActivity(instanceId, token, elementId, variables));
    },
  });
}

function completeAdHocRoute({ instances }: CommandDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/sutra/instances/{id}/ad-hoc/{tokenId}/complete',
    operationId: 'completeAdHoc',
    tag: 'instances',
    summary:
      'Completes the ad hoc sub-process at which the token waits. What still runs in it ends, unless the model keeps it.',
    answers: { 200: jsonDoc('Completed.', schemaRef('CommandAnswer')) },
    codes: [...COMMAND_CODES, 'SUTRA.CORE.AD_HOC_BUSY'],
    handle: async ({ params }) => {
      const id = requireInstanceId(params['id'] ?? '');
      return commandAnswer(await instances.completeAdHoc(id, requireTokenId(params['tokenId'] ?? '')));
    },
  });
}

function variablesRoute({ instances }: CommandDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/sutra/instances/{id}/variables',
    operationId: 'setVariables',
    tag: 'instances',
    summary:
      'Writes variables, as seen from a token or else from the process itself; conditions are looked at again.',
    body: { isRequired: true, content: { 'application/json': schemaRef('SetVariablesRequest') } },
    answers: { 200: jsonDoc('Written.', schemaRef('CommandAnswer')) },
    codes: COMMAND_CODES,
    handle: async (request) => {
      const id = requireInstanceId(request.params['id'] ?? '');
      const fields = new FieldReader(await request.readJson(), ['variables', 'tokenId', 'reason']);
      const variables = fields.object('variables') as Context;
      return commandAnswer(await instances.setVariables(id, tokenOf(fields), variables, reasonOf(fields)));
    },
  });
}

/** What an exact JSON reader accepts is a context of plain values. */
function variablesOf(fields: FieldReader): Context {
  return fields.has('variables') ? (fields.object('variables') as Context) : {};
}

function tokenOf(fields: FieldReader): number | null {
  if (!fields.has('tokenId')) return null;
  const tokenId = fields.raw('tokenId');
  if (typeof tokenId === 'number' && Number.isSafeInteger(tokenId) && tokenId >= 0) return tokenId;
  throw fields.refuse('tokenId', 'must be a number of GET /sutra/instances/{id}');
}
