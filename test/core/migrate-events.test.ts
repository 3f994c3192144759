/** Events around a token that is migrated: kept, withdrawn, and armed. M3, N1 to N3. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProcessDefinition } from '../../definitions/model.ts';
import {
  adHoc,
  boundary,
  call,
  catchEvent,
  endWith,
  eventBased,
  eventSubProcess,
  looped,
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
  allOf,
  conditional,
  each,
  error,
  escalation,
  message,
  signal,
  source,
  throws,
  timer,
  timerCycle,
  timerMs,
  type Triggers,
} from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { START_MS, type Instance } from './instance.ts';
import { between, migrated, type Elements } from './migration.ts';

const next = userTask('next');
const aside = userTask('aside');

type On = 'interrupting' | 'non-interrupting';

/** A user task with events attached to it, all of which lead to `aside`. */
function guarded(events: Readonly<Record<string, Triggers>>, kind: On = 'interrupting'): ProcessDefinition {
  const ids = Object.keys(events);
  return processModel(
    'p',
    [start('s'), userTask('t'), ...ids.map((id) => boundary(id, 't', events[id] ?? [], kind)), next, aside],
    ['s -> t -> next', ...ids.map((id) => `${id} -> aside`)],
  );
}

/** The process waits at `t`, with event sub-processes beside it. */
function beside(events: Readonly<Record<string, Triggers>>, kind: On = 'interrupting'): ProcessDefinition {
  const handlers = Object.entries(events).map(([id, triggers]) =>
    eventSubProcess(`${id}Process`, startOn(id, triggers, kind), [userTask(`${id}Task`)]),
  );
  return processModel(
    'p',
    [start('s'), userTask('t'), next, ...handlers],
    ['s -> t -> next', ...Object.keys(events).map((id) => `${id} -> ${id}Task`)],
  );
}

/** What comes first at an event-based gateway. */
function racing(...events: readonly NodeSpec[]): ProcessDefinition {
  return processModel(
    'p',
    [start('s'), eventBased('g'), ...events, next],
    ['s -> g', ...events.map(({ node }) => `g -> ${node.id} -> next`)],
  );
}

interface Case {
  readonly what: string;
  readonly old: ProcessDefinition;
  readonly now: ProcessDefinition;
  readonly elements?: Elements;
  /** Waits before and after. */
  readonly before: string;
  readonly after: string;
  /** How many waits are the same ones. */
  readonly kept: number;
}

const wait = 'user-task:t';

