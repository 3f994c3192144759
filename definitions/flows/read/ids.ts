/** Gives the steps of a flow that was read their ids, and notes those that two of them would have. */
import { MAX_ID_LENGTH } from '../../xml/schema-values.ts';
import { shown } from '../../xml/shown.ts';
import type { Written } from '../../written.ts';
import type { YamlFile } from '../../yaml-reader.ts';
import type { Flow, Handler, Step, Steps } from '../flow.ts';
import { isOpen } from './reach.ts';
import {
  bareEndIds,
  derivedAlternativeId,
  derivedHandlerId,
  derivedId,
  derivedStartId,
  PendingId,
} from '../step-ids.ts';

/** Sets every pending id of `flow`. */
export function assignIds(flow: Flow, file: YamlFile): void {
  const ids = new AssignedIds(file);
  ids.give(flow.id, '', 'the process');
  const isOnly = flow.starts.length === 1;
  flow.starts.forEach((start) => ids.give(start.id, derivedStartId(start, isOnly), 'the start'));
  ids.giveAll(flow.steps);
  // The end that every process has stands behind its last step.
  ids.giveEnds(isOpen(flow.steps));
}

class AssignedIds {
  readonly #file: YamlFile;
  /** With what has it. */
  readonly #owners = new Map<string, string>();
  /** Numbers that were proposed last. */
  readonly #numbers = new Map<string, number>();
  readonly #bareEnds: PendingId[] = [];

  constructor(file: YamlFile) {
    this.#file = file;
  }

  giveAll(steps: Steps): void {
    steps.forEach((step) => this.#giveStep(step));
  }

  #giveStep(step: Step): void {
    if (step.verb === 'end' && step.name === null && step.id instanceof PendingId)
      this.#bareEnds.push(step.id);
    else this.give(step.id, derivedId(step));
    switch (step.verb) {
      case 'wait-first':
        for (const alternative of step.alternatives) {
          this.give(alternative.id, derivedAlternativeId(alternative));
          this.giveAll(alternative.steps);
        }
        break;
      case 'choose':
        step.cases.forEach(({ steps }) => this.giveAll(steps));
        this.giveAll(step.otherwise ?? []);
        break;
      case 'parallel':
        step.branches.forEach(({ steps }) => this.giveAll(steps));
        break;
      case 'for-each':
      case 'repeat':
        this.giveAll(step.steps);
        break;
      case 'try':
        this.giveAll(step.steps);
        step.handlers.forEach((handler) => this.#giveHandler(step.id, handler));
        this.giveAll(step.compensation?.steps ?? []);
        break;
      default:
    }
  }

  #giveHandler(tryId: Written, handler: Handler): void {
    this.give(handler.id, derivedHandlerId(tryId.text, handler));
    this.giveAll(handler.steps);
  }

  /** Bare ends take the numbers that are left. `isFirstMade`: the flow adds one itself. */
  giveEnds(isFirstMade: boolean): void {
    if (isFirstMade) this.#owners.set('end', 'the last end');
    const ids = bareEndIds(this.#owners);
    for (const pending of this.#bareEnds) pending.text = ids.next().value;
  }

  give(id: Written, derived: string, owner?: string): void {
    if (id instanceof PendingId) id.text = derived;
    const { text } = id;
    const place = id.place();
    const first = this.#owners.get(text);
    if (first === undefined) {
      if (text.length <= MAX_ID_LENGTH)
        this.#owners.set(text, owner ?? `the step in line ${place.line ?? 1}`);
      else {
        const message = `the id that is made for this step has ${text.length} characters, the limit is ${MAX_ID_LENGTH}; give it one with id`;
        this.#file.error('SUTRA.FLOWS.ID_NEEDED', message, place);
      }
      return;
    }
    if (id instanceof PendingId) {
      const message = `this step would have the id ${shown(text)}, as ${first} has; give one of the two an id of its own, as id: ${this.#proposed(text)}`;
      this.#file.error('SUTRA.FLOWS.ID_NEEDED', message, place);
    } else {
      const message = `${first} has the id ${shown(text)} already; choose another`;
      this.#file.error('SUTRA.FLOWS.ID_TAKEN', message, place);
    }
  }

  #proposed(text: string): string {
    let number = (this.#numbers.get(text) ?? 1) + 1;
    while (this.#owners.has(`${text}-${number}`)) number += 1;
    this.#numbers.set(text, number);
    return `${text}-${number}`;
  }
}
