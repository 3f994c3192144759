/**
 * A file of the corpus as a file of ours: the settings of its source engine become BPMN, q elements and FEEL.
 *
 * A1 Ids, flow nodes, sequence flows and event definitions stay as they are, but for A2 to A4.
 * A2 Tasks that run Java or a script of the source engine become a script in FEEL or a wait (`STUBS`).
 * A3 Conditions on the flows out of a start event move behind a task that is put there: that engine looks at
 *    them, BPMN 2.0.2 §10.5.2 forbids them, and after a task (§10.2) they mean the same.
 * A4 What that engine takes for granted is written down: an unconditional flow of an exclusive gateway can be
 *    taken, and an error that is referred to but not declared has its reference as its code.
 * A5 Every wait for a message gets its message's name as its channel (a receive task without a message its own
 *    id) and an alias that all messages of a scenario carry, as that engine finds the wait by the instance.
 */
import { attributeOf } from '../../../definitions/xml/document.ts';
import { readXml } from '../../../definitions/xml/read-xml.ts';
import type { PackageFile } from '../../../definitions/package-model.ts';
import { templateToFeel, toFeel } from './expression-text.ts';
import {
  childOf,
  element,
  extend,
  modelElement,
  modelText,
  remove,
  type ModelElement,
} from './model-text.ts';

/** The alias of every wait for a message, and its value. */
export const ANY_ALIAS = { name: 'scenario', value: 'any' };
/** The alias that tells the instances of a multi-instance activity apart; its value is the loop counter. */
export const ITERATION_ALIAS = 'iteration';

/** What the file said that has no place in our model. By element id. */
export interface AdaptedModel {
  readonly content: Uint8Array;
  /** FEEL over the variables of the task: whom it is assigned to. */
  readonly assignees: ReadonlyMap<string, string>;
  /** Calls that end with this BPMN error as soon as they are made. */
  readonly thrownCodes: ReadonlyMap<string, string>;
  /** Calls whose completion counts as this BPMN error. */
  readonly completionCodes: ReadonlyMap<string, string>;
}

export function adapt(file: PackageFile): AdaptedModel {
  const { document, findings } = readXml(file);
  if (document === null)
    throw new Error(`${file.path}: ${findings.map(({ message }) => message).join('; ')}`);
  const definitions = modelElement(document.root);
  const adapter = new Adapter(definitions);
  adapter.visit(definitions, null, false);
  adapter.declareErrors();
  const { assignees, thrownCodes, completionCodes } = adapter;
  return { content: Buffer.from(modelText(definitions)), assignees, thrownCodes, completionCodes };
}

const EXPRESSIONS = new Set([
  'conditionExpression',
  'condition',
  'completionCondition',
  'loopCardinality',
  'timeDuration',
  'timeDate',
  'timeCycle',
]);
/**
 * Settings of the source engines that are read, or change nothing that a scenario looks at but what
 * `exceptions.ts` names (`terminateAll`, `scope`). Any other one is an error, so that none is lost unseen.
 */
const VENDOR_ATTRIBUTES = new Set([
  ...['assignee', 'candidateGroups', 'initiator'],
  ...['class', 'expression', 'type', 'topic'],
  ...['collection', 'elementVariable'],
  ...['terminateAll', 'scope'],
]);
const VENDOR_ELEMENTS = new Set(['field', 'formProperty', 'executionListener', 'errorEventDefinition']);

const MESSAGE_CATCHES = new Set(['startEvent', 'intermediateCatchEvent', 'boundaryEvent']);

/** What stands for the classes of the scenarios' service tasks, by simple name. */
const STUBS: Readonly<Record<string, 'done' | 'waits'>> = {
  UndoService: 'done',
  WaitStateUndoService: 'waits',
};

class Adapter {
  readonly assignees = new Map<string, string>();
  readonly thrownCodes = new Map<string, string>();
  readonly completionCodes = new Map<string, string>();
  readonly #definitions: ModelElement;
  readonly #errorIds = new Set<string>();

  constructor(definitions: ModelElement) {
    this.#definitions = definitions;
  }

