/** Variables: where they are read and written, assignments, scripts, declared and transient ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Context, Value } from '../../definitions/value.ts';
import { graphOf } from '../../engine/core/graph.ts';
import { liveScope } from '../../engine/core/live-state.ts';
import { assign, lookUp, visibleContext } from '../../engine/core/scope-variables.ts';
import {
  call,
  data,
  end,
  parallel,
  script,
  start,
  task,
  throwEvent,
  userTask,
} from '../support/model-builder.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { DEPLOYMENT_ID, inbound, Instance } from './instance.ts';

function after(node: NodeSpec, variables: Context): Instance {
  const id = node.node.id;
  return new Instance(processModel('p', [start('s'), node, userTask('next')], [`s -> ${id} -> next`])).start({
    variables,
  });
}

const cases: readonly (readonly [string, NodeSpec, Context, Context])[] = [
  ['an assignment makes a new variable', data('d', ['x = 1 + 1']), {}, { x: 2 }],
  ['an assignment overwrites a variable', data('d', ['x = "b"']), { x: 'a' }, { x: 'b' }],
  ['each assignment sees those before it', data('d', ['x = 1', 'y = x + 1']), {}, { x: 1, y: 2 }],
  [
    'a path writes into a context',
    data('d', ['o.a.b = 1']),
    { o: { a: { c: 2 } } },
    { o: { a: { c: 2, b: 1 } } },
  ],
  ['a path makes what is missing', data('d', ['o.a.b = 1']), {}, { o: { a: { b: 1 } } }],
  [
    'a path through null makes a context',
    data('d', ['o.a.b = 1']),
    { o: { a: null } },
    { o: { a: { b: 1 } } },
  ],
  ['null can be assigned', data('d', ['x = null']), { x: 1 }, { x: null }],
  ['the context result of a script becomes variables', script('d', '{x: 1, y: x + 1}'), {}, { x: 1, y: 2 }],
  ['the result of a script goes into its variable', script('d', '{x: 1}', 'r'), {}, { r: { x: 1 } }],
  ['a script result without a name is not kept', script('d', '42'), {}, {}],
  ['a plain task may assign', task('d', { assign: ['x = 3'] }), {}, { x: 3 }],
];

for (const [what, node, before, expected] of cases) {
  test(what, () => {
    const instance = after(node, before);
    assert.deepEqual(instance.variables, expected);
    assert.deepEqual(instance.active, ['next']);
  });
}

for (const value of ['text', 1, true, [1]] as const) {
  test(`a path through ${JSON.stringify(value)} fails the instance and leaves the variable as it was`, () => {
    const instance = after(data('d', ['o.a = 1']), { o: value });
    assert.equal(instance.failureCode, 'SUTRA.CORE.ASSIGNMENT_TARGET_INVALID');
    assert.deepEqual(instance.variables, { o: value });
  });
}

test('an expression that gives no value a variable can hold fails the instance at its element', () => {
  const instance = after(data('d', ['x = 1', 'y = [1..z]']), { z: 3 });
  assert.equal(instance.failureCode, 'SUTRA.CORE.EXPRESSION_FAILED');
  assert.equal(instance.snapshot.failure?.elementId, 'd');
  assert.deepEqual(instance.variables, { z: 3, x: 1 }, 'what was done before stays');
});

test('names of the prototype are names like any other', () => {
  const assignments = ['__proto__.polluted = true', 'constructor = 1', 'o.__proto__ = {deep: 1}'];
  const instance = after(data('d', assignments), {});
  assert.deepEqual(Object.keys(instance.variables).sort(), ['__proto__', 'constructor', 'o']);
  assert.deepEqual(Object.entries(instance.variables['o'] as object), [['__proto__', { deep: 1 }]]);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  assert.equal(Object.getPrototypeOf(instance.variables), Object.prototype);
});

test('a variable that no one wrote is null, also when its name is one of the prototype', () => {
  const instance = after(data('d', ['a = toString', 'b = constructor', 'c = hasOwnProperty']), {});
  assert.deepEqual(instance.variables, { a: null, b: null, c: null });
});

test('completing a user task merges what was entered before its assignments run', () => {
  const node = userTask('t', { assign: ['sum = a + b'] });
  const instance = after(node, { a: 1, b: 1 }).complete('t', { b: 4 });
  assert.deepEqual(instance.variables, { a: 1, b: 4, sum: 5 });
});

test('declared variables are null until something writes them', () => {
  const process = processModel('p', [start('s'), userTask('a')], ['s -> a'], {
    variables: ['x', 'y', 'payload'],
  });
  const instance = new Instance(process).start({ variables: { y: 2 }, message: inbound('m') });
  assert.deepEqual(instance.variables, { x: null, y: 2, payload: 'm' });
});

test('a transient variable does not outlive the step', () => {
  const process = processModel(
    'p',
    [start('s'), data('d', ['copy = secret']), userTask('a')],
    ['s -> d -> a'],
    {
      variables: ['~secret'],
    },
  );
  const instance = new Instance(process).start({ variables: { secret: 'x' } });
  assert.deepEqual(instance.variables, { copy: 'x' });
});

test('what was sent is not changed by later writes of the same step', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      throwEvent('out', { channel: 'c' }),
      call('ask', 'c'),
      data('d', ['x = 2']),
      data('e', ['x = 3']),
      throwEvent('out2', { channel: 'c' }),
      end('z'),
    ],
    ['s -> fork', 'fork -> out -> d -> e -> out2 -> z', 'fork -> ask'],
  );
  const instance = new Instance(process).start({ variables: { x: 1 } });
  assert.deepEqual(
    instance.sends.map(({ elementId, body }) => [elementId, body]),
    [
      ['out', { x: 1 }],
      ['ask', { x: 1 }],
      ['out2', { x: 3 }],
    ],
  );
});

// --- the chain of scopes ---------------------------------------------------------------------------

function chain(...levels: readonly Context[]): readonly ReturnType<typeof liveScope>[] {
  const scopes: ReturnType<typeof liveScope>[] = [];
  const rest = {
    owner: null,
    kind: undefined,
    index: undefined,
    called: undefined,
    graph: graphOf(processModel('p', [start('s')], [])),
    deploymentId: DEPLOYMENT_ID,
    partId: null,
    writes: { count: 0, copyUnits: 0 },
  };
  for (const [id, variables] of levels.entries()) {
    scopes.push(liveScope({ id, parent: scopes.at(-1) ?? null, elementId: `e${id}`, variables, ...rest }));
  }
  return scopes;
}

test('a name is looked up outwards, and the inner variable hides the outer one', () => {
  const [, , inner] = chain({ a: 1, b: 1 }, { b: 2 }, { c: 3 });
  assert.ok(inner);
  const read = (name: string): Value | undefined => lookUp(inner, name);
  assert.deepEqual([read('a'), read('b'), read('c'), read('d')], [1, 2, 3, undefined]);
  assert.deepEqual(visibleContext(inner), { a: 1, b: 2, c: 3 });
});

test('a write goes to the nearest scope that has the variable, else to the root', () => {
  const [root, middle, inner] = chain({ a: 1 }, { b: 2 }, { c: 3 });
  assert.ok(root && middle && inner);
  for (const [name, value] of [
    ['a', 10],
    ['b', 20],
    ['c', 30],
    ['d', 40],
    ['d', 41],
  ] as const) {
    assign(inner, name, value);
  }
  assert.deepEqual(
    [root.variables, middle.variables, inner.variables],
    [{ a: 10, d: 41 }, { b: 20 }, { c: 30 }],
  );
});

test('many writes in one step do not copy the scope each time', () => {
  const [root] = chain(Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`v${index}`, index])));
  assert.ok(root);
  assign(root, 'x', 0);
  const { variables } = root;
  for (let index = 1; index < 2000; index += 1) assign(root, 'x', index);
  assert.equal(root.variables, variables);
});
