/** Boundary events that cannot occur where they are. */
import { describe, it } from 'node:test';
import { checkBoundaryHosts } from '../../../definitions/lint-checks/boundary-hosts.ts';
import type { CatchDefinition } from '../../../definitions/model.ts';
import {
  boundary,
  call,
  callActivity,
  data,
  end,
  endWith,
  errorEnd,
  looped,
  receive,
  registered,
  script,
  sendTask,
  start,
  subProcess,
  task,
  throwing,
  userTask,
} from '../../support/model-builder.ts';
import {
  allOf,
  conditional,
  error,
  escalation,
  message,
  signal,
  throws,
  timerMs,
} from '../../support/model-parts.ts';
import { processModel, type NodeSpec } from '../../support/process-model.ts';
import { assertProcess } from './lint-outline.ts';

const triggers: Readonly<Record<string, CatchDefinition>> = {
  timer: timerMs(1),
  message: message('c'),
  signal: signal('news'),
  condition: conditional('x'),
  error: error(null),
  escalation: escalation(null),
};
const loop = { kind: 'standard', isTestedBefore: false, condition: null, maximum: 2, place: {} } as const;

/** Per host: the triggers that cannot occur there. */
const hosts: Readonly<Record<string, readonly [NodeSpec, readonly string[]]>> = {
  'a script': [script('h', '1'), ['timer', 'message', 'signal', 'condition', 'error', 'escalation']],
  'a task': [task('h'), ['timer', 'message', 'signal', 'condition', 'error', 'escalation']],
  'a send task': [
    sendTask('h', { channel: 'c' }),
    ['timer', 'message', 'signal', 'condition', 'error', 'escalation'],
  ],
  'a task that only moves data': [
    data('h', ['a = 1']),
    ['timer', 'message', 'signal', 'condition', 'error', 'escalation'],
  ],
  'a script that is a loop': [looped(script('h', '1'), loop), ['error', 'escalation']],
  'a channel call': [call('h', 'c'), ['escalation']],
  'a registered function': [registered('h', 'f'), ['escalation']],
  'a receive task': [receive('h', 'c'), ['error', 'escalation']],
  'a user task': [userTask('h'), ['error', 'escalation']],
  'a call activity': [callActivity('h', 'q'), []],
  'a sub-process of scripts': [subProcess('h', [script('i', '1')]), ['error', 'escalation']],
  'a sub-process that throws an error': [subProcess('h', [errorEnd('i', 'E')]), ['escalation']],
  'a sub-process with a call deep inside': [
    subProcess('h', [subProcess('i', [call('j', 'c')])]),
    ['escalation'],
  ],
  'a sub-process that escalates': [subProcess('h', [throwing('i', throws.escalation('E'))]), ['error']],
  'a sub-process that ends with an escalation': [
    subProcess('h', [endWith('i', throws.escalation('E'))]),
    ['error'],
  ],
};

describe('a boundary event', () => {
  for (const [name, [host, impossible]] of Object.entries(hosts)) {
    for (const [kind, trigger] of Object.entries(triggers)) {
      const isDead = impossible.includes(kind);
      it(`of ${name}, for ${kind}, ${isDead ? 'never occurs' : 'may occur'}`, () => {
        const process = processModel(
          'p',
          [start('s'), host, boundary('b', 'h', trigger), end('e')],
          ['s -> h', 'b -> e'],
        );
        assertProcess(checkBoundaryHosts, process, isDead ? ['BOUNDARY_NEVER_OCCURS b'] : []);
      });
    }
  }

  it('for one of several may occur when one of them may', () => {
    const process = processModel(
      'p',
      [start('s'), receive('h', 'c'), boundary('b', 'h', [error(null), timerMs(1)])],
      ['s -> h'],
    );
    assertProcess(checkBoundaryHosts, process, []);
  });

  it('for all of several never occurs when one of them cannot', () => {
    const process = processModel(
      'p',
      [start('s'), script('h', '1'), boundary('b', 'h', allOf(signal('a'), signal('b')))],
      ['s -> h'],
    );
    assertProcess(checkBoundaryHosts, process, ['BOUNDARY_NEVER_OCCURS b']);
  });
});
