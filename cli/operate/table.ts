/**
 * Rows as a table of text.
 *
 * T1 A row is one line; what a cell holds cannot begin another one, nor control a terminal.
 * T2 In a terminal no line is wider than it, as far as the columns that must stay whole allow: columns without a value
 *    are left out, and the widest of the others are cut first, with an ellipsis. Elsewhere nothing is cut or left out, so
 *    that a search finds it.
 * T3 The last column is not padded: no line ends in blanks.
 */
export interface Column<Item> {
  readonly title: string;
  readonly value: (item: Item) => string;
  /** Never cut: what is copied into the next command. */
  readonly isWhole?: true;
  /** Cut at its beginning: the end tells more, as that of a code does. */
  readonly keepsEnd?: true;
}

const GAP = '  ';
/** Below this a cell says nothing. A guess. */
const MIN_WIDTH = 8;

/** `width`: of the terminal, in characters; null: not a terminal. */
export function formatTable<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  width: number | null,
): string {
  const all = columns.map((column) => ({
    ...column,
    cells: items.map((item) => onOneLine(column.value(item))),
  }));
  const used = width === null ? all : all.filter(({ cells }) => cells.some((cell) => cell !== ''));
  const natural = used.map(({ title, cells }) =>
    [title, ...cells].reduce((widest, cell) => Math.max(widest, lengthOf(cell)), 0),
  );
  const widths = width === null ? natural : fitted(natural, used, width);
  const padded = used.map(({ title, cells, keepsEnd }, index) => {
    const own = widths[index] ?? 0;
    return [title, ...cells].map((cell) =>
      pad(keepsEnd === true ? cutStart(cell, own) : cut(cell, own), own),
    );
  });
  const lines = [-1, ...items.keys()].map((row) => padded.map((cells) => cells[row + 1] ?? '').join(GAP));
  return lines.map((line) => line.trimEnd()).join('\n');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - lengthOf(text)));
}

/** Takes from the widest column that may be cut until the line fits; from those that keep their end only then. */
function fitted(
  natural: readonly number[],
  columns: ReadonlyArray<Pick<Column<never>, 'isWhole' | 'keepsEnd'>>,
  width: number,
): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width;
  const widestOf = (keepsEnd: boolean): number => {
    let widest = -1;
    columns.forEach((column, index) => {
      const own = widths[index] ?? 0;
      const isCandidate = column.isWhole !== true && (column.keepsEnd ?? false) === keepsEnd;
      if (isCandidate && own > MIN_WIDTH && own > (widths[widest] ?? 0)) widest = index;
    });
    return widest;
  };
  for (; excess > 0; excess -= 1) {
    const widest = [widestOf(false), widestOf(true)].find((index) => index >= 0);
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** At most `width` characters, the last of them an ellipsis when something is missing. */
export function cut(text: string, width: number): string {
  const characters = charactersOf(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** The same, of the end of the text. */
function cutStart(text: string, width: number): string {
  const characters = charactersOf(text);
  return characters.length <= width ? text : `…${characters.slice(characters.length - width + 1).join('')}`;
}

/** Control characters and line breaks are blanks; what turns the direction of writing is left out. */
export function onOneLine(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, '').replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** As a person counts them. Those that a terminal shows twice as wide count once. */
function charactersOf(text: string): readonly string[] {
  // The usual text has one unit a character, and segmenting costs a hundred times as much.
  if (/^[\x20-\x7e]*$/.test(text)) return text.split('');
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function lengthOf(text: string): number {
  return charactersOf(text).length;
}

/** One of the facts of a sheet: its name, and its lines. */
export type Fact = readonly [name: string, lines: readonly string[]];

/** One thing with its facts, a name before the first line of each. What has no lines is left out. */
export function formatSheet(facts: readonly Fact[], width: number | null): string {
  const there = facts.filter(([, lines]) => lines.length > 0);
  const nameWidth = Math.max(0, ...there.map(([name]) => lengthOf(name)));
  const left = width === null ? null : Math.max(MIN_WIDTH, width - nameWidth - GAP.length);
  return there
    .flatMap(([name, lines]) =>
      lines.map((line, index) => {
        const text = onOneLine(line);
        const label = (index === 0 ? name : '').padEnd(nameWidth);
        return `${label}${GAP}${left === null ? text : cut(text, left)}`.trimEnd();
      }),
    )
    .join('\n');
}
