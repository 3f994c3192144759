/** Random block-structured models: what they consist of. `block-models.ts` makes processes of them. */
import fc from 'fast-check';

export const leaves = [
  'task',
  'data',
  'script',
  'call',
  'timed-call',
  'fallible-call',
  'registered',
  'receive',
  'catch',
  'timer',
  'user',
  'signal',
  'condition',
  'any-of',
  'all-of',
  'shout',
  'link',
  'mapped',
  'store',
  'call-each',
  'user-each',
  'user-again',
] as const;

/** What is attached to a sub-process, or starts an event sub-process. */
export const occasions = ['timer', 'message', 'signal', 'condition', 'cycle', 'all-of'] as const;

export type Leaf = (typeof leaves)[number];
export type Occasion = (typeof occasions)[number];

export type Block =
  | { readonly kind: 'leaf'; readonly leaf: Leaf }
  | { readonly kind: 'sequence'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'split';
      readonly split: 'exclusive' | 'inclusive' | 'parallel' | 'complex';
      readonly blocks: readonly Block[];
    }
  /** Goes back a few times. */
  | { readonly kind: 'loop'; readonly block: Block }
  /** An event-based gateway. */
  | { readonly kind: 'race' }
  | {
      readonly kind: 'guarded';
      readonly block: Block;
      readonly on: Occasion;
      readonly isInterrupting: boolean;
      /** By a boundary event, or by an event sub-process with a block of its own. */
      readonly handler: Block | null;
    }
  /** A sub-process that may leave in another way beside its block. */
  | {
      readonly kind: 'risky';
      readonly block: Block;
      readonly by: 'error' | 'terminate' | 'escalation' | 'error-inside' | 'escalation-inside';
    }
  | { readonly kind: 'sub'; readonly block: Block }
  | { readonly kind: 'called'; readonly block: Block }
  | {
      readonly kind: 'multi';
      readonly block: Block;
      readonly isSequential: boolean;
      readonly width: number;
      readonly endsEarly: boolean;
    }
  | { readonly kind: 'standard'; readonly block: Block; readonly isTestedBefore: boolean }
  | { readonly kind: 'adHoc'; readonly blocks: readonly Block[] }
  /** Does some things and then undoes them; a transaction may instead be completed. */
  | {
      readonly kind: 'undo';
      readonly by: 'throw' | 'outside' | 'transaction';
      readonly parts: readonly ('task' | 'user' | 'call' | 'user-each' | 'sub')[];
    };

const flag = fc.boolean();

export const blocks = fc.letrec<{ block: Block }>((tie) => {
  const block = tie('block');
  const several = (minLength: number): fc.Arbitrary<Block[]> => fc.array(block, { minLength, maxLength: 3 });
  const kind = <Kind extends Block['kind']>(name: Kind): { kind: fc.Arbitrary<Kind> } => ({
    kind: fc.constant(name),
  });
  return {
    block: fc.oneof(
      { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: fc.record({ ...kind('leaf'), leaf: fc.constantFrom(...leaves) }) },
      { weight: 3, arbitrary: fc.record({ ...kind('sequence'), blocks: several(2) }) },
      {
        weight: 3,
        arbitrary: fc.record({
          ...kind('split'),
          split: fc.constantFrom('exclusive', 'inclusive', 'parallel', 'complex'),
          blocks: several(2),
        }),
      },
      fc.record({ ...kind('loop'), block }),
      fc.record({ ...kind('race') }),
      {
        weight: 2,
        arbitrary: fc.record({
          ...kind('guarded'),
          block,
          on: fc.constantFrom(...occasions),
          isInterrupting: flag,
          handler: fc.option(block),
        }),
      },
      fc.record({
        ...kind('risky'),
        block,
        by: fc.constantFrom('error', 'terminate', 'escalation', 'error-inside', 'escalation-inside'),
      }),
      fc.record({ ...kind('sub'), block }),
      fc.record({ ...kind('called'), block }),
      {
        weight: 2,
        arbitrary: fc.record({
          ...kind('multi'),
          block,
          isSequential: flag,
          width: fc.integer({ min: 0, max: 3 }),
          endsEarly: flag,
        }),
      },
      fc.record({ ...kind('standard'), block, isTestedBefore: flag }),
      fc.record({ ...kind('adHoc'), blocks: several(1) }),
      fc.record({
        ...kind('undo'),
        by: fc.constantFrom('throw', 'outside', 'transaction'),
        parts: fc.array(fc.constantFrom('task', 'user', 'call', 'user-each', 'sub'), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
    ),
  };
}).block;
