/**
 * Random sound graphs that are not block-structured.
 *
 * They grow from a single task by steps. Some are refinements that keep soundness (a sequence, a choice, two
 * things at once, a loop in the place of a flow); others tie branches together at random, and are kept only
 * when the token game finds that the graph is still sound.
 * Source: W. van der Aalst, "Verification of Workflow Nets" (1997), refinement; the check is ours.
 */
import fc from 'fast-check';
import type { ProcessDefinition } from '../../definitions/model.ts';
import {
  boundary,
  callActivity,
  end,
  exclusive,
  inclusive,
  looped,
  parallel,
  start,
  subProcess,
  userTask,
} from '../support/model-builder.ts';
import { each, timerMs } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { soundMarkings, type Graph, type GraphFlow, type GraphNodeKind, type Guard } from './token-game.ts';

const refinements = ['task', 'exclusive', 'parallel', 'inclusive', 'loop', 'guard', 'reminder'] as const;
const ties = ['sync', 'jump', 'retype', 'leave'] as const;

export interface GrowthStep {
  readonly kind: (typeof refinements)[number] | (typeof ties)[number];
  /** Which flow, task or gateway it is about; and which other flow. */
  readonly at: number;
  readonly other: number;
}

const number = fc.nat(1_000);

export const growth: fc.Arbitrary<readonly GrowthStep[]> = fc.array(
  fc.record({
    kind: fc.oneof(
      fc.constantFrom(...refinements),
      fc.constantFrom(...ties),
      fc.constantFrom('parallel' as const, 'sync' as const),
    ),
    at: number,
    other: number,
  }),
  { minLength: 1, maxLength: 10 },
);

/** Keeps the graphs, and with them the markings, small enough to look at all of them. */
const MAX_NODES = 26;

export function grow(steps: readonly GrowthStep[]): Graph {
  let graph: Graph = {
    nodes: new Map([
      ['s', 'start'],
      ['t0', 'task'],
      ['e', 'end'],
    ]),
    flows: [
      { id: 'f0', from: 's', to: 't0' },
      { id: 'f1', from: 't0', to: 'e' },
    ],
    guards: new Map(),
  };
  for (const step of steps) {
    const grown = new Growth(graph).after(step);
    const isKept = grown.nodes.size <= MAX_NODES && waitsInEveryCycle(grown) && soundMarkings(grown) !== null;
    if (isKept) graph = grown;
  }
  return graph;
}

/** A copy of a graph that is being changed. */
class Growth {
  readonly nodes: Map<string, GraphNodeKind>;
  flows: GraphFlow[];
  readonly guards: Map<string, Guard>;

  constructor(graph: Graph) {
    this.nodes = new Map(graph.nodes);
    this.flows = [...graph.flows];
    this.guards = new Map(graph.guards);
  }

  after({ kind, at, other }: GrowthStep): Graph {
    const flow = this.#pick(at);
    switch (kind) {
      case 'task':
        this.#insert(flow, 'task');
        break;
      case 'exclusive':
      case 'parallel':
      case 'inclusive':
        this.#fork(flow, kind, other);
        break;
      case 'loop': {
        const merge = this.#insert(flow, 'exclusive');
        const again = this.#insert(this.#flowFrom(merge), 'exclusive');
        this.#insert(this.#flowFrom(merge), 'task');
        this.#link(again, merge);
        break;
      }
      case 'guard':
      case 'reminder':
        this.#guard(at, kind);
        break;
      case 'sync':
      case 'jump':
        this.#tie(flow, this.#pick(other), kind === 'sync' ? 'parallel' : 'exclusive', other);
        break;
      case 'retype':
        this.#retype(at, other);
        break;
      case 'leave':
        this.#link(this.#insert(flow, 'exclusive'), this.#add('end'));
        break;
    }
    return this;
  }

