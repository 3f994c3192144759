/**
 * What a vendor writes into BPMN files, as a table, and what becomes of it.
 *
 * R1 A name of a known vendor's namespace that is not in its table is reported: nothing reads it.
 * R2 `docs/models.md` is this table.
 */

/**
 * `mapped`: it means here what it means there. `data`: it is for people or tools and stays in the file. `accepted`: what
 * it asks for is so anyway, or cannot matter. `code`: of another engine; see `unbound-tasks`. `refused`: it would change what runs; the note says what to do instead.
 */
export type ExtensionStatus = 'mapped' | 'data' | 'accepted' | 'code' | 'refused';

export interface ExtensionRow {
  readonly kind: 'attribute' | 'element';
  readonly name: string;
  /** Local names of the elements, of BPMN or of the vendor, on or in which it may stand; null: any. */
  readonly on: readonly string[] | null;
  readonly status: ExtensionStatus;
  /** What it becomes, why it needs nothing, or what to do instead. */
  readonly note: string;
}

export interface DialectRegistry {
  /** `Camunda 8 (Zeebe)`. */
  readonly name: string;
  /** The prefix under which people know it. */
  readonly prefix: string;
  readonly namespaces: readonly string[];
  readonly rows: readonly ExtensionRow[];
}

/** `names`, separated by spaces, on elements separated by spaces; `*`: any. */
export function rows(
  kind: ExtensionRow['kind'],
  status: ExtensionStatus,
  on: string,
  names: string,
  note: string,
): readonly ExtensionRow[] {
  const owners = on === '*' ? null : on.split(' ');
  return names.split(' ').map((name) => ({ kind, name, on: owners, status, note }));
}

/** The row of a name on an owner; `misplaced`: the name is known elsewhere. */
export function findRow(
  { rows: all }: DialectRegistry,
  kind: ExtensionRow['kind'],
  name: string,
  owner: string,
): ExtensionRow | 'misplaced' | null {
  const named = all.filter((row) => row.kind === kind && row.name === name);
  return (
    named.find(({ on }) => on?.includes(owner) === true) ??
    named.find(({ on }) => on === null) ??
    (named.length === 0 ? null : 'misplaced')
  );
}
