/** Reports extensions of known vendors that have no meaning, or one that is refused. */
import { BPMN_NAMESPACE } from '../bpmn/namespaces.ts';
import type { XmlAttribute, XmlElement } from '../xml/document.ts';
import { camunda7 } from './camunda7-registry.ts';
import type { DialectContext } from './dialect-context.ts';
import { type DialectRegistry, type ExtensionRow, findRow } from './registry.ts';
import { zeebe } from './zeebe-registry.ts';

export const dialectRegistries: readonly DialectRegistry[] = [zeebe, camunda7];

export function registryOf(namespace: string): DialectRegistry | null {
  return dialectRegistries.find(({ namespaces }) => namespaces.includes(namespace)) ?? null;
}

/** Looks at `element` and all inside, but for processes that are not executed. */
export function checkNames(
  context: DialectContext,
  element: XmlElement,
  isSkipped: (process: XmlElement) => boolean,
): void {
  const visit = (current: XmlElement, owner: string): void => {
    for (const attribute of current.attributes) checkAttribute(context, current, attribute);
    for (const child of current.children) {
      const isExtensions = child.namespace === BPMN_NAMESPACE && child.localName === 'extensionElements';
      // What stands inside something that is refused goes with it.
      if (checkElement(context, child, owner) && isRead(child) && !isSkipped(child))
        visit(child, isExtensions ? current.localName : child.localName);
    }
  };
  visit(element, element.localName);
}

/** Drawings and the extensions of vendors that we do not know are not looked into. */
function isRead({ namespace }: XmlElement): boolean {
  return namespace === BPMN_NAMESPACE || registryOf(namespace) !== null;
}

function checkAttribute(context: DialectContext, element: XmlElement, attribute: XmlAttribute): void {
  // An attribute without a prefix on a vendor's element is the vendor's too.
  const namespace = attribute.namespace === '' ? element.namespace : attribute.namespace;
  const registry = registryOf(namespace);
  if (registry === null) return;
  const row = findRow(registry, 'attribute', attribute.localName, element.localName);
  const { report } = context;
  if (row === null || row === 'misplaced') {
    const known = registry.rows.filter(({ kind }) => kind === 'attribute');
    report.attributeWarning(
      row === null ? 'SUTRA.DIALECT.NAME_UNKNOWN' : 'SUTRA.DIALECT.NAME_MISPLACED',
      element,
      attribute,
      unread(context, registry, attribute.name, attribute.localName, element.localName, row, known),
    );
  } else if (row.status === 'refused') {
    report.attributeError(
      'SUTRA.DIALECT.EXTENSION_REFUSED',
      element,
      attribute,
      refused(attribute.name, row),
    );
  }
}

function checkElement(context: DialectContext, element: XmlElement, owner: string): boolean {
  const registry = registryOf(element.namespace);
  if (registry === null) return true;
  const row = findRow(registry, 'element', element.localName, owner);
  const { report } = context;
  if (row === null || row === 'misplaced') {
    const known = registry.rows.filter(({ kind }) => kind === 'element');
    report.warning(
      row === null ? 'SUTRA.DIALECT.NAME_UNKNOWN' : 'SUTRA.DIALECT.NAME_MISPLACED',
      element,
      unread(context, registry, element.name, element.localName, owner, row, known),
    );
  } else if (row.status === 'refused') {
    reportRefused(context, element, row);
    return false;
  }
  // What stands in something that nobody reads is not read either.
  return row !== null && row !== 'misplaced';
}

function reportRefused({ report, listeners }: DialectContext, element: XmlElement, row: ExtensionRow): void {
  const isListener = /[Ll]istener/.test(element.localName);
  if (isListener && listeners === 'ignore') {
    const message = `${element.name} is left out, as package.yaml says: what it does is not done`;
    report.warning('SUTRA.DIALECT.LISTENER_IGNORED', element, message);
    return;
  }
  const remedy = isListener ? '; or say listeners: ignore in package.yaml' : '';
  const code = isListener ? 'SUTRA.DIALECT.CODE_NOT_EXECUTED' : 'SUTRA.DIALECT.EXTENSION_REFUSED';
  report.error(code, element, `${refused(element.name, row)}${remedy}`);
}

function refused(name: string, { note }: ExtensionRow): string {
  return `${name} is not executed: ${note}`;
}

function unread(
  { report }: DialectContext,
  registry: DialectRegistry,
  name: string,
  localName: string,
  owner: string,
  row: 'misplaced' | null,
  known: readonly ExtensionRow[],
): string {
  if (row === 'misplaced')
    return `${name} has no meaning on ${owner} in ${registry.name}, and nothing reads it`;
  const hint = report.suggest(
    localName,
    known.map((one) => one.name),
  );
  return `${registry.name} knows no ${name}, and nothing reads it${hint}`;
}
