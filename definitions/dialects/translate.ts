/**
 * What vendors write into BPMN files, as what BPMN and the q: vocabulary have.
 *
 * D1 What has no meaning of its own here stays as it is; what would change what runs is translated or refused.
 * D2 Every place in the result is one in the author's file.
 */
import type { Finding } from '../../config/engine-error.ts';
import { BPMN_NAMESPACE } from '../bpmn/namespaces.ts';
import { isDocumentation } from '../bpmn/check-structure.ts';
import { Report } from '../bpmn/report.ts';
import { attributeOf, type XmlDocument, type XmlElement } from '../xml/document.ts';
import { Origins, TranslatedDocument } from '../xml/translated-document.ts';
import { AddedErrors } from './added-errors.ts';
import { checkNames } from './check-names.ts';
import type { DialectCode } from './codes.ts';
import {
  type ChannelWish,
  type DialectContext,
  type Listeners,
  made,
  type UnboundTasks,
} from './dialect-context.ts';
import { ElementMaker } from '../element-maker.ts';
import { ElementDraft } from './element-draft.ts';
import { isMadeForCamunda7, isMadeForJbpm } from './made-for.ts';
import { translateExpression } from './translate-expression.ts';
import { translateNode } from './translate-node.ts';

export interface Translation {
  readonly document: XmlDocument;
  readonly findings: readonly Finding[];
  /** Channels that the file uses without an author having declared them. */
  readonly wishes: readonly ChannelWish[];
}

/** What the author of a package allows. Default: nothing. */
export interface TranslateOptions {
  readonly unboundTasks?: UnboundTasks;
  readonly listeners?: Listeners;
}

export function translateDialects(
  base: XmlDocument,
  { unboundTasks = 'refuse', listeners = 'refuse' }: TranslateOptions,
): Translation {
  const origins = new Origins();
  const report = new Report<DialectCode>(base);
  const context: DialectContext = {
    document: base,
    report,
    make: new ElementMaker(origins),
    unboundTasks,
    listeners,
    roots: rootsById(base.root),
    addedRoots: [],
    addedErrors: new AddedErrors(base.root),
    wishes: [],
    isCamunda7: isMadeForCamunda7(base.root),
    isJbpm: isMadeForJbpm(base.root),
    process: null,
    processId: '',
  };
  if (base.root.namespace !== BPMN_NAMESPACE || base.root.localName !== 'definitions') {
    return { document: base, findings: [], wishes: [] };
  }
  checkNames(context, base.root, isDocumentation);
  const root = translateRoot(context, base.root);
  const document = root === base.root ? base : new TranslatedDocument(base, root, origins);
  return { document, findings: report.findings, wishes: context.wishes };
}

function rootsById(root: XmlElement): ReadonlyMap<string, XmlElement> {
  return new Map(
    root.children.flatMap((element) => {
      const id = element.namespace === BPMN_NAMESPACE ? attributeOf(element, 'id') : null;
      return id === null ? [] : [[id, element] as const];
    }),
  );
}

function translateRoot(context: DialectContext, root: XmlElement): XmlElement {
  const children = root.children.map((child) => {
    if (child.namespace !== BPMN_NAMESPACE || isDocumentation(child)) return child;
    const isProcess = child.localName === 'process';
    if (!isProcess && child.localName !== 'errorEventDefinition') return child;
    context.process = isProcess ? child : null;
    context.processId = isProcess ? (attributeOf(child, 'id') ?? '') : '';
    return translated(context, child, [root]);
  });
  const draft = new ElementDraft(root, children);
  // Camunda 7 and its forks read JUEL whatever the modeler has written here.
  if (context.isCamunda7) draft.drop('expressionLanguage');
  draft.addChildren(...context.addedRoots);
  return draft.build(context.make, made(context, root, ''));
}

function translated(context: DialectContext, base: XmlElement, around: readonly XmlElement[]): XmlElement {
  if (base.namespace !== BPMN_NAMESPACE || base.localName === 'extensionElements') return base;
  const expression = translateExpression(context, base);
  if (expression !== null) return expression;
  const draft = new ElementDraft(
    base,
    base.children.map((child) => translated(context, child, [...around, base])),
  );
  translateNode(context, draft, around);
  return draft.build(context.make, made(context, base, ''));
}
