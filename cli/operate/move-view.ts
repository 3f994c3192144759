/** What a move would do, for somebody who decides whether to do it. */
import { rowOf, rowsOf, shown, textOf, type Row } from './row.ts';
import { formatSheet, onOneLine } from './table.ts';

export function formatMovePreview(answer: Row, preview: Row, width: number | null): string {
  const failure = rowOf(preview, 'failure');
  const at = (row: Row): string => `${shown(row, 'kind')} at ${shown(row, 'elementId')}`;
  return formatSheet(
    [
      ['would be', [textOf(answer, 'status') ?? 'unknown']],
      ['failure', failure === null ? [] : [failureLine(failure)]],
      [
        'tokens',
        rowsOf(preview, 'tokens').map(
          (token) => `${shown(token, 'elementId')}, ${shown(token, 'state')} (token ${shown(token, 'id')})`,
        ),
      ],
      ['waits', rowsOf(preview, 'waits').map(at)],
      ['withdrawn', rowsOf(preview, 'endedWaits').map(at)],
      [
        'sends',
        rowsOf(preview, 'sends').map(
          (send) => `${shown(send, 'elementId')} on channel ${shown(send, 'channel')}`,
        ),
      ],
      [
        'signals',
        rowsOf(preview, 'signals').map(
          (signal) => `${shown(signal, 'name')} by ${shown(signal, 'elementId')}`,
        ),
      ],
      ['data stores', textsOf(preview, 'stores')],
      ['in vain', textsOf(preview, 'deadJoins').map((id) => `the join ${id} could never fire`)],
    ],
    width,
  );
}

function failureLine(failure: Row): string {
  return `${shown(failure, 'code')} at ${shown(failure, 'elementId')}: ${onOneLine(shown(failure, 'message'))}`;
}

function textsOf(row: Row, name: string): readonly string[] {
  const value = row[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
