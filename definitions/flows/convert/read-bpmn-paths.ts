/**
 * The paths of one scope as steps: which gateway, handler or event splits them, and where they come together again.
 *
 * P1 A step that splits ends where all of its paths that go on come together. What comes together elsewhere, or with
 *    paths of other steps, cannot be said, and is refused at the split.
 * P2 Paths of which one is taken never come together in a parallel gateway, and paths that are all taken in nothing
 *    that does not wait: what would wait for ever, or run twice, is refused and not repaired.
 * P3 Every flow node of the scope is in a step, or is a gateway, start or end that the steps imply, or was refused.
 */
import type { FlowDraft, NodeDraft } from '../../bpmn/graph.ts';
import { label } from '../../bpmn/read-context.ts';
import { filled, madeFor, type Written } from '../../written.ts';
import { attributeOf } from '../../xml/document.ts';
import { shown } from '../../xml/shown.ts';
import type { EndStep, Handler, Step, Steps, TryStep } from '../flow.ts';
import { refuseCycles } from './read-bpmn-cycles.ts';
import type { HandlerHead } from './read-bpmn-events.ts';
import {
  isInterrupting,
  isOpen,
  isPlainEnd,
  joinFault,
  mainOf,
  type Open,
  sortedHandlers,
  type Walked,
  type Way,
  withoutLastEnd,
} from './read-bpmn-ways.ts';
import { attribute, type BpmnSource, childText, headOf, refuse, type StepHead } from './read-bpmn-source.ts';

/** Deeper ones nobody reads as a list of steps, and the walk recurses. */
const MAX_DEPTH = 200;

/** What the nodes of a scope say by themselves, before their order is known; null: it was refused. */
export interface ReadNodes {
  readonly leaves: ReadonlyMap<string, Step | null>;
  readonly handlers: ReadonlyMap<string, HandlerHead | null>;
  /** Of compensation boundary events: the steps of the sub-process that undoes. */
  readonly compensations: ReadonlyMap<string, NonNullable<TryStep['compensation']> | null>;
  /** Sub-processes that sequence flows lead to, as steps without handlers. */
  readonly parts: ReadonlyMap<string, Step | null>;
}

type Next =
  | { readonly kind: 'flow'; readonly flow: FlowDraft }
  | { readonly kind: 'node'; readonly node: NodeDraft }
  | { readonly kind: 'open'; readonly open: Open }
  /** Nothing leads on from the node, which is no end event. */
  | { readonly kind: 'stop'; readonly node: NodeDraft }
  | { readonly kind: 'end' };

interface Taken {
  readonly step: Step | null;
  /** What stands behind it already. */
  readonly rest?: Steps;
  readonly next: Next;
  readonly mayEnd: boolean;
}

const END: Next = { kind: 'end' };

const GATEWAYS: ReadonlySet<string> = new Set(['exclusiveGateway', 'parallelGateway', 'inclusiveGateway']);

export class PathReader {
  readonly #source: BpmnSource;
  readonly #nodes: ReadNodes;
  readonly #lastEndId: string;
  readonly #taken = new Set<string>();
  #isFaulty = false;
  #depth = 0;

  /** `lastEndId`: of the end event that a flow makes by itself behind the last step. */
  constructor(source: BpmnSource, nodes: ReadNodes, lastEndId: string) {
    this.#source = source;
    this.#nodes = nodes;
    this.#lastEndId = lastEndId;
  }

