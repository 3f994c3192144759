/** Gateways that split: the step that each is, with the ways behind it as its parts. */
import type { FlowDraft, NodeDraft } from '../../bpmn/graph.ts';
import { filled, type Written } from '../../written.ts';
import { attributeOf } from '../../xml/document.ts';
import type { Step, Steps, TryStep } from '../flow.ts';
import type { HandlerHead } from './read-bpmn-events.ts';
import { attribute, type BpmnSource, childText, headOf } from './read-bpmn-source.ts';
import { along, isOpen, mainOf, type Next, type Open, type Walked, type Way } from './read-bpmn-ways.ts';

/** What the nodes of a scope say by themselves, before their order is known; null: it was refused. */
export interface ReadNodes {
  readonly leaves: ReadonlyMap<string, Step | null>;
  readonly handlers: ReadonlyMap<string, HandlerHead | null>;
  /** Of compensation boundary events: the steps of the sub-process that undoes. */
  readonly compensations: ReadonlyMap<string, NonNullable<TryStep['compensation']> | null>;
  /** Sub-processes that sequence flows lead to, as steps without handlers. */
  readonly parts: ReadonlyMap<string, Step | null>;
}

/** What a node on a path is. */
export interface Taken {
  readonly step: Step | null;
  /** What stands behind it already. */
  readonly rest?: Steps;
  readonly next: Next;
  readonly mayEnd: boolean;
}

/** What a node asks of the walk that has come to it. */
export interface PathWalk {
  readonly source: BpmnSource;
  readonly nodes: ReadNodes;
  flowsOf(node: NodeDraft): readonly FlowDraft[];
  targetOf(flow: FlowDraft): NodeDraft | null;
  /** What follows a node that has at most one way on. */
  after(node: NodeDraft): Next;
  walk(from: Next): Walked;
  /** Where a path is that has not run any step yet; null: nowhere. */
  openOf(next: Next): Open | null;
  /** The way, ended if it has come to the last end. */
  ended<Each extends Walked>(way: Each): Each;
  /** One way comes to the last end and others go on elsewhere: then it is no last end, but one as any other. */
  settled<Each extends Walked>(ways: readonly Each[]): readonly Each[];
  /** Where the paths of a split come together. */
  together(split: NodeDraft, ways: readonly Way[], by: 'choice' | 'fork'): Next;
  /** The node is in a step. */
  take(id: string): void;
  /** What was reported already makes the steps incomplete. */
  fail(): void;
  refuse(node: NodeDraft, reason: string): void;
  /** Refuses, and goes on nowhere. */
  give(node: NodeDraft, reason: string): Taken;
}

export function readChoice(paths: PathWalk, node: NodeDraft): Taken {
  const { source } = paths;
  const otherwiseId = attributeOf(node.element, 'default');
  const flows = paths.flowsOf(node);
  const otherwise = flows.find(({ id }) => id === otherwiseId);
  if (otherwise === undefined) {
    return paths.give(
      node,
      'has no default flow, and a flow of steps always has a way on; make one the default',
    );
  }
  const walked = flows.map((flow) => ({ flow, ...paths.walk(along(flow)) }));
  const ways = paths.settled(walked);
  const cases = ways.filter(({ flow }) => flow !== otherwise);
  const main = mainOf(ways);
  const rest = ways.find(({ flow }) => flow === otherwise);
  const isEmpty = rest === undefined || rest === main || (rest.steps.length === 0 && rest.open !== null);
  const step: Step = {
    ...headOf(source, node),
    verb: 'choose',
    cases: cases.flatMap((way) => {
      const when = childText(source, way.flow.element, 'conditionExpression');
      const steps = way === main ? [] : way.steps;
      return when === null ? [] : [{ when, ...partHead(source, way.flow), steps }];
    }),
    otherwise: isEmpty ? null : rest.steps,
  };
  return { ...split(paths, node, step, ways, 'choice'), rest: main?.steps ?? [] };
}

export function readFork(paths: PathWalk, node: NodeDraft): Taken {
  const walked = paths.flowsOf(node).map((flow) => ({ flow, ...paths.walk(along(flow)) }));
  const branches = paths.settled(walked);
  if (branches.some(({ steps }) => steps.length === 0)) {
    paths.refuse(
      node,
      'has a path on which nothing stands; remove it, a flow goes on without it all the same',
    );
  }
  const step: Step = {
    ...headOf(paths.source, node),
    verb: 'parallel',
    until: 'all',
    branches: branches.map(({ flow, steps }) => ({ ...partHead(paths.source, flow), steps })),
  };
  return split(paths, node, step, branches, 'fork');
}

export function readEventChoice(paths: PathWalk, node: NodeDraft): Taken {
  const events = paths.flowsOf(node).flatMap((flow) => paths.targetOf(flow) ?? []);
  if (events.length < 2) return paths.give(node, 'waits for one event only; remove the gateway');
  const walked = events.map((event) => {
    paths.take(event.id);
    return { event, ...paths.walk(paths.after(event)) };
  });
  const alternatives = paths.settled(walked);
  const main = mainOf(alternatives);
  const step: Step = {
    ...headOf(paths.source, node),
    verb: 'wait-first',
    alternatives: alternatives.flatMap((way) => {
      const { event } = way;
      const wait = paths.nodes.leaves.get(event.id) ?? null;
      const steps = way === main ? [] : way.steps;
      if (wait?.verb === 'wait') return [{ ...headOf(paths.source, event), trigger: wait.trigger, steps }];
      paths.fail();
      return [];
    }),
  };
  return { ...split(paths, node, step, alternatives, 'choice'), rest: main?.steps ?? [] };
}

function split(
  paths: PathWalk,
  node: NodeDraft,
  step: Step,
  ways: readonly Way[],
  by: 'choice' | 'fork',
): Taken {
  // A join of all waits for the ways that go on; when none does, every way has ended.
  const counted = by === 'fork' && ways.some(isOpen) ? ways.filter(isOpen) : ways;
  return { step, next: paths.together(node, ways, by), mayEnd: counted.some(({ mayEnd }) => mayEnd) };
}

function partHead(
  source: BpmnSource,
  { element }: FlowDraft,
): { readonly name: Written | null; readonly place: Step['place'] } {
  const { document } = source.context;
  return { name: filled(attribute(source, element, 'name')), place: () => document.placeOf(element) };
}