const cases: readonly Case[] = [
  {
    what: 'a boundary event that both models have is kept',
    old: guarded({ late: timerMs(100), news: message('news'), go: signal('go'), c: conditional('n > 1') }),
    now: guarded({ c: conditional('n > 2'), go: signal('go'), late: timerMs(900), news: message('news') }),
    before: `condition:c message:news signal:go timer:late ${wait}`,
    after: `condition:c message:news signal:go timer:late ${wait}`,
    kept: 5,
  },
  {
    what: 'one that is gone is withdrawn, one that is new is armed',
    old: guarded({ late: timerMs(100), news: message('news') }),
    now: guarded({ news: message('news'), go: signal('go'), c: conditional('n > 1'), e: error('E') }),
    before: `message:news timer:late ${wait}`,
    after: `condition:c message:news signal:go ${wait}`,
    kept: 2,
  },
  {
    what: 'one with another name is kept when it is mapped',
    old: guarded({ late: timerMs(100) }),
    now: guarded({ overdue: timerMs(100) }),
    elements: { late: 'overdue' },
    before: `timer:late ${wait}`,
    after: `timer:overdue ${wait}`,
    kept: 2,
  },
  {
    what: 'one on another channel, of another signal or of another kind is another one',
    old: guarded({ a: message('news'), b: signal('go'), c: timerMs(100) }),
    now: guarded({ a: message('mail'), b: signal('stop'), c: message('news') }),
    before: `message:a signal:b timer:c ${wait}`,
    after: `message:a message:c signal:b ${wait}`,
    kept: 1,
  },
  {
    what: 'of several triggers, in whatever order, each is kept, withdrawn or armed by itself',
    old: guarded({ any: [timerMs(100), signal('go'), escalation('E')] }),
    now: guarded({ any: [message('news'), escalation('E'), signal('go')] }),
    before: `signal:any timer:any ${wait}`,
    after: `message:any signal:any ${wait}`,
    kept: 2,
  },
  {
    what: 'N3: a parallel multiple event with the same triggers is kept',
    old: guarded({ all: allOf(signal('go'), timerMs(100)) }),
    now: guarded({ all: allOf(timerMs(900), signal('go')) }),
    before: `signal:all timer:all ${wait}`,
    after: `signal:all timer:all ${wait}`,
    kept: 3,
  },
  {
    what: 'N3: one with other triggers begins anew',
    old: guarded({ all: allOf(signal('go'), timerMs(100)) }),
    now: guarded({ all: allOf(signal('go'), timerMs(100), message('news')) }),
    before: `signal:all timer:all ${wait}`,
    after: `message:all signal:all timer:all ${wait}`,
    kept: 1,
  },
  {
    what: 'N3: so does one that was not parallel',
    old: guarded({ all: [signal('go'), timerMs(100)] }),
    now: guarded({ all: allOf(signal('go'), timerMs(100)) }),
    before: `signal:all timer:all ${wait}`,
    after: `signal:all timer:all ${wait}`,
    kept: 1,
  },
  {
    what: 'event sub-processes are kept, withdrawn and armed as boundary events are',
    old: beside({ late: timerMs(100), news: message('news') }),
    now: beside({ news: message('news'), go: signal('go'), e: error(null) }),
    before: `message:news timer:late ${wait}`,
    after: `message:news signal:go ${wait}`,
    kept: 2,
  },
  {
    what: 'and mapped by their start events',
    old: beside({ late: timerMs(100) }),
    now: beside({ overdue: timerMs(900) }),
    elements: { late: 'overdue' },
    before: `timer:late ${wait}`,
    after: `timer:overdue ${wait}`,
    kept: 2,
  },
  {
    what: 'so is what an event-based gateway waits for',
    old: racing(catchEvent('late', timerMs(100)), receive('news', 'news'), catchEvent('x', signal('go'))),
    now: racing(receive('news', 'news'), receive('mail', 'mail'), catchEvent('y', signal('go'))),
    elements: { x: 'y' },
    before: 'message:news signal:x timer:late',
    after: 'message:mail message:news signal:y',
    kept: 2,
  },
  {
    what: 'a user task gets the message that completes it',
    old: guarded({}),
    now: processModel('p', [start('s'), userTask('t', { source: source('done') }), next], ['s -> t -> next']),
    before: wait,
    after: `message:t ${wait}`,
    kept: 1,
  },
  {
    what: 'or loses it',
    old: processModel('p', [start('s'), userTask('t', { source: source('done') }), next], ['s -> t -> next']),
    now: guarded({}),
    before: `message:t ${wait}`,
    after: wait,
    kept: 1,
  },
  {
    what: 'in a loop the events are those of the activity, and the message is that of the run',
    old: processModel('p', [start('s'), looped(userTask('t'), each('x in [1, 2]'))], ['s -> t']),
    now: processModel(
      'p',
      [
        start('s'),
        looped(userTask('t', { source: source('done') }), each('x in [1, 2]')),
        boundary('late', 't', timerMs(100)),
      ],
      ['s -> t'],
    ),
    before: `${wait} ${wait}`,
    after: `message:t message:t timer:late ${wait} ${wait}`,
    kept: 2,
  },
];

