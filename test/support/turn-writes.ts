import type { TurnWrites } from '../../engine/store/turn-writes.ts';

/** To be spread under what a test writes. */
export const noWrites: TurnWrites = {
  inserts: [],
  updates: [],
  inbox: [],
  taskIds: [],
  receipts: [],
  history: [],
};
