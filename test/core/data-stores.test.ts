/** Data stores: records read and written in the turn itself. BPMN 2.0.2 §10.4.1, data store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataMapping } from '../../definitions/model.ts';
import type { Context, Value } from '../../definitions/value.ts';
import { advance } from '../../engine/core/advance.ts';
import {
  call,
  looped,
  parallel,
  start,
  subProcess,
  task,
  userTask,
  withData,
} from '../support/model-builder.ts';
import { each, reading, record, writing, type DataOptions } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { DEPLOYMENT_ID, Instance, INSTANCE_ID, START_MS } from './instance.ts';

const next = userTask('next');

function process(node: NodeSpec, options: DataOptions): ReturnType<typeof processModel> {
  return processModel('p', [start('s'), withData(node, options), next], [`s -> ${node.node.id} -> next`]);
}

/** An instance of a task with these mappings, over a store `stock` that holds `records`. */
function withRecords(
  options: DataOptions,
  records: Readonly<Record<string, Value>>,
  variables: Context = {},
): Instance {
  const instance = new Instance(process(task('t'), options));
  for (const [key, value] of Object.entries(records)) instance.records.set('stock', key, value);
  return instance.start({ variables });
}

const written = (instance: Instance): readonly unknown[] =>
  instance.effects.flatMap((effect) =>
    effect.kind === 'recordWritten' ? [[effect.store, effect.key, effect.value]] : [],
  );

interface Case {
  readonly what: string;
  readonly mappings: readonly (string | DataMapping)[];
  readonly records?: Readonly<Record<string, Value>>;
  readonly variables?: Context;
  readonly expected?: Context;
  readonly written?: readonly unknown[];
}

const item = { count: 5, name: 'bolt' };
const cases: readonly Case[] = [
  {
    what: 'a record goes into a variable',
    mappings: [reading('x', record('stock', '"A"'))],
    records: { A: item },
    expected: { x: item },
  },
  {
    what: 'a record that is not there is null',
    mappings: [reading('x', record('stock', '"A"'))],
    expected: { x: null },
  },
  {
    what: 'a field of a record goes into a variable',
    mappings: [reading('x', record('stock', '"A"', { field: 'count' }))],
    records: { A: item },
    expected: { x: 5 },
  },
  {
    what: 'a field that the record has not is null',
    mappings: [reading('x', record('stock', '"A"', { field: 'weight' }))],
    records: { A: item },
    expected: { x: null },
  },
  {
    what: 'a field of a record that is not there is null',
    mappings: [reading('x', record('stock', '"A"', { field: 'count' }))],
    expected: { x: null },
  },
  {
    what: 'the key is worked out',
    mappings: [reading('x', record('stock', 'kind + "1"'))],
    records: { B1: 7 },
    variables: { kind: 'B' },
    expected: { kind: 'B', x: 7 },
  },
  {
    what: 'a number is a key as its text',
    mappings: [reading('x', record('stock', '1 + 1'))],
    records: { '2': 'two' },
    expected: { x: 'two' },
  },
  {
    what: 'a record goes into a property of a variable',
    mappings: [reading('o.stock', record('stock', '"A"'))],
    records: { A: 1 },
    variables: { o: { id: 7 } },
    expected: { o: { id: 7, stock: 1 } },
  },
  {
    what: 'a value is written as a new record',
    mappings: [writing(record('stock', '"A"'), '{count: 1}')],
    written: [['stock', 'A', { count: 1 }]],
  },
  {
    what: 'a value replaces a record',
    mappings: [writing(record('stock', '"A"'), '3')],
    records: { A: item },
    written: [['stock', 'A', 3]],
  },
  {
    what: 'a field is written into its record',
    mappings: [writing(record('stock', '"A"', { field: 'count' }), '4')],
    records: { A: item },
    written: [['stock', 'A', { count: 4, name: 'bolt' }]],
  },
  {
    what: 'a field of a record that is not there makes one',
    mappings: [writing(record('stock', '"A"', { field: 'count' }), '4')],
    written: [['stock', 'A', { count: 4 }]],
  },
  {
    what: 'null is written as a value',
    mappings: [writing(record('stock', '"A"'), 'nothing')],
    records: { A: item },
    written: [['stock', 'A', null]],
  },
  {
    what: 'what was written before is read again',
    mappings: [
      writing(record('stock', '"A"', { field: 'count' }), '9'),
      reading('x', record('stock', '"A"', { field: 'count' })),
      reading('y', record('stock', '"A"', { field: 'name' })),
    ],
    records: { A: item },
    expected: { x: 9, y: 'bolt' },
    written: [['stock', 'A', { count: 9, name: 'bolt' }]],
  },
  {
    what: 'records of one key in two stores are two',
    mappings: [writing(record('other', '"A"'), '1'), reading('x', record('stock', '"A"'))],
    records: { A: 2 },
    expected: { x: 2 },
    written: [['other', 'A', 1]],
  },
  {
    what: 'a write whose expectation holds takes place',
    mappings: [writing(record('stock', '"A"', { field: 'count', expect: 'seen' }), 'seen - 1')],
    records: { A: item },
    variables: { seen: 5 },
    expected: { seen: 5 },
    written: [['stock', 'A', { count: 4, name: 'bolt' }]],
  },
  {
    what: 'a whole record may be expected, as deep as it is',
    mappings: [writing(record('stock', '"A"', { expect: '{name: "bolt", count: 5}' }), '1')],
    records: { A: item },
    written: [['stock', 'A', 1]],
  },
  {
    what: 'null is what is expected of a record that is not there',
    mappings: [writing(record('stock', '"A"', { expect: 'null' }), '1')],
    written: [['stock', 'A', 1]],
  },
];

