/** Instances that go on in another version of their process: tokens, calls, joins, what has failed, what is called. M1 to M6. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProcessDefinition, RetryDefinition } from '../../definitions/model.ts';
import type { Effect } from '../../engine/core/effect.ts';
import type { Wait } from '../../engine/core/snapshot.ts';
import {
  adHoc,
  boundary,
  call,
  callActivity,
  catchEvent,
  complex,
  data,
  end,
  exclusive,
  inclusive,
  looped,
  parallel,
  registered,
  script,
  start,
  subProcess,
  throwEvent,
  userTask,
  withData,
} from '../support/model-builder.ts';
import { conditional, each, error, standardLoop, timerMs } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { checkInvariants } from './invariants.ts';
import { DEPLOYMENT_ID, directory, INSTANCE_ID, START_MS, type Instance } from './instance.ts';
import { advancePurely } from './pure-advance.ts';
import { between, line, migrated, migration, NEXT_ID, textsAgainst, type Elements } from './migration.ts';

const next = userTask('next');
const TERMINAL = error('SUTRA.EXTERNAL_TASK.TERMINAL');

/** A node and what is attached to it, which leads nowhere. */
const beside = (node: NodeSpec, ...events: readonly NodeSpec[]): ProcessDefinition =>
  processModel('p', [start('s'), node, next, ...events], [`s -> ${node.node.id} -> next`]);

function historyOf(effects: readonly Effect[]): readonly unknown[] {
  return effects.flatMap((effect) =>
    effect.kind === 'history' ? [[effect.event, effect.elementId, effect.detail]] : [],
  );
}

describe('a token that is migrated', () => {
  it('waits on at its node and goes on from there as the new model says', () => {
    const instance = between(line(userTask('t'), next), line(userTask('t'), script('x', '{n: 5}'), end('e')));
    const [token] = instance.start().allTokens;
    migrated(instance);
    assert.deepEqual(instance.allTokens, [token], 'it is the same visit');
    assert.equal(instance.complete('t').status, 'completed');
    assert.deepEqual(instance.variables, { n: 5 });
  });

  it('keeps the variables, and is given none that the new model declares', () => {
    const now = processModel('p', [start('s'), userTask('t')], ['s -> t'], { variables: ['n', 'm'] });
    const instance = migrated(between(line(userTask('t')), now).start({ variables: { n: 1 } }));
    assert.deepEqual(instance.variables, { n: 1 });
  });

  it('stands at the element to which its own is mapped, and the journal says so', () => {
    const instance = between(line(userTask('t'), next), line(userTask('u'), next)).start();
    migrated(instance, { t: 'u' });
    assert.deepEqual(instance.waits, ['user-task:u']);
    assert.deepEqual(historyOf(instance.lastEffects), [
      ['migrated', null, { from: 'dep-1', to: NEXT_ID }],
      ['elementMigrated', 't', { to: 'u' }],
    ]);
    assert.deepEqual(instance.complete('u').active, ['next']);
  });

  it('may share its element with others after that', () => {
    const forked = (...ids: readonly string[]): ProcessDefinition =>
      processModel(
        'p',
        [start('s'), parallel('fork'), ...ids.map((id) => userTask(id)), next],
        ['s -> fork', ...ids.map((id) => `fork -> ${id}`)],
      );
    const instance = migrated(between(forked('a', 'b'), forked('b')).start(), { a: 'b' });
    assert.deepEqual(instance.active, ['b', 'b']);
  });

  it('over a flow that the new model does not have has come over none', () => {
    const instance = between(line(userTask('t')), line(data('x', []), userTask('t'))).start();
    assert.equal(instance.allTokens[0]?.arrivedByFlowId, 's-t');
    assert.equal(migrated(instance).allTokens[0]?.arrivedByFlowId, null);
  });

  it('is told of in the journal as one of the first hundred that have another element', () => {
    const inside = (id: string): ProcessDefinition =>
      processModel(
        'p',
        [start('s'), looped(subProcess('sub', [start('in'), userTask(id)]), each('x in list'))],
        ['s -> sub', `in -> ${id}`],
      );
    const list = Array.from({ length: 120 }, (_, index) => index);
    const instance = migrated(between(inside('t'), inside('u')).start({ variables: { list } }), { t: 'u' });
    const entries = historyOf(instance.lastEffects);
    assert.equal(entries.length, 101);
    assert.deepEqual(new Set(instance.active), new Set(['u']));
  });

  it('but the run of an activity is not told of apart from it', () => {
    const instance = between(
      line(looped(userTask('t'), standardLoop({ maximum: 3 }))),
      line(looped(userTask('u'), standardLoop({ maximum: 2 }))),
    ).start();
    migrated(instance, { t: 'u' });
    assert.deepEqual(historyOf(instance.lastEffects).slice(1), [['elementMigrated', 't', { to: 'u' }]]);
    assert.equal(instance.complete('u').complete('u').status, 'completed', 'the loop is the new one');
  });
});

