/** The syntax tree of JUEL. Offsets count in the whole text, from 0. */

export type JuelBinaryOperator =
  '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%';

interface Placed {
  /** Of the first sign of a literal, a name or a unary operator; of the operator between two operands. */
  readonly offset: number;
}

export type JuelNode = Placed &
  (
    | { readonly kind: 'string'; readonly value: string }
    /** As written: digits, perhaps a fraction and an exponent. */
    | { readonly kind: 'number'; readonly text: string }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'null' }
    | { readonly kind: 'name'; readonly name: string }
    /** `base.name`; the offset is that of the name. */
    | { readonly kind: 'property'; readonly base: JuelNode; readonly name: string }
    /** `base[index]`; the offset is that of the bracket. */
    | { readonly kind: 'index'; readonly base: JuelNode; readonly index: JuelNode }
    /** `base.method(…)`; the offset is that of the method's name. */
    | {
        readonly kind: 'method';
        readonly base: JuelNode;
        readonly method: string;
        readonly args: readonly JuelNode[];
      }
    /** `name(…)` or `prefix:name(…)`. */
    | { readonly kind: 'function'; readonly name: string; readonly args: readonly JuelNode[] }
    | { readonly kind: 'unary'; readonly operator: '!' | '-' | 'empty'; readonly operand: JuelNode }
    | {
        readonly kind: 'binary';
        readonly operator: JuelBinaryOperator;
        readonly left: JuelNode;
        readonly right: JuelNode;
      }
    | {
        readonly kind: 'conditional';
        readonly condition: JuelNode;
        readonly consequent: JuelNode;
        readonly alternative: JuelNode;
      }
  );

/** What stands between braces, or the text around them. */
export type JuelPart =
  | { readonly kind: 'text'; readonly text: string; readonly offset: number }
  | { readonly kind: 'expression'; readonly node: JuelNode };
