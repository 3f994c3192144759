/** Loop characteristics of sub-processes to `for-each` and `repeat`. */
import { bpmnChildren, label, qChild } from '../../bpmn/read-context.ts';
import { part, trimmed, type Written } from '../../written.ts';
import type { XmlElement } from '../../xml/document.ts';
import type { ForEachStep, RepeatStep } from '../flow.ts';
import { isFeel, notTrue } from '../not-true.ts';
import { SAID } from './read-bpmn-q.ts';
import { attribute, type BpmnSource, checkSayable, childText, isTrue, refuse } from './read-bpmn-source.ts';

export type RepeatRest = Pick<RepeatStep, 'verb' | 'condition' | 'atMost'>;
export type ForEachRest = Pick<
  ForEachStep,
  'verb' | 'item' | 'collection' | 'isParallel' | 'until' | 'collect'
>;

export function readRepeat(source: BpmnSource, loop: XmlElement): RepeatRest | null {
  if (!checkSayable(source, loop, { children: ['loopCondition'] })) return null;
  const atMost = attribute(source, loop, 'loopMaximum');
  const condition = childText(source, loop, 'loopCondition');
  if (condition === null) return { verb: 'repeat', condition: null, atMost };
  return {
    verb: 'repeat',
    condition: isTrue(loop, 'testBefore')
      ? { kind: 'while', expression: condition }
      : { kind: 'until', expression: untilOf(condition) },
    atMost,
  };
}

const NOT_TRUE = /^\s*=?\s*\((.*)\)\s*!=\s*true\s*$/s;

/** BPMN goes on while the condition is true, `until` while it is not: it is turned round, or turned back. */
function untilOf(condition: Written): Written {
  const match = NOT_TRUE.exec(condition.text);
  const inner = match?.[1];
  if (inner !== undefined && isFeel(inner)) {
    return trimmed(
      part(condition, condition.text.indexOf('(') + 1, condition.text.indexOf('(') + 1 + inner.length),
    );
  }
  return notTrue(condition);
}

export function readForEach(source: BpmnSource, element: XmlElement, loop: XmlElement): ForEachRest | null {
  const children = ['completionCondition', 'loopCardinality'];
  if (!checkSayable(source, loop, { children, q: { loop: SAID.loop } })) return null;
  const shorthand = qChild(loop, 'loop');
  const [collection, item, list, value] = ['collection', 'item', 'output', 'outputItem'].map((name) =>
    shorthand === null ? null : attribute(source, shorthand, name),
  );
  const [cardinality] = bpmnChildren(loop, 'loopCardinality');
  if (!collection || !item || cardinality !== undefined) {
    const message = `${label(element)} has a loop that does not name what it runs over; give it q:loop with collection and item, as for number in 1..count`;
    return refuse(source, cardinality ?? loop, message);
  }
  return {
    verb: 'for-each',
    item,
    collection,
    isParallel: !isTrue(loop, 'isSequential'),
    until: childText(source, loop, 'completionCondition'),
    collect: list && value ? { list, value } : null,
  };
}
