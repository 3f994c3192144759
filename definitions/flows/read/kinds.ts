/**
 * Kinds of values in a flow. Each knows how it is read and what an editor may know of it (docs/flow.schema.json), so
 * that the two cannot differ.
 */
import { parseDuration, parseInstant, parseRepeatingInterval } from '../../../config/iso8601.ts';
import { compileExpression, FeelSyntaxError } from '../../feel.ts';
import type { QAttributeKind } from '../../bpmn/q-elements.ts';
import { isVariableName, valueFault } from '../../bpmn/q-values.ts';
import type { Written } from '../../written.ts';
import { isXmlName } from '../../xml/schema-values.ts';
import { shown } from '../../xml/shown.ts';
import { indexOf } from '../../yaml-reader.ts';
import type { Start, Steps } from '../flow.ts';
import type { FlowValue } from './value.ts';

/** A piece of JSON Schema (draft-07). */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** A schema that is written once, under `definitions`. */
export class NamedSchema {
  readonly name: string;
  readonly content: Schema | NamedSchema;

  constructor(name: string, content: Schema | NamedSchema) {
    this.name = name;
    this.content = content;
  }
}

/** The same kind; its schema is written once. */
export function named<Value>(schemaName: string, kind: Kind<Value>): Kind<Value> {
  return { ...kind, schema: new NamedSchema(schemaName, kind.schema) };
}

/** The steps of a file. */
export interface TopSteps {
  /** Empty: the flow is started by its id. */
  readonly starts: readonly Start[];
  readonly steps: Steps;
}

/** What kinds need of the reader of steps. */
export interface StepsReader {
  /** The list at the top, which may begin with `start`. */
  readonly topSteps: (value: FlowValue) => TopSteps | null;
  /** A list of steps inside a step. */
  readonly steps: (value: FlowValue) => Steps | null;
  /** Whether a key is a verb: for hints. */
  readonly isVerb: (key: string) => boolean;
}

export interface Kind<Value> {
  /** For messages: `a FEEL expression`. */
  readonly what: string;
  readonly schema: Schema | NamedSchema;
  /** Null: it is not of the kind, which was noted. */
  readonly read: (value: FlowValue, reader: StepsReader) => Value | null;
}

export type KindValue<Of> = Of extends Kind<infer Value> ? Value : never;

const VARIABLE_PATTERN = '^[\\p{L}_][\\p{L}\\p{N}_]*$';

/** Text whose form the q: vocabulary knows. */
function checkedText(what: string, kind: QAttributeKind, schema: Schema): Kind<Written> {
  return {
    what,
    schema: new NamedSchema(kind, schema),
    read: (value) => {
      const text = textOf(value, what, NEVER_NUMBERS.includes(kind));
      const fault = text === null ? null : valueFault(kind, text.text);
      return fault === null ? text : value.invalid(`${value.what}: ${fault}`);
    },
  };
}

/** A scalar that YAML takes for text. What it takes for a number is text in quotes, unless it `isNeverNumber`. */
export function textOf(value: FlowValue, what: string, isNeverNumber = false): Written | null {
  if (value.scalarKind === 'text') return value.written;
  const isQuotable = value.scalarKind !== null && !isNeverNumber;
  return value.mustBe(isQuotable ? `${what}: put it in quotes` : what);
}

/** Kinds that have no texts that YAML could take for numbers. */
const NEVER_NUMBERS: readonly QAttributeKind[] = ['variable', 'media-type', 'duration'];

const SHORT_TEXT = { type: 'string', minLength: 1, maxLength: 255 };

export const name = checkedText('text', 'text', SHORT_TEXT);
export const code = checkedText('a code', 'text', SHORT_TEXT);
export const channel = checkedText('the name of a channel', 'channel', {
  ...SHORT_TEXT,
  pattern: '^\\S+$',
});
export const variable = checkedText('the name of a variable', 'variable', {
  ...SHORT_TEXT,
  pattern: VARIABLE_PATTERN,
});
export const headerName = checkedText('the name of a header', 'header-name', SHORT_TEXT);
export const mediaType = checkedText('a media type, as application/json', 'media-type', SHORT_TEXT);
export const duration = checkedText('an ISO-8601 duration, as PT5M', 'duration', {
  type: 'string',
  pattern: '^P',
});

/** Some number that is checked as it is written. */
function checkedNumber(what: string, kind: QAttributeKind, schema: Schema): Kind<Written> {
  return {
    what,
    schema,
    read: (value) => {
      if (value.scalarKind !== 'number') return value.mustBe(what);
      const { written } = value;
      const fault = written === null ? null : valueFault(kind, written.text);
      return fault === null ? written : value.invalid(`${value.what}: ${fault}`);
    },
  };
}

export const positiveInteger = checkedNumber('a whole number', 'positive-integer', {
  type: 'integer',
  minimum: 1,
  maximum: 999_999_999,
});
export const coefficient = checkedNumber('a number of at least 1', 'coefficient', {
  type: 'number',
  minimum: 1,
  maximum: 9_999,
});

export const flag: Kind<boolean> = {
  what: 'true or false',
  schema: { type: 'boolean' },
  read: (value) =>
    value.scalarKind === 'boolean' ? value.written?.text === 'true' : value.mustBe('true or false'),
};

/** `true` or `false`, as text with its place. */
export const writtenFlag: Kind<Written> = {
  what: flag.what,
  schema: flag.schema,
  read: (value) => (value.scalarKind === 'boolean' ? value.written : value.mustBe(flag.what)),
};

