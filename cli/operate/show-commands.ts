/** `sutra instance` and `sutra task`: one thing whole. */
import { Option, type Command } from 'commander';
import type { EngineClient } from './client.ts';
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
import { formatInstance, instanceAdvice } from './instance-view.ts';
import { rowsOf, textOf, type Row } from './row.ts';
import { formatTask } from './task-view.ts';
import { formatTimeline } from './timeline.ts';

interface InstanceOptions extends OperateOptions {
  readonly limit: number;
  readonly all?: true;
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
    .action((id: string, options: InstanceOptions) =>
      runAgainstEngine(options, async (client) => {
        const instance = await client.get(`/sutra/instances/${id}`);
        const history = await readHistory(client, id, options.all === true ? null : options.limit);
        if (options.json === true) {
          printJson({ instance, history: { instanceId: id, ...history } });
          return;
        }
        const width = terminalWidth();
        print(formatInstance(instance, client.nowMs, width));
        if (history.earlierCount > 0) {
          note(
            `\n${String(history.earlierCount)} earlier entries of the history are not shown: --limit, --all`,
          );
        }
        if (history.entries.length > 0) print(`\n${formatTimeline(history.entries, width)}`);
        const advice = instanceAdvice(instance);
        if (advice.length > 0) note(`\nOnce the cause is gone:\n  ${advice.join('\n  ')}`);
      }),
    );
}

interface HistoryShown {
  readonly entries: readonly Row[];
  /** How many came before them. */
  readonly earlierCount: number;
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
