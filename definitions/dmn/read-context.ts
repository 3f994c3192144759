/** What every reader of a DMN file shares, and the small questions they ask of elements. */
import type { Place } from '../../config/engine-error.ts';
import type { XmlAttribute, XmlElement } from '../xml/document.ts';
import { attributeOf, findAttribute } from '../xml/document.ts';
import { readBoolean } from '../xml/schema-values.ts';
import { shown } from '../xml/shown.ts';
import type { SourceText, TypeReference, Variable } from './model.ts';
import { isFeel } from './namespaces.ts';
import type { Report } from './report.ts';

/** Compiling one costs about as much as parsing 4 kB of XML; the largest known model has some hundreds. */
const MAX_EXPRESSIONS = 10_000;

export class ReadContext {
  readonly report: Report;
  /** The namespace of the file's elements. */
  readonly #namespace: string;
  /** Of expressions that name none; null when it is FEEL or not given. */
  readonly #otherLanguage: string | null;
  #expressionCount = 0;

  /** More than are compiled; this was reported. */
  get hasTooManyExpressions(): boolean {
    return this.#expressionCount > MAX_EXPRESSIONS;
  }

  constructor(root: XmlElement, report: Report) {
    this.report = report;
    this.#namespace = root.namespace;
    const language = attributeOf(root, 'expressionLanguage') ?? '';
    this.#otherLanguage = language.trim() === '' || isFeel(language) ? null : language;
  }

  isDmn(element: XmlElement): boolean {
    return element.namespace === this.#namespace;
  }

  children(element: XmlElement, localName: string): readonly XmlElement[] {
    return element.children.filter((child) => this.isDmn(child) && child.localName === localName);
  }

  /** The one child of a name; null when there is none. A second one is reported. */
  only(element: XmlElement, localName: string): XmlElement | null {
    const [first = null, second] = this.children(element, localName);
    if (second !== undefined) {
      const message = `${label(element)} has several ${localName} elements; keep one`;
      this.report.error('SUTRA.DMN.ELEMENT_REPEATED', second, message);
    }
    return first;
  }

  placeOf(element: XmlElement): Place {
    return this.report.placeOf(element);
  }

