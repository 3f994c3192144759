/** How a batch finds out at its writes that another commit was faster. */

/** Another commit took an inbox key, a unique alias or a record meanwhile: run the batch again, it will see it. */
export class WriteConflict extends Error {
  override readonly name = 'WriteConflict';
}

/** Counts what a statement changed against what it should have. */
export async function expectCount(changed: Promise<number>, count: number, conflict: string): Promise<void> {
  if ((await changed) !== count) throw new WriteConflict(conflict);
}
