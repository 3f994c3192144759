/**
 * The ids of steps that their author gave none.
 *
 * D1 A derived id depends on its step alone, on a handler's also on its `try`: so no id changes because a step is
 *    inserted elsewhere. The one exception is a bare `end`, at which nothing ever waits: it is counted.
 * D2 Steps that come to the same id are refused, on the later one; no number is made up for it.
 */
import type { Place } from '../../config/engine-error.ts';
import type { Written } from '../written.ts';
import type { PlaceSource } from '../xml/translated-document.ts';
import type { Handler, Start, Step, Trigger, WaitFirstStep } from './flow.ts';

/** An id that is known once the whole flow was read. */
export class PendingId implements Written {
  text = '';
  readonly place: PlaceSource;

  constructor(place: PlaceSource) {
    this.place = place;
  }

  inside = (): Place => this.place();
}

/** Longest part of an id that is derived from an expression or a name. */
const MAX_SLUG_LENGTH = 40;

/** Letters and digits in small letters, with `-` for what is between them. */
export function slug(text: string): string {
  const whole = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
  return Array.from(whole).slice(0, MAX_SLUG_LENGTH).join('').replace(/-$/, '');
}

/** What the id of a step is when none is given; a bare `end` may get a number besides. */
export function derivedId(step: Step): string {
  const own = ownParts(step);
  // The name of an end is what it is.
  return step.verb === 'end' ? joinedId(own) : namedOr(step.name, own);
}

/** What a bare `end` is called that is counted. */
export const BARE_END = /^end(?:-\d+)?$/;

/** The ids of bare ends, one after the other: the counted ones that are not `taken`. */
export function* bareEndIds(taken: { has(id: string): boolean }): Generator<string, never> {
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? 'end' : `end-${number}`;
    if (!taken.has(id)) yield id;
  }
}

/** Of one of several things that are waited for. */
export function derivedAlternativeId({ name, trigger }: WaitFirstStep['alternatives'][number]): string {
  return namedOr(name, ['wait', ...triggerParts(trigger)]);
}

/** Of a start; `isOnly`: the flow has no other. */
export function derivedStartId({ name, trigger }: Start, isOnly: boolean): string {
  return namedOr(name, ['start', ...(isOnly || trigger === null ? [] : triggerParts(trigger))]);
}

/** Of a handler of the `try` that has this id. */
export function derivedHandlerId(tryId: string, handler: Handler): string {
  const text = handler.kind === 'timeout' ? '' : slug(handler.code?.text ?? '');
  const own = [tryId, `on-${handler.kind}`, ...(text === '' ? [] : [text])].join('-');
  const fromName = slug(handler.name?.text ?? '');
  return /^[\p{L}_]/u.test(fromName) ? fromName : own;
}

function namedOr(name: Written | null, own: Parts): string {
  const fromName = slug(name?.text ?? '');
  if (fromName === '') return joinedId(own);
  return /^[\p{L}_]/u.test(fromName) ? fromName : `${own[0]}-${fromName}`;
}

type Parts = readonly [verb: string, ...texts: (string | undefined)[]];

function joinedId([verb, ...texts]: Parts): string {
  return [verb, ...texts.map((text) => slug(text ?? ''))].filter((text) => text !== '').join('-');
}

function ownParts(step: Step): Parts {
  switch (step.verb) {
    case 'call':
      return ['call', step.target.text];
    case 'send':
      return ['send', (step.message.channel ?? step.message.destination)?.text];
    case 'wait':
      return ['wait', ...triggerParts(step.trigger)];
    case 'wait-first':
      return ['wait-first', ...step.alternatives.slice(0, 1).flatMap(({ trigger }) => triggerParts(trigger))];
    case 'choose':
      return ['choose', step.cases[0]?.when.text];
    case 'for-each':
      return ['for-each', step.item.text];
    case 'decide':
      return ['decide', step.decision.text];
    case 'set':
      return ['set', step.assignments[0]?.name.text];
    case 'flow':
      return ['flow', step.process.text];
    case 'signal':
      return ['signal', step.signal.text];
    case 'escalate':
    case 'fail':
      return [step.verb, step.code.text];
    case 'compensate':
      return ['compensate', step.target?.text ?? 'all'];
    case 'end':
      return ['end', step.name?.text];
    case 'parallel':
    case 'repeat':
    case 'try':
    case 'reply':
      return [step.verb];
  }
}

function triggerParts(trigger: Trigger): readonly string[] {
  switch (trigger.kind) {
    case 'message':
      return [trigger.source.channel.text];
    case 'timer':
      return [trigger.timer.value.text];
    case 'signal':
      return ['signal', trigger.signal.text];
    case 'condition':
      return ['condition', trigger.condition.text];
  }
}
