/** What is said of a call whose arguments fit no signature. */
import type { Arguments, Expression, Invocation } from '../ast.ts';
import type { Signature } from '../runtime.ts';
import type { Checker } from './checker.ts';
import type { StaticType } from './static-type.ts';

/** As in a sentence. */
export function calledName(callee: Expression): string {
  return callee.kind === 'name' ? `'${callee.name}'` : 'what is called';
}

export function refuseArguments(
  { callee, arguments: args, from, to }: Invocation,
  signatures: readonly Signature[],
  checker: Checker,
): StaticType {
  const taken = `it takes ${signatures.map(written).join(', or ')}`;
  const unknown =
    args.kind === 'positional'
      ? undefined
      : args.entries.find(({ name }) => signatures.every(({ names }) => !names.includes(name.name)));
  if (unknown !== undefined) {
    const { name } = unknown;
    const similar = checker.suggest(
      name,
      signatures.flatMap(({ names }) => names),
    );
    const message = `${calledName(callee)} has no parameter '${name.name}'${similar === '' ? `; ${taken}` : similar}`;
    return checker.error('SUTRA.FEEL.ARGUMENTS_INVALID', name, message);
  }
  const message = `${calledName(callee)} cannot be called with ${described(args)}; ${taken}`;
  return checker.error('SUTRA.FEEL.ARGUMENTS_INVALID', { from, to }, message);
}

function described(args: Arguments): string {
  if (args.kind === 'named') return `these: ${args.entries.map(({ name }) => name.name).join(', ')}`;
  const { length } = args.values;
  return length === 0 ? 'nothing' : length === 1 ? '1 argument' : `${length} arguments`;
}

/** `(string, start position, length?)`. */
function written({ names, least = names.length, isVariadic = false }: Signature): string {
  const parameters = names.map((name, index) => {
    if (isVariadic && index === names.length - 1) return `${name}...`;
    return index < least ? name : `${name}?`;
  });
  return `(${parameters.join(', ')})`;
}
