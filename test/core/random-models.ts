/** Random process models: block-structured ones, which always end, and any graph at all. */
import fc from 'fast-check';
import type { ProcessDefinition } from '../../definitions/model.ts';
import {
  boundary,
  call,
  catchEvent,
  data,
  end,
  error,
  errorEnd,
  eventBased,
  exclusive,
  inclusive,
  message,
  parallel,
  processModel,
  receive,
  registered,
  script,
  start,
  subProcess,
  task,
  terminate,
  timerMs,
  userTask,
  type NodeSpec,
} from '../support/model-builder.ts';

const leaves = [
  'task',
  'data',
  'script',
  'call',
  'timed-call',
  'registered',
  'receive',
  'catch',
  'timer',
  'user',
] as const;
const splits = ['exclusive', 'inclusive', 'parallel'] as const;
const guards = ['timer', 'message', 'reminder', 'note'] as const;

export type Block =
  | { readonly kind: 'leaf'; readonly leaf: (typeof leaves)[number] }
  | { readonly kind: 'sequence'; readonly blocks: readonly Block[] }
  | { readonly kind: 'split'; readonly split: (typeof splits)[number]; readonly blocks: readonly Block[] }
  | { readonly kind: 'loop'; readonly block: Block }
  | { readonly kind: 'race' }
  | { readonly kind: 'sub'; readonly block: Block; readonly guard: (typeof guards)[number] | null }
  /** A sub-process that may throw an error beside its block, or terminate itself; caught from outside. */
  | { readonly kind: 'risky'; readonly block: Block; readonly by: 'error' | 'terminate' };

export const blocks = fc.letrec<{ block: Block }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.record({ kind: fc.constant('leaf' as const), leaf: fc.constantFrom(...leaves) }),
    fc.record({
      kind: fc.constant('sequence' as const),
      blocks: fc.array(tie('block'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('split' as const),
      split: fc.constantFrom(...splits),
      blocks: fc.array(tie('block'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('loop' as const), block: tie('block') }),
    fc.record({ kind: fc.constant('race' as const) }),
    fc.record({
      kind: fc.constant('sub' as const),
      block: tie('block'),
      guard: fc.option(fc.constantFrom(...guards)),
    }),
    fc.record({
      kind: fc.constant('risky' as const),
      block: tie('block'),
      by: fc.constantFrom('error' as const, 'terminate' as const),
    }),
  ),
})).block;

/** Nodes and flows of a block between an entry and an exit node. */
interface Piece {
  readonly entry: string;
  readonly exit: string;
  readonly nodes: NodeSpec[];
}

class Builder {
  readonly flows: string[] = [];
  #count = 0;

  id(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.#count}`;
  }

  piece(block: Block): Piece {
    switch (block.kind) {
      case 'leaf':
        return this.#leaf(block.leaf);
      case 'sequence': {
        const pieces = block.blocks.map((inner) => this.piece(inner));
        for (const [index, piece] of pieces.entries()) {
          if (index > 0) this.flows.push(`${pieces[index - 1]?.exit ?? ''} -> ${piece.entry}`);
        }
        const nodes = pieces.flatMap((piece) => piece.nodes);
        return { entry: pieces[0]?.entry ?? '', exit: pieces.at(-1)?.exit ?? '', nodes };
      }
      case 'split':
        return this.#split(block.split, block.blocks);
      case 'loop':
        return this.#loop(block.block);
      case 'race':
        return this.#race();
      case 'sub':
        return this.#sub(block.block, block.guard);
      case 'risky':
        return this.#risky(block.block, block.by);
    }
  }

