/** `sutra migrate`: lets instances go on with another deployment, or says for each whether it can. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { changeCommand } from './change-commands.ts';
import { instanceColumns } from './columns.ts';
import type { EngineClient } from './client.ts';
import { failedInstanceFilters, type Filter } from './filters.ts';
import { formatMigrations } from './migrate-view.ts';
import { instanceList } from './pages.ts';
import { textOf, type Row } from './row.ts';
import type { ChangeCommand, ChangeOptions } from './run-change.ts';

/** Those that have not ended. */
const STATUSES = ['running', 'failed'] as const;

const ofStatus: Filter = {
  option: new Option('--status <status>', 'only in this status').choices(STATUSES),
  query: (value) => ({ status: String(value) }),
};

const migrate: ChangeCommand = {
  name: 'migrate',
  description: 'Let running and failed instances go on with another deployment, their tasks included.',
  noun: 'instance',
  idField: 'instanceId',
  done: 'migrated',
  send: (client, id, options) => ask(client, id, options, {}),
  preview: {
    send: (client, id, options) => ask(client, id, options, { dryRun: true }),
    format: formatMigrations,
    verb: 'migrated',
  },
  found: {
    route: instanceList,
    state: (options) => statusesOf(options).map((status) => ({ status })),
    filters: [ofStatus, ...failedInstanceFilters],
    columns: instanceColumns,
    // What is there already is not asked again: the same command may be repeated.
    isMeant: (row, { to }) => textOf(row, 'deploymentId') !== to,
  },
};

export function migrateCommand(): Command {
  return changeCommand(migrate)
    .requiredOption('--to <deployment>', 'the deployment, of the same module, as the engine lists it')
    .option('--map <old=new>', 'an element that has another id there; may be repeated', mapping)
    .option('--reason <text>', 'why, for the history');
}

function ask(client: EngineClient, id: string, options: ChangeOptions, more: Row): Promise<Row> {
  const { to, map, reason } = options;
  return client.post(`/admin/instances/${id}/migrate`, {
    deploymentId: to,
    ...(map === undefined ? {} : { elements: map }),
    ...(reason === undefined ? {} : { reason }),
    ...more,
  });
}

/** Only failed ones have a code and an element of their failure. */
function statusesOf({ status, code, element }: ChangeOptions): readonly string[] {
  if (typeof status === 'string') return [status];
  return code === undefined && element === undefined ? STATUSES : ['failed'];
}

function mapping(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, from = '', to = ''] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (from === '') throw new InvalidArgumentError('It must be old=new, such as check=review.');
  if (Object.hasOwn(before, from)) throw new InvalidArgumentError(`${from} is mapped already.`);
  return { ...before, [from]: to };
}
