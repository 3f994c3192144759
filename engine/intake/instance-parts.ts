/**
 * The parts of one instance inside a batch: those that were read, those that its turns have made, and what is
 * to be written of them. Source: S6 of `engine/core/snapshot.ts`.
 *
 * P1 A part that no turn was given is not touched, whether it was read or not.
 * P2 Only what has changed is written; a part that is made and dropped inside the batch leaves no trace.
 */
import { encodePart } from '../core/snapshot-codec.ts';
import type { Part, Snapshot } from '../core/snapshot.ts';
import type { PartKey, PartWrite } from '../store/instance-parts.ts';

/** A part as it was read, decoded once for all passes over the batch. */
export interface StoredPart {
  readonly text: string;
  readonly part: Part;
}

export interface PartsRead {
  /** By part id. */
  readonly parts: ReadonlyMap<number, StoredPart>;
  /** These are all parts that the instance has. */
  readonly areAll: boolean;
}

/** The parts that a turn is given: none (null), the one that it concerns, or all. */
export type PartChoice = number | 'all' | null;

export interface PartWrites {
  readonly inserts: readonly PartWrite[];
  readonly updates: readonly PartWrite[];
  readonly deletes: readonly PartKey[];
}

const nothingRead: PartsRead = { parts: new Map(), areAll: false };

export class InstanceParts {
  /** No part of the instance is stored that is not here. */
  readonly areAllKnown: boolean;
  readonly #read: ReadonlyMap<number, StoredPart>;
  readonly #mayBeStored: boolean;
  readonly #present = new Map<number, Part>();

  /** `snapshot` null: the instance is started by this batch, so none of its parts is stored. */
  constructor(snapshot: Snapshot | null, read: PartsRead | null) {
    const { parts, areAll } = read ?? nothingRead;
    this.#mayBeStored = snapshot !== null && hasParts(snapshot);
    this.areAllKnown = areAll || !this.#mayBeStored;
    this.#read = parts;
    for (const [id, { part }] of parts) this.#present.set(id, part);
  }

  /** The parts of the choice that exist and are known, in the order of their ids. */
  chosen(choice: PartChoice): readonly Part[] {
    if (choice === null) return [];
    if (choice === 'all') return [...this.#present.values()].sort((left, right) => left.id - right.id);
    const part = this.#present.get(choice);
    return part === undefined ? [] : [part];
  }

  /** What a turn made of the parts that it was given: those that are missing are gone, others are new. */
  replace(choice: PartChoice, parts: readonly Part[]): void {
    for (const { id } of this.chosen(choice)) this.#present.delete(id);
    for (const part of parts) this.#present.set(part.id, part);
  }

  /** The instance has ended and something may be stored of it. */
  get mayBeStored(): boolean {
    return this.#mayBeStored || this.#read.size > 0;
  }

  writes(instanceId: string): PartWrites {
    const inserts: PartWrite[] = [];
    const updates: PartWrite[] = [];
    for (const [partId, part] of this.#present) {
      const read = this.#read.get(partId);
      if (read?.part === part) continue;
      const write = { instanceId, partId, isOpen: part.scopes.length > 0, data: encodePart(part) };
      if (read === undefined) inserts.push(write);
      else if (read.text !== write.data) updates.push(write);
    }
    const deletes = [...this.#read.keys()].filter((partId) => !this.#present.has(partId));
    return { inserts, updates, deletes: deletes.map((partId) => ({ instanceId, partId })) };
  }
}

/** A token waits for frames that are parts. */
export function hasParts({ tokens }: Snapshot): boolean {
  return tokens.some((token) => token.loop?.isParted === true);
}