  /** @param isRepeated a multi-instance activity is around the element */
  visit(owner: ModelElement, parent: ModelElement | null, isRepeated: boolean): void {
    checkVendor(owner);
    trimIds(owner, this.#definitions);
    this.#adaptByName(owner, parent);
    const assignee = owner.vendor.get('assignee');
    if (assignee !== undefined) this.assignees.set(idOf(owner), templateToFeel(assignee));
    const isInLoop = isRepeated || childOf(owner, 'multiInstanceLoopCharacteristics') !== undefined;
    this.#addSource(owner, parent, isInLoop);
    for (const child of [...owner.children]) this.visit(child, owner, isInLoop);
  }

  #adaptByName(owner: ModelElement, parent: ModelElement | null): void {
    if (EXPRESSIONS.has(owner.name)) owner.text = toFeel(owner.text);
    switch (owner.name) {
      case 'multiInstanceLoopCharacteristics':
        return adaptLoop(owner);
      case 'exclusiveGateway':
        return parent === null ? undefined : addConditions(owner, parent);
      case 'startEvent':
        return parent === null ? undefined : moveConditions(owner, parent);
      case 'serviceTask':
        return this.#adaptServiceTask(owner);
      case 'scriptTask':
        return this.#adaptScriptTask(owner);
      case 'errorEventDefinition':
        return this.#noteError(owner.attributes.get('errorRef'));
      default:
    }
  }

  /** A4. */
  declareErrors(): void {
    const declared = this.#definitions.children.filter(({ name }) => name === 'error').map(idOf);
    for (const id of this.#errorIds) {
      if (!declared.includes(id)) this.#definitions.children.push(element('error', { id, errorCode: id }));
    }
  }

  #noteError(reference: string | undefined): void {
    if (reference !== undefined) this.#errorIds.add(withoutPrefix(reference));
  }

  /** A5. */
  #addSource(owner: ModelElement, parent: ModelElement | null, isRepeated: boolean): void {
    const isTask = owner.name === 'receiveTask';
    const definition = childOf(owner, 'messageEventDefinition');
    if (!isTask && (definition === undefined || !MESSAGE_CATCHES.has(owner.name))) return;
    const reference = (definition ?? owner).attributes.get('messageRef');
    const channel = reference === undefined ? idOf(owner) : this.#messageName(withoutPrefix(reference));
    extend(owner, element('q:source', { channel }));
    if (owner.name === 'startEvent' && parent?.name === 'process') return;
    const { name, value } = ANY_ALIAS;
    extend(owner, element('q:alias', { name, expression: `"${value}"` }));
    if (isRepeated) extend(owner, element('q:alias', { name: ITERATION_ALIAS, expression: 'loopCounter' }));
  }

  #messageName(id: string): string {
    const message = this.#definitions.children.find(
      (child) => child.name === 'message' && idOf(child) === id,
    );
    return message?.attributes.get('name') ?? id;
  }

  /** A2. */
  #adaptServiceTask(task: ModelElement): void {
    const topic = task.vendor.get('topic');
    if (topic !== undefined) {
      task.attributes.set('implementation', `channel:${topic}`);
      this.#noteCompletionCode(task);
      return;
    }
    const className = task.vendor.get('class')?.split('.').at(-1);
    const isConstant = /^[$#]\{true\}$/.test(task.vendor.get('expression') ?? '');
    const stub = isConstant ? 'done' : STUBS[className ?? ''];
    if (stub === undefined) throw new Error(`${idOf(task)} does something that has no stub`);
    task.name = stub === 'done' ? 'scriptTask' : 'receiveTask';
    // An empty context: it writes no variable.
    if (stub === 'done') task.children.push(element('script', {}, [], '{}'));
  }

  /** An error definition inside an external task: the error that its completion is, when its condition holds. */
  #noteCompletionCode(task: ModelElement): void {
    for (const definition of task.vendorElements) {
      const reference = attributeOf(definition, 'errorRef');
      if (definition.localName !== 'errorEventDefinition' || reference === null) continue;
      if (toFeel(attributeOf(definition, 'expression') ?? '') !== 'true') {
        throw new Error(`${idOf(task)}: only an error that always holds is adapted`);
      }
      const error = this.#definitions.children.find(
        (root) => root.name === 'error' && idOf(root) === reference,
      );
      this.completionCodes.set(idOf(task), error?.attributes.get('errorCode') ?? reference);
    }
  }

  #adaptScriptTask(task: ModelElement): void {
    const script = childOf(task, 'script');
    const text = script?.text ?? '';
    task.attributes.delete('scriptFormat');
    const [, code] = /^throw new [\w.]*BpmnError\("(\w+)"\);?$/.exec(text) ?? [];
    if (code !== undefined) {
      // FEEL throws nothing: a call does, whose answer is the error.
      this.thrownCodes.set(idOf(task), code);
      task.name = 'serviceTask';
      task.attributes.set('implementation', `channel:${idOf(task)}`);
      remove(task, 'script');
      return;
    }
    const [, read, written, addend] =
      /getVariable\("(\w+)"\)\s[^;]*setVariable\("(\w+)", sum \+ (\d+)\)$/.exec(text) ?? [];
    if (script === undefined || read === undefined || written === undefined || addend === undefined) {
      throw new Error(`${idOf(task)} has a script that has no translation`);
    }
    script.text = `${read} + ${addend}`;
    extend(task, element('q:output', { variable: written }));
  }
}

