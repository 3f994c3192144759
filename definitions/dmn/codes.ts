/** Error codes of decision models. All but those of the last part are found at deploy time. */
import type { CodeRow, CodeTable } from '../../config/engine-error.ts';

/** Every row: the package is refused whole, and nothing that runs is touched. */
function row(meaning: string, remedy: string): CodeRow {
  return { httpStatus: 422, retry: 'after-change', meaning, remedy: `Nothing was deployed. ${remedy}` };
}

/** A decision has no result; what asked for it says what becomes of that. */
function decided(meaning: string, remedy: string): CodeRow {
  return { httpStatus: 422, retry: 'after-change', meaning, remedy };
}

const CORRECT = 'Correct the file at the reported line and column, then deploy again.';

export const dmnCodes = {
  // The file as a whole.
  'SUTRA.DMN.ROOT_INVALID': row(
    'The root of a DMN file is not the definitions element of DMN 1.1 to 1.5.',
    CORRECT,
  ),
  'SUTRA.DMN.NAMESPACE_INVALID': row(
    'An element has no namespace, that of another DMN version than the file, or one that only resembles that of DMN.',
    'Use the namespace of the root element, or its prefix.',
  ),
  'SUTRA.DMN.TOO_MANY_FINDINGS': row(
    'A DMN file has more faults than are listed.',
    'Correct the listed ones first.',
  ),
  'SUTRA.DMN.TOO_MANY_EXPRESSIONS': row(
    'A DMN file has more expressions and unary tests than are compiled.',
    'Split the model into several files.',
  ),

  // What is not DMN.
  'SUTRA.DMN.ELEMENT_UNKNOWN': row('An element of the DMN namespace does not exist in DMN.', CORRECT),
  'SUTRA.DMN.ELEMENT_MISPLACED': row('A DMN element stands where DMN does not allow it.', CORRECT),
  'SUTRA.DMN.ELEMENT_REPEATED': row('A DMN element that may occur once occurs twice.', CORRECT),
  'SUTRA.DMN.ELEMENT_MISSING': row('A DMN element lacks another one that it must hold.', CORRECT),
  'SUTRA.DMN.ATTRIBUTE_UNKNOWN': row('A DMN element has an attribute that DMN does not know.', CORRECT),
  'SUTRA.DMN.ATTRIBUTE_MISSING': row('A DMN element lacks an attribute that it must have.', CORRECT),
  'SUTRA.DMN.VALUE_INVALID': row('An attribute has a value that its type does not allow.', CORRECT),
  'SUTRA.DMN.TEXT_UNEXPECTED': row('Text stands between elements, where nothing reads it.', CORRECT),

  // Names and references.
  'SUTRA.DMN.ID_DUPLICATE': row('Two elements of a DMN file have the same id.', CORRECT),
  'SUTRA.DMN.NAME_DUPLICATE': row(
    'Two things that are known by their names in the same place have the same name.',
    'Rename one of them.',
  ),
  'SUTRA.DMN.REFERENCE_INVALID': row(
    'A reference to another element is neither #id nor namespace#id.',
    'Write # and the id of the element.',
  ),
  'SUTRA.DMN.REFERENCE_DANGLING': row(
    'An element refers to an id that no element of the needed kind has.',
    CORRECT,
  ),

  // What is recognised and not executed.
  'SUTRA.DMN.LANGUAGE_UNSUPPORTED': row(
    'An expression, or the types of a model, are written in a language other than FEEL.',
    'Write them in FEEL, and take the attribute with the language away.',
  ),
  'SUTRA.DMN.FUNCTION_KIND_UNSUPPORTED': row(
    'A function is written in Java or PMML.',
    'Write it in FEEL, or call a worker before the decision.',
  ),
  'SUTRA.DMN.VALUES_NOT_IMPORTED': row(
    'An expression takes its text from another file.',
    'Write the values into the expression.',
  ),
  'SUTRA.DMN.IMPORT_UNREAD': row(
    'A warning: a model imports something that is no decision model, and it is not read.',
    'Take the import away, or write what it has as item definitions.',
  ),

  // Expressions.
  'SUTRA.DMN.EXPRESSION_MISSING': row('An expression that is needed is missing or blank.', CORRECT),
  'SUTRA.DMN.LOGIC_MISSING': row(
    'A warning: a decision or a business knowledge model has no logic, so its value is null.',
    'Write its expression, or make it an input.',
  ),
  'SUTRA.DMN.CONTEXT_RESULT_MISPLACED': row(
    'A context has an entry without a name that is not its last: that would be its result.',
    'Give the entry a name, or move it to the end.',
  ),
  'SUTRA.DMN.RELATION_ROW_INVALID': row('A row of a relation has not as many cells as columns.', CORRECT),

  // Decision tables.
  'SUTRA.DMN.RULE_INVALID': row(
    'A rule of a decision table has not one entry for each input and each output.',
    CORRECT,
  ),
  'SUTRA.DMN.RULES_MISSING': row(
    'A warning: a decision table has no rules, so it never decides.',
    'Add rules.',
  ),
  'SUTRA.DMN.OUTPUT_NAME_MISSING': row(
    'A decision table has several outputs, and one without a name.',
    'Give each output a name: it is the key in the result.',
  ),
  'SUTRA.DMN.AGGREGATION_INVALID': row(
    'A decision table aggregates though its hit policy is not COLLECT.',
    'Set hitPolicy="COLLECT", or take the aggregation away.',
  ),

  // Types.
  'SUTRA.DMN.TYPE_UNKNOWN': row(
    'A type reference names no type of FEEL, of the model or of what it imports.',
    'Add the item definition, or use the nearest name that the finding shows.',
  ),
  'SUTRA.DMN.TYPE_CYCLIC': row('An item definition stands, through others, only for itself.', CORRECT),
  'SUTRA.DMN.TYPE_NAME_RESERVED': row('An item definition has the name of a type of FEEL.', 'Rename it.'),
  'SUTRA.DMN.ITEM_DEFINITION_INVALID': row(
    'An item definition says in more than one way what it stands for: a type, components, a function.',
    'Keep one of them.',
  ),
  'SUTRA.DMN.ALLOWED_VALUES_INVALID': row(
    'Allowed values or a type constraint name something other than the value, ?, and functions of FEEL.',
    'Write values, ranges and conditions on ?; texts stand in quotes.',
  ),

  // Models together.
  'SUTRA.DMN.NAMESPACE_DUPLICATE': row(
    'Two decision models of the package have the same namespace, and another one imports it.',
    'Give one of them another namespace.',
  ),
  'SUTRA.DMN.IMPORT_UNKNOWN': row(
    'A model imports a namespace that no decision model of the package has.',
    'Add the imported model to the package, or correct the namespace.',
  ),
  'SUTRA.DMN.REQUIREMENT_CYCLE': row(
    'Decisions, or decision services, require each other in a circle, so that none of them can be made.',
    'Take one of the requirements away.',
  ),
  'SUTRA.DMN.PRIORITIES_MISSING': row(
    'A decision table chooses by priority, and no output lists its values.',
    'List the output values, the highest priority first.',
  ),

  // When a decision is made.
  'SUTRA.DMN.TYPE_MISMATCH': decided(
    'An input, an argument or a result is not of the type that the decision model declares for it.',
    'Correct the data, or the type in the model.',
  ),
  'SUTRA.DMN.VALUE_NOT_ALLOWED': decided(
    'An input, an argument or a result is none of the values that the decision model allows.',
    'Correct the data, or the allowed values in the model.',
  ),
  'SUTRA.DMN.HIT_POLICY_VIOLATED': decided(
    'Rules of a decision table match together, or give different outputs, against its hit policy.',
    'Correct the rules of the table so that they do not overlap, or choose another hit policy.',
  ),
} as const satisfies CodeTable;

export type DmnCode = keyof typeof dmnCodes;
