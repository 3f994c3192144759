/**
 * The paths of one scope as steps, from the start on; how they split and come together is said beside this file.
 *
 * P1 Every flow node of the scope is in a step, or is a gateway, start or end that the steps imply, or was refused.
 */
import type { FlowDraft, NodeDraft } from '../../bpmn/graph.ts';
import { label } from '../../bpmn/read-context.ts';
import { madeFor } from '../../written.ts';
import type { EndStep, Step, Steps } from '../flow.ts';
import { refuseCycles } from './read-bpmn-cycles.ts';
import { readSubProcess } from './read-bpmn-handlers.ts';
import { together } from './read-bpmn-joins.ts';
import { type BpmnSource, refuse, type StepHead } from './read-bpmn-source.ts';
import {
  type PathWalk,
  readChoice,
  readEventChoice,
  readFork,
  type ReadNodes,
  type Taken,
} from './read-bpmn-splits.ts';
import {
  along,
  END,
  isPlainEnd,
  type Next,
  type Open,
  type Walked,
  type Way,
  withoutLastEnd,
} from './read-bpmn-ways.ts';

/** Deeper ones nobody reads as a list of steps, and the walk recurses. */
const MAX_DEPTH = 200;

const GATEWAYS: ReadonlySet<string> = new Set(['exclusiveGateway', 'parallelGateway', 'inclusiveGateway']);

const BRANCHING: Readonly<Record<string, (paths: PathWalk, node: NodeDraft) => Taken>> = {
  exclusiveGateway: readChoice,
  parallelGateway: readFork,
  eventBasedGateway: readEventChoice,
  subProcess: readSubProcess,
};

export class PathReader implements PathWalk {
  readonly source: BpmnSource;
  readonly nodes: ReadNodes;
  readonly #lastEndId: string;
  readonly #taken = new Set<string>();
  #isFaulty = false;
  #depth = 0;

  /** `lastEndId`: of the end event that a flow makes by itself behind the last step. */
  constructor(source: BpmnSource, nodes: ReadNodes, lastEndId: string) {
    this.source = source;
    this.nodes = nodes;
    this.#lastEndId = lastEndId;
  }