describe('what is waited for after a migration', () => {
  for (const { what, old, now, elements, before, after, kept } of cases) {
    it(what, () => {
      const instance = between(old, now).start({ variables: { n: 0 } });
      assert.deepEqual(instance.waits, before.split(' '));
      const earlier = new Map(instance.allWaits.map((item) => [item.id, item]));
      migrated(instance, elements);
      assert.deepEqual(instance.waits, after.split(' '));
      const same = instance.allWaits.filter(({ id }) => earlier.has(id));
      assert.equal(same.length, kept);
      for (const item of same) {
        const { elementId, trigger: _, ...rest } = item;
        const { elementId: oldId, trigger: __, ...oldRest } = earlier.get(item.id) ?? item;
        assert.equal(elementId, elements?.[oldId] ?? oldId);
        assert.deepEqual(rest, oldRest, 'as it was: also the time of a timer');
      }
    });
  }

  it('is told to those who fire timers', () => {
    const old = guarded({ late: timerMs(100), soon: timerMs(10), gone: timerMs(10) });
    const now = guarded({ overdue: timerMs(100), soon: timerMs(10), fresh: timerMs(70) });
    const instance = between(old, now).start();
    const idOf = (id: string): number => instance.wait('timer', id).id;
    const [late, gone] = [idOf('late'), idOf('gone')];
    instance.nowMs += 5;
    migrated(instance, { late: 'overdue' });
    assert.deepEqual(
      instance.ofKind('timerCleared').map(({ waitId }) => waitId),
      [late, gone],
    );
    const [kept, added] = [
      { kind: 'timerSet', waitId: late, elementId: 'overdue', dueAtMs: START_MS + 100, partId: null },
      { kind: 'timerSet', waitId: idOf('fresh'), elementId: 'fresh', dueAtMs: START_MS + 75, partId: null },
    ];
    assert.deepEqual(instance.ofKind('timerSet'), [kept, added]);
  });

  it('registers the aliases of what is new', () => {
    const now = guarded({ news: message('news', { aliases: { order: 'id' } }) });
    const instance = migrated(between(guarded({}), now).start({ variables: { id: 'o1' } }));
    assert.deepEqual(
      instance.ofKind('aliasSet').map(({ deploymentId, name, value }) => [deploymentId, name, value]),
      [['dep-2', 'order', 'o1']],
    );
    instance.send('news', {}, { aliases: [{ name: 'order', value: 'o1' }] });
    assert.deepEqual(instance.active, ['aside']);
  });
});

describe('an event goes on in the new model', () => {
  it('with the trigger that it is there', () => {
    const old = guarded({ any: [timerMs(100), signal('go', 'old')] });
    const now = guarded({ any: [signal('go', 'heard'), timerMs(100)] });
    const instance = migrated(between(old, now).start()).signal('go', 5);
    assert.deepEqual(instance.active, ['aside']);
    assert.deepEqual(instance.variables, { heard: 5 });
    assert.deepEqual(migrated(between(old, now).start()).fire('any').active, ['aside']);
  });

  it('interrupting or not, as the new model says', () => {
    const instance = migrated(
      between(guarded({ go: signal('go') }), guarded({ go: signal('go') }, 'non-interrupting')).start(),
    );
    assert.deepEqual(instance.signal('go').active, ['aside', 't']);
  });

  it('and catches what is thrown there, which nothing waits for', () => {
    const scope = (...events: readonly NodeSpec[]): ProcessDefinition =>
      processModel(
        'p',
        [
          start('s'),
          subProcess('sub', [start('in'), userTask('t'), endWith('boom', throws.error('E'))]),
          ...events,
          aside,
        ],
        ['s -> sub', 'in -> t -> boom', ...events.map(({ node }) => `${node.id} -> aside`)],
      );
    const instance = migrated(between(scope(), scope(boundary('e', 'sub', error('E')))).start());
    assert.deepEqual(instance.complete('t').active, ['aside']);
  });

  it('a parallel multiple one with what has occurred of it', () => {
    const all = { all: allOf(signal('go'), message('news')) };
    const other = { all: allOf(message('news'), signal('go')) };
    const instance = between(guarded(all), guarded(other)).start().signal('go');
    assert.deepEqual(migrated(instance).waits, ['message:all', wait]);
    assert.deepEqual(instance.deliver('all').active, ['aside']);
  });
});