  #leaf(leaf: (typeof leaves)[number]): Piece {
    const id = this.id(leaf);
    const late = this.id('late');
    const nodes: Record<typeof leaf, () => NodeSpec[]> = {
      task: () => [task(id)],
      data: () => [data(id, ['n = if n = null then 1 else n + 1'])],
      script: () => [script(id, '{last: n}')],
      call: () => [call(id, 'jobs')],
      'timed-call': () => [
        call(id, 'jobs', { timeoutMs: 1000 }),
        boundary(late, id, error('SUTRA.CALL.TIMEOUT')),
      ],
      registered: () => [registered(id, 'fn')],
      receive: () => [receive(id, 'news')],
      catch: () => [catchEvent(id, message('news'))],
      timer: () => [catchEvent(id, timerMs(1000))],
      user: () => [userTask(id)],
    };
    if (leaf !== 'timed-call') return { entry: id, exit: id, nodes: nodes[leaf]() };
    const merge = this.id('merge');
    this.flows.push(`${id} -> ${merge}`, `${late} -> ${merge}`);
    return { entry: id, exit: merge, nodes: [...nodes[leaf](), exclusive(merge)] };
  }

  #split(kind: (typeof splits)[number], inner: readonly Block[]): Piece {
    const make = { exclusive, inclusive, parallel }[kind];
    const [split, join] = [this.id(`${kind}Split`), this.id(`${kind}Join`)];
    const nodes = [make(split), make(join)];
    for (const [index, block] of inner.entries()) {
      const piece = this.piece(block);
      nodes.push(...piece.nodes);
      const isDefault = index === inner.length - 1;
      const suffix = kind === 'parallel' ? '' : isDefault ? ' default' : ` if modulo(n + ${index}, 2) = 0`;
      this.flows.push(`${split} -> ${piece.entry}${suffix}`, `${piece.exit} -> ${join}`);
    }
    return { entry: split, exit: join, nodes };
  }

  /** At most three rounds over the whole life of the instance. */
  #loop(block: Block): Piece {
    const [merge, count, again] = [this.id('merge'), this.id('count'), this.id('again')];
    const piece = this.piece(block);
    const out = this.id('out');
    this.flows.push(
      `${merge} -> ${piece.entry}`,
      `${piece.exit} -> ${count} -> ${again}`,
      `${again} -> ${merge} if ${count} < 3`,
      `${again} -> ${out} default`,
    );
    const counting = data(count, [`${count} = if ${count} = null then 1 else ${count} + 1`]);
    return {
      entry: merge,
      exit: out,
      nodes: [exclusive(merge), counting, exclusive(again), task(out), ...piece.nodes],
    };
  }

  #race(): Piece {
    const [gate, merge] = [this.id('race'), this.id('merge')];
    const [news, late, task1] = [this.id('news'), this.id('late'), this.id('receive')];
    for (const id of [news, late, task1]) this.flows.push(`${gate} -> ${id} -> ${merge}`);
    const events = [
      catchEvent(news, message('news')),
      catchEvent(late, timerMs(500)),
      receive(task1, 'other'),
    ];
    return { entry: gate, exit: merge, nodes: [eventBased(gate), exclusive(merge), ...events] };
  }

  #sub(block: Block, guard: (typeof guards)[number] | null): Piece {
    const [sub, begin, finish] = [this.id('sub'), this.id('begin'), this.id('finish')];
    const piece = this.piece(block);
    this.flows.push(`${begin} -> ${piece.entry}`, `${piece.exit} -> ${finish}`);
    const inside = subProcess(sub, [start(begin), ...piece.nodes, end(finish)]);
    if (guard === null) return { entry: sub, exit: sub, nodes: [inside] };
    const event = guard === 'timer' || guard === 'reminder' ? timerMs(700) : message('notes');
    const isInterrupting = guard === 'timer' || guard === 'message';
    const id = this.id(guard);
    if (isInterrupting) {
      const merge = this.id('merge');
      this.flows.push(`${sub} -> ${merge}`, `${id} -> ${merge}`);
      return { entry: sub, exit: merge, nodes: [inside, boundary(id, sub, event), exclusive(merge)] };
    }
    const aside = this.id('aside');
    this.flows.push(`${id} -> ${aside}`);
    return {
      entry: sub,
      exit: sub,
      nodes: [inside, boundary(id, sub, event, 'non-interrupting'), userTask(aside)],
    };
  }

  #risky(block: Block, by: 'error' | 'terminate'): Piece {
    const [sub, begin, fork, boom, finish] = ['sub', 'begin', 'fork', 'boom', 'finish'].map((prefix) =>
      this.id(prefix),
    );
    const [caught, merge, wait] = [this.id('caught'), this.id('merge'), this.id('user')];
    const piece = this.piece(block);
    this.flows.push(
      `${begin ?? ''} -> ${fork ?? ''}`,
      `${fork ?? ''} -> ${piece.entry}`,
      `${piece.exit} -> ${finish ?? ''}`,
      `${fork ?? ''} -> ${wait} -> ${boom ?? ''}`,
      `${sub ?? ''} -> ${merge}`,
      `${caught} -> ${merge}`,
    );
    const stop = by === 'error' ? errorEnd(boom ?? '', 'E') : terminate(boom ?? '');
    const children = [
      start(begin ?? ''),
      parallel(fork ?? ''),
      ...piece.nodes,
      userTask(wait),
      stop,
      end(finish ?? ''),
    ];
    const nodes = [
      subProcess(sub ?? '', children),
      boundary(caught, sub ?? '', error(null)),
      exclusive(merge),
    ];
    return { entry: sub ?? '', exit: merge, nodes };
  }
}