for (const {
  what,
  mappings,
  records = {},
  variables = {},
  expected = variables,
  written: writes = [],
} of cases) {
  test(`store: ${what}`, () => {
    const instance = withRecords({ outputs: mappings }, records, variables);
    assert.deepEqual(instance.snapshot.failure, null);
    assert.deepEqual(instance.variables, expected);
    assert.deepEqual(written(instance), writes);
  });
}

const refused: readonly (readonly [string, DataMapping, Value, string])[] = [
  [
    'a write whose expectation fails',
    writing(record('stock', '"A"', { field: 'count', expect: '4' }), '3'),
    item,
    'RECORD_UNEXPECTED',
  ],
  [
    'a write that expects a record that is not there',
    writing(record('stock', '"A"', { expect: '4' }), '3'),
    null,
    'RECORD_UNEXPECTED',
  ],
  [
    'a write that expects no record where there is one',
    writing(record('stock', '"A"', { expect: 'null' }), '3'),
    item,
    'RECORD_UNEXPECTED',
  ],
  [
    'a field of a record that is no context',
    reading('x', record('stock', '"A"', { field: 'count' })),
    'text',
    'RECORD_FIELD_INVALID',
  ],
  [
    'a field written into a record that is no context',
    writing(record('stock', '"A"', { field: 'count' }), '3'),
    [1],
    'RECORD_FIELD_INVALID',
  ],
  ['a key that is null', reading('x', record('stock', 'nothing')), item, 'RECORD_KEY_INVALID'],
  ['a key that is a context', writing(record('stock', '{a: 1}'), '1'), item, 'RECORD_KEY_INVALID'],
  ['a value that cannot be evaluated', writing(record('stock', '"A"'), '[1..n]'), item, 'EXPRESSION_FAILED'],
];
for (const [what, mapping, present, code] of refused) {
  test(`store: ${what} fails the element and writes nothing`, () => {
    const instance = withRecords({ outputs: [mapping] }, { A: present }, { n: 1e9 });
    assert.equal(instance.failureCode, `SUTRA.CORE.${code}`);
    assert.deepEqual(instance.active, ['t']);
    assert.deepEqual(written(instance), []);
    assert.deepEqual(instance.records.get('stock', 'A'), present);
  });
}

test('store: what the element wrote before it failed is not written either', () => {
  const outputs = [
    writing(record('stock', '"B"'), '1'),
    writing(record('stock', '"A"', { expect: '"no"' }), '1'),
  ];
  const instance = withRecords({ outputs }, { A: 'yes' });
  assert.equal(instance.failureCode, 'SUTRA.CORE.RECORD_UNEXPECTED');
  assert.deepEqual(written(instance), []);
  instance.records.set('stock', 'A', 'no');
  instance.retry();
  assert.deepEqual(written(instance), [
    ['stock', 'B', 1],
    ['stock', 'A', 1],
  ]);
});

