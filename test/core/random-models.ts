/** Random graphs of nodes: they may be stuck, fail or never end, but must not break the core. */
import fc from 'fast-check';
import type { ProcessDefinition } from '../../definitions/model.ts';
import {
  boundary,
  call,
  catchEvent,
  complex,
  end,
  endWith,
  errorEnd,
  eventSubProcess,
  exclusive,
  inclusive,
  looped,
  parallel,
  script,
  start,
  startOn,
  subProcess,
  task,
  terminate,
  throwing,
  transaction,
  undoable,
  userTask,
} from '../support/model-builder.ts';
import {
  cancelled,
  conditional,
  each,
  error,
  escalation,
  message,
  signal,
  standardLoop,
  throws,
  timerMs,
} from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { conditionVariable } from './block-leaves.ts';

/** Each makes the nodes of number `n<index>`, and the flows among them. */
const kinds = {
  task: (id) => [task(id)],
  call: (id) => [call(id, 'jobs', { timeoutMs: 100 })],
  user: (id) => [userTask(id)],
  timer: (id) => [catchEvent(id, timerMs(100))],
  catch: (id) => [catchEvent(id, message('news'))],
  signal: (id) => [catchEvent(id, signal('go'))],
  condition: (id) => [catchEvent(id, conditional(conditionVariable(id)))],
  exclusive: (id) => [exclusive(id)],
  inclusive: (id) => [inclusive(id)],
  parallel: (id) => [parallel(id)],
  complex: (id) => [complex(id, 'activationCount >= 2')],
  script: (id) => [script(id, '{n: if n = null then 1 else n + 1}')],
  shout: (id) => [throwing(id, throws.signal('go'))],
  escalate: (id) => [throwing(id, throws.escalation('E'))],
  undo: (id) => [throwing(id, throws.compensation())],
  undoAside: (id) => [throwing(id, throws.compensationAside())],
  undoable: (id) => undoable(userTask(id), userTask(`${id}x`)),
  undoableEach: (id) => undoable(looped(userTask(id), each('item in [1, 2]')), task(`${id}x`)),
  each: (id) => [looped(call(id, 'jobs'), each('item in [1, 2]', { output: 'item -> items' }))],
  again: (id) => [looped(userTask(id), standardLoop({ maximum: 2 }))],
  end: (id) => [end(id)],
  terminate: (id) => [terminate(id)],
  error: (id) => [errorEnd(id, 'E')],
  sub: (id) => [subProcess(id, [start(`${id}s`), userTask(`${id}u`), errorEnd(`${id}e`, 'E')])],
  cancel: (id) => [
    transaction(id, [
      start(`${id}s`),
      ...undoable(userTask(`${id}u`), userTask(`${id}x`)),
      endWith(`${id}e`, throws.cancel),
    ]),
    boundary(`${id}b`, id, cancelled),
  ],
  guarded: (id) => [userTask(id), boundary(`${id}b`, id, timerMs(100), 'non-interrupting')],
  escalated: (id) => [
    userTask(id),
    boundary(`${id}g`, id, [signal('go'), escalation(null)], 'non-interrupting'),
    // What it leads to may throw again: not without a wait in between.
    userTask(`${id}b`),
  ],
  /** Not in the flow: event sub-processes of the process itself. */
  onError: (id) => [eventSubProcess(id, startOn(`${id}s`, error(null)), [userTask(`${id}u`)])],
  onEscalation: (id) => [
    eventSubProcess(id, startOn(`${id}s`, [escalation(null), signal('go')], 'non-interrupting'), [
      userTask(`${id}u`),
    ]),
  ],
  onSignal: (id) => [
    eventSubProcess(id, startOn(`${id}s`, signal('stop')), [throwing(`${id}u`, throws.compensation())]),
  ],
} satisfies Readonly<Record<string, (id: string) => readonly NodeSpec[]>>;

type Kind = keyof typeof kinds;

const endings: ReadonlySet<string> = new Set(['end', 'terminate', 'error']);
const handlers: ReadonlySet<string> = new Set(['onError', 'onEscalation', 'onSignal']);
const withInside: ReadonlySet<string> = new Set(['sub', 'cancel']);
/** A flow leads from `<id>b` to the next node. */
const withSideway: ReadonlySet<string> = new Set(['guarded', 'escalated', 'cancel']);

/**
 * Only these lead back to nodes before them, so that few models run into the bound of a step, which is slow. Not
 * signals: one of them moves all tokens that wait for it, and they would become more and more.
 */
const waiting: ReadonlySet<string> = new Set([
  'call',
  'user',
  'timer',
  'catch',
  'sub',
  'guarded',
  'each',
  'again',
  'undoable',
  'cancel',
]);

export interface GraphPlan {
  readonly kinds: readonly Kind[];
  /** Pairs of node numbers, and whether the flow has a condition. */
  readonly flows: readonly (readonly [number, number, boolean])[];
}

const kindNames = Object.keys(kinds) as Kind[];

export const graphPlans: fc.Arbitrary<GraphPlan> = fc.integer({ min: 2, max: 10 }).chain((size) =>
  fc.record({
    kinds: fc.array(fc.constantFrom(...kindNames), { minLength: size, maxLength: size }),
    flows: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1), fc.boolean()), {
      minLength: size,
      maxLength: 3 * size,
    }),
  }),
);

/** A process with these nodes and flows. */
export function graphModel(plan: GraphPlan): ProcessDefinition {
  const nodes: NodeSpec[] = [start('s')];
  const inFlow = plan.kinds.map((kind, index) => ({ kind, id: `n${index}` }));
  const first = inFlow.find(({ kind }) => !handlers.has(kind));
  const flows = first === undefined ? [] : [`s -> ${first.id}`];
  for (const [index, { kind, id }] of inFlow.entries()) {
    nodes.push(...kinds[kind](id));
    if (withInside.has(kind)) flows.push(`${id}s -> ${id}u -> ${id}e`);
    if (handlers.has(kind)) flows.push(`${id}s -> ${id}u`);
    if (kind === 'escalated') flows.push(`${id}g -> ${id}b`);
    const after = inFlow[(index + 1) % inFlow.length];
    if (withSideway.has(kind) && after !== undefined && !handlers.has(after.kind))
      flows.push(`${id}b -> ${after.id}`);
  }
  for (const [from, to, hasCondition] of plan.flows) {
    const [source, target] = [inFlow[from], inFlow[to]];
    if (source === undefined || target === undefined) continue;
    if (endings.has(source.kind) || handlers.has(source.kind) || handlers.has(target.kind)) continue;
    if (to <= from && !waiting.has(source.kind)) continue;
    flows.push(`${source.id} -> ${target.id}${hasCondition ? ` if modulo(n, 3) < ${to}` : ''}`);
  }
  return processModel('random', nodes, flows);
}
