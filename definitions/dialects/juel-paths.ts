/**
 * Variables, properties and elements.
 *
 * P1 JUEL counts elements from 0, FEEL from 1.
 * P2 What stands in a filter's brackets sees the properties of the elements first. So only literals stand there.
 * P3 An index that is a text at run time is the name of a property, as in JUEL.
 */
import { shown } from '../xml/shown.ts';
import {
  atLeast,
  called,
  type FeelKind,
  type FeelText,
  isFeelName,
  levels,
  quoted,
  withOperands,
  written,
} from './juel-feel-text.ts';
import { JuelFault } from './juel-fault.ts';

/** What the engines of this dialect count for a loop. */
const counters: ReadonlySet<string> = new Set([
  'loopCounter',
  'nrOfInstances',
  'nrOfActiveInstances',
  'nrOfCompletedInstances',
]);

/** FEEL for variables and paths of the source, by their text there: `execution.processBusinessKey`. */
export type Replacements = ReadonlyMap<string, string>;

/** A variable. @throws JuelFault for a name that FEEL reads otherwise */
export function variable(name: string, offset: number, replacements: Replacements): FeelText {
  const kind: FeelKind = counters.has(name) ? 'number' : 'unknown';
  const replaced = replacement(name, offset, replacements);
  if (replaced !== null) return { ...replaced, kind };
  if (!isFeelName(name)) {
    const message = `FEEL reads the name ${shown(name)} otherwise; give the variable a name of letters, digits and _`;
    throw new JuelFault('name', message, offset);
  }
  return written(offset, [name], { kind, isPlain: true, path: name });
}

/** `base.name`, also for names that FEEL would read otherwise. */
export function property(base: FeelText, name: string, offset: number, replacements: Replacements): FeelText {
  const path = base.path === null ? null : `${base.path}.${name}`;
  const replaced = path === null ? null : replacement(path, offset, replacements);
  if (replaced !== null) return replaced;
  if (!isFeelName(name)) return called(offset, 'get value', [base, quoted(name)]);
  const named = written(offset, [`.${name}`]);
  const pieces = [...atLeast(levels.primary, base).pieces, ...named.pieces];
  return { ...named, pieces, isPlain: base.isPlain, path };
}

function replacement(path: string, offset: number, replacements: Replacements): FeelText | null {
  const feel = replacements.get(path);
  if (feel === undefined) return null;
  if (isFeelName(feel)) return written(offset, [feel], { isPlain: true, path });
  return { ...written(offset, [`(${feel})`]), path };
}

/** `base[index]`. @throws JuelFault for an index that no list and no context has */
export function element(
  base: FeelText,
  index: FeelText,
  offset: number,
  replacements: Replacements,
): FeelText {
  const { kind, literal } = index;
  if (kind === 'boolean' || kind === 'null') {
    const message = 'an index is a number, or the name of a property; write one of them';
    throw new JuelFault('coercion', message, index.offset);
  }
  if (literal === null) return computedElement(base, index, offset);
  if (kind === 'string') {
    if (!/^\d+$/.test(literal)) return property(base, literal, index.offset, replacements);
    const message = 'JUEL takes this text for a number where it finds a list; write an index without quotes';
    throw new JuelFault('coercion', message, index.offset);
  }
  if (!/^\d{1,9}$/.test(literal)) {
    const message = 'an index is a whole number from 0; write one';
    throw new JuelFault('coercion', message, index.offset);
  }
  const position = written(index.offset, [String(Number(literal) + 1)]);
  return written(offset, [atLeast(levels.primary, base), '[', position, ']']);
}

function computedElement(base: FeelText, index: FeelText, offset: number): FeelText {
  if (index.level === levels.negation) {
    const message = 'JUEL counts elements from 0 and finds none below it; write a whole number from 0';
    throw new JuelFault('coercion', message, index.offset);
  }
  if (index.kind === 'number') return elementAt(base, index, offset);
  if (index.kind === 'string') return called(offset, 'get value', [base, index]);
  return withOperands(offset, [base, index], ([list = base, key = index]) =>
    written(
      offset,
      [
        ...['if ', atLeast(levels.primary, key), ' instance of string then '],
        ...[called(offset, 'get value', [list, key]), ' else ', elementAt(list, key, offset)],
      ],
      { level: levels.conditional },
    ),
  );
}

function elementAt(list: FeelText, index: FeelText, offset: number): FeelText {
  const position = written(offset, [atLeast(levels.sum, index), ' + 1']);
  return written(offset, [called(offset, 'sublist', [list, position, '1']), '[1]']);
}
