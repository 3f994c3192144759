/**
 * Runs a command that changes things.
 *
 * D1 Without an id and without a filter nothing is changed; all of them must be asked for with --all.
 * D2 A thing that a filter finds is changed once, even if it is in the same state again right after: pages are read in
 *    the order of ids, which a change does not move.
 * D3 A dry run sends no change.
 * D4 What was done is reported even when the rest could not be.
 */
import {
  changeEach,
  changeSummary,
  inWords,
  isDone,
  resultLine,
  resultsJson,
  type ChangeResult,
} from './changes.ts';
import type { EngineClient, Query } from './client.ts';
import type { Columns } from './columns.ts';
import {
  EXIT_REFUSED,
  note,
  print,
  printJson,
  runAgainstEngine,
  terminalWidth,
  type OperateOptions,
} from './command.ts';
import { hasFilter, queryOf, type Filter } from './filters.ts';
import { readPages, type ListRoute } from './pages.ts';
import { shown, type Row } from './row.ts';
import { formatTable } from './table.ts';

export interface ChangeOptions extends OperateOptions, Readonly<Record<string, unknown>> {
  readonly all?: true;
  readonly limit?: number;
  readonly concurrency?: number;
  readonly dryRun?: true;
  readonly reason?: string;
  readonly retries?: number;
}

export interface ChangeCommand {
  readonly name: string;
  readonly description: string;
  readonly noun: 'instance' | 'task' | 'delivery' | 'dead letter';
  /** How the engine's answers call the id. */
  readonly idField: 'instanceId' | 'taskId' | 'deliveryId' | 'deadLetterId';
  readonly send: Send;
  readonly found?: Found;
  /** A dry run asks the engine about each thing what the change would do, instead of saying only which they are. */
  readonly preview?: Preview;
  /** As of `ChangeResult`. */
  readonly done?: string;
}

type Send = (client: EngineClient, id: string, options: ChangeOptions) => Promise<Row>;

interface Preview {
  readonly send: Send;
  readonly format: (results: readonly ChangeResult[], width: number | null) => string;
  /** Of what would be done. */
  readonly verb: string;
}

/** How a filter finds what is to be changed. */
interface Found {
  readonly route: ListRoute;
  /** What is asked beside the filters. Of several, one list is read after the other. */
  readonly state: Query | ((options: ChangeOptions) => readonly Query[]);
  /** Is the row meant? Absent: all are. */
  readonly isMeant?: (row: Row, options: ChangeOptions) => boolean;
  readonly filters: readonly Filter[];
  readonly columns: Columns;
}

/** Guess: enough to hide the way there and back, few enough to leave the engine its own work. */
export const DEFAULT_CONCURRENCY = 8;
/** `refuse`: says that the command line is wrong. */
export async function runChange(
  change: ChangeCommand,
  ids: readonly string[],
  options: ChangeOptions,
  refuse: (message: string) => never,
): Promise<void> {
  const { found } = change;
  const isFiltered = found !== undefined && (options.all === true || hasFilter(found.filters, options));
  const saysWhich = options.dryRun === true && change.preview === undefined;
  if (ids.length > 0 && (isFiltered || options.limit !== undefined || saysWhich)) {
    refuse('give ids, or filters with --limit and --dry-run; not both');
  }
  if (ids.length === 0 && !isFiltered) {
    refuse('nothing is named: give ids, or a filter, or --all');
  }
  await runAgainstEngine(options, async (client) => {
    if (found === undefined || ids.length > 0) {
      await changeNamed(change, client, ids, options);
    } else if (saysWhich) await sayWhich(change, found, client, options);
    else await changeFound(change, found, client, options);
  });
}

async function changeNamed(
  change: ChangeCommand,
  client: EngineClient,
  ids: readonly string[],
  options: ChangeOptions,
): Promise<void> {
  const positions = new Map(ids.map((id, index) => [id, index]));
  const positionOf = ({ id }: ChangeResult): number => positions.get(id) ?? 0;
  await withReport(change, options, (results) =>
    changeEach(
      ids,
      options.concurrency ?? DEFAULT_CONCURRENCY,
      (id) => sendOf(change, options)(client, id, options),
      (result) => {
        results.push(named(change, result));
        // In the order in which they were given, whatever was answered first.
        if (results.length === ids.length)
          results.sort((left, right) => positionOf(left) - positionOf(right));
      },
    ),
  );
}