// --- calls -------------------------------------------------------------------------------------------

const retry: RetryDefinition = {
  maxAttempts: 3,
  initialDelayMs: 1000,
  backoffCoefficient: 1,
  maxDelayMs: 1000,
  nonRetryableCodes: [],
};

describe('a call that is migrated', () => {
  it('keeps its key and its timeout, and its answer is taken as the new model says', () => {
    const instance = between(
      line(call('c', 'jobs', { timeoutMs: 500, output: 'old' }), next),
      line(call('c', 'jobs', { timeoutMs: 900, output: 'answer' }), next),
    ).start();
    const waits: readonly Wait[] = instance.allWaits;
    assert.deepEqual(migrated(instance).allWaits, waits);
    assert.deepEqual(instance.ofKind('send'), []);
    assert.deepEqual(instance.ofKind('callWithdrawn'), []);
    assert.deepEqual(instance.answer('c', 7).variables, { answer: 7 });
  });

  for (const [what, old, now, expected] of [
    ['none', [], [], false],
    ['one that is new', [], [boundary('b', 'd', TERMINAL)], true],
    ['one that is gone', [boundary('b', 'c', TERMINAL)], [], false],
    ['one that both models have', [boundary('b', 'c', TERMINAL)], [boundary('b', 'd', TERMINAL)], true],
    ['one for all errors', [], [boundary('b', 'd', error(null))], false],
  ] as const) {
    it(`names the new model for what is sent, with a boundary event for its terminal task: ${what}`, () => {
      const instance = between(beside(call('c', 'jobs'), ...old), beside(call('d', 'jobs'), ...now)).start();
      const { idempotencyKey, id: waitId } = instance.wait('call', 'c');
      migrated(instance, { c: 'd' });
      assert.deepEqual(instance.ofKind('callMigrated'), [
        {
          kind: 'callMigrated',
          idempotencyKey,
          deploymentId: NEXT_ID,
          processId: 'p',
          elementId: 'd',
          terminalWait: expected ? { waitId, partId: null } : null,
        },
      ]);
    });
  }

  it('is told of also when its element is the same', () => {
    const model = line(looped(registered('c', 'work'), each('x in [1, 2]')));
    const instance = migrated(between(model, model).start());
    assert.equal(instance.ofKind('callMigrated').length, 2);
    assert.deepEqual(instance.ofKind('timerSet'), []);
  });

  it('makes its next attempt by the new model', () => {
    const instance = between(
      line(call('c', 'jobs', { timeoutMs: 500, retry, params: { a: '1' } }), next),
      line(call('d', 'jobs', { retry, params: { a: '2' } }), next),
    ).start();
    instance.fire('c');
    assert.deepEqual(instance.waits, ['timer:c']);
    migrated(instance, { c: 'd' }).fire('d');
    assert.deepEqual(
      instance.ofKind('send').map(({ deploymentId, elementId, body }) => [deploymentId, elementId, body]),
      [[NEXT_ID, 'd', { a: 2 }]],
    );
    assert.deepEqual(instance.waits, ['call:d']);
  });
});

// --- joins -------------------------------------------------------------------------------------------

/** Three branches to a join. @param to where each of them leads */
function branches(gateway: NodeSpec, to: readonly string[] = ['g', 'g', 'g']): ProcessDefinition {
  const ids = ['a', 'b', 'c'];
  return processModel(
    'p',
    [start('s'), parallel('fork'), ...ids.map((id) => userTask(id)), gateway, next, end('e')],
    [
      's -> fork',
      'g -> next',
      ...ids.flatMap((id, index) => [`fork -> ${id}`, `${id} -> ${to[index] ?? 'g'}`]),
    ],
  );
}

