/** Mutations that know BPMN: what they leave mostly compiles, or is refused for one reason, and is executed. */
import { cycles, dates, durations, randomExpression } from './interesting.ts';
import type { Random } from './random.ts';
import { boundarySnippets, endSnippets, flowSnippets, loopSnippets, snippetRoots } from './snippets.ts';
import type { TextMutation } from './xml-mutations.ts';
import {
  attributeValue,
  cut,
  escaped,
  localName,
  opened,
  prefixOf,
  replaced,
  textOf,
  withAttribute,
} from './xml-pieces.ts';
import type { Element, Pieces } from './xml-pieces.ts';

export const modelMutations: readonly TextMutation[] = [
  { name: 'put a node into a flow', weight: 8, apply: insertNode },
  { name: 'attach a boundary event', weight: 4, apply: attachBoundary },
  { name: 'change an end', weight: 2, apply: changeEnd },
  { name: 'let an activity loop', weight: 2, apply: loopActivity },
  { name: 'turn a flow', weight: 3, apply: turnFlow },
  { name: 'add a condition', weight: 1, apply: addCondition },
  { name: 'change an expression', weight: 3, apply: changeExpression },
  { name: 'change a time', weight: 2, apply: changeTime },
];

/**
 * Makes a file of another engine one of ours, roughly: tasks of beans and scripts become user tasks or are
 * passed through, foreign attributes and elements go, `${…}` becomes FEEL. Otherwise most of the corpus
 * would be refused at its first task, and never executed.
 */