describe('N2: what has occurred is not armed again', () => {
  it('a timer that does not interrupt and has fired', () => {
    const model = guarded({ late: timerMs(100) }, 'non-interrupting');
    const instance = between(model, model).start().fire('late');
    assert.deepEqual(migrated(instance).waits, ['user-task:aside', wait]);
  });

  it('but a cycle goes on, with as many rounds as it has left', () => {
    const model = guarded({ late: timerCycle(3, 100) }, 'non-interrupting');
    const instance = migrated(between(model, model).start().fire('late')).fire('late').fire('late');
    assert.deepEqual(instance.waits, ['user-task:aside', 'user-task:aside', 'user-task:aside', wait]);
  });

  it('and neither is anything where a token has failed', () => {
    const failing = (events: readonly NodeSpec[]): ProcessDefinition =>
      processModel('p', [start('s'), call('t', 'jobs', { timeoutMs: 10 }), ...events], ['s -> t']);
    const instance = between(failing([]), failing([boundary('late', 't', timerMs(1))])).start();
    assert.equal(instance.fire('t').failureCode, 'SUTRA.CALL.TIMEOUT');
    assert.deepEqual(migrated(instance).waits, []);
    assert.equal(instance.status, 'failed');
    assert.deepEqual(instance.retry().waits, ['call:t', 'timer:late', 'timer:t']);
  });
});

describe('event sub-processes that are new begin only where such can begin', () => {
  const withNew = (events: Readonly<Record<string, Triggers>>, kind?: On): ProcessDefinition =>
    beside({ ...events, fresh: signal('fresh') }, kind);

  it('not where one has interrupted all else', () => {
    const events = { go: signal('go') };
    const instance = between(beside(events), withNew(events)).start().signal('go');
    assert.deepEqual(migrated(instance).waits, ['user-task:goTask']);
  });

  it('but beside one that does not interrupt', () => {
    const events = { go: signal('go') };
    const instance = between(beside(events, 'non-interrupting'), withNew(events, 'non-interrupting'))
      .start()
      .signal('go');
    assert.deepEqual(migrated(instance).waits, ['signal:fresh', 'signal:go', 'user-task:goTask', wait]);
  });

  it('not where nothing but event sub-processes is left', () => {
    const events = { go: signal('go') };
    const instance = between(beside(events, 'non-interrupting'), withNew(events, 'non-interrupting'))
      .start()
      .signal('go')
      .complete('t')
      .complete('next');
    assert.deepEqual(migrated(instance).waits, ['user-task:goTask']);
  });

  it('not in a transaction that is being cancelled', () => {
    const booking = (...events: readonly NodeSpec[]): ProcessDefinition =>
      processModel(
        'p',
        [
          start('s'),
          transaction('tx', [
            start('in'),
            ...undoable(userTask('a'), userTask('back')),
            endWith('cancel', throws.cancel),
            ...events,
          ]),
        ],
        ['s -> tx', 'in -> a -> cancel'],
      );
    const fresh = eventSubProcess('es', startOn('fresh', signal('fresh')), [task('x')]);
    const instance = between(booking(), booking(fresh)).start();
    assert.deepEqual(migrated(between(booking(), booking(fresh)).start()).waits, [
      'signal:fresh',
      'user-task:a',
    ]);
    assert.deepEqual(migrated(instance.complete('a')).waits, ['user-task:back']);
  });

  it('not in one whose start event is still to arm them', () => {
    const failing = (...events: readonly NodeSpec[]): ProcessDefinition =>
      processModel(
        'p',
        [
          start('s'),
          userTask('t'),
          eventSubProcess('es', startOn('go', signal('go')), [
            userTask('u'),
            eventSubProcess('inner', startOn('late', timer('n')), [task('x')]),
            ...events,
          ]),
        ],
        ['s -> t', 'go -> u'],
      );
    const fresh = eventSubProcess('other', startOn('fresh', signal('fresh')), [task('y')]);
    const instance = between(failing(), failing(fresh))
      .start({ variables: { n: 5 } })
      .signal('go');
    assert.equal(instance.status, 'failed');
    assert.deepEqual(migrated(instance).waits, []);
    const repaired = instance.set({ n: 'PT1S' }).retry();
    assert.deepEqual(repaired.waits, ['signal:fresh', 'timer:late', 'user-task:u']);
  });

  for (const [what, scopeOf] of [
    ['a sub-process', subProcess],
    ['an ad hoc sub-process', adHoc],
  ] as const) {
    it(`nor in ${what} that is opened again to be undone`, () => {
      const process = (...events: readonly NodeSpec[]): ProcessDefinition =>
        processModel(
          'p',
          [
            start('s'),
            scopeOf('sub', [...undoable(userTask('a'), userTask('back')), ...events]),
            throwing('undo', throws.compensation('sub')),
          ],
          ['s -> sub -> undo'],
        );
      const fresh = eventSubProcess('es', startOn('fresh', signal('fresh')), [task('x')]);
      const instance = between(process(), process(fresh)).start();
      if (scopeOf === adHoc) instance.launch('sub', 'a').complete('a').finish('sub');
      else instance.complete('a');
      assert.deepEqual(migrated(instance).waits, ['user-task:back']);
      assert.equal(instance.complete('back').status, 'completed');
    });
  }

  it('nor in an ad hoc sub-process that one has interrupted', () => {
    const box = (...events: readonly NodeSpec[]): ProcessDefinition =>
      processModel(
        'p',
        [
          start('s'),
          adHoc('box', [
            userTask('a'),
            eventSubProcess('stop', startOn('go', signal('go')), [userTask('u')]),
            ...events,
          ]),
        ],
        ['s -> box', 'go -> u'],
      );
    const fresh = eventSubProcess('es', startOn('fresh', signal('fresh')), [userTask('x')]);
    const instance = between(box(), box(fresh)).start().signal('go');
    assert.deepEqual(migrated(instance).waits, ['ad-hoc:box', 'user-task:u']);
  });

  it('but in an ad hoc sub-process in which nothing runs', () => {
    const box = (...events: readonly NodeSpec[]): ProcessDefinition =>
      processModel('p', [start('s'), adHoc('box', [userTask('a'), ...events])], ['s -> box']);
    const fresh = eventSubProcess('es', startOn('fresh', signal('fresh')), [userTask('x')]);
    const instance = migrated(between(box(), box(fresh)).start());
    assert.deepEqual(instance.waits, ['ad-hoc:box', 'signal:fresh']);
  });
});

