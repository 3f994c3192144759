/** Boundary events and BPMN errors. BPMN 2.0.2 §10.5.6, §13.5.3. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundary,
  call,
  end,
  errorEnd,
  parallel,
  receive,
  start,
  subProcess,
  task,
  userTask,
} from '../support/model-builder.ts';
import { error, message, timer } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { Instance } from './instance.ts';

const next = userTask('next');
const rescue = userTask('rescue');

function around(node: NodeSpec, ...events: readonly NodeSpec[]): Instance {
  const { id } = node.node;
  const flows = events.map(({ node: event }) => `${event.id} -> rescue`);
  return new Instance(
    processModel('p', [start('s'), node, next, rescue, ...events], [`s -> ${id} -> next`, ...flows]),
  ).start();
}

const activities: Record<string, NodeSpec> = {
  'user task': userTask('t'),
  'receive task': receive('t', 'news'),
  call: call('t', 'jobs', { timeoutMs: 60_000 }),
  'sub-process': subProcess('t', [start('in'), userTask('inner')]),
};

for (const [kind, node] of Object.entries(activities)) {
  const withInner = (...events: readonly NodeSpec[]): Instance => {
    const flows = [`s -> t -> next`, ...events.map((event) => `${event.node.id} -> rescue`)];
    if (kind === 'sub-process') flows.push('in -> inner');
    return new Instance(processModel('p', [start('s'), node, next, rescue, ...events], flows)).start();
  };

  test(`an interrupting timer on a ${kind} ends it with all that it waits for`, () => {
    const instance = withInner(
      boundary('late', 't', timer('duration("PT1M")')),
      boundary('stop', 't', message('stop')),
    );
    instance.fire('late');
    assert.deepEqual(instance.tokens, ['rescue']);
    assert.deepEqual(instance.waits, ['user-task:rescue']);
    assert.equal(instance.ofKind('callWithdrawn').length, kind === 'call' ? 1 : 0);
    assert.equal(
      instance.ofKind('timerCleared').length,
      kind === 'call' ? 1 : 0,
      "the timer that fired is the turn's",
    );
    assert.ok(
      instance.ofKind('history').some(({ event, elementId }) => event === 'interrupted' && elementId === 't'),
    );
  });

  test(`an interrupting message on a ${kind} ends it and stores the payload`, () => {
    const instance = withInner(
      boundary('late', 't', timer('duration("PT1M")')),
      boundary('stop', 't', message('stop')),
    );
    instance.deliver('stop', { why: 'changed my mind' });
    assert.deepEqual(instance.tokens, ['rescue']);
    assert.deepEqual(instance.waits, ['user-task:rescue']);
    assert.deepEqual(instance.variables['payload'], { why: 'changed my mind' });
  });

  test(`a non-interrupting timer on a ${kind} fires once and leaves it as it is`, () => {
    const instance = withInner(boundary('remind', 't', timer('duration("PT1M")'), 'non-interrupting'));
    const waits = instance.waits.filter((wait) => wait !== 'timer:remind');
    instance.fire('remind');
    assert.ok(instance.tokens.includes('t') && instance.tokens.includes('rescue'));
    assert.deepEqual(instance.waits, [...waits, 'user-task:rescue'].sort());
    assert.deepEqual(instance.ofKind('timerCleared'), []);
  });

  test(`a non-interrupting message on a ${kind} can come again and again`, () => {
    const instance = withInner(boundary('note', 't', message('notes'), 'non-interrupting'));
    instance.deliver('note', 1).deliver('note', 2);
    assert.deepEqual(
      instance.active.filter((id) => id === 'rescue'),
      ['rescue', 'rescue'],
    );
    assert.equal(instance.variables['payload'], 2);
    assert.ok(instance.waits.includes('message:note'));
  });
}

test('the boundary events of an activity are no longer waited for when it completes', () => {
  const instance = around(
    userTask('t'),
    boundary('late', 't', timer('duration("PT1M")')),
    boundary('remind', 't', timer('duration("PT1S")'), 'non-interrupting'),
    boundary('note', 't', message('notes'), 'non-interrupting'),
  );
  assert.deepEqual(instance.waits, ['message:note', 'timer:late', 'timer:remind', 'user-task:t']);
  instance.complete('t');
  assert.deepEqual(instance.waits, ['user-task:next']);
  assert.equal(instance.ofKind('timerCleared').length, 2);
});

test('an activity that completes at once arms none of its boundary events', () => {
  const instance = around(task('t'), boundary('late', 't', timer('duration("PT1M")')));
  assert.deepEqual(instance.active, ['next']);
  assert.deepEqual(instance.ofKind('timerSet'), []);
});

test('a sub-process that ends within the step leaves no timer and no trace of one', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('in'), end('out')]),
      boundary('late', 'sub', timer('duration("PT1M")')),
      next,
      rescue,
    ],
    ['s -> sub -> next', 'in -> out', 'late -> rescue'],
  );
  const instance = new Instance(process).start();
  assert.deepEqual(instance.active, ['next']);
  assert.deepEqual([...instance.ofKind('timerSet'), ...instance.ofKind('timerCleared')], []);
});

test('the header and event of the message can be named at the boundary event only', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      boundary('stop', 't', message('stop', { variable: 'x' })),
      userTask('rescue', { assign: ['h = header.a'] }),
    ],
    ['s -> t', 'stop -> rescue'],
  );
  const instance = new Instance(process).start().deliver('stop', 1).complete('rescue');
  assert.deepEqual(instance.variables, { x: 1, h: null });
});

// --- BPMN errors -----------------------------------------------------------------------------------

/** A sub-process inside a sub-process whose inner end event throws `E1` once `go` is completed. */
function nested(...events: readonly NodeSpec[]): Instance {
  const inner = subProcess('inner', [
    start('in2'),
    parallel('fork'),
    userTask('go'),
    userTask('other'),
    errorEnd('boom', 'E1'),
  ]);
  const outer = subProcess('outer', [
    start('in1'),
    inner,
    ...events.filter(({ node }) => node.kind === 'boundaryEvent' && node.attachedToId === 'inner'),
    userTask('innerRescue'),
  ]);
  const outerEvents = events.filter(
    ({ node }) => node.kind === 'boundaryEvent' && node.attachedToId === 'outer',
  );
  const flows = events.map(({ node }) =>
    node.kind === 'boundaryEvent' && node.attachedToId === 'inner'
      ? `${node.id} -> innerRescue`
      : `${node.id} -> rescue`,
  );
  const process = processModel(
    'p',
    [start('s'), outer, ...outerEvents, next, rescue],
    ['s -> outer -> next', 'in1 -> inner', 'in2 -> fork', 'fork -> go -> boom', 'fork -> other', ...flows],
  );
  return new Instance(process).start().complete('go');
}