describe('a join of the new model', () => {
  for (const [kind, gateway] of [
    ['parallel', parallel('g')],
    ['inclusive', inclusive('g')],
  ] as const) {
    it(`goes on at once when nothing more can come to it: ${kind}`, () => {
      const instance = between(branches(gateway), branches(gateway, ['g', 'g', 'e'])).start();
      instance.complete('a').complete('b');
      assert.deepEqual(instance.active, ['c', 'g', 'g']);
      assert.deepEqual(migrated(instance).active, ['c', 'next']);
    });

    it(`and waits for those that can: ${kind}`, () => {
      const instance = between(branches(gateway, ['g', 'g', 'e']), branches(gateway)).start();
      assert.deepEqual(migrated(instance.complete('a')).active, ['b', 'c', 'g']);
      assert.deepEqual(instance.complete('b').active, ['c', 'g', 'g']);
      assert.deepEqual(instance.complete('c').active, ['next']);
    });
  }

  it('counts by the flows to which those are mapped that the tokens came over', () => {
    const renamed = processModel(
      'p',
      [start('s'), parallel('fork'), userTask('a'), userTask('b'), parallel('j'), next],
      ['s -> fork', 'fork -> a -> j as one', 'fork -> b -> j as two', 'j -> next'],
    );
    const old = processModel(
      'p',
      [start('s'), parallel('fork'), userTask('a'), userTask('b'), parallel('g'), next],
      ['s -> fork', 'fork -> a -> g', 'fork -> b -> g', 'g -> next'],
    );
    const elements: Elements = { g: 'j', 'a-g': 'one', 'b-g': 'two' };
    const instance = migrated(between(old, renamed).start().complete('a'), elements);
    assert.deepEqual(instance.active, ['b', 'j']);
    assert.deepEqual(instance.complete('b').active, ['next']);
  });

  it('that is complex and has fired is reset when the tokens of its other flows have come', () => {
    const first = (id: string): NodeSpec => complex(id, 'activationCount >= 1');
    const other = processModel(
      'p',
      [start('s'), parallel('fork'), userTask('a'), userTask('b'), userTask('c'), first('h'), next, end('e')],
      ['s -> fork', 'h -> next', 'fork -> a -> h', 'fork -> b -> h', 'fork -> c -> e'],
    );
    const elements: Elements = { g: 'h', 'a-g': 'a-h', 'b-g': 'b-h' };
    const instance = between(branches(first('g')), other)
      .start()
      .complete('a');
    migrated(instance, elements);
    assert.deepEqual(instance.snapshot.scopes[0]?.complexGateways, { h: ['a-h'] });
    assert.deepEqual(instance.complete('b').active, ['c', 'next']);
    assert.equal(instance.snapshot.scopes[0]?.complexGateways, undefined);
  });
});

// --- what has failed -----------------------------------------------------------------------------------