  /** The FEEL text of an expression or of unary tests. Null: it is missing or blank, or was reported. */
  source(element: XmlElement): SourceText | null {
    const text = this.only(element, 'text');
    if (!this.#isFeel(element) || text === null || text.text.trim() === '') return null;
    this.#expressionCount += 1;
    if (this.#expressionCount === MAX_EXPRESSIONS + 1) {
      const message = `the file has more than the limit of ${MAX_EXPRESSIONS} expressions and tests; split the model`;
      this.report.error('SUTRA.DMN.TOO_MANY_EXPRESSIONS', element, message);
    }
    return { text: text.text, placeAt: (index) => this.report.placeInText(text, index) };
  }

  /** The FEEL text of a child with unary tests, of a name. */
  childSource(element: XmlElement, localName: string): SourceText | null {
    const child = this.only(element, localName);
    return child === null ? null : this.source(child);
  }

  /** Whether the language is FEEL; reports another, unless that was the file's and is reported there. */
  #isFeel(element: XmlElement): boolean {
    const attribute = findAttribute(element, 'expressionLanguage');
    if (attribute === null || attribute.value.trim() === '') {
      if (this.#otherLanguage === null) return true;
      const message = `${element.localName} is not read: expressionLanguage of definitions is ${shown(this.#otherLanguage)}; write it in FEEL`;
      this.report.error('SUTRA.DMN.LANGUAGE_UNSUPPORTED', element, message);
      return false;
    }
    return this.checkLanguage(element, attribute);
  }

  /** Whether the attribute names FEEL; reports another language. */
  checkLanguage(element: XmlElement, attribute: XmlAttribute): boolean {
    if (isFeel(attribute.value)) return true;
    const message = `${attribute.localName} of ${label(element)} is ${shown(attribute.value)}; write it in FEEL`;
    this.report.attributeError('SUTRA.DMN.LANGUAGE_UNSUPPORTED', element, attribute, message);
    return false;
  }

  /** A boolean attribute; false when it is absent, or was reported here. */
  boolean(element: XmlElement, localName: string): boolean {
    const attribute = findAttribute(element, localName);
    if (attribute === null) return false;
    const value = readBoolean(attribute.value.trim());
    if (value === null) {
      const message = `${localName} of ${label(element)} is ${shown(attribute.value)}, which is no boolean; write true or false`;
      this.report.attributeError('SUTRA.DMN.VALUE_INVALID', element, attribute, message);
    }
    return value ?? false;
  }

  /** An attribute with one of a few values; null when it is absent, or was reported here. */
  choice<T extends string>(element: XmlElement, localName: string, values: readonly T[]): T | null {
    const attribute = findAttribute(element, localName);
    if (attribute === null) return null;
    const value = values.find((known) => known === attribute.value);
    if (value === undefined) {
      const message = `${localName} of ${label(element)} is ${shown(attribute.value)}; write one of: ${values.join(', ')}`;
      this.report.attributeError('SUTRA.DMN.VALUE_INVALID', element, attribute, message);
    }
    return value ?? null;
  }

  /** The name that the element must have. Null: it was reported. */
  name(element: XmlElement, localName = 'name'): string | null {
    const name = optionalName(element, localName);
    if (name === null) {
      const message = `${label(element)} has no ${localName}; give it one`;
      this.report.error('SUTRA.DMN.ATTRIBUTE_MISSING', element, message);
    }
    return name;
  }

  /** A name and a type: of a parameter, a column, an entry of a context. Null: it was reported. */
  variable(element: XmlElement): Variable | null {
    const name = this.name(element);
    return name === null ? null : { name, type: this.typeAttribute(element), place: this.placeOf(element) };
  }

  /** Those that are known by their names in one place; another of the same name is reported. */
  variables(elements: readonly XmlElement[]): readonly Variable[] {
    const variables = elements.flatMap((element) => this.variable(element) ?? []);
    this.distinct(variables);
    return variables;
  }

  /** Reports each name that one before has. */
  distinct(named: readonly { readonly name: string; readonly place: Place }[]): void {
    const seen = new Set<string>();
    for (const { name, place } of named) {
      if (seen.has(name)) {
        const message = `the name ${shown(name)} is already used here; choose another`;
        this.report.at('SUTRA.DMN.NAME_DUPLICATE', place, message);
      }
      seen.add(name);
    }
  }

  /** The type that an attribute names. Null: none. */
  typeAttribute(element: XmlElement, localName = 'typeRef'): TypeReference | null {
    const attribute = findAttribute(element, localName);
    if (attribute === null || attribute.value.trim() === '') return null;
    const index = leadingBlanks(attribute.value);
    const place = this.report.placeInAttribute(element, attribute, index);
    return typeReference(element, attribute.value, place);
  }

  /** The type that the text of a child element names. Null: none. */
  typeChild(element: XmlElement): TypeReference | null {
    const child = this.only(element, 'typeRef');
    if (child === null || child.text.trim() === '') return null;
    const place = this.report.placeInText(child, leadingBlanks(child.text));
    return typeReference(child, child.text, place);
  }
}

function typeReference(element: XmlElement, written: string, place: Place): TypeReference {
  const text = collapse(written);
  const colon = text.indexOf(':');
  const namespace = colon === -1 ? undefined : element.prefixes.get(text.slice(0, colon));
  return namespace === undefined ? { text, place } : { text, namespace, place };
}

/** A name that may be missing; blank is missing. */
export function optionalName(element: XmlElement, localName = 'name'): string | null {
  const name = collapse(attributeOf(element, localName) ?? '');
  return name === '' ? null : name;
}

/** For messages: the kind, and the name or the id. */
export function label(element: XmlElement): string {
  const name = optionalName(element) ?? attributeOf(element, 'id');
  return name === null ? element.localName : `${element.localName} ${shown(name)}`;
}

/** As FEEL reads names: the kind and number of blanks between words mean nothing. */
export function collapse(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function leadingBlanks(text: string): number {
  return text.length - text.trimStart().length;
}
