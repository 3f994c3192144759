/** `advance` with frozen input, where the clock and the random source throw (A1). */
import { advance } from '../../engine/core/advance.ts';
import { deepFreeze } from '../support/process-model.ts';

export const advancePurely: typeof advance = (process, snapshot, stimulus, context) => {
  const RealDate = globalThis.Date;
  const realRandom = Math.random;
  globalThis.Date = new Proxy(RealDate, {
    construct(target, args: readonly number[]) {
      if (args.length === 0) throw new Error('the core read the clock');
      return new target(...(args as [number]));
    },
    get(target, name, receiver) {
      if (name === 'now') throw new Error('the core read the clock');
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  Math.random = () => {
    throw new Error('the core used a random number');
  };
  try {
    return advance(process, deepFreeze(snapshot), deepFreeze(stimulus), deepFreeze({ ...context }));
  } finally {
    globalThis.Date = RealDate;
    Math.random = realRandom;
  }
};
