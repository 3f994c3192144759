/**
 * A walk over an expression's tree that finds out the types of its nodes, and what can never be right.
 *
 * C1 A node is gone through once.
 * C2 What is reported has the type `any`: one mistake is one finding.
 * C3 No more than MAX_FINDINGS of one expression are reported.
 */
import type { Expression, Identifier, Span } from '../ast.ts';
import type { TypeLookup } from '../compile/scope.ts';
import { nearestName } from '../../nearest-name.ts';
import type { FeelCode, FeelFinding, Severity } from './findings.ts';
import { ScopeNames, type Names } from './names.ts';
import type { CheckScope } from './scope.ts';
import { anyType, type StaticType } from './static-type.ts';

const MAX_FINDINGS = 20;
/** Names that one mistyped one is compared with. */
const MAX_CANDIDATES = 300;

/** The type of a node, all that is in it checked. */
export type TypeOf = (node: Expression, checker: Checker) => StaticType;

export class Checker {
  readonly names: Names;
  readonly scope: CheckScope;
  readonly #typeOf: TypeOf;
  readonly #findings: FeelFinding[];

  private constructor(names: Names, scope: CheckScope, typeOf: TypeOf, findings: FeelFinding[]) {
    this.names = names;
    this.scope = scope;
    this.#typeOf = typeOf;
    this.#findings = findings;
  }

  static of(scope: CheckScope, typeOf: TypeOf): Checker {
    return new Checker(new ScopeNames(scope), scope, typeOf, []);
  }

  /** The same walk, where other names are known. */
  within(names: Names): Checker {
    return new Checker(names, this.scope, this.#typeOf, this.#findings);
  }

  get types(): TypeLookup {
    return this.scope.types ?? (() => null);
  }

  /** In the order of the text. */
  get findings(): readonly FeelFinding[] {
    return this.#findings.toSorted((one, other) => one.from - other.from || one.to - other.to);
  }

  typeOf(node: Expression): StaticType {
    return this.#typeOf(node, this);
  }

  /** Reports a mistake. Gives the type of what it is made in (C2). */
  error(code: FeelCode, place: Span, message: string): StaticType {
    return this.report('error', code, place, message);
  }

  warning(code: FeelCode, place: Span, message: string): StaticType {
    return this.report('warning', code, place, message);
  }

  report(severity: Severity, code: FeelCode, { from, to }: Span, message: string): StaticType {
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push({ severity, code, from, to, message });
    return anyType;
  }

  /** `; did you mean 'amount'?`, or nothing. */
  suggest({ name }: Identifier, known: Iterable<string>): string {
    if (this.#findings.length >= MAX_FINDINGS) return '';
    const candidates = new Set<string>();
    for (const candidate of known) {
      candidates.add(candidate);
      if (candidates.size === MAX_CANDIDATES) break;
    }
    const nearest = nearestName(name, candidates);
    return nearest === null ? '' : `; did you mean '${nearest}'?`;
  }
}
