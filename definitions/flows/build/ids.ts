/**
 * The ids of what is made for a flow.
 *
 * I1 What an author could name (a join, the end of a part) has an id that depends on its step alone: when another
 *    step has that id, that is reported, and nothing is renamed in silence.
 * I2 What nobody names (a sequence flow, an error beside the process) takes the next id that is free.
 */
import type { Finding } from '../../../config/engine-error.ts';
import { MAX_ID_LENGTH } from '../../xml/schema-values.ts';
import { shown } from '../../xml/shown.ts';
import type { Written } from '../../written.ts';
import type { Flow, Steps } from '../flow.ts';
import { partsOf } from '../flow-parts.ts';

/** Room for a number behind the id. */
const MAX_BASE_LENGTH = MAX_ID_LENGTH - 10;

export class BuiltIds {
  readonly #findings: Finding[];
  /** Ids of the author's, the derived ones included. */
  readonly #given = new Map<string, Written>();
  readonly #made = new Set<string>();
  /** How often an id was asked for, so that thousands of like ones cost no search. */
  readonly #counts = new Map<string, number>();

  constructor(flow: Flow, findings: Finding[]) {
    this.#findings = findings;
    this.#give(flow.id);
    flow.starts.forEach(({ id }) => this.#give(id));
    this.#giveAll(flow.steps);
  }

  /** The id of something that belongs to the step `owner`; `what` is it, as `the join`. */
  of(owner: Written, suffix: string, what: string): string {
    const id = `${owner.text}${suffix}`;
    const given = this.#given.get(id);
    if (given === undefined) {
      // Only a sequence flow between steps with such ids can have it.
      if (this.#made.has(id)) return this.free(id);
      this.#made.add(id);
      return id;
    }
    this.#findings.push({
      code: 'SUTRA.FLOWS.ID_TAKEN',
      severity: 'error',
      message: `The id ${shown(id)} is that of ${what} of ${shown(owner.text)}; give the step another one with id.`,
      place: { ...given.place(), elementId: id },
    });
    return this.free(id);
  }

  /** `base`, or that and the first number with which it is free. */
  free(base: string): string {
    const start = base.slice(0, MAX_BASE_LENGTH).replace(/\p{Surrogate}$/u, '');
    for (let count = (this.#counts.get(start) ?? 0) + 1; ; count += 1) {
      const id = count === 1 ? start : `${start}-${count}`;
      if (!this.#given.has(id) && !this.#made.has(id)) {
        this.#counts.set(start, count);
        this.#made.add(id);
        return id;
      }
    }
  }

  /** Two steps of one id were reported where the file was read. */
  #give(id: Written): void {
    if (!this.#given.has(id.text)) this.#given.set(id.text, id);
  }

  #giveAll(steps: Steps): void {
    for (const step of steps) {
      this.#give(step.id);
      for (const part of partsOf(step)) {
        if (part.id !== null) this.#give(part.id);
        this.#giveAll(part.steps);
      }
    }
  }
}
