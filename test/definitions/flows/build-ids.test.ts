/** The ids of what is made. I1, I2: see build/ids.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileFlowTree } from '../../../definitions/flows/compile-flow.ts';
import type { Steps } from '../../../definitions/flows/flow.ts';
import { buildDocument } from '../../../definitions/flows/build/document.ts';
import {
  all,
  any,
  attempt,
  call,
  choose,
  end,
  fail,
  flow,
  forEach,
  on,
  onError,
  onEscalation,
  repeat,
  signal,
  start,
  wait,
} from '../../support/flow-builder.ts';
import { attributeOf } from '../../../definitions/xml/document.ts';
import { compiled } from './flow-scenario.ts';

const job = (id: string) => call(id, 'jobs');

const shutOut: Readonly<Record<string, Steps>> = {
  'a-join': [choose('a', [['=x', job('b')]])],
  'a-start': [repeat('a', { atMost: '2' }, [job('b')])],
  'a-end': [forEach('a', 'x', '=[1]', [job('b')])],
  'a-split': [any('a', [job('b')], [job('c')])],
  'a-won-2': [any('a', [job('b')], [job('c')])],
  'a-compensation': [attempt('a', [job('b')], { undo: [job('c')] })],
  'a-undo': [attempt('a', [job('b')], { undo: [job('c')] })],
  'a-undo-start': [attempt('a', [job('b')], { undo: [job('c')] })],
  'a-undo-end': [attempt('a', [job('b')], { undo: [job('c')] })],
  'h-end': [attempt('a', [job('b')], { handlers: [onEscalation('h', [], { isInterrupting: false })] })],
};

for (const [id, steps] of Object.entries(shutOut)) {
  test(`no step can have the id of something that is made: ${id}`, () => {
    const own = job(id);
    const { findings, processes } = compileFlowTree(flow('p', [...steps, own]));
    assert.deepEqual(
      findings.map(({ code, place }) => [code, place]),
      [['SUTRA.FLOWS.ID_TAKEN', { ...own.id.place(), elementId: id }]],
    );
    assert.match(findings[0]?.message ?? '', new RegExp(`"${id}" is that of .* of "[ah]"`));
    assert.deepEqual(processes, []);
  });
}

test('the id of a join is free where nothing is joined', () => {
  const process = compiled(flow('p', [choose('a', [['=x', end('e')]]), job('a-join')]));
  assert.equal(process.nodes.get('a-join')?.kind, 'serviceTask');
});

test('the last end takes the next id that is free', () => {
  const process = compiled(flow('p', [choose('a', [['=x', end('end')]]), job('b')]));
  assert.equal(process.nodes.get('end-2')?.kind, 'endEvent');
});

test('sequence flows between the same steps are numbered, past what is taken', () => {
  const process = compiled(flow('p', [choose('a', [['=x'], ['=y']]), job('a-to-a-join-2')]));
  assert.deepEqual(
    [...process.flows.keys()].filter((id) => id.startsWith('a-to')),
    ['a-to-a-join', 'a-to-a-join-3', 'a-to-a-join-4', 'a-to-a-join-2-to-end'],
  );
});

test('several starts have a join of the first one', () => {
  const starts = [start('in', on.message('orders')), start('also', on.signal('news'))];
  const process = compiled(flow('p', [job('a')], { starts }));
  assert.equal(process.nodes.get('in-join')?.kind, 'exclusiveGateway');
});

test('ids stay as short as an id may be', () => {
  const long = 'x'.repeat(250);
  const process = compiled(flow('p', [all('a', [job(long)], [job(`${long}y`)]), job('z')]));
  assert.ok([...process.flows.keys()].every((id) => id.length <= 255));
});

test('an error, an escalation and a signal are made once for each code or name', () => {
  const tree = flow('p', [
    attempt('a', [choose('c', [['=x', fail('f', 'REJECTED')]]), fail('g', 'order rejected')], {
      handlers: [
        onError('h', [], { code: 'REJECTED' }),
        onError('i', [], { code: 'order-rejected' }),
        onEscalation('j', [], { code: 'REJECTED' }),
      ],
    }),
    signal('signal-news', 'news'),
    wait('signal_news', on.signal('news')),
  ]);
  const roots = buildDocument(tree, []).root.children.slice(0, -1);
  assert.deepEqual(
    roots.map((root) => [root.localName, attributeOf(root, 'id'), attributeOf(root, 'name')]),
    [
      ['error', 'error_REJECTED', 'REJECTED'],
      ['error', 'error_order-rejected', 'order rejected'],
      ['error', 'error_order-rejected-2', 'order-rejected'],
      ['escalation', 'escalation_REJECTED', 'REJECTED'],
      ['signal', 'signal_news-2', 'news'],
    ],
  );
  compiled(tree);
});
