/**
 * A JUEL text to its parts, and each expression to a tree.
 *
 * From loose to tight, all to the left: `?:` (to the right); `||`; `&&`; `== !=`; `< <= > >=`; `+ -`; `* / %`; `- ! empty`;
 * `.` and `[]`. Source: JSR 245, Expression Language 2.2, 1.19; what backslashes do outside of braces, from JUEL 2.2.
 */
import { shown } from '../xml/shown.ts';
import { JuelFault } from './juel-fault.ts';
import { type JuelSign, type JuelToken, tokensOf } from './juel-tokens.ts';
import type { JuelBinaryOperator, JuelNode, JuelPart } from './juel-tree.ts';

/** Brackets, conditions and unary operators inside each other: they are read by recursion. */
const MAX_NESTING = 100;

/**
 * Reads the text up to `end`, from `start`.
 * @throws JuelFault
 */
export function parseJuel(text: string, start: number, end: number): readonly JuelPart[] {
  const read = text.slice(0, end);
  const parts: JuelPart[] = [];
  let firstSign: string | null = null;
  let offset = start;
  while (offset < end) {
    const around = textAt(read, offset);
    if (around.text !== '') parts.push({ kind: 'text', text: around.text, offset });
    offset = around.end;
    if (offset >= end) break;
    firstSign ??= read[offset] ?? '';
    if (read[offset] !== firstSign) {
      const message = 'JUEL mixes no ${…} and #{…} in one text; write all of them with $';
      throw new JuelFault('syntax', message, offset);
    }
    const tokens = tokensOf(read, offset);
    parts.push({ kind: 'expression', node: new Parser(tokens).read() });
    offset = (tokens.at(-1)?.offset ?? end) + 1;
  }
  return parts;
}

/** Text up to the next expression. A backslash directly before `${` makes it text, and any other is one itself. */
function textAt(read: string, start: number): { readonly text: string; readonly end: number } {
  let text = '';
  let isEscaped = false;
  for (let at = start; at < read.length; at += 1) {
    const sign = read[at] ?? '';
    const isOpening = (sign === '$' || sign === '#') && read[at + 1] === '{';
    if (isOpening && !isEscaped) return { text, end: at };
    if (isOpening) text = text.slice(0, -1);
    text += sign;
    isEscaped = sign === '\\';
  }
  return { text, end: read.length };
}

/** How tight the operators bind. */
const strengths: ReadonlyMap<JuelSign, number> = new Map(
  (
    [
      ['||'],
      ['&&'],
      ['==', '!='],
      ['<', '<=', '>', '>='],
      ['+', '-'],
      ['*', '/', '%'],
    ] satisfies JuelBinaryOperator[][]
  ).flatMap((row, strength) => row.map((sign): [JuelSign, number] => [sign, strength])),
);

function isBinary(sign: JuelSign): sign is JuelBinaryOperator {
  return strengths.has(sign);
}

class Parser {
  readonly #tokens: readonly JuelToken[];
  #at = 0;
  #nesting = 0;

  /** @param tokens with the end as the last */
  constructor(tokens: readonly JuelToken[]) {
    this.#tokens = tokens;
  }

  read(): JuelNode {
    const node = this.#expression();
    if (this.#token().kind !== 'end') throw this.#unexpected();
    return node;
  }

  #expression(): JuelNode {
    return this.#nested(() => {
      const condition = this.#binary(0);
      const { offset } = this.#token();
      if (!this.#takes('?')) return condition;
      const consequent = this.#expression();
      this.#expect(':');
      return { kind: 'conditional', condition, consequent, alternative: this.#expression(), offset };
    });
  }

