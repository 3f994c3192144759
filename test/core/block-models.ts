/**
 * Processes made of random blocks: sound by construction, whatever occurs and in whatever order.
 *
 * Each block lies between two marker tasks that are done at once. How often the markers are entered obeys laws
 * that follow from the blocks alone: no token is lost and none comes from nothing.
 */
import assert from 'node:assert/strict';
import type { ProcessDefinition } from '../../definitions/model.ts';
import {
  adHoc,
  boundary,
  call,
  callActivity,
  catchEvent,
  complex,
  data,
  end,
  endWith,
  eventBased,
  eventSubProcess,
  exclusive,
  inclusive,
  looped,
  parallel,
  receive,
  start,
  startOn,
  subProcess,
  task,
  throwing,
  transaction,
  undoable,
  userTask,
} from '../support/model-builder.ts';
import {
  cancelled,
  each,
  error,
  escalation,
  link,
  message,
  signal,
  throws,
  timerMs,
} from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { leafNode, loopedBy, occasion, REPEATABLE } from './block-leaves.ts';
import type { Block, Leaf } from './random-blocks.ts';

/** How often a node has been entered. */
export type Count = (nodeId: string) => number;

export interface BlockModel {
  readonly process: ProcessDefinition;
  readonly callable: readonly ProcessDefinition[];
  /** Hold when the instance has completed. @throws AssertionError */
  readonly check: (count: Count) => void;
}

/** Nodes between an entry and an exit node. */
interface Piece {
  readonly entry: string;
  readonly exit: string;
  readonly nodes: readonly NodeSpec[];
}

/** Whether something around a block may end it before its time. */
type Fate = 'safe' | 'interruptible';

export function blockModel(block: Block): BlockModel {
  const builder = new Builder();
  const piece = builder.marked(block, 'safe');
  const process = builder.process('random', piece);
  return {
    process,
    callable: builder.callable,
    check: (count) => {
      for (const law of builder.laws) law(count);
    },
  };
}

class Builder {
  readonly callable: ProcessDefinition[] = [];
  readonly laws: ((count: Count) => void)[] = [];
  #flows: string[] = [];
  #count = 0;

  process(id: string, piece: Piece): ProcessDefinition {
    const [begin, finish] = [this.#id('start'), this.#id('end')];
    this.#flow(begin, piece.entry);
    this.#flow(piece.exit, finish);
    const process = processModel(id, [start(begin), ...piece.nodes, end(finish)], this.#flows);
    this.#flows = [];
    return process;
  }

  /** The block between its markers. Where nothing interrupts it, it is left as often as it is entered. */
  marked(block: Block, fate: Fate): Piece {
    const [before, after] = [this.#id('in'), this.#id('out')];
    const inner = this.#piece(block, fate, before, after);
    this.#flow(before, inner.entry);
    this.#flow(inner.exit, after);
    this.#law(`${block.kind} ${before} is left as often as it is entered`, fate, after, before);
    return { entry: before, exit: after, nodes: [task(before), task(after), ...inner.nodes] };
  }

  #id(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.#count}`;
  }

  #flow(from: string, to: string, suffix = ''): void {
    this.#flows.push(`${from} -> ${to}${suffix}`);
  }

  /** Later nodes are entered as often as earlier ones, `factor` times, or less when they may be interrupted. */
  #law(what: string, fate: Fate, later: string, earlier: string, factor = 1): void {
    this.laws.push((count) => {
      const [left, right] = [count(later), factor * count(earlier)];
      assert.ok(fate === 'safe' ? left === right : left <= right, `${what}: ${left} for ${right}`);
    });
  }

