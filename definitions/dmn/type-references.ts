/** What type references stand for, or why for nothing. */
import type { Finding, Place } from '../../config/engine-error.ts';
import { nearestName } from '../nearest-name.ts';
import { shown } from '../xml/shown.ts';
import type { DmnCode } from './codes.ts';
import type { FoundType, TypeNames } from './item-names.ts';
import { anyItem } from './item-types.ts';
import type { DmnModel, TypeReference } from './model.ts';

/** A search for what was meant costs more than a finding: nobody needs so many. */
const MAX_SUGGESTIONS = 100;

/** Types of other engines, which a number is here. */
const numbersElsewhere: ReadonlySet<string> = new Set([
  'integer',
  'int',
  'long',
  'double',
  'float',
  'decimal',
]);

export type KnownType = Exclude<FoundType, { readonly kind: 'uncertain' }>;

const any: KnownType = { kind: 'feel', item: anyItem };

export class TypeReferences {
  readonly names: TypeNames;
  #suggestionCount = 0;

  constructor(names: TypeNames) {
    this.names = names;
  }

  /** `Any` for none, for one that was reported, and for one of an import that is not there. */
  find(reference: TypeReference | null, model: DmnModel, report: (finding: Finding) => void): KnownType {
    if (reference === null) return any;
    const found = this.names.find(reference, model);
    if (found?.kind === 'uncertain') return any;
    if (found !== null) return found;
    const message = `there is no type ${shown(reference.text)}${this.#suggest(reference.text, model)}`;
    report(findingOf('SUTRA.DMN.TYPE_UNKNOWN', reference.place, message));
    return any;
  }

  #suggest(text: string, model: DmnModel): string {
    const name = text.slice(text.indexOf(':') + 1);
    if (numbersElsewhere.has(name)) return '; write number';
    this.#suggestionCount += 1;
    if (this.#suggestionCount > MAX_SUGGESTIONS) return '';
    const nearest = nearestName(name, this.names.namesIn(model));
    return nearest === null ? '' : `; did you mean ${shown(nearest)}?`;
  }
}

export function findingOf(code: DmnCode, place: Place, message: string): Finding {
  return { code, severity: 'error', message, place };
}
