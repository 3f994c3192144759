/**
 * The elements of DMN as a table: where each stands, and its attributes.
 *
 * E1 The rows are those of all versions from 1.1 to 1.5 together: what a version lacks is read in it too.
 * E2 What documents, draws or explains is not examined, nor is what is inside of it.
 * Source: the schemas of DMN 1.1 to 1.5.
 */

export interface ElementRow {
  /** Null: not examined (E2). */
  readonly children: ReadonlySet<string> | null;
  /** Those without a prefix. Null: any. */
  readonly attributes: ReadonlySet<string> | null;
  readonly hasText: boolean;
}

/** The elements that are expressions. */
export const EXPRESSIONS: ReadonlySet<string> = new Set([
  ...[
    'literalExpression',
    'invocation',
    'decisionTable',
    'context',
    'functionDefinition',
    'relation',
    'list',
  ],
  ...['conditional', 'filter', 'for', 'every', 'some'],
]);

const COMMON_CHILDREN = ['description', 'extensionElements'];
const COMMON_ATTRIBUTES = ['id', 'label'];

function row(children: readonly string[], attributes: readonly string[] = []): ElementRow {
  return {
    children: new Set([...COMMON_CHILDREN, ...children]),
    attributes: new Set([...COMMON_ATTRIBUTES, ...attributes]),
    hasText: false,
  };
}

const descriptive: ElementRow = { children: null, attributes: null, hasText: true };
const text: ElementRow = { children: new Set(), attributes: null, hasText: true };
const reference = row([], ['href']);
const informationItem = row([], ['name', 'typeRef']);
const unaryTests = row(['text'], ['typeRef', 'expressionLanguage']);
const literal = row(['text', 'importedValues', 'import'], ['typeRef', 'expressionLanguage']);
const child = row([...EXPRESSIONS], ['typeRef']);
const list = row([...EXPRESSIONS], ['typeRef']);
const itemDefinition = row(
  ['typeRef', 'allowedValues', 'typeConstraint', 'itemComponent', 'functionItem'],
  ['name', 'typeLanguage', 'isCollection'],
);
const functionDefinition = row(['formalParameter', ...EXPRESSIONS], ['typeRef', 'kind']);
const iteration = row(['in', 'return', 'satisfies'], ['typeRef', 'iteratorVariable']);
const requirements = ['knowledgeRequirement', 'authorityRequirement'];

const rows: Readonly<Record<string, ElementRow>> = {
  definitions: row(
    [
      ...['import', 'itemDefinition', 'decision', 'inputData', 'businessKnowledgeModel', 'decisionService'],
      ...['knowledgeSource', 'textAnnotation', 'association', 'group', 'elementCollection'],
      ...['performanceIndicator', 'organizationUnit'],
    ],
    ['name', 'namespace', 'expressionLanguage', 'typeLanguage', 'exporter', 'exporterVersion'],
  ),
  import: row([], ['name', 'namespace', 'locationURI', 'importType']),
  itemDefinition,
  itemComponent: itemDefinition,
  typeRef: text,
  allowedValues: unaryTests,
  typeConstraint: unaryTests,
  functionItem: row(['parameters'], ['outputTypeRef']),
  parameters: informationItem,

  decision: row(
    [
      ...['question', 'allowedAnswers', 'variable', 'informationRequirement', ...requirements],
      ...['supportedObjective', 'impactedPerformanceIndicator', 'decisionMaker', 'decisionOwner'],
      ...['usingProcess', 'usingTask', ...EXPRESSIONS],
    ],
    ['name'],
  ),
  // Inside of a decision service it is a reference.
  inputData: row(['variable'], ['name', 'href']),
  businessKnowledgeModel: row(['encapsulatedLogic', 'variable', ...requirements], ['name']),
  decisionService: row(
    ['variable', 'outputDecision', 'encapsulatedDecision', 'inputDecision', 'inputData'],
    ['name'],
  ),
  variable: informationItem,
  encapsulatedLogic: functionDefinition,
  informationRequirement: row(['requiredDecision', 'requiredInput']),
  knowledgeRequirement: row(['requiredKnowledge']),
  requiredDecision: reference,
  requiredInput: reference,
  requiredKnowledge: reference,
  outputDecision: reference,
  encapsulatedDecision: reference,
  inputDecision: reference,

  literalExpression: literal,
  text,
  invocation: row(['binding', ...EXPRESSIONS], ['typeRef']),
  binding: row(['parameter', ...EXPRESSIONS]),
  parameter: informationItem,
  context: row(['contextEntry'], ['typeRef']),
  contextEntry: row(['variable', ...EXPRESSIONS]),
  functionDefinition,
  formalParameter: informationItem,
  relation: row(['column', 'row'], ['typeRef']),
  column: informationItem,
  row: list,
  list,
  conditional: row(['if', 'then', 'else'], ['typeRef']),
  filter: row(['in', 'match'], ['typeRef']),
  for: iteration,
  every: iteration,
  some: iteration,
  in: child,
  return: child,
  satisfies: child,
  match: child,
  if: child,
  then: child,
  else: child,

  decisionTable: row(
    ['input', 'output', 'annotation', 'rule'],
    ['typeRef', 'hitPolicy', 'aggregation', 'preferredOrientation', 'outputLabel'],
  ),
  input: row(['inputExpression', 'inputValues']),
  inputExpression: literal,
  inputValues: unaryTests,
  output: row(['outputValues', 'defaultOutputEntry'], ['name', 'typeRef']),
  outputValues: unaryTests,
  defaultOutputEntry: literal,
  rule: row(['inputEntry', 'outputEntry', 'annotationEntry']),
  inputEntry: unaryTests,
  outputEntry: literal,

  // Refused where an expression is read.
  importedValues: descriptive,

  description: descriptive,
  extensionElements: descriptive,
  question: descriptive,
  allowedAnswers: descriptive,
  authorityRequirement: descriptive,
  supportedObjective: descriptive,
  impactedPerformanceIndicator: descriptive,
  decisionMaker: descriptive,
  decisionOwner: descriptive,
  usingProcess: descriptive,
  usingTask: descriptive,
  knowledgeSource: descriptive,
  textAnnotation: descriptive,
  association: descriptive,
  group: descriptive,
  elementCollection: descriptive,
  performanceIndicator: descriptive,
  organizationUnit: descriptive,
  annotation: descriptive,
  annotationEntry: descriptive,
};

export const dmnElements: ReadonlyMap<string, ElementRow> = new Map(Object.entries(rows));
