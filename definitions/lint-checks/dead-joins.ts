/**
 * Parallel gateways that can never fire.
 *
 * J1 Only what can be proved is reported (concurrency.ts, K1): some flow into the gateway never has a token, or two of
 *    them never have one together.
 * J2 What is dead only because another join is dead is not reported beside it, unless there are very many.
 */
import type { Finding } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { ParallelGateway } from '../model.ts';
import { Concurrency } from './concurrency.ts';
import { labelOf, warning, type ProcessCheck } from './lint-check.ts';
import { scopesOf, type ScopeGraph } from './scope-graph.ts';

/** To tell causes from consequences takes as long as the search itself, for each of them. */
const MAX_TOLD_APART = 20;

export const checkDeadJoins: ProcessCheck = (process) => scopesOf(process).flatMap(deadJoinsIn);

function deadJoinsIn(scope: ScopeGraph): readonly Finding[] {
  const joins = joinsIn(scope);
  if (joins.length === 0) return [];
  const concurrency = Concurrency.of(scope);
  if (concurrency === null) return [];
  const dead = joins.filter(
    ({ id, incoming }) =>
      !concurrency.canBeAt(id) && incoming.some((flowId) => concurrency.canHaveToken(flowId)),
  );
  const causes =
    dead.length > MAX_TOLD_APART ? dead : dead.filter((join) => isDeadByItself(scope, join, dead));
  return (causes.length > 0 ? causes : dead).flatMap((join) => describe(join, concurrency) ?? []);
}

/** Parallel gateways that join. */
function joinsIn({ nodes }: ScopeGraph): readonly ParallelGateway[] {
  return [...nodes.values()].flatMap((node) =>
    node.kind === 'parallelGateway' && node.incoming.length > 1 ? [node] : [],
  );
}

function isDeadByItself(scope: ScopeGraph, join: ParallelGateway, dead: readonly ParallelGateway[]): boolean {
  const others = dead.flatMap(({ id }) => (id === join.id ? [] : [id]));
  if (others.length === 0) return true;
  return Concurrency.of(scope, new Set(others))?.canBeAt(join.id) === false;
}

function describe(join: ParallelGateway, concurrency: Concurrency): Finding | null {
  const { incoming } = join;
  const without = incoming.find((id) => !concurrency.canHaveToken(id));
  if (without !== undefined) {
    const message = `${labelOf(join)} can never fire: it waits for a token on sequence flow ${quoteText(without)}, over which none comes before it has fired; join loops and alternatives with an exclusive gateway, or remove the flow`;
    return warning('SUTRA.LINT.JOIN_NEVER_FIRES', join.place, message);
  }
  const [one, other] = apartIn(incoming, concurrency);
  if (one === undefined || other === undefined) return null;
  const message = `${labelOf(join)} can never fire: it waits for tokens on sequence flows ${quoteText(one)} and ${quoteText(other)}, which are alternatives; join these with an exclusive gateway`;
  return warning('SUTRA.LINT.JOIN_NEVER_FIRES', join.place, message);
}

function apartIn(incoming: readonly string[], concurrency: Concurrency): readonly string[] {
  for (const [index, one] of incoming.entries()) {
    const other = incoming.slice(index + 1).find((id) => !concurrency.areConcurrent(one, id));
    if (other !== undefined) return [one, other];
  }
  return [];
}
