/** Rows of the vocabulary: a verb, what stands behind it, and its options beside it. */
import type { Written } from '../../written.ts';
import type { Step } from '../flow.ts';
import {
  described,
  formSchema,
  optional,
  readForm,
  type FieldValues,
  type Fields,
  type Form,
  type FormRules,
} from './forms.ts';
import {
  id,
  name,
  writtenFlag,
  type Kind,
  type NamedSchema,
  type Schema,
  type StepsReader,
} from './kinds.ts';
import { shown } from '../../xml/shown.ts';
import type { FlowMapping, FlowValue } from './value.ts';
import { PendingId } from '../step-ids.ts';

/** What every step has. */
export type StepBase = Pick<Step, 'id' | 'isIdGiven' | 'name' | 'place' | 'audit'>;

export interface VerbRow {
  /** For editors. */
  readonly about: string;
  /** Keys that may stand beside the verb, without `id` and `name`. */
  readonly optionKeys: readonly string[];
  /** Of the whole step. */
  readonly schema: Schema;
  /** Null: a fault was noted. */
  readonly read: (step: FlowMapping, value: FlowValue, reader: StepsReader) => Step | null;
}

/** Of every step, and of what is waited for and handled. */
export const baseFields = {
  id: optional(
    id,
    'Names the step for ever: instances wait under it. Without it the id is derived from the name, else from the step.',
  ),
  name: optional(name, 'For people.'),
  audit: optional(
    writtenFlag,
    'Whether the history has the payloads that come and go here, without what is sensitive.',
  ),
} as const;

export const BASE_KEYS: readonly string[] = Object.keys(baseFields);

/** The id and the name that are written in a mapping. */
export function baseOf(mapping: FlowMapping, reader: StepsReader): StepBase {
  const given = readOptional(mapping, 'id', id, reader);
  const audit = readOptional(mapping, 'audit', writtenFlag, reader);
  return {
    id: given ?? new PendingId(mapping.place),
    isIdGiven: given !== null,
    name: readOptional(mapping, 'name', name, reader),
    place: mapping.place,
    ...(audit === null ? {} : { audit }),
  };
}

function readOptional(
  mapping: FlowMapping,
  key: string,
  kind: Kind<Written>,
  reader: StepsReader,
): Written | null {
  const value = mapping.get(key);
  return value === null ? null : kind.read(value, reader);
}

export interface VerbDraft<Value, Of extends Fields> {
  readonly verb: string;
  readonly about: string;
  readonly value: Kind<Value>;
  readonly options: Of;
  readonly rules?: FormRules;
  readonly build: (base: StepBase, value: Value, options: FieldValues<Of>, step: FlowMapping) => Step | null;
}

/** A verb that has one value, and options beside it. */
export function verb<Value, const Of extends Fields>(draft: VerbDraft<Value, Of>): VerbRow {
  const { about, value: kind, options, rules = {}, build } = draft;
  return {
    about,
    optionKeys: Object.keys(options),
    schema: stepSchema(draft.verb, about, kind.schema, options, rules),
    read: (step, value, reader) => {
      const base = baseOf(step, reader);
      const read = kind.read(value, reader);
      const beside = readForm(step, { fields: options, rules }, reader, [draft.verb, ...BASE_KEYS]);
      return read === null || beside === null ? null : build(base, read, beside, step);
    },
  };
}

export interface FormVerbDraft<Of extends Fields> {
  readonly verb: string;
  readonly about: string;
  /** The field that a value which is no mapping stands for; or the name. */
  readonly main: (keyof Of & string) | 'name';
  readonly fields: Of;
  readonly rules?: FormRules;
  readonly build: (base: StepBase, values: FieldValues<Of>, step: FlowMapping) => Step | null;
}

/**
 * A verb whose value is its main field, or a mapping of its fields. Those that do not stand in the mapping may stand
 * beside the verb, but for those of which there is exactly one: they say what the verb is about.
 */
export function formVerb<const Of extends Fields>(draft: FormVerbDraft<Of>): VerbRow {
  const { verb: key, about, main, fields, rules = {}, build } = draft;
  const form = { fields, rules };
  const mainKind = Object.hasOwn(fields, main) ? fields[main].kind : name;
  return {
    about,
    optionKeys: Object.keys(besideFields(form, main)),
    schema: formVerbSchema(key, about, main, mainKind.schema, form),
    read: (step, value, reader) => {
      const all = joinedForm(step.without(key), value, main, rules);
      if (all === null) return null;
      const base = baseOf(all, reader);
      const values = readForm(all, form, reader, BASE_KEYS);
      return values === null ? null : build(base, values, all);
    },
  };
}

function besideFields({ fields, rules }: Form<Fields>, main: string): Fields {
  const underOnly = [main, ...(rules.oneOf ?? [])];
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !underOnly.includes(key)));
}

/** Of a step whose fields may stand under the verb and beside it. */
export function formVerbSchema(
  verbKey: string,
  about: string,
  main: string,
  mainSchema: Schema | NamedSchema,
  form: Form<Fields>,
  isNothingAllowed = form.rules.oneOf === undefined,
): Schema {
  const under = withBase(form);
  const nothing = isNothingAllowed ? [{ type: 'null' }] : [];
  const value = { anyOf: [mainSchema, under, ...nothing] };
  return stepSchema(verbKey, about, value, besideFields(form, main), {});
}

/** What stands under the verb and beside it, as one mapping; null when a fault was noted. */
export function joinedForm(
  beside: FlowMapping,
  value: FlowValue,
  main: string,
  { oneOf = [] }: FormRules,
): FlowMapping | null {
  const misplaced = beside.entries.filter(({ key }) => oneOf.includes(key.text));
  for (const { key } of misplaced) {
    const message = `${shown(key.text)} stands under the verb: ${beside.what}: { ${key.text}: … }`;
    beside.error('SUTRA.FLOWS.KEY_UNKNOWN', message, key.place());
  }
  if (misplaced.length > 0) return null;
  const under = value.mapping(beside.what);
  if (under !== null) return beside.and(under.entries);
  if (value.isNothing) return beside;
  if (value.isList) return value.mustBe('text, or a mapping of keys');
  const key: Written = { text: main, place: value.place, inside: value.place };
  return beside.and([{ key, keyValue: value, value: value.renamed(`${main} of ${beside.what}`) }]);
}

/** Of a mapping with these fields, an id and a name. */
export function withBase({ fields, rules }: Form<Fields>): Schema {
  return formSchema({ fields: { ...baseFields, ...fields }, rules });
}

export function stepSchema(
  verbKey: string,
  about: string,
  value: Schema | Kind<unknown>['schema'],
  options: Fields,
  rules: FormRules,
): Schema {
  const schema = formSchema({ fields: options, rules });
  return {
    ...schema,
    properties: {
      [verbKey]: described(value, about),
      id: described(baseFields.id.kind.schema, baseFields.id.about),
      name: described(baseFields.name.kind.schema, baseFields.name.about),
      audit: described(baseFields.audit.kind.schema, baseFields.audit.about),
      ...Object(schema['properties']),
    },
    required: [verbKey, ...requiredOf(options)],
  };
}

function requiredOf(options: Fields): readonly string[] {
  return Object.entries(options).flatMap(([key, { isRequired }]) => (isRequired ? [key] : []));
}
