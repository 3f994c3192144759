/**
 * The static checks of the FEEL texts of decision models (feel/check/check-expression.ts).
 *
 * C1 All of it is a warning: by the standard an expression that can have no value is null, and a model with one is a model.
 * C2 Unknown names are reported where texts are read (compile-text.ts), and not here.
 */
import type { Finding } from '../../config/engine-error.ts';
import type { Expression, UnaryTests } from '../feel/ast.ts';
import { checkExpression, checkUnaryTests, type FeelFinding } from '../feel/check/check-expression.ts';
import type { CheckScope, KnownTypes } from '../feel/check/scope.ts';
import { anyType, staticTypeOf } from '../feel/check/static-type.ts';
import type { DmnCode } from './codes.ts';
import type { ReadText } from './compile-scope.ts';
import type { ItemType } from './item-types.ts';

/** A person corrects tens of faults, not thousands. */
const MAX_FINDINGS = 500;

export function checkTexts(texts: readonly ReadText[]): readonly Finding[] {
  const findings = new Map<string, Finding>();
  for (const text of texts) {
    for (const { code, message, from } of checkText(text)) {
      const place = text.source.placeAt(from);
      // What is compiled in several places is the same text.
      findings.set(JSON.stringify([code, place]), { code, severity: 'warning', message, place });
    }
    if (findings.size >= MAX_FINDINGS) return cutOff([...findings.values()]);
  }
  return [...findings.values()];
}

function cutOff(findings: readonly Finding[]): readonly Finding[] {
  const code: DmnCode = 'SUTRA.DMN.TOO_MANY_FINDINGS';
  const message = `of the findings in expressions no more than ${MAX_FINDINGS} are listed; correct these first`;
  return [...findings.slice(0, MAX_FINDINGS), { code, severity: 'warning', message, place: {} }];
}

function checkText({ tree, names, input }: ReadText): readonly FeelFinding[] {
  const scope: CheckScope = {
    names: typesOf(names),
    unknownNames: 'nothing',
    mayHoldFunctions: true,
    // A type that is not there was reported, too.
    types: () => ({ kind: 'any' }),
  };
  if (!isTests(tree)) return checkExpression(tree, scope).findings;
  return checkUnaryTests(tree, input === null ? anyType : staticTypeOf(input.feelType), scope);
}

/** Few of many names are asked for. */
function typesOf(names: ReadonlyMap<string, ItemType>): KnownTypes {
  return {
    get: (name) => {
      const item = names.get(name);
      return item === undefined ? undefined : staticTypeOf(item.feelType);
    },
    keys: () => names.keys(),
  };
}

function isTests(tree: Expression | UnaryTests): tree is UnaryTests {
  return tree.kind === 'any' || tree.kind === 'tests';
}