  #pick(at: number): GraphFlow {
    const flow = this.flows[at % this.flows.length];
    if (flow === undefined) throw new Error('a graph has flows');
    return flow;
  }

  #add(kind: GraphNodeKind): string {
    const id = `${kind[0] ?? ''}${this.nodes.size}`;
    this.nodes.set(id, kind);
    return id;
  }

  #link(from: string, to: string): string {
    const id = `f${this.flows.length}`;
    this.flows.push({ id, from, to });
    return id;
  }

  #flowFrom(nodeId: string): GraphFlow {
    const flow = this.flows.find(({ from }) => from === nodeId);
    if (flow === undefined) throw new Error(`no flow leaves ${nodeId}`);
    return flow;
  }

  /** Puts a node into the flow. @returns its id */
  #insert(flow: GraphFlow, kind: GraphNodeKind): string {
    const id = this.#add(kind);
    this.#redirect(flow, id);
    this.#link(id, flow.to);
    return id;
  }

  #redirect(flow: GraphFlow, to: string): void {
    this.flows = this.flows.map((item) => (item.id === flow.id ? { ...item, to } : item));
  }

  /** Two or three branches, one of them perhaps with nothing in it. */
  #fork(flow: GraphFlow, kind: 'exclusive' | 'parallel' | 'inclusive', other: number): void {
    const split = this.#insert(flow, kind);
    const join = this.#insert(this.#flowFrom(split), kind);
    this.#insert(this.#flowFrom(split), 'task');
    for (let branch = 1; branch <= 1 + (other % 2); branch += 1) {
      const isEmpty = kind !== 'parallel' && branch === 1 && other % 3 === 0;
      if (isEmpty) {
        this.#link(split, join);
        continue;
      }
      const task = this.#add('task');
      this.#link(split, task);
      this.#link(task, join);
    }
  }

  #guard(at: number, kind: 'guard' | 'reminder'): void {
    const tasks = [...this.nodes].filter(([id, node]) => node === 'task' && !this.guards.has(id));
    const taskId = tasks[at % tasks.length]?.[0];
    if (taskId === undefined) return;
    if (kind === 'guard') {
      const merge = this.#insert(this.#flowFrom(taskId), 'exclusive');
      this.guards.set(taskId, { flowId: this.#link(taskId, merge), isInterrupting: true });
      return;
    }
    const aside = this.#add('task');
    this.guards.set(taskId, { flowId: this.#link(taskId, aside), isInterrupting: false });
    this.#link(aside, this.#add('end'));
  }

  /** A flow from one branch to another, through a task or not. */
  #tie(from: GraphFlow, to: GraphFlow, kind: 'parallel' | 'exclusive', other: number): void {
    if (from.id === to.id) return;
    const [source, target] = [this.#insert(from, kind), this.#insert(to, kind)];
    if (other % 2 === 0) {
      this.#link(source, target);
      return;
    }
    const task = this.#add('task');
    this.#link(source, task);
    this.#link(task, target);
  }

  #retype(at: number, other: number): void {
    const gateways = [...this.nodes].filter(
      ([, kind]) => kind === 'exclusive' || kind === 'parallel' || kind === 'inclusive',
    );
    const id = gateways[at % gateways.length]?.[0];
    const kind = (['exclusive', 'inclusive', 'parallel'] as const)[other % 3];
    if (id !== undefined && kind !== undefined) this.nodes.set(id, kind);
  }
}

/** Nothing goes round without a task: a turn comes to rest. */
function waitsInEveryCycle({ nodes, flows }: Graph): boolean {
  const open = new Map([...nodes].filter(([, kind]) => kind !== 'task').map(([id]) => [id, 0]));
  const inner = flows.filter(({ from, to }) => open.has(from) && open.has(to));
  for (let size = -1; size !== open.size;) {
    size = open.size;
    for (const id of open.keys()) {
      if (!inner.some(({ from, to }) => to === id && open.has(from))) open.delete(id);
    }
  }
  return open.size === 0;
}

// --- as a process ----------------------------------------------------------------------------------

/** How many stimuli the task at number `index` takes. */
const stimuliByVariety = [1, 2, 2, 1] as const;

export interface SoundModel {
  readonly process: ProcessDefinition;
  readonly callable: readonly ProcessDefinition[];
  /** How many user tasks are to be completed until the task is. */
  readonly stimuliOf: (taskId: string) => number;
}

/** The variable by which the gateway decides. */
export const wayVariable = (gatewayId: string): string => `${gatewayId}Way`;
export const guardId = (taskId: string): string => `${taskId}Guard`;

/** @param seed which kinds of activities the tasks are */
export function soundModel(graph: Graph, seed: number): SoundModel {
  const varietyOf = (id: string): number => (Number(id.slice(1)) + seed) % stimuliByVariety.length;
  const flows: string[] = [];
  const nodes = [...graph.nodes].flatMap(([id, kind]): readonly NodeSpec[] => {
    switch (kind) {
      case 'start':
        return [start(id)];
      case 'end':
        return [end(id)];
      case 'task':
        return taskNodes(graph, id, varietyOf(id), flows);
      case 'exclusive':
        return [exclusive(id)];
      case 'parallel':
        return [parallel(id)];
      case 'inclusive':
        return [inclusive(id)];
    }
  });
  for (const flow of graph.flows) flows.push(flowText(graph, flow));
  const called = processModel('called', [start('cs'), userTask('cu'), end('ce')], ['cs -> cu -> ce']);
  return {
    process: processModel('sound', nodes, flows),
    callable: [called],
    stimuliOf: (taskId) => stimuliByVariety[varietyOf(taskId)] ?? 1,
  };
}

function taskNodes({ guards }: Graph, id: string, variety: number, flows: string[]): readonly NodeSpec[] {
  const activity = ((): NodeSpec => {
    if (variety === 1) return looped(userTask(id), each('item in [1, 2]'));
    if (variety === 3) return callActivity(id, 'called', { params: {}, results: {} });
    if (variety !== 2) return userTask(id);
    flows.push(`${id}s -> ${id}p`, `${id}p -> ${id}a`, `${id}p -> ${id}b`);
    return subProcess(id, [start(`${id}s`), parallel(`${id}p`), userTask(`${id}a`), userTask(`${id}b`)]);
  })();
  const guard = guards.get(id);
  if (guard === undefined) return [activity];
  return [
    activity,
    boundary(guardId(id), id, timerMs(1000), guard.isInterrupting ? 'interrupting' : 'non-interrupting'),
  ];
}

function flowText({ nodes, flows, guards }: Graph, { id, from, to }: GraphFlow): string {
  if (guards.get(from)?.flowId === id) return `${guardId(from)} -> ${to} as ${id}`;
  const kind = nodes.get(from);
  const siblings = flows.filter((flow) => flow.from === from);
  const index = siblings.findIndex((flow) => flow.id === id);
  if (siblings.length < 2 || (kind !== 'exclusive' && kind !== 'inclusive'))
    return `${from} -> ${to} as ${id}`;
  if (index === siblings.length - 1) return `${from} -> ${to} default as ${id}`;
  const way = wayVariable(from);
  const condition =
    kind === 'exclusive' ? `${way} = ${index}` : `modulo(floor(${way} / ${2 ** index}), 2) = 1`;
  return `${from} -> ${to} as ${id} if ${condition}`;
}
