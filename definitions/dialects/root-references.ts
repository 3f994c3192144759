/**
 * Camunda 7 and its forks take a reference for the code itself when the file has no error of that id.
 *
 * Source: "Error Events" in the user guides of Activiti and its forks: an errorRef that matches no defined error is
 * used as the error code, by what throws and by what catches. Messages and signals must be declared there.
 */
import type { DialectContext } from './dialect-context.ts';
import type { ElementDraft } from './element-draft.ts';
import { writtenAttribute } from '../written.ts';

/** Lets an `errorEventDefinition` whose reference is a code refer to an error with that code, which is added. */
export function declareError(context: DialectContext, draft: ElementDraft): void {
  const attribute = draft.attribute('errorRef');
  if (!context.isCamunda7 || attribute === null || attribute.value === '') return;
  const { roots, addedRoots, addedErrors, make } = context;
  // They resolve no prefixes; a reference with one may still be that of another modeler.
  const found = roots.get(attribute.value) ?? roots.get(attribute.value.replace(/^[^:]*:/, ''));
  if (found?.localName === 'error') return;
  const code = writtenAttribute(context.document, draft.base, attribute);
  const isNew = !addedErrors.has(code.text);
  const id = { ...code, text: addedErrors.idOf(code.text) };
  if (isNew) addedRoots.push(make.bpmn('error', code, { id, errorCode: code }));
  if (id.text !== code.text) draft.set(make.attribute('errorRef', id));
}