function checkVendor({ name, vendor, vendorElements }: ModelElement): void {
  const settings = [...vendor.keys()].filter((key) => !VENDOR_ATTRIBUTES.has(key));
  const elements = vendorElements.filter(({ localName }) => !VENDOR_ELEMENTS.has(localName));
  const unknown = [...settings, ...elements.map(({ localName }) => localName)];
  if (unknown.length > 0) throw new Error(`${name} has settings that are not adapted: ${unknown.join(', ')}`);
}

/** Blanks around an id do not belong to it (XML schema, `xsd:ID`); a sub-process needs one. */
function trimIds(owner: ModelElement, definitions: ModelElement): void {
  const id = owner.attributes.get('id');
  if (id !== undefined) owner.attributes.set('id', id.trim());
  else if (owner.name === 'subProcess') owner.attributes.set('id', freeId(definitions));
}

function freeId(definitions: ModelElement): string {
  const ids = new Set(allElements(definitions).map((item) => item.attributes.get('id')));
  let number = 1;
  while (ids.has(`unnamed-${number}`)) number += 1;
  return `unnamed-${number}`;
}

function allElements(root: ModelElement): readonly ModelElement[] {
  return [root, ...root.children.flatMap(allElements)];
}

/** What is iterated over, and under which name an instance sees its item. */
function adaptLoop(loop: ModelElement): void {
  const reference = childOf(loop, 'loopDataInputRef')?.text ?? loop.vendor.get('collection');
  const item = childOf(loop, 'inputDataItem')?.attributes.get('name') ?? loop.vendor.get('elementVariable');
  if (reference === undefined) return;
  remove(loop, 'loopDataInputRef', 'inputDataItem');
  const collection = `=${toFeel(reference)}`;
  extend(loop, element('q:loop', item === undefined ? { collection } : { collection, item }));
}

function flowsFrom(owner: ModelElement, parent: ModelElement): readonly ModelElement[] {
  return parent.children.filter(
    ({ name, attributes }) => name === 'sequenceFlow' && attributes.get('sourceRef') === idOf(owner),
  );
}

/** A4. */
function addConditions(gateway: ModelElement, parent: ModelElement): void {
  const flows = flowsFrom(gateway, parent);
  if (flows.length < 2) return;
  for (const flow of flows) {
    const isDefault = flow.attributes.get('id') === gateway.attributes.get('default');
    if (isDefault || childOf(flow, 'conditionExpression') !== undefined) continue;
    flow.children.push(element('conditionExpression', {}, [], 'true'));
  }
}

/** A3. */
function moveConditions(start: ModelElement, parent: ModelElement): void {
  const flows = flowsFrom(start, parent);
  if (flows.every((flow) => childOf(flow, 'conditionExpression') === undefined)) return;
  const id = `${idOf(start)}-flows`;
  for (const flow of flows) flow.attributes.set('sourceRef', id);
  const link = { id: `${id}-in`, sourceRef: idOf(start), targetRef: id };
  parent.children.push(element('task', { id }), element('sequenceFlow', link));
}

function idOf(owner: ModelElement): string {
  return owner.attributes.get('id') ?? '';
}

function withoutPrefix(reference: string): string {
  return reference.slice(reference.indexOf(':') + 1);
}
