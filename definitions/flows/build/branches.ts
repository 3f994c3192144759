/**
 * Steps that part one path and bring its branches together again.
 *
 * B1 What comes out of such a step is one token at most, whatever branch it took.
 * B2 A join of all branches waits for no branch that has ended. `end` in a branch that can also go on makes it an
 *    inclusive gateway, which waits only for what can still come; a parallel one would wait for ever.
 */
import { catching } from './events.ts';
import { joined, nodeOf, type Outcome, type StepBuilder } from './site.ts';
import { buildAny } from './parts.ts';

export const buildChoose: StepBuilder<'choose'> = (site, step, from) => {
  const way = site.scope.add(nodeOf(step, 'exclusiveGateway'), [from]);
  const cases = step.cases.map(({ when, name, steps, place }) =>
    site.steps(steps, site.scope.branch(way, { condition: when, name, place })),
  );
  const otherwise = site.scope.branch(way, { isDefault: true });
  const outcomes = [...cases, site.steps(step.otherwise ?? [], otherwise)];
  return { open: joined(site, step, 'exclusiveGateway', outcomes), mayEnd: mayEnd(outcomes) };
};

export const buildWaitFirst: StepBuilder<'wait-first'> = (site, step, from) => {
  const way = site.scope.add(nodeOf(step, 'eventBasedGateway'), [from]);
  const outcomes = step.alternatives.map((alternative) => {
    const event = nodeOf(alternative, 'intermediateCatchEvent', catching(site, alternative.trigger));
    const caught = site.scope.add(event, [site.scope.branch(way, { place: alternative.place })]);
    return site.steps(alternative.steps, caught);
  });
  return { open: joined(site, step, 'exclusiveGateway', outcomes), mayEnd: mayEnd(outcomes) };
};

export const buildParallel: StepBuilder<'parallel'> = (site, step, from) => {
  if (step.until === 'any') return buildAny(site, step, from);
  const way = site.scope.add(nodeOf(step, 'parallelGateway'), [from]);
  const outcomes = step.branches.map(({ name, place, steps }) =>
    site.steps(steps, site.scope.branch(way, { name, place })),
  );
  const open = outcomes.filter((outcome) => outcome.open !== null);
  const kind = mayEnd(open) ? 'inclusiveGateway' : 'parallelGateway';
  return {
    open: joined(site, step, kind, open),
    mayEnd: mayEnd(open.length === 0 ? outcomes : open),
  };
};

function mayEnd(outcomes: readonly Outcome[]): boolean {
  return outcomes.some((outcome) => outcome.mayEnd);
}
