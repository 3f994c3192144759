/** Types: what follows `instance of`, and the colon of a formal parameter. */
import type { ContextType, FunctionType, TypeExpression } from './ast.ts';
import { SyntaxFault } from './check-text.ts';
import type { NameReader } from './parse-names.ts';
import { childNamed, childrenNamed, type SyntaxNode } from './parse-nodes.ts';
import type { PreparedText } from './parse-text.ts';

/** Types inside each other. The parser loses its way soon after: `list <` may also be a comparison with `list`. */
export const MAX_TYPE_DEPTH = 40;

/** Reads the types of one text. */
export class TypeReader {
  readonly #prepared: PreparedText;
  readonly #names: NameReader;

  constructor(prepared: PreparedText, names: NameReader) {
    this.#prepared = prepared;
    this.#names = names;
  }

  /** @param node a `Type`. @throws SyntaxFault */
  read(node: SyntaxNode, depth = 1): TypeExpression {
    const { from, to } = node;
    if (depth > MAX_TYPE_DEPTH)
      throw new SyntaxFault(`a type is nested deeper than ${MAX_TYPE_DEPTH} levels`, from);
    const form = node.firstChild ?? node;
    switch (form.name) {
      case 'ListType': {
        const element = this.read(childNamed(form, 'Type'), depth + 1);
        const kind = this.#prepared.isRangeAt(form.from) ? 'range-type' : 'list-type';
        return { kind, element, from, to };
      }
      case 'ContextType':
        return { kind: 'context-type', entries: this.#entries(form, depth + 1), from, to };
      case 'FunctionType':
        return { kind: 'function-type', ...this.#signature(form, depth + 1), from, to };
      case 'SpecialType':
        return {
          kind: 'named-type',
          path: [this.#prepared.text.slice(from, to).replace(/ +/g, ' ')],
          from,
          to,
        };
      default: {
        const names = childrenNamed(form, 'VariableName').map((name) => this.#names.chosen(name).name);
        return { kind: 'named-type', path: names, from, to };
      }
    }
  }

  #entries(form: SyntaxNode, depth: number): ContextType['entries'] {
    return childrenNamed(childNamed(form, 'ContextEntryTypes'), 'ContextEntryType').map((entry) => ({
      name: this.#names.chosen(childNamed(entry, 'Name')),
      type: this.read(childNamed(entry, 'Type'), depth),
    }));
  }

  #signature(form: SyntaxNode, depth: number): Pick<FunctionType, 'parameters' | 'result'> {
    const parameters = childrenNamed(childNamed(form, 'ArgumentTypes'), 'ArgumentType');
    return {
      parameters: parameters.map((parameter) => this.read(childNamed(parameter, 'Type'), depth)),
      result: this.read(childNamed(form, 'Type'), depth),
    };
  }
}
