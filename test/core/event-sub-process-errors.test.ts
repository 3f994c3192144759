/** Event sub-processes that errors start, and event sub-processes in scopes of all kinds. BPMN 2.0.2 §10.3.5, §13.5.4. */
import {
  boundary,
  call,
  callActivity,
  endWith,
  errorEnd,
  eventSubProcess,
  looped,
  parallel,
  start,
  startOn,
  subProcess,
  terminate,
  throwing,
  userTask,
} from '../support/model-builder.ts';
import { each, error, message, signal, throws } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { begin, delivered, done, scenario } from './scenario.ts';

const next = userTask('next');
const rescue = userTask('rescue');
const aside = 'non-interrupting';

// --- errors ----------------------------------------------------------------------------------------

/** The error `E` is thrown in `sub` when `go` is completed. */
function throwingError(
  handlers: readonly NodeSpec[],
  flows: readonly string[],
  outside: readonly NodeSpec[] = [],
): ReturnType<typeof processModel> {
  const inside = [start('in'), parallel('fork'), userTask('go'), userTask('other'), errorEnd('boom', 'E')];
  return processModel(
    'p',
    [start('s'), subProcess('sub', [...inside, ...handlers]), ...outside, rescue, next],
    ['s -> sub -> next', 'in -> fork', 'fork -> go -> boom', 'fork -> other', ...flows],
  );
}

const onError = (id: string, code: string | null, ...inside: readonly NodeSpec[]): NodeSpec =>
  eventSubProcess(id, startOn(`${id}On`, error(code, 'code', 'text')), inside);

scenario(
  'an error starts the event sub-process that catches it, which ends all else in the scope',
  throwingError([onError('es', 'E', userTask('help'))], ['esOn -> help']),
  [
    [begin(), 'go other'],
    [done('go'), { active: 'help', variables: { code: 'E', text: 'thrown by the end event boom' } }],
    [done('help'), 'next'],
  ],
);

for (const [name, codes, expected] of [
  ['the very code goes before all codes, whatever their order', [null, 'E'], 'help1'],
  ['one for another code does not catch it', ['X', null], 'help1'],
] as const) {
  scenario(
    `of two event sub-processes for errors ${name}`,
    throwingError(
      codes.map((code, index) => onError(`es${index}`, code, userTask(`help${index}`))),
      ['es0On -> help0', 'es1On -> help1'],
    ),
    [
      [begin(), 'go other'],
      [done('go'), expected],
    ],
  );
}

scenario(
  'an event sub-process for errors is asked before the boundary events of its activity',
  throwingError(
    [onError('es', null, userTask('help'))],
    ['esOn -> help', 'b -> rescue'],
    [boundary('b', 'sub', error('E'))],
  ),
  [
    [begin(), 'go other'],
    [done('go'), 'help'],
  ],
);

scenario(
  'an error that is thrown in an event sub-process is not caught by its siblings nor by itself, but outside',
  throwingError(
    [
      onError('es', 'E', userTask('help'), errorEnd('again', 'E')),
      onError('sibling', null, userTask('wrong')),
    ],
    ['esOn -> help -> again', 'siblingOn -> wrong', 'b -> rescue'],
    [boundary('b', 'sub', error('E'))],
  ),
  [
    [begin(), 'go other'],
    [done('go'), 'help'],
    [done('help'), { active: 'rescue', waits: 'user-task:rescue' }],
  ],
);

scenario(
  'an error in an event sub-process that nobody outside catches fails the instance',
  throwingError([onError('es', 'E', userTask('help'), errorEnd('again', 'E'))], ['esOn -> help -> again']),
  [
    [begin(), 'go other'],
    [done('go'), 'help'],
    [done('help'), { active: 'again', failure: 'SUTRA.BPMN_ERROR.UNCAUGHT' }],
  ],
);

scenario(
  'inside an event sub-process a sub-process of its own may catch its errors',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      eventSubProcess('es', startOn('on', message('news')), [
        subProcess('inner', [start('in'), errorEnd('boom', 'E')]),
        boundary('b', 'inner', error('E')),
        rescue,
      ]),
    ],
    ['s -> t', 'on -> inner', 'in -> boom', 'b -> rescue'],
  ),
  [
    [begin(), 't'],
    [delivered('on'), 'rescue'],
    [done('rescue'), 'completed'],
  ],
);

