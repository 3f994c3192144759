/** What is in the way of a migration: each reason, in a sentence a person can act on. M1, M2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProcessDefinition } from '../../definitions/model.ts';
import {
  adHoc,
  boundary,
  call,
  callActivity,
  catchEvent,
  complex,
  end,
  eventBased,
  eventSubProcess,
  inclusive,
  looped,
  parallel,
  receive,
  registered,
  start,
  startOn,
  subProcess,
  task,
  transaction,
  userTask,
  withData,
} from '../support/model-builder.ts';
import {
  allOf,
  conditional,
  each,
  message,
  signal,
  source,
  standardLoop,
  timer,
  timerMs,
} from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import type { Instance } from './instance.ts';
import { between, migration, NEXT_ID, reasonsAgainst, textsAgainst, type Elements } from './migration.ts';

const next = userTask('next');

/** A process of one node, and what more is needed for it. */
function one(
  node: NodeSpec,
  more: readonly NodeSpec[] = [],
  flows: readonly string[] = [],
): ProcessDefinition {
  const { id } = node.node;
  return processModel('p', [start('s'), node, ...more, next], [`s -> ${id} -> next`, ...flows]);
}

const inside = [start('in'), userTask('u')];
const insideFlows = ['in -> u'];

// --- the node of a token -----------------------------------------------------------------------------

const nodes: readonly (readonly [what: string, old: NodeSpec, now: NodeSpec, reason: string])[] = [
  [
    'a node that is gone',
    userTask('t'),
    userTask('x'),
    't is not in the new model: map it to another element',
  ],
  [
    'another kind',
    userTask('t'),
    receive('t', 'news'),
    't is a user task, and in the new model t is a receive task',
  ],
  [
    'a call on another channel',
    call('t', 'jobs'),
    call('t', 'works'),
    't calls the channel jobs and is answered on jobs, and in the new model t calls the channel works and is answered on works',
  ],
  [
    'a call that is answered elsewhere',
    call('t', 'jobs'),
    call('t', 'jobs', { response: source('done') }),
    't calls the channel jobs and is answered on jobs, and in the new model t calls the channel jobs and is answered on done',
  ],
  [
    'another registered function',
    registered('t', 'one'),
    registered('t', 'two'),
    't calls the registered function one, and in the new model t calls the registered function two',
  ],
  [
    'another implementation',
    registered('t', 'one'),
    call('t', 'jobs'),
    't calls the registered function one, and in the new model t calls the channel jobs and is answered on jobs',
  ],
  [
    'a message on another channel',
    receive('t', 'news'),
    receive('t', 'mail'),
    't waits for a message on the channel news, and in the new model t waits for a message on the channel mail',
  ],
  [
    'a message event on another channel',
    catchEvent('t', message('news')),
    catchEvent('t', message('mail')),
    't waits for a message on the channel news, and in the new model t waits for a message on the channel mail',
  ],
  [
    'another signal',
    catchEvent('t', signal('go')),
    catchEvent('t', signal('stop')),
    't waits for the signal go, and in the new model t waits for the signal stop',
  ],
  [
    'another trigger',
    catchEvent('t', timerMs(1)),
    catchEvent('t', conditional('x')),
    't waits for timer, and in the new model t waits for conditional',
  ],
  [
    'all of the triggers instead of any',
    catchEvent('t', [signal('go'), timerMs(1)]),
    catchEvent('t', allOf(signal('go'), timerMs(1))),
    't waits for the signal go and timer, and in the new model t waits for all of the signal go and timer',
  ],
  [
    'a loop where there was none',
    userTask('t'),
    looped(userTask('t'), standardLoop({ maximum: 2 })),
    't runs once, without data of its own, and in the new model t is a standard loop',
  ],
  [
    'instances one after another instead of at once',
    looped(userTask('t'), each('x in [1, 2]')),
    looped(userTask('t'), each('x in [1, 2]', { isSequential: true })),
    't is a parallel multi-instance activity that collects nothing, and in the new model t is a sequential multi-instance activity that collects nothing',
  ],
  [
    'an output that was not collected from the beginning',
    looped(userTask('t'), each('x in [1, 2]')),
    looped(userTask('t'), each('x in [1, 2]', { output: 'x -> xs' })),
    't is a parallel multi-instance activity that collects nothing, and in the new model t is a parallel multi-instance activity that collects an output',
  ],
  [
    'data of its own',
    userTask('t'),
    withData(userTask('t'), { locals: ['x'] }),
    't runs once, without data of its own, and in the new model t runs once, with data of its own',
  ],
];