describe('M6: a failed instance', () => {
  it('stays failed, at the element that is now its own, and is retried in the new model', () => {
    const at = (id: string, flow: string): ProcessDefinition =>
      processModel(
        'p',
        [start('s'), exclusive(id), userTask('a'), next],
        [`s -> ${id}`, `${id} -> a if no`, flow],
      );
    const instance = between(at('x', 'a -> next'), at('y', 'y -> next default')).start();
    assert.equal(instance.failureCode, 'SUTRA.CORE.NO_FLOW_TAKEN');
    const { failure } = instance.snapshot;
    migrated(instance, { x: 'y' });
    assert.deepEqual(instance.snapshot.failure, { ...failure, elementId: 'y' });
    assert.deepEqual(instance.ofKind('statusChanged'), []);
    assert.deepEqual(instance.retry().active, ['next']);
  });

  it('begins its element anew where it failed at its beginning, whatever that does in the new model', () => {
    const old = line(call('c', 'jobs', { headers: { list: '[1]' } }), next);
    const now = line(withData(looped(call('c', 'works'), each('x in [1]')), { locals: ['y'] }), next);
    const instance = between(old, now).start();
    assert.equal(instance.status, 'failed');
    migrated(instance);
    assert.deepEqual(instance.retry().waits, ['call:c']);
    assert.equal(instance.wait('call', 'c').requestChannel, 'works');
  });

  it('but not where its work is done already', () => {
    const of = (channel: string): ProcessDefinition =>
      line(call('c', channel, { assign: ['n.x = 1'] }), next);
    const instance = between(of('jobs'), of('works'))
      .start({ variables: { n: 1 } })
      .answer('c');
    assert.equal(instance.failureCode, 'SUTRA.CORE.ASSIGNMENT_TARGET_INVALID');
    assert.deepEqual(textsAgainst(instance), [
      'c calls the channel jobs and is answered on jobs, and in the new model c calls the channel works and is answered on works',
    ]);
  });

  it('nor at a node of another kind', () => {
    const old = line(call('c', 'jobs', { headers: { list: '[1]' } }), next);
    assert.deepEqual(textsAgainst(between(old, line(userTask('c'), next)).start()), [
      'c is a service task, and in the new model c is a user task',
    ]);
  });

  it('goes on from a join that was stuck when it is retried', () => {
    const choice = (to: string): ProcessDefinition =>
      processModel(
        'p',
        [start('s'), exclusive('x'), userTask('a'), userTask('b'), parallel('g'), next],
        ['s -> x', 'x -> a if true', 'x -> b default', 'a -> g', `b -> ${to}`, 'g -> next'],
      );
    const instance = between(choice('g'), choice('next')).start().complete('a');
    assert.equal(instance.failureCode, 'SUTRA.CORE.JOIN_STUCK');
    assert.equal(migrated(instance).failureCode, 'SUTRA.CORE.JOIN_STUCK');
    assert.deepEqual(instance.retry().active, ['next']);
  });

  it('takes nothing up by itself: also a new condition is asked only when it is retried', () => {
    const forked = (...events: readonly NodeSpec[]): ProcessDefinition =>
      processModel(
        'p',
        [start('s'), parallel('fork'), exclusive('x'), userTask('t'), ...events, next],
        [
          's -> fork',
          'fork -> x -> next if go',
          'fork -> t',
          ...events.map(({ node }) => `${node.id} -> next`),
        ],
      );
    const timed = boundary('late', 't', timerMs(100));
    const instance = migrated(between(forked(), forked(timed)).start());
    assert.equal(instance.status, 'failed');
    assert.deepEqual(instance.waits, ['timer:late', 'user-task:t']);
  });
});

// --- what is inside -------------------------------------------------------------------------------------