export function adopt(text: string, random: Random): string {
  const task = random.pick(['userTask', 'userTask', 'task', 'manualTask']);
  return text
    .replaceAll(
      /(<\/?(?:\w+:)?)(?:serviceTask|sendTask|receiveTask|businessRuleTask|scriptTask)(?=[\s/>])/g,
      `$1${task}`,
    )
    .replaceAll(/<((?:\w+:)?script)(?=[\s>])[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<((?:\w+:)?extensionElements)(?=[\s>])(?:(?!<q:|urn:sutra)[\s\S])*?<\/\1>/g, '')
    .replaceAll(
      /\s(?:camunda|activiti|flowable|zeebe|drools|tns|modeler|signavio|js|operaton|olive):[\w.-]+\s*=\s*(?:"[^"]*"|'[^']*')/g,
      '',
    )
    .replaceAll(
      /\s(?:implementation|operationRef|messageRef|scriptFormat|language|expressionLanguage|typeLanguage|ioSpecification)\s*=\s*"[^"]*"/g,
      '',
    )
    .replaceAll(/isExecutable="false"/g, 'isExecutable="true"')
    .replaceAll(/(?:\$|#)\{[^}]*\}/g, () => escaped(random.pick(['n > 3', 'true', 'n = 1', 'x', 's = "a"'])));
}

/** An id that the file does not have, as good as surely. */
function freshId(random: Random): string {
  return `z${random.below(0x7fff_ffff).toString(36)}`;
}

function filled(snippet: string, prefix: string, random: Random): { text: string; id: string } {
  const id = freshId(random);
  const text = snippet
    .replaceAll(/<(\/?)(?!q:)(?=\w)/g, `<$1${prefix}`)
    .replaceAll(/<(q:\w+)/g, '<$1 xmlns:q="urn:sutra:q:1.0"')
    .replaceAll('@', id)
    .replaceAll('$E', () => escaped(randomExpression(random)))
    .replaceAll('$D', () => escaped(random.chance(0.6) ? 'PT1S' : random.pick(durations)))
    .replaceAll('$T', () => escaped(random.pick(dates)))
    .replaceAll('$C', () => escaped(random.pick(cycles)));
  return { text, id };
}

/** With the roots that a snippet of that id refers to, before the first process. */
function withRoots(text: string, roots: string, id: string, prefix: string): string {
  if (!roots.includes('@')) return text;
  const filledRoots = roots.replaceAll('@', id).replaceAll('<', `<${prefix}`);
  return text.replace(/<(?:[\w.-]+:)?process[\s>]/, (process) => filledRoots + process);
}

function flowsOf({ tokens, elements }: Pieces): readonly Element[] {
  return elements.filter(
    ({ name, from }) =>
      localName(name) === 'sequenceFlow' && attributeValue(tokens[from] ?? '', 'targetRef') !== null,
  );
}

function insertNode(text: string, random: Random): string {
  const pieces = cut(text);
  const flows = flowsOf(pieces);
  if (flows.length === 0) return text;
  const { name, from, to } = random.pick(flows);
  const snippet = random.pick(flowSnippets);
  const prefix = prefixOf(name);
  const { text: node, id } = filled(snippet.text, prefix, random);
  const tag = pieces.tokens[from] ?? '';
  const target = attributeValue(tag, 'targetRef') ?? '';
  const onward = `<${prefix}sequenceFlow id="${id}-on" sourceRef="${id}${snippet.exit ?? ''}" targetRef="${target}"/>`;
  const rest = textOf(pieces, from + 1, to);
  const inserted = replaced(pieces, from, to, withAttribute(tag, 'targetRef', id) + rest + node + onward);
  return withRoots(inserted, snippet.roots ?? '', id, prefix);
}

const ACTIVITY = /^(?:task|\w+Task|subProcess|transaction|callActivity|adHocSubProcess)$/;

function activitiesOf({ tokens, elements }: Pieces): readonly Element[] {
  return elements.filter(
    ({ name, from }) => ACTIVITY.test(localName(name)) && attributeValue(tokens[from] ?? '', 'id') !== null,
  );
}

function attachBoundary(text: string, random: Random): string {
  const pieces = cut(text);
  const activities = activitiesOf(pieces);
  if (activities.length === 0) return text;
  const { name, from, to } = random.pick(activities);
  const prefix = prefixOf(name);
  const hostId = attributeValue(pieces.tokens[from] ?? '', 'id') ?? '';
  const event = random
    .pick(boundarySnippets)
    .replaceAll('$H', hostId)
    .replaceAll('$I', String(random.chance(0.5)));
  const { text: added, id } = filled(event, prefix, random);
  return withRoots(replaced(pieces, to + 1, to, added), snippetRoots, id, prefix);
}

function changeEnd(text: string, random: Random): string {
  const pieces = cut(text);
  const ends = pieces.elements.filter(({ name }) => localName(name) === 'endEvent');
  if (ends.length === 0) return text;
  const { name, from, to } = random.pick(ends);
  const prefix = prefixOf(name);
  const endId = attributeValue(pieces.tokens[from] ?? '', 'id') ?? 'end';
  const { text: added, id } = filled(
    `<endEvent id="${endId}">${random.pick(endSnippets)}</endEvent>`,
    prefix,
    random,
  );
  return withRoots(replaced(pieces, from, to, added), snippetRoots, id, prefix);
}

function loopActivity(text: string, random: Random): string {
  const pieces = cut(text);
  const activities = activitiesOf(pieces);
  if (activities.length === 0) return text;
  const { name, from, to } = random.pick(activities);
  const { text: loop } = filled(random.pick(loopSnippets), prefixOf(name), random);
  const tag = pieces.tokens[from] ?? '';
  if (from === to) return replaced(pieces, from, to, `${opened(tag)}${loop}</${name}>`);
  return replaced(pieces, to, to, loop + (pieces.tokens[to] ?? ''));
}

/** Lets a flow lead to another node that some flow leads to: loops, joins, dead ends, crossed borders. */
function turnFlow(text: string, random: Random): string {
  const pieces = cut(text);
  const flows = flowsOf(pieces);
  if (flows.length === 0) return text;
  const { from } = random.pick(flows);
  const other = pieces.tokens[random.pick(flows).from] ?? '';
  const target = attributeValue(other, random.chance(0.7) ? 'targetRef' : 'sourceRef') ?? '';
  const tag = pieces.tokens[from] ?? '';
  if (random.chance(0.5)) return replaced(pieces, from, from, withAttribute(tag, 'targetRef', target));
  const sourceRef = attributeValue(tag, 'sourceRef') ?? '';
  const prefix = prefixOf(/^<([^\s/>]+)/.exec(tag)?.[1] ?? '');
  const added = `<${prefix}sequenceFlow id="${freshId(random)}" sourceRef="${sourceRef}" targetRef="${target}"/>`;
  return replaced(pieces, from, from - 1, added);
}

function addCondition(text: string, random: Random): string {
  const pieces = cut(text);
  const flows = flowsOf(pieces);
  if (flows.length === 0) return text;
  const { name, from, to } = random.pick(flows);
  const { text: condition } = filled('<conditionExpression>$E</conditionExpression>', prefixOf(name), random);
  const tag = opened(pieces.tokens[from] ?? '');
  return replaced(pieces, from, to, `${tag}${condition}</${name}>`);
}

const EXPRESSION_HOLDER =
  /^(?:conditionExpression|script|from|condition|loopCondition|completionCondition|loopCardinality)$/;
const EXPRESSION_ATTRIBUTE = /\b(expression|body|value|destination|dedupKey)="[^"]*"/;

function changeExpression(text: string, random: Random): string {
  const pieces = cut(text);
  const holders = pieces.elements.filter(
    ({ name, from, to }) =>
      (EXPRESSION_HOLDER.test(localName(name)) && to > from) ||
      EXPRESSION_ATTRIBUTE.test(pieces.tokens[from] ?? ''),
  );
  if (holders.length === 0) return text;
  const { name, from, to } = random.pick(holders);
  const expression = escaped(randomExpression(random));
  if (EXPRESSION_HOLDER.test(localName(name))) return replaced(pieces, from + 1, to - 1, expression);
  const tag = pieces.tokens[from] ?? '';
  return replaced(
    pieces,
    from,
    from,
    tag.replace(EXPRESSION_ATTRIBUTE, (_, attribute: string) => `${attribute}="${expression}"`),
  );
}

function changeTime(text: string, random: Random): string {
  const pieces = cut(text);
  const times = pieces.elements.filter(
    ({ name, from, to }) => /^time(?:Duration|Date|Cycle)$/.test(localName(name)) && to > from,
  );
  if (times.length === 0) return text;
  const { from, to } = random.pick(times);
  return replaced(pieces, from + 1, to - 1, escaped(random.pick([...durations, ...dates, ...cycles])));
}