for (const [what, old, now, reason] of nodes) {
  test(`M2: a token has no place at ${what}`, () => {
    const instance = between(one(old), one(now)).start();
    const [token] = instance.allTokens;
    assert.deepEqual(reasonsAgainst(instance), [{ elementId: 't', tokenId: token?.id, message: reason }]);
  });
}

const transactionOf = (children: readonly NodeSpec[]): NodeSpec => transaction('t', children);

for (const [what, old, now, reasons] of [
  [
    'a transaction',
    subProcess('t', inside),
    transactionOf(inside),
    ['t is of the variant embedded, and in the new model t is a transaction'],
  ],
  [
    'an ad hoc sub-process',
    subProcess('t', inside),
    adHoc('t', inside),
    ['t is of the variant embedded, and in the new model t is of the variant adHoc'],
  ],
  [
    'one with another inside',
    subProcess('t', inside),
    subProcess('t', [start('in'), task('u')]),
    ['u is a user task, and in the new model u is a task'],
  ],
] as const) {
  test(`M2: the inside of a sub-process has no place in ${what}`, () => {
    const instance = between(one(old, [], insideFlows), one(now, [], insideFlows)).start();
    assert.deepEqual(textsAgainst(instance), reasons);
  });
}

test('M2: a token stays in its scope, also where its node is now inside or outside of another one', () => {
  const flat = processModel('p', [start('s'), userTask('u'), next], ['s -> u -> next']);
  const nested = one(subProcess('t', inside), [], insideFlows);
  assert.deepEqual(textsAgainst(between(flat, nested).start()), [
    'u is in p, and in the new model u is in t',
  ]);
  assert.deepEqual(textsAgainst(between(nested, flat).start()), [
    't is not in the new model: map it to another element',
    'u is in t, and in the new model u is in p',
  ]);
});

test('M1: everything that is in the way is told, not only the first thing', () => {
  const old = processModel(
    'p',
    [start('s'), parallel('fork'), userTask('a'), call('b', 'jobs'), userTask('c')],
    ['s -> fork', 'fork -> a', 'fork -> b', 'fork -> c'],
  );
  const now = processModel(
    'p',
    [start('s'), parallel('fork'), call('b', 'works'), userTask('c')],
    ['s -> fork', 'fork -> b', 'fork -> c'],
  );
  const reasons = reasonsAgainst(between(old, now).start());
  assert.deepEqual(
    reasons.map(({ elementId }) => elementId),
    ['a', 'b'],
  );
});

test('M1: of very many reasons the first are told, and how many more there are', () => {
  const wide = (id: string): ProcessDefinition =>
    one(looped(subProcess('t', [start('in'), userTask(id)]), each('x in [1, 2]')), [], [`in -> ${id}`]);
  const two = textsAgainst(between(wide('u'), wide('v')).start());
  assert.equal(two.length, 2);
  const many = one(looped(subProcess('t', [start('in'), userTask('u')]), each('x in list')), [], insideFlows);
  const list = Array.from({ length: 130 }, (_, index) => index);
  const instance = between(many, wide('v')).start({ variables: { list } });
  const texts = textsAgainst(instance);
  assert.equal(texts.length, 100);
  assert.equal(texts.at(-1), 'and 31 more reasons');
  const outcome = instance.apply(migration());
  assert.match(
    outcome.kind === 'refused' ? outcome.message : '',
    /to dep-2: u is not .*, and 129 more reasons$/,
  );
});

// --- joins -------------------------------------------------------------------------------------------

/** Two branches, of which the first is at the gateway. */
function joining(
  gateway: NodeSpec,
  flows: readonly string[] = ['a -> g', 'b -> g', 'g -> next'],
): ProcessDefinition {
  return processModel(
    'p',
    [start('s'), parallel('fork'), userTask('a'), userTask('b'), gateway, next],
    ['s -> fork', 'fork -> a', 'fork -> b', ...flows],
  );
}

const atJoin = (old: ProcessDefinition, now: ProcessDefinition): Instance =>
  between(old, now).start().complete('a');

