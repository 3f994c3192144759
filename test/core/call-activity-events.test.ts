/** What goes in and out of a called process: errors, signals, messages, time. BPMN 2.0.2 §10.3.6, §13.3.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundary,
  call,
  callActivity,
  catchEvent,
  data,
  end,
  endWith,
  errorEnd,
  eventSubProcess,
  parallel,
  start,
  startOn,
  terminate,
  throwing,
  userTask,
  type CallActivityOptions,
} from '../support/model-builder.ts';
import { conditional, error, escalation, message, signal, throws, timerMs } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import type { ProcessDefinition } from '../../definitions/model.ts';
import { Instance } from './instance.ts';
import { answered, begin, delivered, done, fired, scenario, signalled, written } from './scenario.ts';

const next = userTask('next');
const rescue = userTask('rescue');

function calling(
  called: Parameters<typeof callActivity>[1],
  options: CallActivityOptions = {},
  ...events: readonly NodeSpec[]
): ProcessDefinition {
  const flows = events.map(({ node }) => `${node.id} -> rescue`);
  return processModel(
    'p',
    [start('s'), callActivity('c', called, options), ...events, rescue, next],
    ['s -> c -> next', ...flows],
  );
}

/** One user task. */
function simple(id: string, taskId: string): ProcessDefinition {
  return processModel(id, [start('cs'), userTask(taskId), end('ce')], [`cs -> ${taskId} -> ce`]);
}

const one = { callable: [simple('one', 't')] };

// --- what goes in and out --------------------------------------------------------------------------

const caught = boundary('caught', 'c', error('E', 'code', 'text'));
const failing = processModel(
  'failing',
  [start('cs'), parallel('fork'), userTask('t'), call('open', 'jobs'), errorEnd('boom', 'E')],
  ['cs -> fork', 'fork -> t -> boom', 'fork -> open'],
);

scenario(
  'an error that the called process does not catch is caught at the call activity, which ends it',
  calling('failing', { params: {} }, caught),
  [
    [begin(), { active: 'open t' }],
    [
      done('t'),
      {
        active: 'rescue',
        variables: { code: 'E', text: 'thrown by the end event boom' },
        check: (i) => assert.equal(i.ofKind('callWithdrawn').length, 1),
      },
    ],
  ],
  { callable: [failing] },
);

scenario(
  'an error goes out through as many calls as it takes',
  calling('middle', { params: {} }, caught),
  [
    [begin(), { active: 'open t', check: (i) => assert.equal(i.allScopes.length, 3) }],
    [done('t'), { active: 'rescue', check: (i) => assert.equal(i.allScopes.length, 1) }],
  ],
  {
    callable: [
      processModel('middle', [start('ms'), callActivity('mc', 'failing', { params: {} })], ['ms -> mc']),
      failing,
    ],
  },
);

scenario(
  'an error that nobody catches fails the instance in the called process',
  calling('failing', { params: {} }),
  [
    [begin(), 'open t'],
    [done('t'), { active: 'boom open', failure: 'SUTRA.BPMN_ERROR.UNCAUGHT' }],
  ],
  { callable: [failing] },
);

scenario(
  'a worker of the called process reports an error that the caller catches',
  calling('failing', { params: {} }, caught),
  [
    [begin(), 'open t'],
    [(i) => i.fail('open', 'E'), { active: 'rescue', variables: { code: 'E', text: 'E was reported' } }],
  ],
  { callable: [failing] },
);

scenario(
  'a terminate end event of the called process ends that, and the caller goes on',
  calling('called'),
  [
    [begin(), 'a b'],
    [done('a'), 'next'],
  ],
  {
    callable: [
      processModel(
        'called',
        [start('cs'), parallel('fork'), userTask('a'), userTask('b'), terminate('stop')],
        ['cs -> fork', 'fork -> a -> stop', 'fork -> b'],
      ),
    ],
  },
);

scenario(
  'an interrupting timer on the call activity ends the called process',
  calling('failing', { params: {} }, boundary('late', 'c', timerMs(1000))),
  [
    [begin(), 'open t'],
    [fired('late'), { active: 'rescue', waits: 'user-task:rescue' }],
  ],
  { callable: [failing] },
);

scenario(
  'cancelling the instance ends the called process too',
  calling('failing', { params: {} }),
  [
    [begin(), 'open t'],
    [(i) => i.cancel(), 'terminated'],
  ],
  { callable: [failing] },
);

