/** What happens to a golden instance, in words that stay the same from version to version. */
import type { Context, Value } from '../../definitions/value.ts';
import type { Instance } from '../core/instance.ts';

export type Step =
  | readonly [verb: 'complete', elementId: string, variables?: Context, nth?: number]
  | readonly [verb: 'answer', elementId: string, payload?: Value, nth?: number]
  | readonly [verb: 'fail', elementId: string, code: string, nth?: number]
  | readonly [verb: 'deliver', elementId: string, payload?: Value]
  /** By an alias. */
  | readonly [verb: 'send', channel: string, alias: string, value: string, payload: Value]
  | readonly [verb: 'fire', elementId: string, nth?: number]
  | readonly [verb: 'signal', name: string, payload?: Value]
  /** As seen from the element, or from the root. */
  | readonly [verb: 'set', variables: Context, elementId?: string]
  | readonly [verb: 'launch', adHocId: string, activityId: string]
  | readonly [verb: 'finish', adHocId: string]
  | readonly [verb: 'retry'];

export function takeStep(instance: Instance, step: Step): void {
  switch (step[0]) {
    case 'complete':
      instance.complete(step[1], step[2], step[3]);
      return;
    case 'answer':
      instance.answer(step[1], step[2], step[3]);
      return;
    case 'fail':
      instance.fail(step[1], step[2], {}, step[3]);
      return;
    case 'deliver':
      instance.deliver(step[1], step[2]);
      return;
    case 'send':
      instance.send(step[1], step[4], { aliases: [{ name: step[2], value: step[3] }] });
      return;
    case 'fire':
      instance.fire(step[1], step[2]);
      return;
    case 'signal':
      instance.signal(step[1], step[2]);
      return;
    case 'set':
      instance.set(step[1], step[2]);
      return;
    case 'launch':
      instance.launch(step[1], step[2]);
      return;
    case 'finish':
      instance.finish(step[1]);
      return;
    case 'retry':
      instance.retry();
      return;
  }
}