  /**
   * The steps from the start events on; null when they cannot be said, which was reported. `isWhole`: none of the nodes
   * was refused, so that what no path comes to has no path.
   */
  read(starts: readonly NodeDraft[], children: readonly string[], isWhole: boolean): Steps | null {
    if (refuseCycles(this.source, children)) return null;
    const { steps, open } = this.walk(this.#begin(starts));
    if (this.#isFaulty) return null;
    if (open !== null && this.#isLastEnd(open.merge)) {
      this.#taken.add(open.merge.id);
    } else if (open !== null) {
      this.refuse(
        open.merge,
        'is joined by paths that do not begin in one place; let each split have its own join',
      );
      return null;
    }
    const left = isWhole ? children.filter((id) => !this.#taken.has(id)) : [];
    for (const id of left) {
      const node = this.source.graph.nodes.get(id);
      if (node !== undefined) this.refuse(node, 'is reached by no path from the start; connect or remove it');
    }
    return left.length === 0 ? withoutLastEnd(steps) : null;
  }

  /** Several start events come together before the first step. */
  #begin(starts: readonly NodeDraft[]): Next {
    const [first, second] = starts;
    starts.forEach(({ id }) => this.#taken.add(id));
    if (first === undefined) return END;
    if (second === undefined) return this.after(first);
    const ways = starts.map((start) => ({ open: this.openOf(this.after(start)), mayEnd: false }));
    return this.together(first, ways, 'choice');
  }

  openOf(next: Next): Open | null {
    if (next.kind !== 'flow') return null;
    const merge = this.targetOf(next.flow);
    return merge === null ? null : { merge, flows: new Set([next.flow.id]), by: 'one' };
  }

  walk(from: Next): Walked {
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
      const taken = this.#read(next.node);
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
    const target = this.targetOf(flow);
    if (target === null) return END;
    return target.incoming.length > 1 || this.#isLastEnd(target)
      ? { kind: 'open', open: { merge: target, flows: new Set([flow.id]), by: 'one' } }
      : { kind: 'node', node: target };
  }

  /** It stands behind the last step, wherever in the drawing a path comes to it. */
  #isLastEnd({ id, incoming }: NodeDraft): boolean {
    const step = this.nodes.leaves.get(id) ?? null;
    return id === this.#lastEndId && incoming.length === 1 && step !== null && isPlainEnd(step);
  }

  settled<Each extends Walked>(ways: readonly Each[]): readonly Each[] {
    const isEnded = ways.some(({ open }) => open !== null && !this.#isLastEnd(open.merge));
    return isEnded ? ways.map((way) => this.ended(way)) : ways;
  }

  ended<Each extends Walked>(way: Each): Each {
    if (way.open === null || !this.#isLastEnd(way.open.merge)) return way;
    this.#taken.add(way.open.merge.id);
    const { step } = this.#leaf(way.open.merge);
    return { ...way, steps: [...way.steps, ...(step === null ? [] : [step])], open: null, mayEnd: true };
  }

  #read(node: NodeDraft): Taken {
    if (this.#depth > MAX_DEPTH) {
      return this.give(node, `stands deeper than ${MAX_DEPTH} splits; move a part into a process of its own`);
    }
    if (GATEWAYS.has(node.kind) && node.outgoing.length < 2) {
      return { step: null, next: this.after(node), mayEnd: false };
    }
    return BRANCHING[node.kind]?.(this, node) ?? this.#leaf(node);
  }

  after(node: NodeDraft): Next {
    const [flow, second] = this.flowsOf(node);
    if (flow === undefined) return { kind: 'stop', node };
    const fault =
      second !== undefined
        ? 'has several outgoing sequence flows; put a parallel or an exclusive gateway behind it'
        : flow.condition !== null
          ? 'has a conditional flow as its only way on; put an exclusive gateway behind it'
          : null;
    if (fault === null) return along(flow);
    this.refuse(node, fault);
    return END;
  }

  #leaf(node: NodeDraft): Taken {
    const step = this.nodes.leaves.get(node.id) ?? null;
    if (step === null) this.#isFaulty = true;
    if (node.kind !== 'endEvent') return { step, next: this.after(node), mayEnd: false };
    return { step, next: END, mayEnd: step?.verb === 'end' && !step.isTerminating };
  }

  /** BPMN lets a path end at any node. */
  #impliedEnd({ element }: NodeDraft): EndStep {
    const { document } = this.source.context;
    const head: StepHead = {
      id: madeFor(document, element, 'end'),
      isIdGiven: false,
      name: null,
      place: () => document.placeOf(element),
    };
    return { ...head, verb: 'end', isTerminating: false, message: null, reply: null };
  }

  together(split: NodeDraft, ways: readonly Way[], by: 'choice' | 'fork'): Next {
    const next = together(split, ways, by);
    if (next.kind !== 'fault') return next;
    this.refuse(next.node, next.reason);
    return END;
  }

  flowsOf(node: NodeDraft): readonly FlowDraft[] {
    return node.outgoing.flatMap((id) => this.source.graph.flows.get(id) ?? []);
  }

  targetOf(flow: FlowDraft): NodeDraft | null {
    return this.source.graph.nodes.get(flow.targetId) ?? null;
  }

  take(id: string): void {
    this.#taken.add(id);
  }

  fail(): void {
    this.#isFaulty = true;
  }

  give(node: NodeDraft, reason: string): Taken {
    this.refuse(node, reason);
    return { step: null, next: END, mayEnd: false };
  }

  refuse({ element }: NodeDraft, reason: string): void {
    this.#isFaulty = true;
    refuse(this.source, element, `${label(element)} ${reason}`);
  }
}
