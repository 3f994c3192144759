/** Calling a function that is an argument, with arguments in order. */
import type { FeelFunction, FeelValue, Run, Signature } from '../runtime.ts';

/** A function ready to be called with a number of arguments. */
export type Callback = (args: readonly FeelValue[], run: Run) => FeelValue;

/** Null: the function does not take so many arguments. */
export function callbackOf(fn: FeelFunction, argumentCount: number): Callback | null {
  const signature = fn.signatures.find((candidate) => takes(candidate, argumentCount));
  if (signature === undefined) return null;
  if (signature.isVariadic !== true) return (args, run) => fn.invoke(args, run);
  const fixedCount = signature.names.length - 1;
  return (args, run) => fn.invoke([...args.slice(0, fixedCount), args.slice(fixedCount)], run);
}

function takes({ names, least = names.length, isVariadic = false }: Signature, count: number): boolean {
  return count >= least && (isVariadic || count <= names.length);
}
