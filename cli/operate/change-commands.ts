/**
 * `sutra retry`, `retry-task`, `requeue-delivery`, `replay`, `cancel`, `discard-task`, `discard-delivery`,
 * `discard-dead-letter`: changes to what is named by its ids or, where no instance waits for it, to all that a filter
 * finds.
 */
import { Argument, InvalidArgumentError, type Command } from 'commander';
import { deadLetterColumns, deliveryColumns, instanceColumns, taskColumns } from './columns.ts';
import { count, operateCommand, uuids } from './command.ts';
import {
  addFilters,
  deadLetterFilters,
  failedInstanceFilters,
  poisonedDeliveryFilters,
  terminalTaskFilters,
} from './filters.ts';
import { deadLetterList, deliveryList, instanceList, taskList } from './pages.ts';
import { DEFAULT_CONCURRENCY, runChange, type ChangeCommand, type ChangeOptions } from './run-change.ts';

const MAX_CONCURRENCY = 64;

const retry: ChangeCommand = {
  name: 'retry',
  description: 'Run failed instances again from where they failed, once the cause is gone.',
  noun: 'instance',
  idField: 'instanceId',
  send: (client, id, { reason }) =>
    client.post(`/admin/instances/${id}/retry`, reason === undefined ? undefined : { reason }),
  found: {
    route: instanceList,
    state: { status: 'failed' },
    filters: failedInstanceFilters,
    columns: instanceColumns,
  },
};
const retryTask: ChangeCommand = {
  name: 'retry-task',
  description: 'Give terminal tasks a new failure budget, so that workers fetch them again.',
  noun: 'task',
  idField: 'taskId',
  send: (client, id, { retries }) =>
    client.post(`/admin/external-tasks/${id}/retries`, retries === undefined ? undefined : { retries }),
  found: { route: taskList, state: { state: 'failed' }, filters: terminalTaskFilters, columns: taskColumns },
};
const requeueDelivery: ChangeCommand = {
  name: 'requeue-delivery',
  description: 'Have poisoned deliveries tried again at once.',
  noun: 'delivery',
  idField: 'deliveryId',
  send: (client, id) => client.post(`/admin/deliveries/${id}/requeue`),
  found: {
    route: deliveryList,
    state: { state: 'poisoned' },
    filters: poisonedDeliveryFilters,
    columns: deliveryColumns,
  },
};
const foundDeadLetters: ChangeCommand['found'] = {
  route: deadLetterList,
  state: {},
  filters: deadLetterFilters,
  columns: deadLetterColumns,
};
const replay: ChangeCommand = {
  name: 'replay',
  description: 'Take dead letters in as if they came now, once the cause is gone.',
  noun: 'dead letter',
  idField: 'deadLetterId',
  send: (client, id) => client.post(`/admin/dead-letters/${id}/replay`),
  found: foundDeadLetters,
};
const discardDeadLetter: ChangeCommand = {
  name: 'discard-dead-letter',
  description: 'Remove dead letters for good.',
  noun: 'dead letter',
  idField: 'deadLetterId',
  send: (client, id) => client.delete(`/admin/dead-letters/${id}`),
  found: foundDeadLetters,
};
const cancel: ChangeCommand = {
  name: 'cancel',
  description: 'End instances where they are; their tasks, timers and deliveries go with them.',
  noun: 'instance',
  idField: 'instanceId',
  send: (client, id, { reason }) =>
    client.post(`/sutra/instances/${id}/cancel`, reason === undefined ? undefined : { reason }),
};
const discardTask: ChangeCommand = {
  name: 'discard-task',
  description: 'Remove tasks for good, whatever their state; their instances keep waiting.',
  noun: 'task',
  idField: 'taskId',
  send: (client, id) => client.delete(`/admin/external-tasks/${id}`),
};
const discardDelivery: ChangeCommand = {
  name: 'discard-delivery',
  description: 'Remove poisoned deliveries for good; an instance that waits for an answer keeps waiting.',
  noun: 'delivery',
  idField: 'deliveryId',
  send: (client, id) => client.delete(`/admin/deliveries/${id}`),
};

export function changeCommands(): readonly Command[] {
  return [
    changeCommand(retry).option('--reason <text>', 'why, for the history'),
    changeCommand(retryTask).option('--retries <number>', 'the budget (default: as configured)', count),
    changeCommand(requeueDelivery),
    changeCommand(replay),
    changeCommand(cancel).option('--reason <text>', 'why, for the history'),
    changeCommand(discardTask),
    changeCommand(discardDelivery),
    changeCommand(discardDeadLetter),
  ];
}

export function changeCommand(change: ChangeCommand): Command {
  const { found, noun, preview } = change;
  const command = operateCommand(change.name).description(change.description);
  const ids = new Argument(found === undefined ? '<id...>' : '[id...]', `${noun} ids`).argParser(uuids);
  command.addArgument(ids);
  if (found !== undefined) {
    addFilters(command, found.filters)
      .option('--all', 'all that there are, when there is no other filter')
      .option('--limit <number>', 'so many at most, of what the filter finds', count)
      .option('--dry-run', preview === undefined ? 'only say which' : 'only say what would happen to each')
      .option('--concurrency <number>', 'so many at once', concurrency, DEFAULT_CONCURRENCY);
  }
  return command.action((given: readonly string[] | undefined, options: ChangeOptions) =>
    runChange(change, given ?? [], options, (message) => command.error(`error: ${message}`)),
  );
}

function concurrency(text: string): number {
  const number = count(text);
  if (number <= MAX_CONCURRENCY) return number;
  throw new InvalidArgumentError(`It must be at most ${String(MAX_CONCURRENCY)}.`);
}