/** One of a few words. */
export function choice(...allowed: readonly string[]): Kind<Written> {
  const what = allowed.join(' or ');
  return {
    what,
    schema: { enum: allowed },
    read: (value) => {
      const text = textOf(value, what, true);
      if (text === null || allowed.includes(text.text)) return text;
      return value.invalid(`${value.what} is ${shown(text.text)}; it must be ${what}`);
    },
  };
}

export const id: Kind<Written> = {
  what: 'an id',
  schema: new NamedSchema('id', { ...SHORT_TEXT, pattern: '^[\\p{L}_][\\p{L}\\p{M}\\p{N}._-]*$' }),
  read: (value) => {
    const text = textOf(value, 'an id', true);
    if (text === null || isXmlName(text.text)) return text;
    return value.invalid(
      `${value.what} is ${shown(text.text)}; an id has letters, digits, "-", "_" and ".", begins with a letter or "_", and is at most 255 characters long`,
    );
  },
};

/** A variable, or a dotted path into one. */
export const path: Kind<Written> = {
  what: 'a variable or a dotted path, as order.total',
  schema: SHORT_TEXT,
  read: (value) => {
    const text = textOf(value, path.what, true);
    if (text === null || text.text.split('.').every(isVariableName)) return text;
    return value.invalid(`${value.what} is ${shown(text.text)}; write ${path.what}`);
  },
};

/** YAML has hexadecimal numbers, infinities and a leading plus besides. */
const FEEL_NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const EXPRESSION_SCHEMA = new NamedSchema('expression', {
  description: 'FEEL, with or without a leading "=". A text is \'"text"\'.',
  type: ['string', 'number', 'boolean'],
});

export const expression: Kind<Written> = {
  what: 'a FEEL expression',
  schema: EXPRESSION_SCHEMA,
  read: (value) => {
    if (value.isNothing) {
      return value.invalid(`${value.what} is empty; write a FEEL expression, for null: =null`);
    }
    const { written } = value;
    if (written === null) {
      const start = value.isList ? '[' : '{';
      return value.mustBe(`a FEEL expression; put one that begins with "${start}" in quotes`);
    }
    if (value.scalarKind === 'number' && !FEEL_NUMBER.test(written.text)) {
      return value.invalid(
        `${value.what} is ${shown(written.text)}, which is no number of FEEL; write it in decimal digits`,
      );
    }
    return checkExpression(value, written) ? written : null;
  },
};

/** FEEL has no `$` or `#` before a brace. */
const OTHER_ENGINE = /^\s*[$#]\{/;

/** Whether it is one expression of FEEL; if not, that was noted. */
export function checkExpression(value: FlowValue, written: Written): boolean {
  const { text } = written;
  if (text.trim() === '') {
    value.invalid(`${value.what} is blank; write a FEEL expression`);
    return false;
  }
  if (OTHER_ENGINE.test(text)) {
    const message = `${value.what} is ${shown(text.trim())}, the syntax of another engine; write FEEL, as =amount > 100`;
    value.invalid(message);
    return false;
  }
  try {
    compileExpression(text);
    return true;
  } catch (error) {
    if (error instanceof FeelSyntaxError) {
      const message = `${value.what}: ${shown(text.trim())} is no FEEL expression: ${error.message}`;
      value.file.error(error.code, message, written.inside(indexOf(text, error)));
    } else if (error instanceof RangeError) {
      // The parser recurses.
      value.file.error('SUTRA.FEEL.SYNTAX_INVALID', `${value.what} is nested too deep`, written.place());
    } else throw error;
    return false;
  }
}

/** A time as it is written down, and what is wrong with it, or null. */
export const timeFaults = {
  after: (text: string) => faultOf(parseDuration(text)),
  at: (text: string) => faultOf(parseInstant(text)),
  every: (text: string) => faultOf(parseRepeatingInterval(text)),
} as const;

function faultOf(
  result: { readonly ok: true } | { readonly ok: false; readonly message: string },
): string | null {
  return result.ok ? null : result.message;
}

/** Under `definitions` of the schema. */
export const STEPS_SCHEMA = 'steps';
export const TOP_STEPS_SCHEMA = 'flow-steps';

/** At least one step. */
export const steps: Kind<Steps> = {
  what: 'a list of steps',
  schema: { type: 'array', minItems: 1, allOf: [{ $ref: `#/definitions/${STEPS_SCHEMA}` }] },
  read: (value, reader) => {
    const read = reader.steps(value);
    if (read === null || !value.isEmptyList) return read;
    return value.error('SUTRA.FLOWS.EMPTY', `${value.what} has no steps; write at least one`);
  },
};

/** Without steps, the flow goes on behind the step. */
export const stepsOrNone: Kind<Steps> = {
  what: 'a list of steps',
  schema: { $ref: `#/definitions/${STEPS_SCHEMA}` },
  read: (value, reader) => reader.steps(value),
};

export const topSteps: Kind<TopSteps> = {
  what: 'a list of steps',
  schema: { $ref: `#/definitions/${TOP_STEPS_SCHEMA}` },
  read: (value, reader) => {
    const read = reader.topSteps(value);
    if (read === null || !value.isEmptyList) return read;
    return value.error('SUTRA.FLOWS.EMPTY', `${value.what} has no steps; write at least one`);
  },
};
