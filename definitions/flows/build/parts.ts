/** Steps that are a sub-process of BPMN: a scope of its own, that is through when nothing in it goes on. */
import { compileExpression, FeelSyntaxError } from '../../feel.ts';
import { joined, part, trimmed, type Written } from '../../written.ts';
import type { XmlElement } from '../../xml/document.ts';
import { flag, made } from './context.ts';
import { addedNode, insideOf, nodeOf, through, type Outcome, type Site, type StepBuilder } from './site.ts';
import type { Path } from './scope.ts';
import type { ParallelStep, RepeatStep } from '../flow.ts';

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
  const text = kind === 'while' ? expression : notTrue(expression);
  return make.bpmn('standardLoopCharacteristics', at, attributes, [make.bpmnText('loopCondition', text)]);
}

/** BPMN repeats while a condition holds, so `until` is its opposite: what is not known to be true goes on. */
function notTrue(expression: Written): Written {
  // On its own, so that a bracket too many is found where it is and does not close ours.
  if (!isFeel(expression.text)) return expression;
  const start = /^\s*=?/.exec(expression.text)?.[0].length ?? 0;
  const condition = trimmed(part(expression, start));
  // A comment would hide what comes behind it.
  const end = condition.text.includes('//') ? '\n)' : ')';
  return joined(condition, ['=(', condition, `${end} != true`]);
}

function isFeel(text: string): boolean {
  try {
    compileExpression(text);
    return true;
  } catch (error) {
    // Nested too deep: it is reported as any other fault of an expression.
    if (error instanceof FeelSyntaxError || error instanceof RangeError) return false;
    throw error;
  }
}