  /**
   * The steps from the start events on; null when they cannot be said, which was reported. `isWhole`: none of the nodes
   * was refused, so that what no path comes to has no path.
   */
  read(starts: readonly NodeDraft[], children: readonly string[], isWhole: boolean): Steps | null {
    if (refuseCycles(this.#source, children)) return null;
    const { steps, open } = this.#walk(this.#begin(starts));
    if (this.#isFaulty) return null;
    if (open !== null && this.#isLastEnd(open.merge)) {
      this.#taken.add(open.merge.id);
    } else if (open !== null) {
      this.#refuse(
        open.merge,
        'is joined by paths that do not begin in one place; let each split have its own join',
      );
      return null;
    }
    const left = isWhole ? children.filter((id) => !this.#taken.has(id)) : [];
    for (const id of left) {
      const node = this.#source.graph.nodes.get(id);
      if (node !== undefined)
        this.#refuse(node, 'is reached by no path from the start; connect or remove it');
    }
    return left.length === 0 ? withoutLastEnd(steps) : null;
  }

  /** Several start events come together before the first step. */
  #begin(starts: readonly NodeDraft[]): Next {
    const [first, second] = starts;
    starts.forEach(({ id }) => this.#taken.add(id));
    if (first === undefined) return END;
    if (second === undefined) return this.#after(first);
    const ways = starts.map((start) => ({ open: this.#openOf(this.#after(start)), mayEnd: false }));
    return this.#together(first, ways, 'choice');
  }

  /** Where a path is that has not run any step yet; null: nowhere. */
  #openOf(next: Next): Open | null {
    if (next.kind !== 'flow') return null;
    const merge = this.#target(next.flow);
    return merge === null ? null : { merge, flows: new Set([next.flow.id]), by: 'one' };
  }

  #walk(from: Next): Walked {
    const steps: Step[] = [];
    let next = from;
    let mayEnd = false;
    this.#depth += 1;
    while (next.kind === 'flow' || next.kind === 'node') {
      if (next.kind === 'flow') {
        next = this.#along(next.flow);
        continue;
      }
      this.#taken.add(next.node.id);
      const taken = this.#take(next.node);
      if (taken.step !== null) steps.push(taken.step);
      steps.push(...(taken.rest ?? []));
      mayEnd ||= taken.mayEnd;
      next = taken.next;
    }
    this.#depth -= 1;
    if (next.kind === 'stop') {
      steps.push(this.#impliedEnd(next.node));
      mayEnd = true;
    }
    return { steps, open: next.kind === 'open' ? next.open : null, mayEnd };
  }

  /** A path stops where others come too: whoever has split them knows whether all are there. */
  #along(flow: FlowDraft): Next {
    const target = this.#target(flow);
    if (target === null) return END;
    return target.incoming.length > 1 || this.#isLastEnd(target)
      ? { kind: 'open', open: { merge: target, flows: new Set([flow.id]), by: 'one' } }
      : { kind: 'node', node: target };
  }

  /** It stands behind the last step, wherever in the drawing a path comes to it. */
  #isLastEnd({ id, incoming }: NodeDraft): boolean {
    const step = this.#nodes.leaves.get(id) ?? null;
    return id === this.#lastEndId && incoming.length === 1 && step !== null && isPlainEnd(step);
  }

  /** One way comes to the last end and others go on elsewhere: then it is no last end, but one as any other. */
  #settled<Each extends Walked>(ways: readonly Each[]): readonly Each[] {
    const isEnded = ways.some(({ open }) => open !== null && !this.#isLastEnd(open.merge));
    return isEnded ? ways.map((way) => this.#ended(way)) : ways;
  }

  #ended<Each extends Walked>(way: Each): Each {
    if (way.open === null || !this.#isLastEnd(way.open.merge)) return way;
    this.#taken.add(way.open.merge.id);
    const { step } = this.#leaf(way.open.merge);
    return { ...way, steps: [...way.steps, ...(step === null ? [] : [step])], open: null, mayEnd: true };
  }

  #take(node: NodeDraft): Taken {
    if (this.#depth > MAX_DEPTH) {
      return this.#give(
        node,
        `stands deeper than ${MAX_DEPTH} splits; move a part into a process of its own`,
      );
    }
    if (GATEWAYS.has(node.kind) && node.outgoing.length < 2) {
      return { step: null, next: this.#after(node), mayEnd: false };
    }
    switch (node.kind) {
      case 'exclusiveGateway':
        return this.#choose(node);
      case 'parallelGateway':
        return this.#parallel(node);
      case 'eventBasedGateway':
        return this.#waitFirst(node);
      case 'subProcess':
        return this.#part(node);
      default:
        return this.#leaf(node);
    }
  }

  #choose(node: NodeDraft): Taken {
    const otherwiseId = attributeOf(node.element, 'default');
    const flows = this.#flows(node);
    const otherwise = flows.find(({ id }) => id === otherwiseId);
    if (otherwise === undefined) {
      return this.#give(
        node,
        'has no default flow, and a flow of steps always has a way on; make one the default',
      );
    }
    const walked = flows.map((flow) => ({ flow, ...this.#walk(along(flow)) }));
    const ways = this.#settled(walked);
    const cases = ways.filter(({ flow }) => flow !== otherwise);
    const main = mainOf(ways);
    const rest = ways.find(({ flow }) => flow === otherwise);
    const isEmpty = rest === undefined || rest === main || (rest.steps.length === 0 && rest.open !== null);
    const step: Step = {
      ...headOf(this.#source, node),
      verb: 'choose',
      cases: cases.flatMap((way) => {
        const when = childText(this.#source, way.flow.element, 'conditionExpression');
        const steps = way === main ? [] : way.steps;
        return when === null
          ? []
          : [{ when, name: this.#nameOf(way.flow), steps, place: this.#placeOf(way.flow) }];
      }),
      otherwise: isEmpty ? null : rest.steps,
    };
    return { ...this.#split(node, step, ways, 'choice'), rest: main?.steps ?? [] };
  }

  #parallel(node: NodeDraft): Taken {
    const walked = this.#flows(node).map((flow) => ({ flow, ...this.#walk(along(flow)) }));
    const branches = this.#settled(walked);
    if (branches.some(({ steps }) => steps.length === 0)) {
      this.#refuse(
        node,
        'has a path on which nothing stands; remove it, a flow goes on without it all the same',
      );
    }
    const step: Step = {
      ...headOf(this.#source, node),
      verb: 'parallel',
      until: 'all',
      branches: branches.map(({ flow, steps }) => ({
        name: this.#nameOf(flow),
        place: this.#placeOf(flow),
        steps,
      })),
    };
    return this.#split(node, step, branches, 'fork');
  }

  #waitFirst(node: NodeDraft): Taken {
    const events = this.#flows(node).flatMap((flow) => this.#target(flow) ?? []);
    if (events.length < 2) return this.#give(node, 'waits for one event only; remove the gateway');
    const walked = events.map((event) => {
      this.#taken.add(event.id);
      return { event, ...this.#walk(this.#after(event)) };
    });
    const alternatives = this.#settled(walked);
    const main = mainOf(alternatives);
    const step: Step = {
      ...headOf(this.#source, node),
      verb: 'wait-first',
      alternatives: alternatives.flatMap((way) => {
        const { event } = way;
        const wait = this.#nodes.leaves.get(event.id) ?? null;
        const steps = way === main ? [] : way.steps;
        if (wait?.verb === 'wait') return [{ ...headOf(this.#source, event), trigger: wait.trigger, steps }];
        this.#isFaulty = true;
        return [];
      }),
    };
    return { ...this.#split(node, step, alternatives, 'choice'), rest: main?.steps ?? [] };
  }

  #part(node: NodeDraft): Taken {
    const step = this.#nodes.parts.get(node.id) ?? null;
    if (step === null) this.#isFaulty = true;
    const after = this.#after(node);
    const ways: Walked[] = [];
    const handlers: Handler[] = [];
    let compensation: TryStep['compensation'] = null;
    for (const id of node.boundaryEventIds) {
      this.#taken.add(id);
      const event = this.#source.graph.nodes.get(id);
      if (event === undefined) continue;
      if (this.#nodes.compensations.has(id)) {
        compensation = this.#nodes.compensations.get(id) ?? null;
        this.#source.graph.associated.get(id)?.forEach((handler) => this.#taken.add(handler));
        continue;
      }
      const walked = this.#ended(this.#walk(this.#after(event)));
      const head = this.#nodes.handlers.get(id) ?? null;
      if (head === null) continue;
      handlers.push(this.#handler(event, head, walked));
      if (isInterrupting(head)) ways.push(walked);
    }
    const mayEnd = ways.some((way) => way.mayEnd);
    if (step?.verb !== 'try') return { step, next: after, mayEnd };
    const sorted = sortedHandlers(handlers);
    return {
      step: { ...step, handlers: sorted, compensation },
      next: this.#behind(node, after, ways),
      mayEnd,
    };
  }

  /** Where a sub-process with handlers goes on: there, its handlers come back. */
  #behind(node: NodeDraft, after: Next, handlers: readonly Walked[]): Next {
    const [first] = handlers.flatMap(({ open }) => open ?? []);
    if (first === undefined) return after;
    const own = this.#openOf(after);
    if (own === null || own.merge !== first.merge) {
      this.#refuse(
        node,
        'has a boundary event whose path does not come back right behind it; let the path end, or lead it to where the sub-process goes on',
      );
      return END;
    }
    return this.#together(node, [{ open: own, mayEnd: false }, ...handlers], 'choice');
  }

  #handler(event: NodeDraft, head: HandlerHead, { steps, open }: Walked): Handler {
    if (isInterrupting(head)) return { ...head, steps };
    if (open !== null) {
      this.#refuse(
        event,
        'does not interrupt, and its path comes back; let it end in an end event of its own',
      );
    }
    return { ...head, steps: withoutLastEnd(steps, 0) };
  }

  #split(node: NodeDraft, step: Step, ways: readonly Way[], by: 'choice' | 'fork'): Taken {
    // A join of all waits for the ways that go on; when none does, every way has ended.
    const counted = by === 'fork' && ways.some(({ open }) => open !== null) ? ways.filter(isOpen) : ways;
    return { step, next: this.#together(node, ways, by), mayEnd: counted.some(({ mayEnd }) => mayEnd) };
  }

  /** Where the paths of a split come together. */
  #together(split: NodeDraft, ways: readonly Way[], by: 'choice' | 'fork'): Next {
    const opens = ways.flatMap(({ open }) => open ?? []);
    const [first, second] = opens;
    if (first === undefined) return END;
    if (second === undefined) return { kind: 'open', open: first };
    const { merge } = first;
    const other = opens.find((open) => open.merge !== merge);
    if (other !== undefined) {
      const places = `${shown(merge.id)} and ${shown(other.merge.id)}`;
      this.#refuse(
        split,
        `has paths that come together at ${places}; let them come together in one place, or end`,
      );
      return END;
    }
    if (opens.some((open) => open.by !== 'one' && open.by !== by)) {
      this.#refuse(
        merge,
        'joins paths that are all taken with paths of which one is taken; give the inner split a join of its own',
      );
      return END;
    }
    const fault = joinFault(
      split,
      merge,
      by,
      ways.filter(isOpen).some(({ mayEnd }) => mayEnd),
    );
    if (fault !== null) {
      this.#refuse(merge, fault);
      return END;
    }
    const flows = new Set(opens.flatMap((open) => [...open.flows]));
    return flows.size < merge.incoming.length
      ? { kind: 'open', open: { merge, flows, by } }
      : { kind: 'node', node: merge };
  }

  /** What follows a node that has at most one way on. */
  #after(node: NodeDraft): Next {
    const [flow, second] = this.#flows(node);
    if (flow === undefined) return { kind: 'stop', node };
    const fault =
      second !== undefined
        ? 'has several outgoing sequence flows; put a parallel or an exclusive gateway behind it'
        : flow.condition !== null
          ? 'has a conditional flow as its only way on; put an exclusive gateway behind it'
          : null;
    if (fault === null) return along(flow);
    this.#refuse(node, fault);
    return END;
  }

  #leaf(node: NodeDraft): Taken {
    const step = this.#nodes.leaves.get(node.id) ?? null;
    if (step === null) this.#isFaulty = true;
    if (node.kind !== 'endEvent') return { step, next: this.#after(node), mayEnd: false };
    return { step, next: END, mayEnd: step?.verb === 'end' && !step.isTerminating };
  }

  /** BPMN lets a path end at any node. */
  #impliedEnd({ element }: NodeDraft): EndStep {
    const { document } = this.#source.context;
    const head: StepHead = {
      id: madeFor(document, element, 'end'),
      isIdGiven: false,
      name: null,
      place: () => document.placeOf(element),
    };
    return { ...head, verb: 'end', isTerminating: false, message: null, reply: null };
  }

  #flows(node: NodeDraft): readonly FlowDraft[] {
    return node.outgoing.flatMap((id) => this.#source.graph.flows.get(id) ?? []);
  }

  #target(flow: FlowDraft): NodeDraft | null {
    return this.#source.graph.nodes.get(flow.targetId) ?? null;
  }

  #nameOf({ element }: FlowDraft): Written | null {
    return filled(attribute(this.#source, element, 'name'));
  }

  #placeOf({ element }: FlowDraft): Step['place'] {
    const { document } = this.#source.context;
    return () => document.placeOf(element);
  }

  #give(node: NodeDraft, reason: string): Taken {
    this.#refuse(node, reason);
    return { step: null, next: END, mayEnd: false };
  }

  #refuse({ element }: NodeDraft, reason: string): void {
    this.#isFaulty = true;
    refuse(this.#source, element, `${label(element)} ${reason}`);
  }
}

function along(flow: FlowDraft): Next {
  return { kind: 'flow', flow };
}