const joins: readonly (readonly [
  what: string,
  now: ProcessDefinition,
  elements: Elements,
  reason: string,
])[] = [
  [
    'of another kind',
    joining(inclusive('g')),
    {},
    'g is a parallel gateway, and in the new model g is an inclusive gateway',
  ],
  [
    'without the flow that the token came over',
    joining(parallel('g'), ['a -> next', 'b -> g', 'g -> next']),
    {},
    'the token came to g over the sequence flow a-g, and in the new model that does not lead to g: map it to one that does',
  ],
  [
    'to which another flow leads that it is mapped to',
    joining(parallel('g'), ['a -> next as away', 'b -> g', 'g -> next']),
    { 'a-g': 'away' },
    'the token came to g over the sequence flow a-g, and in the new model that does not lead to g: map it to one that does',
  ],
];

for (const [what, now, elements, reason] of joins) {
  test(`M2: a token waits for others in vain at a join ${what}`, () => {
    assert.deepEqual(textsAgainst(atJoin(joining(parallel('g')), now), elements), [reason]);
  });
}

test('M2: a complex gateway that joins no longer cannot take over the tokens that wait there', () => {
  const instance = atJoin(joining(complex('g', 'activationCount >= 2')), joining(complex('g')));
  assert.deepEqual(textsAgainst(instance), ['g joins tokens, and in the new model g does not']);
});

test('M2: a complex gateway that has fired waits for flows that the new model must have', () => {
  const fired = joining(complex('g', 'activationCount >= 1'));
  const without = joining(complex('g', 'activationCount >= 1'), ['a -> next', 'b -> g', 'g -> next']);
  assert.deepEqual(textsAgainst(atJoin(fired, without)), [
    'g has taken a token of the sequence flow a-g, and in the new model that does not lead to g',
  ]);
  assert.deepEqual(textsAgainst(atJoin(fired, joining(parallel('g')))), [
    'g is a complex gateway, and in the new model g is a parallel gateway',
  ]);
});

test('M2: two complex gateways that have fired cannot become one', () => {
  const twice = (...ids: readonly string[]): ProcessDefinition =>
    processModel(
      'p',
      [
        start('s'),
        parallel('fork'),
        userTask('a'),
        userTask('b'),
        ...ids.map((id) => complex(id, 'activationCount >= 1')),
        next,
      ],
      [
        's -> fork',
        ...['a', 'b'].flatMap((id) => [`fork -> ${id}`, ...ids.map((gate) => `${id} -> ${gate}`)]),
        ...ids.map((gate) => `${gate} -> next`),
      ],
    );
  const instance = between(twice('g', 'h'), twice('h')).start().complete('a');
  assert.deepEqual(textsAgainst(instance, { g: 'h', 'a-g': 'a-h' }), [
    'g and h have both fired, and in the new model both are h',
  ]);
});

test('M2: a token that failed as it came to a join comes there again over its flow', () => {
  const asking = (flows?: readonly string[]): ProcessDefinition => joining(complex('g', '5'), flows);
  const instance = atJoin(asking(), asking(['a -> next', 'b -> g', 'fork -> g', 'g -> next']));
  assert.equal(instance.failureCode, 'SUTRA.CORE.CONDITION_NOT_BOOLEAN');
  assert.deepEqual(textsAgainst(instance), [
    'the token came to g over the sequence flow a-g, and in the new model that does not lead to g: map it to one that does',
  ]);
});

// --- what goes with an activity ------------------------------------------------------------------------

test('M2: instances that are stored one by one must not be reached into by signals', () => {
  const wide = (event: NodeSpec): ProcessDefinition =>
    one(looped(subProcess('t', [...inside, event]), each('x in [1, 2]')), [], ['in -> u -> ev']);
  const instance = between(wide(catchEvent('ev', timerMs(1))), wide(catchEvent('ev', signal('go')))).start();
  assert.deepEqual(textsAgainst(instance), [
    't has its instances stored one by one, and in the new model signals, conditions, compensation or calls reach into those of t',
  ]);
});

test('M3: two events that become one cannot both be kept', () => {
  const guarded = (...events: readonly NodeSpec[]): ProcessDefinition => one(userTask('t'), events);
  const instance = between(
    guarded(boundary('b1', 't', timerMs(1)), boundary('b2', 't', timerMs(2))),
    guarded(boundary('b2', 't', timerMs(2))),
  ).start();
  assert.deepEqual(textsAgainst(instance, { b1: 'b2' }), [
    'b1 and b2 are both b2 in the new model, and t waits for them',
  ]);
  const beside = (...ids: readonly string[]): ProcessDefinition =>
    one(
      userTask('t'),
      ids.map((id) => eventSubProcess(id, startOn(`${id}s`, timerMs(1)), [])),
    );
  assert.deepEqual(textsAgainst(between(beside('e1', 'e2'), beside('e2')).start(), { e1s: 'e2s' }), [
    'e1s and e2s are both e2s in the new model',
  ]);
});

