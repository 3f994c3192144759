/**
 * Writes `docs/flow.schema.json`: the vocabulary of flows as JSON Schema, for completion in editors.
 *
 * It is draft-07, which editors know best. It is made of the kinds that read flows; what only the reader can see
 * (ids that meet, a step that nothing leads to, the syntax of FEEL) is not in it.
 */
import { isDeepStrictEqual } from 'node:util';
import { NamedSchema, type Schema, STEPS_SCHEMA, TOP_STEPS_SCHEMA } from '../definitions/flows/read/kinds.ts';
import { formSchema } from '../definitions/flows/read/forms.ts';
import { flowForm, verbRows } from '../definitions/flows/read/vocabulary.ts';
import { startSchema } from '../definitions/flows/read/wait-verbs.ts';

const reference = (name: string): Schema => ({ $ref: `#/definitions/${name}` });

export function flowSchema(): Schema {
  const definitions = new Definitions();
  definitions.add(STEPS_SCHEMA, { type: 'array', items: reference('step') });
  definitions.add(TOP_STEPS_SCHEMA, {
    type: 'array',
    items: { anyOf: [{ const: 'start' }, reference('start'), reference('step')] },
    minItems: 1,
  });
  const verbs = [...verbRows].map(([verb, { schema }]) => [`step-${verb}`, schema] as const);
  definitions.add('step', { anyOf: [{ const: 'end' }, ...verbs.map(([name]) => reference(name))] });
  definitions.add('start', startSchema);
  for (const [name, schema] of verbs) definitions.add(name, schema);
  const root = definitions.hoistedObject(formSchema(flowForm));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Flow',
    description: 'A process as a list of steps: a file of flows/ in a package (docs/flows.md).',
    ...root,
    definitions: definitions.all,
  };
}

/** Schemas that are written once. */
class Definitions {
  readonly #schemas = new Map<string, unknown>();

  get all(): Schema {
    return Object.fromEntries(this.#schemas);
  }

  add(name: string, schema: Schema | NamedSchema): void {
    // It comes before what it names.
    if (!this.#schemas.has(name)) this.#schemas.set(name, null);
    const hoisted = this.#hoisted(schema);
    const known = this.#schemas.get(name);
    if (known !== null && !isDeepStrictEqual(known, hoisted))
      throw new Error(`two schemas are named ${name}`);
    this.#schemas.set(name, hoisted);
  }

  /** The schema with references to what is named in it. */
  hoistedObject(schema: Schema): Schema {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, this.#hoisted(value)]),
    );
  }

  #hoisted(schema: unknown): unknown {
    if (schema instanceof NamedSchema) {
      this.add(schema.name, schema.content);
      return reference(schema.name);
    }
    if (Array.isArray(schema)) return schema.map((item) => this.#hoisted(item));
    return isObject(schema) ? this.hoistedObject(schema) : schema;
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

export function flowSchemaText(): string {
  return `${JSON.stringify(flowSchema(), null, 2)}\n`;
}
