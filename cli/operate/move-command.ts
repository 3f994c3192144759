/** `sutra move`: puts a token of an instance somewhere else, or says what that would do. */
import { InvalidArgumentError, type Command } from 'commander';
import { parseExactJson } from '../../definitions/exact-json.ts';
import {
  count,
  EXIT_REFUSED,
  note,
  operateCommand,
  print,
  printJson,
  runAgainstEngine,
  terminalWidth,
  uuid,
  type OperateOptions,
} from './command.ts';
import { isRow, rowOf, textOf, type Row } from './row.ts';
import { formatMovePreview } from './move-view.ts';

interface MoveOptions extends OperateOptions {
  readonly from: string;
  readonly to: string;
  readonly token?: number;
  readonly variables?: Row;
  readonly dryRun?: true;
  readonly reason?: string;
}

export function moveCommand(): Command {
  return operateCommand('move')
    .description('Put a token of an instance at another element of the same process or sub-process.')
    .argument('<id>', 'the instance', uuid)
    .requiredOption('--from <element>', 'the element where the token is')
    .requiredOption('--to <element>', 'the element that it is to begin at')
    .option('--token <number>', 'which token, when several are there', count)
    .option('--variables <json>', 'variables of the process that are written first', variables)
    .option('--reason <text>', 'why, for the history')
    .option('--dry-run', 'only say what would happen')
    .action((id: string, options: MoveOptions) =>
      runAgainstEngine(options, async (client) => {
        const { from, to, token, variables: written, dryRun, reason } = options;
        const answer = await client.post(`/admin/instances/${id}/move`, {
          moves: [{ from, to, ...(token === undefined ? {} : { tokenId: token }) }],
          ...(written === undefined ? {} : { variables: written }),
          ...(dryRun === undefined ? {} : { dryRun }),
          ...(reason === undefined ? {} : { reason }),
        });
        report(id, answer, options);
      }),
    );
}

function report(id: string, answer: Row, { json, dryRun }: MoveOptions): void {
  const hasFailed = textOf(answer, 'status') === 'failed';
  if (hasFailed) process.exitCode = EXIT_REFUSED;
  if (json === true) {
    printJson(answer);
    return;
  }
  const preview = rowOf(answer, 'preview');
  if (dryRun === true) {
    print(formatMovePreview(answer, preview ?? {}, terminalWidth()));
    note('a dry run: nothing was changed');
    return;
  }
  if (hasFailed) note(`${id}  moved, and failed: sutra instance ${id}`);
  else print(`${id}  ${textOf(answer, 'status') ?? 'moved'}`);
}

/** With all digits of its numbers. */
function variables(text: string): Row {
  const parsed = parseExactJson(new TextEncoder().encode(text));
  if (parsed.ok && isRow(parsed.value)) return parsed.value;
  throw new InvalidArgumentError(`It must be a JSON object${parsed.ok ? '' : `; ${parsed.message}`}.`);
}