test('store: an element that failed on an expectation writes when it is retried over another record', () => {
  const instance = withRecords(
    { outputs: [writing(record('stock', '"A"', { field: 'count', expect: '4' }), '3')] },
    { A: item },
  );
  instance.records.set('stock', 'A', { count: 4 });
  instance.retry();
  assert.deepEqual(instance.active, ['next']);
  assert.deepEqual(instance.records.get('stock', 'A'), { count: 3 });
});

test('store: a turn asks for the records that it needs, for update where it writes by what is there', () => {
  const ask = (mapping: DataMapping): unknown => {
    const stimulus = {
      kind: 'start',
      startEventId: 's',
      message: null,
      variables: {},
      replyTo: null,
    } as const;
    const context = { instanceId: INSTANCE_ID, deploymentId: DEPLOYMENT_ID, nowMs: START_MS };
    return advance(process(task('t'), { outputs: [mapping] }), null, stimulus, context);
  };
  const asks = (isForUpdate: boolean): unknown => ({
    kind: 'incomplete',
    needsParts: false,
    records: [{ store: 'stock', key: 'A', isForUpdate }],
  });
  assert.deepEqual(ask(reading('x', record('stock', '"A"'))), asks(false));
  assert.deepEqual(ask(reading('x', record('stock', '"A"', { isForUpdate: true }))), asks(true));
  assert.deepEqual(ask(writing(record('stock', '"A"', { field: 'count' }), '1')), asks(true));
  assert.deepEqual(ask(writing(record('stock', '"A"', { expect: 'null' }), '1')), asks(true));
});

test('store: the key of one record may come from another', () => {
  const inputs = [reading('link', record('stock', '"A"')), reading('x', record('stock', 'link'))];
  assert.deepEqual(withRecords({ inputs }, { A: 'B', B: 7 }).variables, { link: 'B', x: 7 });
});

test('store: counting in two steps with a lock, one turn after another', () => {
  const options = {
    locals: ['count'],
    inputs: [reading('count', record('stock', '"A"', { field: 'count', isForUpdate: true }))],
    outputs: [writing(record('stock', '"A"', { field: 'count' }), 'count - 1'), 'left = count - 1'],
  };
  const instance = new Instance(
    processModel(
      'p',
      [start('s'), parallel('fork'), withData(task('a'), options), withData(task('b'), options)],
      ['s -> fork', 'fork -> a', 'fork -> b'],
    ),
  );
  instance.records.set('stock', 'A', { count: 5 });
  instance.start();
  assert.deepEqual(instance.records.get('stock', 'A'), { count: 3 });
  assert.deepEqual(instance.variables, { left: 3 });
});

test('store: each run of a multi-instance activity reads and writes its own record', () => {
  const options = {
    inputs: [reading('before', record('stock', 'item'))],
    locals: ['before'],
    outputs: [writing(record('stock', 'item'), 'before + answer'), 'item = before'],
  };
  const node = withData(
    looped(call('c', 'jobs', { output: 'answer' }), each('item in ["A", "B"]', { output: 'item -> all' })),
    options,
  );
  const instance = new Instance(processModel('p', [start('s'), node, next], ['s -> c -> next']));
  instance.records.set('stock', 'A', 1);
  instance.records.set('stock', 'B', 2);
  instance.start().answer('c', 20, 1).answer('c', 10);
  assert.deepEqual([instance.records.get('stock', 'A'), instance.records.get('stock', 'B')], [11, 22]);
  assert.deepEqual(instance.variables['all'], [1, 2]);
});

test('store: a sub-process and a user task write when their work is done', () => {
  const outputs = [writing(record('stock', '"A"'), 'made')];
  const instance = new Instance(
    processModel(
      'p',
      [
        start('s'),
        withData(
          subProcess('sub', [
            start('in'),
            withData(userTask('t'), { outputs: [writing(record('stock', '"B"'), 'made')] }),
          ]),
          { outputs },
        ),
        next,
      ],
      ['s -> sub -> next', 'in -> t'],
    ),
  ).start();
  assert.deepEqual(written(instance), []);
  instance.complete('t', { made: 7 });
  assert.deepEqual(written(instance), [
    ['stock', 'B', 7],
    ['stock', 'A', 7],
  ]);
});