  #binary(least: number): JuelNode {
    let left = this.#unary();
    while (true) {
      const token = this.#token();
      if (token.kind !== 'sign' || !isBinary(token.sign)) return left;
      const strength = strengths.get(token.sign) ?? 0;
      if (strength < least) return left;
      this.#at += 1;
      const right = this.#binary(strength + 1);
      left = { kind: 'binary', operator: token.sign, left, right, offset: token.offset };
    }
  }

  #unary(): JuelNode {
    const token = this.#token();
    if (token.kind !== 'sign') return this.#value();
    const { sign, offset } = token;
    if (sign !== '!' && sign !== '-' && sign !== 'empty') return this.#value();
    this.#at += 1;
    return { kind: 'unary', operator: sign, operand: this.#nested(() => this.#unary()), offset };
  }

  #value(): JuelNode {
    let node = this.#primary();
    while (true) {
      const { offset } = this.#token();
      if (this.#takes('.')) node = this.#property(node);
      else if (this.#takes('[')) node = this.#index(node, offset);
      else return node;
    }
  }

  #property(base: JuelNode): JuelNode {
    const token = this.#token();
    if (token.kind !== 'word') throw this.#unexpected(`; a name follows the dot, or write ["…"]`);
    this.#at += 1;
    const { written: name, offset } = token;
    const args = this.#args();
    return args === null
      ? { kind: 'property', base, name, offset }
      : { kind: 'method', base, method: name, args, offset };
  }

  #index(base: JuelNode, offset: number): JuelNode {
    const index = this.#expression();
    this.#expect(']');
    const args = this.#args();
    if (args === null) return { kind: 'index', base, index, offset };
    if (index.kind === 'string') return { kind: 'method', base, method: index.value, args, offset };
    const message = 'which method this calls must be known beforehand; write its name in quotes';
    throw new JuelFault('call', message, offset);
  }

  #primary(): JuelNode {
    const token = this.#token();
    const { offset, written } = token;
    if (this.#takes('(')) {
      const node = this.#expression();
      this.#expect(')');
      return node;
    }
    if (token.kind === 'sign' || token.kind === 'end') throw this.#unexpected();
    this.#at += 1;
    if (token.kind === 'string') return { kind: 'string', value: token.value, offset };
    if (token.kind === 'number') return { kind: 'number', text: written, offset };
    if (written === 'true' || written === 'false')
      return { kind: 'boolean', value: written === 'true', offset };
    if (written === 'null') return { kind: 'null', offset };
    const name = this.#prefixed(written);
    const args = this.#args();
    return args === null ? { kind: 'name', name, offset } : { kind: 'function', name, args, offset };
  }

  /**
   * `prefix:name` before a parenthesis. Else the colon is that of a condition. An operator between operands can be the name:
   * no condition goes on with one, and Flowable has `vars:eq(…)`.
   */
  #prefixed(prefix: string): string {
    const [colon, name, bracket] = this.#tokens.slice(this.#at, this.#at + 3);
    const isName = name?.kind === 'word' || /^(?:eq|ne|lt|le|gt|ge)$/.test(name?.written ?? '');
    if (name === undefined || !isName || !isSign(colon, ':') || !isSign(bracket, '(')) return prefix;
    this.#at += 2;
    return `${prefix}:${name.written}`;
  }

  /** Null: no parenthesis follows. */
  #args(): readonly JuelNode[] | null {
    if (!this.#takes('(')) return null;
    if (this.#takes(')')) return [];
    const args = [this.#expression()];
    while (this.#takes(',')) args.push(this.#expression());
    this.#expect(')');
    return args;
  }

  #nested(read: () => JuelNode): JuelNode {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) {
      const message = `the expression is nested deeper than ${MAX_NESTING} levels`;
      throw new JuelFault('size', message, this.#token().offset);
    }
    const node = read();
    this.#nesting -= 1;
    return node;
  }

  /** The end stays the next one for ever. */
  #token(): JuelToken {
    const token = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)];
    if (token === undefined) throw new TypeError('an expression has at least its end');
    return token;
  }

  #takes(sign: JuelSign): boolean {
    if (!isSign(this.#token(), sign)) return false;
    this.#at += 1;
    return true;
  }

  #expect(sign: JuelSign): void {
    if (!this.#takes(sign)) throw this.#unexpected(`; ${sign} is missing before it`);
  }

  #unexpected(hint = ''): JuelFault {
    const { kind, written, offset } = this.#token();
    if (kind === 'end') return new JuelFault('syntax', `the expression is not complete${hint}`, offset);
    return new JuelFault('syntax', `unexpected ${shown(written)} in a JUEL expression${hint}`, offset);
  }
}

function isSign(token: JuelToken | undefined, sign: JuelSign): boolean {
  return token?.kind === 'sign' && token.sign === sign;
}
