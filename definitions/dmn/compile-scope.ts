/**
 * What a boxed expression sees of names: where their values are, and of which types they are.
 *
 * S1 A name that is not known here means nothing: only what is required, imported or declared around is visible.
 *
 * Source: DMN 1.5, 10.4.2.
 */
import type { Finding, Place } from '../../config/engine-error.ts';
import type { Expression, UnaryTests } from '../feel/ast.ts';
import type { Code } from '../feel/compile/evaluation.ts';
import { compileTree } from '../feel/compile/expression.ts';
import { Layout, ProgramScope, Scope, type Location } from '../feel/compile/scope.ts';
import type { KnownNames } from '../feel/parse-names.ts';
import type { FeelFunction } from '../feel/runtime.ts';
import type { DecisionCode } from './decision-run.ts';
import { namesOnly } from './inferred-type.ts';
import type { ItemType, ItemTypes } from './item-types.ts';
import type { BoxedExpression, SourceText, TypeReference } from './model.ts';

/** A boxed expression that can be evaluated. */
export interface Compiled {
  /** Pays for itself, and sets the text that its warnings are about. */
  readonly code: Code;
  /** The values are of it. */
  readonly type: ItemType;
  /** What it takes of the stack (feel/compile/cost.ts). */
  readonly height: number;
}

/** A FEEL text that was read, and what is known around it. */
export interface ReadText {
  readonly source: SourceText;
  readonly tree: Expression | UnaryTests;
  readonly names: ReadonlyMap<string, ItemType>;
  /** What `?` stands for. Null: nothing. */
  readonly input: ItemType | null;
  /** In a filter a name may be a property of the element, whatever is known. */
  readonly isInFilter: boolean;
}

/** What all that is compiled of one model shares. */
export interface Compilation {
  readonly builtins: ReadonlyMap<string, FeelFunction>;
  readonly types: ItemTypes;
  readonly report: (finding: Finding) => void;
  /** Is given every text that could be read. */
  readonly onText: (text: ReadText) => void;
  readonly compile: (node: BoxedExpression, scope: BoxedScope) => Compiled;
}

/** What is required: it stands outside of the expression, and its names are variables of it (feel/compile/evaluation.ts). */
class RequirementScope extends Scope {
  readonly #functions: ReadonlySet<string>;

  constructor(program: ProgramScope, functions: ReadonlySet<string>) {
    super(program, new Layout());
    this.#functions = functions;
  }

  find(name: string): Location {
    return this.program.variable(name);
  }

  /** A required function is called before a built-in one of its name. A value of that name is not in the way of it. */
  declares(name: string): boolean {
    return this.#functions.has(name);
  }
}

/** Trees of texts: the cells of a table repeat themselves. Null: the text could not be read. */
interface KnownTrees {
  readonly expressions: Map<string, Expression | null>;
  readonly tests: Map<string, UnaryTests | null>;
}

export class BoxedScope {
  readonly compilation: Compilation;
  /** Where the values are. */
  readonly scope: Scope;
  readonly names: ReadonlyMap<string, ItemType>;
  readonly isInFilter: boolean;
  /** For the parser. */
  readonly knownNames: KnownNames;
  readonly trees: KnownTrees = { expressions: new Map(), tests: new Map() };
  /** Unknown names that were reported. */
  readonly reported = new Set<string>();

  private constructor(
    compilation: Compilation,
    scope: Scope,
    names: ReadonlyMap<string, ItemType>,
    isInFilter: boolean,
  ) {
    this.compilation = compilation;
    this.scope = scope;
    this.names = names;
    this.isInFilter = isInFilter;
    this.knownNames = new Map([...names].map(([name, { knownNames }]) => [name, knownNames]));
  }

  /** Outside of everything, where these are required. */
  static outside(compilation: Compilation, required: ReadonlyMap<string, ItemType>): BoxedScope {
    const program = new ProgramScope(compilation.builtins, compilation.types.lookup, compileTree);
    const functions = [...required].filter(([, { feelType }]) => feelType.kind === 'function');
    const scope = new RequirementScope(program, new Set(functions.map(([name]) => name)));
    return new BoxedScope(compilation, scope, required, false);
  }

  /** With names more. @param scope where their values are */
  declaring(scope: Scope, names: ReadonlyMap<string, ItemType>): BoxedScope {
    return new BoxedScope(this.compilation, scope, new Map([...this.names, ...names]), this.isInFilter);
  }

  /** A filter's condition. Of what is known outside an element may have another by the same name. @param names its own */
  filtering(scope: Scope, names: ReadonlyMap<string, ItemType>): BoxedScope {
    const outer = [...this.names].map(([name, type]) => [name, namesOnly(type)] as const);
    return new BoxedScope(this.compilation, scope, new Map([...outer, ...names]), true);
  }

  compile(node: BoxedExpression): Compiled {
    return this.compilation.compile(node, this);
  }

  /** What a type reference stands for. */
  typeOf(reference: TypeReference | null): ItemType {
    return this.compilation.types.resolve(reference, this.compilation.report);
  }

  error(code: DecisionCode, place: Place, message: string): void {
    this.compilation.report({ code, severity: 'error', message, place });
  }
}