scenario(
  'an error of a call whose worker reports it starts an event sub-process',
  processModel(
    'p',
    [
      start('s'),
      call('c', 'jobs'),
      eventSubProcess('es', startOn('on', error('E', 'code')), [userTask('help')]),
    ],
    ['s -> c', 'on -> help'],
  ),
  [
    [begin(), 'c'],
    [(i) => i.fail('c', 'E', { detail: 1 }), { active: 'help', variables: { code: 'E', detail: 1 } }],
  ],
);

scenario(
  'an event sub-process of a called process catches its errors before the call activity does',
  processModel(
    'p',
    [start('s'), callActivity('c', 'called'), boundary('b', 'c', error(null)), rescue, next],
    ['s -> c -> next', 'b -> rescue'],
  ),
  [
    [begin(), 'go'],
    [done('go'), 'help'],
    [done('help'), 'next'],
  ],
  {
    callable: [
      processModel(
        'called',
        [
          start('cs'),
          userTask('go'),
          errorEnd('boom', 'E'),
          eventSubProcess('es', startOn('on', error('E')), [userTask('help')]),
        ],
        ['cs -> go -> boom', 'on -> help'],
      ),
    ],
  },
);

// --- scopes in scopes ------------------------------------------------------------------------------

scenario(
  'an event sub-process may hold event sub-processes, which wait as long as it runs',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      eventSubProcess('es', startOn('on', message('a'), aside), [
        userTask('help'),
        eventSubProcess('deep', startOn('deepOn', message('b')), [userTask('deepHelp')]),
      ]),
    ],
    ['s -> t', 'on -> help', 'deepOn -> deepHelp'],
  ),
  [
    [begin(), { waits: 'message:on user-task:t' }],
    [delivered('on'), { active: 'help t', waits: 'message:deepOn message:on user-task:help user-task:t' }],
    [delivered('deepOn'), { active: 'deepHelp t', waits: 'message:on user-task:deepHelp user-task:t' }],
    [done('deepHelp'), 't'],
  ],
);

scenario(
  'a terminate end event in an event sub-process ends that alone',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      eventSubProcess('es', startOn('on', message('a'), aside), [
        parallel('fork'),
        userTask('help'),
        userTask('stop'),
        terminate('x'),
      ]),
    ],
    ['s -> t', 'on -> fork', 'fork -> help', 'fork -> stop -> x'],
  ),
  [
    [begin(), 't'],
    [delivered('on'), 'help stop t'],
    [done('stop'), 't'],
    [done('t'), 'completed'],
  ],
);

scenario(
  'each run of a multi-instance sub-process has its own event sub-processes',
  processModel(
    'p',
    [
      start('s'),
      looped(
        subProcess('sub', [
          start('in'),
          userTask('t'),
          eventSubProcess('es', startOn('on', message('news')), [userTask('help')]),
        ]),
        each('item in items'),
      ),
      next,
    ],
    ['s -> sub -> next', 'in -> t', 'on -> help'],
  ),
  [
    [begin({ items: [1, 2] }), { active: 't t', waits: 'message:on message:on user-task:t user-task:t' }],
    [delivered('on'), 'help t'],
    [done('t'), 'help'],
    [done('help'), 'next'],
  ],
);

scenario(
  'a multi-instance activity inside an event sub-process runs there, and ends with it',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      eventSubProcess('es', startOn('on', message('news'), aside), [
        looped(userTask('help'), each('item in [1, 2, 3]')),
        endWith('out', throws.signal('helped')),
      ]),
    ],
    ['s -> t', 'on -> help -> out'],
  ),
  [
    [begin(), 't'],
    [delivered('on'), 'help help help t'],
    [done('help#1 help help'), { active: 't', signals: [['helped', null]] }],
  ],
);

scenario(
  'a signal thrown in the scope itself starts its event sub-process',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      throwing('shout', throws.signal('go')),
      next,
      eventSubProcess('es', startOn('on', signal('go')), [userTask('help')]),
    ],
    ['s -> t -> shout -> next', 'on -> help'],
  ),
  [
    [begin(), 't'],
    [done('t'), { active: 'help', signals: [['go', null]] }],
  ],
);
