/** Steps that are sub-processes: loops and `try`, run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileFlowTree } from '../../../definitions/flows/compile-flow.ts';
import type { Step } from '../../../definitions/flows/flow.ts';
import {
  attempt,
  call,
  compensate,
  end,
  escalate,
  fail,
  flow,
  forEach,
  on,
  onError,
  onEscalation,
  onTimeout,
  repeat,
  set,
  wait,
} from '../../support/flow-builder.ts';
import { answered, begin, fired, type Row } from '../../core/scenario.ts';
import type { Instance } from '../../core/instance.ts';
import { compiled, flowsOf, nodesOf, stepsRun } from './flow-scenario.ts';

const job = (id: string): Step => call(id, 'jobs');
const next = job('next');
const note = (id: string): Step => set(id, { log: `=append(log, "${id}")` });

// --- for each -------------------------------------------------------------------------------------

const score = call('score', 'jobs', { input: { line: '=line' }, output: 'result' });
const answers =
  (...values: readonly number[]): Row[0] =>
  (instance: Instance) => {
    for (const value of values) instance.answer('score', value);
  };

stepsRun(
  'each item has a run of its own, all at once, and what is collected has the order of the items',
  [forEach('lines', 'line', '=order.lines', [score], { collect: ['results', 'result'] }), next],
  [
    [
      begin({ order: { lines: [1, 2, 3] } }),
      {
        active: 'score score score',
        check: ({ sends }) =>
          assert.deepEqual(
            sends.map(({ body }) => body),
            [{ line: 1 }, { line: 2 }, { line: 3 }],
          ),
      },
    ],
    [(instance) => instance.answer('score', 30, 2), 'score score'],
    [answers(10, 20), { active: 'next', variables: { order: { lines: [1, 2, 3] }, results: [10, 20, 30] } }],
    [answered('next'), 'completed'],
  ],
);

stepsRun(
  'one by one the next begins when the one before is through',
  [
    forEach('lines', 'line', '=[1, 2]', [score, job('check')], {
      isOneByOne: true,
      collect: ['results', 'result'],
    }),
    next,
  ],
  [
    [begin(), 'score'],
    [answers(10), 'check'],
    [answered('check'), 'score'],
    [answers(20), 'check'],
    [answered('check'), { active: 'next', variables: { results: [10, 20] } }],
  ],
);

stepsRun(
  'a condition that is true after a run ends the others',
  [
    forEach('lines', 'line', '=[1, 2, 3]', [score], {
      until: '=numberOfCompletedInstances >= 2',
      collect: ['results', 'result'],
    }),
    next,
  ],
  [
    [begin(), 'score score score'],
    [answers(10, 20), { active: 'next', variables: { results: [10, 20, null] } }],
  ],
);

stepsRun(
  'without items the flow goes on',
  [forEach('lines', 'line', '=[]', [score]), next],
  [[begin(), 'next']],
);

// --- repeat ---------------------------------------------------------------------------------------

stepsRun(
  'until: asked after each run',
  [repeat('again', { until: '=done' }, [job('a')]), next],
  [
    [begin({ done: true }), 'a'],
    [answered('a', { done: false }), 'a'],
    [answered('a', { done: true }), 'next'],
  ],
);

stepsRun(
  'until: what is null is not true, so it goes on',
  [repeat('again', { until: 'done' }, [job('a')]), next],
  [
    [begin(), 'a'],
    [answered('a'), 'a'],
    [answered('a', { done: true }), 'next'],
  ],
);

stepsRun(
  'while: asked before each run',
  [repeat('again', { while: '=more' }, [job('a')]), next],
  [
    [begin({ more: true }), 'a'],
    [answered('a', { more: true }), 'a'],
    [answered('a', { more: false }), 'next'],
  ],
);

stepsRun(
  'while: what is null is not true, so it does not run',
  [repeat('again', { while: '=more' }, [job('a')]), next],
  [[begin(), 'next']],
);

stepsRun(
  'at most so often',
  [repeat('again', { atMost: '2' }, [job('a')]), next],
  [
    [begin(), 'a'],
    [answered('a'), 'a'],
    [answered('a'), 'next'],
  ],
);

stepsRun(
  'until, but at most so often',
  [repeat('again', { until: '=done', atMost: '2' }, [job('a')]), next],
  [
    [begin({ done: false }), 'a'],
    [answered('a'), 'a'],
    [answered('a'), 'next'],
  ],
);

for (const until of ['= done', ' done or false', '=done // as reported', '="//" = "//" and done']) {
  stepsRun(
    `until, however it is written: ${until}`,
    [repeat('again', { until }, [job('a')]), next],
    [
      [begin(), 'a'],
      [answered('a'), 'a'],
      [answered('a', { done: true }), 'next'],
    ],
  );
}

test('a bracket too many does not close one of ours', () => {
  const { findings } = compileFlowTree(flow('p', [repeat('again', { until: '=a) or (b' }, [job('a')])]));
  assert.deepEqual(
    findings.map(({ code, place }) => [code, place.elementId, place.column]),
    [['SUTRA.FEEL.SYNTAX_INVALID', 'again', 3]],
  );
});

stepsRun(
  'an end in a loop ends the run, not the loop',
  [repeat('again', { atMost: '2' }, [job('a'), end('out')]), next],
  [
    [begin(), 'a'],
    [answered('a'), 'a'],
    [answered('a'), 'next'],
  ],
);

// --- try: errors ----------------------------------------------------------------------------------

const guarded = attempt('part', [job('a'), job('b')], {
  handlers: [
    onError('refused', [job('repair')], { code: 'REJECTED', codeVariable: 'c', messageVariable: 'm' }),
    onError('else', [end('given-up')]),
  ],
});

stepsRun(
  'without a fault the handlers do not run',
  [guarded, next],
  [
    [begin(), 'a'],
    [answered('a'), 'b'],
    [answered('b'), 'next'],
    [answered('next'), 'completed'],
  ],
);

stepsRun(
  'an error goes to the handler of its code, and then on',
  [guarded, next],
  [
    [begin(), 'a'],
    [
      (instance) => instance.fail('a', 'REJECTED'),
      { active: 'repair', variables: { c: 'REJECTED', m: 'REJECTED was reported' } },
    ],
    [answered('repair'), 'next'],
  ],
);

stepsRun(
  'any other goes to the handler of all, which may end the flow',
  [guarded, next],
  [
    [begin(), 'a'],
    [(instance) => instance.fail('a', 'OTHER'), 'completed'],
  ],
);

stepsRun(
  'a handler without steps goes on',
  [attempt('part', [job('a')], { handlers: [onError('any', [])] }), next],
  [
    [begin(), 'a'],
    [(instance) => instance.fail('a', 'OTHER'), 'next'],
  ],
);

stepsRun(
  'fail in a part is caught around it',
  [
    attempt('part', [job('a'), fail('f', 'REJECTED')], {
      handlers: [onError('e', [job('repair')], { code: 'REJECTED' })],
    }),
    next,
  ],
  [
    [begin(), 'a'],
    [answered('a'), 'repair'],
    [answered('repair'), 'next'],
  ],
);

// --- try: time ------------------------------------------------------------------------------------

stepsRun(
  'what takes too long is given up',
  [attempt('part', [job('a')], { handlers: [onTimeout('late', ['after', 'PT5M'], [job('hurry')])] }), next],
  [
    [begin(), { waits: 'call:a timer:late' }],
    [fired('late'), { waits: 'call:hurry' }],
    [answered('hurry'), 'next'],
  ],
);

stepsRun(
  'or goes on, with steps beside it that nothing waits for',
  [
    attempt('part', [job('a')], {
      handlers: [onTimeout('late', ['every', 'R/PT5M'], [job('remind')], { isInterrupting: false })],
    }),
    next,
  ],
  [
    [begin(), { waits: 'call:a timer:late' }],
    [fired('late'), { active: 'a remind' }],
    [fired('late'), { active: 'a remind remind' }],
    [answered('a'), 'next remind remind'],
    [answered('next'), 'remind remind'],
    [answered('remind'), 'remind'],
    [answered('remind'), 'completed'],
  ],
);

// --- try: escalations -----------------------------------------------------------------------------

stepsRun(
  'an escalation is handled beside what goes on',
  [
    attempt('part', [escalate('shout', 'LATE'), job('a')], {
      handlers: [
        onEscalation('heard', [job('tell')], { code: 'LATE', codeVariable: 'c', isInterrupting: false }),
      ],
    }),
    next,
  ],
  [
    [begin(), { active: 'a tell', variables: { c: 'LATE' } }],
    [answered('a'), 'next tell'],
    [answered('tell'), 'next'],
    [answered('next'), 'completed'],
  ],
);

stepsRun(
  'or instead of it',
  [
    attempt('part', [escalate('shout', 'LATE'), job('a')], {
      handlers: [onEscalation('heard', [job('tell')])],
    }),
    next,
  ],
  [
    [begin(), 'tell'],
    [answered('tell'), 'next'],
  ],
);

// --- try: compensation ----------------------------------------------------------------------------

const reserve = attempt('reserve', [job('a')], { undo: [note('undone-1'), note('undone-2')] });
const book = attempt('book', [job('b')], { undo: [note('undone-b')] });

stepsRun(
  'a part is undone by its name',
  [reserve, book, compensate('back', 'reserve'), next],
  [
    [begin({ log: [] }), 'a'],
    [answered('a'), 'b'],
    [answered('b'), { active: 'next', variables: { log: ['undone-1', 'undone-2'] } }],
    [answered('next'), 'completed'],
  ],
);

stepsRun(
  'all parts are undone, the last one first',
  [reserve, book, compensate('back'), next],
  [
    [begin({ log: [] }), 'a'],
    [answered('a'), 'b'],
    [answered('b'), { active: 'next', variables: { log: ['undone-b', 'undone-1', 'undone-2'] } }],
  ],
);

stepsRun(
  'what is not done is not undone',
  [attempt('part', [reserve, book], { handlers: [onError('e', [compensate('back'), job('after')])] }), next],
  [
    [begin({ log: [] }), 'a'],
    [answered('a'), 'b'],
    [(instance) => instance.fail('b', 'X'), { active: 'after', variables: { log: [] } }],
  ],
);

test('everything of a part is in the document', () => {
  const tree = attempt('part', [wait('w', on.signal('news'))], {
    handlers: [
      onError('e', [job('a')], { code: 'X' }),
      onTimeout('t', ['after', 'PT1S'], [job('b')], { isInterrupting: false }),
    ],
    undo: [job('c')],
  });
  const process = compiled(flow('p', [tree, next]));
  assert.deepEqual(nodesOf(process), [
    'start: startEvent',
    'part: subProcess',
    'part-start: startEvent',
    'w: intermediateCatchEvent',
    'part-end: endEvent',
    'e: boundaryEvent',
    'a: serviceTask',
    't: boundaryEvent',
    'b: serviceTask',
    't-end: endEvent',
    'part-compensation: boundaryEvent',
    'part-undo: subProcess',
    'part-undo-start: startEvent',
    'c: serviceTask',
    'part-undo-end: endEvent',
    'part-join: exclusiveGateway',
    'next: serviceTask',
    'end: endEvent',
  ]);
  assert.ok(flowsOf(process).includes('a -> part-join') && flowsOf(process).includes('part -> part-join'));
});
