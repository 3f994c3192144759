/** Steps that part the path and bring it together, run. B1, B2: see build/branches.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileFlowTree } from '../../../definitions/flows/compile-flow.ts';
import type { Steps } from '../../../definitions/flows/flow.ts';
import {
  all,
  any,
  attempt,
  call,
  choose,
  end,
  escalate,
  fail,
  flow,
  on,
  onError,
  onEscalation,
  set,
  waitFirst,
} from '../../support/flow-builder.ts';
import { answered, begin, delivered, fired, signalled } from '../../core/scenario.ts';
import { compiled, flowsOf, nodesOf, stepsRun } from './flow-scenario.ts';

const job = (id: string) => call(id, 'jobs');
const next = job('next');
const byScore = choose(
  'rate',
  [
    ['=score > 700', job('good')],
    ['=score > 500', job('fair')],
  ],
  [job('bad')],
);

for (const [score, taken] of [
  [800, 'good'],
  [600, 'fair'],
  [1, 'bad'],
] as const) {
  stepsRun(
    `the first case that holds is taken: ${score} is ${taken}`,
    [byScore, next],
    [
      [begin({ score }), taken],
      [answered(taken), 'next'],
      [answered('next'), 'completed'],
    ],
  );
}

stepsRun(
  'without a case that holds, and without else, the flow goes on',
  [choose('rate', [['=score > 700', job('good')]]), next],
  [[begin({ score: 1 }), 'next']],
);

stepsRun(
  'a condition that is null does not hold',
  [choose('rate', [['=score > 700', job('good')]]), next],
  [[begin(), 'next']],
);

stepsRun(
  'a case without steps goes on',
  [choose('rate', [['=score > 700'], ['=score > 500', end('out')]], [job('bad')]), next],
  [[begin({ score: 800 }), 'next']],
);

stepsRun(
  'a case that ends ends the flow',
  [choose('rate', [['=score > 700'], ['=score > 500', end('out')]], [job('bad')]), next],
  [[begin({ score: 600 }), 'completed']],
);

test('paths are joined only where two or more come together', () => {
  const process = compiled(flow('p', [choose('rate', [['=x', end('out')]], [job('bad')]), next]));
  assert.deepEqual(flowsOf(process), [
    'start -> rate',
    'rate -> out',
    'rate -> bad',
    'bad -> next',
    'next -> end',
  ]);
});

test('the else of a choice, or the way past it, is its default', () => {
  for (const otherwise of [null, [], [job('bad')]]) {
    const process = compiled(flow('p', [choose('rate', [['=x', job('good')]], otherwise), next]));
    const way = process.nodes.get('rate');
    assert.ok(way?.kind === 'exclusiveGateway');
    const other = process.flows.get(way.defaultFlowId ?? '');
    assert.deepEqual(
      [other?.condition, other?.targetId],
      [null, otherwise?.length === 1 ? 'bad' : 'rate-join'],
    );
    const condition = [...process.flows.values()].find(({ targetId }) => targetId === 'good')?.condition;
    assert.equal(condition?.text, 'x');
  }
});

// --- the first of several -------------------------------------------------------------------------

const paid = waitFirst('paid', [
  ['by-card', on.message('payments', { variable: 'payment' }), job('book')],
  ['too-late', on.timer('after', 'P3D'), end('expired')],
  ['called-off', on.signal('news')],
]);

stepsRun(
  'the first of several events that occurs is taken',
  [paid, next],
  [
    [begin(), { waits: 'message:by-card signal:called-off timer:too-late' }],
    [delivered('by-card', 5), { active: 'book', waits: 'call:book', variables: { payment: 5 } }],
    [answered('book'), 'next'],
  ],
);

stepsRun(
  'an alternative without steps goes on',
  [paid, next],
  [
    [begin(), {}],
    [signalled('news'), 'next'],
  ],
);

stepsRun(
  'an alternative that ends ends the flow',
  [paid, next],
  [
    [begin(), {}],
    [fired('too-late'), 'completed'],
  ],
);

// --- all branches ---------------------------------------------------------------------------------

stepsRun(
  'all branches run, and the flow goes on behind the last',
  [all('both', [job('a')], [job('b'), job('c')]), next],
  [
    [begin(), 'a b'],
    [answered('b'), 'a c'],
    [answered('c'), 'a both-join'],
    [answered('a'), 'next'],
  ],
);

const leaving = choose('leave', [['=isDone', end('out')]]);

stepsRun(
  'a branch that has ended is not waited for',
  [all('both', [job('a'), leaving], [job('b')]), next],
  [
    [begin(), 'a b'],
    [answered('a', { isDone: true }), 'b'],
    [answered('b'), 'next'],
  ],
);

stepsRun(
  'a branch that may end and does not is waited for',
  [all('both', [job('a'), leaving], [job('b')]), next],
  [
    [begin(), 'a b'],
    [answered('b'), 'a both-join'],
    [answered('a', { isDone: false }), 'next'],
  ],
);

stepsRun(
  'where all branches end, the flow ends',
  [all('both', [job('a'), leaving], [job('b'), choose('l2', [['=isDone', end('out2')]])]), next],
  [
    [begin({ isDone: true }), 'a b'],
    [answered('a'), 'b'],
    [answered('b'), 'completed'],
  ],
);

stepsRun(
  'branches that always end leave nothing to join',
  [all('both', [job('a'), end('out')], [job('b')]), next],
  [
    [begin(), 'a b'],
    [answered('b'), 'a next'],
    [answered('next'), 'a'],
    [answered('a'), 'completed'],
  ],
);

/** Each ends one way of a branch deeper inside. */
const endings: Readonly<Record<string, Steps>> = {
  'a choice in a choice': [choose('x', [['=true and isDone', leaving]])],
  'an alternative': [
    waitFirst('x', [
      ['n', on.signal('news')],
      ['m', on.signal('olds'), end('out')],
    ]),
  ],
  'a handler': [attempt('x', [job('a')], { handlers: [onError('h', [end('out')])] })],
  'all branches of a case': [choose('x', [['=isDone', all('y', [end('o1')], [end('o2')])]])],
  'a branch of which the other goes on may not': [all('x', [end('o1')], [leaving])],
};