describe('conditions', () => {
  it('that are new and hold already occur at once', () => {
    const now = guarded({ c: conditional('n > 1') });
    const instance = migrated(between(guarded({}), now).start({ variables: { n: 5 } }));
    assert.deepEqual(instance.active, ['aside']);
    assert.deepEqual(instance.history('conditionMet'), ['c']);
  });

  it('that say something else are asked again', () => {
    const instance = between(guarded({ c: conditional('n > 9') }), guarded({ c: conditional('n > 1') }));
    assert.deepEqual(migrated(instance.start({ variables: { n: 5 } })).active, ['aside']);
  });

  it('at which the token itself waits, too', () => {
    const of = (text: string): ProcessDefinition =>
      processModel('p', [start('s'), catchEvent('c', conditional(text)), next], ['s -> c -> next']);
    const instance = between(of('n > 9'), of('n > 1')).start({ variables: { n: 5 } });
    assert.deepEqual(migrated(instance).active, ['next']);
  });

  it('and occur when they become true, not when they have been', () => {
    const of = (text: string): ProcessDefinition => guarded({ c: conditional(text) }, 'non-interrupting');
    const seen = (instance: Instance): readonly string[] => instance.active;
    const instance = between(of('n > 1'), of('n > 2')).start({ variables: { n: 5 } });
    assert.deepEqual(seen(instance), ['aside', 't']);
    assert.deepEqual(seen(migrated(instance)), ['aside', 't'], 'it was true before');
    instance.set({ n: 2 }).set({ n: 3 });
    assert.deepEqual(seen(instance), ['aside', 'aside', 't']);
  });
});
