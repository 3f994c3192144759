/** `sutra instances`, `tasks`, `incidents`, `deliveries`, `dead-letters`: what there is, as a table or as JSON. */
import { Option, type Command } from 'commander';
import {
  deadLetterColumns,
  deliveryColumns,
  incidentColumns,
  incidentGroupColumns,
  instanceColumns,
  taskColumns,
  type Columns,
} from './columns.ts';
import {
  count,
  note,
  operateCommand,
  print,
  printJson,
  runAgainstEngine,
  terminalWidth,
  type OperateOptions,
} from './command.ts';
import {
  addFilters,
  deadLetterFilters,
  deliveryFilters,
  incidentFilters,
  instanceFilters,
  queryOf,
  taskFilters,
  type Filter,
} from './filters.ts';
import {
  deadLetterList,
  deliveryList,
  incidentList,
  incidentSummary,
  instanceList,
  readRows,
  taskList,
  type ListRoute,
} from './pages.ts';
import { numberOf, rowsOf } from './row.ts';
import { formatTable } from './table.ts';

interface ListCommand {
  readonly name: string;
  readonly description: string;
  readonly route: ListRoute;
  readonly filters: readonly Filter[];
  readonly columns: Columns;
  /** What can be done about the rows. */
  readonly hint?: string;
  /** With `--summary`, the same filters give groups instead. */
  readonly summary?: { readonly route: ListRoute; readonly columns: Columns };
}

const lists: readonly ListCommand[] = [
  {
    name: 'instances',
    description: 'List process instances, newest first.',
    route: instanceList,
    filters: instanceFilters,
    columns: instanceColumns,
  },
  {
    name: 'tasks',
    description: 'List external tasks, oldest first.',
    route: taskList,
    filters: taskFilters,
    columns: taskColumns,
  },
  {
    name: 'incidents',
    description: 'List what waits for a person, oldest first.',
    route: incidentList,
    filters: incidentFilters,
    columns: incidentColumns,
    summary: { route: incidentSummary, columns: incidentGroupColumns },
    hint: [
      'The id is what these take, once the cause is gone:',
      '  instance-failed    sutra instance, retry, cancel',
      '  task-terminal      sutra task, retry-task, discard-task',
      '  delivery-poisoned  sutra requeue-delivery, discard-delivery',
      '  dead-letter        sutra dead-letter, replay, discard-dead-letter',
    ].join('\n'),
  },
  {
    name: 'deliveries',
    description: 'List deliveries that have not left, oldest first.',
    route: deliveryList,
    filters: deliveryFilters,
    columns: deliveryColumns,
  },
  {
    name: 'dead-letters',
    description: 'List what could not be processed at all, oldest first.',
    route: deadLetterList,
    filters: deadLetterFilters,
    columns: deadLetterColumns,
  },
];

const DEFAULT_LIMIT = 50;

interface ListOptions extends OperateOptions, Readonly<Record<string, unknown>> {
  readonly limit: number;
  readonly all?: true;
  readonly cursor?: string;
  readonly summary?: true;
}

export function listCommands(): readonly Command[] {
  return lists.map((list) => {
    const command = addFilters(operateCommand(list.name).description(list.description), list.filters)
      .option('--limit <number>', 'so many rows at most', count, DEFAULT_LIMIT)
      .addOption(new Option('--all', 'all rows, however many').conflicts('limit'))
      .option('--cursor <text>', '`nextCursor` of a JSON answer: the rows after it, with the same filters')
      .action((options: ListOptions) =>
        options.summary === true ? runSummary(list, options) : runList(list, options),
      );
    if (list.summary === undefined) return command;
    const summary = new Option('--summary', 'how many by kind, code, process and element, most first');
    return command.addOption(summary.conflicts(['limit', 'all', 'cursor']));
  });
}

function runSummary({ name, filters, summary }: ListCommand, options: ListOptions): Promise<void> {
  return runAgainstEngine(options, async (client) => {
    if (summary === undefined) throw new Error(`there is no summary of ${name}`);
    const answer = await client.get(summary.route.path, queryOf(filters, options));
    if (options.json === true) {
      printJson(answer);
      return;
    }
    const groups = rowsOf(answer, summary.route.field);
    if (groups.length === 0) {
      note(`no ${name}`);
      return;
    }
    print(formatTable(groups, summary.columns(client.nowMs), terminalWidth()));
    note(
      `${String(numberOf(answer, 'incidentCount'))} ${name}${answer['isCut'] === true ? ', also in groups that are not shown' : ''}`,
    );
  });
}

function runList(list: ListCommand, options: ListOptions): Promise<void> {
  return runAgainstEngine(options, async (client) => {
    const query = { ...queryOf(list.filters, options), cursor: options.cursor };
    const limit = options.all === true ? null : options.limit;
    const { rows, nextCursor } = await readRows(client, list.route, query, limit);
    if (options.json === true) {
      printJson({ [list.route.field]: rows, nextCursor });
      return;
    }
    if (rows.length === 0) {
      note(`no ${list.name.replace('-', ' ')}`);
      return;
    }
    print(formatTable(rows, list.columns(client.nowMs), terminalWidth()));
    if (nextCursor !== null) note(`${String(rows.length)} are shown; there are more: --limit, --all`);
    if (list.hint !== undefined) note(`\n${list.hint}`);
  });
}
