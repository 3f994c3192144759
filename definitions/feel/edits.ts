/** What is changed in the text of an expression before the library runs it. */

/** Puts `text` in the place of what stands from `from` to `to`. None overlaps another. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Puts `open` before and `close` after what stands from `from` to `to`. One may be inside another. */
export interface Wrapping {
  readonly from: number;
  readonly to: number;
  readonly open: string;
  readonly close: string;
}

export interface Edits {
  readonly replacements: readonly Replacement[];
  /** Of two around the same text, the later one is outside. */
  readonly wrappings: readonly Wrapping[];
}

export function applyEdits(text: string, { replacements, wrappings }: Edits): string {
  const opened = [...wrappings].reverse().sort((one, other) => one.from - other.from || other.to - one.to);
  const closed = [...wrappings].sort((one, other) => one.to - other.to || other.from - one.from);
  const changes = [
    ...closed.map(({ to, close }) => ({ from: to, to, text: close })),
    ...opened.map(({ from, open }) => ({ from, to: from, text: open })),
    ...replacements,
  ].sort((one, other) => one.from - other.from);
  const parts: string[] = [];
  let at = 0;
  for (const change of changes) {
    parts.push(text.slice(at, change.from), change.text);
    at = change.to;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
