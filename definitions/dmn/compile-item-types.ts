/** The types of the decision models of a package, each with those of the models that it imports. */
import type { Finding } from '../../config/engine-error.ts';
import type { TypeLookup } from '../feel/compile/scope.ts';
import { shown } from '../xml/shown.ts';
import { ItemDefinitions } from './item-definitions.ts';
import { TypeNames } from './item-names.ts';
import { feelItems, type ItemTypes } from './item-types.ts';
import type { DmnModel } from './model.ts';
import { findingOf, TypeReferences } from './type-references.ts';

/** What an item definition may be called all the same: tools have no such types, and an own one hides it. */
const rarelyTypes: ReadonlySet<string> = new Set(['list', 'range', 'context']);

/** As many as of one file that is read. */
const MAX_FINDINGS = 1_000;

/**
 * The types of models that may import each other, by model. That an imported model is not there is for others to report.
 * @param models as they were read, those with faults too
 */
export function compileItemTypes(models: readonly DmnModel[]): {
  readonly byModel: ReadonlyMap<DmnModel, ItemTypes>;
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const report = (finding: Finding): void => {
    if (findings.length < MAX_FINDINGS) findings.push(finding);
    else if (findings.length === MAX_FINDINGS) findings.push(tooMany(finding));
  };
  const references = new TypeReferences(new TypeNames(models));
  const definitions = new ItemDefinitions(references, report);
  const lookupOf =
    (model: DmnModel): TypeLookup =>
    (path) => {
      const found = references.names.findName(path.join('.'), model);
      return found?.kind === 'defined' ? definitions.typeOf(found.definition).feelType : null;
    };
  for (const model of models) {
    reportReserved(model, report);
    definitions.add(model);
  }
  definitions.finish(lookupOf);
  const typesOf = (model: DmnModel): ItemTypes => ({
    resolve(reference, reportUnknown) {
      const found = references.find(reference, model, reportUnknown);
      return found.kind === 'defined' ? definitions.typeOf(found.definition) : found.item;
    },
    lookup: lookupOf(model),
  });
  return { byModel: new Map(models.map((model) => [model, typesOf(model)])), findings };
}

function reportReserved({ items }: DmnModel, report: (finding: Finding) => void): void {
  for (const { name, place } of items) {
    if (!feelItems.has(name) || rarelyTypes.has(name)) continue;
    const message = `${shown(name)} is a type of FEEL; give the item definition another name`;
    report(findingOf('SUTRA.DMN.TYPE_NAME_RESERVED', place, message));
  }
}

function tooMany({ place }: Finding): Finding {
  const message = `the types have more than ${MAX_FINDINGS} faults, which are not listed; correct the first ones`;
  return findingOf('SUTRA.DMN.TOO_MANY_FINDINGS', place, message);
}