function sendOf({ send, preview }: ChangeCommand, { dryRun }: ChangeOptions): Send {
  return dryRun === true && preview !== undefined ? preview.send : send;
}

function named({ done }: ChangeCommand, result: ChangeResult): ChangeResult {
  return done === undefined ? result : { ...result, done };
}

async function changeFound(
  change: ChangeCommand,
  found: Found,
  client: EngineClient,
  options: ChangeOptions,
): Promise<void> {
  await withReport(change, { ...options, onlyNotDone: true }, async (results) => {
    for await (const rows of wantedRows(found, client, options)) {
      await changeEach(
        rows.map((row) => shown(row, 'id')),
        options.concurrency ?? DEFAULT_CONCURRENCY,
        (id) => sendOf(change, options)(client, id, options),
        (result) => results.push(named(change, result)),
      );
      if (process.stderr.isTTY && rows.length > 0) note(changeSummary(results, change.noun));
    }
  });
}

/** `onlyNotDone`: of thousands those that need a look. */
async function withReport(
  change: ChangeCommand,
  options: ChangeOptions & { readonly onlyNotDone?: true },
  run: (results: ChangeResult[]) => Promise<void>,
): Promise<void> {
  const results: ChangeResult[] = [];
  let isWhole = false;
  try {
    await run(results);
    isWhole = true;
  } finally {
    if (isWhole || results.length > 0) report(change, results, options);
  }
}

function report(
  change: ChangeCommand,
  results: readonly ChangeResult[],
  options: ChangeOptions & { readonly onlyNotDone?: true },
): void {
  const notDone = results.filter((result) => !isDone(result));
  if (notDone.length > 0) process.exitCode = EXIT_REFUSED;
  if (options.json === true) {
    printJson({ ...resultsJson(results, change.idField), isDryRun: options.dryRun === true });
    return;
  }
  if (options.dryRun === true && change.preview !== undefined) {
    reportPreview(change, change.preview, results);
    return;
  }
  if (options.onlyNotDone !== true)
    results.filter(isDone).forEach((result) => {
      print(resultLine(result));
    });
  notDone.forEach((result) => {
    note(resultLine(result));
  });
  if (results.length !== 1 || options.onlyNotDone === true) print(changeSummary(results, change.noun));
}

function reportPreview({ noun }: ChangeCommand, preview: Preview, results: readonly ChangeResult[]): void {
  if (results.length > 0) print(preview.format(results, terminalWidth()));
  const done = String(results.filter(isDone).length);
  note(
    `a dry run: nothing was changed; ${done} of ${inWords(results.length, noun)} would be ${preview.verb}`,
  );
}

async function sayWhich(
  change: ChangeCommand,
  found: Found,
  client: EngineClient,
  options: ChangeOptions,
): Promise<void> {
  const rows: Row[] = [];
  for await (const page of wantedRows(found, client, options)) rows.push(...page);
  if (options.json === true) {
    printJson({ isDryRun: true, [found.route.field]: rows });
    return;
  }
  if (rows.length > 0) print(formatTable(rows, found.columns(client.nowMs), terminalWidth()));
  note(`a dry run: nothing was changed; without it ${inWords(rows.length, change.noun)} would be`);
}

/** What the filter finds, a page at a time, up to the limit. */
async function* wantedRows(
  found: Found,
  client: EngineClient,
  options: ChangeOptions,
): AsyncGenerator<readonly Row[]> {
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  const states = typeof found.state === 'function' ? found.state(options) : [found.state];
  // A thing that changes its state meanwhile is in two of the lists.
  const seen = new Set<string>();
  for (const state of states) {
    const query = { ...queryOf(found.filters, options), ...state };
    for await (const page of readPages(client, found.route, query)) {
      const meant = page.filter(
        (row) => found.isMeant?.(row, options) !== false && !seen.has(shown(row, 'id')),
      );
      const rows = meant.slice(0, left);
      if (states.length > 1) rows.forEach((row) => seen.add(shown(row, 'id')));
      left -= rows.length;
      yield rows;
      if (left <= 0) return;
    }
  }
}
