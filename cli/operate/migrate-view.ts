/** What a migration would do to each instance, or what is in its way, for somebody who decides whether to do it. */
import { isUnknown, type ChangeResult } from './changes.ts';
import { rowOf, rowsOf, shown, type Row } from './row.ts';
import { formatTable, type Column } from './table.ts';

interface Line {
  readonly id: string;
  readonly result: string;
  readonly element: string;
  readonly what: string;
}

const columns: readonly Column<Line>[] = [
  { title: 'ID', value: ({ id }) => id, isWhole: true },
  { title: 'RESULT', value: ({ result }) => result, isWhole: true },
  { title: 'ELEMENT', value: ({ element }) => element },
  { title: 'WHAT', value: ({ what }) => what },
];

/** An instance is one line, or as many as there are reasons against it. */
export function formatMigrations(results: readonly ChangeResult[], width: number | null): string {
  return formatTable(results.flatMap(linesOf), columns, width);
}

function linesOf(result: ChangeResult): readonly Line[] {
  const { id, answer, error } = result;
  if (error === null) {
    const what = effectsOf(rowOf(answer ?? {}, 'preview') ?? {}).join('; ');
    return [{ id, result: 'would migrate', element: '', what }];
  }
  const verdict = isUnknown(result) ? 'unknown' : 'refused';
  const { code, detail, reasons = [] } = error;
  if (reasons.length === 0) return [{ id, result: verdict, element: '', what: `${detail} [${code}]` }];
  return reasons.map((reason) => ({
    ...{ id, result: verdict, element: shown(reason, 'elementId'), what: shown(reason, 'message') },
  }));
}

function effectsOf(preview: Row): readonly string[] {
  const failure = rowOf(preview, 'failure');
  return [
    ...(failure === null ? [] : [`failed at ${shown(failure, 'elementId')}: ${shown(failure, 'code')}`]),
    ...each('waits from then on for', rowsOf(preview, 'newWaits')),
    ...each('waits no more for', rowsOf(preview, 'endedWaits')),
    ...each('sends', rowsOf(preview, 'sends')),
  ];
}

function each(what: string, rows: readonly Row[]): readonly string[] {
  const places = rows.map(
    (row) => `${shown(row, 'kind') || shown(row, 'channel')} at ${shown(row, 'elementId')}`,
  );
  return places.length === 0 ? [] : [`${what} ${places.join(', ')}`];
}