test('a BPMN error is caught by the nearest enclosing activity that catches its code', () => {
  const instance = nested(boundary('near', 'inner', error('E1')), boundary('far', 'outer', error('E1')));
  assert.deepEqual(instance.tokens, ['innerRescue', 'outer']);
});

test('an error that the inner activity does not catch goes on to the outer one and ends all inside', () => {
  const instance = nested(boundary('near', 'inner', error('E2')), boundary('far', 'outer', error('E1')));
  assert.deepEqual(instance.tokens, ['rescue']);
  assert.equal(instance.snapshot.scopes.length, 1);
});

test('on one activity a boundary event for the very code wins over one for all', () => {
  const instance = nested(boundary('any', 'inner', error(null)), boundary('exact', 'inner', error('E1')));
  assert.ok(instance.lastEffects.some((effect) => effect.kind === 'history' && effect.elementId === 'exact'));
  assert.ok(!instance.lastEffects.some((effect) => effect.kind === 'history' && effect.elementId === 'any'));
});

test('a boundary event for all errors on the inner activity wins over one for the code further out', () => {
  const instance = nested(boundary('any', 'inner', error(null)), boundary('far', 'outer', error('E1')));
  assert.deepEqual(instance.tokens, ['innerRescue', 'outer']);
});

test('the code and the message of a caught error go into the variables that the event names', () => {
  const instance = nested(boundary('far', 'outer', error(null, 'code', 'text')));
  assert.deepEqual(instance.variables, { code: 'E1', text: 'thrown by the end event boom' });
});

test('an error that nobody catches fails the instance where it was thrown and interrupts nothing', () => {
  const instance = nested(boundary('near', 'inner', error('E2')));
  assert.equal(instance.failureCode, 'SUTRA.BPMN_ERROR.UNCAUGHT');
  assert.match(instance.snapshot.failure?.message ?? '', /E1/);
  assert.equal(instance.snapshot.failure?.elementId, 'boom');
  assert.deepEqual(instance.active, ['boom', 'other']);
});

test('a timer in an activity that an error ended is cleared, and a call there is withdrawn', () => {
  const inner = subProcess('inner', [
    start('in'),
    parallel('fork'),
    call('c', 'jobs', { timeoutMs: 9 }),
    userTask('go'),
    errorEnd('boom', 'E'),
  ]);
  const process = processModel(
    'p',
    [start('s'), inner, boundary('caught', 'inner', error('E')), rescue],
    ['s -> inner', 'in -> fork', 'fork -> c', 'fork -> go -> boom', 'caught -> rescue'],
  );
  const instance = new Instance(process).start().complete('go');
  assert.deepEqual(instance.tokens, ['rescue']);
  assert.equal(instance.ofKind('callWithdrawn').length, 1);
  assert.equal(instance.ofKind('timerCleared').length, 1);
});

test('a call that is made and given up in one step was never sent', () => {
  const inner = subProcess('inner', [
    start('in'),
    parallel('fork'),
    call('c', 'jobs', { timeoutMs: 9 }),
    task('x'),
    errorEnd('boom', 'E'),
  ]);
  const process = processModel(
    'p',
    [start('s'), inner, boundary('caught', 'inner', error('E')), rescue],
    ['s -> inner', 'in -> fork', 'fork -> c', 'fork -> x -> boom', 'caught -> rescue'],
  );
  const instance = new Instance(process).start();
  assert.deepEqual(instance.tokens, ['rescue']);
  const kinds = new Set(instance.lastEffects.map(({ kind }) => kind));
  assert.deepEqual([...kinds], ['history']);
  assert.ok(!instance.ofKind('history').some(({ event }) => event === 'sent'));
});
