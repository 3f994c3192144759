/** Steps that are a sub-process of BPMN: a scope of its own, that is through when nothing in it goes on. */
import type { XmlElement } from '../../xml/document.ts';
import { flag, made } from './context.ts';
import { addedNode, insideOf, nodeOf, through, type Outcome, type Site, type StepBuilder } from './site.ts';
import type { Path } from './scope.ts';
import type { ParallelStep, RepeatStep } from '../flow.ts';
import { isFeel, notTrue } from '../not-true.ts';

/** The first branch that is through ends the others. */
export function buildAny(site: Site, step: ParallelStep, from: Path): Outcome {
  const { make } = site.context;
  const inner = site.inner();
  const start = inner.scope.add(addedNode(inner, step, 'startEvent', ['-start', 'the start']), []);
  const split = addedNode(inner, step, 'parallelGateway', ['-split', 'the gateway']);
  const way = inner.scope.add(split, [start]);
  for (const [index, { name, place, steps }] of step.branches.entries()) {
    const { open } = inner.steps(steps, inner.scope.branch(way, { name, place }));
    if (open === null) continue;
    const ending = make.bpmn('terminateEventDefinition', made(place));
    const id: readonly [string, string] = [`-won-${index + 1}`, 'the end of a branch'];
    inner.scope.add(addedNode(inner, { ...step, place }, 'endEvent', id, { children: [ending] }), [open]);
  }
  return through(site, nodeOf(step, 'subProcess', { children: inner.scope.elements() }), from);
}

export const buildForEach: StepBuilder<'for-each'> = (site, step, from) => {
  const { make } = site.context;
  const { item, collection, collect, until, isParallel } = step;
  const list = make.q('loop', item, {
    collection,
    item,
    output: collect?.list ?? null,
    outputItem: collect?.value ?? null,
  });
  const loop = make.bpmn(
    'multiInstanceLoopCharacteristics',
    made(item.place),
    { isSequential: flag(!isParallel, step.place) },
    [
      make.bpmn('extensionElements', made(item.place), {}, [list]),
      ...(until === null ? [] : [make.bpmnText('completionCondition', until)]),
    ],
  );
  const children = [loop, ...insideOf(site, step, step.steps)];
  return through(site, nodeOf(step, 'subProcess', { children }), from);
};

export const buildRepeat: StepBuilder<'repeat'> = (site, step, from) => {
  const children = [standardLoop(site, step), ...insideOf(site, step, step.steps)];
  return through(site, nodeOf(step, 'subProcess', { children }), from);
};

function standardLoop({ context: { make } }: Site, { condition, atMost, place }: RepeatStep): XmlElement {
  const at = made((condition?.expression ?? atMost)?.place ?? place);
  const attributes = { testBefore: flag(condition?.kind === 'while', at.place), loopMaximum: atMost };
  if (condition === null) return make.bpmn('standardLoopCharacteristics', at, attributes);
  const { kind, expression } = condition;
  // What is no expression goes on as it is, so that its fault is found where it stands.
  const text = kind === 'while' || !isFeel(expression.text) ? expression : notTrue(expression);
  return make.bpmn('standardLoopCharacteristics', at, attributes, [make.bpmnText('loopCondition', text)]);
}
