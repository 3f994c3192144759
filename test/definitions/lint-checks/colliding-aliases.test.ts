/** Aliases whose values meet. */
import { describe, it } from 'node:test';
import { checkAliases } from '../../../definitions/lint-checks/colliding-aliases.ts';
import type { AliasDefinition, ProcessDefinition } from '../../../definitions/model.ts';
import {
  boundary,
  callActivity,
  catchEvent,
  looped,
  receive,
  start,
  startOn,
  userTask,
} from '../../support/model-builder.ts';
import { aliases, source } from '../../support/model-parts.ts';
import { processModel } from '../../support/process-model.ts';
import { compileExpression } from '../../../definitions/feel.ts';
import { assertPackage, packageOf } from './lint-outline.ts';

type Options = Partial<Pick<AliasDefinition, 'isUnique' | 'isMulti' | 'onConflict'>>;

/** A message trigger with the alias `k`. */
function keyed(text: string, options: Options = {}, name = 'k') {
  const own = aliases({ [name]: text }).map((alias) => ({ ...alias, ...options }));
  return { kind: 'message', source: source('in'), aliases: own } as const;
}

const begin = start('s', { channel: 'in', aliases: { k: 'payload.id' } });

function waiting(text: string, options: Options = {}): readonly ProcessDefinition[] {
  return [processModel('p', [begin, catchEvent('w', keyed(text, options))], ['s -> w'])];
}

function started(id: string, options: Options, name = 'k'): ProcessDefinition {
  return processModel(id, [startOn(`${id}-start`, keyed('payload.id', options, name))], []);
}

const multiInstance = {
  kind: 'multiInstance',
  isSequential: false,
  cardinality: compileExpression('3'),
  collection: null,
  itemVariable: null,
  outputItemVariable: null,
  outputCollection: null,
  completionCondition: null,
  place: {},
} as const;

function inLoop(text: string, isUnique: boolean): readonly ProcessDefinition[] {
  const node = receive('w', 'in');
  const own = aliases({ k: text }, isUnique);
  const wait = { ...node, node: { ...node.node, aliases: own } } as typeof node;
  return [processModel('p', [begin, looped(wait, multiInstance)], ['s -> w'])];
}

const unique = { isUnique: true } as const;

const rows: Readonly<Record<string, readonly [readonly ProcessDefinition[], readonly string[]]>> = {
  'a constant at a wait': [waiting('"all"'), ['ALIAS_CONSTANT k']],
  'a computed constant at a wait': [waiting('"a" + "b"'), ['ALIAS_CONSTANT k']],
  'a constant at a boundary event': [
    [processModel('p', [begin, userTask('t'), boundary('w', 't', keyed('1'))], ['s -> t'])],
    ['ALIAS_CONSTANT k'],
  ],
  'a unique constant at a wait': [waiting('"all"', unique), ['ALIAS_CONSTANT k']],
  'a unique count of a loop': [inLoop('loopCounter', true), ['ALIAS_CONSTANT k']],
  'no constant for all who wait': [waiting('"all"', { isMulti: true }), []],
  'no unique constant at a start, of which there is one instance': [
    [processModel('p', [startOn('s', keyed('"only"', unique))], [])],
    [],
  ],
  'no expression over variables': [waiting('payload.id'), []],
  'no expression over the time': [waiting('string(now())'), []],
  'no null, which keeps what was registered': [waiting('null'), []],
  'no count of a loop that is not unique': [inLoop('loopCounter', false), []],
  'no item of a loop': [inLoop('string(loopCounter) + payload.id', true), []],
  'unique ones of one name in two processes': [
    [started('p', unique), started('q', unique)],
    ['ALIAS_SHARED k'],
  ],
  'one for each further process': [
    [started('p', unique), started('q', unique), started('r', unique)],
    ['ALIAS_SHARED k', 'ALIAS_SHARED k'],
  ],
  'no unique one in one process with two starts': [
    [
      processModel(
        'p',
        [startOn('s', keyed('payload.id', unique)), startOn('t', keyed('payload.id', unique))],
        [],
      ),
    ],
    [],
  ],
  'no unique ones of other names': [[started('p', unique), started('q', unique, 'other')], []],
  'none where one of them is not unique': [[started('p', unique), started('q', {})], []],
  'none where a message goes to the holder': [
    [started('p', unique), started('q', { ...unique, onConflict: 'correlate' })],
    [],
  ],
  'none of a process and one that it calls': [
    [
      processModel('p', [startOn('s', keyed('payload.id', unique)), callActivity('c', 'q')], ['s -> c']),
      started('q', unique),
    ],
    [],
  ],
};

describe('aliases that collide', () => {
  for (const [name, [processes, expected]] of Object.entries(rows)) {
    it(name, () => {
      assertPackage(checkAliases, packageOf(processes, ['in http inbound']), expected);
    });
  }
});
