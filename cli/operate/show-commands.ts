/** `sutra instance`, `sutra task`, `sutra dead-letter`: one thing whole. */
import { Option, type Command } from 'commander';
import { Refusal, type EngineClient } from './client.ts';
import {
  count,
  note,
  operateCommand,
  print,
  printJson,
  runAgainstEngine,
  terminalWidth,
  uuid,
  type OperateOptions,
} from './command.ts';
import { formatDeadLetter } from './dead-letter-view.ts';
import { formatInstance, instanceAdvice } from './instance-view.ts';
import { rowsOf, textOf, type Row } from './row.ts';
import { formatTask } from './task-view.ts';
import { formatTimeline } from './timeline.ts';

interface InstanceOptions extends OperateOptions {
  readonly limit: number;
  readonly all?: true;
  readonly newest?: true;
}

/** What a person reads at once; a loop of thousands of runs has far more. */
const DEFAULT_ENTRIES = 200;
/** Turns; the most that the route gives at once. */
const PAGE_TURNS = '200';

export function instanceCommand(): Command {
  return operateCommand('instance')
    .description('Show one instance: where it stands, what it waits for, why it failed, and its history.')
    .argument('<id>', 'the instance', uuid)
    .option('--limit <number>', 'so many entries of the history, the latest', count, DEFAULT_ENTRIES)
    .addOption(new Option('--all', 'the whole history').conflicts('limit'))
    .option('--newest', 'the history begins with the latest entry')
    .action((id: string, options: InstanceOptions) =>
      runAgainstEngine(options, async (client) => {
        const instance = await readInstance(client, id);
        const limit = options.all === true ? null : options.limit;
        const read = options.newest === true ? readBack : readHistory;
        const history = await read(client, id, limit);
        if (options.json === true) printJson({ instance, history: { instanceId: id, ...history } });
        else show(client, id, instance, history);
      }),
    );
}

function show(client: EngineClient, id: string, instance: Row | null, history: HistoryShown): void {
  const width = terminalWidth();
  print(instance === null ? `instance  ${id}` : formatInstance(instance, client.nowMs, width));
  if (instance === null) note('\nIts retention has passed; of its history this is kept:');
  const { entries, earlierCount } = history;
  if (earlierCount === null || earlierCount > 0) {
    const count = earlierCount === null ? '' : `${String(earlierCount)} `;
    note(`\n${count}earlier entries of the history are not shown: --limit, --all`);
  }
  if (entries.length > 0) print(`\n${formatTimeline(entries, width)}`);
  const advice = instance === null ? [] : instanceAdvice(instance);
  if (advice.length > 0) note(`\nOnce the cause is gone:\n  ${advice.join('\n  ')}`);
}

/** Null: it has gone, and its history is still there. @throws Refusal when there is neither */
async function readInstance(client: EngineClient, id: string): Promise<Row | null> {
  try {
    return await client.get(`/sutra/instances/${id}`);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'SUTRA.INSTANCE.NOT_FOUND') throw error;
    await client.get(`/sutra/instances/${id}/history`, { limit: '1' });
    return null;
  }
}

interface HistoryShown {
  readonly entries: readonly Row[];
  /** How many came before them; null: some did. */
  readonly earlierCount: number | null;
}

/** The latest entries, the last one first. */
async function readBack(client: EngineClient, id: string, limit: number | null): Promise<HistoryShown> {
  const entries: Row[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE_TURNS, order: 'newest', cursor };
    const page = await client.get(`/sutra/instances/${id}/history`, query);
    entries.push(...rowsOf(page, 'entries'));
    cursor = textOf(page, 'nextCursor') ?? undefined;
  } while (cursor !== undefined && (limit === null || entries.length < limit));
  const shown = limit === null ? entries : entries.slice(0, limit);
  return { entries: shown, earlierCount: cursor === undefined ? entries.length - shown.length : null };
}

/** The latest entries. The route begins with the oldest, so all of it is read, and no more of it kept than is shown. */
async function readHistory(client: EngineClient, id: string, limit: number | null): Promise<HistoryShown> {
  const entries: Row[] = [];
  let earlierCount = 0;
  let cursor: string | undefined;
  do {
    const page = await client.get(`/sutra/instances/${id}/history`, { limit: PAGE_TURNS, cursor });
    entries.push(...rowsOf(page, 'entries'));
    if (limit !== null) earlierCount += entries.splice(0, Math.max(0, entries.length - limit)).length;
    cursor = textOf(page, 'nextCursor') ?? undefined;
  } while (cursor !== undefined);
  return { entries, earlierCount };
}

export function taskCommand(): Command {
  return operateCommand('task')
    .description('Show one external task with its request and its last error.')
    .argument('<id>', 'the task', uuid)
    .action((id: string, options: OperateOptions) =>
      runAgainstEngine(options, async (client) => {
        const task = await client.get(`/sutra/external-tasks/${id}`);
        if (options.json === true) {
          printJson(task);
          return;
        }
        print(formatTask(task, client.nowMs, terminalWidth()));
        if (textOf(task, 'state') === 'failed') note(`\nOnce the cause is gone:\n  sutra retry-task ${id}`);
      }),
    );
}

export function deadLetterCommand(): Command {
  return operateCommand('dead-letter')
    .description('Show one dead letter with its headers, its body, and why it was refused.')
    .argument('<id>', 'the dead letter', uuid)
    .action((id: string, options: OperateOptions) =>
      runAgainstEngine(options, async (client) => {
        const letter = await client.get(`/admin/dead-letters/${id}`);
        if (options.json === true) {
          printJson(letter);
          return;
        }
        print(formatDeadLetter(letter, client.nowMs, terminalWidth()));
        note(`\nOnce the cause is gone:\n  sutra replay ${id}`);
      }),
    );
}
