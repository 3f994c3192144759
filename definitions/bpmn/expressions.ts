/** FEEL in a BPMN file: compiled, or reported where in the file it is wrong. */
import type { Place } from '../../config/engine-error.ts';
import { roleOf, type ExpressionRole, type ModelExpression } from '../expression-check/expression-use.ts';
import { compileExpression, type CompiledExpression, FeelSyntaxError } from '../feel.ts';
import type { XmlAttribute, XmlDocument, XmlElement } from '../xml/document.ts';
import { attributeOf, findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import type { Report } from './report.ts';

const FEEL_LANGUAGE =
  /^(?:feel|(?:text|application)\/(?:x-)?feel|https?:\/\/www\.omg\.org\/spec\/(?:DMN\/\d{8}\/)?FEEL\/?)$/i;
/** The syntax of other engines. FEEL has no `$` or `#` before a brace. */
const OTHER_ENGINE = /^\s*[$#]\{/;

/** Compiling one costs about as much as parsing 4 kB of XML; the largest known model has some hundreds. */
const MAX_EXPRESSIONS = 10_000;

/**
 * Stands for an expression that was reported. A file with a reported fault yields no model, so it is
 * never evaluated.
 */
export const REPORTED: CompiledExpression = compileExpression('null');

export class Expressions {
  #count = 0;
  /** By text: an expression is data without a place, and models repeat themselves. */
  readonly #compiled = new Map<string, CompiledExpression>();
  readonly #placed: ModelExpression[] = [];
  readonly #report: Report;
  /** Of BPMN's own expressions that name none; null when it is FEEL or not given. */
  readonly #otherLanguage: string | null;

  constructor(document: XmlDocument, report: Report) {
    this.#report = report;
    const language = attributeOf(document.root, 'expressionLanguage');
    this.#otherLanguage = language === null || isFeelLanguage(language) ? null : language;
  }

  /** Those that were compiled, in the order in which they were read. Names that stand for data are none of them. */
  get placed(): readonly ModelExpression[] {
    return this.#placed;
  }

  /** Compiles an attribute of a q element. Null when absent, or reported. */
  attribute(element: XmlElement, name: string): CompiledExpression | null {
    const attribute = findAttribute(element, name);
    // A blank one was reported with the element's form.
    if (attribute === null || attribute.value.trim() === '') {
      return null;
    }
    const placeAt = (index: number): Place => this.#report.placeInAttribute(element, attribute, index);
    return this.#read(attribute.value, roleOf(element.localName, name), placeAt);
  }

  /** Compiles the text of an element that BPMN defines as an expression. Null when reported. */
  formal(element: XmlElement): CompiledExpression | null {
    if (!this.checkLanguage(element)) {
      return null;
    }
    return this.text(element);
  }

  /** Compiles the text of an element whose language is known to be FEEL. Null when reported. */
  text(element: XmlElement): CompiledExpression | null {
    if (element.text.trim() === '') {
      this.#report.error(
        'SUTRA.FEEL.SYNTAX_INVALID',
        element,
        `${element.localName} is empty; write a FEEL expression`,
      );
      return null;
    }
    const placeAt = (index: number): Place => this.#report.placeInText(element, index);
    return this.#read(element.text, roleOf(element.localName, null), placeAt);
  }

  /**
   * The name of a variable, used at `element`, as an expression. Null when FEEL reads the name as something
   * else, as `null` or `for`.
   */
  variable(name: string, element: XmlElement): CompiledExpression | null {
    const known = this.#compiled.get(name);
    if (known !== undefined) {
      return isVariable(known, name) ? known : null;
    }
    if (this.#isOverLimit(() => this.#report.placeOf(element))) {
      return REPORTED;
    }
    const compiled = compiledName(name);
    if (compiled === null || !isVariable(compiled, name)) {
      return null;
    }
    this.#compiled.set(name, compiled);
    return compiled;
  }

  /** Whether the element's language, its own or the file's, is FEEL; reports another. */
  checkLanguage(element: XmlElement): boolean {
    const attribute: XmlAttribute | null = findAttribute(element, 'language');
    const language = attribute?.value ?? this.#otherLanguage;
    if (language === null || isFeelLanguage(language)) {
      return true;
    }
    const from = attribute === null ? 'expressionLanguage of definitions' : 'its language';
    const message = `${element.localName} is not read: ${from} is ${shown(language)}; write it in FEEL`;
    this.#report.error('SUTRA.BPMN.EXPRESSION_LANGUAGE_UNSUPPORTED', element, message);
    return false;
  }

  /** Counts one more expression; the first one too many is reported. */
  #isOverLimit(place: () => Place): boolean {
    this.#count += 1;
    if (this.#count === MAX_EXPRESSIONS + 1) {
      const message = `the file has more than the limit of ${MAX_EXPRESSIONS} expressions; split the model`;
      this.#report.at('SUTRA.BPMN.TOO_MANY_EXPRESSIONS', place(), message);
    }
    return this.#count > MAX_EXPRESSIONS;
  }

  #read(text: string, role: ExpressionRole, placeAt: (index: number) => Place): CompiledExpression | null {
    const expression = this.#compile(text, placeAt);
    if (expression !== null) {
      // What stands before the expression is white space and a sign.
      const lead = text.trimEnd().length - expression.text.length;
      this.#placed.push({ expression, role, placeAt: (offset) => placeAt(lead + offset) });
    }
    return expression;
  }

  #compile(text: string, placeAt: (index: number) => Place): CompiledExpression | null {
    if (this.#isOverLimit(() => placeAt(firstVisible(text)))) {
      return null;
    }
    if (OTHER_ENGINE.test(text)) {
      const message = `${shown(text.trim())} is the syntax of another engine; write FEEL, as =amount > 100`;
      this.#report.at('SUTRA.BPMN.EXPRESSION_LANGUAGE_UNSUPPORTED', placeAt(firstVisible(text)), message);
      return null;
    }
    const known = this.#compiled.get(text);
    if (known !== undefined) {
      return known;
    }
    try {
      const compiled = compileExpression(text);
      this.#compiled.set(text, compiled);
      return compiled;
    } catch (error) {
      if (error instanceof FeelSyntaxError) {
        const index = indexOf(text, error.line, error.column);
        const message = `${shown(text.trim())} is no FEEL expression: ${error.message}`;
        this.#report.at('SUTRA.FEEL.SYNTAX_INVALID', placeAt(index), message);
        return null;
      }
      if (error instanceof RangeError) {
        // The parser of the library is recursive: thousands of brackets exhaust its stack.
        this.#report.at(
          'SUTRA.FEEL.SYNTAX_INVALID',
          placeAt(firstVisible(text)),
          'the expression is too deeply nested',
        );
        return null;
      }
      throw error;
    }
  }
}

function isVariable({ names }: CompiledExpression, name: string): boolean {
  return names.length === 1 && names[0] === name;
}

function compiledName(name: string): CompiledExpression | null {
  try {
    return compileExpression(name);
  } catch (error) {
    if (error instanceof FeelSyntaxError) {
      return null;
    }
    throw error;
  }
}

export function isFeelLanguage(language: string): boolean {
  return FEEL_LANGUAGE.test(language.trim());
}

function firstVisible(text: string): number {
  return text.length - text.trimStart().length;
}

/** The offset of a line and column, both from 1. */
function indexOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at += 1) {
    start = text.indexOf('\n', start) + 1;
  }
  return Math.min(start + column - 1, text.length);
}