  #piece(block: Block, fate: Fate, before: string, after: string): Piece {
    switch (block.kind) {
      case 'leaf':
        return this.#leaf(block.leaf);
      case 'sequence':
        return this.#sequence(block.blocks, fate, before, after);
      case 'split':
        return this.#split(block, fate, before, after);
      case 'loop':
        return this.#loop(block.block, fate);
      case 'race':
        return this.#race();
      case 'guarded':
        return this.#guarded(block, fate, before);
      case 'risky':
        return this.#risky(block.block, block.by);
      case 'sub':
      case 'called':
      case 'multi':
      case 'standard':
        return this.#nested(block, fate, before);
      case 'adHoc':
        return this.#adHoc(block.blocks);
      case 'undo':
        return this.#undo(block, fate);
    }
  }

  #sequence(blocks: readonly Block[], fate: Fate, before: string, after: string): Piece {
    const pieces = blocks.map((block) => this.marked(block, fate));
    const [first, last] = [pieces[0], pieces.at(-1)];
    assert.ok(first && last);
    for (const [index, piece] of pieces.entries()) {
      const earlier = pieces[index - 1];
      if (earlier !== undefined) this.#flow(earlier.exit, piece.entry);
      this.#law('a sequence goes on', fate, piece.entry, earlier?.exit ?? before);
    }
    this.#law('a sequence comes to its end', fate, after, last.exit);
    return { entry: first.entry, exit: last.exit, nodes: pieces.flatMap(({ nodes }) => nodes) };
  }

  #split(block: Extract<Block, { kind: 'split' }>, fate: Fate, before: string, after: string): Piece {
    const { split: kind } = block;
    const [split, join] = [this.#id(`${kind}Split`), this.#id(`${kind}Join`)];
    const gateways = {
      exclusive: [exclusive(split), exclusive(join)],
      inclusive: [inclusive(split), inclusive(join)],
      parallel: [parallel(split), parallel(join)],
      complex: [parallel(split), complex(join, 'activationCount >= 2')],
    }[kind];
    const isConditional = kind === 'exclusive' || kind === 'inclusive';
    const pieces = block.blocks.map((inner) => this.marked(inner, fate));
    for (const [index, { entry, exit }] of pieces.entries()) {
      const isDefault = index === pieces.length - 1;
      const suffix = !isConditional ? '' : isDefault ? ' default' : ` if modulo(n + ${index}, 2) = 0`;
      this.#flow(split, entry, suffix);
      this.#flow(exit, join);
      if (!isConditional) this.#law(`a ${kind} split begins every branch`, fate, entry, before);
      if (kind === 'parallel') this.#law('a parallel join waits for every branch', fate, after, exit);
    }
    if (isConditional) this.#branchLaw(kind, fate, pieces, before, after);
    const nodes = [...gateways, ...pieces.flatMap((piece) => piece.nodes)];
    return kind === 'complex'
      ? this.#enclosed({ entry: split, exit: join, nodes })
      : { entry: split, exit: join, nodes };
  }

  /** In a sub-process, which is left only when the late tokens have come too: they never meet those of a next round. */
  #enclosed({ entry, exit, nodes }: Piece): Piece {
    const [sub, begin, finish] = [this.#id('sub'), this.#id('begin'), this.#id('finish')];
    this.#flow(begin, entry);
    this.#flow(exit, finish);
    return { entry: sub, exit: sub, nodes: [subProcess(sub, [start(begin), ...nodes, end(finish)])] };
  }

  #branchLaw(
    kind: 'exclusive' | 'inclusive',
    fate: Fate,
    pieces: readonly Piece[],
    before: string,
    after: string,
  ): void {
    this.laws.push((count) => {
      const sum = (ids: readonly string[]): number => ids.reduce((total, id) => total + count(id), 0);
      const entered = sum(pieces.map(({ entry }) => entry));
      const left = sum(pieces.map(({ exit }) => exit));
      const [begun, over] = [count(before), count(after)];
      const most = kind === 'exclusive' ? begun : begun * pieces.length;
      assert.ok(entered <= most, `an ${kind} split begins no more than it may`);
      assert.ok(over <= left, `an ${kind} join makes no token`);
      if (fate === 'safe') assert.ok(begun <= entered, `an ${kind} split takes a branch each time`);
      if (fate === 'safe' && kind === 'exclusive')
        assert.equal(left, over, 'an exclusive join lets all pass');
    });
  }

  /** At most three rounds over the whole life of the instance. */
  #loop(block: Block, fate: Fate): Piece {
    const [merge, count, again, out] = ['merge', 'count', 'again', 'task'].map((prefix) => this.#id(prefix));
    assert.ok(merge !== undefined && count !== undefined && again !== undefined && out !== undefined);
    const body = this.marked(block, fate);
    this.#flow(merge, body.entry);
    this.#flows.push(`${body.exit} -> ${count} -> ${again}`);
    this.#flow(again, merge, ` if ${count} < 3`);
    this.#flow(again, out, ' default');
    const counting = data(count, [`${count} = if ${count} = null then 1 else ${count} + 1`]);
    return {
      entry: merge,
      exit: out,
      nodes: [exclusive(merge), counting, exclusive(again), task(out), ...body.nodes],
    };
  }

  #race(): Piece {
    const [gate, merge] = [this.#id('race'), this.#id('merge')];
    const events = [
      catchEvent(this.#id('news'), message('news')),
      catchEvent(this.#id('late'), timerMs(500)),
      receive(this.#id('receive'), 'other'),
      catchEvent(this.#id('either'), [signal('go'), timerMs(900)]),
    ];
    for (const { node } of events) this.#flows.push(`${gate} -> ${node.id} -> ${merge}`);
    return { entry: gate, exit: merge, nodes: [eventBased(gate), exclusive(merge), ...events] };
  }

  /** A sub-process with something that may occur while its block runs. */
  #guarded(
    { block, on, isInterrupting, handler }: Extract<Block, { kind: 'guarded' }>,
    fate: Fate,
    before: string,
  ): Piece {
    const [sub, begin, finish, merge] = [
      this.#id('sub'),
      this.#id('begin'),
      this.#id('finish'),
      this.#id('merge'),
    ];
    const body = this.marked(block, isInterrupting ? 'interruptible' : fate);
    this.#law('a sub-process begins', fate, body.entry, before);
    this.#flow(begin, body.entry);
    this.#flow(body.exit, finish);
    this.#flow(sub, merge);
    const inside = [start(begin), ...body.nodes, end(finish)];
    const kind = isInterrupting ? 'interrupting' : 'non-interrupting';
    const event = this.#id(isInterrupting || on === 'timer' || on === 'cycle' ? on : REPEATABLE);
    if (handler !== null) {
      const piece = this.marked(handler, fate);
      this.#flow(event, piece.entry);
      this.#law('an event sub-process begins when its start event has occurred', fate, piece.entry, event);
      const es = eventSubProcess(this.#id('es'), startOn(event, occasion(on, event), kind), piece.nodes);
      return { entry: sub, exit: merge, nodes: [subProcess(sub, [...inside, es]), exclusive(merge)] };
    }
    const guard = boundary(event, sub, occasion(on, event), kind);
    const nodes = [subProcess(sub, inside), guard, exclusive(merge)];
    if (isInterrupting) {
      this.#flow(event, merge);
      return { entry: sub, exit: merge, nodes };
    }
    const aside = this.#id('user');
    this.#flow(event, aside);
    this.#law('a boundary event leads on each time', fate, aside, event);
    return { entry: sub, exit: merge, nodes: [...nodes, userTask(aside)] };
  }

  /** Beside the block someone may throw, and it is caught around it. */
  #risky(block: Block, by: Extract<Block, { kind: 'risky' }>['by']): Piece {
    const ids = ['sub', 'begin', 'fork', 'boom', 'finish', 'user', 'merge', 'caught'];
    const [sub = '', begin = '', fork = '', boom = '', finish = '', wait = '', merge = '', caught = ''] =
      ids.map((prefix) => this.#id(prefix));
    const body = this.marked(block, 'interruptible');
    this.#flows.push(
      `${begin} -> ${fork} -> ${body.entry}`,
      `${body.exit} -> ${finish}`,
      `${fork} -> ${wait} -> ${boom}`,
      `${sub} -> ${merge}`,
    );
    const isEscalation = by.startsWith('escalation');
    const thrown =
      by === 'terminate' ? throws.terminate : isEscalation ? throws.escalation('E') : throws.error('E');
    const inside = [
      start(begin),
      parallel(fork),
      ...body.nodes,
      userTask(wait),
      endWith(boom, thrown),
      end(finish),
    ];
    const trigger = isEscalation ? escalation(null) : error(null);
    if (by.endsWith('-inside')) {
      const help = this.#id('user');
      this.#flow(caught, help);
      const es = eventSubProcess(this.#id('es'), startOn(caught, trigger), [userTask(help)]);
      return { entry: sub, exit: merge, nodes: [subProcess(sub, [...inside, es]), exclusive(merge)] };
    }
    this.#flow(caught, merge);
    return {
      entry: sub,
      exit: merge,
      nodes: [subProcess(sub, inside), boundary(caught, sub, trigger), exclusive(merge)],
    };
  }

  #nested(
    block: Extract<Block, { kind: 'sub' | 'called' | 'multi' | 'standard' }>,
    fate: Fate,
    before: string,
  ): Piece {
    if (block.kind === 'called') return this.#called(block.block, fate, before);
    const [sub, begin, finish] = [this.#id('sub'), this.#id('begin'), this.#id('finish')];
    const endsEarly = block.kind === 'multi' && block.endsEarly && block.width > 1;
    const body = this.marked(block.block, endsEarly ? 'interruptible' : fate);
    this.#flow(begin, body.entry);
    this.#flow(body.exit, finish);
    const node = subProcess(sub, [start(begin), ...body.nodes, end(finish)], { variables: ['mine'] });
    const runs = block.kind === 'multi' ? block.width : block.kind === 'standard' ? 2 : 1;
    this.#law(`the runs of ${sub} begin`, endsEarly ? 'interruptible' : fate, body.entry, before, runs);
    return { entry: sub, exit: sub, nodes: [loopedBy(node, block)] };
  }

  #called(block: Block, fate: Fate, before: string): Piece {
    const outer = this.#flows;
    this.#flows = [];
    const body = this.marked(block, fate);
    const processId = this.#id('called');
    this.callable.push(this.process(processId, body));
    this.#flows = outer;
    this.#law(`${processId} begins`, fate, body.entry, before);
    const id = this.#id('calling');
    return {
      entry: id,
      exit: id,
      nodes: [callActivity(id, processId, { params: { n: 'n' }, results: { n: 'n' } })],
    };
  }

  /** Whoever performs it may end it at any time. */
  #adHoc(blocks: readonly Block[]): Piece {
    const box = this.#id('box');
    const inside = blocks.flatMap((block) => {
      const { entry, exit, nodes } = this.marked(block, 'interruptible');
      const [first, last] = [this.#id('task'), this.#id('task')];
      this.#flow(first, entry);
      this.#flow(exit, last);
      this.#law(`what ${first} begins`, 'interruptible', entry, first);
      return [task(first), task(last), ...nodes];
    });
    return { entry: box, exit: box, nodes: [adHoc(box, inside)] };
  }

  /** Each part is undone as often as it completed, or not at all when the transaction completes. */
  #undo({ by, parts }: Extract<Block, { kind: 'undo' }>, fate: Fate): Piece {
    const [sub, begin, last, finish, merge] = ['sub', 'begin', 'user', 'finish', 'merge'].map((prefix) =>
      this.#id(prefix),
    );
    assert.ok(
      sub !== undefined &&
        begin !== undefined &&
        last !== undefined &&
        finish !== undefined &&
        merge !== undefined,
    );
    const nodes: NodeSpec[] = [start(begin)];
    let previous = begin;
    for (const part of parts) {
      const [activity, undo] = [this.#id(part), this.#id('undo')];
      nodes.push(
        ...undoable(
          this.#undoablePart(part, activity),
          part === 'call' ? call(undo, 'jobs') : userTask(undo),
        ),
      );
      this.#flow(previous, activity);
      previous = activity;
      const runs = part === 'user-each' ? 2 : 1;
      if (by === 'transaction')
        this.#law(`${undo} undoes ${activity}`, 'interruptible', undo, activity, runs);
      else this.#law(`${undo} undoes ${activity}`, fate, undo, activity, runs);
    }
    if (by === 'transaction') return this.#transaction(sub, previous, last, finish, merge, nodes);
    this.#flow(previous, last);
    const compensate = this.#id('undoAll');
    if (by === 'throw') {
      this.#flow(last, compensate);
      const inside = [...nodes, userTask(last), throwing(compensate, throws.compensation())];
      return { entry: sub, exit: sub, nodes: [subProcess(sub, inside)] };
    }
    this.#flow(sub, compensate);
    const inside = [...nodes, userTask(last)];
    return {
      entry: sub,
      exit: compensate,
      nodes: [subProcess(sub, inside), throwing(compensate, throws.compensation(sub))],
    };
  }

  #undoablePart(part: Extract<Block, { kind: 'undo' }>['parts'][number], id: string): NodeSpec {
    switch (part) {
      case 'task':
        return task(id);
      case 'user':
        return userTask(id);
      case 'call':
        return call(id, 'jobs');
      case 'user-each':
        return looped(userTask(id), each('item in [1, 2]'));
      case 'sub': {
        const [begin, inner] = [this.#id('begin'), this.#id('user')];
        this.#flow(begin, inner);
        return subProcess(id, [start(begin), userTask(inner)]);
      }
    }
  }

  #transaction(
    sub: string,
    previous: string,
    ask: string,
    finish: string,
    merge: string,
    nodes: readonly NodeSpec[],
  ): Piece {
    const [sure, cancel, off] = [this.#id('sure'), this.#id('cancel'), this.#id('off')];
    this.#flows.push(`${previous} -> ${ask} -> ${sure}`, `${sub} -> ${merge}`, `${off} -> ${merge}`);
    this.#flow(sure, cancel, ' if modulo(n, 2) = 0');
    this.#flow(sure, finish, ' default');
    const inside = [...nodes, userTask(ask), exclusive(sure), endWith(cancel, throws.cancel), end(finish)];
    return {
      entry: sub,
      exit: merge,
      nodes: [transaction(sub, inside), boundary(off, sub, cancelled), exclusive(merge)],
    };
  }

  #leaf(leaf: Leaf): Piece {
    const id = this.#id(leaf);
    if (leaf === 'timed-call')
      return this.#caught(call(id, 'jobs', { timeoutMs: 1000 }), 'SUTRA.CALL.TIMEOUT');
    if (leaf === 'fallible-call') return this.#caught(call(id, 'jobs'), 'E');
    if (leaf === 'call-each') {
      const until = 'numberOfCompletedInstances = 2';
      const loop = each('item in [1, 2, 3]', { output: 'x -> results', until });
      return this.#caught(
        looped(call(id, 'jobs', { timeoutMs: 1000, output: 'x' }), loop),
        'SUTRA.CALL.TIMEOUT',
      );
    }
    if (leaf === 'link') {
      const target = this.#id('target');
      return {
        entry: id,
        exit: target,
        nodes: [throwing(id, throws.link(target)), catchEvent(target, link(id))],
      };
    }
    return { entry: id, exit: id, nodes: [leafNode(leaf, id)] };
  }

  /** An activity whose error leads to the same place as its end. */
  #caught(activity: NodeSpec, code: string): Piece {
    const { id } = activity.node;
    const [caught, merge] = [this.#id('caught'), this.#id('merge')];
    this.#flow(id, merge);
    this.#flow(caught, merge);
    return { entry: id, exit: merge, nodes: [activity, boundary(caught, id, error(code)), exclusive(merge)] };
  }
}
