/**
 * Whether a file was made for an engine: for Camunda 7 or one of its forks, or for jBPM. Then it has their defaults.
 *
 * M1 A file that speaks our vocabulary has our defaults, whatever modeler draws it.
 * M2 Without a namespace of Camunda 7 only what the file itself says of its engine counts, and none of Zeebe's is declared.
 */
import { BPMN_NAMESPACE, Q_NAMESPACE } from '../bpmn/namespaces.ts';
import type { XmlElement } from '../xml/document.ts';
import { camunda7 } from './camunda7-registry.ts';
import { JBPM_NAMESPACE } from './jbpm-constants.ts';
import { startsAsJuel } from './translate-expression.ts';
import { zeebe } from './zeebe-registry.ts';

/** What Camunda Modeler writes as the platform of a diagram; `Camunda Cloud` is that of Zeebe. */
const PLATFORM = { namespace: 'http://camunda.org/schema/modeler/1.0', value: 'Camunda Platform' };

/** Target namespaces that the modelers of the forks give to new files, as `http://www.flowable.org/processdef`. */
const THEIR_TARGET = /^https?:\/\/(?:www\.)?(?:activiti|flowable|operaton)\.org\//;

export function isMadeForCamunda7(root: XmlElement): boolean {
  if (declares(root, [Q_NAMESPACE])) return false;
  if (declares(root, camunda7.namespaces)) return true;
  return !declares(root, zeebe.namespaces) && (saysSo(root) || hasJuel(root));
}

export function isMadeForJbpm(root: XmlElement): boolean {
  return declares(root, [JBPM_NAMESPACE]) && !declares(root, [Q_NAMESPACE]);
}

function saysSo({ attributes }: XmlElement): boolean {
  return attributes.some(
    ({ namespace, localName, value }) =>
      (namespace === PLATFORM.namespace && localName === 'executionPlatform' && value === PLATFORM.value) ||
      (namespace === '' && localName === 'targetNamespace' && THEIR_TARGET.test(value)),
  );
}

/** Conditions in `${…}`: the language of theirs, and of those that read what their modelers write. */
function hasJuel(element: XmlElement): boolean {
  const isCondition = element.namespace === BPMN_NAMESPACE && element.localName === 'conditionExpression';
  return (isCondition && startsAsJuel(element.text)) || element.children.some(hasJuel);
}

/** Modelers declare a namespace at the root, people where they use it. */
function declares({ prefixes, children }: XmlElement, namespaces: readonly string[]): boolean {
  return (
    [...prefixes.values()].some((namespace) => namespaces.includes(namespace)) ||
    children.some((child) => declares(child, namespaces))
  );
}
