/** Allowed values and type constraints: unary tests of a value, which sees nothing but itself. */
import type { Finding, Place } from '../../config/engine-error.ts';
import type { UnaryTests } from '../feel/ast.ts';
import { builtins } from '../feel/builtins/index.ts';
import { SyntaxFault } from '../feel/check-text.ts';
import { freeNamesOf } from '../feel/compile/free-names.ts';
import { compileTestProgram, type TestProgram } from '../feel/compile/program.ts';
import type { TypeLookup } from '../feel/compile/scope.ts';
import { parseUnaryTests } from '../feel/parse-expression.ts';
import type { KnownNames } from '../feel/parse-names.ts';
import { shown } from '../xml/shown.ts';
import type { DmnCode } from './codes.ts';
import type { SourceText } from './model.ts';

/**
 * The tests of a text: none when it is `-`, or when it was reported.
 * @param knownNames those inside of the value
 * @param report is told of what cannot be read, and of names that nothing has
 */
export function compileAllowedValues(
  source: SourceText,
  knownNames: KnownNames | null,
  types: TypeLookup,
  report: (finding: Finding) => void,
): readonly TestProgram[] {
  const tests = parse(source, new Map([['?', knownNames]]), report);
  if (tests === null || tests.kind === 'any') return [];
  for (const { name, from, mayBeProperty } of freeNamesOf(tests)) {
    if (builtins.has(name) || mayBeProperty) continue;
    const message = `nothing has the name ${shown(name)} here; a text stands in quotes, and the value itself is ?`;
    report(error('SUTRA.DMN.ALLOWED_VALUES_INVALID', source.placeAt(from), message));
    return [];
  }
  return [compileTestProgram(tests, { builtins, types })];
}

/** Null: it was reported. */
function parse(
  source: SourceText,
  knownNames: KnownNames,
  report: (finding: Finding) => void,
): UnaryTests | null {
  try {
    return parseUnaryTests(source.text, { knownNames });
  } catch (fault) {
    if (!(fault instanceof SyntaxFault)) throw fault;
    report(error('SUTRA.FEEL.SYNTAX_INVALID', source.placeAt(fault.offset), fault.message));
    return null;
  }
}

function error(code: DmnCode | 'SUTRA.FEEL.SYNTAX_INVALID', place: Place, message: string): Finding {
  return { code, severity: 'error', message, place };
}
