/** Moving tokens: what ends, where they begin, what repairs a failed instance, and what is refused. V1 to V4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deadJoins } from '../../engine/core/dead-joins.ts';
import type { Move } from '../../engine/core/stimulus.ts';
import type { Context } from '../../definitions/value.ts';
import {
  boundary,
  call,
  callActivity,
  end,
  eventBased,
  catchEvent,
  eventSubProcess,
  exclusive,
  inclusive,
  looped,
  parallel,
  start,
  startOn,
  subProcess,
  task,
  throwing,
  undoable,
  userTask,
  withData,
} from '../support/model-builder.ts';
import { conditional, each, link, message, throws, timer } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { blockModel } from './block-models.ts';
import { Instance } from './instance.ts';
import { checkInvariants, contentsOf } from './invariants.ts';
import { blocks } from './random-blocks.ts';
import { graphModel, graphPlans } from './random-models.ts';
import { playAtRandom, replay, type Play } from './random-play.ts';

const to = (from: string, target: string, tokenId: number | null = null): Move => ({
  from,
  tokenId,
  to: target,
});
const moved = (instance: Instance, moves: readonly Move[], variables: Context = {}): Instance =>
  instance.mustAdvance({ kind: 'move', moves, variables });
const tokenAt = (instance: Instance, elementId: string, nth = 0): number => {
  const token = instance.allTokens.filter((item) => item.elementId === elementId)[nth];
  assert.ok(token, `a token at ${elementId}`);
  return token.id;
};

const straight = processModel(
  'p',
  [start('s'), userTask('a'), call('c', 'jobs', { timeoutMs: 1000 }), userTask('b'), end('e')],
  ['s -> a -> c -> b -> e'],
);

// --- one token -------------------------------------------------------------------------------------

test('a token is moved: what it waited for is over, and it begins at the target', () => {
  const instance = new Instance(straight).start();
  const before = tokenAt(instance, 'a');
  moved(instance, [to('a', 'b')]);
  assert.deepEqual(instance.waits, ['user-task:b']);
  assert.ok(tokenAt(instance, 'b') > before, 'it is another visit, with a number of its own');
  assert.deepEqual(instance.ofKind('history').slice(0, 1), [
    { kind: 'history', event: 'moved', elementId: 'a', detail: { from: 'a', to: 'b', tokenId: before } },
  ]);
  assert.deepEqual(instance.history('completed'), ['s'], 'what was left has not completed');
  assert.equal(instance.complete('b').status, 'completed');
});

test('the call of a moved token is withdrawn with its timer, and a late answer to it is refused', () => {
  const instance = new Instance(straight).start().complete('a');
  const { idempotencyKey: key } = instance.wait('call', 'c');
  const { id: waitId } = instance.wait('timer', 'c');
  moved(instance, [to('c', 'a')]);
  assert.deepEqual(instance.ofKind('callWithdrawn'), [
    { kind: 'callWithdrawn', idempotencyKey: key, elementId: 'c' },
  ]);
  assert.deepEqual(instance.ofKind('timerCleared'), [{ kind: 'timerCleared', waitId }]);
  assert.equal(
    instance.refusalOf({ kind: 'callError', key, code: 'X', message: '', variables: {} }),
    'SUTRA.CORE.WAIT_GONE',
  );
  instance.complete('a');
  assert.notEqual(instance.wait('call', 'c').idempotencyKey, key, 'a new visit makes a new request');
});

test('a call that is moved to itself is made again under a new key', () => {
  const instance = new Instance(straight).start().complete('a');
  const { idempotencyKey: key } = instance.wait('call', 'c');
  moved(instance, [to('c', 'c')]);
  assert.equal(instance.ofKind('send').length, 1);
  assert.notEqual(instance.wait('call', 'c').idempotencyKey, key);
});

test('variables are written before the target is entered', () => {
  const process = processModel(
    'p',
    [start('s'), userTask('a'), exclusive('x'), userTask('b'), userTask('c')],
    ['s -> a -> x', 'x -> b if n > 3', 'x -> c default'],
  );
  const instance = moved(new Instance(process).start({ variables: { n: 1 } }), [to('a', 'x')], { n: 4 });
  assert.deepEqual(instance.active, ['b']);
  assert.deepEqual(instance.variables, { n: 4 });
});

test('a token that is moved to an end event ends the instance', () => {
  assert.equal(moved(new Instance(straight).start(), [to('a', 'e')]).status, 'completed');
});

// --- failed instances --------------------------------------------------------------------------------

const failing = processModel(
  'p',
  [start('s'), parallel('fork'), exclusive('x'), exclusive('y'), userTask('a'), userTask('b'), end('e')],
  ['s -> fork', 'fork -> x -> e if go', 'fork -> y -> e if go', 'fork -> a -> b -> e'],
);

test('V4: an instance is failed until no failed token is left', () => {
  const instance = new Instance(failing).start();
  assert.equal(instance.failureCode, 'SUTRA.CORE.NO_FLOW_TAKEN');
  const first = instance.snapshot.failure?.elementId ?? '';
  const second = first === 'x' ? 'y' : 'x';
  moved(instance, [to(first, 'b')]);
  assert.equal(instance.status, 'failed');
  assert.equal(instance.failureCode, 'SUTRA.CORE.STILL_FAILED');
  assert.equal(instance.snapshot.failure?.elementId, second);
  moved(instance, [to(second, 'b')]);
  assert.equal(instance.status, 'running');
  assert.equal(instance.snapshot.failure, null);
  assert.deepEqual(instance.ofKind('statusChanged'), [
    { kind: 'statusChanged', status: 'running', failure: null },
  ]);
  instance.complete('b').complete('b').complete('a');
  assert.equal(instance.complete('b').status, 'completed');
});

test('V4: the failure stays when another token is moved, or when the target fails as well', () => {
  const instance = moved(new Instance(failing).start(), [to('a', 'b')]);
  assert.equal(instance.failureCode, 'SUTRA.CORE.NO_FLOW_TAKEN');
  moved(instance, [to('x', 'y'), to('y', 'x')]);
  assert.equal(instance.failureCode, 'SUTRA.CORE.NO_FLOW_TAKEN');
  moved(instance, [to('x', 'a'), to('y', 'a')]);
  assert.equal(instance.status, 'running');
});

test('a join that is stuck is repaired by moving its token on, or by bringing the one that it lacks', () => {
  const process = processModel(
    'p',
    [start('s'), exclusive('x'), userTask('a'), userTask('b'), parallel('join'), userTask('c')],
    ['s -> x', 'x -> a if true', 'x -> b default', 'a -> join', 'b -> join', 'join -> c'],
  );
  const stuck = (): Instance => new Instance(process).start().complete('a');
  assert.equal(stuck().failureCode, 'SUTRA.CORE.JOIN_STUCK');
  const onward = moved(stuck(), [to('join', 'c')]);
  assert.deepEqual([onward.status, onward.active], ['running', ['c']]);
  const again = moved(stuck(), [to('join', 'b')]);
  assert.deepEqual([again.status, again.active], ['running', ['b']]);
  assert.equal(again.complete('b').failureCode, 'SUTRA.CORE.JOIN_STUCK');
});

test('a token that is moved away from a join is not counted there any more', () => {
  const process = processModel(
    'p',
    [start('s'), exclusive('x'), userTask('a'), task('b'), parallel('join'), userTask('c')],
    ['s -> x', 'x -> a if true', 'x -> b default', 'a -> join', 'b -> join', 'join -> c'],
  );
  const instance = moved(new Instance(process).start().complete('a'), [to('join', 'b')]);
  assert.deepEqual([instance.failureCode, instance.active], ['SUTRA.CORE.JOIN_STUCK', ['join']]);
});

test('conditions that became true while the instance was failed are looked at once it is repaired', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      exclusive('x'),
      exclusive('y'),
      catchEvent('k', conditional('n > 3')),
      userTask('b'),
      end('e'),
    ],
    ['s -> fork', 'fork -> x -> e if go', 'fork -> y -> e if go', 'fork -> k -> b'],
  );
  const instance = new Instance(process).start({ variables: { n: 1 } }).set({ n: 5 });
  assert.deepEqual(moved(instance, [to('x', 'e')]).active, ['k', 'y']);
  assert.deepEqual(moved(instance, [to('y', 'e')]).active, ['b']);
});

// --- parallel branches -------------------------------------------------------------------------------

const branches = (join: ReturnType<typeof parallel>): Instance =>
  new Instance(
    processModel(
      'p',
      [start('s'), parallel('fork'), userTask('a'), userTask('b'), join, userTask('c'), end('e')],
      ['s -> fork', 'fork -> a -> join', 'fork -> b -> join', 'join -> c -> e'],
    ),
  ).start();

for (const join of [parallel('join'), inclusive('join')]) {
  const { kind } = join.node;
  test(`a token that is moved to a ${kind} takes the flow that it could have come over`, () => {
    for (const [first, second] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const instance = moved(branches(join), [to(first, 'join')]);
      assert.deepEqual(instance.active, [second, 'join'].sort());
      assert.deepEqual(instance.complete(second).active, ['c']);
    }
  });

  test(`tokens that could have come to a ${kind} over no flow come over one each`, () => {
    const instance = moved(branches(join), [to('a', 'c'), to('b', 'c')]);
    const tokenIds = [tokenAt(instance, 'c', 0), tokenAt(instance, 'c', 1)];
    moved(
      instance,
      tokenIds.map((tokenId) => to('c', 'join', tokenId)),
    );
    assert.deepEqual(instance.active, ['c']);
  });

  test(`two tokens that are moved to a ${kind} together join`, () => {
    assert.deepEqual(moved(branches(join), [to('b', 'join'), to('a', 'join')]).active, ['c']);
  });
}

test('an inclusive join goes on when the token that it waited for is moved away', () => {
  const instance = branches(inclusive('join')).complete('a');
  assert.deepEqual(instance.active, ['b', 'join']);
  assert.deepEqual(moved(instance, [to('b', 'c')]).active, ['c', 'c']);
});

test('a parallel join that cannot fire any more is told of', () => {
  const instance = branches(parallel('join')).complete('a');
  assert.deepEqual(deadJoins(instance.process, instance.snapshot), []);
  moved(instance, [to('b', 'c')]);
  assert.deepEqual([instance.status, instance.active], ['running', ['c', 'join']]);
  assert.deepEqual(deadJoins(instance.process, instance.snapshot), ['join']);
  assert.equal(instance.complete('c').failureCode, 'SUTRA.CORE.JOIN_STUCK');
});

test('the target of a link leads on', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      userTask('a'),
      throwing('jump', throws.link('land')),
      catchEvent('land', link('there')),
      userTask('b'),
    ],
    ['s -> a -> jump', 'land -> b'],
  );
  assert.deepEqual(moved(new Instance(process).start(), [to('a', 'land')]).active, ['b']);
});

test('a catch event behind an event-based gateway is entered by itself', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      eventBased('choice'),
      catchEvent('late', timer('duration("PT1H")')),
      catchEvent('paid', message('paid')),
      userTask('a'),
    ],
    ['s -> choice', 'choice -> late -> a', 'choice -> paid -> a'],
  );
  const instance = moved(new Instance(process).start(), [to('choice', 'late')]);
  assert.deepEqual(instance.waits, ['timer:late']);
  assert.deepEqual(instance.fire('late').active, ['a']);
});

// --- scopes ------------------------------------------------------------------------------------------

const nested = processModel(
  'p',
  [
    start('s'),
    subProcess('sub', [start('in'), userTask('a'), userTask('b'), end('out')]),
    boundary('late', 'sub', timer('duration("PT1H")')),
    userTask('c'),
  ],
  ['s -> sub -> c', 'late -> c', 'in -> a -> b -> out'],
);

test('V3: inside a sub-process a token stays inside', () => {
  const instance = moved(new Instance(nested).start(), [to('a', 'b')]);
  assert.deepEqual(instance.waits, ['timer:late', 'user-task:b']);
  assert.deepEqual(instance.complete('b').active, ['c']);
});

test('V2: the token of a sub-process takes all that is inside with it', () => {
  const instance = moved(new Instance(nested).start(), [to('sub', 'c')]);
  assert.deepEqual(instance.waits, ['user-task:c']);
  assert.equal(instance.allScopes.length, 1);
  assert.deepEqual(instance.history('interrupted'), ['a']);
});

test('V2: what has completed can still be compensated, and a run inside cannot', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      ...undoable(userTask('a'), userTask('undo-a')),
      ...undoable(userTask('b'), userTask('undo-b')),
      throwing('undo', throws.compensation()),
      end('e'),
    ],
    ['s -> a -> b -> undo -> e'],
  );
  const instance = moved(new Instance(process).start().complete('a'), [to('b', 'undo')]);
  assert.deepEqual(instance.waits, ['user-task:undo-a']);
  assert.equal(
    instance.refusalOf({ kind: 'move', moves: [to('undo-a', 'b')], variables: {} }),
    'SUTRA.CORE.MOVE_TOKEN_MISSING',
  );
  const handler = to('undo-a', 'b', tokenAt(instance, 'undo-a'));
  assert.equal(
    instance.refusalOf({ kind: 'move', moves: [handler], variables: {} }),
    'SUTRA.CORE.MOVE_TOKEN_COMPENSATES',
  );
  assert.deepEqual(moved(instance, [to('undo', 'a')]).waits, ['user-task:a']);
});

test('inside a called process the elements are those of that process', () => {
  const called = processModel(
    'called',
    [start('in'), userTask('a'), userTask('b'), end('out')],
    ['in -> a -> b -> out'],
  );
  const process = processModel(
    'p',
    [start('s'), callActivity('run', 'called'), userTask('c')],
    ['s -> run -> c'],
  );
  const instance = new Instance(process, { callable: [called] }).start();
  assert.equal(
    instance.refusalOf({ kind: 'move', moves: [to('a', 'c')], variables: {} }),
    'SUTRA.CORE.MOVE_SCOPE_DIFFERS',
  );
  assert.deepEqual(moved(instance, [to('a', 'b')]).complete('b').active, ['c']);
});

test('the token of an event sub-process may go on in the flow around it', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      userTask('a'),
      userTask('b'),
      eventSubProcess('esp', startOn('late', timer('duration("PT1H")')), [userTask('inside')]),
    ],
    ['s -> a -> b', 'late -> inside'],
  );
  const instance = new Instance(process).start().fire('late');
  assert.deepEqual(instance.active, ['inside']);
  assert.deepEqual(moved(instance, [to('esp', 'b')]).active, ['b']);
  assert.equal(instance.complete('b').status, 'completed');
});

// --- loops ---------------------------------------------------------------------------------------------

const forEach = (
  node: ReturnType<typeof userTask>,
  { isSequential = false, flows = [] as readonly string[] } = {},
): Instance =>
  new Instance(
    processModel(
      'p',
      [start('s'), looped(node, each('item in items', { isSequential })), userTask('next')],
      [`s -> ${node.node.id} -> next`, ...flows],
    ),
  ).start({ variables: { items: [1, 2, 3] } });

const inside = subProcess('sub', [start('in'), userTask('a'), userTask('b')]);

test('in the runs of a multi-instance activity the token is named, and the other runs go on', () => {
  const instance = forEach(inside, { flows: ['in -> a -> b'] });
  const refused = instance.apply({ kind: 'move', moves: [to('a', 'b')], variables: {} });
  assert.ok(refused.kind === 'refused');
  assert.equal(refused.code, 'SUTRA.CORE.MOVE_TOKEN_AMBIGUOUS');
  const second = tokenAt(instance, 'a', 1);
  assert.ok(refused.message.includes(String(second)), refused.message);
  moved(instance, [to('a', 'b', second)]);
  assert.deepEqual(instance.active, ['a', 'a', 'b']);
  instance.complete('b').complete('a').complete('b').complete('a');
  assert.deepEqual(instance.complete('b').active, ['next']);
});

for (const isSequential of [false, true]) {
  test(`a looping activity is left as a whole, with all its runs (isSequential: ${isSequential})`, () => {
    const instance = moved(forEach(userTask('t'), { isSequential }), [to('t', 'next')]);
    assert.deepEqual(instance.waits, ['user-task:next']);
    assert.equal(instance.snapshot.parts, undefined);
  });

  test(`one run begins again when its own token is moved to itself (isSequential: ${isSequential})`, () => {
    const instance = forEach(userTask('t'), { isSequential });
    const { tokenId } = instance.wait('user-task', 't');
    moved(instance, [to('t', 't', tokenId)]);
    assert.notEqual(instance.wait('user-task', 't').tokenId, tokenId);
    instance.complete('t').complete('t').complete('t');
    assert.deepEqual(instance.active, ['next']);
  });
}

test('an activity with local data is moved by the id of its element', () => {
  const process = processModel(
    'p',
    [start('s'), withData(userTask('a'), { locals: ['x'] }), userTask('b')],
    ['s -> a -> b'],
  );
  const instance = moved(new Instance(process).start(), [to('a', 'b')]);
  assert.deepEqual(instance.waits, ['user-task:b']);
  assert.equal(instance.allScopes.length, 1);
});

// --- refusals ----------------------------------------------------------------------------------------

const various = processModel(
  'p',
  [
    start('s'),
    parallel('fork'),
    subProcess('sub', [start('in'), userTask('a'), end('out')]),
    boundary('late', 'sub', timer('duration("PT1H")')),
    userTask('b'),
    ...undoable(userTask('c'), userTask('undo')),
    eventSubProcess('esp', startOn('begin', message('stop')), [end('stopped')]),
    end('e'),
  ],
  [
    's -> fork',
    'fork -> sub -> e',
    'fork -> b -> e',
    'fork -> c -> e',
    'late -> e',
    'in -> a -> out',
    'begin -> stopped',
  ],
);

for (const [what, moves, code, said] of [
  ['nothing is there', [to('e', 'b')], 'SUTRA.CORE.MOVE_TOKEN_MISSING', 'no token at e'],
  ['another token is there', [to('b', 'c', 9999)], 'SUTRA.CORE.MOVE_TOKEN_MISSING', 'no token 9999 at b'],
  ['nothing is known by that id', [to('b', 'nowhere')], 'SUTRA.CORE.MOVE_TARGET_UNKNOWN', 'nowhere'],
  ['the target is a level deeper', [to('b', 'a')], 'SUTRA.CORE.MOVE_SCOPE_DIFFERS', 'is the process p'],
  ['the target is a level higher', [to('a', 'b')], 'SUTRA.CORE.MOVE_SCOPE_DIFFERS', 'is the sub-process sub'],
  ['the target is a boundary event', [to('b', 'late')], 'SUTRA.CORE.MOVE_TARGET_INVALID', 'boundary event'],
  ['the target is a start event', [to('b', 's')], 'SUTRA.CORE.MOVE_TARGET_INVALID', 'start event'],
  ['the target begins a sub-process', [to('a', 'in')], 'SUTRA.CORE.MOVE_TARGET_INVALID', 'start event'],
  [
    'the target is an event sub-process',
    [to('b', 'esp')],
    'SUTRA.CORE.MOVE_TARGET_INVALID',
    'event sub-process',
  ],
  ['the target begins one', [to('b', 'begin')], 'SUTRA.CORE.MOVE_SCOPE_DIFFERS', 'begin'],
  [
    'the target undoes something',
    [to('b', 'undo')],
    'SUTRA.CORE.MOVE_TARGET_INVALID',
    'compensation handler',
  ],
  ['a token is named twice', [to('b', 'c'), to('b', 'e')], 'SUTRA.CORE.MOVE_OVERLAP', 'moved twice'],
  ['what is around it goes too', [to('a', 'out'), to('sub', 'e')], 'SUTRA.CORE.MOVE_OVERLAP', 'inside'],
  ['V1: the second cannot be', [to('b', 'e'), to('c', 'late')], 'SUTRA.CORE.MOVE_TARGET_INVALID', 'late'],
] as const) {
  test(`a move is refused and changes nothing when ${what}`, () => {
    const instance = new Instance(various).start();
    const { snapshot } = instance;
    const outcome = instance.apply({ kind: 'move', moves, variables: { x: 1 } });
    assert.ok(outcome.kind === 'refused', outcome.kind);
    assert.equal(outcome.code, code);
    assert.ok(outcome.message.includes(said), outcome.message);
    assert.deepEqual(instance.snapshot, snapshot);
  });
}

test('an instance that has ended is not moved', () => {
  const instance = new Instance(straight).start().cancel();
  assert.equal(
    instance.refusalOf({ kind: 'move', moves: [to('a', 'b')], variables: {} }),
    'SUTRA.CORE.INSTANCE_ENDED',
  );
});

// --- properties --------------------------------------------------------------------------------------

const picks = fc.infiniteStream(fc.nat(10_000));

/** Moves tokens here and there and back, wherever the instance is; then cancels it. @returns how many were moved */
function moveAbout(play: Play, elementIds: readonly string[], choices: Iterator<number>): number {
  const pick = <Item>(items: readonly Item[]): Item | undefined =>
    items[Number(choices.next().value ?? 0) % Math.max(items.length, 1)];
  let count = 0;
  for (let round = 0; round < 16; round += 1) {
    const { snapshot } = play;
    const token = pick(contentsOf(snapshot).tokens);
    const target = pick(elementIds);
    if (token === undefined || target === undefined) break;
    const outcome = play.apply({
      kind: 'move',
      moves: [to(token.elementId, target, token.id)],
      variables: {},
    });
    checkInvariants(play.snapshot);
    if (outcome.kind !== 'advanced') continue;
    count += 1;
    const there = contentsOf(play.snapshot).tokens.find(({ elementId }) => elementId === target);
    if (there !== undefined) {
      play.apply({ kind: 'move', moves: [to(target, token.elementId, there.id)], variables: {} });
      checkInvariants(play.snapshot);
    }
  }
  if (play.snapshot.status === 'running' || play.snapshot.status === 'failed') {
    assert.equal(play.apply({ kind: 'cancel', reason: 'end' }).kind, 'advanced');
    checkInvariants(play.snapshot);
    assert.equal(play.snapshot.status, 'terminated');
  }
  return count;
}

test('moving away and back keeps the invariants of every block-structured instance, whichever parts are loaded', () => {
  let count = 0;
  fc.assert(
    fc.property(blocks, picks, fc.nat(20), (block, stream, turns) => {
      const model = blockModel(block);
      const play = playAtRandom(model, stream, turns + 1);
      count += moveAbout(play, [...model.process.nodes.keys()], stream);
      assert.deepEqual(replay(model, play.stimuli, 'needed'), play.trace);
    }),
    { numRuns: 300 },
  );
  // Around 130, and by chance far fewer.
  assert.ok(count > 30, `only ${count} moves were possible`);
});

test('no graph of nodes and no move breaks the core', () => {
  fc.assert(
    fc.property(graphPlans, picks, fc.nat(8), (plan, stream, turns) => {
      const process = graphModel(plan);
      moveAbout(playAtRandom({ process }, stream, turns + 1), [...process.nodes.keys()], stream);
    }),
    { numRuns: 300 },
  );
});
