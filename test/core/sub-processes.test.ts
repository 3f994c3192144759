/** Embedded sub-processes and the ends of scopes. BPMN 2.0.2 §13.3.4, §13.5.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  call,
  catchEvent,
  end,
  parallel,
  script,
  start,
  subProcess,
  task,
  terminate,
  userTask,
} from '../support/model-builder.ts';
import { message, timer } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { Instance } from './instance.ts';

const next = userTask('next');

test('a sub-process goes on when no token is left in it', () => {
  const inside = [start('in'), parallel('fork'), userTask('a'), userTask('b'), end('out'), end('out2')];
  const process = processModel(
    'p',
    [start('s'), subProcess('sub', inside), next, end('e')],
    ['s -> sub -> next -> e', 'in -> fork', 'fork -> a -> out', 'fork -> b -> out2'],
  );
  const instance = new Instance(process).start();
  assert.deepEqual(instance.tokens, ['a', 'b', 'sub']);
  instance.complete('a');
  assert.deepEqual(instance.tokens, ['b', 'sub']);
  instance.complete('b');
  assert.deepEqual(instance.tokens, ['next']);
  assert.equal(instance.snapshot.scopes.length, 1);
  assert.equal(instance.complete('next').status, 'completed');
});

test('sub-processes nest, with waits of every kind at the bottom', () => {
  const deep = [
    start('in3'),
    parallel('fork'),
    call('c', 'jobs'),
    catchEvent('m', message('news')),
    catchEvent('t', timer('duration("PT1S")')),
  ];
  const process = processModel(
    'p',
    [
      start('s'),
      subProcess('one', [start('in1'), subProcess('two', [start('in2'), subProcess('three', deep)])]),
      next,
    ],
    ['s -> one -> next', 'in1 -> two', 'in2 -> three', 'in3 -> fork', 'fork -> c', 'fork -> m', 'fork -> t'],
  );
  const instance = new Instance(process).start();
  assert.equal(instance.snapshot.scopes.length, 4);
  instance.fire('t').deliver('m').answer('c');
  assert.deepEqual(instance.tokens, ['next']);
});

test('each token that enters a sub-process has a scope of its own', () => {
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), subProcess('sub', [start('in'), userTask('a')]), next],
    ['s -> fork', 'fork -> sub', 'fork -> sub', 'sub -> next', 'in -> a'],
  );
  const instance = new Instance(process).start();
  assert.deepEqual(instance.tokens, ['a', 'a', 'sub', 'sub']);
  instance.complete('a');
  assert.deepEqual(instance.tokens, ['a', 'next', 'sub']);
});

test('a parallel join does not mix the tokens of two runs of its sub-process', () => {
  const inside = [
    start('in'),
    parallel('fork2'),
    userTask('a'),
    userTask('b'),
    parallel('join'),
    userTask('c'),
  ];
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), subProcess('sub', inside)],
    [
      's -> fork',
      'fork -> sub',
      'fork -> sub',
      'in -> fork2',
      'fork2 -> a -> join',
      'fork2 -> b -> join',
      'join -> c',
    ],
  );
  const instance = new Instance(process).start();
  const ofRun = (run: number, elementId: string): number => {
    const scopeId = instance.snapshot.scopes.filter((scope) => scope.elementId === 'sub')[run]?.id;
    return (
      instance.snapshot.tokens.find((item) => item.scopeId === scopeId && item.elementId === elementId)?.id ??
      -1
    );
  };
  const complete = (tokenId: number): void => {
    assert.equal(instance.apply({ kind: 'completeUserTask', tokenId, variables: {} }).kind, 'advanced');
  };
  complete(ofRun(0, 'a'));
  complete(ofRun(1, 'b'));
  assert.ok(!instance.active.includes('c'), 'one token of each run makes no pair');
  complete(ofRun(0, 'b'));
  assert.deepEqual(instance.active, ['a', 'c', 'join']);
});

test('a sub-process sees the variables outside, and what it works out is there after it', () => {
  const inside = [start('in'), script('x', '{total: amount * 2, amount: 5}'), end('out')];
  const process = processModel(
    'p',
    [start('s'), subProcess('sub', inside), next],
    ['s -> sub -> next', 'in -> x -> out'],
  );
  const instance = new Instance(process).start({ variables: { amount: 4 } });
  assert.deepEqual(instance.variables, { amount: 5, total: 8 });
});

test('a terminate end event ends the process with everything in it', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      call('c', 'jobs', { timeoutMs: 1 }),
      subProcess('sub', [start('in'), userTask('a')]),
      userTask('stop'),
      terminate('t'),
    ],
    ['s -> fork', 'fork -> c', 'fork -> sub', 'fork -> stop -> t', 'in -> a'],
  );
  const instance = new Instance(process).start().complete('stop');
  assert.equal(instance.status, 'terminated');
  assert.equal(instance.ofKind('callWithdrawn').length, 1);
  assert.equal(instance.ofKind('timerCleared').length, 1);
  assert.deepEqual(instance.ofKind('statusChanged'), [
    { kind: 'statusChanged', status: 'terminated', failure: null },
  ]);
});

test('a terminate end event inside a sub-process ends that sub-process only, which then goes on', () => {
  const inside = [start('in'), parallel('fork2'), userTask('stop'), userTask('a'), terminate('t')];
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), subProcess('sub', inside), userTask('b'), next],
    ['s -> fork', 'fork -> sub -> next', 'fork -> b', 'in -> fork2', 'fork2 -> stop -> t', 'fork2 -> a'],
  );
  const instance = new Instance(process).start().complete('stop');
  assert.deepEqual(instance.tokens, ['b', 'next']);
  assert.equal(instance.status, 'running');
});

test('a terminate end event stops tokens of its scope that have not moved yet', () => {
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), terminate('t'), task('x'), userTask('a')],
    ['s -> fork', 'fork -> t', 'fork -> x -> a'],
  );
  assert.equal(new Instance(process).start().status, 'terminated');
});

test('a token without a way out ends, and the last one ends the process', () => {
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), userTask('a'), task('b')],
    ['s -> fork', 'fork -> a', 'fork -> b'],
  );
  const instance = new Instance(process).start();
  assert.deepEqual(instance.active, ['a']);
  assert.equal(instance.complete('a').status, 'completed');
});

test('a process that consists of a start event alone is over at once', () => {
  const instance = new Instance(processModel('p', [start('s')], [])).start();
  assert.equal(instance.status, 'completed');
  assert.deepEqual(instance.snapshot.aliases, []);
});