test('M3: behind an event-based gateway there must be something to wait for', () => {
  const racing = (...events: readonly NodeSpec[]): ProcessDefinition =>
    processModel(
      'p',
      [start('s'), eventBased('g'), ...events, next],
      ['s -> g', ...events.map(({ node }) => `g -> ${node.id} -> next`)],
    );
  const instance = between(racing(catchEvent('a', timerMs(1))), racing()).start();
  assert.deepEqual(textsAgainst(instance), ['in the new model there is nothing to wait for behind g']);
});

test('M1: an event that cannot be armed is in the way', () => {
  const guarded = one(userTask('t'), [boundary('late', 't', timer('n'))]);
  const [reason] = reasonsAgainst(between(one(userTask('t')), guarded).start({ variables: { n: 5 } }));
  assert.deepEqual([reason?.elementId, reason?.tokenId], ['t', 2]);
  assert.match(
    reason?.message ?? '',
    /^late cannot be waited for: the timer at t needs an ISO-8601 duration/,
  );
  const keyed = one(userTask('t'), [
    boundary('mail', 't', message('news', { aliases: { order: 'id' }, isUnique: true })),
  ]);
  const taken = new Set([JSON.stringify(['order', 'o1'])]);
  const instance = between(one(userTask('t')), keyed, {}, { takenAliases: taken }).start({
    variables: { id: 'o1' },
  });
  assert.deepEqual(textsAgainst(instance), [
    'mail cannot be waited for: the alias order is unique and another instance has its value',
  ]);
});

// --- processes and elements --------------------------------------------------------------------------

test('the deployment must have the process, and those of the old one that are being called', () => {
  const main = one(callActivity('t', 'sub'));
  const sub = processModel(
    'sub',
    [start('ss'), subProcess('inner', [start('in'), userTask('u')])],
    ['ss -> inner', 'in -> u'],
  );
  const other = processModel('q', [start('s'), next], ['s -> next']);
  const instance = between(main, main, { old: [sub] }).start();
  assert.deepEqual(reasonsAgainst(instance), [
    { elementId: 't', tokenId: 2, message: 'the deployment dep-2 has no process sub, which t has called' },
  ]);
  assert.deepEqual(reasonsAgainst(between(main, other, { old: [sub] }).start()).at(0), {
    elementId: null,
    tokenId: null,
    message: 'the deployment dep-2 has no process p',
  });
  assert.deepEqual(textsAgainst(between(main, main, { old: [sub], next: [sub] }).start(), { u: 'v' }), [
    'u is mapped to v, and the new model has no flow node v',
  ]);
});

const entries: readonly (readonly [elements: Elements, reason: string])[] = [
  [{ x: 't' }, 'x is mapped to t, and the old model has no element x'],
  [{ t: 'x' }, 't is mapped to x, and the new model has no flow node x'],
  [{ 's-t': 'x' }, 's-t is mapped to x, and the new model has no sequence flow x'],
  [{ t: 's-t' }, 't is mapped to s-t, and the new model has no flow node s-t'],
  [{ 's-t': 't' }, 's-t is mapped to t, and the new model has no sequence flow t'],
  [{ toString: 't' }, 'toString is mapped to t, and the old model has no element toString'],
];

for (const [elements, reason] of entries) {
  test(`elements are mapped to elements of their sort: ${JSON.stringify(elements)}`, () => {
    assert.deepEqual(textsAgainst(between(one(userTask('t')), one(userTask('t'))).start(), elements), [
      reason,
    ]);
  });
}

test('an instance is not migrated to the deployment that it is of, and not when it has ended', () => {
  const process = one(userTask('t'), [end('e')]);
  const instance = between(process, process).start();
  assert.deepEqual(reasonsAgainst(instance, migration({}, 'dep-1')), [
    { elementId: null, tokenId: null, message: 'the instance is one of the deployment dep-1 already' },
  ]);
  instance.cancel();
  assert.equal(instance.refusalOf(migration({}, NEXT_ID)), 'SUTRA.CORE.INSTANCE_ENDED');
});

test('a deployment that is not there has no process', () => {
  const instance = between(one(userTask('t')), one(userTask('t'))).start();
  assert.deepEqual(reasonsAgainst(instance, migration({}, 'dep-9')), [
    { elementId: null, tokenId: null, message: 'the deployment dep-9 has no process p' },
  ]);
});