scenario(
  'a signal reaches caller and called process, whoever throws it',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      callActivity('c', 'called', { params: {} }),
      catchEvent('mine', signal('go')),
      userTask('t'),
      throwing('shout', throws.signal('go')),
      next,
    ],
    ['s -> fork', 'fork -> c', 'fork -> mine -> next', 'fork -> t -> shout'],
  ),
  [
    [begin(), 'mine t theirs'],
    [done('t'), { active: 'help next', signals: [['go', null]] }],
  ],
  {
    callable: [
      processModel(
        'called',
        [start('cs'), catchEvent('theirs', signal('go')), userTask('help')],
        ['cs -> theirs -> help'],
      ),
    ],
  },
);

scenario(
  'messages, timers, conditions and event sub-processes work in a called process as anywhere',
  calling('called', { params: { x: '0' }, results: { x: 'x' } }),
  [
    [begin(), { active: 'm', waits: 'message:m message:on' }],
    [delivered('on', 1), { active: 'help m' }],
    [delivered('m', 5), { active: 'help w', waits: 'message:on timer:w user-task:help' }],
    [fired('w'), 'cond help'],
    [written({ x: 3 }, 'cond'), 'help'],
    [done('help'), { active: 'next', variables: { x: 3 } }],
  ],
  {
    callable: [
      processModel(
        'called',
        [
          start('cs'),
          catchEvent('m', message('news')),
          catchEvent('w', timerMs(1000)),
          catchEvent('cond', conditional('x = 3')),
          end('ce'),
          eventSubProcess('es', startOn('on', message('notes'), 'non-interrupting'), [userTask('help')]),
        ],
        ['cs -> m -> w -> cond -> ce', 'on -> help'],
      ),
    ],
  },
);

scenario(
  'a condition of the caller does not see what the called process writes for itself',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      callActivity('c', 'one', { params: {}, results: { x: 'x' } }),
      catchEvent('cond', conditional('x = 1')),
      next,
      end('e'),
    ],
    ['s -> fork', 'fork -> c -> e', 'fork -> cond -> next'],
  ),
  [
    [begin(), 'cond t'],
    [written({ x: 1 }, 't'), 'cond t'],
    [done('t'), 'next'],
  ],
  one,
);

scenario(
  'an escalation end event of the called process is heard, and the call goes on',
  calling('called', {}, boundary('b', 'c', escalation('E'), 'non-interrupting')),
  [
    [begin(), 't'],
    [done('t'), 'next rescue'],
  ],
  {
    callable: [
      processModel(
        'called',
        [start('cs'), userTask('t'), endWith('ce', throws.escalation('E'))],
        ['cs -> t -> ce'],
      ),
    ],
  },
);

test('a called process that does nothing is over at once', () => {
  const instance = new Instance(calling('empty'), {
    callable: [processModel('empty', [start('cs'), end('ce')], ['cs -> ce'])],
  }).start();
  assert.deepEqual([instance.active, instance.status], [['next'], 'running']);
  assert.equal(instance.allScopes.length, 1);
});

scenario(
  'a failed element of a called process is retried there',
  calling('called', { results: { ok: 'ok' } }),
  [
    [begin({ order: 'none' }), { active: 'set', failure: 'SUTRA.CORE.ASSIGNMENT_TARGET_INVALID' }],
    [(i) => i.set({ order: null }, 'set').retry(), { active: 't' }],
    [done('t', { ok: true }), { active: 'next', variables: { order: 'none', ok: true } }],
  ],
  {
    callable: [
      processModel(
        'called',
        [start('cs'), data('set', ['order.total = 1']), userTask('t')],
        ['cs -> set -> t'],
      ),
    ],
  },
);

scenario(
  'the answer of a call in a called process comes by its own key',
  calling('called', { params: {}, results: { got: 'x' } }),
  [
    [begin(), { active: 'ask', sends: 'ask' }],
    [answered('ask', 5), { active: 'next', variables: { got: 5 } }],
    [
      (i) => assert.equal(i.send('jobs', 6, { key: i.sends[0]?.idempotencyKey ?? '' }).kind, 'refused'),
      'next',
    ],
  ],
  { callable: [processModel('called', [start('cs'), call('ask', 'jobs', { output: 'x' })], ['cs -> ask'])] },
);

scenario(
  'a signal from outside reaches a called process alone',
  calling('called', { params: {}, results: { got: 'x' } }),
  [
    [begin(), { active: 'w', waits: 'signal:w' }],
    [signalled('go', 4), { active: 'next', variables: { got: 4 } }],
  ],
  { callable: [processModel('called', [start('cs'), catchEvent('w', signal('go', 'x'))], ['cs -> w'])] },
);
