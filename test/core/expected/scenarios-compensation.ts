/** Rows 1-9, 93-96, 107 and 108: compensation and transactions. */
import { complete, ENDED, row, type Scenario, start, step, times, trigger } from './scenario.ts';

const COMPENSATE = 'camunda-bpm-platform/bpmn/event/compensate/CompensateEventTest.test';
const TRANSACTION = 'camunda-bpm-platform/bpmn/subprocess/transaction/TransactionSubProcessTest.test';
const FLOWABLE = 'flowable-engine/bpmn/event/compensate/CompensateEventTest.test';

const FIVE_UNDO_HOTEL = Array.from({ length: 5 }, () => 'undoBookHotel');
const FIVE_HOTEL = Array.from({ length: 5 }, () => 'bookHotel');

export const compensationScenarios: readonly Scenario[] = [
  row(
    1,
    `${COMPENSATE}CompensateSubprocessInsideSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['bookHotel'] }),
    step(2, complete('bookHotel'), { active: ['bookFlight'], inside: { bookFlight: ['scopeFlight'] } }),
    step(3, complete('bookFlight'), { active: ['throwCompensation'] }),
    step(4, complete('throwCompensation'), { active: ['undoBookHotel', 'undoBookFlight'] }),
    step(5, complete('undoBookHotel'), { active: ['undoBookFlight'] }),
    step(6, complete('undoBookFlight'), ENDED),
  ),
  row(
    2,
    `${COMPENSATE}CompensateParallelSubprocessCompHandlerWaitstate.bpmn20.xml`,
    step(1, start(), { active: [...FIVE_UNDO_HOTEL, 'parallelTask'], entered: { bookHotel: 5 } }),
    step(2, times(5, complete('undoBookHotel')), { active: ['parallelTask', 'beforeEnd'] }),
    step(3, complete('parallelTask'), { active: ['beforeEnd'] }),
    step(4, trigger('beforeEnd'), ENDED),
  ),
  row(
    3,
    `${COMPENSATE}CompensateActivityInSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['scopeTask'] }),
    step(2, complete('scopeTask'), { active: ['beforeCompensate'] }),
    step(3, trigger('beforeCompensate'), { active: ['undoScopeTask'] }),
    step(4, complete('undoScopeTask'), { active: ['beforeEnd'] }),
    step(5, trigger('beforeEnd'), ENDED),
  ),
  row(
    4,
    `${COMPENSATE}CompensateConcurrentMiActivity.bpmn20.xml`,
    step(1, start(), { active: [...FIVE_HOTEL, 'parallelTask'] }),
    step(2, times(4, complete('bookHotel')), { active: ['bookHotel', 'parallelTask'] }),
    step(3, complete('parallelTask', { accept: false }), { active: ['bookHotel'], joining: ['join'] }),
    step(4, complete('bookHotel'), ENDED),
  ),
  row(
    5,
    `${COMPENSATE}CompensateActivityRefMiActivity.bpmn20.xml`,
    step(1, start(), { active: FIVE_HOTEL }),
    step(2, times(5, complete('bookHotel')), { active: ['task'] }),
    step(3, complete('task', { accept: false }), { active: FIVE_UNDO_HOTEL }),
    step(4, times(5, complete('undoBookHotel')), ENDED),
  ),
  row(
    6,
    `${COMPENSATE}ConcurrentExecutionsAndPendingCompensation.bpmn20.xml`,
    step(1, start(), { active: ['task1', 'task2', 'innerTask'] }),
    step(2, complete('innerTask'), { active: ['task1', 'task2'] }),
    step(3, complete('task1'), { active: ['task2'] }),
    step(4, complete('task2'), ENDED),
  ),
  row(
    7,
    `${COMPENSATE}CompensationEventSubprocessConsumeCompensationEvent.bpmn20.xml`,
    step(1, start(), { active: ['bookHotel'] }),
    step(2, complete('bookHotel'), { active: ['bookFlight'] }),
    step(3, complete('bookFlight'), { active: ['throwCompensation'] }),
    step(4, complete('throwCompensation'), { active: ['undoBookHotel'] }),
    step(5, complete('undoBookHotel'), { ...ENDED, entered: { undoBookFlight: 0 } }),
  ),
  row(
    8,
    `${COMPENSATE}CompensationEventSubprocessReThrowCompensationEvent.bpmn20.xml`,
    step(1, start(), { active: ['bookHotel'] }),
    step(2, complete('bookHotel'), { active: ['bookFlight'] }),
    step(3, complete('bookFlight'), { active: ['throwCompensation'] }),
    step(4, complete('throwCompensation'), { active: ['undoBookHotel'] }),
    step(5, complete('undoBookHotel'), { active: ['undoBookFlight'] }),
    step(6, complete('undoBookFlight'), ENDED),
  ),
  row(
    9,
    `${COMPENSATE}SubprocessCompensationHandler.bpmn20.xml`,
    step(1, start(), { active: ['activity'] }),
    step(2, complete('activity'), { active: ['subProcessTask'] }),
    step(3, complete('subProcessTask'), { active: ['beforeEnd'] }),
    step(4, complete('beforeEnd'), ENDED),
  ),
  row(
    93,
    `${TRANSACTION}SimpleCase.bpmn20.xml`,
    step(1, start(), { active: ['askCustomer'], pending: { bookHotel: 5, bookFlight: 1 } }),
    step(2, complete('askCustomer', { confirmed: true }), {
      active: ['afterSuccess'],
      entered: { undoBookHotel: 0, undoBookFlight: 0, undoChargeCard: 0 },
      pending: { bookHotel: 5, bookFlight: 1, chargeCard: 1 },
    }),
    step(3, trigger('afterSuccess'), ENDED),
  ),
  row(
    94,
    `${TRANSACTION}SimpleCase.bpmn20.xml`,
    step(1, start(), { active: ['askCustomer'] }),
    step(2, complete('askCustomer', { confirmed: false }), {
      active: [...FIVE_UNDO_HOTEL, 'undoBookFlight', 'undoChargeCard'],
      entered: { undoBookHotel: 5, undoBookFlight: 1, undoChargeCard: 1 },
      pending: {},
    }),
    step(3, [...times(5, trigger('undoBookHotel')), trigger('undoBookFlight'), trigger('undoChargeCard')], {
      active: ['afterCancellation'],
    }),
    step(4, trigger('afterCancellation'), ENDED),
  ),
  row(
    95,
    `${TRANSACTION}NestedCancelOuter.bpmn20.xml`,
    step(1, start(), {
      tasks: ['innerTxaskCustomer', 'bookFlight'],
      pending: { innerTxbookHotel: 5, innerTxbookFlight: 1 },
    }),
    step(2, complete('bookFlight'), {
      active: ['afterOuterCancellation'],
      entered: { undoBookFlight: 1, innerTxundoBookHotel: 0, innerTxundoBookFlight: 0 },
      pending: {},
    }),
    step(3, trigger('afterOuterCancellation'), ENDED),
  ),
  row(
    96,
    `${TRANSACTION}MultiInstanceTx.bpmn20.xml`,
    step(1, start(), { pending: { bookHotel: 5, bookFlight: 5 } }),
    step(2, complete('askCustomer', { confirmed: false }), {
      active: ['afterCancellation'],
      entered: { undoBookHotel: 1, undoBookFlight: 1 },
      pending: {},
    }),
    step(3, trigger('afterCancellation'), ENDED),
  ),
  row(
    107,
    `${FLOWABLE}CompensateNestedSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['afterNestedSubProcess'] }),
    step(2, complete('afterNestedSubProcess'), { active: ['undoBookHotel'] }),
    step(3, complete('undoBookHotel'), ENDED),
  ),
  row(
    108,
    `${FLOWABLE}CompensateWithSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['afterBookHotel'] }),
    step(2, complete('afterBookHotel'), { active: ['compensateTask1', 'compensateTask2'] }),
    step(3, [complete('compensateTask1'), complete('compensateTask2')], { active: ['compensateTask3'] }),
    step(4, complete('compensateTask3'), ENDED),
  ),
];
