/**
 * Methods: the few that FEEL has too, and what to do in place of the others.
 *
 * M1 A method is translated where its name and the number of its arguments tell what it is, whatever has it. Whether a name
 *    is a variable or a bean of the source cannot be told: a bean with such a method is read as a variable.
 * M2 What the engine of the source gives as an object, `execution` and `task`, stays a variable of that name with
 *    properties; the caller says what stands for it (juel-paths.ts, Replacements), or whether it is there at all.
 */
import { shown } from '../xml/shown.ts';
import { asValue, called, type FeelText, levels, withOperands, written } from './juel-feel-text.ts';
import { JuelFault } from './juel-fault.ts';
import { emptiness, equal } from './juel-operators.ts';
import { element, property, type Replacements, variable } from './juel-paths.ts';

export interface JuelCall {
  readonly base: FeelText;
  readonly method: string;
  readonly args: readonly FeelText[];
  /** Of the method's name. */
  readonly offset: number;
  readonly replacements: Replacements;
}

/** With as many arguments as its row says. */
type Method = (call: JuelCall, args: readonly [FeelText, FeelText]) => FeelText;

const string = { kind: 'string' } as const;
const number = { kind: 'number' } as const;
const boolean = { kind: 'boolean' } as const;

/** By name and number of arguments. */
const methods: Readonly<Record<string, Method | undefined>> = {
  'size/0': ({ base, offset }) =>
    withOperands(offset, [base], ([of = base]) => {
      const counted = ['if ', of, ' instance of context then get entries(', of, ') else ', of];
      return called(offset, 'count', [written(offset, counted)], number);
    }),
  'isEmpty/0': ({ base, offset }) => emptiness(base, offset),
  'length/0': ({ base, offset }) => called(offset, 'string length', [base], number),
  'toString/0': ({ base, offset }) => called(offset, 'string', [asValue(base)], string),
  'toLowerCase/0': ({ base, offset }) => called(offset, 'lower case', [base], string),
  'toUpperCase/0': ({ base, offset }) => called(offset, 'upper case', [base], string),
  'equals/1': ({ base, offset }, [other]) => equal('=', base, other, offset),
  'equalsIgnoreCase/1': ({ base, offset }, [other]) =>
    equal(
      '=',
      called(offset, 'lower case', [base], string),
      called(offset, 'lower case', [other], string),
      offset,
    ),
  'startsWith/1': ({ base, offset }, [other]) => called(offset, 'starts with', [base, other], boolean),
  'endsWith/1': ({ base, offset }, [other]) => called(offset, 'ends with', [base, other], boolean),
  'contains/1': contains,
  'containsKey/1': ({ base, offset }, [key]) =>
    called(offset, 'list contains', [written(offset, ['get entries(', base, ').key']), key], boolean),
  'get/1': ({ base, offset, replacements }, [index]) => element(base, index, offset, replacements),
  'substring/1': (call, [begin]) => substring(call, begin, null),
  'substring/2': (call, [begin, end]) => substring(call, begin, end),
  // A JSON value of the source is a context here, and what these unwrap is not wrapped.
  'prop/1': ({ base, offset, replacements }, [name]) => element(base, name, offset, replacements),
  'elements/0': ({ base }) => base,
  'stringValue/0': ({ base }) => base,
  'numberValue/0': ({ base }) => base,
  'boolValue/0': ({ base }) => base,
};

/** @throws JuelFault */
export function methodCall(call: JuelCall): FeelText {
  const { base, method, args } = call;
  if (base.path === 'execution' || base.path === 'task') return engineCall(call, base.path);
  const key = `${method}/${args.length}`;
  const translate = Object.hasOwn(methods, key) ? methods[key] : undefined;
  const [first = base, second = base] = args;
  if (translate !== undefined) return translate(call, [first, second]);
  throw refusedMethod(call);
}

/** Of a text or of a list: which, is known at run time. */
function contains({ base, offset }: JuelCall, [sought]: readonly [FeelText, FeelText]): FeelText {
  if (base.kind === 'string') return called(offset, 'contains', [base, sought], boolean);
  return withOperands(offset, [base, asValue(sought)], ([of = base, part = sought]) => {
    const choice = ['if ', of, ' instance of string then ', called(offset, 'contains', [of, part])];
    const parts = [...choice, ' else ', called(offset, 'list contains', [of, part])];
    return written(offset, parts, { ...boolean, level: levels.conditional });
  });
}

/** FEEL has no substring without characters, so it must be certain that there are some. */
function substring({ base, offset }: JuelCall, begin: FeelText, end: FeelText | null): FeelText {
  const [from, to] = [wholeNumber(begin), end === null ? Infinity : wholeNumber(end)];
  if (from === null || to === null || to <= from) {
    const message =
      'substring is translated with whole numbers, the second the larger one; write FEEL: substring(text, start, length)';
    throw new JuelFault('call', message, offset);
  }
  const start = written(begin.offset, [String(from + 1)]);
  const length = end === null ? [] : [written(end.offset, [String(to - from)])];
  return called(offset, 'substring', [base, start, ...length], string);
}

function wholeNumber({ kind, literal }: FeelText): number | null {
  return kind === 'number' && literal !== null && /^\d{1,9}$/.test(literal) ? Number(literal) : null;
}

/** A method of what the engine of the source calls `execution` or `task`. */
function engineCall({ base, method, args, offset, replacements }: JuelCall, object: string): FeelText {
  const [first] = args;
  if (method === 'getVariable' && args.length === 1 && first !== undefined) {
    if (first.kind === 'string' && first.literal !== null)
      return variable(first.literal, first.offset, replacements);
    const message = 'which variable this is must be known beforehand; write its name in quotes';
    throw new JuelFault('call', message, first.offset);
  }
  const getter = getterName(method);
  if (getter !== null && args.length === 0) return property(base, getter, offset, replacements);
  if (/^(?:set|remove)/.test(method)) {
    const message = `an expression sets no variable, and ${object}.${method}() does; set it in an output mapping`;
    throw new JuelFault('assignment', message, offset);
  }
  const remedy = method === 'hasVariable' ? 'compare the variable with null' : "write the variable's name";
  const message = `there is no ${shown(`${object}.${method}`)} here; ${remedy}, or let a worker compute it`;
  throw new JuelFault('call', message, offset);
}

/** `getTotal` and `isPaid` read the properties `total` and `paid`. */
function getterName(method: string): string | null {
  const name = /^(?:get|is)(\p{Lu}[\p{L}\p{N}_]*)$/u.exec(method)?.[1];
  return name === undefined ? null : name.slice(0, 1).toLowerCase() + name.slice(1);
}

function refusedMethod({ base, method, args, offset }: JuelCall): JuelFault {
  const { path } = base;
  const isBean = path !== null && !path.includes('.');
  const getter = args.length === 0 ? getterName(method) : null;
  const remedy = 'let a worker compute it in a task before, or write it in FEEL';
  if (getter !== null && path !== null && !/^(?:execution|task)\./.test(path)) {
    const message = `there are no Java objects here, so nothing has the method ${shown(method)}; write ${shown(`${path}.${getter}`)} for the property of a variable, or ${remedy}`;
    return new JuelFault(isBean ? 'bean' : 'call', message, offset);
  }
  const message = isBean
    ? `there are no beans here: ${shown(`${path}.${method}`)} cannot be called; ${remedy}`
    : `FEEL has no method ${shown(method)}; ${remedy}`;
  return new JuelFault(isBean ? 'bean' : 'call', message, offset);
}
