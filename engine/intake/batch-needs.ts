/** What turned out to be missing as a batch was applied: the caller gets it and applies the batch again. */
import { recordText, type RecordRequest } from '../store/data-records.ts';
import type { AliasKey } from '../store/turn-aliases.ts';

export class BatchNeeds {
  /** Instances to lock. */
  readonly instanceIds = new Set<string>();
  /** By `aliasText`: unique values to look up. */
  readonly uniqueKeys = new Map<string, AliasKey>();
  /** Instances whose parts must all be read. */
  readonly partsOf = new Set<string>();
  /** By `recordText`. */
  readonly records = new Map<string, RecordRequest>();

  get count(): number {
    return this.instanceIds.size + this.uniqueKeys.size + this.partsOf.size + this.records.size;
  }

  addRecord(request: RecordRequest): void {
    const text = recordText(request);
    const isForUpdate = request.isForUpdate || this.records.get(text)?.isForUpdate === true;
    this.records.set(text, { ...request, isForUpdate });
  }
}
