/**
 * DMN XML to a decision model with the exact place of everything in it.
 *
 * R1 It never throws for bad input: every fault is a finding with a code, one sentence, and a place.
 * R2 It reports all faults of a file. Only a file that is not XML ends at its first few.
 * R3 A file with an error may yield a model: what was reported is left out of it. It serves to find more faults, and must
 *    not be run.
 * R4 What is read holds nothing that would be ignored (check-structure.ts); what cannot be executed is an error.
 */
import type { Finding } from '../../config/engine-error.ts';
import { deepFreeze } from '../deep-freeze.ts';
import type { XmlDocument, XmlElement } from '../xml/document.ts';
import { attributeOf, findAttribute } from '../xml/document.ts';
import { readXml } from '../xml/read-xml.ts';
import { shown } from '../xml/shown.ts';
import { checkStructure } from './check-structure.ts';
import type { DmnModel, ModelImport } from './model.ts';
import { isDmnNamespace, NEWEST_DMN_NAMESPACE } from './namespaces.ts';
import { label, optionalName, ReadContext } from './read-context.ts';
import { readDecision, readInputData, readKnowledgeModel, readService } from './read-elements.ts';
import { readItems } from './read-items.ts';
import { References } from './read-references.ts';
import { Report } from './report.ts';
import { comparePlaces } from '../file-report.ts';

export interface DmnResult {
  /** Null when the file is no DMN, or has more expressions than are compiled (R3). */
  readonly model: DmnModel | null;
  /** In the order of the file. */
  readonly findings: readonly Finding[];
}

/** Reads one DMN file. @param file its path in the package */
export function readDmn(file: string, content: Uint8Array): DmnResult {
  const { document, findings } = readXml({ path: file, content });
  if (document === null) return { model: null, findings };
  const report = new Report(document);
  const model = readDefinitions(document, report);
  return { model, findings: report.findings };
}

function readDefinitions({ file, root }: XmlDocument, report: Report): DmnModel | null {
  if (!isDmnNamespace(root.namespace) || root.localName !== 'definitions') {
    const message = `the root element is ${shown(root.name)} of the namespace ${shown(root.namespace)}; it must be definitions of DMN 1.1 to 1.5, as of ${NEWEST_DMN_NAMESPACE}`;
    report.error('SUTRA.DMN.ROOT_INVALID', root, message);
    return null;
  }
  checkStructure(root, report);
  const context = new ReadContext(root, report);
  const typeLanguage = findAttribute(root, 'typeLanguage');
  if (typeLanguage !== null && typeLanguage.value.trim() !== '') context.checkLanguage(root, typeLanguage);
  const namespace = readNamespace(context, root);
  const references = new References(context, root, namespace);
  const read = <Read>(localName: string, reader: (element: XmlElement) => Read | null): readonly Read[] =>
    context.children(root, localName).flatMap((element) => reader(element) ?? []);
  const model: DmnModel = {
    file,
    name: context.name(root) ?? '',
    namespace,
    imports: readImports(context, root),
    items: readItems(context, root, 'itemDefinition'),
    inputs: read('inputData', (element) => readInputData(context, element)),
    decisions: read('decision', (element) => readDecision(context, references, element)),
    knowledgeModels: read('businessKnowledgeModel', (element) =>
      readKnowledgeModel(context, references, element),
    ),
    services: read('decisionService', (element) => readService(context, references, element)),
  };
  checkNames(context, model);
  return context.hasTooManyExpressions ? null : deepFreeze(model);
}

function readNamespace(context: ReadContext, root: XmlElement): string {
  const namespace = attributeOf(root, 'namespace')?.trim() ?? '';
  if (namespace === '') {
    const message =
      'definitions has no namespace attribute; give the model one, by which others can import it';
    context.report.error('SUTRA.DMN.ATTRIBUTE_MISSING', root, message);
  }
  return namespace;
}

function readImports(context: ReadContext, root: XmlElement): readonly ModelImport[] {
  return context.children(root, 'import').flatMap((element) => {
    const importType = attributeOf(element, 'importType')?.trim() ?? '';
    if (!isDmnNamespace(importType)) {
      const message = `${label(element)} is of the type ${shown(importType)}, which is no decision model, and is not read; take it away`;
      context.report.warning('SUTRA.DMN.IMPORT_UNREAD', element, message);
      return [];
    }
    const namespace = attributeOf(element, 'namespace')?.trim() ?? '';
    if (namespace === '') {
      const message = `${label(element)} has no namespace; write that of the imported model`;
      context.report.error('SUTRA.DMN.ATTRIBUTE_MISSING', element, message);
      return [];
    }
    return [{ name: optionalName(element) ?? '', namespace, place: context.placeOf(element) }];
  });
}

/** By its name an element is visible to what requires it, beside the others and the imports. */
function checkNames(context: ReadContext, model: DmnModel): void {
  const { imports, inputs, decisions, knowledgeModels, services } = model;
  const named = [
    ...imports.filter(({ name }) => name !== ''),
    ...[...inputs, ...decisions, ...knowledgeModels, ...services],
  ];
  context.distinct(named.sort((one, other) => comparePlaces(one.place, other.place)));
}
