/**
 * A decision model as its file has it: read, and not yet compiled.
 *
 * M1 Every text stands where it is in the file: `placeAt` is exact to the character.
 * M2 References are kept as they are written; nothing here says that what they name exists.
 * Source: OMG DMN 1.5, 6.3 (requirements), 7.3 (boxed expressions), 8.3 (decision tables).
 */
import type { Place } from '../../config/engine-error.ts';

/** A FEEL text. Not blank. */
export interface SourceText {
  readonly text: string;
  /** The place of the character at `index` of the text. */
  readonly placeAt: (index: number) => Place;
}

/** A type's name as written, prefix included: `number`, `tLoan`, `feel:string`, `imported.tRate`. */
export interface TypeReference {
  readonly text: string;
  /** What the prefix stands for where the file declares it: `feel:string`, `ns1:tLoan`. DMN 1.1 writes QNames. */
  readonly namespace?: string;
  readonly place: Place;
}

/** `#id`, or `namespace#id` of an imported model. */
export interface ElementReference {
  /** Null: of the same model. */
  readonly namespace: string | null;
  readonly id: string;
  readonly place: Place;
}

/** A name with a type, for a value. */
export interface Variable {
  readonly name: string;
  readonly type: TypeReference | null;
  readonly place: Place;
}

export interface DmnModel {
  readonly file: string;
  readonly name: string;
  readonly namespace: string;
  readonly imports: readonly ModelImport[];
  readonly items: readonly ItemDefinition[];
  readonly inputs: readonly InputData[];
  readonly decisions: readonly DecisionElement[];
  readonly knowledgeModels: readonly KnowledgeModel[];
  readonly services: readonly DecisionService[];
}

/** Another decision model. Imports of other languages are none of these. */
export interface ModelImport {
  /** Empty: its names are visible as they are. DMN 1.3, 6.3.3. */
  readonly name: string;
  readonly namespace: string;
  readonly place: Place;
}

export interface ItemDefinition {
  readonly name: string;
  readonly place: Place;
  readonly type: TypeReference | null;
  readonly isCollection: boolean;
  /** Unary tests; of a collection for its elements. */
  readonly allowedValues: SourceText | null;
  /** Unary tests; of a collection for the whole of it. DMN 1.5. */
  readonly typeConstraint: SourceText | null;
  readonly components: readonly ItemDefinition[];
  /** Of the type of a function. */
  readonly functionItem: {
    readonly parameters: readonly Variable[];
    readonly result: TypeReference | null;
  } | null;
}

interface DrgElement {
  /** Null: it has none, and cannot be referred to but by name. */
  readonly id: string | null;
  readonly name: string;
  readonly place: Place;
  /** Named as the element when the file has none. */
  readonly variable: Variable;
}

export type InputData = DrgElement;

export interface Requirements {
  readonly inputs: readonly ElementReference[];
  readonly decisions: readonly ElementReference[];
  readonly knowledge: readonly ElementReference[];
}

export interface DecisionElement extends DrgElement {
  readonly requires: Requirements;
  /** Null: nothing decides, and its value is null. */
  readonly logic: BoxedExpression | null;
}

export interface KnowledgeModel extends DrgElement {
  readonly requires: Requirements;
  readonly logic: BoxedFunction | null;
}

export interface DecisionService extends DrgElement {
  readonly outputs: readonly ElementReference[];
  readonly encapsulated: readonly ElementReference[];
  /** With `inputs` its parameters: input decisions after input data, each in the order of the file. */
  readonly inputDecisions: readonly ElementReference[];
  readonly inputs: readonly ElementReference[];
}

interface Boxed {
  readonly place: Place;
  /** What the expression itself is declared to give. */
  readonly type: TypeReference | null;
}

export interface BoxedLiteral extends Boxed {
  readonly kind: 'literal';
  readonly source: SourceText;
}

/** An invocation; its function is an expression that names it. */
export interface BoxedInvocation extends Boxed {
  readonly kind: 'invocation';
  readonly callee: BoxedExpression;
  readonly bindings: readonly { readonly parameter: Variable; readonly value: BoxedExpression | null }[];
}

export interface BoxedContext extends Boxed {
  readonly kind: 'context';
  /** Each sees those before it. */
  readonly entries: readonly { readonly variable: Variable; readonly value: BoxedExpression | null }[];
  /** The value of the whole, when it is not the context of the entries. */
  readonly result: BoxedExpression | null;
}

export interface BoxedList extends Boxed {
  readonly kind: 'list';
  /** Null: an empty one, whose value is null. */
  readonly items: readonly (BoxedExpression | null)[];
}

export interface BoxedRelation extends Boxed {
  readonly kind: 'relation';
  readonly columns: readonly Variable[];
  /** As many cells as columns. Null: an empty cell, whose value is null. */
  readonly rows: readonly (readonly (BoxedExpression | null)[])[];
}

export interface BoxedFunction extends Boxed {
  readonly kind: 'function';
  readonly parameters: readonly Variable[];
  readonly body: BoxedExpression | null;
}

export interface BoxedConditional extends Boxed {
  readonly kind: 'conditional';
  readonly condition: BoxedExpression;
  readonly consequent: BoxedExpression;
  readonly alternative: BoxedExpression;
}

export interface BoxedFilter extends Boxed {
  readonly kind: 'filter';
  readonly source: BoxedExpression;
  readonly condition: BoxedExpression;
}

/** `for`: `body` is returned; `some` and `every`: `body` is what must be satisfied. */
export interface BoxedIteration extends Boxed {
  readonly kind: 'for' | 'some' | 'every';
  readonly variable: Variable;
  readonly domain: BoxedExpression;
  readonly body: BoxedExpression;
}

export type HitPolicy = 'UNIQUE' | 'FIRST' | 'PRIORITY' | 'ANY' | 'COLLECT' | 'RULE ORDER' | 'OUTPUT ORDER';
export type Aggregation = 'SUM' | 'COUNT' | 'MIN' | 'MAX';

export interface TableInput {
  readonly place: Place;
  readonly source: SourceText;
  readonly type: TypeReference | null;
  /** Unary tests that the input must pass. */
  readonly allowedValues: SourceText | null;
}

export interface TableOutput {
  readonly place: Place;
  /** Null only where there is one output. */
  readonly name: string | null;
  readonly type: TypeReference | null;
  /** In falling priority; unary tests that the output must pass. */
  readonly allowedValues: SourceText | null;
  /** The output when no rule matches. */
  readonly defaultValue: SourceText | null;
}

export interface TableRule {
  readonly place: Place;
  readonly id: string | null;
  /** One for each input: unary tests. Null: a blank cell, which is `-`. */
  readonly inputs: readonly (SourceText | null)[];
  /** One for each output: expressions. Null: a blank cell, whose value is null. */
  readonly outputs: readonly (SourceText | null)[];
}

export interface DecisionTable extends Boxed {
  readonly kind: 'decision-table';
  readonly hitPolicy: HitPolicy;
  /** Of COLLECT; null: none. */
  readonly aggregation: Aggregation | null;
  readonly inputs: readonly TableInput[];
  /** One or more. */
  readonly outputs: readonly TableOutput[];
  readonly rules: readonly TableRule[];
}

export type BoxedExpression =
  | BoxedLiteral
  | BoxedInvocation
  | BoxedContext
  | BoxedList
  | BoxedRelation
  | BoxedFunction
  | BoxedConditional
  | BoxedFilter
  | BoxedIteration
  | DecisionTable;
