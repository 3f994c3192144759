/**
 * The rows of EXPECTED.md that do not apply to us: where they end to be true, why, and what is so instead.
 * Every other row behaves as written; a row that does although it is here is an error.
 */
import {
  broadcast,
  complete,
  ENDED,
  failJob,
  start,
  startProcess,
  type Step,
  step,
  trigger,
} from './scenario.ts';

export interface Exception {
  /** The row. */
  readonly number: number;
  /** The first step whose outcome is another. */
  readonly step: number;
  readonly reason: string;
  /** Of the whole row. */
  readonly instead: readonly Step[];
}

const REVERSE_ORDER =
  'compensation handlers run in the reverse order of completion, each after the one before it is done (BPMN 2.0.2 §10.7, §13.5.5); the row expects them to be open together';

const NO_TERMINATE_ALL =
  'a terminate end event ends its own scope (BPMN 2.0.2 §13.5.6); that it ends the whole instance is an attribute of the source engine, not of BPMN';

export const MAX_EXCEPTIONS = 11;

export const exceptions: readonly Exception[] = [
  {
    number: 1,
    step: 4,
    reason: REVERSE_ORDER,
    instead: [
      step(1, start(), { active: ['bookHotel'] }),
      step(2, complete('bookHotel'), { active: ['bookFlight'] }),
      step(3, complete('bookFlight'), { active: ['throwCompensation'] }),
      step(4, complete('throwCompensation'), { active: ['undoBookFlight'] }),
      step(5, complete('undoBookFlight'), { active: ['undoBookHotel'] }),
      step(6, complete('undoBookHotel'), ENDED),
    ],
  },
  {
    number: 2,
    step: 1,
    reason: `the iterations are sequential, and ${REVERSE_ORDER}`,
    instead: [
      step(1, start(), { active: ['undoBookHotel', 'parallelTask'], entered: { bookHotel: 5 } }),
      ...[1, 2, 3, 4].map(() =>
        step(2, complete('undoBookHotel'), { active: ['undoBookHotel', 'parallelTask'] }),
      ),
      step(2, complete('undoBookHotel'), {
        active: ['parallelTask', 'beforeEnd'],
        entered: { undoBookHotel: 5 },
      }),
      step(3, complete('parallelTask'), { active: ['beforeEnd'] }),
      step(4, trigger('beforeEnd'), ENDED),
    ],
  },
  {
    number: 29,
    step: 2,
    reason:
      'a BPMN error that nothing catches fails the instance, which is kept for repair; the completion has taken place and is not undone, as the row expects of an engine that is set to raise it to the caller',
    instead: [
      step(1, start(), { active: ['subprocessTask'] }),
      step(2, complete('subprocessTask'), {
        failed: { code: 'SUTRA.BPMN_ERROR.UNCAUGHT', at: 'subprocessEnd' },
        active: [],
      }),
    ],
  },
  {
    number: 94,
    step: 2,
    reason: REVERSE_ORDER,
    instead: [
      step(1, start(), { active: ['askCustomer'] }),
      step(2, complete('askCustomer', { confirmed: false }), { active: ['undoChargeCard'] }),
      // Its five runs come one after another, so bookHotel completed after bookFlight.
      step(3, trigger('undoChargeCard'), { active: ['undoBookHotel'] }),
      ...[1, 2, 3, 4].map(() => step(3, trigger('undoBookHotel'), { active: ['undoBookHotel'] })),
      step(3, trigger('undoBookHotel'), { active: ['undoBookFlight'] }),
      step(3, trigger('undoBookFlight'), {
        active: ['afterCancellation'],
        entered: { undoBookHotel: 5, undoBookFlight: 1, undoChargeCard: 1 },
        pending: {},
      }),
      step(4, trigger('afterCancellation'), ENDED),
    ],
  },
  {
    number: 104,
    step: 1,
    reason: NO_TERMINATE_ALL,
    instead: [
      step(1, start(), { active: ['preNormalEnd'], entered: { EndEvent_1: 1, EndEvent_3: 1 } }),
      step(1, complete('preNormalEnd'), ENDED),
    ],
  },
  {
    number: 105,
    step: 2,
    reason: NO_TERMINATE_ALL,
    instead: [
      step(1, start(), { active: ['task'] }),
      step(2, broadcast('signal'), { active: ['task'], entered: { subProcessEndEvent: 1 } }),
      step(2, complete('task'), ENDED),
    ],
  },
  {
    number: 114,
    step: 2,
    reason:
      'a signal is broadcast to all instances (BPMN 2.0.2 §10.5.1); its limit to the own instance is an attribute of the source engine, not of BPMN',
    instead: [
      step(1, startProcess('processWithSignalCatch'), { active: ['userTaskWithSignalCatch'] }),
      step(2, startProcess('processWithSignalThrow'), {
        ended: true,
        activeAnywhere: ['userTaskAfterSignalCatch'],
      }),
      step(3, broadcast('The Signal'), { ended: true, activeAnywhere: ['userTaskAfterSignalCatch'] }),
    ],
  },
  {
    number: 131,
    step: 2,
    reason:
      'a BPMN error that nothing catches fails the instance, which is kept for repair, so that no reported error is lost; the row has it end the path in silence',
    instead: [
      step(1, start(), { jobs: 1 }),
      step(2, failJob('externalTask', 'ERROR-OCCURED'), {
        jobs: 0,
        active: [],
        failed: { code: 'SUTRA.BPMN_ERROR.UNCAUGHT', at: 'externalTask' },
      }),
    ],
  },
];
