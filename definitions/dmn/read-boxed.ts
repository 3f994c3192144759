/**
 * The expressions of a decision model: the element of each kind, and what is boxed in it.
 *
 * An expression that has no text is none: its value is null where DMN lets it be missing, else it is reported.
 * Source: DMN 1.5, 7.3 and 10.2.1.
 */
import type { XmlElement } from '../xml/document.ts';
import { attributeOf, findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { EXPRESSIONS } from './elements.ts';
import type {
  BoxedConditional,
  BoxedContext,
  BoxedExpression,
  BoxedFilter,
  BoxedFunction,
  BoxedInvocation,
  BoxedIteration,
  BoxedList,
  BoxedLiteral,
  BoxedRelation,
  Variable,
} from './model.ts';
import { label, type ReadContext } from './read-context.ts';
import { readTable } from './read-table.ts';

type Reader = (context: ReadContext, element: XmlElement) => BoxedExpression | null;

const readers: Readonly<Record<string, Reader>> = {
  literalExpression: readLiteral,
  invocation: readInvocation,
  context: readContextBox,
  list: readList,
  relation: readRelation,
  functionDefinition: readFunction,
  conditional: readConditional,
  filter: readFilter,
  for: (context, element) => readIteration(context, element, 'for', 'return'),
  some: (context, element) => readIteration(context, element, 'some', 'satisfies'),
  every: (context, element) => readIteration(context, element, 'every', 'satisfies'),
  decisionTable: readTable,
};

/** The expression inside an element; null when there is none, or it was reported. */
export function readChildExpression(context: ReadContext, parent: XmlElement): BoxedExpression | null {
  const [first, second] = childExpressions(context, parent);
  if (second !== undefined) {
    const message = `${label(parent)} has several expressions; keep one`;
    context.report.error('SUTRA.DMN.ELEMENT_REPEATED', second, message);
  }
  return first === undefined ? null : readExpression(context, first);
}

function childExpressions(context: ReadContext, parent: XmlElement): readonly XmlElement[] {
  return parent.children.filter((child) => context.isDmn(child) && EXPRESSIONS.has(child.localName));
}

function readExpression(context: ReadContext, element: XmlElement): BoxedExpression | null {
  const reader = Object.hasOwn(readers, element.localName) ? readers[element.localName] : undefined;
  return reader?.(context, element) ?? null;
}

/** The expression inside an element that must have one. Null: it was reported. */
function neededExpression(context: ReadContext, parent: XmlElement): BoxedExpression | null {
  const errorCount = context.report.errorCount;
  const expression = readChildExpression(context, parent);
  if (expression === null && context.report.errorCount === errorCount) {
    const message = `${label(parent)} has no expression; write one`;
    context.report.error('SUTRA.DMN.EXPRESSION_MISSING', parent, message);
  }
  return expression;
}

/** The expression inside the child of a name; both must be there. Null: it was reported. */
function neededPart(context: ReadContext, element: XmlElement, localName: string): BoxedExpression | null {
  const part = context.only(element, localName);
  if (part !== null) return neededExpression(context, part);
  const message = `${label(element)} has no ${localName}; add it, with an expression inside`;
  context.report.error('SUTRA.DMN.ELEMENT_MISSING', element, message);
  return null;
}

function boxOf(context: ReadContext, element: XmlElement): Pick<BoxedLiteral, 'place' | 'type'> {
  return { place: context.placeOf(element), type: context.typeAttribute(element) };
}

function readLiteral(context: ReadContext, element: XmlElement): BoxedLiteral | null {
  for (const localName of ['importedValues', 'import']) {
    const imported = context.only(element, localName);
    if (imported !== null) {
      const message = `${localName} takes the text of an expression from another file, which is not read; write the values here`;
      context.report.error('SUTRA.DMN.VALUES_NOT_IMPORTED', imported, message);
      return null;
    }
  }
  const source = context.source(element);
  return source === null ? null : { kind: 'literal', ...boxOf(context, element), source };
}

function readInvocation(context: ReadContext, element: XmlElement): BoxedInvocation | null {
  const callee = neededExpression(context, element);
  const bindings = context.children(element, 'binding').flatMap((binding) => {
    const parameter = context.only(binding, 'parameter');
    const value = readChildExpression(context, binding);
    if (parameter === null) {
      const message = `a binding of ${label(element)} has no parameter; add it, with the name of the function's parameter`;
      context.report.error('SUTRA.DMN.ELEMENT_MISSING', binding, message);
      return [];
    }
    const variable = context.variable(parameter);
    return variable === null ? [] : [{ parameter: variable, value }];
  });
  context.distinct(bindings.map(({ parameter }) => parameter));
  return callee === null ? null : { kind: 'invocation', ...boxOf(context, element), callee, bindings };
}

function readContextBox(context: ReadContext, element: XmlElement): BoxedContext {
  const elements = context.children(element, 'contextEntry');
  const entries: BoxedContext['entries'][number][] = [];
  let result: BoxedExpression | null = null;
  for (const [index, entry] of elements.entries()) {
    const declared = context.only(entry, 'variable');
    const value = readChildExpression(context, entry);
    const variable = declared === null ? null : context.variable(declared);
    if (variable !== null) entries.push({ variable, value });
    else if (declared === null && index === elements.length - 1) result = value;
    else if (declared === null) {
      const message = `an entry of ${label(element)} has no variable and is not the last; name it, or move it to the end`;
      context.report.error('SUTRA.DMN.CONTEXT_RESULT_MISPLACED', entry, message);
    }
  }
  context.distinct(entries.map(({ variable }) => variable));
  return { kind: 'context', ...boxOf(context, element), entries, result };
}

function readList(context: ReadContext, element: XmlElement): BoxedList {
  const items = childExpressions(context, element).map((child) => readExpression(context, child));
  return { kind: 'list', ...boxOf(context, element), items };
}

function readRelation(context: ReadContext, element: XmlElement): BoxedRelation | null {
  const columnCount = context.children(element, 'column').length;
  const columns = context.variables(context.children(element, 'column'));
  const rows = context.children(element, 'row').map((row) => {
    const cells = childExpressions(context, row);
    if (cells.length !== columnCount) {
      const message = `the row has ${cells.length} cells, and the relation ${columnCount} columns; give it as many`;
      context.report.error('SUTRA.DMN.RELATION_ROW_INVALID', row, message);
    }
    return cells.map((cell) => readExpression(context, cell));
  });
  const isRectangular = [columns, ...rows].every(({ length }) => length === columnCount);
  return isRectangular ? { kind: 'relation', ...boxOf(context, element), columns, rows } : null;
}

/** A function definition, or the logic of a knowledge model. Null: it was reported. */
export function readFunction(context: ReadContext, element: XmlElement): BoxedFunction | null {
  const kind = functionKind(element);
  if (kind !== 'FEEL') {
    const attribute = findAttribute(element, 'kind');
    const message = `${label(element)} is a function of the kind ${shown(kind)}, which is not run; write it in FEEL`;
    if (attribute === null) context.report.error('SUTRA.DMN.FUNCTION_KIND_UNSUPPORTED', element, message);
    else context.report.attributeError('SUTRA.DMN.FUNCTION_KIND_UNSUPPORTED', element, attribute, message);
    return null;
  }
  const parameters = context.variables(context.children(element, 'formalParameter'));
  const body = readChildExpression(context, element);
  return { kind: 'function', ...boxOf(context, element), parameters, body };
}

/** DMN 1.1 has no attribute for it: tools wrote one of their own, with a letter. */
function functionKind(element: XmlElement): string {
  const own = attributeOf(element, 'kind');
  if (own !== null) return own;
  const foreign = element.attributes.find(
    ({ namespace, localName }) => namespace !== '' && localName === 'kind',
  );
  return foreign === undefined || foreign.value === 'F' ? 'FEEL' : foreign.value;
}

function readConditional(context: ReadContext, element: XmlElement): BoxedConditional | null {
  const condition = neededPart(context, element, 'if');
  const consequent = neededPart(context, element, 'then');
  const alternative = neededPart(context, element, 'else');
  if (condition === null || consequent === null || alternative === null) return null;
  return { kind: 'conditional', ...boxOf(context, element), condition, consequent, alternative };
}

function readFilter(context: ReadContext, element: XmlElement): BoxedFilter | null {
  const source = neededPart(context, element, 'in');
  const condition = neededPart(context, element, 'match');
  if (source === null || condition === null) return null;
  return { kind: 'filter', ...boxOf(context, element), source, condition };
}

/**
 * What `in` says of a type is not read: tools differ in whether it is that of the list or of its elements, and both are
 * known from the list.
 */
function readIteration(
  context: ReadContext,
  element: XmlElement,
  kind: BoxedIteration['kind'],
  bodyName: 'return' | 'satisfies',
): BoxedIteration | null {
  const name = context.name(element, 'iteratorVariable');
  const domain = neededPart(context, element, 'in');
  const body = neededPart(context, element, bodyName);
  if (name === null || domain === null || body === null) return null;
  const variable: Variable = { name, type: null, place: context.placeOf(element) };
  return { kind, ...boxOf(context, element), variable, domain, body };
}