describe('what is inside an instance goes along', () => {
  const sub = (id: string, now: string): ProcessDefinition =>
    processModel('sub', [start('ss'), userTask(id), data('d', [`log = "${now}"`])], [`ss -> ${id} -> d`]);
  const main = (id = 'calling'): ProcessDefinition => line(callActivity(id, 'sub'), next);

  it('a called process of the same deployment, with elements that are mapped by the same names', () => {
    const models = { old: [sub('u', 'old')], next: [sub('v', 'new')] };
    const instance = between(main(), main('other'), models).start();
    migrated(instance, { calling: 'other', u: 'v' });
    assert.deepEqual(instance.waits, ['user-task:v']);
    const called = instance.allScopes.find(({ kind }) => kind === 'called');
    assert.equal(called?.elementId, 'other');
    assert.deepEqual(called.called, { deploymentId: NEXT_ID, processId: 'sub' });
    assert.equal(instance.complete('v').variables['log'], 'new');
  });

  it('an id of one process means nothing in another that has it too', () => {
    const twin = (id: string): ProcessDefinition =>
      processModel('sub', [start('ss'), userTask(id)], [`ss -> ${id}`]);
    const forked = (id: string): ProcessDefinition =>
      processModel(
        'p',
        [start('s'), parallel('fork'), userTask(id), callActivity('calling', 'sub')],
        ['s -> fork', `fork -> ${id}`, 'fork -> calling'],
      );
    const instance = between(forked('u'), forked('v'), { old: [twin('u')], next: [twin('u')] }).start();
    assert.deepEqual(migrated(instance, { u: 'v' }).active, ['u', 'v']);
  });

  it('but not a called process of another deployment', () => {
    const others = { 'dep-0': [sub('u', 'other')] };
    const instance = between(main(), main(), { others }).start();
    const called = instance.allScopes.find(({ kind }) => kind === 'called');
    assert.deepEqual(
      migrated(instance).allScopes.find(({ kind }) => kind === 'called'),
      called,
    );
    assert.deepEqual(instance.ofKind('callMigrated'), []);
    assert.equal(instance.complete('u').variables['log'], 'other');
  });

  it('also when it is the same process in another version', () => {
    const calling = processModel('q', [start('qs'), callActivity('again', 'p')], ['qs -> again']);
    const others = { 'dep-0': [calling, line(call('other', 'jobs'))] };
    const main = line(callActivity('first', 'q'), next);
    const instance = migrated(between(main, main, { others }).start());
    assert.deepEqual(instance.active, ['other']);
    const called = instance.allScopes.flatMap((scope) => scope.called?.deploymentId ?? []);
    assert.deepEqual(called, ['dep-0', 'dep-0']);
    assert.deepEqual(instance.ofKind('callMigrated'), []);
  });

  it('the calls of called processes, with their process', () => {
    const calling = processModel('sub', [start('ss'), call('c', 'jobs')], ['ss -> c']);
    const instance = migrated(between(main(), main(), { old: [calling], next: [calling] }).start());
    assert.deepEqual(
      instance.ofKind('callMigrated').map(({ deploymentId, processId }) => [deploymentId, processId]),
      [[NEXT_ID, 'sub']],
    );
  });

  it('instances of a parallel multi-instance activity that are stored one by one', () => {
    const wide = (id: string, ...events: readonly NodeSpec[]): ProcessDefinition =>
      processModel(
        'p',
        [
          start('s'),
          looped(
            subProcess('sub', [start('in'), call(id, 'jobs', { timeoutMs: 10, output: 'x' }), ...events]),
            each('x in [1, 2, 3]', { output: 'x -> xs' }),
          ),
          next,
        ],
        ['s -> sub -> next', `in -> ${id}`],
      );
    const instance = between(wide('c'), wide('d', boundary('late', 'd', timerMs(500), 'non-interrupting')))
      .start()
      .answer('c', 10);
    assert.equal(instance.snapshot.parts?.length, 3);
    migrated(instance, { c: 'd' });
    assert.equal(instance.ofKind('callMigrated').length, 2);
    const sets = instance.ofKind('timerSet').map(({ elementId, partId }) => [elementId, partId !== null]);
    assert.deepEqual(sets, [
      ['d', true],
      ['d', true],
      ['late', true],
      ['late', true],
    ]);
    instance.answer('d', 20).answer('d', 30);
    assert.deepEqual(instance.variables, { xs: [10, 20, 30] });
    assert.deepEqual(instance.active, ['next']);
  });

  it('an ad hoc sub-process, whose new activities can be launched', () => {
    const box = (...nodes: readonly NodeSpec[]): ProcessDefinition => line(adHoc('box', nodes), next);
    const instance = between(box(userTask('a')), box(userTask('a'), userTask('b'))).start();
    assert.deepEqual(migrated(instance).launch('box', 'b').active, ['b']);
    assert.deepEqual(instance.finish('box').active, ['next']);
  });
});

describe('a migration', () => {
  it('can be made again, and back', () => {
    const model = line(userTask('t'), next);
    const instance = between(model, model).start();
    const { snapshot } = instance;
    migrated(instance);
    assert.equal(instance.mustAdvance(migration({}, 'dep-1')).snapshot.deploymentId, 'dep-1');
    assert.deepEqual(instance.snapshot, snapshot);
  });

  it('sends from then on what the package of the new model may send to', () => {
    const of = (text: string): ProcessDefinition =>
      line(catchEvent('c', conditional(text)), throwEvent('send', { destination: '"b"' }));
    const { snapshot } = between(of('n > 9'), of('n > 1')).start({ variables: { n: 5 } });
    const calls = directory({ [NEXT_ID]: [of('n > 1')] });
    const result = advancePurely(of('n > 9'), snapshot, migration(), {
      instanceId: INSTANCE_ID,
      deploymentId: DEPLOYMENT_ID,
      nowMs: START_MS,
      channels: new Set(['a']),
      calls: { ...calls, channelsOf: (id) => new Set(id === NEXT_ID ? ['b'] : ['a']) },
    });
    assert.equal(result.kind === 'advanced' && result.snapshot.status, 'completed');
  });

  it('asks for all parts', () => {
    const model = line(looped(call('c', 'jobs'), each('x in [1, 2]')), next);
    const instance: Instance = between(model, model).start();
    // `Instance` applies it with no part too, and compares.
    migrated(instance);
    checkInvariants(instance.snapshot);
    assert.equal(instance.snapshot.parts?.length, 2);
  });
});