/** A process around one block: sound by construction. */
export function blockModel(block: Block): ProcessDefinition {
  const builder = new Builder();
  const piece = builder.piece(block);
  builder.flows.push(`s -> ${piece.entry}`, `${piece.exit} -> e`);
  return processModel('random', [start('s'), ...piece.nodes, end('e')], builder.flows);
}

// --- any graph -----------------------------------------------------------------------------------

const anyKinds = [
  'task',
  'call',
  'user',
  'timer',
  'catch',
  'exclusive',
  'inclusive',
  'parallel',
  'script',
  'end',
  'terminate',
  'error',
  'sub',
  'guarded',
] as const;

export interface GraphPlan {
  readonly kinds: readonly (typeof anyKinds)[number][];
  /** Pairs of node numbers, and whether the flow has a condition. */
  readonly flows: readonly (readonly [number, number, boolean])[];
}

export const graphPlans: fc.Arbitrary<GraphPlan> = fc.integer({ min: 2, max: 9 }).chain((size) =>
  fc.record({
    kinds: fc.array(fc.constantFrom(...anyKinds), { minLength: size, maxLength: size }),
    flows: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1), fc.boolean()), {
      minLength: size,
      maxLength: 3 * size,
    }),
  }),
);

/** Only these lead back to nodes before them, so that few models run into the bound of a step, which is slow. */
const waitingKinds: ReadonlySet<string> = new Set(['call', 'user', 'timer', 'catch', 'sub', 'guarded']);

/** A process with these nodes and flows: it may be stuck, fail or never end, but must not break the core. */
export function graphModel(plan: GraphPlan): ProcessDefinition {
  const nodes: NodeSpec[] = [start('s')];
  const flows = ['s -> n0'];
  const withoutExit = new Set<number>();
  for (const [index, kind] of plan.kinds.entries()) {
    const id = `n${index}`;
    const make: Record<typeof kind, () => NodeSpec[]> = {
      task: () => [task(id)],
      call: () => [call(id, 'jobs', { timeoutMs: 100 })],
      user: () => [userTask(id)],
      timer: () => [catchEvent(id, timerMs(100))],
      catch: () => [catchEvent(id, message('news'))],
      exclusive: () => [exclusive(id)],
      inclusive: () => [inclusive(id)],
      parallel: () => [parallel(id)],
      script: () => [script(id, '{n: if n = null then 1 else n + 1}')],
      end: () => [end(id)],
      terminate: () => [terminate(id)],
      error: () => [errorEnd(id, 'E')],
      sub: () => [subProcess(id, [start(`${id}s`), userTask(`${id}u`), errorEnd(`${id}e`, 'E')])],
      guarded: () => [userTask(id), boundary(`${id}b`, id, timerMs(100), 'non-interrupting')],
    };
    nodes.push(...make[kind]());
    if (kind === 'sub') flows.push(`${id}s -> ${id}u -> ${id}e`);
    if (kind === 'guarded') flows.push(`${id}b -> n${(index + 1) % plan.kinds.length}`);
    if (kind === 'end' || kind === 'terminate' || kind === 'error') withoutExit.add(index);
  }
  for (const [from, to, hasCondition] of plan.flows) {
    if (withoutExit.has(from) || (to <= from && !waitingKinds.has(plan.kinds[from] ?? ''))) continue;
    flows.push(`n${from} -> n${to}${hasCondition ? ` if modulo(n, 3) < ${to}` : ''}`);
  }
  return processModel('random', nodes, flows);
}