for (const [name, steps] of Object.entries(endings)) {
  test(`a join that counts on no ended branch: ${name}`, () => {
    const process = compiled(flow('p', [all('both', steps, [job('b')]), next]));
    assert.equal(process.nodes.get('both-join')?.kind, 'inclusiveGateway');
  });
}

/** Nothing of these ends a token that the join counts on. */
const passing: Readonly<Record<string, Steps>> = {
  'a part that ends itself goes on': [attempt('x', [leaving])],
  'a handler that runs beside ends beside': [
    attempt('x', [escalate('e', 'LATE')], {
      handlers: [onEscalation('h', [end('out')], { isInterrupting: false })],
    }),
  ],
  'an error ends everything': [choose('x', [['=isDone', fail('out', 'REJECTED')]])],
  'so does an end that says so': [choose('x', [['=isDone', end('out', { isTerminating: true })]])],
  'a branch of which the other goes on': [all('x', [end('o1')], [job('a')])],
};

for (const [name, steps] of Object.entries(passing)) {
  test(`a join of all branches: ${name}`, () => {
    const process = compiled(flow('p', [all('both', steps, [job('b')]), next]));
    assert.equal(process.nodes.get('both-join')?.kind, 'parallelGateway');
  });
}

// --- any branch -----------------------------------------------------------------------------------

stepsRun(
  'the first branch that is through ends the others',
  [any('race', [job('a'), job('b')], [job('c')]), next],
  [
    [begin(), 'a c'],
    [answered('a'), 'b c'],
    [answered('c'), { active: 'next', waits: 'call:next' }],
    [answered('next'), 'completed'],
  ],
);

stepsRun(
  'a branch that ends is through, but not first',
  [any('race', [job('a'), end('out')], [job('c'), job('d')]), next],
  [
    [begin(), 'a c'],
    [answered('a'), 'c'],
    [answered('c'), 'd'],
    [answered('d'), 'next'],
  ],
);

stepsRun(
  'what branches set is there afterwards',
  [any('race', [job('a'), set('s', { won: '="a"' })], [job('c')]), next],
  [
    [begin(), 'a c'],
    [answered('a'), { active: 'next', variables: { won: 'a' } }],
  ],
);

test('it is a sub-process with an end for each branch', () => {
  const process = compiled(flow('p', [any('race', [job('a')], [end('out')])]));
  assert.deepEqual(nodesOf(process), [
    'start: startEvent',
    'race: subProcess',
    'race-start: startEvent',
    'race-split: parallelGateway',
    'a: serviceTask',
    'race-won-1: endEvent',
    'out: endEvent',
    'end: endEvent',
  ]);
});

// --- what nothing leads to ------------------------------------------------------------------------

const late = job('late');

/** Each with `late` in it, to which nothing leads. */
const dead: Readonly<Record<string, Steps>> = {
  'an end': [end('out'), late],
  'an error': [fail('out', 'X'), late],
  'a choice of which every way ends': [choose('rate', [['=x', end('a')]], [fail('b', 'X')]), late],
  'branches that all end': [all('both', [end('a')], [end('b')]), late],
  'events behind which all ends': [
    waitFirst('w', [
      ['n', on.signal('n'), end('a')],
      ['m', on.signal('m'), end('b')],
    ]),
    late,
  ],
  'an end in a part': [attempt('x', [end('a'), late]), next],
  'an end in a case': [choose('rate', [['=x', end('a'), late, job('b')]]), next],
};

for (const [name, steps] of Object.entries(dead)) {
  test(`a step behind ${name} is refused, once`, () => {
    const { processes, findings } = compileFlowTree(flow('p', steps));
    assert.deepEqual(
      findings.map(({ code, severity, place }) => [code, severity, place]),
      [['SUTRA.FLOWS.UNREACHABLE', 'error', { ...late.place(), elementId: 'late' }]],
    );
    assert.deepEqual(processes, []);
  });
}

stepsRun(
  'behind a part that always ends the flow goes on',
  [attempt('x', [end('a')]), next],
  [[begin(), 'next']],
);
