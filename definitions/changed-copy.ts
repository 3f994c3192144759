/**
 * Lists and contexts with some of their elements changed: a copy if there are any, else the very same object.
 *
 * C1 `__proto__` is a key like any other: a copy defines its properties, it does not assign them.
 */

type Entries = Readonly<Record<string, unknown>>;

/** What an element is to be; itself when it is to stay. `depth` is the one that was given, and one more. */
type Change = (element: unknown, depth: number) => unknown;

export function changedList(list: readonly unknown[], depth: number, change: Change): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (let index = 0; index < list.length; index += 1) {
    const element = list[index];
    const result = change(element, depth + 1);
    if (result !== element) (copy ??= [...list])[index] = result;
  }
  return copy ?? list;
}

export function changedEntries(entries: Entries, depth: number, change: Change): Entries {
  let changes: [string, unknown][] | null = null;
  for (const key of Object.keys(entries)) {
    const element = entries[key];
    const result = change(element, depth + 1);
    if (result !== element) (changes ??= []).push([key, result]);
  }
  // Spread and `fromEntries` define properties; an assignment would run the `__proto__` setter (C1).
  return changes === null ? entries : { ...entries, ...Object.fromEntries(changes) };
}
